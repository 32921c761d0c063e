// What functions over recorded arrays leave in the graph, and the guards that they note.
#include "trace/recorder.h"

#include <boost/test/unit_test.hpp>
#include <optional>

#include "api/body.h"
#include "fastnp/fastnp.h"

using namespace fastnp;
using Size = fastnp::shape::Dim;
using fastnp::shape::SizeGuard;
using fastnp::trace::Recorder;

namespace {

// A recording of functions of x: float32[n, 3] and y: float32[m], with n = 4 and m = 3.
struct Recording {
    std::shared_ptr<Recorder> recorder = std::make_shared<Recorder>();
    Recorder::Scope scope{recorder};
    Size n = recorder->graph().sizes().symbol("n", 4);
    Size m = recorder->graph().sizes().symbol("m", 3);
    array x = api::wrap(recorder->graph().parameter(float32, {n, 3}), recorder);

    // Its parameter is there once it is asked for.
    const array& y() {
        if (!y_) y_ = api::wrap(recorder->graph().parameter(float32, {m}), recorder);
        return *y_;
    }
    std::optional<array> y_ = {};
    std::string text(const array& result) {
        recorder->graph().set_outputs({result.body()->value});
        return recorder->graph().text({.sizes = false});
    }
    std::vector<std::string> guards() const {
        std::vector<std::string> result;
        for (const SizeGuard& guard : recorder->graph().sizes().guards()) {
            const char* relation = guard.kind == SizeGuard::Kind::zero ? " == 0" : guard.kind == SizeGuard::Kind::nonzero ? " != 0" : " >= 0";
            result.push_back(recorder->graph().sizes().text(guard.expression) + relation);
        }
        return result;
    }
};

using Guards = std::vector<std::string>;

template <class E, class F>
std::string message(F&& f) {
    try {
        f();
    } catch (const E& error) {
        return error.what();
    }
    return "no such error";
}

}  // namespace

BOOST_AUTO_TEST_SUITE(recorder)

BOOST_AUTO_TEST_CASE(plain_numbers_become_constants_of_the_loop_dtype) {
    Recording r;
    BOOST_TEST(r.text(r.x * 2 + 0.5) ==
               "%0 = parameter (0) : float32[n, 3]\n"
               "%1 = constant 2.0 : float32[n, 3]\n"
               "%2 = multiply %0, %1 : float32[n, 3]\n"
               "%3 = constant 0.5 : float32[n, 3]\n"
               "%4 = add %2, %3 : float32[n, 3]\n"
               "return %4\n");
    BOOST_TEST(r.guards().empty());
}

