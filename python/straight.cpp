#include "straight.h"

#include <algorithm>
#include <tuple>

namespace fastnp::python::loops {

namespace {

// An array's size along an axis, or the length of a list, a tuple or an array (-1); -1 of others.
Py_ssize_t size_of(PyObject* object, int axis) {
    if (axis < 0 && (PyList_CheckExact(object) || PyTuple_CheckExact(object))) return PySequence_Fast_GET_SIZE(object);
    axis = std::max(axis, 0);
    if (PyArray_CheckExact(object)) return axis < PyArray_NDIM(as_numpy(object)) ? PyArray_DIM(as_numpy(object), axis) : -1;
    if (!is_ndarray(object)) return -1;
    const array& x = reinterpret_cast<const NdArray*>(object)->value;
    return axis < x.ndim() && !x.is_recorded() ? static_cast<Py_ssize_t>(x.shape()[static_cast<std::size_t>(axis)]) : -1;
}

// What a context calls.
PyObject* go_on(PyObject* holder, PyObject*) {
    return guarded([&] { return (*static_cast<const Context::Rest*>(PyCapsule_GetPointer(holder, nullptr)))().release().ptr(); });
}

// A function that stands where the frame would.
class Standing final : public Context {
public:
    Standing(PyObject* function, const FrameCaller& caller) : function_(function), caller_(caller) {}
    py::object call(const Rest& rest) const override {
        static PyMethodDef method{"loop", &go_on, METH_NOARGS, "The rest of a call."};
        const Ref held = own(PyCapsule_New(const_cast<Rest*>(&rest), nullptr, nullptr));
        const Ref function = own(PyCFunction_New(&method, held.get()));
        return py::reinterpret_steal<py::object>(check(called([&] { return caller_.call(function_, function.get()); })));
    }

private:
    PyObject* function_;
    const FrameCaller& caller_;
};

}  // namespace

void Frame::set_function(py::object function) {
    straight_.replace(nullptr);
    function_ = std::move(function);
}

std::vector<Frame::Operand> Frame::operands_of(const py::list& told) {
    std::vector<Operand> made;
    for (const py::handle each : told) {
        auto [kind, number, object] = each.cast<std::tuple<int, std::size_t, py::object>>();
        made.push_back({static_cast<Operand::Kind>(kind), number, std::move(object)});
    }
    return made;
}

void Frame::set_straight(py::object loop, py::object context, std::size_t parameters, std::vector<std::pair<std::size_t, int>> sizes,
                         const py::list& operands, const py::list& results, bool is_tuple, const py::list& lookups) {
    auto made = std::make_unique<Straight>();
    made->loop = loop.cast<LoopCall*>();
    made->held = std::move(loop);
    made->context = std::move(context);
    made->parameters = parameters;
    made->sizes = std::move(sizes);
    made->operands = operands_of(operands);
    made->results = operands_of(results);
    made->is_tuple = is_tuple;
    for (const py::handle each : lookups) {
        auto [space, key, value] = each.cast<std::tuple<py::object, py::object, py::object>>();
        if (value.ptr() == Py_Ellipsis) value = py::object();
        made->lookups.push_back({.space = std::move(space), .key = std::move(key), .value = std::move(value)});
    }
    straight_.replace(std::move(made));
}

PyObject* Frame::Values::of(const Operand& operand) const {
    switch (operand.kind) {
        case Operand::Kind::argument: return arguments[operand.number];
        case Operand::Kind::given: return gave.values[operand.number].ptr();
        case Operand::Kind::size: return sizes.objects()[operand.number];
        case Operand::Kind::constant: break;
    }
    return operand.object.ptr();
}

bool Frame::Straight::take_sizes(Values& values) const {
    for (const auto& [argument, axis] : sizes) {
        const Py_ssize_t size = size_of(values.arguments[argument], axis);
        if (size < 0) return false;
        values.sizes.take(check(PyLong_FromSsize_t(size)));
    }
    return true;
}

py::object Frame::Straight::result_of(const Values& values) const {
    const auto value_of = [&](const Operand& each) { return py::reinterpret_borrow<py::object>(values.of(each)); };
    if (!is_tuple) return results.empty() ? py::none() : value_of(results[0]);
    py::tuple made(results.size());
    for (std::size_t i = 0; i < results.size(); ++i) made[i] = value_of(results[i]);
    return made;
}

std::optional<py::object> Frame::call(std::span<PyObject* const> arguments, const FrameCaller& caller) {
    if (straight_.now() == nullptr || arguments.size() != straight_.now()->parameters) return std::nullopt;
    const Replaceable<Straight>::Use straight(straight_);
    if (!std::all_of(straight->lookups.begin(), straight->lookups.end(), [](const Guard& each) { return each.holds(); })) return std::nullopt;
    Values values{.arguments = arguments};
    if (!straight->take_sizes(values)) return std::nullopt;
    SmallVector<PyObject*, 8> handed;
    for (const Operand& each : straight->operands) handed.push_back(values.of(each));
    const Standing context(straight->context.ptr(), caller);
    if (!straight->loop->call_directly({handed.data(), handed.size()}, context, values.gave)) return std::nullopt;
    return values.gave.returns ? std::move(values.gave.values[0]) : straight->result_of(values);
}

int Frame::traverse(visitproc visit, void* arg) const {
    Py_VISIT(function_.ptr());
    if (const Straight* const straight = straight_.now()) {
        Py_VISIT(straight->held.ptr());
        Py_VISIT(straight->context.ptr());
    }
    return 0;
}

void Frame::let_go() {
    straight_.replace(nullptr);
    const py::object function = std::exchange(function_, py::none());
}

}  // namespace fastnp::python::loops
