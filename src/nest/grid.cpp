// Neighbouring threads touch neighbouring elements: memory is moved in lines of 128 bytes, of which each thread best takes 16.
#include "nest/grid.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "nest/axes.h"
#include "nest/held_rows.h"
#include "nest/registers.h"

namespace fastnp::nest {

using shape::Dim;

namespace {

constexpr std::int64_t few_inner_points = 16;   // that a thread folds by itself
constexpr std::int64_t few_outer_points = 1024;  // for threads that would each fold one
constexpr std::int64_t most_paired = 2048;       // elements of rows that are paired, for threads that fold them one after the other
constexpr std::int64_t steps_each = 8;           // of a thread of a crew, at least
constexpr int most_crew = 16;
constexpr int most_unrolled = 8, most_copies = 16;  // steps of an outer axis; points that a thread does side by side
constexpr std::int64_t most_unrolled_exprs = 1000;  // of a loop's turn
constexpr std::int64_t line_bytes = 128;        // that a warp's access begins with, at best
constexpr std::int64_t least_warps = 16;  // of a row, for another one that has less to do
constexpr std::int64_t vectors_each = 4;  // of a thread of a team, about

bool lies_along(const Kernel& kernel, const Access& access, std::size_t axis) { return access.strides[axis] == Dim(itemsize_at(kernel, access)); }

// How many accesses of inner points, then of outer ones, are to neighbouring elements along an axis.
std::int64_t score_of(const Kernel& kernel, std::size_t axis) {
    std::int64_t score = 0;
    for_each_access(kernel, [&](const Access& access) {
        const bool is_inner = kernel.stages.empty() || moves_within(kernel, access);
        const int value = lies_along(kernel, access, axis) ? 4 : access.strides[axis] == Dim(0) ? 1 : 0;
        score += value * (is_inner ? 64 : 1);
    });
    return score;
}

int best_lane(const Kernel& kernel, std::size_t from, std::size_t to) {
    int best = -1;
    std::int64_t best_score = -1;
    for (std::size_t a = from; a < to; ++a) {
        const std::int64_t score = score_of(kernel, a) * (kernel.axes[a].hint >= Grid::warp ? 2 : 1);
        if (score < best_score) continue;
        best_score = score;
        best = static_cast<int>(a);
    }
    return best;
}

// Loads that steps of an axis share: those that don't move along it, but do along another, and those of what another step loads.
int shared_loads(const Kernel& kernel, std::size_t axis) {
    std::vector<const Access*> loads;
    for_each_use(kernel, [&](const Access& access, Use use) {
        if (use == Use::load) loads.push_back(&access);
    });
    int shared = 0;
    for (const Access* load : loads) {
        const Dim step = load->strides[axis];
        if (step == Dim(0)) {
            shared += std::any_of(load->strides.begin(), load->strides.end(), [](Dim stride) { return !(stride == Dim(0)); }) ? 1 : 0;
            continue;
        }
        shared += std::any_of(loads.begin(), loads.end(), [&](const Access* other) {
            return other->buffer == load->buffer && other->strides == load->strides && load->offset.is_constant() && other->offset.is_constant() &&
                   step.is_constant() && load->offset.value() - other->offset.value() == step.value();
        });
    }
    return shared;
}

// Whether there are many short rows, each apart from the others, whose elements lie side by side: a thread for each would touch a line of memory for each
// element of a few.
bool has_short_rows(const Kernel& kernel) {
    const std::size_t outer = kernel.outer_count();
    if (kernel.axes.size() != outer + 1 || outer == 0) return false;
    const Axis& row = kernel.axes[outer];
    if (!row.extent.is_constant() || row.extent.value() < least_summed || !are_many_rows(kernel, 2)) return false;
    for (std::size_t a = 0; a < outer && outer > 1; ++a) {
        if (shared_loads(kernel, a) > 0) return false;
    }
    return best_lane(kernel, 0, outer + 1) == static_cast<int>(outer);
}

// Whether each of many outer points folds what others fold, too, along two axes (points that are paired): threads that do some of both load a fraction.
bool has_pairs(const Kernel& kernel) {
    const std::size_t outer = kernel.outer_count();
    if (kernel.block != 0 || kernel.axes.size() != outer + 1 || kernel.stages.size() != 1 || !kernel.stages[0].stores.empty()) return false;
    const Axis& row = kernel.axes[outer];
    if (!row.extent.is_constant() || row.extent.value() > most_paired || hinted_points(kernel, 0, outer) < most_copies * Grid::busy_threads) return false;
    std::size_t sharing = 0;
    for (std::size_t a = 0; a < outer; ++a) sharing += shared_loads(kernel, a) > 0 ? 1 : 0;
    return sharing >= 2;
}

// Where elements lie side by side. Few outer points that don't are folded by teams, else they would leave most of a GPU idle.
int choose_lane(const Kernel& kernel) {
    const std::size_t outer = kernel.outer_count(), rank = kernel.axes.size();
    const std::size_t from = kernel.block != 0 ? 1 : 0;  // nothing lies side by side along the blocks of a fold
    if (kernel.stages.empty()) return best_lane(kernel, from, rank);
    const bool has_few = kernel.block == 0 && hinted_points(kernel, outer, rank) <= few_inner_points && outer > 0;
    if (are_rows_of_threads(kernel)) return static_cast<int>(outer);
    if ((has_few && !has_short_rows(kernel)) || has_pairs(kernel)) return best_lane(kernel, from, outer);
    const int best = best_lane(kernel, from, rank);
    const bool fills_warps = best >= 0 && kernel.axes[static_cast<std::size_t>(best)].hint >= Grid::warp;
    return hinted_points(kernel, 0, outer) < few_outer_points && !fills_warps ? best_lane(kernel, outer, rank) : best;
}

// Whether vectors of so many bytes along an axis may be aligned at all points of the others, as far as is known. (The memory itself is looked at when the
// kernel runs.)
bool stays_aligned(const Kernel& kernel, const Access& access, std::size_t axis, std::int64_t bytes) {
    const int past = kernel.buffers[static_cast<std::size_t>(access.buffer)].past;
    if ((access.offset.is_constant() ? access.offset.value() + past : past) % bytes != 0) return false;
    for (std::size_t a = 0; a < access.strides.size(); ++a) {
        if (a != axis && access.strides[a].is_constant() && access.strides[a].value() % bytes != 0) return false;
    }
    return true;
}

// Whether a load's elements are among those of other loads' vectors, or of the ones that these have at other steps of an axis: a stencil's neighbours.
bool is_among_vectors(const Kernel& kernel, const Access& load, std::size_t axis, std::int64_t bytes) {
    bool found = false;
    for_each_use(kernel, [&](const Access& other, Use use) {
        if (found || use != Use::load || other.buffer != load.buffer || other.strides != load.strides) return;
        if (!other.offset.is_constant() || !load.offset.is_constant() || !stays_aligned(kernel, other, axis, bytes)) return;
        const std::int64_t apart = load.offset.value() - other.offset.value();
        found = std::abs(apart) < bytes;
        for (std::size_t a = 0; a < kernel.outer_count() && !found; ++a) {
            const Dim step = load.strides[a];
            if (a == axis || !step.is_constant() || step.value() == 0) continue;
            const std::int64_t rest = std::abs(apart) % std::abs(step.value());
            found = std::min(rest, std::abs(step.value()) - rest) < bytes;
        }
    });
    return found;
}

// Whether what is accessed along an axis is best taken as vectors of so many bytes. `any_loads`: what is loaded may lie anywhere, and is taken by
// elements.
bool takes_vectors(const Kernel& kernel, std::size_t axis, std::int64_t bytes, std::int64_t narrowest, bool any_loads) {
    bool takes = true;
    for_each_use(kernel, [&](const Access& access, Use use) {
        if (!takes || !lies_along(kernel, access, axis)) return;
        if (bytes < Grid::vector_bytes && itemsize_at(kernel, access) != narrowest) takes = false;
        else if (!stays_aligned(kernel, access, axis, bytes))
            takes = use == Use::load && kernel.stages.empty() && (any_loads || is_among_vectors(kernel, access, axis, bytes));
    });
    return takes;
}

// Whether neighbouring elements along an axis are stored near each other, but with others between them.
bool stores_with_gaps(const Kernel& kernel, std::size_t axis) {
    bool any = false;
    for_each_use(kernel, [&](const Access& access, Use use) {
        const Dim stride = access.strides[axis];
        if (use != Use::store || !stride.is_constant() || lies_along(kernel, access, axis)) return;
        any = any || (stride.value() != 0 && std::abs(stride.value()) <= Grid::warp);
    });
    return any;
}

// Elements that fill 16 bytes (less, if rows begin at less only) of the narrowest dtype that is loaded or stored along the lanes, but no more of the
// widest that is computed than registers hold well; one where none lie side by side.
int choose_width(const Kernel& kernel, int lane) {
    const auto axis = static_cast<std::size_t>(lane);
    std::int64_t narrowest = Grid::vector_bytes;
    for_each_access(kernel, [&](const Access& access) {
        if (lies_along(kernel, access, axis)) narrowest = std::min(narrowest, itemsize_at(kernel, access));
    });
    // Elements that neighbouring threads take one by one are whole lines, too; vectors that begin at odd places are none, and what is stored with gaps
    // for the results of others would have a line for each thread.
    if (stores_with_gaps(kernel, axis)) return 1;
    for (const bool any_loads : {false, true}) {
        for (std::int64_t bytes = Grid::vector_bytes; bytes > narrowest; bytes /= 2) {
            const std::int64_t width = std::min(bytes / narrowest, Grid::most_bytes / widest_along(kernel, axis));
            if (width > 1 && takes_vectors(kernel, axis, bytes, narrowest, any_loads)) {
                const bool is_whole = kernel.axes[axis].inner && kernel.axes[axis].extent.is_constant() && kernel.axes[axis].hint % width == 0;
                return kernel.axes[axis].hint >= (is_whole ? 2 : 4) * width ? static_cast<int>(width) : 1;
            }
        }
    }
    return 1;
}

// Threads for the lanes of an outer point: whole warps, and as many as have a few vectors each.
int choose_team(const Kernel& kernel, const Grid& grid) {
    const bool blocked = kernel.block != 0 && static_cast<std::size_t>(grid.lane) == kernel.outer_count();
    const std::int64_t length = blocked ? kernel.block : kernel.axes[static_cast<std::size_t>(grid.lane)].hint;
    const auto threads = static_cast<std::uint64_t>(std::max<std::int64_t>(length / (vectors_each * grid.width), 1));
    return static_cast<int>(std::clamp<std::uint64_t>(std::bit_ceil(threads), Grid::warp, Grid::most_team));
}

// How many steps there are along the first inner axis, of one outer point.
std::int64_t inner_length(const Kernel& kernel) { return kernel.block != 0 ? kernel.block : kernel.axes[kernel.outer_count()].hint; }

// Threads for each outer point where these lie along the lanes: so many that a GPU is busy.
int choose_crew(const Kernel& kernel, int width) {
    const std::int64_t wanted = Grid::busy_threads * width / std::max<std::int64_t>(hinted_points(kernel, 0, kernel.outer_count()), 1);
    const auto crew = static_cast<std::uint64_t>(std::clamp<std::int64_t>(std::min(wanted, inner_length(kernel) / steps_each), 1, most_crew));
    return static_cast<int>(std::bit_floor(crew));
}

// Whether the threads of crews can take vectors: all of a block go the same way, so there must be whole ones for all, and enough of them.
bool crews_take_vectors(const Kernel& kernel, const Grid& grid) {
    const Axis& lanes = kernel.axes[static_cast<std::size_t>(grid.lane)];
    return lanes.extent.is_constant() && lanes.extent.value() % grid.width == 0 &&
           hinted_points(kernel, 0, kernel.outer_count()) / grid.width * choose_crew(kernel, grid.width) >= Grid::busy_threads / 2;
}

// Bytes that a thread loads for its steps, of what differs from step to step; what several read counts once, as far as is known.
std::int64_t bytes_of_steps(const Kernel& kernel, const Grid& grid) {
    const auto along = static_cast<std::size_t>(grid.unroll_axis), lane = static_cast<std::size_t>(grid.lane);
    std::vector<const Access*> alike;  // one of those of a buffer with the same strides
    std::set<std::pair<std::size_t, std::int64_t>> places;  // by that, and by what a thread loads at a time
    std::int64_t bytes = 0;
    for_each_use(kernel, [&](const Access& access, Use use) {
        const Dim step = access.strides[along];
        if (use != Use::load || step == Dim(0)) return;
        const std::int64_t each = itemsize_at(kernel, access) * (lies_along(kernel, access, lane) ? grid.width : 1);
        if (!step.is_constant() || !access.offset.is_constant()) {
            bytes += grid.unroll * each;
            return;
        }
        const auto is_like = [&](const Access* other) { return other->buffer == access.buffer && other->strides == access.strides; };
        const auto found = static_cast<std::size_t>(std::ranges::find_if(alike, is_like) - alike.begin());
        if (found == alike.size()) alike.push_back(&access);
        const int past = kernel.buffers[static_cast<std::size_t>(access.buffer)].past;
        for (int part = 0; part < grid.unroll; ++part) {
            constexpr std::int64_t far = std::int64_t{1} << 40;  // offsets may be negative
            const std::int64_t first = far + past + access.offset.value() + part * step.value();
            for (std::int64_t at = first / each; at <= (first + each - 1) / each; ++at) bytes += places.emplace(found, at).second ? each : 0;
        }
    });
    return bytes;
}

// For so many loads, and what is computed with them; none where the assembler does well by itself, or two blocks at a time would be all.
int registers_for(std::int64_t loaded) {
    constexpr std::int64_t much = 128, others = 24, most = 80;
    const std::int64_t registers = (loaded / 4 + others + 7) / 8 * 8;
    return loaded < much || registers > most ? 0 : static_cast<int>(registers);
}

// Bytes that a thread stores at a time along the lanes, at most.
std::int64_t bytes_of_store(const Kernel& kernel, const Grid& grid) {
    std::int64_t most = 1;
    for_each_use(kernel, [&](const Access& access, Use use) {
        if (use == Use::store) most = std::max(most, grid.width * itemsize_at(kernel, access));
    });
    return most;
}

// The axis along which a thread does some steps side by side, if that saves loads and leaves enough threads; or has more on its way, where its vectors are
// small.
void choose_unrolling(const Kernel& kernel, Grid& grid) {
    const std::size_t outer = kernel.outer_count();
    const int steps = std::min(kernel.stages.empty() ? most_unrolled : most_copies, most_copies / grid.width);
    if (kernel.block != 0 || steps < 4) return;
    if (hinted_points(kernel, 0, outer) / (static_cast<std::int64_t>(grid.width) * steps) < Grid::busy_threads) return;
    int most = 0;
    for (std::size_t a = 0; a < outer; ++a) {
        if (static_cast<int>(a) == grid.lane || kernel.axes[a].hint < 8 * static_cast<std::int64_t>(steps)) continue;
        const int shared = shared_loads(kernel, a);
        if (shared <= most) continue;
        most = shared;
        grid.unroll_axis = static_cast<int>(a);
        grid.unroll = steps;
    }
    if (most > 0 && kernel.stages.empty()) grid.registers = registers_for(bytes_of_steps(kernel, grid));
    const std::int64_t stored = bytes_of_store(kernel, grid);
    if (most > 0 || !kernel.stages.empty() || stored >= Grid::vector_bytes) return;
    std::int64_t longest = 8 * steps - 1;
    for (std::size_t a = 0; a < outer; ++a) {
        if (static_cast<int>(a) == grid.lane || kernel.axes[a].hint <= longest) continue;
        longest = kernel.axes[a].hint;
        grid.unroll_axis = static_cast<int>(a);
        grid.unroll = static_cast<int>(std::clamp<std::int64_t>(2 * Grid::vector_bytes / stored, 4, steps));
    }
}

// Where a thread's own folds go along what lies side by side: so many steps as make up the widest vectors that are aligned.
int choose_inner_steps(const Kernel& kernel, const Grid& grid) {
    const std::size_t axis = kernel.axes.size() - 1;
    const std::vector<std::uint32_t> depends = dependencies(kernel);
    for (std::size_t i = 0; i < kernel.exprs.size(); ++i) {
        if (is_costly(kernel.exprs[i]) && (depends[i] >> axis & 1U) != 0) return 1;  // its code would be there as often
    }
    if (!kernel.axes[axis].inner || !kernel.axes[axis].extent.is_constant() || kernel.block != 0) return 1;
    for (std::int64_t bytes = Grid::vector_bytes; bytes > 4; bytes /= 2) {
        std::int64_t steps = 0;
        bool fits = true;
        for_each_use(kernel, [&](const Access& access, Use use) {
            if (use != Use::load || access.strides[axis] == Dim(0) || !lies_along(kernel, access, axis)) return;
            const std::int64_t each = bytes / itemsize_at(kernel, access);
            fits = fits && each > 1 && (steps == 0 || each == steps) && stays_aligned(kernel, access, axis, bytes);
            steps = each;
        });
        const std::int64_t size = grid.width * grid.unroll * steps * static_cast<std::int64_t>(kernel.exprs.size());
        if (fits && steps > 1 && size <= most_unrolled_exprs && kernel.axes[axis].extent.value() % steps == 0) return static_cast<int>(steps);
    }
    return 1;
}

void choose_steps(const Kernel& kernel, Grid& grid) {
    choose_unrolling(kernel, grid);
    if (kernel.outer_count() < kernel.axes.size()) grid.inner_steps = choose_inner_steps(kernel, grid);
}

// Of points that are paired a thread does many with one of the other kind, whose row it loads by vectors; none where there are too few, or too much is
// computed for so many side by side.
std::optional<Grid> rows_by_vectors(const Kernel& kernel, const Grid& grid) {
    Grid made = grid;
    made.width = 1;
    choose_steps(kernel, made);
    return made.unroll > 1 && made.inner_steps > 1 ? std::optional(made) : std::nullopt;
}

// By how much most loads are past a line, if it is the same in all rows; what is stored lies elsewhere, but waits for nothing.
int choose_shift(const Kernel& kernel, const Grid& grid) {
    const auto lane = static_cast<std::size_t>(grid.lane);
    if (kernel.axes[lane].hint < 8 * line_bytes) return 0;
    std::map<std::int64_t, int> loads;  // by elements past a line
    for_each_use(kernel, [&](const Access& access, Use use) {
        if (use == Use::store || !lies_along(kernel, access, lane) || !access.offset.is_constant()) return;
        for (std::size_t a = 0; a < access.strides.size(); ++a) {
            const Dim stride = access.strides[a];
            if (a != lane && (!stride.is_constant() || stride.value() % line_bytes != 0)) return;
        }
        const std::int64_t past = access.offset.value() + kernel.buffers[static_cast<std::size_t>(access.buffer)].past;
        ++loads[((past % line_bytes + line_bytes) % line_bytes) / itemsize_at(kernel, access)];
    });
    const auto most = std::ranges::max_element(loads, {}, [](const auto& each) { return each.second; });
    return most == loads.end() ? 0 : static_cast<int>(most->first);
}

}  // namespace

Grid grid_of(Kernel& kernel, shape::Sizes& sizes) {
    simplify_axes(kernel, sizes);
    Grid grid;
    const std::size_t outer = kernel.outer_count();
    grid.lane = kernel.axes.empty() ? -1 : choose_lane(kernel);
    if (grid.lane >= 0) grid.width = choose_width(kernel, grid.lane);
    grid.tile = choose_tile(kernel, grid.block);
    if (grid.tile.is_used()) {
        grid.lane = grid.tile.lane;
        grid.width = grid.tile.width;
    } else if (grid.lane >= static_cast<int>(outer)) {
        grid.team = choose_team(kernel, grid);
        if (const auto rows = held_rows(kernel, grid.lane, grid.width)) {
            grid.width = rows->width;
            grid.team = rows->team;
            grid.held = rows->held;
            grid.staged = rows->staged;
        }
        if (grid.team > Grid::warp) grid.block = grid.team;
    } else if (grid.lane >= 0 && !kernel.stages.empty() && outer < kernel.axes.size()) {
        const bool has_vectors = crews_take_vectors(kernel, grid);
        grid.crew = choose_crew(kernel, has_vectors ? grid.width : 1);
        grid.block = std::max(grid.block, grid.crew * Grid::warp);
        if (grid.crew > 1 && !has_vectors) grid.width = 1;
    }
    if (grid.lane >= 0 && grid.lane < static_cast<int>(outer) && grid.crew == 1 && !grid.tile.is_used()) {
        const auto by_vectors = has_pairs(kernel) ? rows_by_vectors(kernel, grid) : std::nullopt;
        if (by_vectors) grid = *by_vectors;
        else choose_steps(kernel, grid);
        if (grid.width == 1 && kernel.block == 0) grid.shift = choose_shift(kernel, grid);
        grid.whole_warps = outer > 1 && kernel.axes[static_cast<std::size_t>(grid.lane)].hint >= least_warps * Grid::warp * grid.width;
    }
    if (grid.registers == 0) grid.registers = registers_for_many_threads(kernel, grid);
    for (std::size_t a = 0; a < outer; ++a) {
        Dim steps = kernel.axes[a].extent;
        const int each = grid.steps_of(static_cast<int>(a)), more = each - 1 + grid.shift_of(static_cast<int>(a));
        if (more > 0) steps = sizes.divide(sizes.add(steps, Dim(more)), Dim(each));
        if (const int together = grid.units_together(static_cast<int>(a)); together > 1)
            steps = sizes.multiply(sizes.divide(sizes.add(steps, Dim(together - 1)), Dim(together)), Dim(together));
        grid.units = sizes.multiply(grid.units, steps);
    }
    return grid;
}

std::vector<shape::Dim> sizes_of(const Kernel& kernel) {
    std::vector<shape::Dim> sizes;
    const auto note = [&sizes](shape::Dim dim) {
        if (!dim.is_constant() && std::find(sizes.begin(), sizes.end(), dim) == sizes.end()) sizes.push_back(dim);
    };
    const auto note_access = [&note](const Access& access) {
        note(access.offset);
        for (const shape::Dim stride : access.strides) note(stride);
    };
    for (const Axis& axis : kernel.axes) note(axis.extent);
    for (const Expr& expr : kernel.exprs) {
        note_access(expr.access);
        note(expr.offset);
        note(expr.extent);
    }
    for (const Stage& stage : kernel.stages) {
        for (const Store& store : stage.stores) note_access(store.access);
    }
    for (const Store& store : kernel.outer_stores) note_access(store.access);
    note(kernel.blocked_extent);
    note(kernel.inner_points);
    return sizes;
}

std::string fingerprint(const Kernel& kernel, const Grid& grid) {
    std::string bytes = fingerprint(kernel, Schedule{});
    const auto note = [&bytes](int each) { bytes.append(reinterpret_cast<const char*>(&each), sizeof each); };
    for (const int each : {grid.lane, grid.width, grid.shift, grid.whole_warps ? 1 : 0, grid.staged ? 1 : 0, grid.unroll_axis, grid.unroll,
                           grid.inner_steps, grid.registers, grid.held, grid.team, grid.crew, grid.block})
        note(each);
    const Tile& tile = grid.tile;
    for (const int each : {tile.across, tile.lanes, tile.steps, tile.parts, static_cast<int>(tile.loads.size())}) note(each);
    for (const ExprId load : tile.loads) note(static_cast<int>(load));
    for (const int store : tile.stores) note(store);
    for (const Buffer& buffer : kernel.buffers) note(2 * (buffer.past % Grid::vector_bytes) + (begins_aligned(buffer) ? 1 : 0));
    return bytes;
}

}  // namespace fastnp::nest
