// Lists of numbers, and of tuples of numbers, as the words that a native program takes for them.
#pragma once

#include <pybind11/pybind11.h>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "fastnp/dtype.h"

namespace fastnp::python {

/// Of which kinds the numbers of a list's items are.
class ListKind {
public:
    /// `kinds`: for each number of an item those that it may be of: int, float, bool, or a dtype.
    ListKind(bool is_tuple, const pybind11::list& kinds);

    /// An array of words, a row an item; nothing where an item is of another kind, or has more than 64 bits.
    std::optional<pybind11::object> words_of(PyObject* list) const;
    /// A list of these words.
    pybind11::object list_of(const std::int64_t* words, std::int64_t length) const;

private:
    struct Kind {
        pybind11::object given;  // int, float, bool, or a dtype
        PyTypeObject* type = nullptr;
        Dtype dtype = Dtype::int64;
    };
    bool put(PyObject* number, const std::vector<Kind>& kinds, std::int64_t*& to) const;
    pybind11::object take(const std::vector<Kind>& kinds, const std::int64_t*& from) const;

    bool is_tuple_;
    std::vector<std::vector<Kind>> kinds_;  // of each number of an item
    std::int64_t words_ = 0;                // an item
};

/// Has a list be another one, which is new; numbers that are what they were stay the objects that they were, as NaN is in a list by identity.
void store_changed(PyObject* list, PyObject* now);

/// Of which kind all numbers of a list of lists are, which are of one length.
class TableKind {
public:
    /// `kind`: int, float or bool. `is_written`: a program stores to it.
    TableKind(pybind11::object kind, bool is_written) : kind_(std::move(kind)), is_written_(is_written) {}

    /// Its numbers as an array; nothing where one is of another kind or has more than 64 bits, or rows are of other lengths. `rows`: takes all rows.
    std::optional<pybind11::object> array_of(PyObject* list, std::vector<PyObject*>& rows) const;
    /// Stores the array's numbers in the rows, if the program stores to it.
    void store(PyObject* list, PyObject* array) const;
    bool is_written() const { return is_written_; }

private:
    pybind11::object kind_;
    bool is_written_;
};

}  // namespace fastnp::python
