#include "codegen/prove.h"

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <mutex>
#include <unordered_set>

#include "base/fork.h"
#include "codegen/object.h"
#include "codegen/prove_case.h"
#include "fastnp/detail/log.h"

namespace fastnp::codegen {

bool proves() {
    static const bool is_on = [] {
        const char* const text = std::getenv("FASTNP_VERIFY");  // NOLINT: nothing here changes the environment
        return text != nullptr && std::string_view(text) == "1";
    }();
    return is_on;
}

std::string to_string(const Proof& proof) {
    char time[32];
    std::snprintf(time, sizeof time, "%.0f ms", proof.milliseconds);
    if (!proof.is_proved) return "not proved: " + proof.why_not + " (" + time + ")";
    const auto many = [](std::size_t count, const char* what) { return std::to_string(count) + " " + what + (count == 1 ? "" : "s"); };
    std::string text = "proved at " + (proof.cases == proof.all_cases ? "" : std::to_string(proof.cases) + " of ") + many(proof.all_cases, "size");
    if (!proof.all_units) text += ", some of its units";
    text += ", " + many(proof.elements, "element");
    if (proof.asked != 0) text += ", " + many(proof.asked, "question") + " to Z3";
    return text + " (" + time + ")";
}

namespace {

constexpr double most_milliseconds = 400;  // after which no further case is begun

// Of this thread, at work.
double own_milliseconds() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) * 1e-6;
}

}  // namespace

Proof prove(const llvm::Function& function, const std::map<std::string, External>& externals, const Job& job, const shape::Sizes& sizes, Stage stage) {
    const double start = own_milliseconds();
    Proof proof;
    try {
        const std::vector<ProofCase> cases = proof_cases(job, sizes);
        proof.all_cases = cases.size();
        CaseProver prover(function, externals, job, sizes, stage);
        for (const ProofCase& each : cases) {
            if (prover.is_tired() || own_milliseconds() - start > most_milliseconds) break;
            if (!prover.run(each, proof)) --proof.all_cases;
        }
        proof.is_proved = proof.cases > 0;
        if (!proof.is_proved) proof.why_not = "one unit of its work has too many points, or several store to one element";
    } catch (const Unproved& error) {
        proof.why_not = error.what();
    }
    proof.milliseconds = own_milliseconds() - start;
    return proof;
}

Proof prove(const Job& job, const shape::Sizes& sizes, Stage stage) {
    const Emitted emitted = emitted_code(job, stage);
    return prove(*emitted.module->getFunction(emitted.symbols[0]), emitted.externals, job, sizes, stage);
}

namespace {

// Whether it is the first time.
bool is_new(const std::string& kernel) {
    static base::ForkSafe<std::mutex>& mutex = *new base::ForkSafe<std::mutex>;  // lives as long as the process
    static std::unordered_set<std::string>& known = *new std::unordered_set<std::string>;
    const std::scoped_lock lock(mutex);
    return known.insert(kernel).second;
}

void tell(const std::string& kernel, const Proof& proof) {
    const std::string text = "kernel " + kernel + ": " + to_string(proof);
    if (!detail::tells(detail::Channel::code)) {
        std::fprintf(stderr, "fastnp: %s\n", text.c_str());
        return;
    }
    const std::pair<std::string_view, std::string> values[] = {{"kernel", kernel},
                                                               {"proved", proof.is_proved ? "true" : "false"},
                                                               {"sizes", std::to_string(proof.cases)},
                                                               {"elements", std::to_string(proof.elements)},
                                                               {"milliseconds", std::to_string(proof.milliseconds)}};
    detail::tell(detail::Channel::code, text, values);
}

}  // namespace

void prove_all(std::span<const Job> jobs, const shape::Sizes& sizes) {
    for (const Job& job : jobs) {
        if (is_new(nest::fingerprint(*job.kernel, *job.schedule))) tell(job.kernel->name, prove(job, sizes));
    }
}

}  // namespace fastnp::codegen
