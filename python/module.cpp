// The module fastnp._core.
#define FASTNP_NUMPY_API_HERE
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "backends.h"
#include "by_numpy.h"
#include "casters.h"
#include "compiled.h"
#include "compiled_state.h"
#include "dist.h"
#include "draws.h"
#include "exchange.h"
#include "exported.h"
#include "fastnp/compile.h"
#include "fastnp/detail/borrowed.h"
#include "fastnp/detail/configuration.h"
#include "fastnp/detail/debug_folder.h"
#include "fastnp/detail/deterministic.h"
#include "fastnp/detail/float_check.h"
#include "fastnp/detail/graph_text.h"
#include "fastnp/detail/layout.h"
#include "fastnp/detail/log.h"
#include "fastnp/detail/memory.h"
#include "fastnp/detail/op_cost.h"
#include "fastnp/detail/order.h"
#include "fastnp/detail/progress.h"
#include "fastnp/detail/shared.h"
#include "fastnp/detail/timeline.h"
#include "fastnp/device.h"
#include "fastnp/explain.h"
#include "fastnp/logs.h"
#include "fastnp/version.h"
#include "fft.h"
#include "float_errors.h"
#include "float_journal.h"
#include "foreign.h"
#include "functions.h"
#include "generator_methods.h"
#include "lent.h"
#include "linalg.h"
#include "memory_watch.h"
#include "ndarray.h"
#include "noted_errors.h"
#include "number.h"
#include "number_list.h"
#include "overrides.h"
#include "program.h"
#include "size.h"
#include "syntax_tree.h"
#include "tape.h"
#include "transform.h"
#include "ufunc.h"

namespace py = pybind11;

