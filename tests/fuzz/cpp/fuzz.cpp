// Random programs in C++: compiled against as written (which runs precompiled kernels), gradients against differences, vmap against a loop.
//
//   fastnp_fuzz [--programs 1000] [--seed 7]
//
// Each program has a seed of its own, counted from --seed, which is drawn anew if none is given, and printed. One that fails is made smaller
// by leaving out steps, and printed. With FASTNP_TEST_DEVICE=cuda (and FASTNP_SIMULATED_DEVICE=1) all is done in a scope of that device.
#include <unistd.h>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <typeinfo>
#include <utility>

#include "program.h"

using namespace fastnp;
using namespace fastnp::fuzz;

namespace {

volatile std::sig_atomic_t current_low = 0;

// Async-signal-safe: the number of the program that the process died in.
void tell_of_death(int signal) {
    char text[64] = "died in program number ";
    std::size_t at = std::strlen(text);
    char digits[20];
    int count = 0;
    for (auto n = static_cast<unsigned>(current_low); n > 0 || count == 0; n /= 10) digits[count++] = static_cast<char>('0' + n % 10);
    while (count > 0) text[at++] = digits[--count];
    text[at++] = '\n';
    (void)!write(2, text, at);
    std::signal(signal, SIG_DFL);
    std::raise(signal);
}

struct Outcome {
    std::vector<array> results;
    std::string error;  // its type, and nothing else
};

template <class F>
Outcome outcome(const F& f, const std::vector<array>& arguments) {
    try {
        return {f(arguments), ""};
    } catch (const Error& error) {
        return {{}, typeid(error).name()};
    }
}

std::string describe(const array& x) {
    std::string text = std::string(name_of(x.dtype())) + " (";
    for (int axis = 0; axis < x.ndim(); ++axis) text += std::to_string(x.shape(axis)) + ",";
    text += ") strides (";
    for (const std::int64_t stride : x.strides()) text += std::to_string(stride) + ",";
    return text + ")\n" + to_string(x);
}

bool same_bits(const array& a, const array& b) {
    // NaN of any payload is NaN, and zeros have signs.
    if (a.dtype() == complex64 || a.dtype() == complex128) return same_bits(real(a), real(b)) && same_bits(imag(a), imag(b));
    const bool floating = a.dtype() == float16 || a.dtype() == float32 || a.dtype() == float64;
    array equal_ones = equal(a, b);
    if (floating) equal_ones = (equal_ones & equal(signbit(a), signbit(b))) | (isnan(a) & isnan(b));
    return all(equal_ones).item<bool>();
}

// Precision: of the least precise value that they may be made of.
bool close(const array& a, const array& b, double precision) {
    const bool inexact = a.dtype() == float16 || a.dtype() == float32 || a.dtype() == float64 || a.dtype() == complex64 || a.dtype() == complex128;
    if (!inexact) return same_bits(a, b);
    const array x = a.astype(complex128);
    const array y = b.astype(complex128);
    const array size = maximum(absolute(y), 1.0);
    return all((absolute(x - y) <= size * precision * 10.0) | equal(x, y) | (isnan(x) & isnan(y)) | (absolute(y) > 1e4)).item<bool>();
}

std::string difference(const array& got, const array& want, Kind kind, double precision) {
    if (got.dtype() != want.dtype() || got.shape() != want.shape()) return "got " + describe(got) + "\nas written " + describe(want);
    if (want.size() == 0) return "";
    if (!(kind == Kind::exact ? same_bits(got, want) : close(got, want, precision))) return "got " + describe(got) + "\nas written " + describe(want);
    for (int axis = 0; axis < want.ndim(); ++axis) {
        const auto at = static_cast<std::size_t>(axis);
        if (want.shape(axis) > 1 && got.strides()[at] != want.strides()[at]) return "got " + describe(got) + "\nas written " + describe(want);
    }
    return "";
}

// Whether two arrays have memory in common, by where theirs begins and ends: they lie alike on both sides.
bool overlap(const array& a, const array& b) {
    const auto ends = [](const array& x) {
        std::intptr_t first = reinterpret_cast<std::intptr_t>(x.data()), last = first + static_cast<std::intptr_t>(x.itemsize());
        for (int axis = 0; axis < x.ndim(); ++axis) {
            const std::intptr_t way = x.strides()[static_cast<std::size_t>(axis)] * (x.shape(axis) - 1);
            (way < 0 ? first : last) += way;
        }
        return std::pair(first, last);
    };
    if (a.size() == 0 || b.size() == 0) return false;
    const auto [a_first, a_last] = ends(a);
    const auto [b_first, b_last] = ends(b);
    return a_first < b_last && b_first < a_last;
}

// What of results and arguments shares memory that does not as written, or the other way round.
std::string shared_otherwise(const std::vector<array>& got, const std::vector<array>& want, const std::vector<array>& mine,
                             const std::vector<array>& theirs) {
    for (std::size_t i = 0; i < want.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            if (overlap(got[i], got[j]) != overlap(want[i], want[j]))
                return "results " + std::to_string(j) + " and " + std::to_string(i) + " share memory";
        }
        for (std::size_t j = 0; j < mine.size(); ++j) {
            if (overlap(got[i], mine[j]) != overlap(want[i], theirs[j]))
                return "result " + std::to_string(i) + " and argument " + std::to_string(j) + " share memory";
        }
    }
    return "";
}

