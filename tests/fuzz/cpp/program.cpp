// See program.h. A step never asks for sizes, so that what is recorded is for all of them; numbers of axes and dtypes it may ask for.
#include "program.h"

#include <array>
#include <cmath>

namespace fastnp::fuzz {

namespace {

using Engine = std::mt19937_64;

struct Taken {
    std::optional<array> value;  // none: the step wrote to an array
    std::string text;
};

// A NaN's sign is the processor's or the compiler's choice.
array has_sign(const Operand& x, const UfuncOptions& options) { return logical_and(signbit(x, options), equal(x, x)); }

array with_sign_of(const Operand& x, const Operand& y, const UfuncOptions& options) {
    const array* signs = y.as_array();
    return signs == nullptr ? copysign(x, y, options) : copysign(x, where(equal(*signs, *signs), *signs, Scalar(1)), options);
}

// One step's choices.
class Step {
public:
    Step(Engine& draw, const std::vector<array>& values, Kind kind) : draw_(draw), values_(values), kind_(kind) {}

    Taken take() {
        const int families = kind_ == Kind::smooth ? 5 : kind_ == Kind::summed ? 8 : 8;
        switch (choose(families)) {
            case 0: return elementwise();
            case 1: return binary();
            case 2: return moved();
            case 3: return folded();
            case 4: return viewed();
            case 5: return ordered();
            case 6: return written();
            default: return cast();
        }
    }

private:
    int choose(int n) { return static_cast<int>(draw_() % static_cast<std::uint64_t>(n)); }

    // One of the last values, with its number.
    std::pair<array, std::string> pick() {
        const std::size_t back = draw_() % std::min<std::size_t>(values_.size(), 5);
        const std::size_t at = values_.size() - 1 - back;
        return {values_[at], "v" + std::to_string(at)};
    }
    int axis(const array& x) { return x.ndim() == 0 ? 0 : choose(2 * x.ndim()) - x.ndim(); }
    bool is_inexact(const array& x) const {
        const Dtype d = x.dtype();
        return d == float16 || d == float32 || d == float64 || is_complex(x);
    }
    static bool is_complex(const array& x) { return x.dtype() == complex64 || x.dtype() == complex128; }

    Taken elementwise() {
        const auto [x, name] = pick();
        if (kind_ != Kind::exact || is_complex(x)) {
            switch (choose(4)) {
                case 0: return {tanh(x), "tanh(" + name + ")"};
                case 1: return {sin(x), "sin(" + name + ")"};
                case 2: return {x * 0.5 + 1.0, name + " * 0.5 + 1.0"};
                default: return {-x, "-" + name};
            }
        }
        constexpr std::array<std::pair<array (*)(const Operand&, const UfuncOptions&), const char*>, 14> functions{{{&absolute, "absolute"},
                                                                                                                    {&sqrt, "sqrt"},
                                                                                                                    {&exp, "exp"},
                                                                                                                    {&sign, "sign"},
                                                                                                                    {&floor, "floor"},
                                                                                                                    {&rint, "rint"},
                                                                                                                    {&square, "square"},
                                                                                                                    {&reciprocal, "reciprocal"},
                                                                                                                    {&logical_not, "logical_not"},
                                                                                                                    {&isnan, "isnan"},
                                                                                                                    {&has_sign, "has_sign"},
                                                                                                                    {&log1p, "log1p"},
                                                                                                                    {&arctan, "arctan"},
                                                                                                                    {&negative, "negative"}}};
        const auto& [function, text] = functions[static_cast<std::size_t>(choose(static_cast<int>(functions.size())))];
        return {function(x, {}), std::string(text) + "(" + name + ")"};
    }

    Taken binary() {
        const auto [x, a] = pick();
        const auto [y, b] = pick();
        if (kind_ != Kind::exact) {
            switch (choose(4)) {
                case 0: return {x + y, a + " + " + b};
                case 1: return {x - y * 0.5, a + " - " + b + " * 0.5"};
                case 2: return {tanh(x) * tanh(y), "tanh(" + a + ") * tanh(" + b + ")"};
                default: return {x / (1.5 + tanh(y)), a + " / (1.5 + tanh(" + b + "))"};
            }
        }
        constexpr std::array<std::pair<BinaryUfunc, const char*>, 16> functions{{{&add, "add"},
                                                                                 {&subtract, "subtract"},
                                                                                 {&multiply, "multiply"},
                                                                                 {&divide, "divide"},
                                                                                 {&floor_divide, "floor_divide"},
                                                                                 {&remainder, "remainder"},
                                                                                 {&maximum, "maximum"},
                                                                                 {&minimum, "minimum"},
                                                                                 {&fmax, "fmax"},
                                                                                 {&less, "less"},
                                                                                 {&equal, "equal"},
                                                                                 {&logical_and, "logical_and"},
                                                                                 {&bitwise_xor, "bitwise_xor"},
                                                                                 {&with_sign_of, "with_sign_of"},
                                                                                 {&hypot, "hypot"},
                                                                                 {&left_shift, "left_shift"}}};
        const auto& [function, text] = functions[static_cast<std::size_t>(choose(static_cast<int>(functions.size())))];
        if (choose(4) == 0) return {function(x, Scalar(choose(5) - 1), {}), std::string(text) + "(" + a + ", number)"};
        return {function(x, y, {}), std::string(text) + "(" + a + ", " + b + ")"};
    }

