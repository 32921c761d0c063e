// See exchange.h.
#include "exchange.h"

#include <memory>

#include "fastnp/detail/shared.h"
#include "fastnp/interop.h"

namespace fastnp::python {

namespace {

constexpr const char* names[] = {"dltensor", "used_dltensor"};
constexpr const char* versioned_names[] = {"dltensor_versioned", "used_dltensor_versioned"};

// Attributes by which arrays tell where they are, interned when first used, under the GIL.
enum Name : std::uint8_t { dlpack_method, device_method, interface_property };

PyObject* name_object(Name name) {
    static PyObject* made[3] = {};
    constexpr const char* texts[3] = {"__dlpack__", "__dlpack_device__", "__cuda_array_interface__"};
    if (made[name] == nullptr) made[name] = check(PyUnicode_InternFromString(texts[name]));
    return made[name];
}

bool has_attribute(PyObject* object, Name name) { return _PyType_Lookup(Py_TYPE(object), name_object(name)) != nullptr; }

// What an optional attribute gives; nothing where the object says that it has none.
Ref attribute_of(PyObject* object, Name name) {
    if (!has_attribute(object, name)) return {};
    Ref found(PyObject_GetAttr(object, name_object(name)));
    if (found) return found;
    if (PyErr_ExceptionMatches(PyExc_AttributeError) == 0) throw PythonError{};
    PyErr_Clear();
    return {};
}

std::optional<dlpack::Device> device_of(PyObject* object) {
    const Ref method = attribute_of(object, device_method);
    if (!method || !has_attribute(object, dlpack_method)) return std::nullopt;
    const Ref pair = own(PyObject_CallNoArgs(method.get()));
    const Ref items = own(PySequence_Tuple(pair.get()));
    if (PyTuple_GET_SIZE(items.get()) != 2) return std::nullopt;
    const auto number = [&](Py_ssize_t i) { return static_cast<std::int32_t>(to_index(PyTuple_GET_ITEM(items.get(), i))); };
    return dlpack::Device{number(0), number(1)};
}

bool is_cuda(const dlpack::Device& device) { return device.device_type == dlpack::cuda || device.device_type == dlpack::cuda_managed; }

// Whether what it says of itself by the other protocol is that it may not be written to, which tensors without a version can't say.
bool says_read_only(PyObject* object) {
    Ref interface(PyObject_GetAttr(object, name_object(interface_property)));
    PyErr_Clear();
    PyObject* data = interface && PyDict_Check(interface.get()) ? PyDict_GetItemString(interface.get(), "data") : nullptr;
    const bool read_only = data != nullptr && PyTuple_Check(data) && PyTuple_GET_SIZE(data) == 2 && PyObject_IsTrue(PyTuple_GET_ITEM(data, 1)) == 1;
    PyErr_Clear();
    return read_only;
}

Ref capsule_of(PyObject* object, std::int64_t stream) {
    const Ref method = own(PyObject_GetAttrString(object, "__dlpack__"));
    const Ref none = own(PyTuple_New(0));
    const Ref newer = own(Py_BuildValue("{s:L,s:(ii)}", "stream", static_cast<long long>(stream), "max_version", 1, 1));
    if (Ref made{PyObject_Call(method.get(), none.get(), newer.get())}) return made;
    if (PyErr_ExceptionMatches(PyExc_TypeError) == 0) throw PythonError{};
    PyErr_Clear();  // of before DLPack had versions
    const Ref older = own(Py_BuildValue("{s:L}", "stream", static_cast<long long>(stream)));
    return own(PyObject_Call(method.get(), none.get(), older.get()));
}

// A tensor as fastnp keeps it: the deleter may be Python code, which is run with the GIL, beside an error that is on its way, and not when Python has
// ended.
template <class Managed>
struct Kept {
    Managed tensor;
    Managed* theirs;

