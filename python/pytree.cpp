// Arguments of compiled functions taken apart: arrays for the engine, everything else into the key.
#include "pytree.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <unordered_map>
#include <utility>

#include "exchange.h"
#include "fastnp/detail/size.h"
#include "number.h"
#include "size.h"

namespace fastnp::python {

namespace {

constexpr int deepest = 64;
constexpr std::uint64_t place_step = 1099511628211U;  // odd: places of arguments and of their parts are hardly ever one
constexpr std::size_t longest_key = std::size_t{1} << 24;  // of a tree that is not the same list over and over
constexpr std::size_t most_compared = 16;  // arguments that are looked through for the same object

// Whether it is a number that may be an input.
bool may_vary(PyObject* object) { return PyFloat_CheckExact(object) || small_int(object).has_value(); }

array hold_numpy(const detail::Argument& argument) {
    const PyGILState_STATE state = PyGILState_Ensure();
    struct Release {
        PyGILState_STATE state;
        ~Release() { PyGILState_Release(state); }
    } release{state};
    return from_numpy(as_numpy(static_cast<PyObject*>(const_cast<void*>(argument.context))));
}

std::int64_t size_of(const detail::Argument& argument) {
    std::int64_t size = 1;
    for (int i = 0; i < argument.rank; ++i) size *= argument.shape[i];
    return size;
}

PyObject* interned(const char* text) { return PyUnicode_InternFromString(text); }

}  // namespace

detail::Argument argument_over(PyArrayObject* object, Dtype dtype) {
    detail::Argument argument{};
    argument.data = PyArray_DATA(object);
    argument.shape = PyArray_DIMS(object);
    argument.strides = PyArray_STRIDES(object);
    argument.dtype = dtype;
    argument.rank = static_cast<std::int8_t>(PyArray_NDIM(object));
    argument.writable = PyArray_ISWRITEABLE(object);
    argument.hold = hold_numpy;
    argument.context = object;
    return argument;
}

bool is_namedtuple(PyObject* object) {
    static PyObject* fields = interned("_fields");
    return PyTuple_Check(object) && _PyType_Lookup(Py_TYPE(object), fields) != nullptr;
}

bool is_dataclass(PyObject* object) {
    static PyObject* fields = interned("__dataclass_fields__");
    return _PyType_Lookup(Py_TYPE(object), fields) != nullptr && _PyObject_GetDictPtr(object) != nullptr;
}

bool Flat::takes_apart(PyObject* object) {
    if (is_dataclass(object) && !PyType_Check(object)) return true;
    if (!instances_.takes_apart(Py_TYPE(object))) return false;
    return took_apart_ = true;
}

bool Flat::has_taken_apart(PyObject* object) const { return std::find(containers.begin(), containers.end(), object) != containers.end(); }

void Flat::append(Tag tag, const void* bytes, std::size_t size) {
    const std::size_t at = key.size();
    key.resize(at + 1 + size);
    key[at] = static_cast<char>(tag);
    std::memcpy(key.data() + at + 1, bytes, size);
}

void Flat::mark(Tag tag, std::uint64_t value) { append(tag, &value, sizeof value); }

void Flat::mark_text(PyObject* text) {
    Py_ssize_t size = 0;
    const char* bytes = PyUnicode_AsUTF8AndSize(text, &size);
    if (bytes == nullptr) {
        PyErr_Clear();
        return fail("takes text that is not Unicode");
    }
    mark(Tag::text, static_cast<std::uint64_t>(size));
    append(Tag::characters, bytes, static_cast<std::size_t>(size));
}

// What an argument is made of, itself among it. Arrays are known by what they are.
static void collect_parts(PyObject* object, std::vector<PyObject*>& parts, int depth) {
    if (depth > deepest) return;
    parts.push_back(object);
    if (PyTuple_Check(object) || PyList_CheckExact(object)) {
        for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(object); ++i) collect_parts(PySequence_Fast_GET_ITEM(object, i), parts, depth + 1);
    } else if (PyDict_CheckExact(object)) {
        Py_ssize_t position = 0;
        PyObject *key = nullptr, *value = nullptr;
        while (PyDict_Next(object, &position, &key, &value) != 0) {
            collect_parts(key, parts, depth + 1);
            collect_parts(value, parts, depth + 1);
        }
    }
}

