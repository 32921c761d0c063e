// Code that is damaged at one place is told from what its kernel means, with the point where it differs.
#include <boost/test/unit_test.hpp>
#include <map>
#include <optional>
#include <random>

#include "codegen/host_kernels.h"
#include "codegen/object.h"
#include "codegen/prove.h"
#include "fastnp/error.h"
#include "selection.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#pragma GCC diagnostic pop

using namespace fastnp;
using codegen::Job;
using codegen::Proof;
using llvm::Instruction;

namespace {

using Change = std::function<void()>;
using Damage = std::function<Change(Instruction&)>;  // what to do to an instruction; nothing, if it is not of the kind that this is done to

// What is told of a kernel's code after the `number`-th instruction of a kind is damaged; nothing if there are not as many.
std::optional<std::string> told_of(const plan::Plan& plan, std::size_t kernel, const Damage& damage, int number) {
    const Job job{&plan.kernels[kernel], &plan.schedules[kernel]};
    const codegen::Emitted emitted = codegen::emitted_code(job, codegen::Stage::emitted);
    llvm::Function& function = *emitted.module->getFunction(emitted.symbols[0]);
    std::vector<Change> changes;
    for (Instruction& each : llvm::instructions(function)) {
        if (Change change = damage(each)) changes.push_back(std::move(change));
    }
    if (number >= static_cast<int>(changes.size())) return std::nullopt;
    changes[static_cast<std::size_t>(number)]();
    try {
        return to_string(codegen::prove(function, emitted.externals, job, plan.sizes));
    } catch (const InternalError& error) {
        return std::string(error.what());
    }
}

Change swaps(Instruction& at, unsigned opcode) {
    if (at.getOpcode() != opcode || at.getOperand(0) == at.getOperand(1)) return {};
    return [&] {
        llvm::Value* const first = at.getOperand(0);
        at.setOperand(0, at.getOperand(1));
        at.setOperand(1, first);
    };
}

// The operand that is the address of what an instruction stores to; or loads vectors from.
int place_of(const Instruction& at, bool loads) {
    if (!loads && llvm::isa<llvm::StoreInst>(at)) return 1;
    if (loads && llvm::isa<llvm::LoadInst>(at) && at.getType()->isVectorTy()) return 0;
    const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&at);
    if (call == nullptr) return -1;
    switch (call->getIntrinsicID()) {
        case llvm::Intrinsic::masked_store: return loads ? -1 : 1;
        case llvm::Intrinsic::masked_load: return loads ? 0 : -1;
        default: return -1;
    }
}

// To the next element.
Change moves(Instruction& at, bool loads) {
    const int place = place_of(at, loads);
    if (place < 0 || llvm::isa<llvm::AllocaInst>(at.getOperand(static_cast<unsigned>(place)))) return {};
    return [&at, place, loads] {
        llvm::IRBuilder<> ir(&at);
        llvm::Type* const type = (loads ? at.getType() : at.getOperand(0)->getType())->getScalarType();
        at.setOperand(static_cast<unsigned>(place), ir.CreateConstGEP1_64(type, at.getOperand(static_cast<unsigned>(place)), 1));
    };
}

Change drops_mask(Instruction& at, llvm::Intrinsic::ID id, unsigned mask) {
    const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&at);
    if (call == nullptr || call->getIntrinsicID() != id || llvm::isa<llvm::Constant>(at.getOperand(mask))) return {};
    return [&at, mask] { at.setOperand(mask, llvm::Constant::getAllOnesValue(at.getOperand(mask)->getType())); };
}

// "Less" becomes "less or equal".
Change goes_further(Instruction& at, bool vectors) {
    auto* compare = llvm::dyn_cast<llvm::ICmpInst>(&at);
    if (compare == nullptr || compare->getPredicate() != llvm::CmpInst::ICMP_SLT || compare->getType()->isVectorTy() != vectors) return {};
    if (!vectors && !llvm::isa<llvm::BinaryOperator>(compare->getOperand(0))) return {};  // where a loop begins
    return [compare] { compare->setPredicate(llvm::CmpInst::ICMP_SLE); };
}

Change chooses_other(Instruction& at) {
    auto* choice = llvm::dyn_cast<llvm::SelectInst>(&at);
    if (choice == nullptr || choice->getTrueValue() == choice->getFalseValue()) return {};
    return [choice] { choice->swapValues(); };
}

Change turns_lanes(Instruction& at) {
    auto* shuffle = llvm::dyn_cast<llvm::ShuffleVectorInst>(&at);
    if (shuffle == nullptr || shuffle->isZeroEltSplat() || shuffle->getShuffleMask().size() < 2) return {};
    return [shuffle] {
        llvm::SmallVector<int, 32> mask(shuffle->getShuffleMask());
        std::rotate(mask.begin(), mask.begin() + 1, mask.end());
        shuffle->setShuffleMask(mask);
    };
}

Change takes_for_aligned(Instruction& at) {
    auto* store = llvm::dyn_cast<llvm::StoreInst>(&at);
    if (store == nullptr || llvm::isa<llvm::AllocaInst>(store->getPointerOperand()) || store->getAlign().value() >= 64) return {};
    return [store] { store->setAlignment(llvm::Align(64)); };
}

