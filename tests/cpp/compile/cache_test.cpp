// Guards and the cache: what is compiled anew, what is not, and that no call gets another call's answer.
#include <boost/test/unit_test.hpp>
#include <functional>

#include "fastnp/fastnp.h"

using namespace fastnp;

namespace {

array ramp(const Shape& shape) {
    std::int64_t size = 1;
    for (const std::int64_t extent : shape) size *= extent;
    return arange(Scalar(0), Scalar(size), Scalar(1), float32).reshape(shape);
}

bool close(const array& a, const array& b) {
    if (a.shape() != b.shape() || a.dtype() != b.dtype()) return false;
    if (a.size() == 0) return true;
    const array scale = maximum(absolute(b.astype(float64)), 1.0);
    return max(absolute(a.astype(float64) - b.astype(float64)) / scale).item<double>() < 1e-5;
}

struct Options {
    array x, y;
    double scale;
    bool negate;
};

array member_free(const Options& options) {
    const array sum = options.x + options.y * options.scale;
    return options.negate ? -sum : sum;
}

struct Model {
    array weight;
    double shift = 0.5;
    array apply(const array& x) const { return x * weight + shift; }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(cache)

BOOST_AUTO_TEST_CASE(a_thousand_batch_sizes_take_two_compilations) {
    const auto f = compile([](const array& x, const array& w) {
        const array e = exp(x - max(x, {.axis = -1, .keepdims = true}));
        return matmul(e / sum(e, {.axis = -1, .keepdims = true}), w) + mean(x);
    });
    const array w = ramp({8, 3});
    for (std::int64_t n = 2; n < 1002; ++n) BOOST_REQUIRE(f(ramp({n, 8}) / 100.0F, w).shape() == (Shape{n, 3}));
    BOOST_TEST(f.cache_info().compiles == 2U);
    BOOST_TEST(f.cache_info().currsize == 2U);
}

BOOST_AUTO_TEST_CASE(sizes_zero_and_one_are_right_within_the_range) {
    const auto function = [](const array& x, const array& y) { return sum(x * y + 1.0F, {.axis = 1}) + x(all, 0); };
    const auto f = compile(function);
    for (const std::int64_t n : {5, 9, 1, 0, 33, 1, 0}) {
        const array x = ramp({n, 6});
        const array y = ramp({n, 6}) + 2.0F;
        BOOST_TEST(close(f(x, y), function(x, y)), "size " << n);
    }
    BOOST_TEST(f.cache_info().compiles == 2U);
}

BOOST_AUTO_TEST_CASE(broadcasting_a_size_of_one_is_another_program) {
    const auto function = [](const array& x, const array& y) { return x + y; };
    const auto f = compile(function);
    const Shape shapes[] = {{4, 3}, {7, 3}, {1, 3}, {9, 3}, {1, 3}};
    for (const Shape& a : shapes) {
        for (const Shape& b : shapes) {
            if (a != b && a[0] != 1 && b[0] != 1) {
                BOOST_CHECK_THROW(f(ramp(a), ramp(b)), ValueError);
                continue;
            }
            BOOST_TEST(close(f(ramp(a), ramp(b)), function(ramp(a), ramp(b))));
        }
    }
}

BOOST_AUTO_TEST_CASE(ranges_given_by_the_user_compile_once) {
    const auto f = compile([](const array& x) { return sum(x, {.axis = 0}); }, {.dynamic = {{{0, 0}, Dim("n", 1, 4096)}}});
    for (const std::int64_t n : {3, 1, 4096, 77}) f(ramp({n, 4}));
    BOOST_TEST(f.cache_info().compiles == 1U);
    BOOST_CHECK_THROW(f(ramp({5000, 4})), ValueError);
    BOOST_TEST(f.cache_info().compiles == 1U);
}

BOOST_AUTO_TEST_CASE(named_sizes_that_a_call_lacks_are_errors) {
    const auto total = [](const array& x, const array& y) { return sum(x) + sum(y); };
    const auto says = [](const char* words) {
        return [words](const Error& error) { return std::string_view(error.what()).find(words) != std::string_view::npos; };
    };
    const auto same = compile(total, {.dynamic = {{{0, 0}, Dim("n")}, {{1, -1}, Dim("n", 2)}}});
    for (const std::int64_t n : {3, 4, 5}) same(ramp({n}), ramp({2, n}));
    BOOST_TEST(same.cache_info().compiles == 1U);
    BOOST_CHECK_EXCEPTION(same(ramp({3}), ramp({2, 4})), ValueError, says("named n differ"));
    BOOST_CHECK_EXCEPTION(same(ramp({1}), ramp({2, 1})), ValueError, says("has size 1"));
    BOOST_CHECK_EXCEPTION(compile(total, {.dynamic = {{{0, 7}, Dim("n")}}})(ramp({3}), ramp({3})), AxisError, says("axis 7"));
    BOOST_CHECK_EXCEPTION(compile(total, {.dynamic = {{{5, 0}, Dim("n")}}})(ramp({3}), ramp({3})), IndexError, says("argument 5"));
    BOOST_CHECK_THROW(compile(total, {.dynamic = {{{0, 0}, Dim("n", 10, 4)}}}), ValueError);
    BOOST_CHECK_THROW(compile(total, {.dynamic = {{{0, 0}, Dim("n", 1, 4)}, {{1, 0}, Dim("n", 5)}}}), ValueError);
}

BOOST_AUTO_TEST_CASE(layouts_dtypes_and_plain_values_are_guarded) {
    const auto function = [](const array& x, double scale, bool negate) { return negate ? x * -scale : x * scale; };
    const auto f = compile(function, {.cache_size_limit = 32});
    const array x = ramp({6, 8});
    const array views[] = {x, x.T(), x(every(2)), x(all, every(-1)), broadcast_to(x[0], {5, 8}), x.astype(float64), x.astype(int32)};
    for (int round = 0; round < 2; ++round) {
        for (const array& view : views) {
            for (const double scale : {1.5, -2.0}) {
                for (const bool negate : {false, true}) BOOST_TEST(close(f(view, scale, negate), function(view, scale, negate)));
            }
        }
    }
    BOOST_TEST(f.cache_info().misses <= f.cache_info().hits);  // the second round has all
}

BOOST_AUTO_TEST_CASE(what_was_not_called_for_longest_makes_room) {
    const auto f = compile([](const array& x, double scale) { return x * scale; }, {.cache_size_limit = 2, .on_limit = OnLimit::evict});
    const array x = ramp({3});
    for (const double scale : {1.0, 2.0, 1.0, 3.0, 1.0}) BOOST_TEST(close(f(x, scale), x * scale));
    BOOST_TEST(f.cache_info().currsize == 2U);
    BOOST_TEST(f.cache_info().compiles == 3U);
    BOOST_CHECK_THROW(compile([](const array& v) { return v; }, {.cache_size_limit = 0}), ValueError);
}

BOOST_AUTO_TEST_CASE(structures_go_in_and_out) {
    const auto f = compile(member_free);
    const Options options{ramp({3}), ramp({3}) + 1.0F, 2.0, true};
    BOOST_TEST(close(f(options), member_free(options)));

    const auto pair = compile([](const std::tuple<array, array>& both, const std::vector<array>& more) {
        return std::make_pair(std::get<0>(both) + more[0], std::vector<array>{std::get<1>(both) * more[1], more[0]});
    });
    const array a = ramp({4});
    const auto result = pair(std::tuple(a, a + 1.0F), std::vector<array>{a, a});
    BOOST_TEST(close(result.first, a + a));
    BOOST_TEST(close(result.second[0], (a + 1.0F) * a));
    BOOST_TEST(result.second[1].data() == a.data());  // an argument returned is the argument
}

BOOST_AUTO_TEST_CASE(member_functions_and_captures) {
    Model model{ramp({5}), 0.5};
    const auto f = compile(&Model::apply, model);
    const array x = ramp({5}) + 3.0F;
    BOOST_TEST(close(f(x), model.apply(x)));

    const array captured = ramp({5});
    const auto g = compile([captured](const array& v) { return v + captured; });
    BOOST_TEST(close(g(x), x + captured));
    captured(all) = 7.0;  // new contents are seen
    BOOST_TEST(close(g(x), x + 7.0F));
}

BOOST_AUTO_TEST_CASE(views_of_arguments_stay_views) {
    const auto f = compile([](const array& x) { return x(range(1, 3)).T(); });
    const array x = ramp({4, 4});
    const array view = f(x);
    BOOST_TEST(view.data() == x(range(1, 3)).data());
    x(all) = 0.0;
    BOOST_TEST(view[0][0].item<float>() == 0.0F);
}

BOOST_AUTO_TEST_CASE(results_lie_in_memory_of_their_own) {
    const auto f = compile([](const array& x) {
        const array y = x + 1.0;
        return std::vector<array>{x * 1.0, x.copy(), x + 1.0, y, y.T(), y.reshape({-1})};
    });
    const array x = ramp({3, 4});
    for (int call = 0; call < 2; ++call) {
        const std::vector<array> results = f(x);
        for (const array& result : results) BOOST_TEST(result.data() != x.data());
        BOOST_TEST(results[0].data() != results[1].data());
        BOOST_TEST(results[2].data() != results[3].data());
        BOOST_TEST(results[3].data() == results[4].data());
        BOOST_TEST(results[3].data() == results[5].data());
    }
}

BOOST_AUTO_TEST_CASE(what_cannot_be_recorded_runs_as_written_and_says_why) {
    const auto f = compile([](const array& x) { return x.data() != nullptr ? x * 1.0F : -x; });
    const array x = ramp({3});
    BOOST_TEST(close(f(x), x));
    BOOST_TEST(close(f(x), x));
    BOOST_TEST(f.cache_info().uncompiled == 2U);
    BOOST_TEST(!f.entries()[0].uncompiled.empty());
    const auto strict = compile([](const array& v) { return v.data() != nullptr ? v : -v; }, {.fullgraph = true});
    BOOST_CHECK_THROW(strict(x), RecordError);
}

// What a function does after it caught that is not what it does as written.
BOOST_AUTO_TEST_CASE(a_refusal_that_is_caught_ends_the_recording_too) {
    const std::vector<std::pair<std::string, std::function<void(array&)>>> refused{
        {"an address", [](array& x) { (void)x.data(); }},
        {"elements", [](array& x) { (void)x.as_span<float>(); }},
        {"random numbers", [](array& x) { x += random::default_rng(1).random({3}).astype(float32); }},
        {"a tape", [](array&) { const Tape tape; }},
        {"a write through a reshape of a part",
         [](array& x) {
             array part = x.index({Slice{1}});
             part.reshape({1, 2}).index({ellipsis, Slice{1}}) = Scalar(7);
         }},
    };
    for (const auto& [name, step] : refused) {
        const auto function = [&step = step](const array& x) {
            array y = x.copy();
            try {
                step(y);
            } catch (const RecordError&) {
                y += 100.0F;
            }
            return y;
        };
        const auto compiled = compile(function);
        for (int call = 0; call < 2; ++call) BOOST_TEST(close(compiled(ramp({3})), function(ramp({3}))), name);
    }
}

BOOST_AUTO_TEST_CASE(errors_are_those_of_the_function) {
    const auto f = compile([](const array& x, const array& y) { return x + y; });
    BOOST_CHECK_EXCEPTION(f(ramp({2}), ramp({3})), ValueError, [](const ValueError& error) {
        return std::string(error.what()).find("operands could not be broadcast together with shapes (2,) (3,)") == 0;
    });
    BOOST_CHECK_THROW(compile([](const array& x) { return x; }, {.backend = "abacus"}), ValueError);
}

BOOST_AUTO_TEST_CASE(equal_kernels_share_code) {
    const auto make = [] { return compile([](const array& x) { return exp(x) * 3.25F - 1.0F; }); };
    const array x = ramp({11});
    const auto first = make();
    first(x);
    const auto second = make();
    second(x);
    double generated = 0;
    const auto entries = second.entries();
    for (const auto& [phase, ms] : entries[0].milliseconds) generated += phase == "generate" ? ms : 0;
    BOOST_TEST(generated == 0.0);
    BOOST_TEST(close(first(x), second(x)));
}

BOOST_AUTO_TEST_CASE(freed_code_is_made_anew) {
    const array x = ramp({13});
    for (int round = 0; round < 3; ++round) {
        const auto f = compile([](const array& v) { return log(v + 2.75F) * 1.5F; });
        BOOST_TEST(close(f(x), log(x + 2.75F) * 1.5F));
        f.cache_clear();
    }
}

BOOST_AUTO_TEST_CASE(the_eager_backend_gives_the_same) {
    const auto function = [](const array& x) { return sum(exp(x.T() / 10.0F), {.axis = 0}) + x(all, 0); };
    const auto f = compile(function, {.backend = "eager"});
    for (const std::int64_t n : {3, 5, 8}) BOOST_TEST(close(f(ramp({n, 4})), function(ramp({n, 4}))));
    BOOST_TEST(f.cache_info().compiles == 2U);
}

BOOST_AUTO_TEST_CASE(explain_names_kernels_guards_and_code) {
    const auto f = compile([](const array& x) { return sum(x * x, {.axis = 1}); });
    f(ramp({4, 4}));
    const auto entries = f.entries(true);
    BOOST_REQUIRE(entries.size() == 1U);
    BOOST_TEST(entries[0].kernels.size() == 1U);
    BOOST_TEST(entries[0].kernels[0].ops.size() == 2U);
    BOOST_TEST(!entries[0].guards.empty());
    BOOST_TEST(entries[0].llvm.find("define") != std::string::npos);
    BOOST_TEST(entries[0].assembly.find("ret") != std::string::npos);
    BOOST_TEST(entries[0].reason == "first call");
}

BOOST_AUTO_TEST_SUITE_END()