    Taken moved() {
        const auto [x, name] = pick();
        const int along = axis(x);
        const std::string at = name + ", " + std::to_string(along) + ")";
        switch (choose(9)) {
            case 0: return {concatenate({x, x}, along), "concatenate of two (" + at};
            case 1: return {stack({x, x}, along), "stack of two (" + at};
            case 2: return {ravel(x), "ravel(" + name + ")"};
            case 3: return {ravel(x, Order::f), "ravel F(" + name + ")"};
            case 4:
                return {x.ndim() == 0 ? x.copy() : pad(x, std::vector<std::pair<std::int64_t, std::int64_t>>(static_cast<std::size_t>(x.ndim()), {1, 1})),
                        "pad(" + name + ")"};
            case 5: return {x.copy(Order::keep), "copy(" + name + ")"};
            case 6: return {where(x > 0, x, -x), "where(" + name + " > 0)"};
            case 7: return {expand_dims(x, 0), "expand_dims(" + name + ", 0)"};
            default: return {reshape(x, {-1, 1}), "reshape(" + name + ", -1, 1)"};
        }
    }

    Taken viewed() {
        const auto [x, name] = pick();
        if (x.ndim() == 0) return {x.index({newaxis}), name + "[None]"};
        switch (choose(8)) {
            case 0: return {x.T(), name + ".T"};
            case 1: return {flip(x, axis(x)), "flip(" + name + ")"};
            case 2: return {x.index({Slice{1}}), name + "[1:]"};
            case 3: return {x.index({ellipsis, Slice{std::nullopt, std::nullopt, 2}}), name + "[..., ::2]"};
            case 4: return {x.index({Slice{std::nullopt, -1}}), name + "[:-1]"};
            case 5: return {x.index({newaxis, ellipsis}), name + "[None, ...]"};
            case 6: return {swapaxes(x, 0, axis(x)), "swapaxes(" + name + ")"};
            default: return {x.index({Index(0)}), name + "[0]"};
        }
    }

    Taken folded() {
        const auto [x, name] = pick();
        FoldOptions options;
        if (x.ndim() > 0 && choose(3) != 0) options.axis = Axes(axis(x));
        options.keepdims = choose(2) == 0;
        if (kind_ == Kind::exact && is_inexact(x)) {
            if (is_complex(x)) return {any(x, options), "any(" + name + ")"};
            // Which of two zeros the larger one is depends on the order that they are met in.
            return choose(2) == 0 ? Taken{max(x, options) + 0, "max(" + name + ") + 0"} : Taken{min(x, options) + 0, "min(" + name + ") + 0"};
        }
        switch (choose(kind_ == Kind::smooth ? 2 : 4)) {
            case 0: return {sum(x, options), "sum(" + name + ")"};
            case 1: return {mean(x, options), "mean(" + name + ")"};
            case 2: return {x.ndim() == 0 ? sum(x) : cumsum(x, {.axis = axis(x)}), "cumsum(" + name + ")"};
            default: return {any(x, options), "any(" + name + ")"};
        }
    }

    Taken ordered() {
        const auto [x, name] = pick();
        if (is_complex(x) || x.ndim() == 0) return {x.copy(), "copy(" + name + ")"};
        if (kind_ == Kind::summed && choose(2) == 0) return {sort(x, axis(x)), "sort(" + name + ")"};
        switch (choose(5)) {
            case 0: return {sort(x, axis(x)), "sort(" + name + ")"};
            case 1: return {kind_ == Kind::exact ? argsort(x, axis(x), true) : sort(x), "argsort(" + name + ")"};
            case 2: return {kind_ == Kind::exact ? get_masked(x, x > 0) : x, "masked(" + name + " > 0)"};
            case 3: return {fastnp::take(x, fastnp::array({0, -1, 0}), axis(x)), "take(" + name + ")"};
            default: return {kind_ == Kind::exact ? argmax(x, {.axis = axis(x)}) : x, "argmax(" + name + ")"};
        }
    }

