// Programs over numbers: structured control flow over typed variables, and elements of arrays. A
// loop nest over scalars is one of these, and becomes one native function (codegen/program_code).
//
// A program is a list of steps. A step's value is known by the step's number, and may be used by
// later steps of the same block and of the blocks inside of it. Variables carry values from block
// to block and from iteration to iteration. Blocks are opened by `if_` and `loop`, and closed by
// `end`. What a program can't go on with leaves it: an exit says where, and hands its variables out.
//
// Arrays are numbered: those that are handed in, then the program's own, which are addresses that change.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/for_codegen.h"
#include "fastnp/dtype.h"
#include "ir/location.h"
#include "ir/op.h"

namespace fastnp::ir {

struct Step {
    enum class Kind : std::uint8_t {
        constant,   // of `dtype`: bits and more_bits (of the imaginary part)
        input,      // of `dtype`: word `a` of the inputs, and for complex numbers the next one; up to most_size, from 0 on, if `bits` is 1
        get,        // variable a
        set,        // variable a = value b
        map,        // op over values a and b, of `compute`; the result is of `dtype`; as `bits` has it (any_order, quiet)
        cast,       // value a to `dtype`, as NumPy casts
        plus,       // int64 values a and b, whose sum is known to fit
        times,      // ... and product
        truncate,   // floating value a to int64, which it is known to fit in
        select,     // value b where value a holds, else c
        floored,    // op (floor_divide, remainder) of int64 a and b as Python has it; b is not 0, nor is it -1 where a is the least number
        overflows,  // whether op (add, subtract, multiply) over integers a and b goes past `compute`
        wraps,      // notes that op (add, subtract, multiply) over integers a and b went past `compute`, if it did: exits tell (note_word)
        libm,       // the C library's function `op` over float64 values a and b
        load,       // the element of `dtype` at byte offset b of array a
        store,      // element at byte offset b of array a = value c
        allocate,   // new memory of b bytes for array a; whether there was any
        point,      // array a lies where array b does
        address,    // of array a's first byte
        part,       // elements of `dtype` from byte b of array a on are stored to by the shared loop that follows; read, where `bits` is 1
        extent,     // ... along an axis with b elements, c bytes from one to the next
        assume,     // value a holds
        shared,     // the shared loop a, taken out of the program (ir/shared.h), over the numbers from variable b up to variable c
        collect,    // memory that no array lies in is free
        interrupted,  // whether the run is to be left, as a signal came: asked for once in so many iterations (detail/interruption.h)
        draw,  // a random number of the bit generator at address a: a real one, or a whole one from 0 to b, in the way that `bits` says
               // (codegen/program_draw.cpp)
        require,  // exit b unless value a holds
        exit,  // exit b
        if_,  // if value a holds: up to the `else_` or the `end`
        else_,
        loop,  // again and again: `next` begins what a `continue_` goes on with; a fold in any order, where `bits` is not 0
        share,  // a loop that ends where variable a is not below variable b, or below value c; its iterations know nothing of each other, and are
                // shared from `bits` on
        next,
        break_,  // out of the a-th loop around it, counted from 0, the innermost
        continue_,  // on with its next iteration
        end,
    };
    static constexpr std::uint64_t any_order = 1;  // of a map that folds
    static constexpr std::uint64_t quiet = 2;      // of one (add, subtract, multiply, divide) over float64 values whose errors are not told
    Kind kind = Kind::constant;
    Dtype dtype = Dtype::bool_;
    Dtype compute = Dtype::bool_;
    Op op = Op::count;
    std::int32_t a = -1, b = -1, c = -1;
    std::uint64_t bits = 0, more_bits = 0;
    Location where{};  // the user's line; no part of what the step does
};

/// Whether a step's fields a, b and c are values.
struct Operands {
    bool a = false, b = false, c = false;
};
Operands operands_of(const Step& step);

/// Which variables an exit hands out.
struct Exit {
    std::vector<std::int32_t> variables;
};

struct Program {
    std::vector<Step> steps;
    std::vector<Dtype> variables;
    std::vector<Exit> exits;
    std::int32_t arrays = 0;  // how many it is handed
    std::int32_t made_arrays = 0;  // ... and how many it makes or points elsewhere, which are numbered after these
    std::int32_t inputs = 0;  // words
    bool apart = true;  // whether no two arrays share memory, where one is written
    std::vector<std::pair<std::int32_t, std::int32_t>> aliases = {};  // ... but for these

    /// Where a variable lies among the words that an exit hands out: the first one is the exit's number.
    static std::int32_t word_of(std::int32_t variable) { return 1 + 2 * variable; }
    /// Where exits tell of integers that wrapped around since the program began: a word below 0.
    std::int32_t note_word() const { return word_of(static_cast<std::int32_t>(variables.size())); }
    std::int32_t words() const { return note_word() + 1; }
};

/// The kind of this name ("map", "if", ...).
std::optional<Step::Kind> step_kind(std::string_view name);

/// InternalError where a program is not well-formed: values used before they are made or out of
/// their block, dtypes that do not fit, blocks that are not closed.
FASTNP_FOR_CODEGEN void verify(const Program& program);

/// All that its code depends on, as bytes.
FASTNP_FOR_CODEGEN std::string fingerprint(const Program& program);

/// As text, a line a step, indented by block.
std::string to_text(const Program& program);

}  // namespace fastnp::ir
