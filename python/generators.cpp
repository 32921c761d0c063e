#include "generators.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "fastnp/detail/random_state.h"

namespace fastnp::python {

namespace {

using detail::bit_stream_bytes;
using detail::PairedNormals;

// What `_random.Random` is in memory (Modules/_randommodule.c of Python 3.11 to 3.13).
struct RandomObject {
    PyObject head;
    int next;
    std::uint32_t words[detail::PythonRandom::size];
};

Ref random_class() { return own(PyObject_GetAttrString(own(PyImport_ImportModule("random")).get(), "Random")); }

bool is_of_python(PyObject* object) {
    static PyObject* type = nullptr;  // no guard, which a thread would wait for that has the GIL
    if (type == nullptr) type = random_class().release();
    return reinterpret_cast<PyObject*>(Py_TYPE(object)) == type;
}

// Whether an object has in memory what it says that it has.
bool lies_as_expected(PyObject* random) {
    if (Py_TYPE(random)->tp_basicsize < static_cast<Py_ssize_t>(sizeof(RandomObject))) return false;
    const Ref state = own(PyObject_CallMethod(random, "getstate", nullptr));
    PyObject* const told = PyTuple_Check(state.get()) && PyTuple_GET_SIZE(state.get()) == 3 ? PyTuple_GET_ITEM(state.get(), 1) : nullptr;
    if (told == nullptr || !PyTuple_Check(told) || PyTuple_GET_SIZE(told) != detail::PythonRandom::size + 1) return false;
    const auto* held = reinterpret_cast<const RandomObject*>(random);
    for (std::size_t i = 0; i < detail::PythonRandom::size; ++i) {
        if (PyLong_AsUnsignedLong(PyTuple_GET_ITEM(told, static_cast<Py_ssize_t>(i))) != held->words[i]) return false;
    }
    return PyLong_AsLong(PyTuple_GET_ITEM(told, detail::PythonRandom::size)) == held->next;
}

PyObject* random_state_class() {
    static PyObject* type = nullptr;  // no guard, as above
    if (type == nullptr) type = own(PyObject_GetAttrString(own(PyImport_ImportModule("numpy.random")).get(), "RandomState")).release();
    return type;
}

// Where a RandomState has its `bitgen_t` with the pair behind it, which begins with that one's address: the place from the object's beginning.
std::optional<std::size_t> place_of_stream(PyObject* state) {
    const auto size = static_cast<std::size_t>(Py_TYPE(state)->tp_basicsize);
    const char* const object = reinterpret_cast<const char*>(state);
    for (std::size_t place = sizeof(PyObject); place + bit_stream_bytes + sizeof(PairedNormals) <= size; place += sizeof(void*)) {
        const void* begins_with = nullptr;
        std::memcpy(&begins_with, object + place + bit_stream_bytes, sizeof begins_with);
        if (begins_with == object + place) return place;
    }
    return std::nullopt;
}

// Whether the pair behind it is as the object says that it is.
bool has_pair_as_told(PyObject* state, std::size_t place) {
    PairedNormals pair{};
    std::memcpy(&pair, reinterpret_cast<const char*>(state) + place + bit_stream_bytes, sizeof pair);
    const Ref told = own(PyObject_CallMethod(state, "get_state", nullptr));
    if (PyTuple_Check(told.get()) == 0 || PyTuple_GET_SIZE(told.get()) != 5) return false;
    return pair.has_next == PyLong_AsLong(PyTuple_GET_ITEM(told.get(), 3)) && pair.next == PyFloat_AsDouble(PyTuple_GET_ITEM(told.get(), 4));
}

// The place in all of them, if it is one.
std::optional<std::size_t> found_place_of_stream() {
    const Ref made = own(PyObject_CallFunction(random_state_class(), "i", 7));
    const auto place = place_of_stream(made.get());
    for (int draws = 0; place && draws < 3; ++draws) {
        if (!has_pair_as_told(made.get(), *place)) return std::nullopt;
        own(PyObject_CallMethod(made.get(), "standard_normal", nullptr));
    }
    return place;
}

const std::optional<std::size_t>& known_place_of_stream() {
    static bool is_known = false;  // no guard, as above
    static std::optional<std::size_t> place;
    if (!is_known) {
        place = found_place_of_stream();
        PyErr_Clear();
        is_known = true;
    }
    return place;
}

}  // namespace

bool is_random_state(PyObject* object) { return PyObject_IsInstance(object, random_state_class()) == 1; }

bool lends_random_states() { return known_place_of_stream().has_value(); }

bool lends_python_random() {
    enum class Lends : std::uint8_t { unknown, yes, no };
    static Lends lends = Lends::unknown;  // no guard, as above
    if (lends == Lends::unknown) {
        const Ref made = own(PyObject_CallFunction(random_class().get(), "i", 7));
        bool found = lies_as_expected(made.get());
        own(PyObject_CallMethod(made.get(), "random", nullptr));
        found = found && lies_as_expected(made.get());
        PyErr_Clear();
        lends = found ? Lends::yes : Lends::no;
    }
    return lends == Lends::yes;
}

void LentGenerators::give_back() {
    PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
    PyErr_Fetch(&type, &value, &traceback);
    for (const OfPython& each : of_python_) {
        auto* const held = reinterpret_cast<RandomObject*>(each.object.get());
        held->next = each.copy->next;
        std::memcpy(held->words, each.copy->words.data(), sizeof(held->words));
        const Ref gauss(each.copy->gauss ? PyFloat_FromDouble(*each.copy->gauss) : Py_NewRef(Py_None));
        if (PyObject_SetAttrString(each.object.get(), "gauss_next", gauss.get()) != 0) PyErr_Clear();
    }
    for (PyObject* lock : locks_) {
        Py_XDECREF(PyObject_CallMethod(lock, "release", nullptr));
        Py_DECREF(lock);
    }
    PyErr_Restore(type, value, traceback);
}

std::int64_t LentGenerators::lend_copy(PyObject* random) {
    for (const OfPython& each : of_python_) {
        if (each.object.get() == random) return reinterpret_cast<std::int64_t>(each.copy->stream());
    }
    const Ref attributes(PyObject_GenericGetDict(random, nullptr));
    if (attributes.get() == nullptr || PyDict_GET_SIZE(attributes.get()) != 1) {  // methods of its own, perhaps: it is left to Python
        PyErr_SetString(PyExc_OverflowError, "attributes of a generator");
        throw PythonError{};
    }
    auto copy = std::make_unique<detail::PythonRandom>();
    const auto* held = reinterpret_cast<const RandomObject*>(random);
    copy->next = held->next;
    std::memcpy(copy->words.data(), held->words, sizeof(held->words));
    const Ref gauss = own(PyObject_GetAttrString(random, "gauss_next"));
    if (gauss.get() != Py_None) copy->gauss = PyFloat_AsDouble(gauss.get());
    if (PyErr_Occurred() != nullptr) throw PythonError{};
    of_python_.push_back({Ref::borrow(random), std::move(copy)});
    return reinterpret_cast<std::int64_t>(of_python_.back().copy->stream());
}

std::int64_t LentGenerators::lend(PyObject* generator) {
    if (is_of_python(generator)) return lend_copy(generator);
    PyObject* found = PyObject_GetAttrString(generator, "bit_generator");
    if (found == nullptr) {  // RandomState's
        PyErr_Clear();
        found = PyObject_GetAttrString(generator, "_bit_generator");
    }
    const Ref bits = own(found), capsule = own(PyObject_GetAttrString(bits.get(), "capsule"));
    void* stream = PyCapsule_GetPointer(capsule.get(), "BitGenerator");
    if (stream == nullptr) throw PythonError{};
    Ref lock = own(PyObject_GetAttrString(bits.get(), "lock"));
    if (std::find(locks_.begin(), locks_.end(), lock.get()) == locks_.end()) {
        own(PyObject_CallMethod(lock.get(), "acquire", nullptr));
        locks_.push_back(lock.release());
    }
    if (is_random_state(generator) && lends_random_states()) stream = reinterpret_cast<char*>(generator) + *known_place_of_stream();
    return reinterpret_cast<std::int64_t>(stream);
}

}  // namespace fastnp::python
