// Symbolic sizes: canonical polynomials over symbols and floor quotients, so that equal expressions are one Dim, with exact intervals to
// decide comparisons that hold for all sizes.
#include "shape/dim.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <utility>

#include "base/hash.h"
#include "base/planted.h"
#include "fastnp/error.h"

namespace fastnp::shape {

namespace {

using Wide = __int128;
using Atoms = SmallVector<std::uint32_t, 2>;

constexpr std::int64_t infinity = std::numeric_limits<std::int64_t>::max();

// Numbers at the ends stand for "no bound".
std::int64_t clamp(Wide value) {
    if (value >= infinity) return infinity;
    return value <= -Wide(infinity) ? -infinity : static_cast<std::int64_t>(value);
}

std::int64_t floor_quotient(std::int64_t a, std::int64_t b) {
    const std::int64_t quotient = a / b;
    return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

struct Interval {
    std::int64_t low, high;
};

Interval plus(Interval a, Interval b) { return {clamp(Wide(a.low) + b.low), clamp(Wide(a.high) + b.high)}; }

Interval times(Interval a, Interval b) {
    const Wide corners[] = {Wide(a.low) * b.low, Wide(a.low) * b.high, Wide(a.high) * b.low, Wide(a.high) * b.high};
    return {clamp(*std::min_element(corners, corners + 4)), clamp(*std::max_element(corners, corners + 4))};
}

Interval over(Interval a, Interval b) {
    if (b.low < 1) {
        if (a.low < 0 || b.low < 0) return {-infinity, infinity};
        return {0, a.high};  // a size over a size that a guard keeps from being zero
    }
    const std::int64_t corners[] = {floor_quotient(a.low, b.low), floor_quotient(a.low, b.high), floor_quotient(a.high, b.low),
                                    floor_quotient(a.high, b.high)};
    return {a.low == -infinity ? -infinity : *std::min_element(corners, corners + 4),
            a.high == infinity ? infinity : *std::max_element(corners, corners + 4)};
}

// Of a polynomial, by the values of its atoms, which may be any numbers.
template <class F>
std::int64_t sum_of(const Sizes::Expression& expression, F value_of) {
    std::int64_t sum = expression.constant;
    for (const Sizes::Term& term : expression.terms) {
        std::int64_t product = term.coefficient;
        bool is_big = false, is_zero = product == 0;
        for (const std::uint32_t atom : term.atoms) {
            const std::int64_t value = value_of(atom);
            is_zero = is_zero || value == 0;
            is_big = __builtin_mul_overflow(product, value, &product) || is_big;
        }
        if (is_zero) continue;
        if (is_big || __builtin_add_overflow(sum, product, &sum)) return Dim::too_big;
    }
    return sum;
}

// Terms in order: higher degrees first, then by atoms. A monomial order, so that long division ends.
bool precedes(const Atoms& a, const Atoms& b) {
    if (a.size() != b.size()) return a.size() > b.size();
    return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end());
}

// Adds coefficient * atoms, keeping the terms sorted and without zeros.
void accumulate(std::vector<Sizes::Term>& terms, std::int64_t coefficient, const Atoms& atoms) {
    const auto at =
        std::lower_bound(terms.begin(), terms.end(), atoms, [](const Sizes::Term& term, const Atoms& key) { return precedes(term.atoms, key); });
    if (at == terms.end() || !(at->atoms == atoms)) {
        if (coefficient != 0) terms.insert(at, {coefficient, atoms});
        return;
    }
    at->coefficient += coefficient;
    if (at->coefficient == 0) terms.erase(at);
}

Atoms joined(const Atoms& a, const Atoms& b) {
    Atoms result;
    result.resize(a.size() + b.size());
    std::merge(a.begin(), a.end(), b.begin(), b.end(), result.begin());
    return result;
}

// a without the atoms of b; false where b does not divide a.
bool without(const Atoms& a, const Atoms& b, Atoms& rest) {
    if (!std::includes(a.begin(), a.end(), b.begin(), b.end())) return false;
    rest.clear();
    std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(rest));
    return true;
}

std::size_t hash_of(const Sizes::Expression& expression) {
    std::size_t hash = base::mix(static_cast<std::size_t>(expression.kind), static_cast<std::uint64_t>(expression.constant));
    for (const Sizes::Term& term : expression.terms) {
        hash = base::mix(hash, static_cast<std::uint64_t>(term.coefficient));
        for (const std::uint32_t atom : term.atoms) hash = base::mix(hash, atom);
    }
    hash = base::mix(hash, static_cast<std::uint64_t>(expression.dividend.raw()));
    return base::mix(hash, static_cast<std::uint64_t>(expression.divisor.raw()));
}

bool same(const Sizes::Expression& a, const Sizes::Expression& b) {
    return a.kind == b.kind && a.constant == b.constant && a.terms == b.terms && a.dividend == b.dividend && a.divisor == b.divisor;
}

}  // namespace

