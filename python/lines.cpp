#include "lines.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "fastnp/detail/line.h"

namespace fastnp::python {

namespace {

thread_local constinit RecordedLines* current = nullptr;

std::uint32_t ask() { return current == nullptr || PyGILState_Check() == 0 ? 0 : current->at_hand(); }

std::string_view text_of(PyObject* object) {
    Py_ssize_t size = 0;
    const char* text = object != nullptr && PyUnicode_Check(object) ? PyUnicode_AsUTF8AndSize(object, &size) : nullptr;
    if (text == nullptr) PyErr_Clear();
    return text == nullptr ? std::string_view() : std::string_view(text, static_cast<std::size_t>(size));
}

bool is_within(std::string_view module, std::string_view package) {
    return module.starts_with(package) && (module.size() == package.size() || module[package.size()] == '.');
}

bool is_users_module(PyFrameObject* frame) {
    static PyObject* const key = PyUnicode_InternFromString("__name__");
    const Ref globals(PyFrame_GetGlobals(frame));
    const std::string_view module = text_of(PyDict_GetItemWithError(globals.get(), key));
    return !is_within(module, "fastnp") && !is_within(module, "numpy");
}

// The line of each instruction of two bytes, 0 for none, from a code object's table of places (CPython's Objects/locations.md), which is what co_lines()
// walks over, many times slower.
class PlaceTable {
public:
    PlaceTable(std::string_view table, int first) : table_(table), line_(first) {}

    std::vector<int> lines() {
        std::vector<int> found;
        while (at_ < table_.size()) {
            const unsigned entry = byte();
            const unsigned kind = entry >> 3 & 15;
            if (kind == 13 || kind == 14) line_ += signed_number();
            else if (kind >= 10 && kind <= 12) line_ += static_cast<int>(kind) - 10;
            found.insert(found.end(), (entry & 7) + 1, kind == 15 ? 0 : line_);
            while (at_ < table_.size() && (static_cast<unsigned char>(table_[at_]) & 128) == 0) ++at_;  // columns
        }
        return found;
    }

private:
    unsigned byte() { return static_cast<unsigned char>(table_[at_++]); }
    // Six bits a byte, the lowest first, and the sign in the last bit.
    int signed_number() {
        unsigned value = 0, more = 64;
        for (int shift = 0; more != 0 && shift < 32 && at_ < table_.size(); shift += 6) {
            const unsigned next = byte();
            value |= (next & 63) << shift;
            more = next & 64;
        }
        return (value & 1) != 0 ? -static_cast<int>(value >> 1) : static_cast<int>(value >> 1);
    }

    std::string_view table_;
    std::size_t at_ = 0;
    int line_;
};

// The numbers of all its lines, by instruction.
std::vector<std::uint32_t> lines_of(PyObject* code) {
    constexpr int most_lines = 1 << 20;
    const Ref table(PyObject_GetAttrString(code, "co_linetable")), start(PyObject_GetAttrString(code, "co_firstlineno"));
    const Ref file(PyObject_GetAttrString(code, "co_filename")), function(PyObject_GetAttrString(code, "co_name"));
    PyErr_Clear();
    if (!table || !PyBytes_Check(table.get()) || !start) return {};
    const std::string_view bytes(PyBytes_AS_STRING(table.get()), static_cast<std::size_t>(PyBytes_GET_SIZE(table.get())));
    const std::vector<int> lines = PlaceTable(bytes, static_cast<int>(PyLong_AsLong(start.get()))).lines();
    int least = most_lines, most = 0;
    for (const int line : lines) {
        if (line > 0) least = std::min(least, line);
        most = std::max(most, line);
    }
    if (most < least) return {};
    const std::uint32_t first = detail::line_numbers(text_of(file.get()), text_of(function.get()), least, static_cast<std::uint32_t>(most - least + 1));
    std::vector<std::uint32_t> numbers(lines.size(), 0);
    for (std::size_t i = 0; i < lines.size() && first != 0; ++i) {
        if (lines[i] > 0) numbers[i] = first + static_cast<std::uint32_t>(lines[i] - least);
    }
    return numbers;
}

}  // namespace

RecordedLines::RecordedLines() : outer_(current) {
    current = this;
    detail::set_line_asked(&ask);
}

RecordedLines::~RecordedLines() { current = outer_; }

Lines::Code& Lines::known(PyFrameObject* frame) {
    Ref code(reinterpret_cast<PyObject*>(PyFrame_GetCode(frame)));
    if (last_ != nullptr && last_->held.get() == code.get()) return *last_;
    const auto [at, is_new] = codes_.try_emplace(code.get());
    if (is_new) {
        at->second.is_users = is_users_module(frame);
        if (at->second.is_users) at->second.lines = lines_of(code.get());
        at->second.held = std::move(code);
    }
    last_ = &at->second;
    return *last_;
}

std::uint32_t Lines::at_hand() {
    Ref frame = Ref::borrow(reinterpret_cast<PyObject*>(PyEval_GetFrame()));
    while (frame) {
        auto* const at = reinterpret_cast<PyFrameObject*>(frame.get());
        const Code& code = known(at);
        if (code.is_users) {
            const auto instruction = static_cast<std::size_t>(std::max(PyFrame_GetLasti(at), 0)) / 2;
            return instruction < code.lines.size() ? code.lines[instruction] : 0;
        }
        frame = Ref(reinterpret_cast<PyObject*>(PyFrame_GetBack(at)));
    }
    return 0;
}

}  // namespace fastnp::python