void Flat::mark_identities(std::span<PyObject* const> arguments) {
    tells_identities_ = true;
    std::vector<PyObject*> parts;
    for (PyObject* argument : arguments) collect_parts(argument, parts, 0);
    std::unordered_map<PyObject*, std::size_t> places;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const auto [first, is_new] = places.emplace(parts[i], i);
        if (is_new) continue;
        mark(Tag::same_container, i);
        mark(Tag::same_container, first->second);
        const bool varies = std::find(varying_.begin(), varying_.end(), parts[i]) != varying_.end();
        if (varies) return fail("asks whether two numbers that vary are one object");
    }
}

void Flat::mark_nans(std::span<PyObject* const> known) {
    for (std::size_t i = 0; i < nans_.size(); ++i) {
        const auto found = std::find(known.begin(), known.end(), nans_[i]);
        if (found == known.end()) continue;
        mark(Tag::nan, i);
        mark(Tag::nan, static_cast<std::uint64_t>(found - known.begin()));
    }
}

void Flat::set_generation(std::uint64_t generation) { std::memcpy(key.data(), &generation, sizeof generation); }

void Flat::fail(std::string why) {
    compilable = false;
    if (reason.empty()) reason = std::move(why);
}

void Flat::push(const detail::Argument& argument, PyObject* object) {
    elements += size_of(argument);
    mark(Tag::array);
    const std::size_t known = std::min(objects.size(), most_compared);
    for (std::size_t i = 0; i < known; ++i) {
        if (objects[i] != object) continue;
        mark(Tag::same_array);
        key.push_back(static_cast<char>(i));
        break;
    }
    arguments.push_back(argument);
    objects.push_back(object);
}

void Flat::add_container(PyObject* object) {
    const auto same = std::find(containers.begin(), containers.end(), object);
    if (same != containers.end()) mark(Tag::same_container, static_cast<std::uint64_t>(same - containers.begin()));
    containers.push_back(object);
}

void Flat::add_array(PyObject* object) {
    detail::Argument argument{};
    if (!detail::borrow(value_of(object), argument)) return fail("takes an array of a recording that is over");
    any_fastnp_ = true;
    if (reinterpret_cast<NdArray*>(object)->scalar) push_scalar(argument, object);
    else push(argument, object);
}

void Flat::add_numpy(PyArrayObject* object) {
    const std::optional<Dtype> dtype = dtype_of_descr(PyArray_DESCR(object));
    if (!dtype || !PyArray_ISALIGNED(object)) return fail("takes a NumPy array of a dtype or an alignment that fastnp does not have");
    any_numpy_ = true;
    push(argument_over(object, *dtype), reinterpret_cast<PyObject*>(object));
}

void Flat::add_scalar(PyObject* object) {
    if (!is_supported(object)) return fail("takes a NumPy scalar of a dtype that fastnp does not have");
    scalars_.push_back(std::make_unique<array>(to_array(object)));
    detail::Argument argument{};
    detail::borrow(*scalars_.back(), argument);
    any_numpy_ = true;
    push_scalar(argument, object);
}

void Flat::push_scalar(const detail::Argument& argument, PyObject* object) {
    arguments.push_back(argument);
    arguments.back().writable = false;
    objects.push_back(object);
    mark(Tag::scalar);
}

PyObject* Flat::own_of(PyObject* object) const {
    const auto found = std::find_if(foreign_.begin(), foreign_.end(), [&](const auto& each) { return each.first == object; });
    return found == foreign_.end() ? nullptr : found->second.get();
}

Ref Flat::as_own(PyObject* object, int depth) const {
    if (PyObject* own = own_of(object)) return Ref::borrow(own);
    if (foreign_.empty() || !PyTuple_CheckExact(object) || depth > deepest) return Ref::borrow(object);
    Ref items = own(PyTuple_New(PyTuple_GET_SIZE(object)));
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(object); ++i) PyTuple_SET_ITEM(items.get(), i, as_own(PyTuple_GET_ITEM(object, i), depth + 1).release());
    return items;
}

Ref Flat::as_given(Ref object) const {
    const auto found = std::find_if(foreign_.begin(), foreign_.end(), [&](const auto& each) { return each.second.get() == object.get(); });
    return found == foreign_.end() ? object : Ref::borrow(found->first);
}

