// Arrays as text, in the form of numpy.array_str with NumPy's default print options.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "api/primitives.h"
#include "device/movable.h"
#include "fastnp/array.h"
#include "ops/element.h"
#include "shape/strides.h"

namespace fastnp {

namespace {

constexpr int precision = 8;
constexpr std::int64_t threshold = 1000;
constexpr std::int64_t edge_items = 3;
constexpr std::size_t line_width = 75;

enum class Notation { positional, scientific };

std::string digits_of(double value, Notation notation, int places) {
    char text[400];
    const auto format = notation == Notation::positional ? std::chars_format::fixed : std::chars_format::scientific;
    return {text, std::to_chars(text, text + sizeof text, value, format, places).ptr};
}

// The fewest digits that read back as the same number of its dtype.
std::string shortest(double value, Dtype dtype, Notation notation) {
    char text[400];
    const auto format = notation == Notation::positional ? std::chars_format::fixed : std::chars_format::scientific;
    if (dtype == Dtype::float64) return {text, std::to_chars(text, text + sizeof text, value, format).ptr};
    const auto single = static_cast<float>(value);
    if (dtype == Dtype::float32) return {text, std::to_chars(text, text + sizeof text, single, format).ptr};
    for (int places = 0;; ++places) {
        const std::string found = digits_of(value, Notation::scientific, places);
        double back = 0;
        std::from_chars(found.data(), found.data() + found.size(), back);
        const float rounded = static_cast<float>(back);
        const bool same =
            dtype == Dtype::float16 ? float16_t(rounded).bits == float16_t(single).bits : bfloat16_t(rounded).bits == bfloat16_t(single).bits;
        if (same || places > 9) return {text, std::to_chars(text, text + sizeof text, back, format).ptr};
    }
}

struct Number {
    std::string whole;     // with its sign
    std::string fraction;  // without trailing zeros
    std::string exponent;  // "e+00"
};

Number split(const std::string& text) {
    Number number;
    const std::size_t e = text.find('e');
    const std::string mantissa = text.substr(0, e);
    if (e != std::string::npos) number.exponent = text.substr(e);
    const std::size_t point = mantissa.find('.');
    number.whole = mantissa.substr(0, point);
    if (point != std::string::npos) number.fraction = mantissa.substr(point + 1);
    while (!number.fraction.empty() && number.fraction.back() == '0') number.fraction.pop_back();
    return number;
}

Number number_of(double value, Dtype dtype, Notation notation) {
    Number number = split(shortest(value, dtype, notation));
    if (number.fraction.size() > static_cast<std::size_t>(precision)) number = split(digits_of(value, notation, precision));
    return number;
}

std::string padded(const std::string& text, std::size_t width) { return text.size() >= width ? text : std::string(width - text.size(), ' ') + text; }

// Formats single elements, all to one width, once it has seen those that are shown.
class Format {
public:
    virtual ~Format() = default;
    virtual std::string operator()(const Scalar& value) const = 0;
};

class IntegerFormat : public Format {
public:
    explicit IntegerFormat(const std::vector<Scalar>& values) {
        for (const Scalar& value : values) width_ = std::max(width_, text(value).size());
    }
    std::string operator()(const Scalar& value) const override { return padded(text(value), width_); }

private:
    static std::string text(const Scalar& value) { return value.negative() ? std::to_string(value.as_int64()) : std::to_string(value.bits()); }
    std::size_t width_ = 0;
};

class BoolFormat : public Format {
public:
    std::string operator()(const Scalar& value) const override { return value.bits() != 0 ? " True" : "False"; }
};

class RealFormat {
public:
    RealFormat(const std::vector<double>& values, Dtype dtype, bool plus) : dtype_(dtype), plus_(plus) {
        double most = 0, least = HUGE_VAL;
        bool special = false, negative_infinity = plus;
        for (const double value : values) {
            if (!std::isfinite(value)) {
                special = true;
                negative_infinity = negative_infinity || value < 0;
            } else if (value != 0) {
                most = std::max(most, std::abs(value));
                least = std::min(least, std::abs(value));
            }
        }
        const double cutoff = dtype == Dtype::float64 ? 1e8 : dtype == Dtype::float32 ? 1e6 : 1e3;
        if (most > 0 && (most >= cutoff || least < 0.0001 || most / least > 1000)) notation_ = Notation::scientific;
        for (const double value : values) {
            if (!std::isfinite(value)) continue;
            const Number number = number_of(value, dtype_, notation_);
            left_ = std::max(left_, number.whole.size() + (plus_ && !std::signbit(value) ? 1 : 0));
            fraction_ = std::max(fraction_, number.fraction.size());
            exponent_ = std::max(exponent_, number.exponent.size());
        }
        const bool any = left_ != 0;
        if (special) {
            const std::size_t offset = any ? fraction_ + exponent_ + 1 : 1;
            const auto at_least = [&](std::size_t width) { left_ = std::max(left_, width > offset ? width - offset : 0); };
            at_least(3);
            at_least(negative_infinity ? 4 : 3);
        }
    }