namespace fastnp::python {

namespace {

// Exceptions of functions bound with pybind11 go the way of all others.
void translate_for_pybind(std::exception_ptr pointer) {
    if (!pointer) return;
    try {
        std::rethrow_exception(pointer);
    } catch (const Error&) {
        translate();
    } catch (const PythonError&) {
    } catch (const NeedsNumpy&) {
        translate();
    }
}

PyObject* add_exception(py::module_& module, const char* name, PyObject* base, const char* doc) {
    PyObject* type = check(PyErr_NewExceptionWithDoc((std::string("fastnp.") + name).c_str(), doc, base, nullptr));
    check(PyModule_AddObjectRef(module.ptr(), name, type));
    return type;
}

void initialise(py::module_& module) {
    if (_import_array() < 0) throw py::error_already_set();
    detail::set_float_check(&refuse_on_devices);
    detail::set_seen_by_others(&is_seen_by_others);
    const Ref name = own(PyUnicode_FromString("fastnp"));
    record_error =
        add_exception(module, "RecordError", PyExc_RuntimeError, "A function did something that a recording can't hold; the message says what.");
    cache_limit_error = add_exception(module, "CacheLimitError", PyExc_RuntimeError, "A compiled function needs more entries than its cache_size_limit.");
    verify_error =
        add_exception(module, "VerifyError", PyExc_RuntimeError, "A compiled function depends on something that is not guarded, and that changed.");
    rank_error = add_exception(module, "RankError", PyExc_RuntimeError,
                               "Ranks that compute together do not agree, or one of them is lost or does not come in time; the message says which.");
    recompile_warning = add_exception(module, "RecompileWarning", PyExc_UserWarning, "Calls of a compiled function run as written: a limit is reached.");
    add_ndarray(module.ptr());
    add_size(module.ptr());
    add_float(module.ptr());
    add_number_list(module.ptr());
    add_ufuncs(module.ptr());
    add_dispatched_function(module.ptr());
    add_by_numpy(module.ptr());
    add_generator_methods(module.ptr());
    check(PyModule_AddFunctions(module.ptr(), module_functions()));
    add_compiled_function(module.ptr());
    module.def("_catalogue", [] { return py::reinterpret_steal<py::list>(catalogue()); }, "The rows of the op catalogue.");
    module.def(
        "_syntax_functions",
        [](py::handle fields, py::handle node) { return py::reinterpret_steal<py::tuple>(syntax_functions(fields.ptr(), node.ptr())); },
        "(children, walk, uppermost) of fastnp._syntax.");
    module.def(
        "_view", [](py::handle x, const char* what) { return py::reinterpret_steal<py::object>(foreign_argument(x.ptr(), what)); }, py::arg("x"),
        py::arg("what") = "a function that only NumPy has", py::call_guard<TapeCall>(),
        "An ndarray as numpy.ndarray over the same memory, or as the NumPy scalar that it stands for; RecordError while recording. `what` takes it.");
    module.def(
        "broadcast_arrays",
        [](const py::args& args) {
            std::vector<array> arrays;
            for (const py::handle x : args) arrays.push_back(x.cast<array>());
            py::tuple result(args.size());
            const std::vector<array> made = broadcast_arrays(arrays);
            for (std::size_t i = 0; i < made.size(); ++i) result[i] = py::cast(made[i]);
            return result;
        },
        py::call_guard<TapeCall>(), "As numpy.broadcast_arrays.");
    module.def(
        "_devices",
        [] {
            py::list all;
            for (const DeviceInfo& each : devices()) all.append(py::make_tuple(each.name, each.model, each.memory_bytes, each.compute_capability));
            return all;
        },
        "(name, model, bytes of memory, compute capability) of each device.");
    py::class_<device_scope>(module, "_DeviceScope", "Makes a device the current one of this thread as long as it lives.")
        .def(py::init<const std::string&>());
    py::class_<profile_scope>(module, "_ProfileScope", "Measures calls of compiled functions of this thread as long as it lives.").def(py::init<>());
    py::class_<explain_scope>(module, "_ExplainScope", "Has what this thread compiles keep the graph from pass to pass.").def(py::init<>());
    module.def("_current_device", &current_device, "The device that arrays of this thread are made and computed on.");
    module.def(
        "_synchronize",
        [](const std::string& name) {
            const py::gil_scoped_release released;
            synchronize(name);
        },
        "Waits for a device.");
    module.def("_trim_device", [](const std::string& name) { trim_device(name); }, "Gives memory that is kept for reuse back to a device.");
    module.def(
        "_device_statistics",
        [](const std::string& name) {
            const DeviceStatistics now = device_statistics(name);
            return py::make_tuple(now.live_bytes, now.held_bytes, now.launches, now.uploads, now.uploaded_bytes, now.downloads, now.downloaded_bytes,
                                  now.products, now.transforms, now.factorisations);
        },
        "What was done on a device so far.");
    module.def(
        "_device_libraries",
        [] {
            const py::gil_scoped_release released;
            const std::vector<DeviceLibrary> found = device_libraries();
            const py::gil_scoped_acquire acquired;
            py::list list;
            for (const DeviceLibrary& each : found) list.append(py::make_tuple(each.name, each.path, each.problem));
            return list;
        },
        "The libraries that CUDA devices use.");
    module.def("_look_for_libraries_in", [](const std::string& folder) { look_for_libraries_in(folder); }, "A folder of Python's packages.");
    module.def("_cuda_problem", &cuda_problem, "Why there is no CUDA device; empty if there is one.");
    module.def(
        "_entered_errstate",
        [](const py::dict& modes) {
            if (recording != nullptr && recording->errors_noted != nullptr) recording->errors_noted->entered(modes.ptr());
        },
        "After numpy.errstate was entered with these modes: a recording of a function notes what is met within.");
    module.def("_parse_graph", &detail::parsed_graph_text, py::arg("text"), py::arg("with_lines") = false,
               "The text of the graph that a text says, which is verified.");
    module.def("_parse_kernel", &detail::parsed_kernel_text, "The text of the loop kernel that a text says, which is verified.");
    module.def("_additions", &detail::additions_of, "About how many additions an op takes for an element.");
    module.def("_is_recording", [] { return recording != nullptr; }, "Whether this thread is recording a function.");
    module.def(
        "_overrides", [](py::handle x) { return overrides(x.ptr()); },
        "Whether an object, or one in a list or tuple, decides itself what NumPy does with it.");
    module.def("_is_foreign", [](py::handle x) { return is_foreign(x.ptr()); }, "Whether it is an array of another library on a CUDA device.");
    module.def(
        "_from_foreign", [](py::handle x) { return py::reinterpret_steal<py::object>(wrap(from_foreign(x.ptr()))); },
        "An array over the elements of another library's, or of an ndarray, on a CUDA device.");
    module.def(
        "_is_shared", [](py::handle x) { return detail::is_shared(value_of(x.ptr())); }, py::call_guard<TapeCall>(),
        "Whether the elements of an ndarray are shared with another library on a CUDA device.");
    module.def(
        "_shares_storage", [](py::handle x, py::handle y) { return detail::shares_storage(value_of(x.ptr()), value_of(y.ptr())); },
        py::call_guard<TapeCall>(), "Whether two arrays of a recording lie in the same memory.");
    module.def(
        "_refuse_writes", [](py::handle x) { detail::refuse_writes(value_of(x.ptr())); }, py::call_guard<TapeCall>(),
        "There are copies of an array of a recording that stand for views: writing to its memory is an error from now on.");
    module.def(
        "_layout", [](py::handle x) { return py::reinterpret_steal<py::object>(unread_view(foreign_value(x.ptr(), "a layout"), x.ptr())); },
        py::call_guard<TapeCall>(), "An ndarray as numpy.ndarray by its addresses, which must not be read: the elements may be on a device.");
    module.def(
        "_copied_on_device", [](py::handle x) { return py::reinterpret_steal<py::object>(wrap(copied_on_device(value_of(x.ptr())))); },
        py::call_guard<TapeCall>(), "A copy on the device that the ndarray is on.");
    module.def(
        "_sorted_part",
        [](py::handle x, py::handle part) {
            const Shape sizes = to_sizes(part.ptr());
            return py::reinterpret_steal<py::object>(wrap(detail::sorted_part(to_array(x.ptr()), sizes[0], sizes[1])));
        },
        py::call_guard<TapeCall>(), "Elements of an array's sorted lines along the last axis: from which on, and how many.");
    module.def(
        "_finds_sorted_part", [](py::handle x, std::int64_t count) { return detail::finds_sorted_part(to_array(x.ptr()), count); },
        py::call_guard<TapeCall>(), "Whether a device finds so many neighbouring elements of an array's sorted lines without sorting these.");
    module.def(
        "_laid_like",
        [](py::handle x, py::handle like, py::handle order) {
            return py::reinterpret_steal<py::object>(wrap(detail::laid_like(to_array(x.ptr()), to_array(like.ptr()), to_order(order.ptr(), Order::keep))));
        },
        py::arg("x"), py::arg("like"), py::arg("order") = "K", py::call_guard<TapeCall>(),
        "The elements in memory that lies as numpy.empty_like(like, order=order) does.");
    module.def(
        "_laid_as_computed",
        [](py::handle x, const std::vector<py::object>& operands, py::handle reduced) {
            std::vector<array> arrays;
            for (const py::object& each : operands) arrays.push_back(to_array(each.ptr()));
            return py::reinterpret_steal<py::object>(wrap(detail::laid_as_computed(to_array(x.ptr()), arrays, to_shape(reduced.ptr()))));
        },
        py::arg("x"), py::arg("operands"), py::arg("reduced") = py::make_tuple(), py::call_guard<TapeCall>(),
        "The elements in memory that lies as what is computed of arrays of one rank does, then reduced over axes.");
    module.def(
        "_part_of",
        [](py::handle x, py::handle whole) {
            if (whole.is_none()) return py::reinterpret_steal<py::object>(wrap(to_array(x.ptr())));
            PyObject* base = reinterpret_cast<NdArray*>(whole.ptr())->base;
            return py::reinterpret_steal<py::object>(wrap(to_array(x.ptr()), base != nullptr ? base : whole.ptr()));
        },
        py::call_guard<TapeCall>(), "A NumPy array over the elements of an ndarray, as a view of that; of None, as an array of its own.");
    module.def("_is_supported", [](py::handle x) { return is_supported(x.ptr()); }, "Whether a NumPy array or scalar has a dtype of fastnp's.");
    module.def(
        "_recorded_kind",
        [](py::handle x) {
            if (recording == nullptr || !is_ndarray(x.ptr())) return 0;
            return reinterpret_cast<NdArray*>(x.ptr())->scalar ? 2 : 1;
        },
        "While recording: 1 for an array, 2 for one that is a NumPy scalar when run as written; else 0.");
    module.def(
        "_number_list_size", [](py::handle x) { return py::reinterpret_steal<py::object>(number_list_size(x.ptr())); },
        "How many items a _NumberList has.");
    module.def("_number_list_sum", [](py::handle x) { return py::reinterpret_steal<py::object>(number_list_sum(x.ptr())); }, "The sum of a _NumberList.");
    module.def(
        "_number_list_extreme", [](py::handle x, bool largest) { return py::reinterpret_steal<py::object>(number_list_extreme(x.ptr(), largest)); },
        "The largest or the least item of a _NumberList.");
    module.def(
        "_own_copy", [](py::handle x) { return py::reinterpret_steal<py::object>(wrap(own_copy(as_numpy(x.ptr())))); },
        "While recording: an array with the elements of NumPy's, which each call of the compiled function has anew.");
    module.def("_creators", [] { return py::reinterpret_steal<py::list>(creator_names()); }, "Names of the functions that make arrays from nothing.");
    module.def("_count_call", [](py::handle counts, py::handle name) { count_call(counts.ptr(), name.ptr()); }, "One more call in a dict of names.");
    module.def(
        "_note_effect",
        [](py::handle function, py::handle args, py::handle kwargs) {
            if (recording == nullptr) throw py::value_error("there is no recording");
            recording->effects.push_back(own(PyTuple_Pack(3, function.ptr(), args.ptr(), kwargs.ptr())));
        },
        "Has the recording call function(*args, **kwargs) at each call, after its compiled code.");
    module.def(
        "_snapshot",
        [](py::handle x) {
            return py::reinterpret_steal<py::object>(wrap(value_of(x.ptr()).copy(), nullptr, reinterpret_cast<NdArray*>(x.ptr())->scalar));
        },
        "A copy of a recorded array as it is now; of one that stands for a NumPy scalar, such a one.");
    module.def(
        "_caller_frame", [] { return py::reinterpret_borrow<py::object>(recording != nullptr && recording->caller ? recording->caller.get() : Py_None); },
        "While recording: the frame that called the compiled function, or None.");
    module.def(
        "_call_outside",
        [](py::handle function, py::handle args, py::handle kwargs) {
            if (recording == nullptr || recording->call == nullptr) throw py::value_error("there is no recording");
            return py::reinterpret_steal<py::object>(recording->call->call_outside(function.ptr(), args.ptr(), kwargs.ptr()).release());
        },
        "Has the recording call an Outside at each call, and gives what stands for its result.");
    module.def("_outside_calls", [] { return recording == nullptr ? 0 : recording->call->outside_calls(); }, "How many of these a recording has noted.");
    module.def(
        "_made_objects",
        [] {
            Recorded* call = Recorded::under_way();
            return call == nullptr ? py::dict() : py::reinterpret_borrow<py::dict>(call->made_objects());
        },
        "What calls of the outside made in the call of a compiled function that is under way, by place.");
    module.def(
        "_note_break", [](const std::string& what) { return recording == nullptr ? 0 : recording->note_break(what); },
        "Where a recording lists all that it can't hold: notes one of them, and gives how often it met it; else, or if that is too often, 0.");
    add_draws(module);
    add_fft(module);
    add_transforms(module);
    add_dist(module);
    add_tape(module);
    add_float_journal(module);
    add_linalg(module);
    add_programs(module);
    add_memory_watch(module);
    module.def("_keeps_notes", &detail::keeps_notes, "Whether anything is kept on disk.");
    module.def(
        "_kept_note",
        [](const py::bytes& name) -> py::object {
            const std::optional<std::string> note = detail::kept_note(std::string(name));
            return note ? py::object(py::bytes(*note)) : py::object(py::none());
        },
        "What was noted on disk under this name, or None.");
    module.def(
        "_keep_note", [](const py::bytes& name, const py::bytes& note) { detail::keep_note(std::string(name), std::string(note)); }, "Notes it on disk.");
    module.def(
        "_set_logs", [](const std::string& channels, const std::string& file, bool json) { set_logs(channels, {file, json}); },
        "What logs tell of from now on, and where.");
    module.def("_logs", &logs, "The channels that logs tell of.");
    add_backends(module);
    add_exported(module);
    module.def("_set_debug_folder", &set_debug_folder, "The folder that what is compiled is written to; gives the one that was set before.");
    module.def("_claim_debug_folder", &detail::claim_debug_folder, "Makes a folder for a function in the debug folder; empty if there is none.");
    module.def(
        "_tell",
        [](const std::string& channel, const std::string& function, const std::string& what) {
            const auto number = std::ranges::find(detail::channel_names, channel) - std::begin(detail::channel_names);
            const auto told = static_cast<detail::Channel>(number);
            const detail::LogScope scope(function);
            if (detail::tells(told)) detail::tell(told, what);
        },
        "Tells a channel of the log what happens to a function.");
    module.def(
        "_interpose", [](py::handle function) { return py::reinterpret_steal<py::object>(interpose(function.ptr()).release()); },
        "Has calls of compiled functions go to this one, as (function, *args, **kwargs); None ends it. Gives the one before.");
    module.def("_start_timeline", &detail::start_timeline, "From now on it is kept what is done when.");
    module.def(
        "_stop_timeline",
        [] {
            const auto [events, lost] = detail::stop_timeline();
            py::list rows;
            for (const detail::TimelineEvent& each : events) {
                rows.append(py::make_tuple(each.kind, py::str(each.name), each.begin, each.end, each.bytes, each.thread));
            }
            return py::make_tuple(rows, lost);
        },
        "([(kind, name, begin, end, bytes, thread)] in nanoseconds, how many more there were).");
    module.def("_configuration", &detail::configuration, "[(name, value)] of what was built and found.");
    module.def("_set_deterministic", &detail::set_deterministic, "Whether results are the same with any number of threads; gives what was set before.");
    module.def("_is_deterministic", &detail::is_deterministic);
    py::class_<detail::Progress>(module, "_Progress")
        .def(py::init<const std::string&, std::int64_t>())
        .def("set", &detail::Progress::set, "How many steps of how many are done, and what it is at.");
    module.def("_shows_progress", &detail::shows_progress, "Whether what takes longer than a second is told of.");
    module.def("_timeline_now", &detail::timeline_now, "Nanoseconds of the clock that timelines go by.");
    module.def(
        "_note_time", [](const std::string& name, std::int64_t begin) { detail::note_time("call", name, begin, detail::timeline_now()); },
        "Keeps an event of this thread, which ends now.");
    module.def("_set_as_written", &set_as_written, "Whether compiled functions run as written in this thread; gives what was set before.");
    module.def("_disallow", &disallow_in_graph, "Has recordings end at these ops and functions (names or patterns).");
    module.def("_allow", &allow_in_graph, "Takes back disallow().");
    module.def("_refuse", [](const std::string& what) { refuse(what); }, "Raises RecordError, and marks the recording as one that can't be kept.");
}

}  // namespace

}  // namespace fastnp::python

PYBIND11_MODULE(_core, module) {
    module.doc() = "fastnp's C++ core for Python.";
    module.attr("__version__") = fastnp::version();
    py::register_exception_translator(&fastnp::python::translate_for_pybind);
    try {
        fastnp::python::initialise(module);
    } catch (const fastnp::python::PythonError&) {
        throw py::error_already_set();
    }
}
