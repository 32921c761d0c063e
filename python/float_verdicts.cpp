#include "float_verdicts.h"

#include <bit>
#include <cstring>

#include "float_errors.h"

namespace fastnp::python {

namespace {

constexpr std::uint32_t most_calls = 16; // with the same flags, that are all looked into

// Whether a RuntimeWarning may be shown more than once for a place, or be an exception: (action, message, category, module, line), of which the first
// one that fits decides.
bool is_shown_again(PyObject* filters) {
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(filters); ++i) {
        PyObject* filter = PyList_GET_ITEM(filters, i);
        if (!PyTuple_Check(filter) || PyTuple_GET_SIZE(filter) != 5 || !PyUnicode_Check(PyTuple_GET_ITEM(filter, 0))) return true;
        const int covers = PyObject_IsSubclass(PyExc_RuntimeWarning, PyTuple_GET_ITEM(filter, 2));
        if (covers < 0) throw PythonError{};
        if (covers == 0) continue;
        const auto is_action = [&](const char* name) { return PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(filter, 0), name) == 0; };
        if (is_action("always") || is_action("all") || is_action("error")) return true;
        const bool fits_all =
            PyTuple_GET_ITEM(filter, 1) == Py_None && PyTuple_GET_ITEM(filter, 3) == Py_None && PyLong_AsLong(PyTuple_GET_ITEM(filter, 4)) == 0;
        if (fits_all) return false;
    }
    return false;
}

}  // namespace

bool FloatVerdicts::is_asked_for_all() const { return leaves_out_ && (is_strict_inside_ || float_state().strict != 0); }

bool FloatVerdicts::is_worth(unsigned met, const FloatErrors& known) {
    const FloatState state = float_state();
    if (known.leaves_out && (state.strict | known.strict) != 0) return true;
    met |= known.met;
    const unsigned told = met & (state.told | known.told | lost_imaginary);
    if (told == 0) return false;
    std::uint32_t& count = suspicions_[told];
    Ref filters = import_attribute("warnings", "filters");
    if (filters.get() != filters_.get()) {
        suspicions_.fill(0);
        filters_ = std::move(filters);
    }
    ++count;
    if ((met & (state.strict | known.strict)) != 0 || !PyList_Check(filters_.get()) || is_shown_again(filters_.get())) return true;
    return count <= most_calls || std::has_single_bit(count);
}

bool FloatVerdicts::keeps_large() const {
    if (is_strict_inside_ || float_state().strict != 0) return true;
    for (const std::uint32_t count : suspicions_) {
        if (count != 0 && (count < most_calls || std::has_single_bit(count + 1))) return true;
    }
    return false;
}

void FloatVerdicts::tell_unseen(unsigned met, const FloatErrors& known, const std::string& function) {
    constexpr std::pair<unsigned, const char*> kinds[] = {{detail::float_divide, "divide by zero"},
                                                          {detail::float_overflow, "overflow"},
                                                          {detail::float_underflow, "underflow"},
                                                          {detail::float_invalid, "invalid value"}};
    const unsigned told = met & (float_state().told | known.told);
    std::string text;
    for (const auto& [bit, name] : kinds) {
        if ((told & bit) != 0) text += (text.empty() ? "" : ", ") + std::string(name);
    }
    if (text.empty()) return;
    text += " may have been encountered in " + function + ", which has written over what would tell; its next calls are looked into";
    if (PyErr_WarnEx(PyExc_RuntimeWarning, text.c_str(), 1) != 0) throw PythonError{};
}

std::size_t Overwritten::bytes(Memory memory) {
    std::size_t total = 0;
    for (const std::span<std::byte> each : memory) total += each.size();
    return total;
}

void Overwritten::keep(Memory memory, bool is_kept) {
    memory_.clear();
    before_.clear();
    is_whole_ = is_kept;
    if (!is_kept) return;
    before_.resize(bytes(memory));
    std::size_t at = 0;
    for (const std::span<std::byte> each : memory) {
        memory_.push_back(each);
        if (!each.empty()) std::memcpy(before_.data() + at, each.data(), each.size());
        at += each.size();
    }
}

void Overwritten::restore() {
    if (!is_whole_) return;
    std::size_t at = 0;
    for (const std::span<std::byte> each : memory_) {
        if (!each.empty()) std::memcpy(each.data(), before_.data() + at, each.size());
        at += each.size();
    }
}

}  // namespace fastnp::python
