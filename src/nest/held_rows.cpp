#include "nest/held_rows.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "nest/axes.h"

namespace fastnp::nest {

using shape::Dim;

namespace {

constexpr std::int64_t most_registers = 256;   // bytes of a thread's, for rows
constexpr std::int64_t vectors_of_many = 4;    // of a thread, where each element meets many others
constexpr std::int64_t sector_bytes = 32;      // that memory is moved in, at least

// Costs of a row for each of its elements; 1 is what one takes by itself. Fitted to softmax, layer norm and lengths of rows of 8 to 4096 elements, held in
// all ways that there are, on an H200: what is chosen takes at most 3 % longer than the best, but 7 to 12 % for softmax and layer norm of 60 and 250.
constexpr double of_thread = 5;  // what it does once for each row, for what it exchanges and where it is
constexpr double of_barrier = 30;  // for each thread of a team of several warps
constexpr double of_vector = 0.3;  // its instructions, beside those of its elements
constexpr double of_part_sector = 0.08;  // of storing sectors of which others have parts
constexpr double of_staging = 0.03;  // of putting rows together instead
constexpr double of_bytes = 1.0 / 80;  // of what a thread holds past the first 32: there is room for fewer threads then

class Chooser {
public:
    Chooser(const Kernel& kernel, int lane)
        : kernel_(kernel), lane_(static_cast<std::size_t>(lane)), length_(kernel.axes[lane_].extent.value()), widest_(widest_along(kernel, lane_)) {
        most_ = most_elements();
        find_stores();
    }

    std::optional<HeldRows> choose(int most_width) {
        for (std::int64_t width = most_width; width >= 1; width /= 2) {
            if (length_ % width != 0) continue;
            if (length_ < least_summed) consider(width, 1);
            for (std::int64_t team = 2; team <= Grid::most_team && length_ >= least_summed; team += std::min<std::int64_t>(team, Grid::warp))
                consider(width, team);
        }
        return best_;
    }
    bool can_be_of_threads() const { return stores_ && length_ <= most_ && can_stage(1); }

private:
    // Those of inner points, and whether rows follow each other in all that they are to.
    void find_stores() {
        may_stage_ = kernel_.outer_count() == 1 && !meets_many() && kernel_.block == 0;
        for (const Stage& stage : kernel_.stages) {
            if (!stage.stores.empty() && stores_) may_stage_ = false;  // the second one
            stores_ = stores_ || !stage.stores.empty();
            if (!stage.stores.empty() && (!stage.folds.empty() || !stage.keeps.empty())) may_stage_ = false;
            for (const Store& store : stage.stores) {
                const Buffer& buffer = kernel_.buffers[static_cast<std::size_t>(store.access.buffer)];
                const std::int64_t bytes = itemsize_at(kernel_, store.access);
                const bool follow = store.access.strides[lane_] == Dim(bytes) && store.access.strides[0] == Dim(bytes * length_);
                const bool begins = buffer.aligned && store.access.offset.is_constant() && store.access.offset.value() % Grid::vector_bytes == 0;
                may_stage_ = may_stage_ && follow && begins;
                stored_bytes_ += bytes;
                narrowest_stored_ = std::min(narrowest_stored_, bytes);
            }
        }
    }

    // A warp's rows are whole vectors of all that is stored, and those of a block have room.
    bool can_stage(std::int64_t team) const {
        constexpr std::int64_t most_staged = 24 << 10;
        if (!may_stage_ || team >= Grid::warp) return false;
        const std::int64_t rows = Grid::warp / team;
        return rows * length_ * narrowest_stored_ % Grid::vector_bytes == 0 &&
               Grid{.team = static_cast<int>(team)}.units_of_block() * length_ * stored_bytes_ <= most_staged;
    }

    bool meets_many() const { return kernel_.axes.size() > kernel_.outer_count() + 1; }

    // Of a thread: rows that are there from the first stage to the last, and those that are read beside them.
    std::int64_t most_elements() const {
        std::vector<const Access*> loads;
        for_each_use(kernel_, [&](const Access& access, Use use) {
            const bool is_known = std::any_of(loads.begin(), loads.end(), [&](const Access* other) { return *other == access; });
            if (use != Use::store && !(access.strides[lane_] == Dim(0)) && !is_known) loads.push_back(&access);
        });
        const auto rows = static_cast<std::int64_t>(1 + kernel_.scratch.size() + loads.size() / 2);
        const bool is_folded_alone = kernel_.stages.size() == 1 && kernel_.stages[0].stores.empty() && !meets_many();
        return std::min((is_folded_alone ? 2 : 1) * Grid::most_bytes / widest_, most_registers / (widest_ * rows));
    }

