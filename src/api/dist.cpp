#include "fastnp/dist.h"

#include <algorithm>

#include "api/primitives.h"
#include "dist/groups.h"
#include "dist/local.h"
#include "dist/mpi.h"
#include "fastnp/error.h"
#include "ops/collective.h"
#include "ops/infer.h"
#include "trace/recorder.h"

namespace fastnp::dist {

namespace {

using ir::Op;

array collective(Op op, std::int64_t key, int size, std::initializer_list<std::int64_t> more, const array& x) {
    ir::Attributes attributes;
    attributes.ints = ops::Collective::ints(key, size);
    for (const std::int64_t each : more) attributes.ints.push_back(each);
    return api::apply(op, attributes, {&x, 1});
}

std::int64_t joins(Fold fold) {
    switch (fold) {
        case Fold::prod: return static_cast<std::int64_t>(Op::multiply);
        case Fold::min: return static_cast<std::int64_t>(Op::minimum);
        case Fold::max: return static_cast<std::int64_t>(Op::maximum);
        case Fold::sum:
        case Fold::mean: break;
    }
    return static_cast<std::int64_t>(Op::add);
}

// What is summed for a mean.
array summand(const array& x, Fold fold) { return fold == Fold::mean && !is_inexact(x.dtype()) ? api::cast(x, Dtype::float64) : x; }
array finished(const array& x, Fold fold, int size) { return fold == Fold::mean ? divide(x, Scalar(static_cast<double>(size))) : x; }

// x with an axis of so many parts before the axis, which is cut into them.
array cut(const array& x, int axis, int parts, const char* name) {
    const shape::Arithmetic sizes = api::arithmetic();
    const api::Dims shape = api::dims_of(x);
    const api::Dim whole = shape[static_cast<std::size_t>(axis)], part = sizes.divide(whole, api::Dim(parts));
    if (!sizes.equal(sizes.multiply(part, api::Dim(parts)), whole)) {
        throw ValueError(std::string(name) + ": axis " + std::to_string(axis) + " of size " + sizes.told(whole) + " can't be cut into " +
                         std::to_string(parts) + " equal parts");
    }
    api::Dims result;
    for (int i = 0; i < x.ndim(); ++i) {
        if (i == axis) result.push_back(api::Dim(parts));
        result.push_back(i == axis ? part : shape[static_cast<std::size_t>(i)]);
    }
    return api::reshape(x, result);
}

// x with the axis before this one and it as one.
array merged(const array& x, int axis) {
    const api::Dims shape = api::dims_of(x);
    api::Dims result;
    for (int i = 0; i < x.ndim(); ++i) {
        const api::Dim size = shape[static_cast<std::size_t>(i)];
        if (i == axis) result.back() = api::arithmetic().multiply(result.back(), size);
        else result.push_back(size);
    }
    return api::reshape(x, result);
}

void check_rank(int rank, int size, const char* name) {
    if (rank < 0 || rank >= size) throw ValueError(std::string(name) + ": there is no rank " + std::to_string(rank) + " among " + std::to_string(size));
}

std::int64_t key_of_all(int size) { return key_of({size}, {0}); }

}  // namespace

Communicator::Communicator() : key_(key_of_all(dist::size())), size_(dist::size()) {}

int Communicator::rank() const { return group(key_).rank(); }
int Communicator::size() const { return size_; }
std::vector<int> Communicator::ranks() const { return ranks_of(key_, dist::rank()); }

array Communicator::index() const {
    ir::Attributes attributes;
    attributes.ints = ops::Collective::ints(key_, size_);
    return api::apply(Op::rank, attributes, {});
}

array Communicator::all_reduce(const array& x, Fold fold) const {
    return finished(collective(Op::all_reduce, key_, size_, {joins(fold)}, summand(x, fold)), fold, size_);
}

array Communicator::all_gather(const array& x, int axis, bool tiled) const {
    const int place = static_cast<int>(ops::normalize_axis(axis, x.ndim() + (tiled ? 0 : 1)));
    const array gathered = moveaxis(collective(Op::all_gather, key_, size_, {}, x), 0, place);
    return tiled ? merged(gathered, place + 1) : gathered;
}

array Communicator::reduce_scatter(const array& x, Fold fold, int axis, bool tiled) const {
    const int place = static_cast<int>(ops::normalize_axis(axis, x.ndim()));
    const array parts = tiled ? cut(x, place, size_, "reduce_scatter") : x;
    const array own = collective(Op::reduce_scatter, key_, size_, {joins(fold)}, summand(moveaxis(parts, place, 0), fold));
    return finished(own, fold, size_);
}

array Communicator::broadcast(const array& x, int root) const {
    check_rank(root, size_, "broadcast");
    return collective(Op::broadcast, key_, size_, {root}, x);
}

array Communicator::all_to_all(const array& x, int split_axis, int concat_axis, bool tiled) const {
    const int split = static_cast<int>(ops::normalize_axis(split_axis, x.ndim())), place = static_cast<int>(ops::normalize_axis(concat_axis, x.ndim()));
    const array parts = tiled ? cut(x, split, size_, "all_to_all") : x;
    const array received = moveaxis(collective(Op::all_to_all, key_, size_, {}, moveaxis(parts, split, 0)), 0, place);
    return tiled ? merged(received, place + 1) : received;
}

array Communicator::permute(const array& x, const std::vector<std::pair<int, int>>& pairs) const {
    ir::Attributes attributes;
    attributes.ints = ops::Collective::ints(key_, size_);
    for (int i = 0; i < size_; ++i) attributes.ints.push_back(-1);
    std::vector<bool> receives(static_cast<std::size_t>(size_));
    for (const auto& [from, to] : pairs) {
        check_rank(from, size_, "permute");
        check_rank(to, size_, "permute");
        std::int64_t& target = attributes.ints[ops::Collective::options + static_cast<std::size_t>(from)];
        if (target != -1 || receives[static_cast<std::size_t>(to)]) {
            throw ValueError("permute: rank " + std::to_string(target != -1 ? from : to) + (target != -1 ? " sends" : " receives") + " twice");
        }
        target = to;
        receives[static_cast<std::size_t>(to)] = true;
    }
    return api::apply(Op::permute, attributes, {&x, 1});
}

void Communicator::barrier() const {
    if (trace::Recorder* const recorder = trace::Recorder::active()) recorder->refuse(RecordError("waits for other ranks at a barrier"));
    group(key_).barrier();
}

Mesh::Mesh(Shape shape, std::vector<std::string> names) : shape_(std::move(shape)), names_(std::move(names)) {
    if (shape_.size() != names_.size()) {
        throw ValueError("a mesh of " + std::to_string(shape_.size()) + " axes has " + std::to_string(names_.size()) + " names");
    }
    std::vector<std::string> sorted = names_;
    std::ranges::sort(sorted);
    if (const auto twice = std::ranges::adjacent_find(sorted); twice != sorted.end()) throw ValueError("two axes of a mesh are called '" + *twice + "'");
    std::int64_t count = 1;
    for (const std::int64_t extent : shape_) count *= extent;
    if (count != dist::size() || std::ranges::any_of(shape_, [](std::int64_t extent) { return extent < 1; })) {
        throw ValueError("a mesh of " + std::to_string(count) + " ranks, where there are " + std::to_string(dist::size()));
    }
}

Communicator Mesh::along(const std::vector<std::string>& names) const {
    std::vector<int> axes;
    for (const std::string& name : names) {
        const auto found = std::ranges::find(names_, name);
        if (found == names_.end()) throw ValueError("a mesh has no axis '" + name + "'");
        axes.push_back(static_cast<int>(found - names_.begin()));
    }
    if (axes.size() == names_.size() && std::ranges::is_sorted(axes)) return {};
    const std::int64_t key = key_of(std::vector<std::int64_t>(shape_.begin(), shape_.end()), axes);
    return {key, size_of(key)};
}

Shape Mesh::coordinates() const {
    Shape found = shape_;
    std::int64_t rest = dist::rank();
    for (std::size_t i = shape_.size(); i-- > 0; rest /= shape_[i]) found[i] = rest % shape_[i];
    return found;
}

void init_mpi(const std::string& library) {
    if (has_world()) throw ValueError("the ranks of this process are set up");
    set_world(mpi_world(library));
}

bool is_initialized() { return has_world(); }
void finalize() { unset_world(); }
int rank() { return world().rank(); }
int size() { return world().size(); }

void set_time_limit(double seconds) {
    if (!(seconds > 0)) throw ValueError("a time limit must be positive");
    set_time_limit(std::chrono::duration<double>(seconds));
}

void run(int ranks, const std::function<void()>& function, const Faults& faults) { run_threads(ranks, function, faults); }

namespace detail {

std::int64_t world_kind() { return dist::world_kind(); }
std::int64_t set_mode(std::int64_t mode) { return dist::set_mode(mode); }
void set_around_waiting(void* (*begin)(), void (*end)(void* begun)) { dist::set_around_waiting({begin, end}); }
void abort_ranks() { world().abort(); }

}  // namespace detail

}  // namespace fastnp::dist
