// Tiles of the GPU's emitter. A block loads what lies side by side across the lanes along that axis into shared memory, meets, computes the tile's points
// with neighbouring threads along the lanes, meets again, and stores along that axis what lies so.
#include <algorithm>
#include <bit>
#include <numeric>
#include <tuple>

#include "codegen/grid_emitter.h"
#include "nest/axes.h"

namespace fastnp::codegen {

using llvm::Align;
using llvm::BasicBlock;
namespace in = llvm::Intrinsic;

namespace {

constexpr int word = 4;                   // bytes that a thread moves at a time, of narrower elements together
constexpr int most_bytes = 64, most_moves = 16;  // of a thread that are on their way

const nest::Access& access_of(const nest::Kernel& kernel, const nest::Tile& tile, std::size_t number) {
    if (number < tile.loads.size()) return kernel.exprs[tile.loads[number]].access;
    return kernel.outer_stores[static_cast<std::size_t>(tile.stores[number - tile.loads.size()])].access;
}

}  // namespace

void GridEmitter::make_tiles() {
    const nest::Tile& tile = grid_.tile;
    for (std::size_t i = 0; i < tile.loads.size() + tile.stores.size(); ++i) {
        const nest::Access& access = access_of(kernel_, tile, i);
        const std::int64_t itemsize = nest::itemsize_at(kernel_, access);
        auto* type = llvm::ArrayType::get(b_.ir.getInt8Ty(), static_cast<std::uint64_t>(tile.steps * tile.pitch(itemsize) * itemsize));
        auto* memory = new llvm::GlobalVariable(b_.module, type, false, llvm::GlobalValue::InternalLinkage, llvm::PoisonValue::get(type), "tile", nullptr,
                                                llvm::GlobalValue::NotThreadLocal, shared_memory);  // the module owns it
        memory->setAlignment(Align(nest::Grid::vector_bytes));
        tiles_.push_back({memory, kernel_.buffers[static_cast<std::size_t>(access.buffer)].dtype});
    }
}

// The tile begins where place() has put the indices.
void GridEmitter::tile() {
    auto& ir = b_.ir;
    const auto lane = static_cast<std::size_t>(grid_.lane), across = static_cast<std::size_t>(grid_.tile.across);
    tile_begin_ = {index_[lane], index_[across]};
    const auto is_there = [&](std::size_t axis, int steps) {
        return ir.CreateICmpSLE(ir.CreateAdd(index_[axis], number(steps)), size(kernel_.axes[axis].extent));
    };
    is_whole_ = ir.CreateAnd(is_there(lane, grid_.tile.lanes), is_there(across, grid_.tile.steps));
    fill_tiles();
    barrier();
    points_of_tile();
    barrier();
    drain_tiles();
}

void GridEmitter::either_way(llvm::Value* condition, const std::function<void()>& so, const std::function<void()>& otherwise) {
    auto& ir = b_.ir;
    BasicBlock* first = BasicBlock::Create(ir.getContext(), "whole", function_);
    BasicBlock* second = BasicBlock::Create(ir.getContext(), "part", function_);
    BasicBlock* after = BasicBlock::Create(ir.getContext(), "tile.end", function_);
    ir.CreateCondBr(condition, first, second);
    ir.SetInsertPoint(first);
    so();
    ir.CreateBr(after);
    ir.SetInsertPoint(second);
    otherwise();
    ir.CreateBr(after);
    ir.SetInsertPoint(after);
}

// A number below 2^31 by a constant: what is left, and the quotient.
std::pair<llvm::Value*, llvm::Value*> GridEmitter::divided(llvm::Value* point, int by) {
    auto& ir = b_.ir;
    const auto divisor = static_cast<unsigned>(by);
    if (std::has_single_bit(divisor)) return {ir.CreateAnd(point, number(by - 1)), ir.CreateLShr(point, number(std::countr_zero(divisor)))};
    llvm::Value* small = ir.CreateTrunc(point, ir.getInt32Ty());
    const auto whole = [&](llvm::Value* value) { return ir.CreateZExt(value, ir.getInt64Ty()); };
    return {whole(ir.CreateURem(small, ir.getInt32(divisor))), whole(ir.CreateUDiv(small, ir.getInt32(divisor)))};
}

// All places of a tile, neighbouring threads along the steps, `each` steps of one to a thread, whose places come `together` at a time.
void GridEmitter::across_tile(int each, int together, const std::function<void(const std::vector<Place>&)>& body) {
    auto& ir = b_.ir;
    const int row = grid_.tile.steps / each, rounds = grid_.tile.points() / (each * grid_.block);
    together = std::gcd(together, rounds);
    const auto [own_step, own_lane] = divided(rank_, row);
    loop(number(0), number(rounds), number(together), "round", [&](llvm::Value* first) {
        std::vector<Place> places;
        for (int i = 0; i < together; ++i) {
            llvm::Value* round = ir.CreateAdd(first, number(i));
            llvm::Value *step = own_step, *lane = nullptr;
            if (grid_.block % row == 0) lane = ir.CreateAdd(own_lane, ir.CreateMul(round, number(grid_.block / row)));
            else std::tie(step, lane) = divided(ir.CreateAdd(ir.CreateMul(round, number(grid_.block)), rank_), row);
            places.push_back({lane, ir.CreateMul(step, number(each))});
        }
        body(places);
    });
}

// With the indices at a place of the tile, and nothing known of them but here.
void GridEmitter::at_place(const Place& place, const std::function<void()>& body) {
    llvm::Value *&lane = index_[static_cast<std::size_t>(grid_.lane)], *&step = index_[static_cast<std::size_t>(grid_.tile.across)];
    const Place before{lane, step};
    lane = b_.ir.CreateAdd(tile_begin_.lane, place.lane, "", true, true);
    step = b_.ir.CreateAdd(tile_begin_.step, place.step, "", true, true);
    enter(1U << grid_.lane | 1U << grid_.tile.across);
    body();
    leave();
    lane = before.lane;
    step = before.step;
}

// The place if it is in the kernel's space, else the last one that is.
GridEmitter::Place GridEmitter::clamped(const Place& place) {
    auto& ir = b_.ir;
    const auto within = [&](llvm::Value* at, llvm::Value* begin, int axis) {
        llvm::Value* left = ir.CreateSub(size(kernel_.axes[static_cast<std::size_t>(axis)].extent), begin);
        return ir.CreateBinaryIntrinsic(in::smin, at, ir.CreateSub(left, number(1)));
    };
    return {within(place.lane, tile_begin_.lane, grid_.lane), within(place.step, tile_begin_.step, grid_.tile.across)};
}

llvm::Value* GridEmitter::is_inside(const Place& place) {
    auto& ir = b_.ir;
    const auto below_end = [&](llvm::Value* at, llvm::Value* begin, int axis) {
        return ir.CreateICmpSLT(ir.CreateAdd(begin, at), size(kernel_.axes[static_cast<std::size_t>(axis)].extent));
    };
    return ir.CreateAnd(below_end(place.lane, tile_begin_.lane, grid_.lane), below_end(place.step, tile_begin_.step, grid_.tile.across));
}

llvm::Value* GridEmitter::tile_address(std::size_t tile, const Place& place) {
    auto& ir = b_.ir;
    const auto itemsize = static_cast<std::int64_t>(itemsize_of(tiles_[tile].dtype));
    llvm::Value* at = ir.CreateAdd(ir.CreateMul(place.step, number(grid_.tile.pitch(itemsize))), place.lane);
    return ir.CreateGEP(ir.getInt8Ty(), tiles_[tile].memory, ir.CreateMul(at, number(itemsize)));
}

// Neighbouring steps of a tile that are a word of an access; 1: none are, as far as is known, or elements are words.
int GridEmitter::steps_of_word(const nest::Access& access) const {
    const auto itemsize = static_cast<int>(nest::itemsize_at(kernel_, access));
    const auto across = static_cast<std::size_t>(grid_.tile.across);
    const auto fits = [](shape::Dim dim) { return !dim.is_constant() || dim.value() % word == 0; };
    if (itemsize >= word || grid_.tile.steps % word != 0 || !(access.strides[across] == shape::Dim(itemsize)) || !fits(access.offset)) return 1;
    for (std::size_t a = 0; a < access.strides.size(); ++a) {
        if (a != across && !fits(access.strides[a])) return 1;
    }
    return word / itemsize;
}

// Whether the words of an access are aligned, as far as is only known when the kernel runs.
llvm::Value* GridEmitter::has_words(const nest::Access& access) {
    auto& ir = b_.ir;
    llvm::Value* bits = number(0);
    const auto buffer = static_cast<std::size_t>(access.buffer);
    if (!nest::begins_aligned(kernel_.buffers[buffer])) bits = ir.CreatePtrToInt(bases_[buffer], ir.getInt64Ty());
    if (!access.offset.is_constant()) bits = ir.CreateOr(bits, size(access.offset));
    for (const shape::Dim stride : access.strides) {
        if (!stride.is_constant()) bits = ir.CreateOr(bits, size(stride));
    }
    return ir.CreateICmpEQ(ir.CreateAnd(bits, number(word - 1)), number(0));
}

// Words, taken apart where the lanes of their elements are.
void GridEmitter::fill_by_words(std::size_t tile, const nest::Access& access, int each) {
    auto& ir = b_.ir;
    const unsigned bits = 32 / static_cast<unsigned>(each);
    across_tile(each, most_bytes / word, [&](const std::vector<Place>& places) {
        std::vector<llvm::Value*> words;
        for (const Place& place : places) {
            at_place(place, [&] { words.push_back(ir.CreateAlignedLoad(ir.getInt32Ty(), address(access, 0), Align(word))); });
        }
        for (std::size_t i = 0; i < places.size(); ++i) {
            for (int step = 0; step < each; ++step) {
                llvm::Value* element = ir.CreateTrunc(ir.CreateLShr(words[i], static_cast<unsigned>(step) * bits), ir.getIntNTy(bits));
                const Place at{places[i].lane, ir.CreateAdd(places[i].step, number(step))};
                ir.CreateAlignedStore(element, tile_address(tile, at), Align(bits / 8));
            }
        }
    });
}

void GridEmitter::fill_by_elements(std::size_t tile, nest::ExprId load, bool is_whole) {
    const nest::Expr& expr = kernel_.exprs[load];
    const auto itemsize = static_cast<int>(itemsize_of(tiles_[tile].dtype));
    across_tile(1, std::min(most_bytes / itemsize, most_moves), [&](const std::vector<Place>& places) {
        std::vector<Value> values;
        for (const Place& place : places) {
            at_place(is_whole ? place : clamped(place),
                     [&] { values.push_back(expr.args.empty() ? load_element(expr.access, 0) : guarded_load(expr.access, 0, eval(expr.args[0], 0).re)); });
        }
        for (std::size_t i = 0; i < places.size(); ++i) store_to_tile(tile, values[i], places[i]);
    });
}

void GridEmitter::fill_tiles() {
    for (std::size_t i = 0; i < grid_.tile.loads.size(); ++i) {
        const nest::ExprId load = grid_.tile.loads[i];
        const nest::Expr& expr = kernel_.exprs[load];
        const int each = expr.args.empty() ? steps_of_word(expr.access) : 1;
        const auto by_parts = [&] { fill_by_elements(i, load, false); };
        if (each > 1) either_way(b_.ir.CreateAnd(is_whole_, has_words(expr.access)), [&] { fill_by_words(i, expr.access, each); }, by_parts);
        else either_way(is_whole_, [&] { fill_by_elements(i, load, true); }, by_parts);
    }
}

void GridEmitter::drain_by_words(std::size_t tile, const nest::Access& access, int each) {
    auto& ir = b_.ir;
    const unsigned bits = 32 / static_cast<unsigned>(each);
    across_tile(each, most_bytes / word, [&](const std::vector<Place>& places) {
        for (const Place& place : places) {
            llvm::Value* all = ir.getInt32(0);
            for (int step = 0; step < each; ++step) {
                const Place at{place.lane, ir.CreateAdd(place.step, number(step))};
                llvm::Value* element = ir.CreateAlignedLoad(ir.getIntNTy(bits), tile_address(tile, at), Align(bits / 8));
                all = ir.CreateOr(all, ir.CreateShl(ir.CreateZExt(element, ir.getInt32Ty()), static_cast<unsigned>(step) * bits));
            }
            at_place(place, [&] { ir.CreateAlignedStore(all, address(access, 0), Align(word)); });
        }
    });
}

void GridEmitter::drain_by_elements(std::size_t tile, const nest::Access& access, bool is_whole) {
    const auto itemsize = static_cast<int>(itemsize_of(tiles_[tile].dtype));
    const auto move = [&](const Place& place) { at_place(place, [&] { store_element(access, load_of_tile(tile, place), 0); }); };
    across_tile(1, is_whole ? std::min(most_bytes / itemsize, most_moves) : 1, [&](const std::vector<Place>& places) {
        for (const Place& place : places) {
            if (is_whole) move(place);
            else if_so(is_inside(place), "inside", [&] { move(place); });
        }
    });
}

void GridEmitter::drain_tiles() {
    for (std::size_t i = 0; i < grid_.tile.stores.size(); ++i) {
        const std::size_t tile = grid_.tile.loads.size() + i;
        const nest::Access& access = access_of(kernel_, grid_.tile, tile);
        const int each = steps_of_word(access);
        const auto by_parts = [&] { drain_by_elements(tile, access, false); };
        if (each > 1) either_way(b_.ir.CreateAnd(is_whole_, has_words(access)), [&] { drain_by_words(tile, access, each); }, by_parts);
        else either_way(is_whole_, [&] { drain_by_elements(tile, access, true); }, by_parts);
    }
}

// Whole tiles of aligned memory some words of lanes at a time, others point by point.
void GridEmitter::points_of_tile() {
    auto& ir = b_.ir;
    const nest::Tile& tile = grid_.tile;
    const auto points = [&](const Place& place, int lanes, int parts) {
        at_place(place, [&] {
            lanes_ = lanes;
            parts_ = parts;
            outer_point();
            lanes_ = parts_ = 1;
        });
    };
    const auto at = [&](llvm::Value* point) {
        const auto [lane, step] = divided(point, tile.lanes);
        return Place{lane, step};
    };
    const auto side_by_side = [&] {
        llvm::Value* own = ir.CreateMul(rank_, number(tile.width));
        loop(number(0), number(tile.points()), number(static_cast<std::int64_t>(tile.parts) * tile.width * grid_.block), "points",
             [&](llvm::Value* first) { points(at(ir.CreateAdd(first, own)), tile.width, tile.parts); });
    };
    const auto one_by_one = [&] {
        loop(rank_, number(tile.points()), number(grid_.block), "point", [&](llvm::Value* point) {
            const Place place = at(point);
            if_so(is_inside(place), "inside", [&] { points(place, 1, 1); });
        });
    };
    if (tile.width > 1 && aligned_ == nullptr) one_by_one();
    else either_way(tile.width > 1 ? ir.CreateAnd(is_whole_, aligned_) : is_whole_, side_by_side, one_by_one);
}

// The parts that a value does not depend on are those of one step, or of one lane.
int GridEmitter::first_equal_of_tile(nest::ExprId id, int copy) const {
    const int part = part_of(copy);
    const bool along = varies_along(id, grid_.lane), across = varies_along(id, grid_.tile.across);
    int first = 0;
    while (first < part && ((along && lanes_on(first) != lanes_on(part)) || (across && steps_on(first) != steps_on(part)))) ++first;
    return first * lanes_ + (along ? lane_of(copy) : 0);
}

int GridEmitter::tile_of_load(nest::ExprId id) const {
    const auto found = std::ranges::find(grid_.tile.loads, id);
    return found == grid_.tile.loads.end() ? -1 : static_cast<int>(found - grid_.tile.loads.begin());
}

int GridEmitter::tile_of_store(std::size_t store) const {
    const auto found = std::ranges::find(grid_.tile.stores, static_cast<int>(store));
    const auto number = found - grid_.tile.stores.begin() + static_cast<std::ptrdiff_t>(grid_.tile.loads.size());
    return found == grid_.tile.stores.end() ? -1 : static_cast<int>(number);
}

// Of a copy, in its tile.
GridEmitter::Place GridEmitter::place_of(int copy) {
    return {b_.ir.CreateSub(index_of(grid_.lane, copy), tile_begin_.lane), b_.ir.CreateSub(index_of(grid_.tile.across, copy), tile_begin_.step)};
}

Value GridEmitter::load_of_tile(std::size_t tile, const Place& place) {
    return load_at(tile_address(tile, place), tiles_[tile].dtype, Align(itemsize_of(tiles_[tile].dtype)));
}

void GridEmitter::store_to_tile(std::size_t tile, const Value& value, const Place& place) {
    store_at(tile_address(tile, place), value, Align(itemsize_of(tiles_[tile].dtype)));
}

}  // namespace fastnp::codegen
