#include "stored.h"

namespace fastnp::python {

namespace {

// Outputs as Python has them: (kind, index, base, scalar, object, children); None for no object is told from None by its kind.
Ref tree_of(const Output& output) {
    const Ref children = own(PyList_New(0));
    for (const Output& child : output.children) check(PyList_Append(children.get(), tree_of(child).get()));
    PyObject* object = output.object ? output.object.get() : Py_None;
    return own(
        Py_BuildValue("(iiiOOO)", static_cast<int>(output.kind), output.index, output.base, output.scalar ? Py_True : Py_False, object, children.get()));
}

Ref tree_of(const Action& action) {
    Output function;
    function.object = Ref::borrow(action.function.get());
    return own(Py_BuildValue("[OOO]", tree_of(function).get(), tree_of(action.args).get(), tree_of(action.kwargs).get()));
}

// A call's with a text for each operand.
Ref tree_of(const OutsideCall& call) {
    const Ref list = tree_of(static_cast<const Action&>(call));
    for (const Lying& lying : call.lying) check(PyList_Append(list.get(), own(PyUnicode_FromString(text_of(lying).c_str())).get()));
    return list;
}

template <class Actions>
Ref trees_of(const Actions& actions) {
    Ref list = own(PyList_New(0));
    for (const auto& action : actions) check(PyList_Append(list.get(), tree_of(action).get()));
    return list;
}

Output output_of(PyObject* tree) {
    Output output;
    PyObject *scalar = nullptr, *object = nullptr, *children = nullptr;
    int kind = 0;
    if (PyArg_ParseTuple(tree, "iiiOOO", &kind, &output.index, &output.base, &scalar, &object, &children) == 0) throw PythonError{};
    output.kind = static_cast<Output::Kind>(kind);
    output.scalar = scalar == Py_True;
    if (object != Py_None || output.kind == Output::Kind::plain) output.object = Ref::borrow(object);
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(children); ++i) output.children.push_back(output_of(PyList_GET_ITEM(children, i)));
    return output;
}

Action action_of(PyObject* tree) {
    return {output_of(PyList_GET_ITEM(tree, 0)).object, output_of(PyList_GET_ITEM(tree, 1)), output_of(PyList_GET_ITEM(tree, 2))};
}

OutsideCall call_of(PyObject* tree) {
    OutsideCall call{action_of(tree)};
    for (Py_ssize_t i = 3; i < PyList_GET_SIZE(tree); ++i) call.lying.push_back(lying_from(PyUnicode_AsUTF8(PyList_GET_ITEM(tree, i))));
    return call;
}

// What can't be said, or is not there any more, is no error. KeyboardInterrupt and the like go on.
template <class Make>
auto unless_raised(Make make) -> decltype(make()) {
    try {
        return make();
    } catch (const PythonError&) {
        if (PyErr_ExceptionMatches(PyExc_Exception) == 0) throw;
        PyErr_Clear();
        return {};
    }
}

Ref identity(PyObject* capture) { return own(PyObject_GetAttrString(capture, "identity")); }

}  // namespace

std::string identity_of(PyObject* capture) {
    return unless_raised([&]() -> std::string {
        const Ref found = identity(capture);
        if (found.get() == Py_None) return {};
        const Ref bytes = own(PyObject_GetAttrString(found.get(), "bytes"));
        return {PyBytes_AS_STRING(bytes.get()), static_cast<std::size_t>(PyBytes_GET_SIZE(bytes.get()))};
    });
}

Ref tree_of_result(const Return& made) {
    if (!made.actions.empty()) throw RecordError("it does more than compute its result (it changes objects of Python's), which can't be exported");
    if (!made.calls.empty()) throw RecordError("it calls functions of Python's, which can't be exported");
    if (made.float_errors.strict != 0) throw RecordError("it raises floating-point errors as exceptions (errstate), which can't be exported");
    return tree_of(made.result);
}

std::optional<std::string> pack(const Return& made, PyObject* capture) {
    return unless_raised([&]() -> std::optional<std::string> {
        const FloatErrors& errors = made.float_errors;
        const Ref tree = own(Py_BuildValue("[OOO(IIIi)]", tree_of(made.result).get(), trees_of(made.actions).get(), trees_of(made.calls).get(),
                                           errors.told, errors.strict, errors.met, static_cast<int>(errors.leaves_out)));
        const Ref bytes = own(PyObject_CallMethod(identity(capture).get(), "pack", "O", tree.get()));
        if (bytes.get() == Py_None) return std::nullopt;
        return std::string(PyBytes_AS_STRING(bytes.get()), static_cast<std::size_t>(PyBytes_GET_SIZE(bytes.get())));
    });
}

std::unique_ptr<Return> unpack(std::string_view bytes, PyObject* capture) {
    return unless_raised([&]() -> std::unique_ptr<Return> {
        const Ref text = own(PyBytes_FromStringAndSize(bytes.data(), static_cast<Py_ssize_t>(bytes.size())));
        const Ref tree = own(PyObject_CallMethod(identity(capture).get(), "unpack", "O", text.get()));
        auto made = std::make_unique<Return>();
        made->result = output_of(PyList_GET_ITEM(tree.get(), 0));
        PyObject* actions = PyList_GET_ITEM(tree.get(), 1);
        for (Py_ssize_t i = 0; i < PyList_GET_SIZE(actions); ++i) made->actions.push_back(action_of(PyList_GET_ITEM(actions, i)));
        PyObject* calls = PyList_GET_ITEM(tree.get(), 2);
        for (Py_ssize_t i = 0; i < PyList_GET_SIZE(calls); ++i) made->calls.push_back(call_of(PyList_GET_ITEM(calls, i)));
        FloatErrors& errors = made->float_errors;
        int leaves_out = 0;
        if (PyArg_ParseTuple(PyList_GET_ITEM(tree.get(), 3), "IIIi", &errors.told, &errors.strict, &errors.met, &leaves_out) == 0) throw PythonError{};
        errors.leaves_out = leaves_out != 0;
        return made;
    });
}

}  // namespace fastnp::python
