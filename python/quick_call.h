// Calls of a compiled function whose arguments are as those of the last one were, but for their memory and their numbers.
#pragma once

#include <memory>
#include <vector>

#include "fastnp/detail/direct.h"
#include "guards.h"
#include "pytree.h"

namespace fastnp::python {

/// How to make such calls: NumPy arrays and numbers in, new NumPy arrays and scalars out.
class QuickCall {
public:
    /// That of a call which was just served, with these arguments by position. Null where there is more to it.
    static std::unique_ptr<QuickCall> of(std::span<PyObject* const> arguments, const SlotArrays& inputs, const Flat& flat,
                                         std::shared_ptr<GuardSet> guards, const detail::Engine::Result& served);
    /// The result; null, without an error, for a call that is not like it, or that met floating-point errors.
    PyObject* call(std::span<PyObject* const> arguments);

    const detail::Direct& direct() const { return *direct_; }
    std::uint32_t hits() const { return hits_; }
    /// A call is under way: its guards may call the function.
    bool is_busy() const { return is_busy_; }

private:
    enum class Kind : std::uint8_t { array, varying_float, varying_int, constant_float, constant_int, same };
    struct Expected {
        Kind kind;
        std::size_t place = 0;        // of what is an input: among the entry's arguments
        PyObject* object = nullptr;   // array: its dtype, one of NumPy's own; same: this very one
        std::int64_t bits = 0;        // constants
        int rank = 0;
        std::size_t layout = 0;       // array: where its sizes and strides begin
    };
    bool expect(PyObject* object, const Flat& flat, std::size_t& arrays, std::size_t& numbers, std::size_t& varying);
    Expected expected_array(PyObject* object, std::size_t place);
    bool expect_results(const Output& result);
    bool fits(PyObject* object, const Expected& expected, void** data, std::int64_t* ints, std::span<PyObject* const> before) const;
    bool has_layout(PyArrayObject* x, const Expected& expected) const;
    bool take_slots(void** data, std::span<PyObject* const> arguments) const;
    PyObject* run(std::span<void* const> data);

    std::vector<Expected> arguments_, slots_;
    std::vector<npy_intp> layouts_;
    std::vector<Ref> held_;
    std::shared_ptr<GuardSet> guards_;
    std::vector<PyObject*> roots_;  // compared alone
    std::unique_ptr<detail::Direct> direct_;
    std::vector<Ref> dtypes_;       // of results
    std::vector<bool> is_scalar_;   // ... and whether they are NumPy's scalars
    bool is_tuple_ = false, is_busy_ = false;
    std::size_t inputs_ = 0;        // of the entry
    std::uint32_t hits_ = 0, flagged_ = 0;  // calls; those that met floating-point errors, and had to be made anew
};

}  // namespace fastnp::python