// What can't be taken is the function's own business.
void Flat::add_foreign(PyObject* object) {
    PyObject* taken = own_of(object);
    if (taken == nullptr) {
        try {
            foreign_.emplace_back(object, own(wrap(from_foreign(object))));
        } catch (const Error& error) {
            return fail(std::string("takes an array of another library: ") + error.what());
        } catch (const PythonError&) {
            if (PyErr_ExceptionMatches(PyExc_Exception) == 0) throw;
            PyErr_Clear();
            return fail(std::string("takes a ") + Py_TYPE(object)->tp_name + " that does not let itself be shared");
        }
        taken = foreign_.back().second.get();
    }
    detail::Argument argument{};
    detail::borrow(value_of(taken), argument);
    any_fastnp_ = true;
    push(argument, object);
}

bool Numbers::vary(std::size_t place, Tag kind, std::int64_t bits) {
    if (place >= seen_.size()) seen_.resize(place + 1);
    Seen& seen = seen_[place];
    if (!seen.any) {
        seen.any = true;
        seen.kind = kind;
        seen.bits = bits;
    }
    seen.varies = seen.varies || seen.kind != kind || seen.bits != bits;
    return seen.varies;
}

// A container that holds a NaN has just this object in it: the key says which of them are one object, and which are those that everybody has.
void Flat::mark_nan(PyObject* object) {
    static PyObject *numpys = nullptr, *pythons = nullptr;
    kept_attribute(numpys, "numpy", "nan");
    kept_attribute(pythons, "math", "nan");
    if (nans_.empty()) nans_ = {numpys, pythons};
    auto known = std::find(nans_.begin(), nans_.end(), object);
    if (known == nans_.end()) known = nans_.insert(known, object);
    mark(Tag::nan, static_cast<std::uint64_t>(known - nans_.begin()));
}

// No input: it would be another object.
void Flat::add_nan(PyObject* object) {
    const double value = PyFloat_AS_DOUBLE(object);
    if (!in_key_) {
        inputs_.push_back(false);
        if (numbers_ != nullptr) (void)numbers_->vary(inputs_.size() - 1, Tag::varying_float, std::bit_cast<std::int64_t>(value));
    }
    mark_nan(object);
    append(Tag::floating, &value, sizeof value);
}

// False for a number that is a constant.
bool Flat::add_number(PyObject* object, Tag kind, std::int64_t bits) {
    if (in_key_) return false;
    const bool varies = numbers_ != nullptr && numbers_->vary(inputs_.size(), kind, bits);
    inputs_.push_back(varies);
    if (!varies) return false;
    mark(kind);
    varying_.push_back(object);
    return true;
}

void Flat::add_numbers() {
    arrays = objects.size();
    for (PyObject* object : varying_) push_number(object);
}

void Flat::push_number(PyObject* object) {
    detail::Argument argument{};
    if (PyFloat_CheckExact(object)) {
        argument.data = &reinterpret_cast<PyFloatObject*>(object)->ob_fval;
        argument.dtype = Dtype::float64;
    } else {
        ints_.push_back({arguments.size(), PyLong_AsLongLong(object)});
        argument.dtype = Dtype::int64;
    }
    arguments.push_back(argument);
    objects.push_back(object);
}

void Flat::settle() {
    for (Int& each : ints_) arguments[each.argument].data = &each.value;
}

// A key of a dict is no input, whatever it is.
void Flat::add_key(PyObject* object, int depth) {
    const bool before = std::exchange(in_key_, true);
    add(object, depth);
    in_key_ = before;
}

void Flat::add_input(PyObject* object) {
    const bool fastnp_before = any_fastnp_, numpy_before = any_numpy_;
    if (PyArray_CheckExact(object)) add_numpy(as_numpy(object));
    else if (is_ndarray(object)) add_array(object);
    else if (may_vary(object)) push_number(object);
    else if (PyLong_CheckExact(object)) fail("an int that is too large");
    else add_scalar(object);
    any_fastnp_ = fastnp_before;
    any_numpy_ = numpy_before;
}

