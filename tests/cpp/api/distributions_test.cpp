// Draws of other distributions than the ziggurats', against NumPy's (by numpy.random.default_rng(7)).
#include <array>

#include <boost/test/unit_test.hpp>

#include "fastnp/fastnp.h"

using namespace fastnp;

namespace {

using random::Generator;

// What is drawn, and what random() gives after it: the stream is where NumPy's is.
template <class Draw>
array drawn(Draw draw, double next) {
    Generator generator = random::default_rng(7);
    const array made = draw(generator);
    BOOST_TEST(generator.random({}).item<double>() == next);
    return made;
}

template <class Draw>
void draws(Draw draw, const std::array<double, 3>& wanted, double next) {
    const array made = drawn(draw, next);
    BOOST_REQUIRE(made.shape() == Shape{3});
    const array reals = made.astype(float64);
    for (std::int64_t i = 0; i < 3; ++i) BOOST_TEST(reals(i).item<double>() == wanted[static_cast<std::size_t>(i)]);
}

template <class Draw>
void gives(Draw draw, const array& wanted, double next) {
    const array made = drawn(draw, next);
    BOOST_TEST((made.shape() == wanted.shape() && kind_of(made.dtype()) == kind_of(wanted.dtype())));
    BOOST_TEST(all(made == wanted).item<bool>());
}

}  // namespace

BOOST_AUTO_TEST_SUITE(distributions)

BOOST_AUTO_TEST_CASE(draws_are_numpys) {
    draws([](Generator& g) { return g.beta(2.0, 3.0, Shape{3}); }, {0.42646307166070735, 0.29292008022034727, 0.23800255202888967}, 0.2548695876541246);
    draws([](Generator& g) { return g.binomial(10, 0.3, Shape{3}); }, {3.0, 5.0, 4.0}, 0.22520718999059186);
    draws([](Generator& g) { return g.binomial(1000, 0.4, Shape{3}); }, {400.0, 391.0, 386.0}, 0.005265304565574724);
    draws([](Generator& g) { return g.chisquare(2.5, Shape{3}); }, {1.835689906671183, 1.3569064240962974, 1.0932501159344448}, 0.005265304565574724);
    draws([](Generator& g) { return g.f(2.0, 3.0, Shape{3}); }, {0.6982138661452305, 1.8113481513458871, 0.004439474202795167}, 0.4679349528437208);
    draws([](Generator& g) { return g.gamma(2.0, 0.5, Shape{3}); }, {0.8341276461507185, 0.6686078478521537, 0.5729505992933469}, 0.005265304565574724);
    draws([](Generator& g) { return g.gamma(0.3, 2.0, Shape{3}); }, {0.4176871936101812, 0.9009158450903044, 0.03621621246491474}, 0.005265304565574724);
    draws([](Generator& g) { return g.geometric(0.2, Shape{3}); }, {4.0, 5.0, 3.0}, 0.22520718999059186);
    draws([](Generator& g) { return g.geometric(0.5, Shape{3}); }, {2.0, 4.0, 3.0}, 0.22520718999059186);
    draws([](Generator& g) { return g.gumbel(1.0, 2.0, Shape{3}); }, {1.0381946715549648, -0.6440516944891159, 0.1961395416426227}, 0.22520718999059186);
    draws([](Generator& g) { return g.hypergeometric(20, 30, 12, Shape{3}); }, {5.0, 2.0, 4.0}, 0.5045482589579533);
    draws([](Generator& g) { return g.laplace(1.0, 2.0, Shape{3}); }, {1.5758733649492145, 4.163914010180719, 2.6031197230799465}, 0.22520718999059186);
    draws([](Generator& g) { return g.logistic(1.0, 2.0, Shape{3}); }, {2.02246593738343, 5.333286182924991, 3.481398325813982}, 0.22520718999059186);
    draws([](Generator& g) { return g.lognormal(0.5, 0.25, Shape{3}); }, {1.6492283936776866, 1.7765732784023835, 1.539512081700141}, 0.22520718999059186);
    draws([](Generator& g) { return g.logseries(0.7, Shape{3}); }, {2.0, 1.0, 2.0}, 0.8735534453962619);
    draws([](Generator& g) { return g.negative_binomial(3, 0.4, Shape{3}); }, {4.0, 11.0, 1.0}, 0.5148888202713703);
    draws([](Generator& g) { return g.noncentral_chisquare(3.0, 1.5, Shape{3}); }, {3.7360815375943117, 1.2487555639852124, 0.4674003331392536},
          0.005265304565574724);
    draws([](Generator& g) { return g.noncentral_f(3.0, 4.0, 1.5, Shape{3}); }, {1.862617252447833, 0.17851388624460723, 0.4241676024205016},
          0.2548695876541246);
    draws([](Generator& g) { return g.pareto(2.5, Shape{3}); }, {0.32712069211301603, 0.5069403536285398, 0.25535633299114857}, 0.22520718999059186);
    draws([](Generator& g) { return g.poisson(3.0, Shape{3}); }, {4.0, 1.0, 4.0}, 0.2548695876541246);
    draws([](Generator& g) { return g.poisson(40.0, Shape{3}); }, {42.0, 45.0, 36.0}, 0.005265304565574724);
    draws([](Generator& g) { return g.power(2.5, Shape{3}); }, {0.762168508434848, 0.837178616251644, 0.7159076774940045}, 0.22520718999059186);
    draws([](Generator& g) { return g.rayleigh(1.5, Shape{3}); }, {1.7843434790038737, 2.1478861858411102, 1.5995214778878812}, 0.22520718999059186);
    draws([](Generator& g) { return g.standard_gamma(1.5, Shape{3}); }, {1.1679958886444466, 0.8949080306746432, 0.7412516441939133},
          0.005265304565574724);
    draws([](Generator& g) { return g.standard_t(4.0, Shape{3}); }, {0.0012054361434971396, -1.1765763702539405, 0.04218830743662033}, 0.4679349528437208);
    draws([](Generator& g) { return g.triangular(-1.0, 0.5, 2.0, Shape{3}); }, {0.7011272578581846, 1.3198986137075515, 0.9953038300577486},
          0.22520718999059186);
    draws([](Generator& g) { return g.vonmises(0.5, 4.0, Shape{3}); }, {1.2149921836439237, 0.6837675308456728, 0.5041274266224884}, 0.4679349528437208);
    draws([](Generator& g) { return g.wald(1.0, 2.0, Shape{3}); }, {1.0008702281825663, 0.8240347992602974, 1.3773095836740696}, 0.005265304565574724);
    draws([](Generator& g) { return g.weibull(1.5, Shape{3}); }, {0.794016635652289, 1.016732432600589, 0.6862964601706744}, 0.22520718999059186);
    draws([](Generator& g) { return g.zipf(2.5, Shape{3}); }, {1.0, 2.0, 1.0}, 0.005265304565574724);
    draws([](Generator& g) { return g.standard_cauchy(Shape{3}); }, {0.004117729649594172, 0.30781536887284716, 0.4585008467793694}, 0.005265304565574724);
}

