// What the texts of graphs and of loop kernels have in common: numbers, dtypes, sizes.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <unordered_map>

#include "fastnp/dtype.h"
#include "fastnp/scalar.h"
#include "ir/scan.h"
#include "shape/dim.h"

namespace fastnp::ir {

inline constexpr std::string_view number_signs = "+-.0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
inline constexpr int most_nested = 64;  // parentheses and bodies

/// The number that a whole text is.
template <class T, class... Base>
std::optional<T> number_in(std::string_view text, Base... base) {
    T value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base...);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
}

/// Elements with commas between them.
template <class Element>
void list(Scanner& in, std::string_view open, std::string_view close, const Element& element) {
    in.take(open);
    if (in.takes(close)) return;
    do element();
    while (in.takes(","));
    in.take(close);
}

/// A whole number, with its sign.
std::int64_t integer(Scanner& in);
Dtype dtype(Scanner& in);
/// true, -3, 1.5 or (0.0, 1.0).
Scalar scalar(Scanner& in);

/// Sizes: sums of products of names, numbers and quotients.
class SizeParser {
public:
    SizeParser(Scanner& in, shape::Sizes& sizes) : in_(in), sizes_(sizes) {}

    /// Lines of "size", "found size" and "guard", as far as there are any.
    void declarations();
    shape::Dims dims();
    /// "n*2 + 1".
    shape::Dim sum();
    /// "n*2", "-8", "(n*2 + 1)".
    shape::Dim signed_product();

private:
    void declaration(bool is_found);
    void guard();
    std::string name();
    template <class Make>
    shape::Dim checked(const Make& make);
    shape::Dim plus(shape::Dim a, shape::Dim b);
    shape::Dim minus(shape::Dim a, shape::Dim b);
    shape::Dim times(shape::Dim a, shape::Dim b);
    shape::Dim over(shape::Dim a, shape::Dim b);
    shape::Dim product();
    shape::Dim factor();

    Scanner& in_;
    shape::Sizes& sizes_;
    std::unordered_map<std::string, shape::Dim> named_;
    int depth_ = 0;
};

}  // namespace fastnp::ir
