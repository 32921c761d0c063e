#include "ir/parse_pieces.h"

#include <bit>
#include <cmath>
#include <complex>
#include <limits>

namespace fastnp::ir {

using shape::Dim;
using shape::Dims;
using shape::Sizes;

namespace {

constexpr const char* too_big = "a size that is too big";

// "nan(0x7ff8000000000001)", "-inf", "1e-05".
double floating(Scanner& in) {
    const std::size_t start = in.place();
    const std::string_view text = in.peek_of(number_signs);
    in.take(text.size());
    if (text == "nan" && in.takes("(0x")) {
        const auto bits = number_in<std::uint64_t>(in.peek_of("0123456789abcdef"), 16);
        const double value = std::bit_cast<double>(bits.value_or(0));
        if (!bits || !std::isnan(value)) in.expected("the bits of a NaN");
        in.take(in.peek_of("0123456789abcdef").size());
        in.take(")");
        return value;
    }
    if (text == "nan" || text == "-nan") return std::copysign(std::numeric_limits<double>::quiet_NaN(), text[0] == '-' ? -1.0 : 1.0);
    const auto value = number_in<double>(text);
    if (value) return *value;
    in.go(start);
    in.expected("a number");
}

}  // namespace

std::int64_t integer(Scanner& in) {
    const std::size_t start = in.place();
    const bool is_negative = in.takes("-");
    const auto value = number_in<std::uint64_t>(in.peek_of("0123456789"));
    constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    if (!value && in.peek_of("0123456789").empty()) in.expected("a whole number");
    if (!value || *value > most + (is_negative ? 1 : 0)) {
        in.go(start);
        in.fail("a number beyond 64 bits");
    }
    in.take(in.peek_of("0123456789").size());
    return static_cast<std::int64_t>(is_negative ? 0 - *value : *value);
}

Dtype dtype(Scanner& in) {
    const std::string_view name = in.word();
    for (std::size_t i = 0; i < static_cast<std::size_t>(dtype_count); ++i) {
        const auto each = static_cast<Dtype>(i);
        if (fastnp::name_of(each) != name) continue;
        in.take(name.size());
        return each;
    }
    in.expected("a dtype");
}

Scalar scalar(Scanner& in) {
    if (in.takes_word("true")) return Scalar(true);
    if (in.takes_word("false")) return Scalar(false);
    if (in.takes("(")) {
        const double real = floating(in);
        in.take(",");
        const double imag = floating(in);
        in.take(")");
        return Scalar(std::complex<double>(real, imag));
    }
    const std::string_view text = in.peek_of(number_signs);
    if (text.find_first_of(".en") != std::string_view::npos) return Scalar(floating(in));
    if (const auto small = number_in<std::int64_t>(text)) {
        in.take(text.size());
        return Scalar(*small);
    }
    const auto big = number_in<std::uint64_t>(text);
    if (!big) in.expected("a number");
    in.take(text.size());
    return Scalar(*big);
}

void SizeParser::declarations() {
    in_.skip_empty_lines();
    while (true) {
        if (in_.takes_word("size")) {
            declaration(false);
        } else if (in_.takes_word("found")) {
            if (!in_.takes_word("size")) in_.expected("'size'");
            declaration(true);
        } else if (in_.takes_word("guard")) {
            guard();
        } else {
            break;
        }
        in_.end_line();
    }
}

// "n = 8 in 0..100", or a quotient that is to be known from here on.
void SizeParser::declaration(bool is_found) {
    const std::size_t start = in_.place();
    if (!is_found && !in_.sees("`") && in_.word().empty()) return (void)sum();
    const std::string name = this->name();
    if (!in_.takes("=")) {
        in_.go(start);
        if (is_found) in_.expected("a name and '='");
        return (void)sum();
    }
    if (named_.contains(name)) {
        in_.go(start);
        in_.fail("there is a size '" + name + "' already");
    }
    const std::int64_t hint = integer(in_);
    std::int64_t low = 0, high = std::numeric_limits<std::int64_t>::max();
    if (in_.takes_word("in")) {
        if (!in_.sees("..")) low = integer(in_);
        in_.take("..");
        if (!in_.at_line_end()) high = integer(in_);
    }
    const Dim size = is_found ? sizes_.bound_symbol(hint, low, high) : sizes_.symbol(name, hint, low, high);
    if (is_found && sizes_.expression(size).name != name) {
        in_.go(start);
        in_.fail("expected '" + sizes_.expression(size).name + "': sizes that are found are numbered");
    }
    named_.emplace(name, size);
}

void SizeParser::guard() {
    const Dim expression = sum();
    using Kind = shape::SizeGuard::Kind;
    const Kind kind = in_.takes("==") ? Kind::zero : in_.takes("!=") ? Kind::nonzero : Kind::nonnegative;
    if (kind == Kind::nonnegative) in_.take(">=");
    if (integer(in_) != 0) in_.fail("expected a comparison with 0");
    if (expression.is_constant()) in_.fail("expected a condition on sizes");
    // Asking for it notes it, unless it is known from the ranges.
    const bool holds = kind == Kind::nonnegative ? sizes_.at_least(expression, Dim(0)) : sizes_.equal(expression, Dim(0)) == (kind == Kind::zero);
    if (!holds) in_.fail("a guard that does not hold for the sizes at hand");
}

Dims SizeParser::dims() {
    Dims all;
    list(in_, "[", "]", [&] { all.push_back(sum()); });
    return all;
}

std::string SizeParser::name() {
    if (!in_.takes("`")) return in_.take_word("a size");
    const std::string name(in_.take_until("`\n"));
    in_.take("`");
    return name;
}

// What does not fit is an error of the text, not of arrays.
template <class Make>
Dim SizeParser::checked(const Make& make) {
    try {
        const Dim made = make();
        if (!made.is_constant() || (made.value() < Dim::too_big && made.value() > -Dim::too_big)) return made;
    } catch (const ValueError&) {
        in_.fail(too_big);
    }
    in_.fail(too_big);
}
Dim SizeParser::plus(Dim a, Dim b) {
    return checked([&] { return sizes_.add(a, b); });
}
Dim SizeParser::minus(Dim a, Dim b) {
    return checked([&] { return sizes_.subtract(a, b); });
}
Dim SizeParser::times(Dim a, Dim b) {
    return checked([&] { return sizes_.multiply(a, b); });
}
Dim SizeParser::over(Dim a, Dim b) {
    if (sizes_.hint(b) == 0) in_.fail("a size divided by zero");
    return checked([&] { return sizes_.divide(a, b); });
}

Dim SizeParser::sum() {
    if (++depth_ > most_nested) in_.fail("too many parentheses");
    Dim result = signed_product();
    while (true) {
        if (in_.takes("+")) result = plus(result, product());
        else if (in_.takes("-")) result = minus(result, product());
        else break;
    }
    --depth_;
    return result;
}

Dim SizeParser::product() {
    Dim result = factor();
    while (true) {
        if (in_.takes("*")) result = times(result, factor());
        else if (in_.takes("//")) result = over(result, factor());
        else return result;
    }
}

Dim SizeParser::factor() {
    if (in_.takes("(")) {
        const Dim inside = sum();
        in_.take(")");
        return inside;
    }
    if (!in_.peek_of("0123456789").empty()) {
        const std::int64_t number = integer(in_);
        if (number >= Dim::too_big) in_.fail("a size that is too big");
        return Dim(number);
    }
    const std::size_t start = in_.place();
    const std::string name = this->name();
    const auto found = named_.find(name);
    if (found != named_.end()) return found->second;
    in_.go(start);
    in_.fail("there is no size '" + name + "'");
}

Dim SizeParser::signed_product() { return in_.takes("-") ? minus(Dim(0), product()) : product(); }

}  // namespace fastnp::ir
