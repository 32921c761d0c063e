// What a compiled function read besides its arguments, and whether it still is as it was. Found by fastnp._capture when a function is first
// recorded; checked here at each call, mostly by comparing pointers.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "common.h"

namespace fastnp::python {

/// How an entry reads the value that it guards. The numbers are fastnp._capture's.
enum class GuardKind : std::uint8_t {
    dict_item,
    cell,
    type_attribute,
    list_items,
    dict_items,
    set_items,
    code,
    defaults,
    keyword_defaults,
    instance_dict,
    array,
    known,       // nothing to check: a list that the function makes longer
    class_shape, // (the classes that a class inherits from, the names in each)
    names,       // of the attributes in the dict of an object, which is the key if there are any
    attribute,   // what getattr gives
    subclass,    // whether a class is a subclass of the key, which may be told so at any time
    context,     // the value of a context variable
    own_names    // what a module of Python's, NumPy's or fastnp's has under the names in `expected`, where ... is nothing
};

struct Guard {
    GuardKind kind;
    Ref holder;
    Ref key;
    Ref expected;  // null: absent
    Py_ssize_t slot = -1;  // expected is an array: its slot
    unsigned version = 0;  // of a class when all guards held
    Ref names;             // of the attributes that were looked at
    std::uint64_t dict_version = 0;  // of the holder when it was last looked at
};

/// What a call finds in the slots, owned.
using SlotArrays = std::vector<Ref>;

class GuardSet {
public:
    /// From fastnp._capture.Capture; `roots` are the objects among the arguments.
    GuardSet(Ref capture, std::span<PyObject* const> roots);

    /// Whether it is for these argument objects and all it guards is as it was. `arrays` gets the arrays that lie in the slots now: NumPy's or fastnp's
    /// as when it was made, and one array in several places again where it was then.
    bool holds(std::span<PyObject* const> roots, SlotArrays& arrays);
    /// Whether the function knows this list or dict by name.
    bool guards(PyObject* container) const;
    /// An argument object of this set is gone.
    bool is_dead() const;
    std::uint64_t generation() const { return generation_; }
    PyObject* capture() const { return capture_.get(); }
    /// Why the function can't be compiled as it is, or empty.
    const std::string& reason() const { return reason_; }
    /// Whether the function uses NumPy and nothing of fastnp's.
    bool is_plain_numpy() const { return is_plain_numpy_; }
    /// Whether the function may ask if two values are one object.
    bool asks_identity() const { return by_identity_; }
    /// Those that lie in places that the function knows: it may find an argument in a container by which one it is.
    std::span<PyObject* const> nans() const { return nans_; }
    std::vector<std::string> describe() const;

private:
    void note_versions();
    struct Root {
        Ref object;  // a weak reference where there can be one
        bool weak;
    };
    Ref capture_;
    std::vector<Root> roots_;
    std::vector<Guard> guards_;
    std::vector<PyTypeObject*> slot_types_;
    std::string reason_;
    bool is_plain_numpy_ = false;
    bool by_identity_ = false;  // the function may ask whether two values are one object
    std::uint64_t generation_;
    std::vector<PyObject*> nans_;  // held by the guards
};

/// The same object, or equal plain values (of the same type; zeros by their sign, NaN by which object it is).
bool is_same(PyObject* a, PyObject* b, int depth = 0);

}  // namespace fastnp::python
