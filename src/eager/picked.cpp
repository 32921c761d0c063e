#include "eager/picked.h"

#include <bit>

#include "eager/element_bits.h"
#include "eager/isa.h"
#include "eager/picked_walk.h"
#include "eager/places.h"
#include "fastnp/error.h"
#include "shape/strides.h"

namespace fastnp::eager {

std::int64_t place_of(std::int64_t index, std::int64_t extent, std::size_t axis, OutOfBounds mode) {
    if (mode == OutOfBounds::clip) return std::clamp<std::int64_t>(index, 0, extent - 1);
    if (mode == OutOfBounds::wrap) {
        index %= extent;
    } else if (index < -extent || index >= extent) {
        throw_out_of_bounds(index, static_cast<std::int64_t>(axis), extent);
    }
    return index < 0 ? index + extent : index;
}

namespace {

// Offsets of places side by side, added to those of the axes before; false, with nothing done, where one is out of bounds.
[[gnu::always_inline]] inline bool add_offsets(const std::int64_t* indices, std::int64_t count, std::int64_t extent, std::int64_t behind,
                                               std::int64_t step, bool is_first, std::int64_t* offsets) {
    if (!are_places(indices, count, extent, behind)) return false;
    if (is_first) {
        for (std::int64_t i = 0; i < count; ++i) offsets[i] = from_start(indices[i], extent) * step;
    } else {
        for (std::int64_t i = 0; i < count; ++i) offsets[i] += from_start(indices[i], extent) * step;
    }
    return true;
}
using AddOffsets = bool (*)(const std::int64_t*, std::int64_t, std::int64_t, std::int64_t, std::int64_t, bool, std::int64_t*);
bool add_base(const std::int64_t* indices, std::int64_t count, std::int64_t extent, std::int64_t behind, std::int64_t step, bool is_first,
              std::int64_t* offsets) {
    return add_offsets(indices, count, extent, behind, step, is_first, offsets);
}
FASTNP_V3 bool add_v3(const std::int64_t* indices, std::int64_t count, std::int64_t extent, std::int64_t behind, std::int64_t step, bool is_first,
                      std::int64_t* offsets) {
    return add_offsets(indices, count, extent, behind, step, is_first, offsets);
}
FASTNP_V4 bool add_v4(const std::int64_t* indices, std::int64_t count, std::int64_t extent, std::int64_t behind, std::int64_t step, bool is_first,
                      std::int64_t* offsets) {
    return add_offsets(indices, count, extent, behind, step, is_first, offsets);
}

// Calls copy.template operator()<bytes>(): a constant for elements, 0 for other blocks.
template <class Copy>
void by_size(std::size_t bytes, Copy copy) {
    switch (bytes) {
        case 1: return copy.template operator()<1>();
        case 2: return copy.template operator()<2>();
        case 4: return copy.template operator()<4>();
        case 8: return copy.template operator()<8>();
        case 16: return copy.template operator()<16>();
        default: return copy.template operator()<0>();
    }
}

}  // namespace

PickedWalk::PickedWalk(const Picked& picked, const View& other)
    : picked_(picked),
      other_(static_cast<char*>(other.data)),
      picks_(picked.indices.size()),
      of_other_(1),
      beside_(2),
      block_(itemsize_of(picked.x.dtype)) {
    const std::size_t count = picked.indices.size(), rank = picked.indices[0].shape.size(), behind = picked.axis + count;
    for (std::size_t i = 0; i < rank; ++i) {
        SmallVector<std::int64_t> steps;
        for (const View& each : picked.indices) steps.push_back(each.strides[i]);
        picks_.add(picked.indices[0].shape[i], steps.data());
        of_other_.add(picked.indices[0].shape[i], &other.strides[picked.axis + i]);
    }
    const View& x = picked.x;
    const auto of_other = [&](std::size_t axis) { return other.strides[axis < picked.axis ? axis : axis + rank - count]; };
    std::size_t end = x.shape.size();
    for (; end > behind; --end) {
        const auto bytes = static_cast<std::int64_t>(block_);
        if (x.shape[end - 1] != 1 && (x.strides[end - 1] != bytes || of_other(end - 1) != bytes)) break;
        block_ *= static_cast<std::size_t>(x.shape[end - 1]);
    }
    for (std::size_t i = 0; i < end; ++i) {
        if (i >= picked.axis && i < behind) continue;
        const std::int64_t steps[] = {x.strides[i], of_other(i)};
        beside_.add(x.shape[i], steps);
    }
}

// Of places at equal steps.
void PickedWalk::add_line(std::size_t index, const char* from, std::int64_t count, std::int64_t* offsets) const {
    static const AddOffsets add = for_host<AddOffsets>(&add_base, &add_v3, &add_v4);
    const std::size_t axis = picked_.axis + index;
    const std::int64_t extent = picked_.x.shape[axis], step = picked_.x.strides[axis], next = picks_.inner_step(index);
    const std::int64_t behind = picked_.mode == OutOfBounds::clip ? 0 : extent;
    const bool is_in_a_row = next == sizeof(std::int64_t) || count == 1;
    if (is_in_a_row && extent > 0 && add(reinterpret_cast<const std::int64_t*>(from), count, extent, behind, step, index == 0, offsets)) return;
    for (std::int64_t i = 0; i < count; ++i, from += next) {
        std::int64_t place = 0;
        std::memcpy(&place, from, sizeof place);
        offsets[i] = (index == 0 ? 0 : offsets[i]) + place_of(place, extent, axis, picked_.mode) * step;
    }
}

// Of places in short lines, one after the other.
void PickedWalk::add_apart(std::size_t index, std::int64_t first, std::int64_t count, std::int64_t* offsets) const {
    const std::size_t axis = picked_.axis + index, rank = picks_.rank();
    const std::int64_t extent = picked_.x.shape[axis], step = picked_.x.strides[axis];
    const char* from = static_cast<const char*>(picked_.indices[index].data) + picks_.bytes(first, index);
    SmallVector<std::int64_t> at(rank, 0);
    for (std::size_t i = rank; i-- > 0; first /= picks_.size(i)) at[i] = first % picks_.size(i);
    for (std::int64_t n = 0; n < count; ++n) {
        std::int64_t place = 0;
        std::memcpy(&place, from, sizeof place);
        offsets[n] = (index == 0 ? 0 : offsets[n]) + place_of(place, extent, axis, picked_.mode) * step;
        for (std::size_t i = rank; i-- > 0;) {
            from += picks_.step(i, index);
            if (++at[i] < picks_.size(i)) break;
            from -= picks_.step(i, index) * picks_.size(i);
            at[i] = 0;
        }
    }
}

void PickedWalk::find_offsets(std::int64_t first, std::int64_t count, std::int64_t* offsets) const {
    constexpr std::int64_t short_line = 8;
    const std::int64_t line = picks_.inner();
    for (std::size_t k = 0; k < picked_.indices.size(); ++k) {
        if (line < short_line && first % line + count > line) {
            add_apart(k, first, count, offsets);
            continue;
        }
        for (std::int64_t done = 0; done < count;) {
            const std::int64_t at = first + done, next = std::min(count - done, line - at % line);
            add_line(k, static_cast<const char*>(picked_.indices[k].data) + picks_.bytes(at, k), next, offsets + done);
            done += next;
        }
    }
}

void check(const Picked& picked) {
    for (std::size_t k = 0; k < picked.indices.size(); ++k) {
        View index = picked.indices[k];
        const std::size_t rank = index.shape.size(), axis = picked.axis + k;
        for (std::size_t i = 0; i < rank; ++i) {
            if (index.strides[i] == 0 && index.shape[i] > 1) index.shape[i] = 1;  // broadcast: each is looked at once
        }
        // The axis has its own number, for the error.
        const View x{nullptr, picked.x.dtype, SmallVector<std::int64_t>(axis, 1), SmallVector<std::int64_t>(axis + 1, 0)};
        Picked alone{x, axis, {&index, 1}, picked.mode};
        alone.x.shape.push_back(picked.x.shape[axis]);
        SmallVector<std::int64_t> shape(axis, 1);
        for (const std::int64_t each : index.shape) shape.push_back(each);
        const View beside{nullptr, picked.x.dtype, shape, SmallVector<std::int64_t>(shape.size(), 0)};
        PickedWalk(alone, beside).all([](const PickedPiece&) {});
    }
}

void gather(const Picked& picked, const View& out) {
    const PickedWalk walk(picked, out);
    by_size(walk.block(), [&]<std::size_t Size>() {
        walk.shared(false, [bytes = walk.block()](const PickedPiece& piece) {
            constexpr auto size = static_cast<std::int64_t>(Size);
            if (size != 0 && piece.step == size && piece.lanes <= piece.count) {
                for (std::int64_t n = 0; n < piece.lanes; ++n) {
                    const char* const from = piece.x + n * piece.x_lane;
                    char* const to = piece.other + n * piece.other_lane;
                    for (std::int64_t i = 0; i < piece.count; ++i) std::memcpy(to + i * size, from + piece.offsets[i], Size);
                }
            } else {
                piece.all([bytes](const char* from, char* to) { std::memcpy(to, from, Size != 0 ? Size : bytes); });
            }
        });
    });
}

void scatter(const Picked& picked, const View& values) {
    const PickedWalk walk(picked, values);
    by_size(walk.block(), [&]<std::size_t Size>() {
        const auto set = [bytes = walk.block()](const PickedPiece& piece) {
            piece.all([bytes](char* to, const char* from) { std::memcpy(to, from, Size != 0 ? Size : bytes); });
        };
        if (shape::repeats(picked.x.shape, picked.x.strides)) walk.all(set);
        else walk.shared(true, set);
    });
}

}  // namespace fastnp::eager
