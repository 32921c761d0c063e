// Tiles of a kernel's points that go by way of shared memory, for what lies side by side along another axis than the rest.
#pragma once

#include "base/for_codegen.h"
#include "nest/kernel.h"

namespace fastnp::nest {

/// The points that a block takes at a time: a few hundred steps of two axes. What lies side by side along `across` is loaded into shared memory, or stored
/// from there, along that axis, and used along the lanes' axis, where the rest lies side by side; so all of it is moved in whole lines.
struct Tile {
    int across = -1;  // -1: there are no tiles
    int lane = -1;
    int lanes = 1;  // steps of the lanes' axis: a power of two
    int steps = 1;  // of the other one
    int width = 1;  // lanes that a thread takes at a time, of a word together: a power of two
    int parts = 1;  // such words that a thread computes side by side: a power of two that divides its share
    std::vector<ExprId> loads;  // that are read from shared memory
    std::vector<int> stores;  // that go there: numbers among the outer stores

    bool is_used() const { return across >= 0; }
    int points() const { return lanes * steps; }
    /// From a step to the next in shared memory, in elements: threads that are neighbours along the steps use different banks.
    FASTNP_FOR_CODEGEN int pitch(std::int64_t itemsize) const;
};

/// Tiles for a kernel without folds that has enough to do for them, whose blocks have so many threads, a power of two.
Tile choose_tile(const Kernel& kernel, int block);

}  // namespace fastnp::nest
