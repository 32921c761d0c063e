#include "codegen/prove_sizes.h"

#include <algorithm>
#include <set>

#include "codegen/host.h"
#include "nest/axes.h"
#include "nest/order.h"

namespace fastnp::codegen {

namespace {

using shape::Dim;
using Numbers = std::vector<std::int64_t>;

// Of sizes that are tried one after the other.
constexpr double most_points = 20'000;

class Chooser {
public:
    Chooser(const Job& job, const shape::Sizes& sizes)
        : kernel_(*job.kernel),
          schedule_(*job.schedule),
          sizes_(sizes),
          lanes_(job.schedule->lane < 0 ? 1 : nest::lanes_of(*job.kernel, host_machine().vector_bytes)),
          group_(lanes_ * job.schedule->unroll) {
        for (std::uint32_t id = 0; id < sizes.size(); ++id) {
            if (sizes.expression(Dim::expression(id)).kind == shape::Sizes::Expression::Kind::symbol) symbols_.push_back(id);
        }
    }

    std::vector<ProofCase> run() {
        if (!varies()) {
            add(hints());
        } else {
            const Numbers special = special_numbers(), rests = rests_of_vectors();
            groups_ = groups_of_symbols();
            distances_ = groups_of_distances();
            add_each(special, all);
            for (const std::int64_t others : {3, 1}) add_each(special, others);
            add_each(rests, 3);
            std::erase_if(cases_, [&](const ProofCase& each) { return points_of(each) > most_points; });
            if (cases_.empty()) add(hints());
        }
        add_alignments();
        return std::move(cases_);
    }

private:
    static constexpr std::int64_t all = -1;
    static bool is_symbolic(Dim dim) { return !dim.is_constant(); }

    bool varies() const {
        bool found = std::ranges::any_of(kernel_.axes, [](const nest::Axis& axis) { return is_symbolic(axis.extent); });
        nest::for_each_access(
            kernel_, [&](const nest::Access& access) { found = found || is_symbolic(access.offset) || std::ranges::any_of(access.strides, is_symbolic); });
        for (const nest::Expr& expr : kernel_.exprs) found = found || is_symbolic(expr.offset) || is_symbolic(expr.extent);
        return found || is_symbolic(kernel_.blocked_extent);
    }

    double points_of(const ProofCase& at) const {
        double points = 1;
        for (const nest::Axis& axis : kernel_.axes)
            points *= static_cast<double>(axis.extent.is_constant() ? axis.extent.value() : at.sizes[axis.extent.id()]);
        return points;
    }

    Numbers hints() const {
        Numbers symbols;
        for (const std::uint32_t id : symbols_) symbols.push_back(sizes_.hint(Dim::expression(id)));
        return symbols;
    }

    // Symbols that guards say something about together, as that they are equal, have one number.
    std::vector<int> groups_of_symbols() const {
        std::vector<int> groups;
        for (std::size_t i = 0; i < symbols_.size(); ++i) groups.push_back(static_cast<int>(i));
        for (const shape::SizeGuard& guard : sizes_.guards()) {
            if (guard.kind != shape::SizeGuard::Kind::zero || guard.expression.is_constant()) continue;
            int first = -1;
            for (const shape::Sizes::Term& term : sizes_.expression(guard.expression).terms) {
                for (const std::uint32_t atom : term.atoms) {
                    const auto at = std::ranges::find(symbols_, atom);
                    if (at == symbols_.end()) continue;
                    const int group = groups[static_cast<std::size_t>(at - symbols_.begin())];
                    if (first < 0) first = group;
                    std::ranges::replace(groups, group, first);
                }
            }
        }
        std::vector<int> names;  // from 0 on
        for (int& group : groups) {
            if (std::ranges::find(names, group) == names.end()) names.push_back(group);
            group = static_cast<int>(std::ranges::find(names, group) - names.begin());
        }
        return groups;
    }

    // Sizes that take each path of a loop, and several blocks of each kind.
    Numbers special_numbers() const {
        const std::int64_t lanes = lanes_, group = group_, chunk = nest::cascade_chunk(schedule_, static_cast<int>(lanes));
        Numbers numbers{0, 1, lanes - 1, lanes, lanes + 1, group - 1, group, group + 1, 2 * group + lanes + 3};
        if (!kernel_.folds.empty()) {
            const std::int64_t passes = nest::passes_each * schedule_.unroll;
            numbers.insert(numbers.end(), {chunk + lanes + 1, 3 * chunk + group + lanes + 1, 2 * passes + schedule_.unroll + 1});
        }
        if (kernel_.block != 0) numbers.push_back(kernel_.block + lanes + 1);
        if (schedule_.lane_block != 0) numbers.push_back(schedule_.lane_block + lanes + 1);
        return numbers;
    }

    // All that leave another rest of vectors and of steps side by side.
    Numbers rests_of_vectors() const {
        Numbers numbers;
        for (std::int64_t rest = 0; rest <= 2 * group_ + 3; ++rest) numbers.push_back(rest);
        return numbers;
    }

    // The symbols that a size is made of.
    void find_symbols(Dim dim, std::set<std::uint32_t>& found) const {
        if (dim.is_constant()) return;
        const shape::Sizes::Expression& expression = sizes_.expression(dim);
        if (expression.kind == shape::Sizes::Expression::Kind::symbol) found.insert(dim.id());
        for (const shape::Sizes::Term& term : expression.terms) {
            for (const std::uint32_t atom : term.atoms) find_symbols(Dim::expression(atom), found);
        }
        if (expression.kind != shape::Sizes::Expression::Kind::quotient) return;
        find_symbols(expression.dividend, found);
        find_symbols(expression.divisor, found);
    }