Dim Sizes::symbol(std::string name, std::int64_t hint, std::int64_t low, std::int64_t high) {
    Expression expression{};
    expression.kind = Expression::Kind::symbol;
    expression.name = std::move(name);
    expression.hint = hint;
    expression.low = low;
    expression.high = high;
    ++symbol_count_;
    return append(std::move(expression));
}

Dim Sizes::bound_symbol(std::int64_t hint, std::int64_t low, std::int64_t high) {
    Expression expression{};
    expression.kind = Expression::Kind::symbol;
    expression.name = "u" + std::to_string(bound_.size());
    while (std::ranges::any_of(expressions_, [&](const Expression& each) { return each.name == expression.name; })) expression.name += "_";
    expression.hint = hint;
    expression.low = low;
    expression.high = high;
    bound_.push_back(static_cast<std::uint32_t>(expressions_.size()));
    expression.stage = bound_count();
    return append(std::move(expression));
}

Sizes::Polynomial Sizes::polynomial(Dim dim) const {
    if (dim.is_constant()) return {dim.value(), {}};
    const Expression& known = expression_of(dim);
    if (known.kind == Expression::Kind::polynomial) return {known.constant, known.terms};
    return {0, {{1, Atoms{dim.id()}}}};
}

Dim Sizes::intern(Polynomial value) {
    auto& [constant, terms] = value;
    if (terms.empty()) return Dim(constant);
    if (constant == 0 && terms.size() == 1 && terms[0].coefficient == 1 && terms[0].atoms.size() == 1) return Dim::expression(terms[0].atoms[0]);
    Expression expression{};
    expression.kind = Expression::Kind::polynomial;
    expression.constant = constant;
    expression.terms = std::move(terms);
    return intern(std::move(expression));
}

Dim Sizes::intern(Expression expression) {
    const std::size_t hash = hash_of(expression);
    const auto [first, last] = index_.equal_range(hash);
    for (auto known = first; known != last; ++known) {
        if (same(expressions_[known->second], expression)) return Dim::expression(known->second);
    }
    if (expression.kind == Expression::Kind::quotient) {
        Interval a{}, b{};
        range_of(expression.dividend, a.low, a.high);
        range_of(expression.divisor, b.low, b.high);
        const Interval range = over(a, b);
        expression.low = range.low;
        expression.high = range.high;
        expression.stage = std::max(stage(expression.dividend), stage(expression.divisor));
        const std::int64_t divisor = hint(expression.divisor);
        expression.hint = divisor == 0 ? 0 : floor_quotient(hint(expression.dividend), divisor);
    } else {
        Interval sum{expression.constant, expression.constant};
        for (const Term& term : expression.terms) {
            Interval product{term.coefficient, term.coefficient};
            for (const std::uint32_t atom : term.atoms) {
                product = times(product, {expressions_[atom].low, expressions_[atom].high});
                expression.stage = std::max(expression.stage, expressions_[atom].stage);
            }
            sum = plus(sum, product);
        }
        expression.low = sum.low;
        expression.high = sum.high;
        expression.hint = sum_of(expression, [this](std::uint32_t atom) { return expressions_[atom].hint; });
    }
    return append(std::move(expression));
}

// A new expression; intern() finds it from now on.
Dim Sizes::append(Expression expression) {
    const auto id = static_cast<std::uint32_t>(expressions_.size());
    if (expression.kind != Expression::Kind::symbol) index_.emplace(hash_of(expression), id);
    expressions_.push_back(std::move(expression));
    return Dim::expression(id);
}

void Sizes::range_of(Dim dim, std::int64_t& low, std::int64_t& high) const {
    low = dim.is_constant() ? dim.value() : expression_of(dim).low;
    high = dim.is_constant() ? dim.value() : expression_of(dim).high;
}

Dim Sizes::add(Dim a, Dim b) {
    if (a.is_constant() && b.is_constant()) return Dim(a.value() + b.value());
    Polynomial sum = polynomial(a);
    const Polynomial other = polynomial(b);
    sum.first += other.first;
    for (const Term& term : other.second) accumulate(sum.second, term.coefficient, term.atoms);
    return intern(std::move(sum));
}

