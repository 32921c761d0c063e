// Terms: equal ones are one, constants are folded, and the solver knows of others that are equal.
#include "codegen/terms.h"

#include <boost/test/unit_test.hpp>
#include <limits>

#include "codegen/term_equality.h"
#include "codegen/term_memory.h"

using namespace fastnp::codegen;
using Answer = Solver::Answer;

namespace {

struct Fixture {
    Terms terms;
    TermEquality equality;

    Term place(TermType type, std::uint64_t address) { return terms.memory(type, address); }
    Term number(std::uint64_t bits) { return terms.constant(TermType::i64, bits); }
    Term make(TermOp op, std::initializer_list<Term> args, TermType type = TermType::i64) { return terms.make(op, type, args); }
    Answer compare(Term x, Term y) { return equality.compare(terms, x, y); }
    // Where there is no solver it does not know.
    void check_equal(Term x, Term y) {
        BOOST_TEST((x == y) == false);
        const Answer answer = compare(x, y);
        BOOST_TEST((answer == (equality.has_solver() ? Answer::equal : Answer::unknown)));
    }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(terms, Fixture)

BOOST_AUTO_TEST_CASE(equal_ones_are_one) {
    const Term x = place(TermType::f64, 8), y = place(TermType::f64, 16), one = terms.real(TermType::f64, 1);
    const auto real = [&](TermOp op, Term a, Term b) { return make(op, {a, b}, TermType::f64); };
    BOOST_TEST(real(TermOp::fadd, x, y) == real(TermOp::fadd, y, x));
    BOOST_TEST(real(TermOp::fsub, x, y) != real(TermOp::fsub, y, x));
    BOOST_TEST(real(TermOp::fsub, x, one) == real(TermOp::fadd, x, terms.real(TermType::f64, -1)));
    BOOST_TEST(real(TermOp::fadd, one, one) == terms.real(TermType::f64, 2));
    BOOST_TEST(make(TermOp::add, {number(5), number(~std::uint64_t{0})}) == number(4));
    BOOST_TEST(terms.negation(terms.negation(place(TermType::i1, 1))) == place(TermType::i1, 1));
    BOOST_TEST(make(TermOp::select, {terms.truth(false), x, y}, TermType::f64) == y);
    const double nan = std::numeric_limits<double>::quiet_NaN();
    BOOST_TEST(make(TermOp::fptrunc, {terms.real(TermType::f64, -nan)}, TermType::f32) == terms.real(TermType::f32, -nan));
    BOOST_TEST(real(TermOp::fadd, terms.real(TermType::f64, nan), one) == terms.real(TermType::f64, nan));
    // Neither is reassociated.
    BOOST_TEST(real(TermOp::fadd, real(TermOp::fadd, x, y), one) != real(TermOp::fadd, x, real(TermOp::fadd, y, one)));
}

BOOST_AUTO_TEST_CASE(integers_that_are_equal) {
    const Term x = place(TermType::i64, 8), y = place(TermType::i64, 16), ones = number(~std::uint64_t{0});
    const Term not_y = make(TermOp::bit_xor, {y, ones});
    check_equal(make(TermOp::bit_or, {make(TermOp::bit_and, {x, y}), make(TermOp::bit_and, {x, not_y})}),
                make(TermOp::bit_or, {x, make(TermOp::bit_and, {x, y})}));
    check_equal(make(TermOp::sub, {x, y}), make(TermOp::add, {make(TermOp::add, {x, not_y}), number(1)}));
    check_equal(make(TermOp::smax, {x, y}), make(TermOp::select, {make(TermOp::signed_less, {x, y}, TermType::i1), y, x}));
    BOOST_TEST((compare(make(TermOp::sub, {x, y}), make(TermOp::sub, {y, x})) == Answer::different));
    BOOST_TEST((compare(make(TermOp::smax, {x, y}), make(TermOp::umax, {x, y})) == Answer::different));
}

BOOST_AUTO_TEST_CASE(floats_are_known_by_their_bits_alone) {
    const Term x = place(TermType::f64, 8), y = place(TermType::f64, 16);
    const Term bits = make(TermOp::bitcast, {x});
    const Term flipped = make(TermOp::bitcast, {make(TermOp::bit_xor, {bits, number(std::uint64_t{1} << 63)})}, TermType::f64);
    const Term minus = make(TermOp::fneg, {x}, TermType::f64);
    check_equal(flipped, minus);
    // Functions of equal arguments are equal.
    check_equal(make(TermOp::sqrt, {flipped}, TermType::f64), make(TermOp::sqrt, {minus}, TermType::f64));
    BOOST_TEST((compare(make(TermOp::fdiv, {x, y}, TermType::f64), make(TermOp::fdiv, {y, x}, TermType::f64)) == Answer::different));
    BOOST_TEST((compare(make(TermOp::sqrt, {x}, TermType::f64), make(TermOp::floor, {x}, TermType::f64)) == Answer::different));
}

BOOST_AUTO_TEST_CASE(memory) {
    TermMemory held(terms);
    const std::uint64_t argument = held.add(TermMemory::Kind::argument), own = held.add(TermMemory::Kind::undefined, 16);
    const Term first = held.load(argument + 8, TermType::f64);
    BOOST_TEST(first == held.load(argument + 8, TermType::f64));
    BOOST_TEST(first != held.load(argument, TermType::f64));
    held.store(own + 8, first);
    BOOST_TEST(held.load(own + 8, TermType::f64) == first);
    BOOST_TEST((terms[held.load(own, TermType::f64)].op == TermOp::poison));
    BOOST_CHECK_THROW(held.load(own + 16, TermType::f64), OutOfBounds);
    BOOST_CHECK_THROW(held.load(own, TermType::f32), Unproved);
    const TermMemory::Span& loaded = held.loaded(TermMemory::region_of(argument));
    BOOST_TEST(loaded.low == 0);
    BOOST_TEST(loaded.high == 16);
}

BOOST_AUTO_TEST_SUITE_END()
