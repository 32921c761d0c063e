// Jobs without repeats, such as the steps of a loop that was recorded turn by turn.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace fastnp::codegen {

template <class Job>
struct Distinct {
    std::vector<Job> jobs;
    std::vector<std::size_t> number;  // of each job's equal among them
    std::string key;                  // equal for equal code
};

/// `fingerprint(job)`: everything that its code depends on, as bytes.
template <class Job, class F>
Distinct<Job> distinct(std::span<const Job> jobs, F fingerprint) {
    Distinct<Job> result;
    std::unordered_map<std::string, std::size_t> known;
    for (const Job& job : jobs) {
        const std::string bytes = fingerprint(job);
        const auto [place, added] = known.emplace(bytes, result.jobs.size());
        result.number.push_back(place->second);
        if (!added) continue;
        result.jobs.push_back(job);
        result.key += std::to_string(bytes.size()) + ":" + bytes;
    }
    return result;
}

}  // namespace fastnp::codegen
