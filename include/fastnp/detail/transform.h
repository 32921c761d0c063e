// What transforms are made of, for the front ends: functions of arrays that are being recorded.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fastnp/array.h"
#include "fastnp/export.h"

namespace fastnp::detail {

/// Runs `body` in the recording that this thread is in; outside of one, in a recording of its own whose values are computed when `body` is done. Gives
/// the arrays that `body` gives.
FASTNP_API std::vector<array> recorded(const std::function<std::vector<array>()>& body);

/// What is done later, on arrays that are not known yet.
using Later = std::function<std::vector<array>(std::span<const array>)>;
struct Stage {
    std::vector<array> inputs;  // arrays of their shapes and dtypes
    Later function;
};
struct StageReport {
    std::int64_t saved_bytes = 0;  // what is kept for it
    std::int64_t read_bytes = 0;   // what would be, without computing anything again
    std::size_t recomputed = 0;    // ops that are computed again
};
/// Runs `body` as `recorded` does; `second`, which it fills, is done when `later` is called: in the same recording, or, outside of one, any number of
/// times, on values kept from the first stage (transform/partition.h): as few bytes as can be, or no more than a budget, for less to be computed again.
/// ValueError for a budget that is too small.
FASTNP_API std::vector<array> recorded_in_two(const std::function<std::vector<array>(Stage& second)>& body, Later& later, StageReport* report = nullptr,
                                              std::optional<std::int64_t> memory_budget = std::nullopt);

/// Of a recorded array outside of compile(): its elements now, in memory that can't be written to. RecordError in a recording for later calls, and after
/// the recording's end.
FASTNP_API array value_now(const array& x);
/// Runs `body` as outside of the recording that this thread is in.
FASTNP_API void unrecorded(const std::function<void()>& body);
/// Of a recorded array: its elements in the call at hand, which nothing may depend on but what each call checks again.
FASTNP_API array value_at_hand(const array& x);
/// Whether it depends on what derivatives are taken with respect to: then handing its elements to others loses the derivative.
FASTNP_API bool is_differentiated(const array& x);
/// The same of derivatives alone, not of what is mapped.
FASTNP_API bool is_marked(const array& x);
/// Whether it stands for any one of the parts that a function is mapped over: then its elements can't be read.
FASTNP_API bool is_mapped(const array& x);

/// Of recorded arrays: whether they have the same value, whether one depends on others.
FASTNP_API bool is_same_value(const array& x, const array& y);
FASTNP_API bool depends_on(const array& x, std::span<const array> others);

/// x as a value that derivatives are taken with respect to. TypeError for dtypes that are not inexact.
FASTNP_API array mark(const array& x);
/// It, for a function to have and to write to.
FASTNP_API array input_of(const array& marked);
/// What the function left there, if it wrote to it, in the memory of x.
FASTNP_API void write_back(const array& x, const array& marked, const array& input);

/// The cotangents of marks, given those of outputs (arrays of their shapes; outputs that are not inexact are passed over).
FASTNP_API std::vector<array> pull_back(std::span<const array> marks, std::span<const array> outputs, std::span<const array> cotangents);
/// The tangents of outputs, given those of marks.
FASTNP_API std::vector<array> push_forward(std::span<const array> marks, std::span<const array> outputs, std::span<const array> tangents);

/// Dtype and shape of an array.
struct Kind {
    Dtype dtype;
    Shape shape;
};
FASTNP_API std::vector<Kind> kinds_of(std::span<const array> arrays);
/// Arrays as changes of arrays of these kinds, in their dtypes. `function` and `what` are for errors: ValueError for another number or shape, TypeError
/// for a dtype that is not cast to theirs.
FASTNP_API std::vector<array> as_changes(std::string_view function, std::string_view what, std::span<const array> given, std::span<const Kind> kinds);

/// An array that stands for any one of x's parts along an axis.
FASTNP_API array example(const array& x, int axis);
/// What outputs are for all parts at once: each with these as its first axis. `examples` stand for parts of `arrays` along `axes`. `number`: that of the
/// mapped axis, where it has a name.
FASTNP_API std::vector<array> batch(std::span<const array> examples, std::span<const array> arrays, std::span<const int> axes,
                                    std::span<const array> outputs, std::int64_t number = -1);

/// While it lives, the axis that is mapped over has a name in this thread, for psum() and the like.
class FASTNP_API NamedAxis {
public:
    /// `index`: an example of 0, 1, 2 ... below its size.
    NamedAxis(std::string name, array index, std::int64_t size);
    ~NamedAxis();
    NamedAxis(const NamedAxis&) = delete;
    NamedAxis& operator=(const NamedAxis&) = delete;
    std::int64_t number() const { return number_; }

private:
    std::int64_t number_;
};

/// The derivatives of outputs' elements with respect to a marked array's: a column for each element of it at once, or a row for each element of theirs.
FASTNP_API array jacobian_columns(const array& mark, const array& output);
FASTNP_API array jacobian_rows(const array& mark, const array& output);

/// A copy of x that nothing looks through: what is computed from it is not taken for what was computed from x.
FASTNP_API array apart(const array& x);

/// The derivative of a function, in place of the one of what it is made of.
struct CustomDerivative {
    std::string name;
    /// The operands' cotangents (nothing: zero) for the results'.
    std::function<std::vector<std::optional<array>>(std::span<const array> operands, std::span<const array> results, std::span<const array> cotangents)>
        reverse = nullptr;
    /// The results' tangents for the operands'. Without `reverse` it serves both ways.
    std::function<std::vector<array>(std::span<const array> operands, std::span<const array> results, std::span<const array> tangents)> forward = nullptr;
};
/// The results of a function of `operands` with a derivative of its own.
FASTNP_API std::vector<array> with_derivative(std::span<const array> operands, std::span<const array> results, CustomDerivative derivative);

}  // namespace fastnp::detail