    Taken written() {
        auto [x, name] = pick();
        if (x.ndim() == 0) return {x.copy(), "copy(" + name + ")"};
        if (choose(3) != 0) return {x.copy(), "copy(" + name + ")"};
        const auto [y, other] = pick();
        switch (choose(6)) {
            case 0: x.index({Slice{1}}) = Scalar(2); return {std::nullopt, name + "[1:] = 2"};
            case 1: x.index({ellipsis, Slice{std::nullopt, std::nullopt, -1}}) = x; return {std::nullopt, name + "[..., ::-1] = " + name};
            case 2: copyto(x, y, Casting::unsafe); return {std::nullopt, "copyto(" + name + ", " + other + ")"};
            case 3: at(&add, x, {fastnp::array({0, -1, 0})}, Scalar(1)); return {std::nullopt, "add.at(" + name + ")"};
            case 4: set_where(x, x > 0, Scalar(1)); return {std::nullopt, name + "[" + name + " > 0] = 1"};
            default: multiply(x, Scalar(2), {.out = x, .casting = Casting::unsafe}); return {std::nullopt, name + " *= 2"};
        }
    }

    Taken cast() {
        const auto [x, name] = pick();
        if (kind_ != Kind::exact || is_complex(x)) return {x.copy(), "copy(" + name + ")"};
        constexpr Dtype dtypes[] = {float64, float32, float16, bool_, complex128, int32, uint8};
        const Dtype dtype = dtypes[choose(static_cast<int>(std::size(dtypes)))];
        const bool whole = dtype == int32 || dtype == uint8;
        const array source = whole && is_inexact(x) ? where(isfinite(x), clip(x, 0, 100), 1) : x;
        return {source.astype(dtype), name + ".astype(" + std::string(name_of(dtype)) + ")"};
    }

    Engine& draw_;
    const std::vector<array>& values_;
    Kind kind_;
};

}  // namespace

namespace {

double precision_of(Dtype dtype) {
    switch (dtype) {
        case Dtype::float16: return 0.05;
        case Dtype::float32:
        case Dtype::complex64: return 2e-4;
        default: return 1e-9;
    }
}

void note(Program::Told& told, const array& value) {
    told.precision = std::max(told.precision, precision_of(value.dtype()));
    told.is_finite = told.is_finite && all(isfinite(value)).item<bool>();
}

}  // namespace

Program::Program(std::uint64_t seed, Kind kind) : seed_(seed), kind_(kind), steps_(3 + static_cast<int>(Engine(seed * 13 + 1)() % 9)) {}

Program Program::without(int step) const {
    Program smaller = *this;
    smaller.left_out_.insert(step);
    return smaller;
}

std::vector<array> Program::operator()(const std::vector<array>& arguments) const { return run(arguments, nullptr); }

Program::Told Program::tell(const std::vector<array>& arguments) const {
    Told told;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        told.text += "  v" + std::to_string(i) + ": " + std::string(name_of(arguments[i].dtype())) + " (";
        for (int axis = 0; axis < arguments[i].ndim(); ++axis) told.text += std::to_string(arguments[i].shape(axis)) + ",";
        told.text += ") strides (";
        for (const std::int64_t stride : arguments[i].strides()) told.text += std::to_string(stride) + ",";
        told.text += ")\n";
        note(told, arguments[i]);
    }
    try {
        (void)run(arguments, &told);
    } catch (const Error& error) {
        told.text += std::string("  ... ") + error.what() + "\n";
    }
    return told;
}

std::vector<array> Program::run(const std::vector<array>& arguments, Told* told) const {
    std::vector<array> values = arguments;
    for (int i = 0; i < steps_; ++i) {
        if (left_out_.contains(i)) continue;
        Engine draw(seed_ * 7919 + static_cast<std::uint64_t>(i));
        Taken taken;
        try {
            taken = Step(draw, values, kind_).take();
        } catch (const IndexError&) {
            throw;  // values decide it: compiled, the call raises it
        } catch (const RecordError&) {
            throw;  // the function runs as written
        } catch (const Error&) {
            if (draw() % 8 == 0) throw;  // an error ends few programs
            continue;
        }
        if (told != nullptr) {
            told->text += "  " + (taken.value ? "v" + std::to_string(values.size()) + " = " : "") + taken.text + "\n";
            if (taken.value) note(*told, *taken.value);
        }
        if (taken.value) values.push_back(*taken.value);
    }
    std::vector<array> results{values.back()};
    if (seed_ % 2 == 0) results.push_back(values[seed_ / 2 % values.size()]);
    if (told != nullptr)
        told->text += "  results: the last value" + std::string(results.size() > 1 ? ", v" + std::to_string(seed_ / 2 % values.size()) : "") + "\n";
    return results;
}

}  // namespace fastnp::fuzz