Dim Sizes::subtract(Dim a, Dim b) {
    if (a.is_constant() && b.is_constant()) return Dim(a.value() - b.value());
    Polynomial difference = polynomial(a);
    const Polynomial other = polynomial(b);
    difference.first -= other.first;
    for (const Term& term : other.second) accumulate(difference.second, -term.coefficient, term.atoms);
    return intern(std::move(difference));
}

const Sizes::Expression& Sizes::expression_of(Dim dim) const {
    if (dim.id() >= expressions_.size()) throw_too_big();
    return expressions_[dim.id()];
}

void throw_too_big() { throw ValueError("array is too big; `arr.size * arr.dtype.itemsize` is larger than the maximum possible size."); }

Dim product_of(std::int64_t a, std::int64_t b) {
    std::int64_t product = 0;
    if (__builtin_mul_overflow(a, b, &product) || product >= Dim::too_big) throw_too_big();
    return product;
}

Dim Sizes::multiply(Dim a, Dim b) {
    if (a.is_constant() && b.is_constant()) return product_of(a.value(), b.value());
    const Polynomial x = polynomial(a);
    const Polynomial y = polynomial(b);
    Polynomial product{x.first * y.first, {}};
    for (const Term& term : x.second) accumulate(product.second, term.coefficient * y.first, term.atoms);
    for (const Term& term : y.second) accumulate(product.second, term.coefficient * x.first, term.atoms);
    for (const Term& p : x.second) {
        for (const Term& q : y.second) accumulate(product.second, p.coefficient * q.coefficient, joined(p.atoms, q.atoms));
    }
    return intern(std::move(product));
}

namespace {

// Takes multiples of `divisor` out of `rest`: what is taken out is `quotient`. With a numeric divisor every coefficient is reduced to its
// remainder, with a symbolic one only what goes in evenly.
void long_division(std::pair<std::int64_t, std::vector<Sizes::Term>>& rest, const std::pair<std::int64_t, std::vector<Sizes::Term>>& divisor,
                   std::pair<std::int64_t, std::vector<Sizes::Term>>& quotient) {
    if (divisor.second.empty()) {
        const std::int64_t by = divisor.first;
        std::vector<Sizes::Term> left;
        for (const Sizes::Term& term : rest.second) {
            const std::int64_t times = floor_quotient(term.coefficient, by);
            accumulate(quotient.second, times, term.atoms);
            accumulate(left, term.coefficient - times * by, term.atoms);
        }
        quotient.first = floor_quotient(rest.first, by);
        rest = {rest.first - quotient.first * by, std::move(left)};
        return;
    }
    const Sizes::Term& leading = divisor.second.front();
    Atoms atoms;
    for (std::size_t i = 0; i < rest.second.size();) {
        const Sizes::Term term = rest.second[i];
        if (term.coefficient % leading.coefficient != 0 || !without(term.atoms, leading.atoms, atoms)) {
            ++i;
            continue;
        }
        const std::int64_t times = term.coefficient / leading.coefficient;
        if (atoms.empty()) {
            quotient.first += times;
        } else {
            accumulate(quotient.second, times, atoms);
        }
        // rest -= times * atoms * divisor; what comes before `term` stays as it is.
        for (const Sizes::Term& part : divisor.second) accumulate(rest.second, -times * part.coefficient, joined(atoms, part.atoms));
        if (atoms.empty()) {
            rest.first -= times * divisor.first;
        } else {
            accumulate(rest.second, -times * divisor.first, atoms);
        }
    }
}

}  // namespace

Dim Sizes::divide(Dim a, Dim b) {
    if (b.is_constant() && b.value() == 0) throw InternalError("a size divided by zero");
    if (a.is_constant() && b.is_constant()) return Dim(floor_quotient(a.value(), b.value()));
    if (equal(b, Dim(0))) return Dim(0);  // guarded; callers test for zero where it matters
    Polynomial rest = polynomial(a);
    const Polynomial divisor = polynomial(b);
    Polynomial whole{0, {}};
    long_division(rest, divisor, whole);
    const bool exact = rest.first == 0 && rest.second.empty();
    if (exact) return intern(std::move(whole));
    const bool single = divisor.second.empty() || (divisor.second.size() == 1 && divisor.first == 0);
    Expression quotient{};
    quotient.kind = Expression::Kind::quotient;
    quotient.divisor = b;
    if (!single) {
        quotient.dividend = a;
        return intern(std::move(quotient));
    }
    // floor((q * b + r) / b) = q + floor(r / b)
    quotient.dividend = intern(std::move(rest));
    std::int64_t low = 0, high = 0, least = 0, most = 0;
    range_of(quotient.dividend, low, high);
    range_of(b, least, most);
    if (low >= 0 && high < least) return intern(std::move(whole));
    return add(intern(std::move(whole)), quotient.dividend.is_constant() && b.is_constant() ? Dim(floor_quotient(quotient.dividend.value(), b.value()))
                                                                                            : intern(std::move(quotient)));
}