Change adds_twice(Instruction& at) {
    if (at.getOpcode() != Instruction::FAdd || at.getOperand(0) == at.getOperand(1)) return {};
    return [&] { at.setOperand(0, at.getOperand(1)); };
}

struct Named {
    const char* name;
    Damage damage;
    bool may_be_harmless = false;  // where it touches only what nobody takes: lanes off the end of a tile or of a scratch row
};

const std::vector<Named> damages{
    {"a difference the other way round", [](Instruction& at) { return swaps(at, Instruction::FSub); }},
    {"a quotient the other way round", [](Instruction& at) { return swaps(at, Instruction::FDiv); }},
    {"one of two added twice", adds_twice},
    {"a store one element on", [](Instruction& at) { return moves(at, false); }},
    {"a load one element on", [](Instruction& at) { return moves(at, true); }},
    {"a dropped mask of a store", [](Instruction& at) { return drops_mask(at, llvm::Intrinsic::masked_store, 3); }, true},
    {"one lane too many in the tail", [](Instruction& at) { return goes_further(at, true); }, true},
    {"one turn too many of a loop", [](Instruction& at) { return goes_further(at, false); }, true},
    {"the wrong choice", chooses_other},
    {"lanes in another order", turns_lanes},
    {"a store that is taken for aligned", takes_for_aligned, true},
};

struct Program {
    const char* name;
    std::function<Arrays(const Arrays&)> function;
};

std::vector<Program> programs() {
    return {
        {"difference", [](const Arrays& x) { return Arrays{(x[0] - x[1]) / x[0]}; }},
        {"choice", [](const Arrays& x) { return Arrays{where(x[0] > x[1], x[0] - x[1], x[0] + 1)}; }},
        {"rows", [](const Arrays& x) { return Arrays{sum(x[0] - x[1], {.axis = 1})}; }},
        {"columns", [](const Arrays& x) { return Arrays{sum(x[0] / x[1], {.axis = 0})}; }},
        {"softmax",
         [](const Arrays& x) {
             const array e = exp(x[0] - max(x[0], {.axis = 1, .keepdims = true}));
             return Arrays{e / sum(e, {.axis = 1, .keepdims = true})};
         }},
    };
}

struct Ends {
    int damaged = 0, refuted = 0, unproved = 0, harmless = 0;
    int unreached = 0;  // for want of time: the proof says that it is of some sizes only
    std::string survivors{};
};

// Of many places some, drawn anew in each run; all in long tests.
Ends ends_of(const plan::Plan& plan, const Named& damage, std::mt19937_64& draw) {
    Ends ends;
    for (std::size_t kernel = 0; kernel < plan.kernels.size(); ++kernel) {
        for (int number = 0;; number += tests_are_long() ? 1 : 1 + static_cast<int>(draw() % 8)) {
            const std::optional<std::string> told = told_of(plan, kernel, damage.damage, number);
            if (!told) break;
            ++ends.damaged;
            if (told->find("is wrong in its code") != std::string::npos) ++ends.refuted;
            else if (told->starts_with("not proved")) ++ends.unproved;
            else if (damage.may_be_harmless) ++ends.harmless;
            else if (told->find(" of ") != std::string::npos) ++ends.unreached;
            else ends.survivors += std::string("\n  ") + damage.name + " " + std::to_string(number) + ": " + *told;
        }
    }
    return ends;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(prove_damage)

BOOST_AUTO_TEST_CASE(each_damage_is_told) {
    std::mt19937_64 draw(test_seed());
    Ends all;
    std::map<std::string, int> refuted;
    for (const Program& program : programs()) {
        for (const bool varies : {false, true}) {
            const plan::Plan plan = host_plan_of(program.function, {{float64, {37, 133}, varies}, {float64, {37, 133}, varies}});
            for (const Named& damage : damages) {
                const Ends ends = ends_of(plan, damage, draw);
                all.damaged += ends.damaged;
                all.refuted += ends.refuted;
                all.unproved += ends.unproved;
                all.harmless += ends.harmless;
                all.unreached += ends.unreached;
                refuted[damage.name] += ends.refuted;
                if (!ends.survivors.empty()) all.survivors += "\n" + std::string(program.name) + (varies ? ", sizes vary" : "") + ends.survivors;
            }
        }
    }
    BOOST_TEST_MESSAGE(all.damaged << " damages, " << all.refuted << " refuted, " << all.unproved << " unknown, " << all.harmless << " harmless, "
                                   << all.unreached << " unreached" << all.survivors);
    for (const Named& damage : damages) BOOST_TEST(refuted[damage.name] > 0, damage.name);
    BOOST_TEST(all.refuted > 60);
#ifndef FASTNP_SANITIZED
    BOOST_TEST(all.unreached * 20 <= all.damaged);
#endif
    BOOST_TEST(all.survivors == "", all.survivors);
}

BOOST_AUTO_TEST_SUITE_END()