bool Flat::add_as_array(PyObject* object) {
    if (in_key_ || numbers_ == nullptr) return false;
    const std::optional<NumberForm> form = number_form(object);
    if (!form || !numbers_->lists.is_array(place_, PySequence_Fast_GET_SIZE(object), *form)) return false;
    mark(Tag::numbers, form->bits());
    const bool is_known = std::ranges::find(containers, object) != containers.end();
    if (is_known && std::ranges::none_of(lists_, [&](const List& each) { return objects[each.argument] == object; })) has_list_twice_ = true;
    if (PyList_CheckExact(object)) add_container(object);
    scalars_.push_back(std::make_unique<array>(array_of_numbers(object, *form)));
    detail::Argument argument{};
    detail::borrow(*scalars_.back(), argument);
    argument.writable = false;
    lists_.push_back({arguments.size(), *form});
    number_lists_.push_back(place_);
    push(argument, object);
    return true;
}

Ref Flat::stand_in(std::size_t argument, const array& parameter) const {
    const auto found = std::ranges::find(lists_, argument, &List::argument);
    if (found == lists_.end()) return {};
    return own(number_list(parameter, found->form, number_lists_[static_cast<std::size_t>(found - lists_.begin())]));
}

void Flat::add_sequence(PyObject* object, int depth) {
    if (add_as_array(object)) return;
    const Py_ssize_t size = PySequence_Fast_GET_SIZE(object);
    mark(PyTuple_CheckExact(object) ? Tag::tuple : Tag::list, static_cast<std::uint64_t>(size));
    if (PyList_CheckExact(object)) add_container(object);
    if (std::ranges::any_of(lists_, [&](const List& each) { return objects[each.argument] == object; })) has_list_twice_ = true;
    const std::uint64_t here = place_;
    for (Py_ssize_t i = 0; i < size; ++i) {
        place_ = (here ^ static_cast<std::uint64_t>(i + 1)) * place_step;
        add(PySequence_Fast_GET_ITEM(object, i), depth + 1);
    }
    place_ = here;
}

void Flat::add(PyObject* object, int depth) {
    if (depth == 0) place_ = ++roots_added_ * place_step;
    PyTypeObject* type = Py_TYPE(object);
    if (type == ndarray_type) return add_array(object);
    if (type == &PyArray_Type) return add_numpy(as_numpy(object));
    if (type == &PyFloat_Type) {
        const double value = PyFloat_AS_DOUBLE(object);
        if (value != value) return add_nan(object);
        if (add_number(object, Tag::varying_float, std::bit_cast<std::int64_t>(value))) return;
        return append(Tag::floating, &value, sizeof value);
    }
    if (type == &PyLong_Type) {
        if (const auto small = small_int(object); small && add_number(object, Tag::varying_int, *small)) return;
        int overflow = 0;
        const long long value = PyLong_AsLongLongAndOverflow(object, &overflow);
        if (overflow == 0) return append(Tag::integer, &value, sizeof value);
        const Ref text = own(PyNumber_ToBase(object, 16));  // of which Python has any number of digits
        mark(Tag::large_int);
        return mark_text(text.get());
    }
    if (object == Py_None) return mark(Tag::none);
    if (type == &PyBool_Type) return mark(object == Py_True ? Tag::yes : Tag::no);
    if (depth > deepest || key.size() > longest_key) return fail("takes containers nested too deeply");
    if (compilable || depth == 0) add_other(object, depth);
}

