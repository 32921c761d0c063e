// The lines of the user's program that a recording is at: each recorded op asks for its own.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "common.h"

namespace fastnp::python {

/// What is known of code that runs.
class Lines {
public:
    /// The line of the innermost frame outside of this package and NumPy, by its number (detail/line.h); 0: there is none.
    std::uint32_t at_hand();

private:
    struct Code {
        Ref held;  // no other code takes its address meanwhile
        bool is_users = false;
        std::vector<std::uint32_t> lines = {};  // by instruction
    };
    Code& known(PyFrameObject* frame);

    std::unordered_map<PyObject*, Code> codes_;
    Code* last_ = nullptr;
};

/// Of one recording. While it lives, ops that its thread records have lines.
class RecordedLines : public Lines {
public:
    RecordedLines();
    ~RecordedLines();
    RecordedLines(const RecordedLines&) = delete;
    RecordedLines& operator=(const RecordedLines&) = delete;

private:
    RecordedLines* outer_;
};

}  // namespace fastnp::python