BOOST_AUTO_TEST_CASE(parameters_are_broadcast) {
    draws([](Generator& g) { return g.gamma(array{0.5, 2.0, 9.0}, 2.0); }, {0.8293904490318487, 2.6744313914086146, 14.791756249204727},
          0.005265304565574724);
    random::Generator generator = random::default_rng(7);
    random::Generator other = random::default_rng(7);
    const array counts = other.binomial(array{5, 50}(all, newaxis), array{0.1, 0.9});
    BOOST_TEST((counts.shape() == Shape{2, 2} && counts.dtype() == int64));
    BOOST_TEST(all(counts == array{{1, 4}, {7, 47}}).item<bool>());
    BOOST_TEST(generator.poisson(2.0).ndim() == 0);
    BOOST_TEST((generator.beta(array{1.0, 2.0}, 1.0, Shape{3, 2}).shape() == Shape{3, 2}));
    BOOST_TEST(generator.wald(1.0, 1.0, Shape{0, 2}).size() == 0);
}

BOOST_AUTO_TEST_CASE(draws_of_several_numbers_and_of_elements) {
    gives([](Generator& g) { return g.multinomial(20, array{0.2, 0.3, 0.5}, Shape{2}); }, array{{4, 8, 8}, {5, 4, 11}}, 0.30016628491122543);
    gives([](Generator& g) { return g.multivariate_hypergeometric(array{5, 7, 9}, 6, Shape{2}); }, array{{2, 2, 2}, {1, 5, 0}}, 0.5045482589579533);
    gives([](Generator& g) { return g.dirichlet(array{1.0, 2.0, 0.5}, Shape{2}); },
          array{{0.24903289824661687, 0.7331155150289083, 0.01785158672447499}, {0.5608252204169194, 0.2893140195441631, 0.1498607600389175}},
          0.3030324268193135);
    gives([](Generator& g) { return g.dirichlet(array{0.05, 0.02, 0.01}, Shape{2}); },
          array{{0.0030741496113893666, 0.9969258503886106, 0.0}, {3.1934160356619374e-09, 4.2148091548122955e-106, 0.9999999968065839}},
          0.7970694287520462);
    gives([](Generator& g) { return g.choice(array(10), Shape{4}); }, array{9, 6, 6, 8}, 0.7756856902451935);
    gives([](Generator& g) { return g.choice(array(10), Shape{2, 2}); }, array{{9, 6}, {6, 8}}, 0.7756856902451935);
    gives([](Generator& g) { return g.choice(array{1.5, 2.5, 3.5}, Shape{4}, {.p = array{0.2, 0.5, 0.3}}); }, array{2.5, 3.5, 3.5, 2.5},
          0.30016628491122543);
    gives([](Generator& g) { return g.choice(array(10), Shape{4}, {.replace = false}); }, array{6, 5, 9, 8}, 0.30016628491122543);
    gives([](Generator& g) { return g.choice(array(10), Shape{4}, {.replace = false, .shuffle = false}); }, array{6, 5, 8, 9}, 0.7756856902451935);
    gives([](Generator& g) { return g.choice(array(5), Shape{3}, {.replace = false, .p = array{0.1, 0.2, 0.3, 0.2, 0.2}}); }, array{3, 4, 1},
          0.30016628491122543);
    gives([](Generator& g) { return g.choice(array{{1, 2, 3}, {4, 5, 6}}, Shape{2}, {.axis = 1}); }, array{{3, 2}, {6, 5}}, 0.8972138009695755);
    gives([](Generator& g) { return g.choice(array(20000), Shape{600}, {.replace = false})(range(0, 4)); }, array{7663, 11703, 15078, 1707},
          0.6412291106098151);
    gives([](Generator& g) { return g.permutation(6); }, array{5, 2, 0, 4, 1, 3}, 0.22520718999059186);
    gives([](Generator& g) { return g.permutation(array{{1, 2, 3}, {4, 5, 6}}, 1); }, array{{1, 3, 2}, {4, 6, 5}}, 0.7756856902451935);
    gives([](Generator& g) { return g.permutation(array{1.5, 2.5, 3.5}); }, array{1.5, 3.5, 2.5}, 0.7756856902451935);
    gives([](Generator& g) { return g.permuted(array{{1, 2, 3}, {4, 5, 6}}, 1); }, array{{1, 3, 2}, {5, 6, 4}}, 0.22520718999059186);
    gives([](Generator& g) { return g.permuted(array{{1, 2, 3}, {4, 5, 6}}, 0); }, array{{1, 2, 3}, {4, 5, 6}}, 0.7756856902451935);
    gives([](Generator& g) { return g.permuted(array{{1, 2, 3}, {4, 5, 6}}); }, array{{6, 3, 1}, {5, 2, 4}}, 0.22520718999059186);
}