BOOST_AUTO_TEST_CASE(broadcasts_and_casts_are_nodes_and_sizes_that_meet_are_tied) {
    Recording r;
    const std::string text = r.text(r.x + r.y().astype(float64));
    for (const char* part : {"cast %0 : float64[n, 3]", "cast %1 : float64[m]", "broadcast_to %2 : float64[n, 3]", "add"}) {
        BOOST_TEST(text.find(part) != std::string::npos, text);
    }
    BOOST_TEST(r.guards() == Guards{"m - 3 == 0"}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(equal_computations_are_recorded_once) {
    Recording r;
    const std::size_t before = (exp(r.x) + 1).body()->value->id;
    BOOST_TEST((exp(r.x) + 1).body()->value->id == before);
}

BOOST_AUTO_TEST_CASE(mean_divides_by_a_size_that_follows_the_argument) {
    Recording r;
    BOOST_TEST(r.text(mean(r.x, {.axis = 0})) ==
               "%0 = parameter (0) : float32[n, 3]\n"
               "%1 = sum %0 (0) : float32[3]\n"
               "%2 = extent [n] : int64[]\n"
               "%3 = cast %1 : float64[3]\n"
               "%4 = cast %2 : float64[]\n"
               "%5 = broadcast_to %4 : float64[3]\n"
               "%6 = divide %3, %5 : float64[3]\n"
               "%7 = cast %6 : float32[3]\n"
               "return %7\n");
    BOOST_TEST(r.guards().empty());
}

BOOST_AUTO_TEST_CASE(slices_count_from_symbolic_ends) {
    Recording r;
    BOOST_TEST(r.text(r.x(every(-1), range(1, -1))) ==
               "%0 = parameter (0) : float32[n, 3]\n"
               "%1 = slice %0 (-1, 1) [n - 1, 1, n, 1] : float32[n, 1]\n"
               "return %1\n");
    BOOST_TEST(r.guards().empty());
    r.x(from(2));
    BOOST_TEST(r.guards() == Guards{"n - 2 >= 0"}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(integers_leave_axes_out_and_newaxis_puts_them_in) {
    Recording r;
    BOOST_TEST(r.text(r.x(-1, newaxis, all)) ==
               "%0 = parameter (0) : float32[n, 3]\n"
               "%1 = slice %0 (1, 1) [n - 1, 0, 1, 3] : float32[1, 3]\n"
               "%2 = squeeze %1 (0) : float32[3]\n"
               "%3 = expand_dims %2 (0) : float32[1, 3]\n"
               "return %3\n");
    BOOST_TEST(r.guards() == Guards{"n - 1 >= 0"}, boost::test_tools::per_element());
    BOOST_TEST(message<IndexError>([&] { r.x(7, 0); }) == "index 7 is out of bounds for axis 0 with size 4");
}

BOOST_AUTO_TEST_CASE(an_open_size_of_a_reshape_stays_symbolic) {
    Recording r;
    BOOST_TEST((reshape(r.x, {-1}).body()->value->shape == shape::Dims{r.recorder->graph().sizes().multiply(r.n, 3)}));
    BOOST_TEST(r.guards().empty());
}

BOOST_AUTO_TEST_CASE(reading_a_shape_ties_the_recording_to_it) {
    Recording r;
    BOOST_TEST((r.x.shape() == Shape{4, 3}));
    BOOST_TEST(r.x.shape(1) == 3);
    BOOST_TEST(r.x.ndim() == 2);
    BOOST_TEST(r.guards() == Guards{"n - 4 == 0"}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(keepdims_where_and_initial_are_compositions) {
    Recording r;
    const std::string text = r.text(max(r.x, {.axis = 1, .keepdims = true, .initial = 0, .where = r.x < 5}));
    for (const char* part : {"select", "max", "maximum", "expand_dims"}) BOOST_TEST(text.find(part) != std::string::npos, part);
}

BOOST_AUTO_TEST_CASE(arrays_from_outside_are_captured_once) {
    const array table({1.F, 2.F, 3.F});
    const array reversed = table(every(-1));
    Recording r;
    const array result = r.x + table + table;
    BOOST_REQUIRE(r.recorder->captured().size() == 1U);
    BOOST_TEST(r.recorder->captured()[0].data == table.data());
    BOOST_TEST(r.recorder->graph().parameters().size() == 2U);
    r.x + table(every(-1));  // a slice of what is captured already
    BOOST_TEST(r.recorder->captured().size() == 1U);
    r.x + reversed;
    BOOST_TEST(r.recorder->captured().size() == 2U);
}

BOOST_AUTO_TEST_CASE(arrays_made_inside_are_values_of_the_recording) {
    Recording r;
    BOOST_TEST(r.text(r.x * array(2.5F)).find("constant 2.5") != std::string::npos);
    BOOST_TEST(full({3}, 2.0).is_recorded());
    BOOST_TEST(arange(3).is_recorded());
    BOOST_TEST((zeros_like(r.x).body()->value->shape == shape::Dims{r.n, 3}));
    BOOST_TEST(r.recorder->captured().empty());
    BOOST_TEST(r.guards().empty());
}

BOOST_AUTO_TEST_CASE(a_size_that_is_one_and_repeats_is_named_one) {
    auto recorder = std::make_shared<Recorder>();
    const Recorder::Scope scope(recorder);
    auto& sizes = recorder->graph().sizes();
    const Size n = sizes.symbol("n", 1), m = sizes.symbol("m", 5);
    const array x = api::wrap(recorder->graph().parameter(float32, {n}), recorder);
    const array y = api::wrap(recorder->graph().parameter(float32, {m}), recorder);
    recorder->graph().set_outputs({(x + y).body()->value});
    BOOST_TEST(recorder->graph().text({.sizes = false}) ==
               "%0 = parameter (0) : float32[n]\n"
               "%1 = parameter (1) : float32[m]\n"
               "%2 = slice %0 (1) [0, 1] : float32[1]\n"
               "%3 = broadcast_to %2 : float32[m]\n"
               "%4 = add %3, %1 : float32[m]\n"
               "return %4\n");
    BOOST_REQUIRE(sizes.guards().size() == 1U);
    BOOST_TEST(sizes.text(sizes.guards()[0].expression) == "n - 1");
}

BOOST_AUTO_TEST_CASE(what_cannot_be_recorded_says_so) {
    Recording r;
    for (const std::string& text : {message<RecordError>([&] { r.x.data(); }), message<RecordError>([&] { (void)to_string(r.x); })}) {
        BOOST_TEST(text.find("inside a compiled function the array stands for a value that is not computed yet") != std::string::npos);
    }
}

BOOST_AUTO_TEST_CASE(strides_that_do_not_vary_are_known) {
    Recording r;
    const array made = zeros({2, 3}) + 1;
    BOOST_TEST((made.strides() == Strides{24, 8}));
    BOOST_TEST((transpose(made).strides() == Strides{8, 24}));
}

BOOST_AUTO_TEST_CASE(recorded_arrays_end_with_their_recording) {
    std::optional<array> kept;
    {
        Recording r;
        kept = r.x;
        const Recorder::Scope pause(nullptr);
        BOOST_TEST((array(1.0) + 1).item<double>() == 2);
    }
    BOOST_TEST(message<RecordError>([&] { *kept + 1; }).find("was used after its recording ended") != std::string::npos);
    BOOST_TEST(message<RecordError>([&] { kept->shape(); }).find("was used after its recording ended") != std::string::npos);
    BOOST_TEST((kept->dtype() == float32));
    Recording other;
    BOOST_TEST(message<RecordError>([&] { *kept + other.y(); }) == "an array of one recording was used in another");
}

BOOST_AUTO_TEST_CASE(errors_name_the_sizes_at_hand) {
    Recording r;
    BOOST_TEST(message<ValueError>([&] { r.x + concatenate({r.y(), r.y()}); }) == "operands could not be broadcast together with shapes (4,3) (6,) ");
    BOOST_TEST(message<ValueError>([&] { reshape(r.x, {5}); }) == "cannot reshape array of size 12 into shape (5,)");
}

BOOST_AUTO_TEST_SUITE_END()
