// Calls of a compiled function whose arguments are as those of the last one were, but for their memory and their numbers.
#pragma once

#include <memory>
#include <vector>

#include "fastnp/detail/direct.h"
#include "fastnp/dist.h"
#include "guards.h"
#include "pytree.h"

namespace fastnp::python {

/// How to make such calls: arrays and numbers in, new arrays and scalars out.
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
    enum class Kind : std::uint8_t { numpy_array, own_array, varying_float, varying_int, constant_float, constant_int, same };
    struct Expected {
        Kind kind;
        std::size_t place = 0;        // of what is an input: among the entry's arguments
        PyObject* object = nullptr;   // numpy_array: its dtype, one of NumPy's own; same: this very one
        std::int64_t bits = 0;        // constants; own_array: its dtype
        int rank = 0;
        std::size_t layout = 0;       // of arrays: where its sizes and strides begin
    };
    bool expect(PyObject* object, const Flat& flat, std::size_t& arrays, std::size_t& numbers, std::size_t& varying);
    Expected expected_array(PyObject* object, std::size_t place);
    Expected expected_own(PyObject* object, std::size_t place);
    bool expect_results(const Output& result);
    bool fits(PyObject* object, const Expected& expected, void** data, std::int64_t* ints, std::span<PyObject* const> before) const;
    void* data_of(PyObject* object, const Expected& expected) const;
    template <class Size>
    bool has_layout(const Size* sizes, const Size* strides, const Expected& expected) const;
    bool take_slots(void** data, std::span<PyObject* const> arguments) const;
    PyObject* run(std::span<void* const> data);
    void run_for_numpy(std::span<void* const> data, std::span<Ref> made) const;
    void run_for_own(std::span<void* const> data, std::span<Ref> made) const;

    std::vector<Expected> arguments_, slots_;
    std::vector<npy_intp> layouts_;
    std::vector<Ref> held_;
    std::shared_ptr<GuardSet> guards_;
    std::vector<PyObject*> roots_;  // compared alone
    std::shared_ptr<const void> kept_;  // keeps the entry
    std::unique_ptr<detail::Direct> direct_;
    std::vector<Ref> dtypes_;       // of results
    std::vector<bool> is_scalar_;   // ... and whether they are NumPy's scalars
    std::int64_t ranks_ = dist::detail::world_kind();
    bool is_tuple_ = false, is_busy_ = false, gives_numpy_ = false;
    std::size_t inputs_ = 0;        // of the entry
    std::uint32_t hits_ = 0, flagged_ = 0;  // calls; those that met floating-point errors, and had to be made anew
};

}  // namespace fastnp::python
