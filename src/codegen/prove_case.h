// A kernel and its code, run on terms at some sizes, and what they store compared.
#pragma once

#include <map>
#include <string>

#include "codegen/prove.h"
#include "codegen/prove_sizes.h"
#include "codegen/term_equality.h"
#include "codegen/term_kernel.h"
#include "codegen/term_run.h"

namespace fastnp::codegen {

class CaseProver {
public:
    CaseProver(const llvm::Function& function, const std::map<std::string, External>& externals, const Job& job, const shape::Sizes& sizes, Stage stage)
        : function_(function), externals_(externals), job_(job), sizes_(sizes), stage_(stage) {}

    /// InternalError if they differ; Unproved where that is not known. Adds to the proof. False if there is nothing to be compared:
    /// a unit has too many points, or points store to one element.
    bool run(const ProofCase& at, Proof& proof);
    /// Whether so much was done that there should be no further case.
    bool is_tired() const { return steps_ > most_steps; }

private:
    static constexpr std::uint64_t most_steps = 4'000'000;  // instructions and terms
    static constexpr double most_points = 40'000, most_points_of_unit = 400'000;
    static constexpr std::uint64_t no_address = 0;
    struct Compared;

    void run(const ProofCase& at, std::int64_t begin, std::int64_t end, Proof& proof);
    std::int64_t scratch_bytes(const ProofCase& at) const;
    void compare(const Compared& both, Proof& proof);
    void compare_element(const Compared& both, std::uint64_t address, Term expected, Term found);
    bool is_stored_again(const Compared& both, std::uint64_t address) const;
    std::string place_text(const TermMemory& memory, std::uint64_t address) const;
    std::string point_text(const Compared& both, std::uint64_t address) const;
    [[noreturn]] void refute(const Compared& both, std::uint64_t address, const std::string& what) const;

    const llvm::Function& function_;
    const std::map<std::string, External>& externals_;
    const Job& job_;
    const shape::Sizes& sizes_;
    const Stage stage_;
    TermEquality equality_;
    std::uint64_t steps_ = 0;
};

}  // namespace fastnp::codegen