Dim Sizes::product(const Dims& dims) {
    Dim result(1);
    for (const Dim dim : dims) result = multiply(result, dim);
    return result;
}

void Sizes::guard(SizeGuard::Kind kind, Dim expression) {
    // The same condition in one spelling: the common factor out, the leading coefficient positive where the sign does not matter.
    auto [constant, terms] = polynomial(expression);
    std::int64_t factor = 0;
    for (const Term& term : terms) factor = std::gcd(factor, term.coefficient);
    if (kind != SizeGuard::Kind::nonnegative) factor = std::gcd(factor, constant);
    const bool flip = kind != SizeGuard::Kind::nonnegative && terms.front().coefficient < 0;
    for (Term& term : terms) term.coefficient = term.coefficient / factor * (flip ? -1 : 1);
    constant = floor_quotient(constant, factor) * (flip ? -1 : 1);
    const SizeGuard wanted{kind, intern({constant, std::move(terms)})};
    if (base::planted("guards") != nullptr) return;
    if (std::find(guards_.begin(), guards_.end(), wanted) == guards_.end()) guards_.push_back(wanted);
}

bool Sizes::equal(Dim a, Dim b) {
    if (a == b) return true;
    const Dim difference = subtract(a, b);
    if (difference.is_constant()) return difference.value() == 0;
    std::int64_t low = 0, high = 0;
    range_of(difference, low, high);
    if (low > 0 || high < 0) return false;
    if (low == 0 && high == 0) return true;
    const auto [constant, terms] = polynomial(difference);
    std::int64_t factor = 0;
    for (const Term& term : terms) factor = std::gcd(factor, term.coefficient);
    if (constant % factor != 0) return false;
    const bool answer = hint(difference) == 0;
    guard(answer ? SizeGuard::Kind::zero : SizeGuard::Kind::nonzero, difference);
    return answer;
}

bool Sizes::at_least(Dim a, Dim b) {
    const Dim difference = subtract(a, b);
    if (difference.is_constant()) return difference.value() >= 0;
    std::int64_t low = 0, high = 0;
    range_of(difference, low, high);
    if (low >= 0) return true;
    if (high < 0) return false;
    const bool answer = hint(difference) >= 0;
    guard(SizeGuard::Kind::nonnegative, answer ? difference : subtract(subtract(b, a), Dim(1)));
    return answer;
}

bool Sizes::is_intricate(Dim dim) const {
    constexpr std::size_t most_terms = 24, highest_power = 6;
    if (dim.is_constant()) return false;
    const auto is_high = [](const Term& term) { return term.atoms.size() > highest_power; };
    const auto [constant, terms] = polynomial(dim);
    return hint(dim) >= Dim::too_big || terms.size() > most_terms || std::ranges::any_of(terms, is_high);
}

bool Sizes::steps_at_least(Dim a, Dim b) const {
    const auto [a_constant, a_terms] = polynomial(a);
    const auto [b_constant, b_terms] = polynomial(b);
    if (a_terms.empty() && b_terms.empty()) return std::abs(a_constant) >= std::abs(b_constant);
    // One product that has all factors of the other: those that it has more are at least 1.
    if (a_terms.size() != 1 || b_terms.size() > 1 || a_constant != 0 || (b_constant != 0 && !b_terms.empty())) return false;
    const Term& more = a_terms[0];
    const Term less = b_terms.empty() ? Term{b_constant} : b_terms[0];
    return std::abs(more.coefficient) >= std::abs(less.coefficient) && std::ranges::includes(more.atoms, less.atoms);
}

std::int64_t Sizes::concretize(Dim dim) {
    if (dim.is_constant()) return dim.value();
    const std::int64_t value = hint(dim);
    std::int64_t low = 0, high = 0;
    range_of(dim, low, high);
    if (low != high) guard(SizeGuard::Kind::zero, subtract(dim, Dim(value)));
    return value;
}

