// What a compiled function decides by the clock and by what its calls were like: which way a call goes, and what may be compiled. A call itself is in
// compiled_call.cpp.
#include <algorithm>
#include <bit>

#include "compiled_state.h"
#include "fastnp/detail/background.h"

namespace fastnp::python {

namespace {

constexpr Nanoseconds unrolling = 500'000'000;  // that compiling a loop of thousands of turns, none of which is like another, is likely to take
constexpr Nanoseconds step_cost = 500'000;  // of compiling a step of a recording, roughly
constexpr std::size_t longest = 2000, least_long = 100;  // steps of recordings that may be loops
constexpr std::uint64_t most_unserved = 64, look_again = 256;
constexpr std::size_t free_courses = 16;  // of a kind of calls, whatever they cost

constexpr std::size_t most_looks = 64;
constexpr int enough_written = 16, enough_parted = 4;
constexpr int enough_raised = 32, warm_raised = 16, enough_raised_written = 8;  // in a row
constexpr int look_closer = 16, look_seldom = 512;  // one in as many calls that are known to go in parts is timed: at first, and later
constexpr int deepest_list = 3;
constexpr Py_ssize_t most_looked_at = 256;  // items of a list

bool is_simple(PyObject* object) {
    return PyFloat_CheckExact(object) || PyLong_CheckExact(object) || PyUnicode_CheckExact(object) || PyBool_Check(object) || object == Py_None ||
           PyArray_IsScalar(object, Number);
}

void add_array(Hash& hash, int dtype, int rank, std::int64_t size) {
    hash.add(static_cast<std::uint64_t>(dtype));
    hash.add(static_cast<std::uint64_t>(rank));
    hash.add(static_cast<std::uint64_t>(std::bit_width(static_cast<std::uint64_t>(size))));
}

// By factors of four: how many iterations a loop has may be a number.
std::uint64_t magnitude(std::int64_t number) {
    const auto bits = static_cast<std::uint64_t>(number);
    return static_cast<std::uint64_t>(std::bit_width(number < 0 ? 0 - bits : bits) + 1) / 2;
}

void add_number(Hash& hash, PyObject* object) {
    if (PyLong_CheckExact(object) == 0) return;
    int overflow = 0;
    const std::int64_t number = PyLong_AsLongLongAndOverflow(object, &overflow);
    hash.add(overflow != 0 ? 64U : magnitude(number));
}

// Whether it could be told at a glance.
bool add_glance(Hash& hash, PyObject* object, int depth) {
    hash.add(reinterpret_cast<std::uintptr_t>(Py_TYPE(object)));
    if (PyArray_CheckExact(object)) {
        auto* const x = reinterpret_cast<PyArrayObject*>(object);
        add_array(hash, PyArray_TYPE(x), PyArray_NDIM(x), PyArray_SIZE(x));
        return true;
    }
    if (is_ndarray(object)) {
        const auto* const held = reinterpret_cast<const NdArray*>(object);
        const array& x = held->value;
        if (held->taped != nullptr || x.is_recorded()) return false;
        add_array(hash, static_cast<int>(x.dtype()), x.ndim(), x.size());
        return true;
    }
    if (!PyList_CheckExact(object) && !PyTuple_CheckExact(object)) {
        add_number(hash, object);
        return is_simple(object);
    }
    const Py_ssize_t size = PySequence_Fast_GET_SIZE(object);
    PyObject* const* items = PySequence_Fast_ITEMS(object);
    hash.add(static_cast<std::uint64_t>(std::bit_width(static_cast<std::uint64_t>(size))));
    if (size == 0) return true;
    if (is_simple(items[0])) {
        hash.add(reinterpret_cast<std::uintptr_t>(Py_TYPE(items[0])));
        const Py_ssize_t step = 1 + size / most_looked_at;  // of long lists some: to look at all takes as long as a loop over them
        for (Py_ssize_t i = 0; i < size; i += step) {
            if (!is_simple(items[i])) return false;
        }
        return true;
    }
    return depth < deepest_list && std::all_of(items, items + size, [&](PyObject* item) { return add_glance(hash, item, depth + 1); });
}

}  // namespace

std::optional<std::uint64_t> glance(std::span<PyObject* const> arguments) {
    Hash hash;
    const bool is_told = std::all_of(arguments.begin(), arguments.end(), [&](PyObject* object) { return add_glance(hash, object, 0); });
    return is_told ? std::optional(hash.value()) : std::nullopt;
}

CompiledState::Limits CompiledState::limits() const {
    if (unrolls()) return {};
    if (!is_part_ || !adapts()) return {longest, 12};
    return {static_cast<std::size_t>(std::clamp<Nanoseconds>(Spending::left() / step_cost, least_long, longest)), 12};
}

WrittenKind* CompiledState::known_kind(std::uint64_t look) {
    const auto found = written_kinds_.find(look);
    return found == written_kinds_.end() ? nullptr : &found->second;
}

std::optional<PyObject*> CompiledState::call_as_known(PyObject* const* args, Py_ssize_t nargs) {
    const auto look = look_at({args, static_cast<std::size_t>(nargs)});
    WrittenKind* const known = look ? known_kind(*look) : nullptr;
    if (known == nullptr || detail::is_recording()) return std::nullopt;
    if (known->raising.is_as_written) return is_same_function() ? std::optional(call_as_raising(*look, args, nargs)) : std::nullopt;
    if (known->is_in_parts) {
        const auto calls = ++known->parted;
        if (calls % (calls < look_seldom ? look_closer : look_seldom) == 0) return std::nullopt;
        PyObject* const result = call_in_parts(args, nargs, known->gives_numpy);
        return result != nullptr ? std::optional(result) : std::nullopt;
    }
    if (!known->is_written || !is_same_function()) return std::nullopt;
    ++uncompiled_;
    const bool gives_numpy = known->gives_numpy;  // the call may forget what is known
    Ref result(PyObject_Vectorcall(function_.get(), args, static_cast<std::size_t>(nargs), nullptr));
    return result && gives_numpy ? with_numpy_arrays(result.get()).release() : result.release();
}

// As written for as long as it raises, if that is sooner.
PyObject* CompiledState::call_as_raising(std::uint64_t look, PyObject* const* args, Py_ssize_t nargs) {
    ++uncompiled_;
    const std::uint64_t begin = ticks();
    Ref result(PyObject_Vectorcall(function_.get(), args, static_cast<std::size_t>(nargs), nullptr));
    WrittenKind* const known = known_kind(look);  // the call may have forgotten it
    if (result) {
        const bool gives_numpy = known != nullptr && known->gives_numpy;
        if (known != nullptr) known->raising = {};
        return gives_numpy ? with_numpy_arrays(result.get()).release() : result.release();
    }
    if (known == nullptr || known->raising.count >= enough_raised + enough_raised_written) return nullptr;
    Raising& raising = known->raising;
    raising.written = std::min(raising.written, nanoseconds_of(ticks() - begin));
    raising.is_over = ++raising.count == enough_raised + enough_raised_written && raising.written >= raising.compiled;
    raising.is_as_written = !raising.is_over;
    return nullptr;
}

void CompiledState::note_exception(std::span<PyObject* const> arguments, bool gives_numpy, Nanoseconds spent) {
    if (is_part_ || !adapts() || options_.fullgraph || detail::is_recording()) return;
    if (PyErr_ExceptionMatches(PyExc_Exception) == 0 || PyErr_ExceptionMatches(record_error) != 0) return;
    const auto look = look_at(arguments);
    if (!look || (written_kinds_.size() >= most_looks && !written_kinds_.contains(*look))) return;
    WrittenKind& kind = written_kinds_.try_emplace(*look, WrittenKind{.gives_numpy = gives_numpy}).first->second;
    Raising& raising = kind.raising;
    if (raising.is_over || kind.is_written || kind.is_in_parts) return;
    has_raised_ = true;
    kind.gives_numpy = gives_numpy;
    if (++raising.count > warm_raised) raising.compiled = std::min(raising.compiled, spent);
    raising.is_as_written = raising.count >= enough_raised;
}

void CompiledState::note_no_exception(std::span<PyObject* const> arguments) {
    const auto look = look_at(arguments);
    WrittenKind* const known = look ? known_kind(*look) : nullptr;
    if (known != nullptr && !known->raising.is_over) known->raising = {};
}

std::shared_ptr<Trial> CompiledState::trial_of(const Flat& flat) {
    Hash kind;
    kind.add(flat.key_view().substr(Flat::generation_bytes));
    kind.add(static_cast<std::uint64_t>(std::bit_width(static_cast<std::uint64_t>(flat.elements))));
    flat.each_whole_number([&](std::int64_t number) { kind.add(magnitude(number)); });
    if (auto known = trials_.find(kind.value())) return known;
    if (is_part_) return trials_.add(kind.value(), std::nullopt);
    const Ref written = own(PyObject_CallMethod(split_.get(), "is_faster_written", "K", static_cast<unsigned long long>(kind.value())));
    return trials_.add(kind.value(), is_true(written.get()) ? std::optional(Trial::Way::written) : std::nullopt);
}

void CompiledState::note_trial(Trial& trial, Trial::Way way, const Account& spent, const NativeLoops& native_loops, bool gave_up) {
    if (options_.background && detail::is_at_work_in_background()) return;  // what runs as written meanwhile tells nothing
    const bool was_written = trial.is_decided() && trial.next() == Trial::Way::written;
    trial.note(way, spent, native_loops, gave_up);
    if (was_written || !trial.is_decided() || trial.next() != Trial::Way::written) return;
    reasons_.push_back(trial.text());
    if (is_part_) return;  // what it is worth is asked anew in each process
    (void)own(PyObject_CallMethod(split_.get(), "keep_written", "K", static_cast<unsigned long long>(trial.kind())));
}

bool CompiledState::affords(Nanoseconds needed) const {
    if (!adapts()) return true;
    if (!is_part_ && !account_.affords(needed)) return false;
    return (!is_part_ && !draws_on_caller_) || Spending::affords(needed);
}

bool CompiledState::affords_course(std::size_t courses) const { return courses < free_courses || affords(0); }

bool CompiledState::affords_unrolling() const { return affords(unrolling); }

bool CompiledState::affords_more() const { return (!is_part_ && !Spending::is_inside()) || affords(0); }

void CompiledState::note_run(std::span<PyObject* const> arguments, const Flat& flat, const Trial* trial, bool in_parts) {
    const bool is_settled = trial != nullptr || (!waits_ && engine_->cache_info().compiles == 0);  // else more may be compiled yet
    const auto look = (parts_ || trial != nullptr) && is_settled ? look_at(arguments) : std::nullopt;
    if (!look || (written_kinds_.size() >= most_looks && !written_kinds_.contains(*look))) return;
    const auto [known, is_new] = written_kinds_.try_emplace(*look, WrittenKind{.gives_numpy = flat.numpy_results()});
    WrittenKind& kind = known->second;
    ++(in_parts ? kind.parted : kind.count);
    if (kind.gives_numpy != flat.numpy_results() || (kind.parted != 0 && kind.count != 0)) kind.is_other = true;
    kind.is_written = !kind.is_other && !in_parts && (trial != nullptr || kind.count >= enough_written);
    kind.is_in_parts = !kind.is_other && in_parts && kind.parted >= enough_parted;
}

// What it is given may be long lists, which take long to be looked through.
bool CompiledState::is_hopeless() {
    if (!is_part_ || !adapts() || ++unserved_ <= most_unserved || unserved_ % look_again == 0) return false;
    ++uncompiled_;
    return true;
}

PyObject* CompiledState::call_quickly(std::span<PyObject* const> arguments) {
    PyObject* const result = quick_->call(arguments);
    if (result != nullptr) engine_->count(quick_->direct());
    return result;
}

// One that served few calls was not worth its making: the next one is waited for twice as long.
void CompiledState::note_served(std::span<PyObject* const> arguments, bool is_positional, const SlotArrays& inputs, const Flat& flat,
                                const std::shared_ptr<GuardSet>& guards, const detail::Engine::Result& served) {
    unserved_ = 0;
    if (!is_positional) return;
    if (const auto look = written_kinds_.empty() ? std::nullopt : look_at(arguments)) {
        if (const auto known = written_kinds_.find(*look); known != written_kinds_.end()) known->second = {.is_other = true};
    }
    // Whether a part that is given no arrays gives NumPy's is for the frame around it to say.
    if (is_part_ && flat.arrays == 0) return;
    if (options_.verify != 0 || (quick_ && quick_->is_busy()) || !quick_renewal_.is_due(quick_ ? quick_->hits() : 0)) return;
    quick_ = QuickCall::of(arguments, inputs, flat, guards, served);
}

}  // namespace fastnp::python