    static void let_go(Managed* self) {
        const std::unique_ptr<Kept> kept(static_cast<Kept*>(self->manager_ctx));
        if (kept->theirs->deleter == nullptr || Py_IsInitialized() == 0) return;
        const PyGILState_STATE state = PyGILState_Ensure();
        PyObject *type = nullptr, *value = nullptr, *trace = nullptr;
        PyErr_Fetch(&type, &value, &trace);
        kept->theirs->deleter(kept->theirs);
        PyErr_Restore(type, value, trace);
        PyGILState_Release(state);
    }
};

template <class Managed>
array take(PyObject* capsule, const char* const (&names)[2]) {
    auto* managed = static_cast<Managed*>(PyCapsule_GetPointer(capsule, names[0]));
    if (managed == nullptr) throw PythonError{};
    auto kept = std::make_unique<Kept<Managed>>(Kept<Managed>{*managed, managed});
    kept->tensor.manager_ctx = kept.get();
    kept->tensor.deleter = &Kept<Managed>::let_go;
    check(PyCapsule_SetName(capsule, names[1]));  // it is ours, or nobody's
    try {
        array made = from_dlpack(&kept->tensor);
        static_cast<void>(kept.release());
        return made;
    } catch (...) {
        check(PyCapsule_SetName(capsule, names[0]));
        throw;
    }
}

array from_tensor(PyObject* object, const dlpack::Device& device) {
    const Ref capsule = capsule_of(object, dlpack_stream(device));
    if (PyCapsule_IsValid(capsule.get(), versioned_names[0]) != 0) return take<dlpack::ManagedTensorVersioned>(capsule.get(), versioned_names);
    array made = take<dlpack::ManagedTensor>(capsule.get(), names);
    if (says_read_only(object)) made.set_writable(false);
    return made;
}

PyObject* item_of(PyObject* interface, const char* name) {
    PyObject* item = PyDict_GetItemString(interface, name);
    return item == Py_None ? nullptr : item;
}

array from_interface(PyObject* object, PyObject* interface) {
    PyObject *shape = item_of(interface, "shape"), *type = item_of(interface, "typestr"), *data = item_of(interface, "data");
    if (shape == nullptr || type == nullptr || data == nullptr || !PyTuple_Check(data) || PyTuple_GET_SIZE(data) != 2) {
        raise(PyExc_BufferError, "__cuda_array_interface__ needs a shape, a typestr and data");
    }
    if (item_of(interface, "mask") != nullptr) raise(PyExc_BufferError, "__cuda_array_interface__ with a mask");
    PyArray_Descr* descr = nullptr;
    if (PyArray_DescrConverter(type, &descr) == 0) throw PythonError{};
    const Ref held(reinterpret_cast<PyObject*>(descr));
    const std::optional<Dtype> dtype = dtype_of_descr(descr);
    if (!dtype) raise(PyExc_BufferError, std::string("__cuda_array_interface__ of a dtype that fastnp does not have: ") + PyUnicode_AsUTF8(type));
    void* const first = PyLong_AsVoidPtr(PyTuple_GET_ITEM(data, 0));
    if (first == nullptr && PyErr_Occurred() != nullptr) throw PythonError{};
    const bool writable = !is_true(PyTuple_GET_ITEM(data, 1));
    Strides strides;
    if (PyObject* given = item_of(interface, "strides")) {
        for (const std::int64_t stride : to_shape(given)) strides.push_back(stride);
    }
    std::optional<std::int64_t> stream;
    if (PyObject* given = item_of(interface, "stream")) stream = to_index(given);
    Py_INCREF(object);
    try {
        return from_device_memory(first, *dtype, to_shape(shape), std::move(strides), [object] { drop(object); }, writable, stream);
    } catch (...) {
        Py_DECREF(object);
        throw;
    }
}

template <class Managed>
void give_back(PyObject* capsule, const char* name) {
    if (PyCapsule_IsValid(capsule, name) == 0) return;  // it was taken
    auto* managed = static_cast<Managed*>(PyCapsule_GetPointer(capsule, name));
    managed->deleter(managed);
}

template <class Managed>
PyObject* capsule_over(Managed* managed, const char* name, PyCapsule_Destructor destructor) {
    PyObject* capsule = PyCapsule_New(managed, name, destructor);
    if (capsule == nullptr) managed->deleter(managed);
    return check(capsule);
}

struct Request {
    PyObject *stream = Py_None, *version = Py_None, *device = Py_None, *copy = Py_None;
};

Request parse(PyObject* args, PyObject* keywords) {
    static const char* arguments[] = {"stream", "max_version", "dl_device", "copy", nullptr};
    Request request;
    const int parsed = PyArg_ParseTupleAndKeywords(args, keywords, "|$OOOO:__dlpack__", const_cast<char**>(arguments), &request.stream, &request.version,
                                                   &request.device, &request.copy);
    if (parsed == 0) throw PythonError{};
    return request;
}

// Where the tensor is to be: what was asked for, else where the array is.
dlpack::Device wanted_device(const Request& request, const dlpack::Device& home) {
    if (request.device == Py_None) return home;
    int type = 0, number = 0;
    const Ref pair = own(PySequence_Tuple(request.device));
    if (PyArg_ParseTuple(pair.get(), "ii", &type, &number) == 0) throw PythonError{};
    if (type != dlpack::cpu && type != dlpack::cuda) raise(PyExc_BufferError, "unsupported device requested: DLPack's type " + std::to_string(type));
    return {type, type == dlpack::cpu ? 0 : number};
}

std::string name_of(const dlpack::Device& device) {
    return device.device_type == dlpack::cuda ? "cuda:" + std::to_string(device.device_id) : std::string("cpu");
}

std::int64_t stream_of(const Request& request, const dlpack::Device& wanted) {
    if (request.stream == Py_None) return dlpack::default_stream;
    if (wanted.device_type == dlpack::cpu) raise(PyExc_BufferError, "arrays of the processor have no streams: stream must be None");
    return to_index(request.stream);
}

bool takes_versions(const Request& request) {
    if (request.version == Py_None) return false;
    int major = 0, minor = 0;
    const Ref pair = own(PySequence_Tuple(request.version));
    if (PyArg_ParseTuple(pair.get(), "ii", &major, &minor) == 0) throw PythonError{};
    return major >= 1;
}

}  // namespace

bool is_foreign(PyObject* object) {
    if (is_ndarray(object) || PyArray_Check(object) || PyArray_IsScalar(object, Generic) || PyType_Check(object)) return false;
    try {
        if (const auto device = device_of(object)) return is_cuda(*device);
        return static_cast<bool>(attribute_of(object, interface_property));
    } catch (const PythonError&) {
        if (PyErr_ExceptionMatches(PyExc_Exception) == 0) throw;
        PyErr_Clear();  // one that is nowhere
        return false;
    }
}

array from_foreign(PyObject* object) {
    if (const auto device = device_of(object)) {
        if (!is_cuda(*device)) raise(PyExc_BufferError, "the array is on DLPack's device type " + std::to_string(device->device_type) + ", not on CUDA's");
        return from_tensor(object, *device);
    }
    const Ref interface = own(PyObject_GetAttrString(object, "__cuda_array_interface__"));
    if (!PyDict_Check(interface.get())) raise(PyExc_TypeError, "__cuda_array_interface__ is no dict");
    return from_interface(object, interface.get());
}

PyObject* dlpack_capsule(PyObject* self, PyObject* args, PyObject* keywords) {
    return guarded([&]() -> PyObject* {
        const Request request = parse(args, keywords);
        array value = foreign_value(self, "DLPack");
        const dlpack::Device home = dlpack_device(value), wanted = wanted_device(request, home);
        const bool moves = home.device_type != wanted.device_type || home.device_id != wanted.device_id;
        const bool is_copy_wanted = request.copy != Py_None && is_true(request.copy);
        const bool is_lent = moves && wanted.device_type == dlpack::cpu && !is_copy_wanted && !detail::is_shared(value);
        if (is_lent || (!moves && home.device_type == dlpack::cpu)) {
            const Ref view = own(foreign_view(self, "DLPack"));
            const Ref method = own(PyObject_GetAttrString(view.get(), "__dlpack__"));
            return check(PyObject_Call(method.get(), args, keywords));
        }
        const std::int64_t stream = stream_of(request, wanted);
        if (moves && request.copy == Py_False) {
            raise(PyExc_BufferError, "the array is on device '" + name_of(home) + "': a tensor on '" + name_of(wanted) + "' would be a copy");
        }
        const bool copied = moves || is_copy_wanted;
        if (moves) value = value.to(name_of(wanted));
        else if (copied) value = copied_on_device(value);
        if (!takes_versions(request)) {
            return capsule_over(to_dlpack(value, stream), names[0], [](PyObject* capsule) { give_back<dlpack::ManagedTensor>(capsule, names[0]); });
        }
        dlpack::ManagedTensorVersioned* managed = to_dlpack_versioned(value, stream);
        if (copied) managed->flags |= dlpack::flag_is_copied;
        return capsule_over(managed, versioned_names[0],
                            [](PyObject* capsule) { give_back<dlpack::ManagedTensorVersioned>(capsule, versioned_names[0]); });
    });
}

PyObject* cuda_array_interface(PyObject* self, void*) {
    return guarded([&]() -> PyObject* {
        const array& held = value_of(self);
        if (recording != nullptr || (!held.is_recorded() && dlpack_device(held).device_type != dlpack::cuda)) {
            raise(PyExc_AttributeError, "an array that is on no CUDA device has no __cuda_array_interface__");
        }
        const array value = foreign_value(self, "__cuda_array_interface__");
        if (value.dtype() == Dtype::bfloat16) raise(PyExc_BufferError, "__cuda_array_interface__ has no typestr for bfloat16; DLPack has it");
        const Ref descr(reinterpret_cast<PyObject*>(descr_of(value.dtype())));
        const Ref type = own(PyObject_GetAttrString(descr.get(), "str"));
        const Ref shape = own(to_tuple(value.shape()));
        const Ref strides = value.is_c_contiguous() ? Ref::borrow(Py_None) : own(to_tuple(value.strides()));
        void* const first = device_address(value);
        const Ref address = own(PyLong_FromVoidPtr(value.size() == 0 ? nullptr : first));
        const auto stream = static_cast<long long>(dlpack_stream(dlpack_device(value)));
        return check(Py_BuildValue("{s:O,s:O,s:(OO),s:O,s:i,s:L}", "shape", shape.get(), "typestr", type.get(), "data", address.get(),
                                   value.writable() ? Py_False : Py_True, "strides", strides.get(), "version", 3, "stream", stream));
    });
}

}  // namespace fastnp::python
