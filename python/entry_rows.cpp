#include "entry_rows.h"

#include <cstddef>

namespace fastnp::python {

namespace {

// None for a number that is not known.
PyObject* known(double value) { return value < 0 ? Py_NewRef(Py_None) : PyFloat_FromDouble(value); }

PyObject* kernels_of(const EntryInfo& entry) {
    Ref kernels = own(PyList_New(0));
    for (const KernelInfo& kernel : entry.kernels) {
        const Ref row = own(Py_BuildValue(
            "{s:s,s:s,s:N,s:s,s:N,s:K,s:N,s:N,s:N,s:s,s:N,s:N}", "name", kernel.name.c_str(), "kind", kernel.kind.c_str(), "ops", to_list(kernel.ops),
            "axes", kernel.axes.c_str(), "milliseconds", known(kernel.milliseconds), "count", static_cast<unsigned long long>(kernel.count), "bytes_read",
            known(kernel.bytes_read), "bytes_written", known(kernel.bytes_written), "flops", known(kernel.flops), "apart", kernel.apart.c_str(),
            "apart_from", kernel.apart_from < 0 ? Py_NewRef(Py_None) : PyLong_FromLong(kernel.apart_from), "lines", to_list(kernel.lines)));
        check(PyList_Append(kernels.get(), row.get()));
    }
    return kernels.release();
}

PyObject* memory_of(const EntryInfo& entry) {
    Ref memory = own(PyList_New(0));
    const auto place = [](std::int64_t number) { return number < 0 ? Py_NewRef(Py_None) : PyLong_FromLongLong(number); };
    for (const MemoryInfo& each : entry.memory) {
        const Ref row = own(Py_BuildValue("{s:s,s:i,s:s,s:N,s:N,s:N,s:N}", "kind", each.kind.c_str(), "number", each.number, "size", each.size.c_str(),
                                          "bytes", place(each.bytes), "place", place(each.place), "first", place(each.first), "last", place(each.last)));
        check(PyList_Append(memory.get(), row.get()));
    }
    return memory.release();
}

}  // namespace

PyObject* to_list(const std::vector<std::string>& texts) {
    Ref list = own(PyList_New(0));
    for (const std::string& text : texts) {
        const Ref item = own(PyUnicode_FromStringAndSize(text.data(), static_cast<Py_ssize_t>(text.size())));
        check(PyList_Append(list.get(), item.get()));
    }
    return list.release();
}

PyObject* entry_dict(const EntryInfo& entry) {
    Ref times = own(PyDict_New());
    for (const auto& [phase, spent] : entry.milliseconds) {
        const Ref value = own(PyFloat_FromDouble(spent));
        check(PyDict_SetItemString(times.get(), phase.c_str(), value.get()));
    }
    Ref passes = own(PyList_New(0));
    for (const PassInfo& pass : entry.passes) {
        const Ref row = own(Py_BuildValue("(ss)", pass.name.c_str(), pass.text.c_str()));
        check(PyList_Append(passes.get(), row.get()));
    }
    return check(Py_BuildValue("{s:s,s:s,s:N,s:N,s:N,s:s,s:s,s:s,s:s,s:s,s:s,s:s,s:N,s:N,s:N}", "reason", entry.reason.c_str(), "uncompiled",
                               entry.uncompiled.c_str(), "guards", to_list(entry.guards), "kernels", kernels_of(entry), "milliseconds", times.release(),
                               "ir", entry.ir.c_str(), "ir_lines", entry.ir_lines.c_str(), "loops", entry.loops.c_str(), "llvm", entry.llvm.c_str(), "asm",
                               entry.assembly.c_str(), "emitted", entry.emitted.c_str(), "device", entry.device.c_str(), "memory", memory_of(entry),
                               "passes", passes.release(), "inputs", to_list(entry.inputs)));
}

}  // namespace fastnp::python
