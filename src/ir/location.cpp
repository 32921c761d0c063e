#include "ir/location.h"

#include <algorithm>
#include <atomic>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <tuple>
#include <utility>
#include <vector>

#include "base/fork.h"
#include "ir/line_block.h"

namespace fastnp::ir {

namespace {

// Lines of a function, whose locations have numbers in a row; or calls.
struct Block {
    std::uint32_t start;
    std::string file, function;
    int first;
    std::uint32_t count;
    Calls calls;     // those of `known_calls`
    Location other;  // where the line of these is not found
};

// Blocks and lines stay where they are: programs have so many and no more.
struct Lines {
    using Key = std::tuple<std::string_view, std::string_view, int, std::uint32_t>;  // texts are those of `blocks`
    base::ForkSafe<std::mutex> mutex;
    std::deque<Block> blocks{{0, {}, {}, 0, 1}};
    std::map<Key, std::uint32_t> known;
    std::map<std::pair<std::vector<std::uintptr_t>, std::uint32_t>, std::uint32_t> known_calls;
    std::map<std::uint32_t, Line> told;  // those that somebody asked for

    // The first number of so many in a row; 0: none are left.
    std::uint32_t start_of(std::uint32_t count) const {
        const std::uint32_t start = blocks.back().start + blocks.back().count;
        return count > 0xffffffffU - start ? 0 : start;
    }
    const Line& line_of(Location location);
};

Lines& all_lines() {
    return base::made_once([] { return std::make_unique<Lines>(); });
}

std::atomic<FindLine> finder{nullptr};

Line found_line(const Block& block) {
    const FindLine find = finder.load(std::memory_order_acquire);
    return find == nullptr ? Line() : find(block.calls);
}

const Line& Lines::line_of(Location location) {
    const auto [at, is_new] = told.try_emplace(location.id);
    if (!is_new || !location) return at->second;
    const auto after = std::ranges::upper_bound(blocks, location.id, {}, &Block::start);
    const Block& block = *std::prev(after);
    if (location.id - block.start >= block.count) return at->second;
    if (block.calls.empty()) {
        at->second = {block.file, block.first + static_cast<int>(location.id - block.start), block.function};
    } else {
        at->second = found_line(block);
        if (at->second.file.empty()) at->second = line_of(block.other);
    }
    return at->second;
}

}  // namespace

void set_line_finder(FindLine find) { finder.store(find, std::memory_order_release); }

Location line_block(std::string_view file, std::string_view function, int first, std::uint32_t count) {
    Lines& all = all_lines();
    const std::scoped_lock lock(all.mutex);
    const auto found = all.known.find({file, function, first, count});
    if (found != all.known.end()) return {found->second};
    const std::uint32_t start = all.start_of(count);
    if (start == 0) return {};
    const Block& block = all.blocks.emplace_back(Block{start, std::string(file), std::string(function), first, count, {}, {}});
    all.known.emplace(Lines::Key{block.file, block.function, first, count}, start);
    return {start};
}

Location location_of(std::string_view file, int number, std::string_view function) { return line_block(file, function, number, 1); }

Location location_of(Calls calls, Location other) {
    if (calls.empty()) return other;
    Lines& all = all_lines();
    const std::scoped_lock lock(all.mutex);
    const auto [known, is_new] = all.known_calls.try_emplace({std::vector<std::uintptr_t>(calls.begin(), calls.end()), other.id}, 0);
    if (!is_new) return {known->second};
    known->second = all.start_of(1);
    if (known->second == 0) return other;
    all.blocks.emplace_back(Block{known->second, {}, {}, 0, 1, known->first.first, other});
    return {known->second};
}

const Line& line_of(Location location) {
    Lines& all = all_lines();
    const std::scoped_lock lock(all.mutex);
    return all.line_of(location);
}

std::string text_of(Location location) {
    if (!location) return {};
    const Line& line = line_of(location);
    if (line.file.empty()) return {};
    return line.file + ":" + std::to_string(line.number) + (line.function.empty() ? "" : " in " + line.function);
}

}  // namespace fastnp::ir