std::string compared(const Program& program, const Outcome& got, const Outcome& want, const std::vector<array>& mine, const std::vector<array>& theirs,
                     const std::vector<array>& before) {
    // A function that has two errors raises the one of sizes first where it is recorded, and that of an index once it runs.
    const auto is_index = [](const Outcome& outcome) { return outcome.error == typeid(IndexError).name(); };
    if (!got.error.empty() && !want.error.empty() && (is_index(got) || is_index(want))) return "";
    if (got.error != want.error) return "error '" + got.error + "', as written '" + want.error + "'";
    const double precision = program.kind() == Kind::exact ? 0 : program.tell(before).precision;
    for (std::size_t i = 0; i < want.results.size(); ++i) {
        if (const std::string said = difference(got.results[i], want.results[i], program.kind(), precision); !said.empty()) return "result: " + said;
    }
    if (!want.error.empty()) return "";
    if (const std::string said = shared_otherwise(got.results, want.results, mine, theirs); !said.empty()) return said + ", or only as written";
    for (std::size_t i = 0; i < mine.size(); ++i) {
        if (const std::string said = difference(mine[i], theirs[i], program.kind(), precision); !said.empty()) return "argument: " + said;
    }
    return "";
}

std::string check_calls(const Program& program, std::uint64_t seed) {
    const auto compiled = compile(program);
    for (const std::uint64_t call : {0, 0, 1, 2, 0}) {
        const std::vector<array> mine = random_arguments(seed, call, program.kind());
        const std::vector<array> theirs = random_arguments(seed, call, program.kind());
        const Outcome want = outcome(program, theirs);
        const Outcome got = outcome(compiled, mine);
        if (const std::string said = compared(program, got, want, mine, theirs, random_arguments(seed, call, program.kind())); !said.empty())
            return "call " + std::to_string(call) + ": " + said;
    }
    return "";
}

// The derivative along a direction, beside a difference.
std::string check_gradient(const Program& program, std::uint64_t seed) {
    const std::vector<array> arguments = random_arguments(seed, 0, program.kind());
    const auto loss = [&program](const std::vector<array>& given) {
        array total = sum(program(given).front());
        return total;
    };
    const std::vector<array> directions = random_arguments(seed, 0, program.kind());
    const auto moved = [&](double step) {
        std::vector<array> at;
        for (std::size_t i = 0; i < arguments.size(); ++i) at.push_back(arguments[i] + cos(directions[i] * 3.0) * step);
        return loss(at).item<double>();
    };
    double coarse = 0;
    double fine = 0;
    try {
        coarse = (moved(1e-4) - moved(-1e-4)) / 2e-4;
        fine = (moved(5e-5) - moved(-5e-5)) / 1e-4;
    } catch (const Error&) {
        return "";  // as written: check_calls compares errors
    }
    if (!(std::abs(coarse - fine) <= 1e-5 * std::max(1.0, std::abs(fine)))) return "";
    if (!program.tell(arguments).is_finite) return "";  // what depends on a NaN that is multiplied by nothing has a NaN for a derivative, as JAX's has
    for (int turn = 0; turn < 2; ++turn) {
        const auto [value, slopes] = value_and_grad(loss)(arguments);
        double got = 0;
        for (std::size_t i = 0; i < arguments.size(); ++i) got += sum(slopes[i] * cos(directions[i] * 3.0)).item<double>();
        if (!(std::abs(got - fine) <= 1e-3 * std::max(1.0, std::abs(fine)))) {
            return "derivative along a direction: " + std::to_string(got) + ", by differences " + std::to_string(fine);
        }
    }
    return "";
}

std::string check(const Program& program, std::uint64_t seed) {
    try {
        if (program.kind() == Kind::smooth) {
            if (const std::string said = check_gradient(program, seed); !said.empty()) return said;
        }
        return check_calls(program, seed);
    } catch (const std::exception& error) {
        return std::string("unexpected ") + typeid(error).name() + ": " + error.what();
    }
}

void report(Program program, std::uint64_t seed, const std::string& said) {
    std::string last = said;
    for (int step = program.steps() - 1; step >= 0; --step) {
        const Program smaller = program.without(step);
        if (const std::string still = check(smaller, seed); !still.empty()) {
            program = smaller;
            last = still;
        }
    }
    std::cout << "FAILED seed " << seed << '\n' << program.tell(random_arguments(seed, 0, program.kind())).text << last << '\n' << std::flush;
}

}  // namespace

int main(int argc, char** argv) {
    setenv("FASTNP_CACHE_DIR", "", 1);  // NOLINT: before any thread
    std::uint64_t programs = 1000;
    std::uint64_t first = std::random_device{}();
    for (int i = 1; i + 1 < argc; i += 2) {
        const std::string name = argv[i];
        if (name == "--programs") programs = std::stoull(argv[i + 1]);
        if (name == "--seed") first = std::stoull(argv[i + 1]);
    }
    std::cout << "seed " << first << ": " << programs << " programs\n" << std::flush;
    for (const int signal : {SIGSEGV, SIGABRT, SIGBUS, SIGFPE}) std::signal(signal, tell_of_death);
    const char* place = std::getenv("FASTNP_TEST_DEVICE");  // NOLINT: before any thread
    const device_scope scope(place == nullptr ? "cpu" : place);
    std::uint64_t failed = 0;
    for (std::uint64_t k = 0; k < programs; ++k) {
        const std::uint64_t seed = first + k;
        current_low = static_cast<std::sig_atomic_t>(k);
        const Program program(seed, static_cast<Kind>(seed % 3));
        if (const std::string said = check(program, seed); !said.empty()) {
            ++failed;
            report(program, seed, said);
        }
    }
    std::cout << programs << " programs, " << failed << " failed\n";
    return failed > 0 ? 1 : 0;
}
