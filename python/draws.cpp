#include "draws.h"

#include <pybind11/stl.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "convert.h"
#include "fastnp/detail/draws.h"
#include "fastnp/error.h"

namespace py = pybind11;

namespace fastnp::python {

namespace {

using detail::BitGenerator;
using detail::Draw;

template <class T, std::size_t n>
T find(const std::pair<std::string_view, T> (&table)[n], const std::string& name) {
    for (const auto& [each, value] : table) {
        if (each == name) return value;
    }
    throw ValueError("no device draws by " + name);
}

constexpr std::pair<std::string_view, BitGenerator::Kind> generators[] = {
    {"PCG64", BitGenerator::Kind::pcg64}, {"PCG64DXSM", BitGenerator::Kind::pcg64dxsm}, {"Philox", BitGenerator::Kind::philox}};
constexpr std::pair<std::string_view, Draw::Kind> kinds[] = {
    {"uniform", Draw::Kind::uniform}, {"normal", Draw::Kind::normal}, {"exponential", Draw::Kind::exponential}, {"integers", Draw::Kind::integers}};

/// (name, words, has_uint32, uinteger), as fastnp._draws makes it of a state.
using State = std::tuple<std::string, std::vector<std::uint64_t>, bool, std::uint32_t>;

py::object draw(const State& state, const std::string& kind, py::handle dtype, std::pair<double, double> numbers,
                std::pair<std::uint64_t, std::uint64_t> bounds, const std::vector<std::int64_t>& shape, std::optional<double> close) {
    const auto& [name, words, has_half, half] = state;
    BitGenerator generator{find(generators, name), {}, has_half, half};
    const std::size_t count = generator.kind == BitGenerator::Kind::philox ? BitGenerator::philox_words : BitGenerator::lcg_words;
    const std::optional<Dtype> made_of = to_dtype(dtype.ptr());
    if (words.size() != count || !made_of) throw ValueError("a draw of an unknown kind");
    std::copy(words.begin(), words.end(), generator.words.begin());
    const Draw wanted{find(kinds, kind), *made_of, numbers.first, numbers.second, bounds.first, bounds.second, close};
    std::optional<array> drawn;
    {
        const py::gil_scoped_release released;
        drawn = detail::draw_on_device(generator, wanted, Shape(shape.data(), shape.data() + shape.size()));
    }
    if (!drawn) return py::none();
    const std::vector<std::uint64_t> after(generator.words.begin(), generator.words.begin() + static_cast<std::ptrdiff_t>(count));
    return py::make_tuple(py::reinterpret_steal<py::object>(wrap(std::move(*drawn))), State(name, after, generator.has_half, generator.half));
}

}  // namespace

void add_draws(py::module_& module) {
    module.attr("_least_draw") = detail::least_drawn_on_device;
    module.def("_draw", &draw, py::arg("state"), py::arg("kind"), py::arg("dtype"), py::arg("numbers"), py::arg("bounds"), py::arg("shape"),
               py::arg("close") = py::none(),
               "Numbers drawn on the current device, and the generator's state after that; None where the host has to draw.");
}

}  // namespace fastnp::python
