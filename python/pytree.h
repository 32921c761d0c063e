// Arguments and results of compiled functions as trees: tuples, lists, dicts, namedtuples and dataclasses of arrays and plain values.
#pragma once

#include <cstring>
#include <memory>
#include <unordered_map>
#include <vector>

#include "convert.h"
#include "fastnp/dist.h"
#include "instances.h"
#include "lying.h"
#include "number_list.h"

namespace fastnp::python {

/// What each part of a call's key begins with. Ones of their own, so that no two kinds of calls share a key.
enum class Tag : char {
    array,
    same_array,  // as one before: its number, a byte
    scalar,
    varying_float,
    varying_int,
    nan,         // which one: a number
    floating,    // these: their bits
    integer,
    complex,
    large_int,   // these: a text
    text,
    bytes,
    described,
    none,
    yes,
    no,
    tuple,       // these: how many items
    list,
    numbers,     // a list or a tuple of numbers, of any length
    dict,
    named,
    extra,       // positional arguments
    same_container,  // as one before: its number
    known_container, // known by name, too: its number
    slice,
    dataclass,
    object,
    keywords,
    characters
};

/// Which Python numbers among the arguments vary from call to call, by their order: those that had two values. They are inputs, others are constants.
class Numbers {
public:
    /// Whether the number in this place, by its kind and bits, is an input.
    bool vary(std::size_t place, Tag kind, std::int64_t bits);
    NumberLists lists;

private:
    struct Seen {
        bool any = false, varies = false;
        Tag kind{};
        std::int64_t bits = 0;
    };
    std::vector<Seen> seen_;
};

/// References to objects.
class HeldObjects {
public:
    HeldObjects() = default;
    HeldObjects(const HeldObjects&) = delete;
    HeldObjects& operator=(const HeldObjects&) = delete;
    ~HeldObjects() { clear(); }

    void add(std::span<PyObject* const> objects) {
        for (PyObject* each : objects) objects_.push_back(Py_NewRef(each));
    }
    void take(PyObject* object) { objects_.push_back(object); }
    std::span<PyObject* const> objects() const { return {objects_.data(), objects_.size()}; }
    void clear() {
        if (objects_.empty()) return;
        SmallVector<PyObject*, 8> gone;
        std::swap(gone, objects_);  // what goes may be at this, too
        for (PyObject* each : gone) Py_DECREF(each);
    }

private:
    SmallVector<PyObject*, 8> objects_;
};

/// A NumPy array of that dtype whose elements are aligned, where it lies.
detail::Argument argument_over(PyArrayObject* object, Dtype dtype);

/// The arguments of a call as the engine wants them. Objects are borrowed from the caller for the duration of the call.
class Flat {
public:
    /// Without `numbers`, all Python numbers are constants. `instances`: which objects are taken apart.
    Flat(Numbers* numbers, const Instances& instances) : numbers_(numbers), instances_(instances) {
        key.resize(generation_bytes);
        // What collectives recorded depends on how many ranks there are.
        if (const std::int64_t kind = dist::detail::world_kind(); kind != 0) {
            const std::size_t at = key.size();
            key.resize(at + sizeof kind);
            std::memcpy(key.data() + at, &kind, sizeof kind);
        }
    }
    /// Appends an argument (a tree). Clears `compilable` where it holds something that can't be compiled.
    void add(PyObject* object, int depth = 0);
    /// Appends the numbers that are inputs, after all other arguments.
    void add_numbers();
    /// Appends an array, a scalar of NumPy's or a number that is read besides the arguments.
    void add_input(PyObject* object);
    /// Once all are there: gives ints their memory.
    void settle();
    /// Keeps what is in lists, dicts and objects, which may let go of it during the call: another thread, a function that is called, what the call stores.
    void hold() const {
        if (containers.empty()) return;
        held_.add({objects.data(), objects.size()});
        held_.add({containers.data(), containers.size()});
    }
    /// Functions that run as written are not to see that.
    void let_go() const { held_.clear(); }
    /// Whether any of the numbers differ from call to call.
    bool varies() const { return !varying_.empty(); }
    /// Whether the Python number in this place among them is an input.
    bool is_input(std::size_t number) const { return inputs_[number]; }
    /// Calls visit with the value of each int that differs from call to call.
    template <class F>
    void each_whole_number(F visit) const {
        for (const Int& each : ints_) visit(each.value);
    }
    /// Whether a list of numbers that is an array is there as a list, too, which may be changed.
    bool has_list_twice() const { return has_list_twice_; }
    /// The places of lists of numbers that are arrays, as their lengths vary.
    std::span<const std::uint64_t> number_lists() const { return {number_lists_.data(), number_lists_.size()}; }
    /// What stands for the list of an argument, or null where that is something else.
    Ref stand_in(std::size_t argument, const array& parameter) const;
    /// Marks the end of a group (extra positional arguments, extra keywords) in the key.
    void mark(Tag tag, std::uint64_t value);
    void mark(Tag tag) { key.push_back(static_cast<char>(tag)); }
    void mark_text(PyObject* text);
    /// Has the key say which parts of the arguments are one object, for functions that ask.
    void mark_identities(std::span<PyObject* const> arguments);
    /// Has the key say which NaN among the arguments is one of those that the function knows.
    void mark_nans(std::span<PyObject* const> known);
    bool tells_identities() const { return tells_identities_; }
    /// Whether an object among the arguments was taken apart into what is in it. By now others of its class may be treated in another way.
    bool has_taken_apart(PyObject* object) const;
    /// Whether any was, of a class that is none of a dataclass.
    bool took_apart() const { return took_apart_; }
    void set_generation(std::uint64_t generation);
    std::string_view key_view() const { return {key.data(), key.size()}; }

