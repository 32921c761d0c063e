// What a compiled function's frame calls in the place of a native loop: as far as it is known, without Python.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "loop_ready.h"
#include "replaceable.h"

namespace fastnp::python::loops {

/// What a loop gave that was called without a frame: its variables, or what the function returns there.
struct Gave {
    static constexpr std::size_t most = 6;
    bool returns = false;
    std::array<py::object, most> values;
};

/// Calls the rest of a loop as a frame would, for what tells where it is, or calls others.
class Context {
public:
    using Rest = std::function<py::object()>;
    virtual ~Context() = default;
    virtual py::object call(const Rest& rest) const = 0;
};

class LoopCall {
public:
    /// `slow(arguments)`: a call in Python; `left(handle, exit, values, flags, arguments)`: what follows where a program was left.
    LoopCall(py::object slow, py::object left) : slow_(std::move(slow)), left_(std::move(left)) {}

    /// A program for one more combination of kinds.
    void add(Ready made);
    void clear();
    void set_fields(std::vector<Field> fields) { fields_ = std::move(fields); }
    const std::vector<Field>& fields() const { return fields_; }
    /// The attributes of a class's objects are no more than that.
    void know(const py::object& type) { classes_.add(reinterpret_cast<PyTypeObject*>(type.ptr())); }

    /// (0, variables ...), or (1, what the function returns).
    py::object call(std::span<PyObject* const> handed);
    /// The same without a frame around it; false where it needs one, and nothing was done.
    bool call_directly(std::span<PyObject* const> handed, const Context& context, Gave& gave);

    /// It as a function, which Python calls sooner than an object. `self`: this one's.
    static py::object function_of(const py::object& self);

    /// For the collection of garbage: it is part of the loop that it calls.
    int traverse(visitproc visit, void* arg) const;
    void let_go();

private:
    // A program's run, with what was made for it.
    struct Run {
        SmallVector<PyObject*, 8> arrays;
        std::vector<py::object> words;
        std::vector<std::pair<std::size_t, PyObject*>> tables;
        const Program* program = nullptr;
        bool is_apart = false;  // there is no frame
        Program::Left left;
    };
    enum class Start : std::uint8_t { other_kinds, slow, ran };

    bool is_for_python() const;
    py::object call(const Arguments& given, std::span<PyObject* const> handed);
    py::object slow(std::span<PyObject* const> handed) const;
    static Start start(const Ready& ready, const Arguments& given, Run& run);
    static bool take_lists(const Ready& ready, const Arguments& given, Run& run);
    py::object finish(const Ready& ready, Run& run, const Arguments& given) const;

    py::object slow_, left_;
    Replaceable<std::vector<Ready>> ready_{std::make_unique<std::vector<Ready>>()};
    std::vector<Field> fields_;
    KnownClasses classes_;
};

}  // namespace fastnp::python::loops
