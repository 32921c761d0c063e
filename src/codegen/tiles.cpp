// Column folds over a block of lanes: the accumulators lie in memory (the first-level cache), and each pass over the block takes `unroll` steps of
// the inner axis, so that memory is read in long runs. Sums of inexact dtypes over many steps are added up in two levels: a number of passes into one
// tile, whose sums then go to another, so rounding errors grow with about the square root of the length.
#include "codegen/emitter.h"
#include "codegen/folds.h"

namespace fastnp::codegen {

Emitter::Accumulator Emitter::make_tile(Dtype dtype) {
    llvm::IRBuilder<> at(b_.entry, b_.entry->getFirstInsertionPt());
    auto* type = llvm::ArrayType::get(b_.element_type(dtype), static_cast<std::uint64_t>(schedule_.lane_block + b_.width));
    const auto make = [&] {
        llvm::AllocaInst* tile = at.CreateAlloca(type);
        tile->setAlignment(llvm::Align(64));
        return tile;
    };
    return {make(), is_complex(dtype) ? make() : nullptr};
}

std::vector<Emitter::Tile> Emitter::make_tiles(llvm::Value* begin, bool two_levels) {
    std::vector<Tile> tiles;
    for (const int f : kernel_.stages[0].folds) {
        const nest::Fold& fold = kernel_.folds[static_cast<std::size_t>(f)];
        for (int part = 0; part < outer_parts(); ++part) {
            tiles.push_back({fold, f, part, begin, make_tile(fold.dtype), {}});
            if (two_levels && rounds(fold)) tiles.back().totals = make_tile(fold.dtype);
        }
    }
    return tiles;
}

llvm::Value* Emitter::slot_of(const Tile& tile, llvm::Value* memory) {
    llvm::Type* type = llvm::cast<llvm::AllocaInst>(memory)->getAllocatedType();
    return b_.ir.CreateInBoundsGEP(type, memory, {number(0), b_.ir.CreateSub(index_[static_cast<std::size_t>(schedule_.lane)], tile.begin)});
}

Value Emitter::read(const Tile& tile, const Accumulator& from) {
    llvm::Type* type = b_.vector_type(b_.element_type(tile.fold.dtype));
    Value value{&b_, tile.fold.dtype, b_.ir.CreateAlignedLoad(type, slot_of(tile, from.re), llvm::Align(1)), nullptr};
    if (from.im != nullptr) value.im = b_.ir.CreateAlignedLoad(type, slot_of(tile, from.im), llvm::Align(1));
    return value;
}

void Emitter::write(const Tile& tile, const Accumulator& to, Value value) {
    value = b_.splat(value);
    b_.ir.CreateAlignedStore(value.re, slot_of(tile, to.re), llvm::Align(1));
    if (to.im != nullptr) b_.ir.CreateAlignedStore(value.im, slot_of(tile, to.im), llvm::Align(1));
}

// Passes over the block of lanes.
void Emitter::add_to_tiles(const std::vector<Tile>& tiles, llvm::Value* end, llvm::Value* first, llvm::Value* last) {
    serial_loop(static_cast<int>(outer_), first, last, schedule_.unroll, [&] {
        hoist(roots_of(kernel_.stages[0]));
        lane_loop(tiles[0].begin, end, 1, [&] {
            for (const Tile& tile : tiles) {
                const AtLine at = b_.at(kernel_.line_of_fold(static_cast<std::size_t>(tile.number)));
                Copies values;
                for (int step = 0; step < copies_; ++step) values.push_back(value_of(tile.fold, tile.part, step));
                write(tile, tile.sums, combine(b_, tile.fold, read(tile, tile.sums), b_.splat(pairwise(b_, tile.fold, std::move(values)))));
            }
        });
    });
}

void Emitter::tiled(llvm::Value* begin, llvm::Value* end) {
    const std::int64_t chunk = nest::passes_each * schedule_.unroll;
    const bool two_levels = nest::has_total_tiles(kernel_, schedule_);
    const std::vector<Tile> tiles = make_tiles(begin, two_levels);
    lane_loop(begin, end, 1, [&] {
        for (const Tile& tile : tiles) {
            write(tile, tile.sums, identity_of(b_, tile.fold));
            if (tile.totals.re != nullptr) write(tile, tile.totals, identity_of(b_, tile.fold));
        }
    });
    llvm::Value* first = nullptr;
    llvm::Value* last = nullptr;
    inner_range(static_cast<int>(outer_), first, last);
    if (!two_levels) {
        add_to_tiles(tiles, end, first, last);
    } else {
        loop(first, last, chunk, "chunk", [&](llvm::Value* from) {
            llvm::Value* to = b_.ir.CreateBinaryIntrinsic(llvm::Intrinsic::smin, b_.ir.CreateAdd(from, number(chunk)), last);
            add_to_tiles(tiles, end, from, to);
            lane_loop(begin, end, 1, [&] {
                for (const Tile& tile : tiles) {
                    if (tile.totals.re == nullptr) continue;
                    write(tile, tile.totals, combine(b_, tile.fold, read(tile, tile.totals), read(tile, tile.sums)));
                    write(tile, tile.sums, identity_of(b_, tile.fold));
                }
            });
        });
    }
    lane_loop(begin, end, 1, [&] {
        enter(0);
        for (const Tile& tile : tiles) {
            Copies& results = fold_results_[static_cast<std::size_t>(tile.number)];
            results.resize(copy_count());
            results[static_cast<std::size_t>(copy_of(tile.part, 0))] = read(tile, tile.totals.re != nullptr ? tile.totals : tile.sums);
        }
        stores(kernel_.outer_stores, outer_parts());
        leave();
    });
}

}  // namespace fastnp::codegen
