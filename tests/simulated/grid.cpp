// Threads that never wait are run in a loop. Others are fibers, each with a stack of its own; one that waits goes back to the loop over its block's
// threads, and one that has ended stays where it is until the next block wakes it.
#include "simulated/grid.h"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <new>
#include <random>
#include <vector>

#include "nest/grid.h"
#include "simulated/accesses.h"
#include "simulated/memory.h"

// Saves the registers that a function must keep on its stack, leaves where that is at `from`, and goes on where `to` was left.
extern "C" void fastnp_simulated_switch(void** from, void* to);
asm(R"(
.text
.hidden fastnp_simulated_switch
.globl fastnp_simulated_switch
.type fastnp_simulated_switch, @function
fastnp_simulated_switch:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
.size fastnp_simulated_switch, . - fastnp_simulated_switch
)");

namespace fastnp::simulated {

namespace {

constexpr std::size_t warp = nest::Grid::warp;
constexpr std::size_t stack_bytes = std::size_t{128} << 10;
constexpr std::size_t page = 4096;

enum class State : std::uint8_t { ready, exchanges, at_barrier, ended };

// What the threads of a warp do together, each with an int: have that of the thread whose number differs in some bits, or is so much lower, or is given;
// find out for which of them it is not 0; wait.
enum class Exchange : std::uint8_t { across, from_before, of_one, ballot, none };

void run_fiber();

/// A thread with a stack, made once and used for all kernels.
class Fiber {
public:
    Fiber() {
        void* made = mmap(nullptr, stack_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (made == MAP_FAILED) throw std::bad_alloc();
        stack_ = static_cast<char*>(made);
        mprotect(stack_, page, PROT_NONE);  // what needs more than the stack has dies
        begin_anew();
    }
    Fiber(Fiber&& other) noexcept
        : at(other.at), state(other.state), exchange(other.exchange), given(other.given), distance(other.distance), stack_(other.stack_) {
        other.stack_ = nullptr;
    }
    Fiber(const Fiber&) = delete;
    Fiber& operator=(const Fiber&) = delete;
    Fiber& operator=(Fiber&&) = delete;
    ~Fiber() {
        if (stack_ != nullptr) munmap(stack_, stack_bytes);
    }

    /// At the beginning of run_fiber(), as if it had been called from nowhere.
    void begin_anew() {
        auto* top = reinterpret_cast<void**>(stack_ + stack_bytes);
        *--top = nullptr;
        *--top = reinterpret_cast<void*>(&run_fiber);
        for (int i = 0; i < 6; ++i) *--top = nullptr;
        at = top;
    }

    void* at = nullptr;  // where it was left
    State state = State::ready;
    Exchange exchange = Exchange::none;
    int given = 0, distance = 0;

private:
    char* stack_ = nullptr;
};

struct RunningBlock {
    std::mutex mutex;
    std::vector<Fiber> fibers;
    void* scheduler = nullptr;
    const Kernel* kernel = nullptr;
    const std::uint64_t* arguments = nullptr;
    std::size_t current = 0;  // thread
    int number = 0, blocks = 1;
    std::mt19937 draw{1};
    Accesses accesses;
};

// The block that runs. Never destroyed: kernels may run until the very end of the process.
RunningBlock& block() {
    static RunningBlock* made = new RunningBlock;
    return *made;
}

void wait_as(State state) {
    RunningBlock& own = block();
    Fiber& fiber = own.fibers[own.current];
    fiber.state = state;
    fastnp_simulated_switch(&fiber.at, own.scheduler);
}

int thread_number() { return static_cast<int>(block().current); }
int block_number() { return block().number; }
int block_count() { return block().blocks; }
float without_subnormals(float x) { return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0F, x) : x; }

// Rough as PTX's manual allows (inverses within an ulp, of roots within 2^-22.9), above for some numbers and below for others. But GPUs' own exact
// instructions take one step from there, which is right for every number: where it would not be (a few of 2^24), what there is lies on the other side.
constexpr double inverse_error = 0x1p-24, inverse_root_error = 0x1.2p-24;

template <class Right>
float on_either_side(float x, double exact, double error, Right is_right) {
    const bool is_above = (std::bit_cast<std::uint32_t>(x) * 0x9e3779b9U >> 31) != 0;
    const auto rough = [&](bool above) { return static_cast<float>(exact * (above ? 1 + error : 1 - error)); };
    const float first = rough(is_above);
    return is_right(first) ? first : rough(!is_above);
}
float rough_inverse(float x) {
    x = without_subnormals(x);
    const auto is_right = [x](float guess) { return !std::isnormal(guess) || std::fma(guess, std::fma(-x, guess, 1.0F), guess) == 1 / x; };
    return without_subnormals(on_either_side(x, 1 / static_cast<double>(x), inverse_error, is_right));
}
float rough_inverse_root(float x) {
    x = without_subnormals(x);
    const auto is_right = [x](float guess) {
        const float root = x * guess;
        return !std::isnormal(root) || std::fma(std::fma(-root, root, x), guess * 0.5F, root) == std::sqrt(x);
    };
    return on_either_side(x, 1 / std::sqrt(static_cast<double>(x)), inverse_root_error, is_right);
}
double rough_inverse_of_double(double x) { return std::isnormal(x) ? (1 + 0x1p-20) / x : 1 / x; }
double rough_inverse_root_of_double(double x) { return std::isnormal(x) ? (1 - 0x1p-20) / std::sqrt(x) : 1 / std::sqrt(x); }

void note_access(const char* at, const char* stored, std::uint32_t bytes, std::uint32_t kind) {
    const std::span<char> on_chip = memory_on_chip();
    const bool is_on_chip = at >= on_chip.data() && at < on_chip.data() + on_chip.size();
    if (!is_on_chip && !is_of_a_device(at)) return;  // a thread's own
    const auto is = [kind](std::uint32_t bit) { return (kind & bit) != 0; };
    block().accesses.note({at, stored, bytes, is(access_reads), is(access_writes), is(access_is_atomic), is_on_chip},
                          static_cast<unsigned>(block().current));
}

void barrier() { wait_as(State::at_barrier); }

int exchange(Exchange what, int value, int distance) {
    Fiber& self = block().fibers[block().current];
    self.exchange = what;
    self.given = value;
    self.distance = distance;
    wait_as(State::exchanges);
    return self.given;
}
int shuffle_across(int /*mask*/, int value, int distance, int /*clamp*/) { return exchange(Exchange::across, value, distance); }
int shuffle_from_before(int /*mask*/, int value, int distance, int /*clamp*/) { return exchange(Exchange::from_before, value, distance); }
int shuffle_of_one(int /*mask*/, int value, int number, int /*clamp*/) { return exchange(Exchange::of_one, value, number); }
int ballot(int /*mask*/, bool value) { return exchange(Exchange::ballot, value ? 1 : 0, 0); }
void warp_barrier(int /*mask*/) { exchange(Exchange::none, 0, 0); }

// What a thread of the warp comes to have.
int exchanged(const Fiber& fiber, std::size_t number, const int (&given)[warp]) {
    const auto distance = static_cast<std::size_t>(fiber.distance);
    switch (fiber.exchange) {
        case Exchange::across: return given[number ^ distance];
        case Exchange::from_before: return given[number < distance ? number : number - distance];
        case Exchange::of_one: return given[distance % warp];
        case Exchange::ballot: {
            unsigned bits = 0;
            for (std::size_t i = 0; i < warp; ++i) bits |= given[i] != 0 ? 1U << i : 0U;
            return static_cast<int>(bits);
        }
        case Exchange::none: break;
    }
    return 0;
}

void run_fiber() {
    while (true) {
        block().kernel->call(block().arguments);
        wait_as(State::ended);
    }
}

bool all_are(const RunningBlock& own, std::size_t begin, std::size_t end, State state) {
    return std::all_of(own.fibers.begin() + static_cast<std::ptrdiff_t>(begin), own.fibers.begin() + static_cast<std::ptrdiff_t>(end),
                       [state](const Fiber& fiber) { return fiber.state == state; });
}

// Until its threads wait at a barrier, end, or can't go on; false if they can't.
bool run_warp(RunningBlock& own, std::size_t first) {
    while (true) {
        for (std::size_t i = first; i < first + warp; ++i) {
            if (own.fibers[i].state != State::ready) continue;
            own.current = i;
            fastnp_simulated_switch(&own.scheduler, own.fibers[i].at);
        }
        if (!all_are(own, first, first + warp, State::exchanges)) break;
        if (own.fibers[first].exchange == Exchange::none) own.accesses.warp_met(static_cast<unsigned>(first / warp));
        int given[warp];
        for (std::size_t i = 0; i < warp; ++i) given[i] = own.fibers[first + i].given;
        for (std::size_t i = 0; i < warp; ++i) {
            Fiber& fiber = own.fibers[first + i];
            if (fiber.exchange != own.fibers[first].exchange) return false;  // they are not at one place
            fiber.given = exchanged(fiber, i, given);
            fiber.state = State::ready;
        }
    }
    return all_are(own, first, first + warp, State::at_barrier) || all_are(own, first, first + warp, State::ended);
}

bool run_waiting_block(RunningBlock& own, std::size_t threads, std::vector<std::size_t>& firsts) {
    for (std::size_t i = 0; i < threads; ++i) own.fibers[i].state = State::ready;
    while (true) {
        std::shuffle(firsts.begin(), firsts.end(), own.draw);
        for (const std::size_t first : firsts) {
            if (!run_warp(own, first)) return false;
        }
        if (all_are(own, 0, threads, State::ended)) return true;
        if (!all_are(own, 0, threads, State::at_barrier)) return false;
        own.accesses.block_met();
        for (std::size_t i = 0; i < threads; ++i) own.fibers[i].state = State::ready;
    }
}

void run_free_block(RunningBlock& own, std::vector<std::size_t>& firsts) {
    std::shuffle(firsts.begin(), firsts.end(), own.draw);
    for (const std::size_t first : firsts) {
        for (own.current = first; own.current < first + warp; ++own.current) own.kernel->call(own.arguments);
    }
}

}  // namespace

std::string run_grid(const Kernel& kernel, const std::uint64_t* arguments, std::int64_t blocks) {
    RunningBlock& own = block();
    const std::scoped_lock lock(own.mutex);
    const auto threads = static_cast<std::size_t>(kernel.threads);
    while (kernel.waits && own.fibers.size() < threads) own.fibers.emplace_back();
    own.kernel = &kernel;
    own.arguments = arguments;
    own.blocks = static_cast<int>(blocks);
    own.accesses.begin_grid();
    std::vector<std::size_t> firsts;  // threads of the warps
    for (std::size_t first = 0; first < threads; first += warp) firsts.push_back(first);
    std::vector<int> order(static_cast<std::size_t>(blocks));
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
    std::shuffle(order.begin(), order.end(), own.draw);
    for (const int number : order) {
        own.number = number;
        own.accesses.begin_block();
        if (!kernel.waits) {
            run_free_block(own, firsts);
        } else if (!run_waiting_block(own, threads, firsts)) {
            for (Fiber& fiber : own.fibers) fiber.begin_anew();  // what they were in the middle of is given up
            return "threads wait for each other for ever";
        }
    }
    return own.accesses.problem();
}

namespace {

const std::map<std::string, void*>& waiting_instructions() {
    static const std::map<std::string, void*> all{{"llvm.nvvm.shfl.sync.bfly.i32", reinterpret_cast<void*>(&shuffle_across)},
                                                  {"llvm.nvvm.shfl.sync.up.i32", reinterpret_cast<void*>(&shuffle_from_before)},
                                                  {"llvm.nvvm.shfl.sync.idx.i32", reinterpret_cast<void*>(&shuffle_of_one)},
                                                  {"llvm.nvvm.vote.ballot.sync", reinterpret_cast<void*>(&ballot)},
                                                  {"llvm.nvvm.bar.warp.sync", reinterpret_cast<void*>(&warp_barrier)},
                                                  {"llvm.nvvm.barrier0", reinterpret_cast<void*>(&barrier)}};
    return all;
}

}  // namespace

const std::map<std::string, void*>& instructions() {
    static const std::map<std::string, void*> all = [] {
        std::map<std::string, void*> made{{"llvm.nvvm.read.ptx.sreg.tid.x", reinterpret_cast<void*>(&thread_number)},
                                          {"llvm.nvvm.read.ptx.sreg.ctaid.x", reinterpret_cast<void*>(&block_number)},
                                          {"llvm.nvvm.read.ptx.sreg.nctaid.x", reinterpret_cast<void*>(&block_count)},
                                          {"llvm.nvvm.rcp.approx.ftz.f", reinterpret_cast<void*>(&rough_inverse)},
                                          {"llvm.nvvm.rcp.approx.ftz.d", reinterpret_cast<void*>(&rough_inverse_of_double)},
                                          {"llvm.nvvm.rsqrt.approx.ftz.d", reinterpret_cast<void*>(&rough_inverse_root_of_double)},
                                          {"llvm.nvvm.rsqrt.approx.ftz.f", reinterpret_cast<void*>(&rough_inverse_root)},
                                          {access_note, reinterpret_cast<void*>(&note_access)}};
        made.insert(waiting_instructions().begin(), waiting_instructions().end());
        return made;
    }();
    return all;
}

std::span<char> memory_on_chip() {
    constexpr std::size_t bytes = std::size_t{16} << 20;  // for the kernels of a module, each of which has some of its own
    static char* const made = static_cast<char*>(std::aligned_alloc(page, bytes));
    return {made, bytes};
}

bool is_waited_at(const std::string& intrinsic) { return waiting_instructions().contains(intrinsic); }

}  // namespace fastnp::simulated
