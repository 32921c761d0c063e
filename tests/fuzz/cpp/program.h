// Random programs over fastnp's public functions, which draw their steps from a seed while they run: recording and running draw the same ones.
#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "fastnp/fastnp.h"

namespace fastnp::fuzz {

/// What programs are made of: steps that are eager's to the bit, those that sum floating-point numbers as well, those with derivatives.
enum class Kind : std::uint8_t { exact, summed, smooth };

/// A function of arrays. Steps whose numbers are in `left_out` are not taken, so that a program which fails can be made smaller.
class Program {
public:
    Program(std::uint64_t seed, Kind kind);

    /// The results: the last value, and sometimes an earlier one.
    std::vector<array> operator()(const std::vector<array>& arguments) const;
    /// What there is to tell of a run as written.
    struct Told {
        std::string text;        // the steps, a line each
        double precision = 0;    // of the least precise value on the way, relative
        bool is_finite = true;   // so were all values
    };
    Told tell(const std::vector<array>& arguments) const;

    int steps() const { return steps_; }
    Kind kind() const { return kind_; }
    Program without(int step) const;

private:
    std::vector<array> run(const std::vector<array>& arguments, Told* told) const;

    std::uint64_t seed_;
    Kind kind_;
    int steps_;
    std::set<int> left_out_;
};

/// Arrays of a dtype and number of axes each (drawn from `seed`), of sizes, layouts and elements that are drawn from `call`.
std::vector<array> random_arguments(std::uint64_t seed, std::uint64_t call, Kind kind);

}  // namespace fastnp::fuzz