BOOST_AUTO_TEST_CASE(vectors_bytes_and_order_in_place) {
    random::Generator generator = random::default_rng(7);
    const array vectors = generator.multivariate_normal(array{1.0, 2.0}, array{{2.0, 0.5}, {0.5, 1.0}}, Shape{2});
    BOOST_TEST(all(absolute(vectors - array{{0.8965114025303489, 2.245067939002629}, {1.6797438710137458, 1.4231966680817751}}) < 1e-14).item<bool>());
    BOOST_TEST(random::default_rng(7).bytes(6) == "\x8b\x4a\xe5\xf1\xa9\x41");
    const array x = arange(5.0);
    random::default_rng(7).shuffle(x);
    BOOST_TEST(all(x == array{2.0, 0.0, 4.0, 1.0, 3.0}).item<bool>());
    BOOST_CHECK_THROW(generator.choice(array(3), Shape{4}, {.replace = false}), ValueError);
    BOOST_CHECK_THROW(generator.choice(array{1.0, 2.0}, Shape{1}, {.p = array{0.5, 0.4}}), ValueError);
    BOOST_CHECK_THROW(generator.multinomial(-1, array{1.0}), ValueError);
}

BOOST_AUTO_TEST_CASE(bad_parameters_are_refused_in_numpys_words) {
    random::Generator generator = random::default_rng(7);
    const double before = random::Generator(generator).random({}).item<double>();
    const auto says = [](const char* words) { return [words](const ValueError& error) { return std::string(error.what()) == words; }; };
    BOOST_CHECK_EXCEPTION(generator.gamma(-1.0), ValueError, says("shape < 0"));
    BOOST_CHECK_EXCEPTION(generator.binomial(5, 2.0), ValueError, says("p < 0, p > 1 or p is NaN"));
    BOOST_CHECK_EXCEPTION(generator.binomial(5, array{0.5, 2.0}), ValueError, says("p < 0, p > 1 or p contains NaNs"));
    BOOST_CHECK_EXCEPTION(generator.triangular(1.0, 3.0, 2.0), ValueError, says("mode > right"));
    BOOST_CHECK_EXCEPTION(generator.hypergeometric(1, 1, 3), ValueError, says("ngood + nbad < nsample"));
    BOOST_CHECK_EXCEPTION(generator.poisson(1e20), ValueError, says("lam value too large"));
    BOOST_CHECK_EXCEPTION(generator.beta(array{1.0, 2.0}, 1.0, Shape{3}), ValueError,
                          says("Output size (3,) is not compatible with broadcast dimensions of inputs (2,)."));
    BOOST_CHECK_THROW(generator.binomial(5.5, 0.5), TypeError);
    BOOST_TEST(generator.random({}).item<double>() == before);  // nothing was drawn
}

BOOST_AUTO_TEST_SUITE_END()