void Flat::add_other(PyObject* object, int depth) {
    if (PyUnicode_CheckExact(object)) return mark_text(object);
    if (PyTuple_CheckExact(object) || PyList_CheckExact(object)) return add_sequence(object, depth);
    if (PyDict_CheckExact(object)) {
        mark(Tag::dict, static_cast<std::uint64_t>(PyDict_GET_SIZE(object)));
        add_container(object);
        Py_ssize_t position = 0;
        PyObject *name = nullptr, *value = nullptr;
        const std::uint64_t here = place_;
        while (PyDict_Next(object, &position, &name, &value) != 0) {
            place_ = (here ^ static_cast<std::uint64_t>(position)) * place_step;
            add_key(name, depth + 1);
            add(value, depth + 1);
        }
        place_ = here;
        return;
    }
    if (PyArray_IsScalar(object, Generic)) return add_scalar(object);
    if (PyArray_Check(object)) return fail(std::string("takes a ") + Py_TYPE(object)->tp_name + ", a subclass of numpy.ndarray");
    if (PyComplex_CheckExact(object)) {
        const Py_complex value = PyComplex_AsCComplex(object);
        if (value.real != value.real || value.imag != value.imag) mark_nan(object);
        return append(Tag::complex, &value, sizeof value);
    }
    if (PyBytes_CheckExact(object)) {
        mark(Tag::bytes, static_cast<std::uint64_t>(PyBytes_GET_SIZE(object)));
        return append(Tag::characters, PyBytes_AS_STRING(object), static_cast<std::size_t>(PyBytes_GET_SIZE(object)));
    }
    if (PySlice_Check(object)) {
        const auto* slice = reinterpret_cast<PySliceObject*>(object);
        mark(Tag::slice);
        add(slice->start, depth + 1);
        add(slice->stop, depth + 1);
        return add(slice->step, depth + 1);
    }
    if (PyRange_Check(object) || (PyArray_DescrCheck(object) && PyDataType_METADATA(reinterpret_cast<PyArray_Descr*>(object)) == nullptr)) {
        const Ref text = own(PyObject_Repr(object));
        mark(Tag::described);
        return mark_text(text.get());
    }
    if (is_namedtuple(object)) {
        mark(Tag::named, static_cast<std::uint64_t>(PyTuple_GET_SIZE(object)));
        roots.push_back(reinterpret_cast<PyObject*>(Py_TYPE(object)));
        for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(object); ++i) add(PyTuple_GET_ITEM(object, i), depth + 1);
        return;
    }
    if (takes_apart(object)) {
        const Ref fields = own(PyObject_GenericGetDict(object, nullptr));
        mark(Tag::dataclass);
        roots.push_back(reinterpret_cast<PyObject*>(Py_TYPE(object)));
        add_container(object);
        return add(fields.get(), depth + 1);
    }
    if (is_foreign(object)) return add_foreign(object);
    mark(Tag::object);
    roots.push_back(object);
}

Rebuild::Rebuild(std::span<const array> parameters, const Flat& flat) : flat_(flat), next_number_(flat.arrays) {
    const std::span<PyObject* const> objects(flat.objects.data(), flat.objects.size());
    for (std::size_t i = 0; i < objects.size(); ++i) {
        if (PyFloat_CheckExact(objects[i]) || PyLong_CheckExact(objects[i])) {
            const bool is_float = PyFloat_CheckExact(objects[i]);
            made_.push_back(own(is_float ? float_object(parameters[i]) : int_object(parameters[i])));
            continue;
        }
        const bool scalar = PyArray_IsScalar(objects[i], Generic) || (is_ndarray(objects[i]) && reinterpret_cast<NdArray*>(objects[i])->scalar);
        const auto known = objects.subspan(0, flat.tells_identities() ? i : std::min(i, most_compared));
        const auto same = scalar && !flat.tells_identities() ? known.end() : std::find(known.begin(), known.end(), objects[i]);
        Ref stand_in = flat.stand_in(i, parameters[i]);
        if (same != known.end()) made_.push_back(made_[static_cast<std::size_t>(same - known.begin())]);
        else made_.push_back(stand_in ? std::move(stand_in) : own(wrap(parameters[i], nullptr, scalar)));
    }
}

// What takes the place of an object's type.
static Ref swapped_type(PyObject* object, PyObject* swaps) {
    auto* type = reinterpret_cast<PyObject*>(Py_TYPE(object));
    PyObject* swapped = PyDict_GetItemWithError(swaps, own(PyLong_FromVoidPtr(type)).get());
    return Ref::borrow(swapped != nullptr ? swapped : type);
}

Ref Rebuild::add(PyObject* object, PyObject* swaps) {
    if (next_ < made_.size() && is_number_list(made_[next_].get()) && flat_.objects[next_] == object) {
        if (PyList_CheckExact(object)) containers_.push_back({object, made_[next_], {}});
        return made_[next_++];
    }
    if (is_ndarray(object) || PyArray_CheckExact(object) || PyArray_IsScalar(object, Generic) || flat_.own_of(object) != nullptr) return made_[next_++];
    if (PyTuple_CheckExact(object) || is_namedtuple(object)) return add_tuple(object, swaps);
    if (PyList_CheckExact(object) || PyDict_CheckExact(object) || flat_.has_taken_apart(object)) return add_container(object, swaps);
    if (may_vary(object)) return add_number(object);
    const Ref id = own(PyLong_FromVoidPtr(object));
    PyObject* swapped = PyDict_GetItemWithError(swaps, id.get());
    return Ref::borrow(swapped != nullptr ? swapped : object);
}

