#include "nest/tile.h"

#include <algorithm>
#include <bit>

#include "nest/axes.h"

namespace fastnp::nest {

using shape::Dim;

namespace {

constexpr std::int64_t least_points = 1 << 14;  // less is done before tiles would pay
constexpr std::int64_t enough_tiles = 1024;     // for a GPU to be busy
// Of a tile: more points of narrow elements, since each takes some steps that are the same for any number.
constexpr std::int64_t most_points = 1 << 14, usual_points = 1 << 12;
constexpr std::int64_t fewest_points = 1 << 10;  // a word of the narrowest elements for each thread of a block
constexpr std::int64_t usual_bytes = 16 * 1024, most_bytes = 36 * 1024;  // in shared memory: with the most, a multiprocessor has six blocks
constexpr std::int64_t long_axis = 32;          // along which a warp's elements are whole lines
constexpr std::int64_t short_axis = 16;         // all of which is in a tile
constexpr std::int64_t word = 4;                // bytes that a thread takes at a time, at least
constexpr std::int64_t bank_bytes = 128;        // that are accessed at once in shared memory, each word by a thread of its own
constexpr std::int64_t most_copies = 16, most_computed = 64, most_exprs = 256;  // elements side by side: their number, bytes, and expressions

// In either direction.
bool lies_beside(const Kernel& kernel, const Access& access, std::size_t axis) {
    const std::int64_t itemsize = itemsize_at(kernel, access);
    return access.strides[axis] == Dim(itemsize) || access.strides[axis] == Dim(-itemsize);
}

std::int64_t length_of(const Kernel& kernel, std::size_t axis) { return std::max<std::int64_t>(kernel.axes[axis].hint, 1); }

// More are as good as the most that are counted.
std::int64_t points_of(const Kernel& kernel) {
    constexpr std::int64_t most = std::int64_t{1} << 31;
    std::int64_t points = 1;
    for (std::size_t a = 0; a < kernel.axes.size(); ++a) points = std::min(points * std::min(length_of(kernel, a), most), most);
    return points;
}

// Whether elements lie side by side along one axis, and apart along the other.
bool lies_across(const Kernel& kernel, const Access& access, std::size_t lane, std::size_t across) {
    return lies_beside(kernel, access, across) && !lies_beside(kernel, access, lane) && !(access.strides[lane] == Dim(0));
}

// Bytes, for each point, of what lies side by side along an axis and is more than a line of it.
std::int64_t bytes_along(const Kernel& kernel, std::size_t axis) {
    std::int64_t bytes = 0;
    for_each_access(kernel, [&](const Access& access) {
        bool moves = false;
        for (std::size_t a = 0; a < access.strides.size(); ++a) moves = moves || (a != axis && !(access.strides[a] == Dim(0)));
        if (moves && lies_beside(kernel, access, axis)) bytes += itemsize_at(kernel, access);
    });
    return bytes;
}

bool is_stored_along(const Kernel& kernel, std::size_t axis) {
    return std::any_of(kernel.outer_stores.begin(), kernel.outer_stores.end(), [&](const Store& each) { return lies_beside(kernel, each.access, axis); });
}

// The long axis along which most of the memory lies; of two, the one that stores lie along.
int choose_lane(const Kernel& kernel) {
    int best = -1;
    std::pair<std::int64_t, bool> most{0, false};
    for (std::size_t a = 0; a < kernel.axes.size(); ++a) {
        const std::pair<std::int64_t, bool> worth{bytes_along(kernel, a), is_stored_along(kernel, a)};
        if (length_of(kernel, a) < long_axis || worth.first == 0 || worth < most) continue;
        most = worth;
        best = static_cast<int>(a);
    }
    return best;
}

// The axis along which most of the rest lies.
int choose_across(const Kernel& kernel, std::size_t lane) {
    int best = -1;
    std::int64_t most = 0;
    for (std::size_t a = 0; a < kernel.axes.size(); ++a) {
        std::int64_t bytes = 0;
        for_each_access(kernel, [&](const Access& access) {
            if (a != lane && lies_across(kernel, access, lane, a)) bytes += itemsize_at(kernel, access);
        });
        if (bytes <= most || length_of(kernel, a) < 2) continue;
        most = bytes;
        best = static_cast<int>(a);
    }
    return best;
}

// What goes by way of shared memory, as long as there is room for the smallest tile: gives the bytes of a point.
std::int64_t choose_accesses(const Kernel& kernel, Tile& tile) {
    std::int64_t bytes = 0;
    const auto takes = [&](const Access& access) {
        const std::int64_t itemsize = itemsize_at(kernel, access);
        if (!lies_across(kernel, access, static_cast<std::size_t>(tile.lane), static_cast<std::size_t>(tile.across))) return false;
        if ((bytes + itemsize) * fewest_points > most_bytes) return false;
        bytes += itemsize;
        return true;
    };
    for (std::size_t i = 0; i < kernel.outer_stores.size(); ++i) {
        if (takes(kernel.outer_stores[i].access)) tile.stores.push_back(static_cast<int>(i));
    }
    for (ExprId i = 0; i < kernel.exprs.size(); ++i) {
        if (kernel.exprs[i].kind == Expr::Kind::load && takes(kernel.exprs[i].access)) tile.loads.push_back(i);
    }
    return bytes;
}

// A power of two up to a length, but at least as long as a short axis.
std::int64_t whole_steps(std::int64_t length) {
    return static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(std::max(length, short_axis))));
}

