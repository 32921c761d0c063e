#include "ir/location.h"

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <tuple>

#include "base/fork.h"
#include "ir/line_block.h"

namespace fastnp::ir {

namespace {

// Lines of a function, whose locations have numbers in a row.
struct Block {
    std::uint32_t start;
    std::string file, function;
    int first;
    std::uint32_t count;
};

// Blocks and lines stay where they are: programs have so many and no more.
struct Lines {
    using Key = std::tuple<std::string_view, std::string_view, int, std::uint32_t>;  // texts are those of `blocks`
    base::ForkSafe<std::mutex> mutex;
    std::deque<Block> blocks{{0, {}, {}, 0, 1}};
    std::map<Key, std::uint32_t> known;
    std::map<std::uint32_t, Line> told;  // those that somebody asked for
};

Lines& all_lines() {
    return base::made_once([] { return std::make_unique<Lines>(); });
}

}  // namespace

Location line_block(std::string_view file, std::string_view function, int first, std::uint32_t count) {
    Lines& all = all_lines();
    const std::scoped_lock lock(all.mutex);
    const auto found = all.known.find({file, function, first, count});
    if (found != all.known.end()) return {found->second};
    const Block& last = all.blocks.back();
    const std::uint32_t start = last.start + last.count;
    if (count > 0xffffffffU - start) return {};  // no numbers are left
    const Block& block = all.blocks.emplace_back(Block{start, std::string(file), std::string(function), first, count});
    all.known.emplace(Lines::Key{block.file, block.function, first, count}, start);
    return {start};
}

Location location_of(std::string_view file, int number, std::string_view function) { return line_block(file, function, number, 1); }

const Line& line_of(Location location) {
    Lines& all = all_lines();
    const std::scoped_lock lock(all.mutex);
    const auto [at, is_new] = all.told.try_emplace(location.id);
    if (!is_new || !location) return at->second;
    const auto after = std::ranges::upper_bound(all.blocks, location.id, {}, &Block::start);
    const Block& block = *std::prev(after);
    if (location.id - block.start < block.count) {
        at->second = {block.file, block.first + static_cast<int>(location.id - block.start), block.function};
    }
    return at->second;
}

std::string text_of(Location location) {
    if (!location) return {};
    const Line& line = line_of(location);
    return line.file + ":" + std::to_string(line.number) + (line.function.empty() ? "" : " in " + line.function);
}

}  // namespace fastnp::ir