    // Teams of less than a warp are for many rows; and none is one of whose threads most would have nothing to do.
    void consider(std::int64_t width, std::int64_t team) {
        const std::int64_t vectors = length_ / width, held = (vectors + team - 1) / team;
        if (held * width > most_ || (held > vectors_of_many && meets_many()) || 2 * vectors < held * team) return;
        if (team < Grid::warp && !are_many_rows(kernel_, team)) return;
        const double split = stores_ && held > 1 ? of_part_sector * split_of(width * team) : 0;
        const auto offer = [&](double storing, bool staged) {
            const double cost = cost_of(width, team, held) + storing * static_cast<double>(held * width * team) / static_cast<double>(length_);
            if (best_ && cost >= least_) return;
            least_ = cost;
            best_ = {static_cast<int>(width), static_cast<int>(team), static_cast<int>(held), staged};
        };
        offer(split, false);
        if (split > 0 && can_stage(team)) offer(of_staging, true);
    }

    // Bytes of sectors, for each that is stored, of which a team stores others at another time.
    double split_of(std::int64_t elements) const {
        const std::int64_t piece = elements * narrowest_stored_;  // of a row, that its team stores at a time
        const std::int64_t begins_at = std::gcd(std::gcd(length_ * narrowest_stored_, piece), sector_bytes);
        return static_cast<double>(sector_bytes - begins_at) / static_cast<double>(piece);
    }

    double cost_of(std::int64_t width, std::int64_t team, std::int64_t held) const {
        const double each = 1 + of_vector / static_cast<double>(width);
        const auto length = static_cast<double>(length_), threads = static_cast<double>(team), vectors = static_cast<double>(held * width);
        const double fixed = threads * (of_thread + (team > Grid::warp ? of_barrier : 0)) / length;
        return each * threads * vectors / length + fixed + of_bytes * static_cast<double>(std::max<std::int64_t>(held * width * widest_ - 32, 0));
    }

    const Kernel& kernel_;
    std::size_t lane_;
    std::int64_t length_, widest_, most_ = 0;
    bool stores_ = false, may_stage_ = false;
    std::int64_t stored_bytes_ = 0, narrowest_stored_ = Grid::vector_bytes;  // of an element
    std::optional<HeldRows> best_;
    double least_ = 0;
};

}  // namespace

bool are_many_rows(const Kernel& kernel, std::int64_t team) { return hinted_points(kernel, 0, kernel.outer_count()) * team >= Grid::busy_threads; }

bool are_rows_of_threads(const Kernel& kernel) {
    const std::size_t axis = kernel.outer_count();
    if (axis != 1 || kernel.axes.size() != 2 || !kernel.axes[axis].extent.is_constant() || kernel.axes[axis].extent.value() >= least_summed) return false;
    return are_many_rows(kernel, 1) && Chooser(kernel, static_cast<int>(axis)).can_be_of_threads();
}

// Whether points of other inner axes are stored, each of which has a row of its own.
static bool stores_several_rows(const Kernel& kernel, std::size_t lane) {
    for (const Stage& stage : kernel.stages) {
        for (const Store& store : stage.stores) {
            for (std::size_t axis = kernel.outer_count(); axis < kernel.axes.size(); ++axis) {
                if (axis != lane && store.access.strides[axis] != Dim(0)) return true;
            }
        }
    }
    return false;
}

std::optional<HeldRows> held_rows(const Kernel& kernel, int lane, int width) {
    const auto axis = static_cast<std::size_t>(lane);
    if (!kernel.axes[axis].extent.is_constant() || kernel.axes[axis].extent.value() < 1 || (kernel.block != 0 && axis == kernel.outer_count())) return {};
    if (kernel.axes.size() != kernel.outer_count() + 1 && (!kernel.scratch.empty() || stores_several_rows(kernel, axis))) return {};
    return Chooser(kernel, lane).choose(width);
}

}  // namespace fastnp::nest
