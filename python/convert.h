// Python values as fastnp's and back: dtypes, arrays without copies, scalars, shapes and axes.
#pragma once

#include "numpy_api.h"

namespace fastnp::python {

/// A container that is walked through, and those that it is in.
struct Nesting {
    PyObject* object;
    const Nesting* outer;
    int depth = outer == nullptr ? 0 : outer->depth + 1;

    /// Whether an array can be made of it: it is in no more lists than an array has axes, and not in itself.
    bool is_array_like() const { return depth < most_axes && !is_in_itself(); }
    bool is_in_itself() const {
        for (const Nesting* each = outer; each != nullptr; each = each->outer) {
            if (each->object == object) return true;
        }
        return false;
    }
    static constexpr int most_axes = 64;
};

/// NumPy's dtype object (a new reference). TypeError for bfloat16 where ml_dtypes is not installed.
PyArray_Descr* descr_of(Dtype dtype);
/// The dtype of a native NumPy dtype that fastnp has, else nothing.
std::optional<Dtype> dtype_of_descr(PyArray_Descr* descr);
/// The least integer of an integer dtype, and the first one above the others.
std::pair<double, double> integers_of(Dtype dtype);
/// Whether it is a NumPy array (no instance of a subclass) or scalar of such a dtype.
bool is_supported(PyObject* object);
/// A `dtype=` argument; nothing for None or a null pointer. NeedsNumpy for dtypes that fastnp does not have.
std::optional<Dtype> to_dtype(PyObject* object);
Casting to_casting(PyObject* object);

/// An array over a NumPy array's memory, which it keeps alive; a copy where the elements are unaligned or byte-swapped.
array from_numpy(PyArrayObject* source);
/// Whether from_numpy shares the memory.
bool shares_memory(PyArrayObject* source);
/// Anything that numpy.asarray takes. NeedsNumpy for dtypes that fastnp does not have.
array to_array(PyObject* object);
/// The same, but Python numbers stay weak.
Operand to_operand(PyObject* object);
/// The same, where a recorded Python float stays one: converted as beside an array of this dtype (NEP 50).
Operand to_operand_beside(PyObject* object, Dtype dtype);
/// Whether it is a list, a tuple or a number that holds nothing of fastnp's that is recorded: NumPy can convert it.
bool is_plain(PyObject* object);
/// Such an object as an array of a dtype, element by element and with the errors of NumPy; of no more axes than `rank` if that isn't 0.
array converted_to(PyObject* object, Dtype dtype, int rank = 0);
/// The same of recorded numbers, too, and of lists that hold some.
array elements_of(PyObject* object, Dtype dtype);
/// NumPy sets elements of signed integers by way of Python's int, which must fit: a scalar that is recorded is expected to.
void expect_to_fit(PyObject* value, Dtype dtype);
/// What an array of a dtype is set to, or a part of it with `rank` axes, or the single element: lists and NumPy's scalars are converted as NumPy does it.
constexpr int single_element = -1;
Operand to_assigned(PyObject* object, Dtype dtype, std::optional<int> rank = std::nullopt);
/// Whether binary operators take this on the other side without asking its type.
bool is_operand(PyObject* object);
/// A plain number: Python's, NumPy's, or a 0-d array's.
Scalar to_scalar(PyObject* object);
/// What a fold of such elements begins with. NumPy casts its own numbers; those that lose something are left to it.
Scalar to_initial(PyObject* object, Dtype elements);

/// A new fastnp.ndarray; `base` is borrowed.
PyObject* wrap(array value, PyObject* base = nullptr, bool scalar = false);
/// What a ufunc, a reduction or a full subscript returns: of rank 0 a NumPy scalar; in a recording, and for what is on a device, an array that stands for
/// one. It shares its memory with no other array.
PyObject* wrap_scalar(array value);
/// A NumPy scalar of the only element.
PyObject* numpy_scalar(const array& value);
/// A view as numpy.ndarray over memory that `owner` keeps; of elements that are shared on a device, a copy. No check of a recording.
PyObject* numpy_view(const array& value, PyObject* owner);
/// The same over memory wherever it is, for its layout: nobody may read it.
PyObject* unread_view(const array& value, PyObject* owner);
/// Where an array's elements begin and end in memory, from the lowest address to the highest.
using Extent = std::pair<const char*, const char*>;
Extent extent_of(const array& x);
Extent extent_of(PyArrayObject* x);
/// The elements of an array for reading, as NumPy's array or, of one that stands for a scalar, as NumPy's scalar. While recording: small ones alone,
/// a copy, and the compiled entry is for calls in which they are the same.
PyObject* readable_copy(PyObject* object, const char* what);
/// The single element as a Python number.
PyObject* read_element(const array& value);
/// numpy_view of an ndarray object, refused in recordings; of one that stands for a scalar at a device, of a copy of its own.
PyObject* readable_view(PyObject* object, const char* what);
/// The same for what goes to code that knows nothing of derivatives: TypeError where one would be lost.
PyObject* foreign_view(PyObject* object, const char* what);
/// The same as an argument for NumPy's functions: a NumPy scalar for what stands for one.
PyObject* foreign_argument(PyObject* object, const char* what);
/// TypeError where code that knows nothing of derivatives would take the elements of an array that is being differentiated.
void keep_derivative(const array& value, const char* what);
/// TypeError where a value that is being differentiated becomes a plain number, which carries no derivative.
void keep_number(PyObject* object, const char* what);
/// The value as a constant to derivatives: for what has none (text, int()).
array undifferentiated(const array& value);
/// TypeError: `what` takes the elements of an array, and the derivative would be lost.
[[noreturn]] void lose_derivative(const std::string& what);
/// The array of which that would be a view.
array foreign_value(PyObject* object, const char* what);
/// Lets go of a Python object whose memory an array used; from any thread.
void drop(PyObject* object);
/// The array with its elements to be read; of one that a transform outside of compile() works on, as they are now.
array readable(const array& value, const char* what);

std::int64_t to_index(PyObject* object);
/// As C's int; OverflowError where it does not fit.
int to_int(PyObject* object);
Shape to_shape(PyObject* object);
/// TypeError for True and False where NumPy takes no bool for a number.
void refuse_bool(PyObject* object, const char* words);
/// The same, for functions that take sizes that vary from call to call (size.h) as they are.
Shape to_sizes(PyObject* object);
Axes to_axes(PyObject* object);
std::optional<int> to_axis(PyObject* object);
PyObject* to_tuple(std::span<const std::int64_t> values);
bool is_true(PyObject* object);
/// Not passed, None, or numpy._NoValue.
bool is_missing(PyObject* object);

}  // namespace fastnp::python
