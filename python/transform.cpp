#include "transform.h"

#include <pybind11/functional.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <iterator>

#include "casters.h"
#include "common.h"
#include "convert.h"
#include "fastnp/detail/loop.h"
#include "fastnp/detail/transform.h"
#include "fastnp/transform.h"
#include "float_journal.h"

namespace py = pybind11;

namespace fastnp::python {

namespace {

using Arrays = std::vector<array>;

// A list of arrays, as a Python function gave it.
Arrays arrays_of(const py::object& list) {
    Arrays arrays;
    for (const py::handle each : list) arrays.push_back(each.cast<array>());
    return arrays;
}

py::list list_of(std::span<const array> arrays) {
    py::list list;
    for (const array& each : arrays) list.append(each);
    return list;
}

// A function of Python's that a recording keeps until it ends.
class Held {
public:
    explicit Held(const py::object& function) : function_(Ref::borrow(function.ptr())) {}
    template <class... A>
    py::object operator()(A&&... args) const {
        return py::reinterpret_borrow<py::object>(function_.get())(std::forward<A>(args)...);
    }

private:
    Ref function_;
};

// What a function of the library records is a derivative's own: no journal tells of its floating-point errors.
template <auto function, class... Given>
auto derived(const Given&... given) {
    const WithoutJournal derivative;
    return function(given...);
}

// What body() gives, to be recorded and run.
py::object called(const py::object& body) {
    try {
        return body();
    } catch (const py::error_already_set&) {
        if (FloatJournal* const journal = FloatJournal::current()) journal->tell_before_error();
        throw;
    }
}

thread_local std::vector<std::unique_ptr<detail::NamedAxis>> named_axes;  // the innermost last

array across(const std::string& fold, const array& x, const std::string& name) {
    if (fold == "sum") return psum(x, name);
    if (fold == "mean") return pmean(x, name);
    return fold == "max" ? pmax(x, name) : pmin(x, name);
}

Arrays with_derivative(const Arrays& operands, const Arrays& results, const std::string& name, const py::object& reverse, const py::object& forward) {
    detail::CustomDerivative derivative{name};
    using View = std::span<const array>;
    if (!reverse.is_none()) {
        derivative.reverse = [held = Held(reverse)](View own, View given, View cotangents) {
            std::vector<std::optional<array>> found;
            for (const py::handle each : held(list_of(own), list_of(given), list_of(cotangents))) {
                found.push_back(each.is_none() ? std::nullopt : std::optional(each.cast<array>()));
            }
            return found;
        };
    }
    if (!forward.is_none()) {
        derivative.forward = [held = Held(forward)](View own, View given, View tangents) {
            return arrays_of(held(list_of(own), list_of(given), list_of(tangents)));
        };
    }
    return detail::with_derivative(operands, results, std::move(derivative));
}

// The results of what only has the operands' elements: a derivative that comes there is lost.
Arrays without_derivative(const Arrays& operands, const Arrays& results, const std::string& what) {
    detail::CustomDerivative derivative{what};
    using View = std::span<const array>;
    Arrays recorded;
    std::copy_if(operands.begin(), operands.end(), std::back_inserter(recorded), [](const array& each) { return each.is_recorded(); });
    if (recorded.empty()) return results;
    derivative.reverse = [what](View, View, View) -> std::vector<std::optional<array>> { lose_derivative(what); };
    derivative.forward = [what](View, View, View) -> Arrays { lose_derivative(what); };
    return detail::with_derivative(recorded, results, std::move(derivative));
}

// Loops and branches, of functions of Python's that take and give lists of arrays. What has no axes is a NumPy scalar, as written. No journal tells of
// floating-point errors in bodies: they are computed many times, or not at all.
py::list numbers_and_arrays(std::span<const array> arrays) {
    py::list list;
    for (const array& each : arrays) list.append(py::reinterpret_steal<py::object>(wrap(each, nullptr, each.ndim() == 0)));
    return list;
}

py::tuple take_turns(const Arrays& states, const Arrays& parts, bool backward, std::int64_t save_every, const py::object& body, bool are_variables,
                     std::optional<std::pair<std::int64_t, std::int64_t>> numbers) {
    const WithoutJournal many_times;
    const auto turn = [&](std::span<const array> now, std::span<const array> own) {
        const py::tuple given = body(numbers_and_arrays(now), numbers_and_arrays(own));
        return detail::TurnResult{arrays_of(given[0]), arrays_of(given[1])};
    };
    const detail::TurnResult last = detail::take_turns(states, parts, {backward, save_every, are_variables, numbers}, turn);
    return py::make_tuple(numbers_and_arrays(last.states), numbers_and_arrays(last.collected));
}

py::list take_while(const Arrays& states, const py::object& condition, const py::object& body) {
    const WithoutJournal many_times;
    const auto holds = [&](std::span<const array> now) { return condition(numbers_and_arrays(now)).cast<array>(); };
    return numbers_and_arrays(detail::take_while(states, holds, [&](std::span<const array> now) { return arrays_of(body(numbers_and_arrays(now))); }));
}

py::list take_branch(const array& predicate, const py::object& then, const py::object& otherwise) {
    const WithoutJournal perhaps;
    return numbers_and_arrays(detail::take_branch(predicate, [&] { return arrays_of(then()); }, [&] { return arrays_of(otherwise()); }));
}

void add_turns(py::module_& module) {
    module.def("_take_turns", &take_turns, py::arg("states"), py::arg("parts"), py::arg("backward"), py::arg("save_every"), py::arg("body"),
               py::arg("are_variables") = false, py::arg("numbers") = py::none(),
               "Takes a turn for each of the parts of arrays; gives (the last states, what was collected).");
    module.def("_turn_numbers", [](const array& count) { return detail::turn_numbers(count); }, "0, 1, 2 ... below a count.");
    module.def("_take_while", &take_while, "The states after turns, as long as a condition of them holds.");
    module.def("_take_branch", &take_branch, "What one of two functions gives.");
}

}  // namespace

void add_transforms(py::module_& module) {
    add_turns(module);
    module.def("_records", &records, "Whether ops are recorded in this thread, for a compiled function or for a transform.");
    module.def(
        "_recorded",
        [](const py::object& body) {
            const JournalKeeper keeper;
            return detail::recorded([&] { return arrays_of(called(body)); });
        },
        "Runs body(), which gives a list of arrays, in a recording of its own, and gives what these are.");
    module.def(
        "_recorded_in_two",
        [](const py::object& body, std::optional<std::int64_t> memory_budget) {
            const JournalKeeper keeper;
            detail::Later later;
            detail::StageReport report;
            const Arrays results = detail::recorded_in_two(
                [&](detail::Stage& second) {
                    const py::tuple given = called(body);
                    second.inputs = arrays_of(given[1]);
                    second.function = [held = Held(given[2])](std::span<const array> values) { return arrays_of(held(list_of(values))); };
                    return arrays_of(given[0]);
                },
                later, &report, memory_budget);
            return py::make_tuple(results, py::cpp_function([later](const Arrays& values) { return later(values); }),
                                  py::make_tuple(report.saved_bytes, report.read_bytes, report.recomputed));
        },
        "Runs body(), which gives (arrays, arrays like those of a second stage, its function); gives (arrays, the second stage, (bytes saved for it, "
        "bytes "
        "that it reads, ops computed again)).");
    module.def("_mark", [](const array& x) { return detail::mark(x); }, "x as a value that derivatives are taken with respect to.");
    module.def(
        "_input_of", [](const array& marked, bool scalar) { return py::reinterpret_steal<py::object>(wrap(detail::input_of(marked), nullptr, scalar)); },
        "It, for a function to have; as a NumPy scalar or an array.");
    module.def("_write_back", &detail::write_back, "What a function left in the input of a mark, in the memory of what was marked.");
    module.def("_pull_back", &derived<&detail::pull_back, Arrays, Arrays, Arrays>, "The cotangents of marks, given those of outputs.");
    module.def("_push_forward", &derived<&detail::push_forward, Arrays, Arrays, Arrays>, "The tangents of outputs, given those of marks.");
    module.def("_example", &detail::example, "An array that stands for any one of x's parts along an axis.");
    module.def(
        "_batch",
        [](const Arrays& examples, const Arrays& arrays, const std::vector<int>& axes, const Arrays& outputs, std::int64_t number) {
            const WithoutJournal same_again;
            return detail::batch(examples, arrays, axes, outputs, number);
        },
        "What outputs are for all parts at once.");
    module.def(
        "_unrecorded",
        [](const py::object& body) {
            py::object result;
            detail::unrecorded([&] { result = body(); });
            return result;
        },
        "Runs body() as outside of the recording of a transform.");
    module.def(
        "_at_hand",
        [](const array& x) {
            const array value = detail::value_at_hand(x);
            return py::reinterpret_steal<py::object>(numpy_view(value, own(wrap(value)).get()));
        },
        "The elements of a recorded array in the call at hand, as a NumPy array.");
    module.def(
        "_enter_axis",
        [](const std::string& name, const array& index, std::int64_t size) {
            named_axes.push_back(std::make_unique<detail::NamedAxis>(name, index, size));
            return named_axes.back()->number();
        },
        "Gives the axis that is mapped over a name, until _leave_axis(); gives its number.");
    module.def("_leave_axis", [] { named_axes.pop_back(); }, "Takes the last name back.");
    module.def("_across", &across, "psum, pmean, pmax or pmin of x.");
    module.def("_axis_index", [](const std::string& name) { return py::reinterpret_steal<py::object>(wrap_scalar(axis_index(name))); }, "As axis_index.");
    module.def("_is_mapped", &detail::is_mapped,
               "Whether a value differs among the parts of an array that a function is mapped over, and so can't be read.");
    module.def("_is_same_value", &detail::is_same_value, "Whether two recorded arrays have the same value.");
    module.def(
        "_depends_on", [](const array& x, const Arrays& marks) { return detail::depends_on(x, marks); }, "Whether a recorded array depends on others.");
    module.def("_jacobian_columns", &derived<&detail::jacobian_columns, array, array>,
               "The derivatives of an output's elements with respect to a mark's, by forward mode.");
    module.def("_jacobian_rows", &derived<&detail::jacobian_rows, array, array>, "The same, by reverse mode.");
    module.def("_with_derivative", &with_derivative, "The results of a function of operands, with a derivative of its own.");
    module.def("_without_derivative", &without_derivative,
               "The results of what takes the operands' elements: a derivative that comes there is a TypeError.");
    module.def("_apart", &detail::apart, "A copy of x that nothing looks through.");
    module.def("_is_marked", &detail::is_marked, "Whether an array is being differentiated.");
    module.def("_stop_gradient", [](const array& x) { return stop_gradient(x); }, "x, as a constant to derivatives.");
    module.def(
        "_is_scalar", [](py::handle x) { return is_ndarray(x.ptr()) && reinterpret_cast<NdArray*>(x.ptr())->scalar; },
        "Whether a recorded array is a NumPy scalar when run as written.");
}

}  // namespace fastnp::python