    std::string operator()(double value) const {
        if (!std::isfinite(value)) {
            const char* sign = std::isnan(value) ? (plus_ ? "+" : "") : (value < 0 ? "-" : plus_ ? "+" : "");
            return padded(std::string(sign) + (std::isnan(value) ? "nan" : "inf"), left_ + 1 + fraction_ + exponent_);
        }
        Number number = number_of(value, dtype_, notation_);
        if (plus_ && !std::signbit(value)) number.whole = "+" + number.whole;
        const char fill = notation_ == Notation::scientific ? '0' : ' ';
        std::string exponent = number.exponent;
        while (exponent.size() < exponent_) exponent.insert(2, "0");
        return padded(number.whole, left_) + "." + number.fraction + std::string(fraction_ - number.fraction.size(), fill) + exponent;
    }

private:
    Dtype dtype_;
    bool plus_;
    Notation notation_ = Notation::positional;
    std::size_t left_ = 0, fraction_ = 0, exponent_ = 0;
};

std::vector<double> parts(const std::vector<Scalar>& values, bool imaginary) {
    std::vector<double> result;
    for (const Scalar& value : values) result.push_back(imaginary ? value.imag() : value.real());
    return result;
}

class FloatingFormat : public Format {
public:
    FloatingFormat(const std::vector<Scalar>& values, Dtype dtype) : format_(parts(values, false), dtype, false) {}
    std::string operator()(const Scalar& value) const override { return format_(value.real()); }

private:
    RealFormat format_;
};

class ComplexFormat : public Format {
public:
    ComplexFormat(const std::vector<Scalar>& values, Dtype dtype)
        : real_(parts(values, false), real_of(dtype), false), imag_(parts(values, true), real_of(dtype), true) {}
    std::string operator()(const Scalar& value) const override {
        std::string imaginary = imag_(value.imag());
        imaginary.insert(imaginary.find_last_not_of(' ') + 1, "j");  // before the padding
        return real_(value.real()) + imaginary;
    }

private:
    RealFormat real_, imag_;
};

std::unique_ptr<Format> make_format(const std::vector<Scalar>& values, Dtype dtype) {
    switch (kind_of(dtype)) {
        case 'b': return std::make_unique<BoolFormat>();
        case 'f': return std::make_unique<FloatingFormat>(values, dtype);
        case 'c': return std::make_unique<ComplexFormat>(values, dtype);
        default: return std::make_unique<IntegerFormat>(values);
    }
}

// A number on its own, as Python prints it.
std::string real_text(double value, Dtype dtype, bool point) {
    if (std::isnan(value)) return "nan";
    if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
    const double size = std::abs(value);
    const double cutoff = dtype == Dtype::float64 ? 1e16 : dtype == Dtype::float32 ? 1e6 : 1e3;
    const Notation notation = size != 0 && (size < 1e-4 || size >= cutoff) ? Notation::scientific : Notation::positional;
    const Number number = split(shortest(value, dtype, notation));
    if (notation == Notation::positional) return number.whole + (number.fraction.empty() ? (point ? ".0" : "") : "." + number.fraction);
    return number.whole + (number.fraction.empty() ? "" : "." + number.fraction) + number.exponent;
}

std::string scalar_text(const Scalar& value, Dtype dtype) {
    switch (kind_of(dtype)) {
        case 'b': return value.bits() != 0 ? "True" : "False";
        case 'f': return real_text(value.real(), dtype, true);
        case 'c': {
            const std::string imaginary = real_text(value.imag(), real_of(dtype), false) + "j";
            if (value.real() == 0 && !std::signbit(value.real())) return imaginary;
            const bool sign = imaginary[0] == '-';
            return "(" + real_text(value.real(), real_of(dtype), false) + (sign ? "" : "+") + imaginary + ")";
        }
        default: return value.negative() ? std::to_string(value.as_int64()) : std::to_string(value.bits());
    }
}

class Printer {
public:
    explicit Printer(const device::Memory& memory) : memory_(memory), summary_(shape::count(memory.shape) > threshold) {
        std::vector<Scalar> shown;
        collect(0, static_cast<const char*>(memory.data), shown);
        format_ = make_format(shown, memory.dtype);
    }

