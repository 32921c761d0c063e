// fastnp._core._NumberList: a list or a tuple of Python numbers among the arguments whose length varies from call to call, as a recorded function sees it.
// It is one array, of a size that varies: so it is a subscript, an operand, and what arrays are made of. What else is done with a list ends the recording,
// and the next one has the numbers one by one.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>

#include "common.h"

namespace fastnp::python {

/// What a sequence of numbers is, but for how long it is.
struct NumberForm {
    Dtype dtype = Dtype::int64;  // of the array that NumPy makes of it: int64 or float64
    bool is_mixed = false;  // of ints and floats: which an element is differs from call to call
    bool is_tuple = false;
    bool has_rows = false;  // lists of one length, or tuples
    bool rows_are_tuples = false;
    std::int64_t row = 0;  // their length

    std::uint64_t bits() const;
};

/// That of a list or a tuple (themselves) of such numbers as may be inputs, or of rows of these; nothing for another one, and where there are none.
std::optional<NumberForm> number_form(PyObject* sequence);
/// The elements.
array array_of_numbers(PyObject* sequence, const NumberForm& form);

/// Where among the arguments there are sequences of numbers whose lengths vary.
class NumberLists {
public:
    /// Whether the one in this place is an array from now on: its length was another one before.
    bool is_array(std::uint64_t place, std::int64_t size, const NumberForm& form);
    /// They can't be: the function uses them as lists.
    void refuse(std::span<const std::uint64_t> places);

private:
    struct Seen {
        std::int64_t size = 0, row = 0;
        bool varies = false, is_refused = false;
    };
    std::unordered_map<std::uint64_t, Seen> seen_;
};

extern PyTypeObject* number_list_type;
inline bool is_number_list(PyObject* object) { return Py_TYPE(object) == number_list_type; }

/// What stands for the sequence in this place, whose elements are recorded.
PyObject* number_list(array elements, const NumberForm& form, std::uint64_t place);
/// The elements, in a recorded array of their own.
array number_list_elements(PyObject* object);
/// The same as an array of a dtype; ends the recording where numbers might not fit.
array number_list_elements(PyObject* object, Dtype dtype);
/// Whether it is a list that picks elements of an array.
bool is_index_list(PyObject* object);
/// How many items it has: an int or a _Size.
PyObject* number_list_size(PyObject* object);
/// sum() of it, and max() or min().
PyObject* number_list_sum(PyObject* object);
PyObject* number_list_extreme(PyObject* object, bool largest);
/// Ends the recording: it is used as only a list can be.
[[noreturn]] void refuse_number_list(PyObject* object, const char* what);
/// The place of the one that ended the recording of this thread, if one did since this was asked last.
std::optional<std::uint64_t> take_blamed_list();

void add_number_list(PyObject* module);

}  // namespace fastnp::python
