// What takes the place of a function that is compiled in parts: a function of Python's, its frame. Where that does nothing but call a native loop with
// what it was passed and with constants, and return what the loop gives, it is straight: a call of it needs no frame.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "loop_entry.h"

namespace fastnp::python::loops {

/// Calls a function of Python's with one argument, as the frame would be called. A new reference; PythonError.
class FrameCaller {
public:
    virtual ~FrameCaller() = default;
    virtual PyObject* call(PyObject* function, PyObject* argument) const = 0;
};

class Frame {
public:
    /// None where there is no frame.
    const py::object& function() const { return function_; }
    /// One that is not straight, as far as is known.
    void set_function(py::object function);
    /// `loop`: the _LoopCall; `context`: calls what it is given where the loop is. `sizes`: those that are taken of arguments before the loop, as
    /// (argument, axis), or (argument, -1) for its length. `operands`: what the loop takes, `results`: what is returned, each as (kind, number, object)
    /// with the kinds of Operand; `is_tuple`: of the results. `lookups`: (dict, key, value or ...) of what has to be as it is.
    void set_straight(py::object loop, py::object context, std::size_t parameters, std::vector<std::pair<std::size_t, int>> sizes,
                      const py::list& operands, const py::list& results, bool is_tuple, const py::list& lookups);

    bool is_straight() const { return straight_.now() != nullptr; }

    /// What the function returns, by a call without a frame; nothing where it takes one, and nothing was done.
    std::optional<py::object> call(std::span<PyObject* const> arguments, const FrameCaller& caller);

    int traverse(visitproc visit, void* arg) const;
    void let_go();

private:
    // A value that a straight frame knows. The numbers are fastnp._straight's.
    struct Operand {
        enum class Kind : std::uint8_t { argument, constant, given, size };
        Kind kind = Kind::constant;
        std::size_t number = 0;  // of the argument, among what the loop gives, or among the sizes
        py::object object;  // a constant
    };
    // The values of a call.
    struct Values {
        std::span<PyObject* const> arguments;
        HeldObjects sizes;
        Gave gave;

        PyObject* of(const Operand& operand) const;
    };
    struct Straight {
        py::object held;  // the loop's
        LoopCall* loop = nullptr;
        py::object context;
        std::size_t parameters = 0;
        std::vector<std::pair<std::size_t, int>> sizes;
        std::vector<Operand> operands, results;
        bool is_tuple = false;
        std::vector<Guard> lookups;

        /// False where Python has to look.
        bool take_sizes(Values& values) const;
        py::object result_of(const Values& values) const;
    };
    static std::vector<Operand> operands_of(const py::list& told);

    py::object function_ = py::none();
    Replaceable<Straight> straight_;
};

}  // namespace fastnp::python::loops