// Square, or all of a short axis and many lanes of the other; false if there is no room for that.
bool choose_sizes(const Kernel& kernel, Tile& tile, std::int64_t bytes, std::int64_t round) {
    const std::int64_t lanes = length_of(kernel, static_cast<std::size_t>(tile.lane));
    const std::int64_t steps = length_of(kernel, static_cast<std::size_t>(tile.across));
    std::int64_t area = std::clamp<std::int64_t>(whole_steps(usual_bytes / bytes), usual_points, most_points);
    while (area > fewest_points && (area * bytes > most_bytes || points_of(kernel) / area < enough_tiles)) area /= 2;
    if (steps <= short_axis) {
        tile.steps = static_cast<int>(steps);
        tile.lanes = static_cast<int>(std::max(whole_steps(area / steps), round));
        return tile.points() * bytes <= most_bytes && tile.lanes <= lanes;
    }
    const std::int64_t side = area == most_points ? 128 : area >= usual_points ? 64 : 32;
    tile.steps = static_cast<int>(std::min(side, whole_steps(steps)));
    tile.lanes = static_cast<int>(std::min(area / tile.steps, whole_steps(lanes)));
    return tile.points() >= fewest_points;
}

// Elements of a word of the narrowest dtype that lies along the lanes, where words may be aligned as far as is known.
int choose_width(const Kernel& kernel, const Tile& tile) {
    const auto lane = static_cast<std::size_t>(tile.lane);
    std::int64_t narrowest = word;
    bool fits = true;
    for_each_use(kernel, [&](const Access& access, Use use) {
        const std::int64_t itemsize = itemsize_at(kernel, access);
        const bool is_narrow = itemsize < word && access.strides[lane] == Dim(itemsize);
        if (!is_narrow || (use != Use::load && use != Use::store)) return;
        narrowest = std::min(narrowest, itemsize);
        const auto is_whole = [](Dim dim) { return !dim.is_constant() || dim.value() % word == 0; };
        fits = fits && is_whole(access.offset);
        for (std::size_t a = 0; a < access.strides.size(); ++a) fits = fits && (a == lane || is_whole(access.strides[a]));
    });
    return fits ? static_cast<int>(word / narrowest) : 1;
}

int choose_parts(const Kernel& kernel, const Tile& tile, std::int64_t round) {
    std::int64_t widest = 1;
    for (const Expr& expr : kernel.exprs) widest = std::max(widest, static_cast<std::int64_t>(itemsize_of(expr.dtype)));
    const std::int64_t vectors = tile.points() / round;
    std::int64_t parts = 1;
    const auto fits = [&](std::int64_t copies) {
        return copies <= most_copies && copies * widest <= most_computed && copies * static_cast<std::int64_t>(kernel.exprs.size()) <= most_exprs;
    };
    while (vectors % (2 * parts) == 0 && fits(2 * parts * tile.width)) parts *= 2;
    return static_cast<int>(parts);
}

}  // namespace

int Tile::pitch(std::int64_t itemsize) const {
    const std::int64_t at_once = bank_bytes / std::max<std::int64_t>(itemsize, 4);
    return lanes + static_cast<int>(std::max<std::int64_t>((at_once + steps - 1) / steps, 1));
}

Tile choose_tile(const Kernel& kernel, int block) {
    const Tile none;
    if (!kernel.stages.empty() || kernel.outer_count() != kernel.axes.size() || points_of(kernel) < least_points) return none;
    Tile tile;
    tile.lane = choose_lane(kernel);
    if (tile.lane >= 0) tile.across = choose_across(kernel, static_cast<std::size_t>(tile.lane));
    if (!tile.is_used()) return none;
    const std::int64_t bytes = choose_accesses(kernel, tile);
    tile.width = choose_width(kernel, tile);
    const std::int64_t round = static_cast<std::int64_t>(block) * tile.width;  // points that a block takes at a time
    if (bytes == 0 || !choose_sizes(kernel, tile, bytes, round)) return none;
    tile.parts = choose_parts(kernel, tile, round);
    return tile;
}

}  // namespace fastnp::nest