    static constexpr std::size_t generation_bytes = 8;
    SmallVector<detail::Argument, 8> arguments;
    SmallVector<PyObject*, 8> objects;  // of each argument
    SmallVector<PyObject*, 4> roots;  // objects known by which one they are: functions, classes, others
    SmallVector<PyObject*, 4> containers;  // lists, dicts and objects among the arguments that are known by what is in them
    SmallVector<char, 96> key;
    std::size_t arrays = 0;  // how many of the arguments are arrays and NumPy's scalars: numbers come after these
    std::size_t given = 0;  // how many of the arguments were passed; the others are inputs
    std::int64_t elements = 0;
    /// Whether results are NumPy arrays: some arguments are NumPy's and none are fastnp's, or what `expect_numpy` said.
    bool numpy_results() const { return any_numpy_ && !any_fastnp_; }
    /// Without any arrays among the arguments and inputs, results are NumPy's.
    void expect_numpy() { any_numpy_ = true; }
    bool compilable = true;
    std::string reason;
    bool takes_foreign() const { return !foreign_.empty(); }
    /// The fastnp array over an argument that is an array of another library on a device; null for other objects.
    PyObject* own_of(PyObject* object) const;
    /// What takes an argument's place where the function is run as written: fastnp arrays for those, in tuples too.
    Ref as_own(PyObject* object, int depth = 0) const;
    /// The argument that such an array stands for, or the object itself.
    Ref as_given(Ref object) const;

private:
    /// Puts the argument in, and into the key whether it is the same object as one before.
    void push(const detail::Argument& argument, PyObject* object);
    void push_scalar(const detail::Argument& argument, PyObject* object);
    void add_array(PyObject* object);
    void add_numpy(PyArrayObject* object);
    void add_scalar(PyObject* object);
    void add_nan(PyObject* object);
    void mark_nan(PyObject* object);
    void add_foreign(PyObject* object);
    void add_other(PyObject* object, int depth);
    void append(Tag tag, const void* bytes, std::size_t size);
    /// Whether an object is known by its attributes: a dataclass's, or one of a class of which there were several.
    bool takes_apart(PyObject* object);
    void add_container(PyObject* object);
    void fail(std::string why);
    bool any_fastnp_ = false, any_numpy_ = false;
    void add_key(PyObject* object, int depth);
    void add_sequence(PyObject* object, int depth);
    bool add_as_array(PyObject* object);
    bool add_number(PyObject* object, Tag kind, std::int64_t bits);
    void push_number(PyObject* object);
    std::vector<std::unique_ptr<array>> scalars_;
    std::vector<std::pair<PyObject*, Ref>> foreign_;  // arrays of other libraries, and ours over their elements
    mutable HeldObjects held_;
    Numbers* numbers_;
    const Instances& instances_;
    bool took_apart_ = false;
    bool in_key_ = false;
    SmallVector<bool, 8> inputs_;  // of each number
    std::vector<PyObject*> nans_;
    bool tells_identities_ = false;
    SmallVector<PyObject*, 4> varying_;  // the numbers that are inputs
    struct Int {
        std::size_t argument;
        std::int64_t value;
    };
    SmallVector<Int, 4> ints_;  // the values of varying ints
    std::uint64_t place_ = 0, roots_added_ = 0;  // where among the arguments the object at hand is
    struct List {
        std::size_t argument;
        NumberForm form;
    };
    std::vector<List> lists_;  // that are arrays
    std::vector<std::uint64_t> number_lists_;
    bool has_list_twice_ = false;
};

/// The same arguments with arrays that stand for them, for recording.
class Rebuild {
public:
    /// `flat`: what the parameters stand for.
    Rebuild(std::span<const array> parameters, const Flat& flat);
    /// What takes the place of an argument. `swaps`: a dict from the id of an object among the arguments to what takes its place while recording.
    Ref add(PyObject* object, PyObject* swaps);
    /// The recorded array of a parameter.
    PyObject* made(std::size_t number) const { return made_[number].get(); }
    /// What the function changed in lists, dicts and objects of its arguments: a list of (function, arguments) that make the changes.
    Ref stores() const;
    /// Index of the list, dict or object among the arguments that this object stands for, or -1.
    int container_of(PyObject* object) const;
    /// Index of the argument that this object stands for, or -1.
    int argument_of(PyObject* object) const;
    /// Index of the argument whose memory this array lies in, or -1.
    int memory_of(PyObject* object) const;

private:
    Ref add_tuple(PyObject* object, PyObject* swaps);
    Ref add_container(PyObject* object, PyObject* swaps);
    Ref add_number(PyObject* object);
    static Ref empty_like(PyObject* object, PyObject* swaps);
    const Flat& flat_;
    std::vector<Ref> made_;
    std::size_t next_ = 0;  // parameter
    bool in_key_ = false;
    std::size_t number_ = 0, next_number_;  // among all numbers; parameter of the next one that is an input
    struct Container {
        PyObject* original;
        Ref copy, before;
    };
    std::vector<Container> containers_;  // in the order of Flat::containers
    std::unordered_map<PyObject*, Ref> tuples_;  // by the original, where identities are told
};

/// What a compiled function returns around its arrays, kept with each entry.
struct Output {
    enum class Kind : std::uint8_t { array, number, argument, container, plain, copied, tuple, list, dict, set, named, dataclass };
    Kind kind = Kind::plain;
    int index = 0;  // array, number (an array of one element), argument, container
    int base = -1;  // array: the argument whose memory it is a view of
    bool scalar = false;  // array: whether it is a NumPy scalar; set: whether it is frozen
    Ref object;  // plain: the value; copied: a NumPy array, of which each call gives a copy; dict: the keys, a tuple; set: an equal one; named and
                 // dataclass: the type
    std::vector<Output> children;
};

/// What a call does after its compiled code: function(*args, **kwargs).
struct Action {
    Ref function;
    Output args, kwargs;
};

/// A call of the outside in the middle of the compiled code; its arrays are the call's operands.
struct OutsideCall : Action {
    std::vector<Lying> lying{};  // of each operand
    /// Whether it is sure to give something of the same kind each time: a draw of NumPy's, by arguments that do not vary, of floating numbers or arrays.
    bool is_steady = false;
};

/// What an entry gives: its result, and what is done before it is returned.
struct Return {
    Output result;
    std::vector<Action> actions;
    std::vector<OutsideCall> calls;  // by their number
    FloatErrors float_errors;
};

/// What a recording hands out: arrays, each once, and the lists, dicts and other containers that it made.
struct HandedOut {
    std::vector<PyObject*> arrays, containers;
    std::vector<Ref> held;  // of these, what nothing else holds
    bool by_value = false;  // arguments, too, as what they are then
};

/// Takes a recorded result apart. RecordError for what can't be kept.
Output take_apart(PyObject* result, const Rebuild& arguments, PyObject* originals, HandedOut& out);
/// Puts it together from a call's results. `made` has room for one object an array.
PyObject* put_together(const Output& output, const Flat& call, std::vector<array>& results, PyObject** made, bool as_numpy);
/// A result array as the caller gets it.
PyObject* result_array(array value, const Output& output, const Flat& call, bool as_numpy);
/// fastnp arrays of a result as NumPy arrays, for functions called as written with NumPy arrays.
Ref with_numpy_arrays(PyObject* result, const Nesting* outer = nullptr);

bool is_namedtuple(PyObject* object);
bool is_dataclass(PyObject* object);

}  // namespace fastnp::python
