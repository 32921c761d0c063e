// Exported functions: in C++ from end to end, and what is no exported function, under sanitizers too.
#include "fastnp/exported.h"

#include <boost/test/unit_test.hpp>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>

#include "fastnp/error.h"
#include "fastnp/exported_c.h"
#include "fastnp/fastnp.h"

using namespace fastnp;

namespace {

// A folder for the files of a test.
struct Folder {
    std::filesystem::path path;
    Folder() {
        std::string name = (std::filesystem::temp_directory_path() / "fastnp-exported-test-XXXXXX").string();
        BOOST_REQUIRE(mkdtemp(name.data()) != nullptr);
        path = name;
    }
    ~Folder() { std::filesystem::remove_all(path); }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
};

std::string contents_of(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

bool equal(const array& a, const array& b) { return a.dtype() == b.dtype() && array_equal(a, b); }

}  // namespace

BOOST_AUTO_TEST_SUITE(exported_functions)

BOOST_AUTO_TEST_CASE(equal_the_compiled_ones) {
    const Folder folder;
    const array weights = reshape(linspace(-1, 1, 12), {3, 4});
    const auto layer = compile([weights](const array& x, const array& rate) { return std::tuple(tanh(rate * matmul(x, weights)), sum(x, {.axis = 0})); },
                               {.dynamic = {{{0, 0}, Dim("n")}}});
    export_library(layer, std::tuple(ones({5, 3}), array(2.0)), folder.path / "layer.so", {.name = "layer", .parameters = {"x", "rate"}});
    const Exported loaded(folder.path / "layer.so");
    BOOST_TEST(loaded.name() == "layer");
    BOOST_TEST(loaded.parameters().at(0).shape == "(n, 3)");
    BOOST_TEST(loaded.results().at(0).shape == "(n, 4)");
    for (const std::int64_t rows : {1, 2, 7}) {
        const array x = reshape(arange(3.0 * static_cast<double>(rows)), {rows, 3});
        const auto [y, total] = layer(x, array(0.5));
        const std::vector<array> given = loaded({x, array(0.5)});
        BOOST_TEST_REQUIRE(given.size() == 2U);
        BOOST_TEST(equal(given[0], y));
        BOOST_TEST(equal(given[1], total));
    }
}

BOOST_AUTO_TEST_CASE(have_loops_and_programs) {
    const Folder folder;
    const auto sums = compile([](const array& x) { return loop(10, [](const array& i, const array& total) { return total * 0.5 + i; }, x); });
    export_library(sums, std::tuple(zeros({4})), folder.path / "sums.so");
    const array x = arange(4.0);
    BOOST_TEST(equal(Exported(folder.path / "sums.so")({x})[0], sums(x)));
}

BOOST_AUTO_TEST_CASE(write_to_their_arguments) {
    const Folder folder;
    const auto add = compile([](array& x, const array& y) { x += y; });
    array made = zeros({3});
    export_library(add, std::tuple(made, zeros({3})), folder.path / "add.so");
    const Exported loaded(folder.path / "add.so");
    array x = arange(3.0);
    BOOST_TEST(loaded({x, array({1.0, 1.0, 1.0})}).empty());
    BOOST_TEST(equal(x, array({1.0, 2.0, 3.0})));
    BOOST_CHECK_THROW(loaded({x, x}), ValueError);
}

BOOST_AUTO_TEST_CASE(are_several_in_one_library) {
    const Folder folder;
    const std::filesystem::path path = folder.path / "model.so";
    const array weights = linspace(-1, 1, 2000);
    const auto loss = compile([weights](const array& w) { return sum(square(w * weights)); });
    const auto gradient = compile([weights](const array& w) { return grad([&](const array& x) { return sum(square(x * weights)); })(w); });
    const auto single = compile([weights](const array& w) { return sum(square(w * weights.astype(Dtype::float32))); });
    Exporter()
        .add(loss, std::tuple(zeros({2000})), {.name = "loss", .isa = {"v3", "base"}})
        .add(gradient, std::tuple(zeros({2000})), {.name = "gradient", .isa = {"base", "v3"}})
        .add(single, std::tuple(zeros({2000}, Dtype::float32)), {.name = "loss", .isa = {"base", "v3"}})
        .write(path);
    BOOST_TEST(std::filesystem::file_size(path) < 3U * 2000 * 8);  // the weights are there once in each precision
    const Exported all(path);
    BOOST_TEST((all.names() == std::vector<std::string>{"loss", "gradient"}));
    BOOST_TEST(all.specialisation_count() == 2U);
    BOOST_TEST(all.parameters(1).at(0).dtype == "float32");
    BOOST_CHECK_THROW(all.parameters(2), IndexError);
    const array w = cos(arange(2000.0));
    for (int call = 0; call < 3; ++call) {
        BOOST_TEST(std::abs((all({w})[0] - loss(w)).item<double>()) < 1e-9);
        BOOST_TEST((all({w.astype(Dtype::float32)})[0].dtype() == Dtype::float32));
        BOOST_TEST(allclose(Exported(path, "gradient")({w})[0], gradient(w)));
    }
    BOOST_CHECK_THROW(all({arange(2000)}), TypeError);
    BOOST_CHECK_THROW(all({zeros({3})}), ValueError);
    BOOST_CHECK_THROW(Exported(path, "none"), ValueError);
    BOOST_CHECK_THROW(Exporter().write(path), ValueError);
    Exporter others;
    others.add(loss, std::tuple(zeros({2000})), {.isa = {"base"}}).add(loss, std::tuple(zeros({2000})), {.name = "other", .isa = {"base", "v3"}});
    BOOST_CHECK_THROW(others.write(path), ValueError);
    BOOST_CHECK_THROW(Exporter().add(loss, std::tuple(zeros({2000})), {.isa = {"v9"}}), ValueError);
    fastnp_exported_function* function = nullptr;
    BOOST_TEST(fastnp_exported_open_named(path.c_str(), "none", &function) == FASTNP_VALUE_ERROR);
    BOOST_TEST_REQUIRE(fastnp_exported_open_named(path.c_str(), "gradient", &function) == FASTNP_OK);
    fastnp_exported_close(function);
}

BOOST_AUTO_TEST_CASE(say_what_does_not_fit) {
    const Folder folder;
    const auto twice = compile([](const array& x) { return x * 2; });
    export_library(twice, std::tuple(zeros({3})), folder.path / "twice.so", {.name = "twice", .parameters = {"x"}});
    const Exported loaded(folder.path / "twice.so");
    BOOST_CHECK_EXCEPTION(loaded({arange(3)}), TypeError,
                          [](const TypeError& error) { return std::string(error.what()).find("argument 'x' has dtype int64") != std::string::npos; });
    BOOST_CHECK_THROW(loaded({zeros({4})}), ValueError);
    BOOST_CHECK_THROW(loaded({}), TypeError);
    const auto reads = compile([](const array& x) { return x(0) > 0 ? x : -x; });
    BOOST_CHECK_THROW(export_library(reads, std::tuple(zeros({3})), folder.path / "reads.so"), RecordError);
    BOOST_CHECK_THROW(export_library(twice, std::tuple(zeros({3})), folder.path / "none" / "twice.so"), Error);
}

BOOST_AUTO_TEST_CASE(are_called_from_c) {
    const Folder folder;
    const auto twice = compile([](const array& x) { return x * 2; });
    export_library(twice, std::tuple(zeros({2, 3})), folder.path / "twice.so", {.name = "twice"});
    fastnp_exported_function* function = nullptr;
    BOOST_TEST_REQUIRE(fastnp_exported_open((folder.path / "twice.so").c_str(), &function) == FASTNP_OK);
    BOOST_TEST(fastnp_exported_parameters(function) == 1);
    BOOST_TEST(fastnp_exported_results(function) == 1);
    double x[] = {1, 2, 3, 4, 5, 6};
    std::int64_t shape[] = {2, 3}, strides[] = {8, 16};
    fastnp_exported_array argument{x, FASTNP_FLOAT64, 2, shape, strides, nullptr}, result{};
    BOOST_TEST_REQUIRE(fastnp_exported_call(function, &argument, &result) == FASTNP_OK);
    BOOST_TEST(static_cast<double*>(result.data)[1] == 6.0);
    fastnp_exported_release(&result);
    argument.dtype = FASTNP_FLOAT32;
    BOOST_TEST(fastnp_exported_call(function, &argument, &result) == FASTNP_TYPE_ERROR);
    BOOST_TEST(std::string(fastnp_exported_error()).find("has dtype float32") != std::string::npos);
    argument.dtype = 99;
    BOOST_TEST(fastnp_exported_call(function, &argument, &result) == FASTNP_TYPE_ERROR);
    fastnp_exported_close(function);
    BOOST_TEST(fastnp_exported_open("there is none", &function) == FASTNP_VALUE_ERROR);
}

BOOST_AUTO_TEST_CASE(are_checked_before_they_are_run) {
    const Folder folder;
    const auto f = compile([](const array& x) { return sort(exp(x), 0); });
    const std::filesystem::path path = folder.path / "f.so";
    export_library(f, std::tuple(zeros({3, 2})), path);
    const std::string whole = contents_of(path);
    std::mt19937 draw(std::random_device{}());
    const auto below = [&](std::size_t end) { return std::uniform_int_distribution<std::size_t>(0, end - 1)(draw); };
    for (int i = 0; i < 300; ++i) {
        std::string damaged = whole;
        if (i % 2 == 0) damaged[below(damaged.size())] ^= static_cast<char>(1U << below(8));
        else damaged.resize(below(damaged.size()));
        std::ofstream(path, std::ios::binary) << damaged;
        BOOST_CHECK_THROW(Exported{path}, ValueError);
    }
}

BOOST_AUTO_TEST_SUITE_END()