std::int64_t Sizes::evaluate(const Expression& expression, const std::int64_t* values) const {
    const auto value_of = [&](Dim dim) { return dim.is_constant() ? dim.value() : values[dim.id()]; };
    if (expression.kind == Expression::Kind::quotient) {
        const std::int64_t divisor = value_of(expression.divisor);
        return divisor == 0 ? 0 : floor_quotient(value_of(expression.dividend), divisor);
    }
    return sum_of(expression, [values](std::uint32_t atom) { return values[atom]; });
}

void Sizes::evaluate(const std::int64_t* symbols, std::int64_t* values) const {
    for (std::size_t id = 0; id < expressions_.size(); ++id) {
        const Expression& expression = expressions_[id];
        if (expression.kind != Expression::Kind::symbol) values[id] = evaluate(expression, values);
        else values[id] = expression.stage == 0 ? *symbols++ : 0;
    }
}

void Sizes::bind(int stage, std::int64_t value, std::int64_t* values) const {
    const std::size_t bound = bound_[static_cast<std::size_t>(stage) - 1];
    values[bound] = value;
    for (std::size_t id = bound + 1; id < expressions_.size(); ++id) {
        if (expressions_[id].stage >= stage && expressions_[id].kind != Expression::Kind::symbol) values[id] = evaluate(expressions_[id], values);
    }
}

bool Sizes::holds(int stage, const std::int64_t* values) const {
    return std::all_of(guards_.begin(), guards_.end(), [&](const SizeGuard& guard) {
        if (this->stage(guard.expression) != stage) return true;
        const std::int64_t value = guard.expression.is_constant() ? guard.expression.value() : values[guard.expression.id()];
        switch (guard.kind) {
            case SizeGuard::Kind::zero: return value == 0;
            case SizeGuard::Kind::nonzero: return value != 0;
            case SizeGuard::Kind::nonnegative: return value >= 0;
        }
        return false;
    });
}

namespace {

// In quotes if it is no word.
std::string name_text(const std::string& name) {
    const auto is_letter = [](char each) { return std::isalnum(static_cast<unsigned char>(each)) != 0 || each == '_' || (each & 0x80) != 0; };
    if (!name.empty() && std::ranges::all_of(name, is_letter) && std::isdigit(static_cast<unsigned char>(name[0])) == 0) return name;
    std::string quoted = name;
    for (char& each : quoted) each = each == '`' || each == '\n' ? '\'' : each;
    return "`" + quoted + "`";
}

}  // namespace

std::string Sizes::text(Dim dim) const {
    if (dim.is_constant()) return std::to_string(dim.value());
    const Expression& expression = expression_of(dim);
    if (expression.kind == Expression::Kind::symbol) return name_text(expression.name);
    const auto enclosed = [this](Dim part) {
        const bool sum = !part.is_constant() && expressions_[part.id()].kind == Expression::Kind::polynomial;
        return sum ? "(" + text(part) + ")" : text(part);
    };
    const auto is_quotient = [this](Dim part) { return !part.is_constant() && expressions_[part.id()].kind == Expression::Kind::quotient; };
    if (expression.kind == Expression::Kind::quotient) {
        const std::string divisor = is_quotient(expression.divisor) ? "(" + text(expression.divisor) + ")" : enclosed(expression.divisor);
        return enclosed(expression.dividend) + "//" + divisor;
    }
    std::string result;
    const auto sign = [&result](bool negative) { result += result.empty() ? (negative ? "-" : "") : (negative ? " - " : " + "); };
    for (const Term& term : expression.terms) {
        sign(term.coefficient < 0);
        std::string product = term.coefficient == 1 || term.coefficient == -1 ? "" : std::to_string(std::abs(term.coefficient));
        for (const std::uint32_t atom : term.atoms) {
            std::string factor = text(Dim::expression(atom));
            if (expressions_[atom].kind == Expression::Kind::quotient) factor = "(" + factor + ")";
            product += (product.empty() ? "" : "*") + factor;
        }
        result += product;
    }
    if (expression.constant != 0) {
        sign(expression.constant < 0);
        result += std::to_string(std::abs(expression.constant));
    }
    return result;
}

Shape concrete(const Dims& dims) {
    Shape shape;
    for (const Dim dim : dims) {
        if (!dim.is_constant()) throw_too_big();
        shape.push_back(dim.value());
    }
    return shape;
}

Dims to_dims(const Shape& shape) {
    Dims dims;
    for (const std::int64_t size : shape) dims.push_back(Dim(size));
    return dims;
}

}  // namespace fastnp::shape