    std::string text() const { return nested(0, static_cast<const char*>(memory_.data), " ", line_width); }

private:
    // The indices of an axis that are shown; -1 stands for the ones left out.
    std::vector<std::int64_t> shown_of(std::size_t axis) const {
        const std::int64_t size = memory_.shape[axis];
        std::vector<std::int64_t> result;
        for (std::int64_t i = 0; i < size; ++i) {
            if (summary_ && size > 2 * edge_items && i == edge_items) {
                result.push_back(-1);
                i = size - edge_items;
            }
            result.push_back(i);
        }
        return result;
    }

    void collect(std::size_t axis, const char* data, std::vector<Scalar>& values) const {
        if (axis == memory_.shape.size()) {
            values.push_back(ops::load(memory_.dtype, data));
            return;
        }
        for (const std::int64_t i : shown_of(axis)) {
            if (i >= 0) collect(axis + 1, data + i * memory_.strides[axis], values);
        }
    }

    std::string row(const char* data, const std::string& indent, std::size_t width) const {
        const std::size_t axis = memory_.shape.size() - 1;
        std::string result, line = indent;
        bool first = true;
        for (const std::int64_t i : shown_of(axis)) {
            if (!first) line += " ";
            first = false;
            const std::string word = i < 0 ? "..." : (*format_)(ops::load(memory_.dtype, data + i * memory_.strides[axis]));
            if (line.size() + word.size() > width - 1 && line.size() > indent.size()) {
                line.erase(line.find_last_not_of(' ') + 1);
                result += line + "\n";
                line = indent;
            }
            line += word;
        }
        return result + line;
    }

    std::string nested(std::size_t axis, const char* data, const std::string& indent, std::size_t width) const {
        std::string inside;
        const std::size_t axes_left = memory_.shape.size() - axis;
        if (axes_left == 1) {
            inside = row(data, indent, width);
        } else {
            bool first = true;
            for (const std::int64_t i : shown_of(axis)) {
                if (!first) inside += std::string(axes_left - 1, '\n');
                first = false;
                inside += indent + (i < 0 ? "..." : nested(axis + 1, data + i * memory_.strides[axis], indent + " ", width - 1));
            }
        }
        return "[" + inside.substr(indent.size()) + "]";
    }

    const device::Memory& memory_;
    bool summary_;
    std::unique_ptr<Format> format_;
};

}  // namespace

std::string to_string(const array& x) {
    const device::Memory& memory = api::memory_of(x, "printing");
    device::use_on_host(memory.data, device::Access::read);
    if (memory.shape.empty()) return scalar_text(ops::load(memory.dtype, memory.data), memory.dtype);
    if (shape::count(memory.shape) == 0) return "[]";
    return Printer(memory).text();
}

std::ostream& operator<<(std::ostream& out, const array& x) { return out << to_string(x); }

}  // namespace fastnp
