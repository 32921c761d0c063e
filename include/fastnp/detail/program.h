// Programs over numbers and elements of arrays, as a front end makes them: loops and branches that
// become one native function. See src/ir/program.h for what the steps mean.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fastnp/detail/blocks.h"
#include "fastnp/detail/interruption.h"
#include "fastnp/dtype.h"
#include "fastnp/export.h"
#include "fastnp/scalar.h"

namespace fastnp::detail {

/// A step by the names of its kind ("map", "if", ...) and op ("" for none).
struct ProgramStep {
    std::string kind, op;
    Dtype dtype = Dtype::bool_, compute = Dtype::bool_;
    std::int32_t a = -1, b = -1, c = -1;
    std::uint64_t bits = 0, more_bits = 0;
};

struct ProgramText {
    std::vector<ProgramStep> steps;
    std::vector<Dtype> variables;
    std::vector<std::vector<std::int32_t>> exits;  // the variables that each hands out
    std::int32_t arrays = 0, made_arrays = 0, inputs = 0;
    bool apart = true;  // whether its arrays share no memory
    std::vector<std::uint32_t> lines;  // the user's line of each step (fastnp/detail/line.h), of none or of all of them
};

/// What sizes that are handed in (the step `input`) are not beyond.
inline constexpr std::int64_t most_size = std::int64_t{1} << 62;

/// Whether native code tells debuggers and profilers of the user's lines, so that `lines` are wanted.
FASTNP_API bool tells_lines();

/// A compiled program.
class NativeProgram {
public:
    /// InternalError where the text is malformed.
    FASTNP_API explicit NativeProgram(const ProgramText& text);

    /// Runs it. `arrays`: their first elements; `inputs`: words, floating numbers as float64. `words`
    /// takes what it leaves behind: word 0 is the number of its exit. `blocks` has the memory of the
    /// arrays that it makes. `interruption`: whether it is to be left.
    void run(void* const* arrays, const std::int64_t* inputs, std::int64_t* words, Blocks* blocks = nullptr, Interruption* interruption = nullptr) const {
        function_(arrays, inputs, reinterpret_cast<std::int64_t>(blocks), reinterpret_cast<std::int64_t>(interruption), words);
    }
    /// How many words that are, and where a variable lies among them.
    std::size_t words() const { return words_; }
    static constexpr std::size_t word_of(std::int32_t variable) { return 1 + 2 * static_cast<std::size_t>(variable); }
    double compile_ms() const { return compile_ms_; }
    /// Whether it computes with numbers and makes no arrays, which an interpreter takes several times as long for.
    bool is_plain() const { return is_plain_; }

private:
    void (*function_)(void* const*, const std::int64_t*, std::int64_t, std::int64_t, void*) = nullptr;
    std::shared_ptr<void> owner_;
    std::size_t words_ = 0;
    double compile_ms_ = 0;
    bool is_plain_ = false;
};

/// How many times threads shared iterations of programs' loops in this process.
FASTNP_API std::uint64_t shared_rounds();

/// The program's steps as text, and LLVM's code for it.
FASTNP_API std::string program_text(const ProgramText& text);
FASTNP_API std::string program_llvm(const ProgramText& text);

/// An operand of a ufunc: a dtype, or the kind of a Python number.
struct NumberKind {
    std::optional<Dtype> dtype;
    WeakKind weak = WeakKind::integer;
};

/// What a ufunc's loop takes, computes in and gives, for numbers of these kinds (NEP 50).
struct NumberLoop {
    std::vector<Dtype> operands;
    Dtype compute = Dtype::bool_, result = Dtype::bool_;
};

/// Nothing where no op of elements has this name, or this number of operands; TypeError in NumPy's words where it takes no such numbers.
FASTNP_API std::optional<NumberLoop> loop_of(const std::string& op, std::span<const NumberKind> operands);

}  // namespace fastnp::detail