// Where the key tells which of them are one object, it is one here, too.
Ref Rebuild::add_tuple(PyObject* object, PyObject* swaps) {
    Ref items = own(PyTuple_New(PyTuple_GET_SIZE(object)));
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(object); ++i) PyTuple_SET_ITEM(items.get(), i, add(PyTuple_GET_ITEM(object, i), swaps).release());
    if (!PyTuple_CheckExact(object)) items = own(PyObject_CallMethod(swapped_type(object, swaps).get(), "_make", "(O)", items.get()));
    return flat_.tells_identities() ? tuples_.try_emplace(object, items).first->second : items;
}

// What stands for a number, if it is an input.
Ref Rebuild::add_number(PyObject* object) {
    if (in_key_ || !flat_.is_input(number_++)) return Ref::borrow(object);
    return made_[next_number_++];
}

// A copy of it, filled; the same one again for an object that was met before.
Ref Rebuild::add_container(PyObject* object, PyObject* swaps) {
    const auto known = std::find_if(containers_.begin(), containers_.end(), [&](const Container& each) { return each.original == object; });
    Ref copy = known != containers_.end() ? known->copy : empty_like(object, swaps);
    const std::size_t number = containers_.size();
    containers_.push_back({object, copy, {}});
    if (PyList_CheckExact(object)) {
        const Ref items = own(PyList_New(0));
        for (Py_ssize_t i = 0; i < PyList_GET_SIZE(object); ++i) check(PyList_Append(items.get(), add(PyList_GET_ITEM(object, i), swaps).get()));
        check(PyList_SetSlice(copy.get(), 0, PyList_GET_SIZE(copy.get()), items.get()));
        containers_[number].before = items;
        return copy;
    }
    const bool is_dict = PyDict_CheckExact(object);
    const Ref source = is_dict ? Ref::borrow(object) : own(PyObject_GenericGetDict(object, nullptr));
    const Ref target = is_dict ? copy : own(PyObject_GenericGetDict(copy.get(), nullptr));
    if (!is_dict) containers_.push_back({source.get(), target, own(PyDict_New())});
    Py_ssize_t position = 0;
    PyObject *name = nullptr, *value = nullptr;
    while (PyDict_Next(source.get(), &position, &name, &value) != 0) {
        const bool before = std::exchange(in_key_, true);
        const Ref key = add(name, swaps);
        in_key_ = before;
        const Ref item = add(value, swaps);
        check(PyDict_SetItem(target.get(), key.get(), item.get()));
    }
    containers_[is_dict ? number : number + 1].before = own(PyDict_Copy(target.get()));
    return copy;
}

Ref Rebuild::empty_like(PyObject* object, PyObject* swaps) {
    if (PyList_CheckExact(object)) return own(PyList_New(0));
    if (PyDict_CheckExact(object)) return own(PyDict_New());
    return own(PyObject_CallMethod(reinterpret_cast<PyObject*>(&PyBaseObject_Type), "__new__", "O", swapped_type(object, swaps).get()));
}

Ref Rebuild::stores() const {
    static PyObject* changes = nullptr;
    kept_attribute(changes, "fastnp._effects", "container_stores");
    const Ref copies = own(PyList_New(0));
    for (std::size_t i = 0; i < containers_.size(); ++i) {
        const Container& each = containers_[i];
        const bool repeated = container_of(each.copy.get()) != static_cast<int>(i);
        if (each.before && !repeated) check(PyList_Append(copies.get(), own(PyTuple_Pack(2, each.copy.get(), each.before.get())).get()));
    }
    if (PyList_GET_SIZE(copies.get()) == 0) return copies;
    return own(PyObject_CallOneArg(changes, copies.get()));
}

int Rebuild::container_of(PyObject* object) const {
    const auto found = std::find_if(containers_.begin(), containers_.end(), [&](const Container& each) { return each.copy.get() == object; });
    return found == containers_.end() ? -1 : static_cast<int>(found - containers_.begin());
}

int Rebuild::argument_of(PyObject* object) const {
    for (std::size_t i = 0; i < made_.size(); ++i) {
        if (made_[i].get() == object) return static_cast<int>(i);
    }
    return -1;
}

int Rebuild::memory_of(PyObject* object) const {
    for (std::size_t i = 0; i < made_.size(); ++i) {
        if (is_ndarray(made_[i].get()) && detail::is_beside(value_of(object), value_of(made_[i].get()))) return static_cast<int>(i);
    }
    return -1;
}

}  // namespace fastnp::python