    // Groups of symbols that are no axis' length: elements are as far from each other as they say.
    std::vector<int> groups_of_distances() const {
        std::set<std::uint32_t> lengths;
        for (const nest::Axis& axis : kernel_.axes) find_symbols(axis.extent, lengths);
        std::set<std::uint32_t> distances;
        nest::for_each_access(kernel_, [&](const nest::Access& access) {
            for (const Dim stride : access.strides) find_symbols(stride, distances);
        });
        std::set<int> groups_of_lengths;
        for (std::size_t i = 0; i < symbols_.size(); ++i) {
            if (lengths.contains(symbols_[i])) groups_of_lengths.insert(groups_[i]);
        }
        std::vector<int> found;
        for (std::size_t i = 0; i < symbols_.size(); ++i) {
            const bool is_one = distances.contains(symbols_[i]) && !groups_of_lengths.contains(groups_[i]);
            if (is_one && std::ranges::find(found, groups_[i]) == found.end()) found.push_back(groups_[i]);
        }
        return found;
    }

    // One group of symbols has the numbers, the others have `others`; or all have them. Distances are so long that no elements overlap.
    void add_each(const Numbers& numbers, std::int64_t others) {
        constexpr std::int64_t longest = std::int64_t{1} << 30;
        const int count = 1 + *std::ranges::max_element(groups_);
        if (count - static_cast<int>(distances_.size()) == 1) others = all;
        for (int group = 0; group < (others == all ? 1 : count); ++group) {
            if (others != all && std::ranges::find(distances_, group) != distances_.end()) continue;
            for (const std::int64_t number : numbers) {
                std::vector<std::int64_t> of_groups(static_cast<std::size_t>(count), others == all ? number : others);
                if (others != all) of_groups[static_cast<std::size_t>(group)] = number;
                std::int64_t distance = 64;
                for (const int each : distances_) {
                    of_groups[static_cast<std::size_t>(each)] = distance;
                    distance = std::min(distance * (std::max<std::int64_t>(number, 3) + 1), longest);
                }
                Numbers symbols;
                for (const int own : groups_) symbols.push_back(of_groups[static_cast<std::size_t>(own)]);
                if (distances_.empty() || distance < longest) add(std::move(symbols));
            }
        }
    }

    // If a call could have them.
    void add(Numbers symbols) {
        ProofCase made{Numbers(sizes_.size()), {}};
        Numbers given, bound;
        for (std::size_t i = 0; i < symbols.size(); ++i) {
            const shape::Sizes::Expression& symbol = sizes_.expression(Dim::expression(symbols_[i]));
            if (symbols[i] < symbol.low || symbols[i] > symbol.high) return;
            (symbol.stage == 0 ? given : bound).push_back(symbols[i]);
        }
        given.push_back(0);
        sizes_.evaluate(given.data(), made.sizes.data());
        for (std::size_t i = 0; i < bound.size(); ++i) sizes_.bind(static_cast<int>(i) + 1, bound[i], made.sizes.data());
        for (int stage = 0; stage <= static_cast<int>(bound.size()); ++stage) {
            if (!sizes_.holds(stage, made.sizes.data())) return;
        }
        for (const nest::Axis& axis : kernel_.axes) {
            if (!axis.extent.is_constant() && made.sizes[axis.extent.id()] < 0) return;
        }
        for (const nest::Buffer& buffer : kernel_.buffers) made.past.push_back(static_cast<std::uint64_t>(buffer.aligned ? buffer.past : 0));
        if (known_.insert(made.sizes).second) cases_.push_back(std::move(made));
    }

    // Where code looks at addresses: memory of others may begin anywhere.
    void add_alignments() {
        const bool looks =
            schedule_.streaming || std::ranges::any_of(kernel_.exprs, [](const nest::Expr& expr) { return expr.kind == nest::Expr::Kind::inside; });
        if (!looks || std::ranges::all_of(kernel_.buffers, [](const nest::Buffer& buffer) { return buffer.aligned; })) return;
        const std::size_t count = cases_.size();
        for (std::size_t i = 0; i < count; ++i) {
            for (const bool elements : {true, false}) {
                ProofCase made = cases_[i];
                for (std::size_t b = 0; b < kernel_.buffers.size(); ++b) {
                    const nest::Buffer& buffer = kernel_.buffers[b];
                    if (!buffer.aligned) made.past[b] = elements ? itemsize_of(buffer.dtype) : 1;
                }
                cases_.push_back(std::move(made));
            }
        }
    }

    const nest::Kernel& kernel_;
    const nest::Schedule& schedule_;
    const shape::Sizes& sizes_;
    std::vector<std::uint32_t> symbols_;  // ids
    std::vector<int> groups_;             // of each symbol its group's number
    std::vector<int> distances_;          // groups of symbols that say how far elements lie from each other
    std::int64_t lanes_, group_;          // elements of a vector; and of vectors side by side
    std::vector<ProofCase> cases_;
    std::set<Numbers> known_;  // sizes of these
};

}  // namespace

std::vector<ProofCase> proof_cases(const Job& job, const shape::Sizes& sizes) { return Chooser(job, sizes).run(); }

}  // namespace fastnp::codegen
