// What a compiled function decides by the clock and by what its calls were like: which way a call goes, and what may be compiled. A call itself is in
// compiled_call.cpp.
#include <algorithm>
#include <bit>

#include "compiled_state.h"

namespace fastnp::python {

namespace {

constexpr Nanoseconds unrolling = 500'000'000;  // that compiling a loop of thousands of turns, none of which is like another, is likely to take
constexpr Nanoseconds step_cost = 500'000;  // of compiling a step of a recording, roughly
constexpr std::size_t longest = 2000, least_long = 100;  // steps of recordings that may be loops
constexpr std::uint64_t most_unserved = 64, look_again = 256;
constexpr std::size_t free_courses = 16;  // of a kind of calls, whatever they cost

constexpr std::size_t most_looks = 64;
constexpr int enough_written = 16;

// What a call is at a glance: types, layouts, and orders of magnitude. Nothing for arguments that take a closer look.
std::optional<std::uint64_t> glance(std::span<PyObject* const> arguments) {
    Hash hash;
    const auto is_simple = [](PyObject* object) {
        return PyFloat_CheckExact(object) || PyLong_CheckExact(object) || PyUnicode_CheckExact(object) || PyBool_Check(object) || object == Py_None;
    };
    for (PyObject* object : arguments) {
        hash.add(reinterpret_cast<std::uintptr_t>(Py_TYPE(object)));
        if (PyArray_CheckExact(object)) {
            auto* const x = reinterpret_cast<PyArrayObject*>(object);
            hash.add(static_cast<std::uint64_t>(PyArray_TYPE(x)));
            hash.add(static_cast<std::uint64_t>(PyArray_NDIM(x)));
            hash.add(static_cast<std::uint64_t>(std::bit_width(static_cast<std::uint64_t>(PyArray_SIZE(x)))));
        } else if (PyList_CheckExact(object) || PyTuple_CheckExact(object)) {
            const auto size = static_cast<std::uint64_t>(PySequence_Fast_GET_SIZE(object));
            PyObject* const first = size == 0 ? Py_None : PySequence_Fast_GET_ITEM(object, 0);
            if (!is_simple(first)) return std::nullopt;
            hash.add(reinterpret_cast<std::uintptr_t>(Py_TYPE(first)));
            hash.add(static_cast<std::uint64_t>(std::bit_width(size)));
        } else if (!is_simple(object)) {
            return std::nullopt;
        }
    }
    return hash.value();
}

}  // namespace

CompiledState::Limits CompiledState::limits() const {
    if (unrolls()) return {};
    if (!is_part_ || !adaptive_) return {longest, 12};
    return {static_cast<std::size_t>(std::clamp<Nanoseconds>(Spending::left() / step_cost, least_long, longest)), 12};
}

PyObject* CompiledState::call_as_known(PyObject* const* args, Py_ssize_t nargs) {
    const auto look = glance({args, static_cast<std::size_t>(nargs)});
    const auto known = look ? written_kinds_.find(*look) : written_kinds_.end();
    if (known == written_kinds_.end() || !known->second.is_written || detail::is_recording() || !is_same_function()) return nullptr;
    ++uncompiled_;
    const Ref result = own(PyObject_Vectorcall(function_.get(), args, static_cast<std::size_t>(nargs), nullptr));
    return known->second.gives_numpy ? with_numpy_arrays(result.get()).release() : Py_NewRef(result.get());
}

std::shared_ptr<Trial> CompiledState::trial_of(const Flat& flat) {
    Hash kind;
    kind.add(flat.key_view().substr(Flat::generation_bytes));
    kind.add(static_cast<std::uint64_t>(std::bit_width(static_cast<std::uint64_t>(flat.elements))));
    if (auto known = trials_.find(kind.value())) return known;
    const Ref written = own(PyObject_CallMethod(split_.get(), "is_faster_written", "K", static_cast<unsigned long long>(kind.value())));
    return trials_.add(kind.value(), is_true(written.get()) ? std::optional(Trial::Way::written) : std::nullopt);
}

void CompiledState::note_trial(Trial& trial, Trial::Way way, const Account& spent, const NativeLoops& native_loops) {
    const bool was_written = trial.is_decided() && trial.next() == Trial::Way::written;
    trial.note(way, spent, native_loops);
    if (was_written || !trial.is_decided() || trial.next() != Trial::Way::written) return;
    reasons_.push_back(trial.text());
    (void)own(PyObject_CallMethod(split_.get(), "keep_written", "K", static_cast<unsigned long long>(trial.kind())));
}

bool CompiledState::affords(Nanoseconds needed) const { return !adaptive_ || (is_part_ ? Spending::affords(needed) : account_.affords(needed)); }

bool CompiledState::affords_course(std::size_t courses) const { return courses < free_courses || affords(0); }

bool CompiledState::affords_unrolling() const { return affords(unrolling); }

bool CompiledState::affords_more() const { return (!is_part_ && !Spending::is_inside()) || affords(0); }

void CompiledState::note_run(std::span<PyObject* const> arguments, const Flat& flat, const Trial* trial) {
    const bool is_settled = trial != nullptr || (!waits_ && engine_->cache_info().compiles == 0);  // else more may be compiled yet
    const auto look = (parts_ || trial != nullptr) && is_settled ? glance(arguments) : std::nullopt;
    if (!look || (written_kinds_.size() >= most_looks && !written_kinds_.contains(*look))) return;
    const auto [known, is_new] = written_kinds_.try_emplace(*look, WrittenKind{false, flat.numpy_results()});
    WrittenKind& kind = known->second;
    if ((trial != nullptr && trial->next() == Trial::Way::compiled) || kind.gives_numpy != flat.numpy_results()) kind.is_other = true;
    kind.is_written = !kind.is_other && (trial != nullptr || ++kind.count >= enough_written);
}

// What it is given may be long lists, which take long to be looked through.
bool CompiledState::is_hopeless() {
    if (!is_part_ || !adaptive_ || ++unserved_ <= most_unserved || unserved_ % look_again == 0) return false;
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
    if (const auto look = written_kinds_.empty() ? std::nullopt : glance(arguments)) {
        if (const auto known = written_kinds_.find(*look); known != written_kinds_.end()) known->second = {false, false, true};
    }
    // Whether a part that is given no arrays gives NumPy's is for the frame around it to say.
    if (is_part_ && flat.arrays == 0) return;
    if (options_.verify != 0 || (quick_ && quick_->is_busy()) || !quick_renewal_.is_due(quick_ ? quick_->hits() : 0)) return;
    quick_ = QuickCall::of(arguments, inputs, flat, guards, served);
}

}  // namespace fastnp::python
