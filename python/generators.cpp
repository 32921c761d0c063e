#include "generators.h"

#include <algorithm>
#include <cstring>

namespace fastnp::python {

namespace {

// What `_random.Random` is in memory (Modules/_randommodule.c of Python 3.11 to 3.13).
struct RandomObject {
    PyObject head;
    int next;
    std::uint32_t words[detail::PythonRandom::size];
};

Ref random_class() { return own(PyObject_GetAttrString(own(PyImport_ImportModule("random")).get(), "Random")); }

bool is_of_python(PyObject* object) {
    static PyObject* type = nullptr;  // no guard, which a thread would wait for that has the GIL
    if (type == nullptr) type = random_class().release();
    return reinterpret_cast<PyObject*>(Py_TYPE(object)) == type;
}

// Whether an object has in memory what it says that it has.
bool lies_as_expected(PyObject* random) {
    if (Py_TYPE(random)->tp_basicsize < static_cast<Py_ssize_t>(sizeof(RandomObject))) return false;
    const Ref state = own(PyObject_CallMethod(random, "getstate", nullptr));
    PyObject* const told = PyTuple_Check(state.get()) && PyTuple_GET_SIZE(state.get()) == 3 ? PyTuple_GET_ITEM(state.get(), 1) : nullptr;
    if (told == nullptr || !PyTuple_Check(told) || PyTuple_GET_SIZE(told) != detail::PythonRandom::size + 1) return false;
    const auto* held = reinterpret_cast<const RandomObject*>(random);
    for (std::size_t i = 0; i < detail::PythonRandom::size; ++i) {
        if (PyLong_AsUnsignedLong(PyTuple_GET_ITEM(told, static_cast<Py_ssize_t>(i))) != held->words[i]) return false;
    }
    return PyLong_AsLong(PyTuple_GET_ITEM(told, detail::PythonRandom::size)) == held->next;
}

}  // namespace

bool lends_python_random() {
    enum class Lends : std::uint8_t { unknown, yes, no };
    static Lends lends = Lends::unknown;  // no guard, as above
    if (lends == Lends::unknown) {
        const Ref made = own(PyObject_CallFunction(random_class().get(), "i", 7));
        bool found = lies_as_expected(made.get());
        own(PyObject_CallMethod(made.get(), "random", nullptr));
        found = found && lies_as_expected(made.get());
        PyErr_Clear();
        lends = found ? Lends::yes : Lends::no;
    }
    return lends == Lends::yes;
}

void LentGenerators::give_back() {
    PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
    PyErr_Fetch(&type, &value, &traceback);
    for (const OfPython& each : of_python_) {
        auto* const held = reinterpret_cast<RandomObject*>(each.object.get());
        held->next = each.copy->next;
        std::memcpy(held->words, each.copy->words.data(), sizeof(held->words));
        const Ref gauss(each.copy->gauss ? PyFloat_FromDouble(*each.copy->gauss) : Py_NewRef(Py_None));
        if (PyObject_SetAttrString(each.object.get(), "gauss_next", gauss.get()) != 0) PyErr_Clear();
    }
    for (PyObject* lock : locks_) {
        Py_XDECREF(PyObject_CallMethod(lock, "release", nullptr));
        Py_DECREF(lock);
    }
    PyErr_Restore(type, value, traceback);
}

std::int64_t LentGenerators::lend_copy(PyObject* random) {
    for (const OfPython& each : of_python_) {
        if (each.object.get() == random) return reinterpret_cast<std::int64_t>(each.copy->stream());
    }
    const Ref attributes(PyObject_GenericGetDict(random, nullptr));
    if (attributes.get() == nullptr || PyDict_GET_SIZE(attributes.get()) != 1) {  // methods of its own, perhaps: it is left to Python
        PyErr_SetString(PyExc_OverflowError, "attributes of a generator");
        throw PythonError{};
    }
    auto copy = std::make_unique<detail::PythonRandom>();
    const auto* held = reinterpret_cast<const RandomObject*>(random);
    copy->next = held->next;
    std::memcpy(copy->words.data(), held->words, sizeof(held->words));
    const Ref gauss = own(PyObject_GetAttrString(random, "gauss_next"));
    if (gauss.get() != Py_None) copy->gauss = PyFloat_AsDouble(gauss.get());
    if (PyErr_Occurred() != nullptr) throw PythonError{};
    of_python_.push_back({Ref::borrow(random), std::move(copy)});
    return reinterpret_cast<std::int64_t>(of_python_.back().copy->stream());
}

std::int64_t LentGenerators::lend(PyObject* generator) {
    if (is_of_python(generator)) return lend_copy(generator);
    PyObject* found = PyObject_GetAttrString(generator, "bit_generator");
    if (found == nullptr) {  // RandomState's
        PyErr_Clear();
        found = PyObject_GetAttrString(generator, "_bit_generator");
    }
    const Ref bits = own(found), capsule = own(PyObject_GetAttrString(bits.get(), "capsule"));
    void* stream = PyCapsule_GetPointer(capsule.get(), "BitGenerator");
    if (stream == nullptr) throw PythonError{};
    Ref lock = own(PyObject_GetAttrString(bits.get(), "lock"));
    if (std::find(locks_.begin(), locks_.end(), lock.get()) == locks_.end()) {
        own(PyObject_CallMethod(lock.get(), "acquire", nullptr));
        locks_.push_back(lock.release());
    }
    return reinterpret_cast<std::int64_t>(stream);
}

}  // namespace fastnp::python
