// Rows of the GPU's emitter: a team's threads hold them in registers, a few vectors each, or keep what stages share in rows of the chip's memory.
#include <llvm/IR/IntrinsicsNVPTX.h>

#include <algorithm>
#include <numeric>

#include "codegen/grid_emitter.h"
#include "nest/axes.h"

namespace fastnp::codegen {

using llvm::Align;
using llvm::BasicBlock;

// Of the last part, of which some threads have nothing.
void GridEmitter::find_rest() {
    const auto lane = static_cast<std::size_t>(grid_.lane);
    llvm::Value* begin = b_.ir.CreateAdd(index_[lane], number(held_elements() / grid_.held * (grid_.held - 1)));
    in_row_ = b_.ir.CreateICmpSLT(begin, size(kernel_.axes[lane].extent));
    rest_index_ = b_.ir.CreateSelect(in_row_, begin, number(0));
}

void GridEmitter::if_in_row(int part, const std::function<void()>& body) {
    if (is_rest(part)) if_so(in_row_, "row", body);
    else body();
}

// What a thread holds of a row.
GridEmitter::Copies GridEmitter::load_row(const nest::Access& access) {
    auto& ir = b_.ir;
    std::vector<std::pair<Copies, BasicBlock*>> ways;
    const auto vectors = [&] {
        Copies all;
        for (int part = 0; part < parts_; ++part) {
            for (const Value& value : load_vector(access, part)) all.push_back(value);
        }
        ways.emplace_back(std::move(all), ir.GetInsertBlock());
    };
    const auto elements = [&] {
        Copies all;
        for (int copy = 0; copy < copies(); ++copy) all.push_back(load_element(access, copy));
        ways.emplace_back(std::move(all), ir.GetInsertBlock());
    };
    if_aligned(vectors, elements);
    if (ways.size() == 1) return ways[0].first;
    Copies result;
    const auto either = [&](std::size_t copy, llvm::Value* Value::* part) {
        llvm::PHINode* phi = ir.CreatePHI((ways[0].first[copy].*part)->getType(), 2);
        for (const auto& [values, block] : ways) phi->addIncoming(values[copy].*part, block);
        return phi;
    };
    for (std::size_t copy = 0; copy < ways[0].first.size(); ++copy) {
        const Value& value = ways[0].first[copy];
        result.push_back({&b_, value.dtype, either(copy, &Value::re), value.im == nullptr ? nullptr : either(copy, &Value::im)});
    }
    return result;
}

// What a stage that only stores reads beside a row is there for one vector at a time, or a few small ones: registers are few.
void GridEmitter::store_held(const nest::Stage& stage) {
    constexpr int together = 4;  // elements, that are worth one look at what was assumed of them
    const auto all = [&](Memory memory) {
        memory_ = memory;
        const int rest = is_rest(parts_ - 1) ? parts_ - 1 : parts_, most = std::max(together / lanes_, 1);
        for (int part = 0, count = 0; part < parts_; part += count) {
            count = part == rest ? 1 : std::min(most, rest - part);
            enter(0);
            store_parts(stage.stores, part, count);
            leave();
        }
        memory_ = Memory::any;
    };
    const auto either = [&] { if_aligned([&] { all(Memory::aligned); }, [&] { all(Memory::single); }); };
    if (!grid_.staged) return if_active(either);
    either();
    const auto meet = [&] { b_.ir.CreateIntrinsic(llvm::Intrinsic::nvvm_bar_warp_sync, {}, {b_.ir.getInt32(0xffffffffU)}); };
    meet();
    for (std::size_t i = 0; i < stage.stores.size(); ++i) drain_staged(i, stage.stores[i].access);
    meet();
}

// Some vectors of each store; all values before the first one.
void GridEmitter::store_parts(const std::vector<nest::Store>& stores, int part, int count) {
    const int begin = part * lanes_, end = (part + count) * lanes_;
    const auto compute = [&] {
        std::vector<Copies> values;
        for (const nest::Store& each : stores) {
            Copies& all = values.emplace_back(static_cast<std::size_t>(copies()));
            for (int copy = begin; copy < end; ++copy) all[static_cast<std::size_t>(copy)] = eval(each.value, copy);
        }
        return values;
    };
    const auto write = [&](const std::vector<Copies>& values) {
        for (std::size_t i = 0; i < stores.size(); ++i) {
            const AtLine line = b_.at(kernel_.line_of(stores[i].value));
            if (!grid_.staged && takes_vectors(stores[i].access) && memory_ == Memory::aligned) {
                for (int at = part; at < part + count; ++at) store_vector(stores[i].access, values[i], at);
                continue;
            }
            for (int copy = begin; copy < end; ++copy) {
                const Value& value = values[i][static_cast<std::size_t>(copy)];
                if (grid_.staged) stage_element(i, stores[i].access, value, copy);
                else store_element(stores[i].access, value, copy);
            }
        }
    };
    if_in_row(part, [&] { speculate(compute, write); });
}

// Where an element of a row is until all of a warp's are there. The rows of a block follow each other, as they do where they are stored.
llvm::Value* GridEmitter::staged_address(std::size_t store, std::int64_t itemsize, int copy) {
    auto& ir = b_.ir;
    const std::int64_t length = kernel_.axes[static_cast<std::size_t>(grid_.lane)].extent.value();
    while (staged_.size() <= store) {
        auto* type = llvm::ArrayType::get(ir.getInt8Ty(), static_cast<std::uint64_t>(length * itemsize * grid_.units_of_block()));
        staged_.push_back(new llvm::GlobalVariable(b_.module, type, false, llvm::GlobalValue::InternalLinkage, llvm::PoisonValue::get(type), "staged",
                                                   nullptr, llvm::GlobalValue::NotThreadLocal, shared_memory));  // the module owns it
        staged_.back()->setAlignment(Align(nest::Grid::vector_bytes));
    }
    llvm::Value* at = ir.CreateAdd(ir.CreateMul(own_, number(length)), index_of(grid_.lane, copy));
    return ir.CreateGEP(ir.getInt8Ty(), staged_[store], ir.CreateMul(at, number(itemsize)));
}

// Elements of a vector are aligned as far as rows are; the code generator puts them together again.
void GridEmitter::stage_element(std::size_t store, const nest::Access& access, const Value& value, int copy) {
    const auto itemsize = static_cast<std::uint64_t>(nest::itemsize_at(kernel_, access));
    const auto length = static_cast<std::uint64_t>(kernel_.axes[static_cast<std::size_t>(grid_.lane)].extent.value());
    const Align vector = llvm::commonAlignment(Align(nest::Grid::vector_bytes), std::gcd(length, static_cast<std::uint64_t>(lanes_)) * itemsize);
    store_at(staged_address(store, static_cast<std::int64_t>(itemsize), copy), value,
             llvm::commonAlignment(vector, itemsize * static_cast<std::uint64_t>(lane_of(copy))));
}

// A warp's rows, a vector a thread at a time; those of the last one, which may be fewer, by elements.
void GridEmitter::drain_staged(std::size_t store, const nest::Access& access) {
    auto& ir = b_.ir;
    const Dtype dtype = kernel_.buffers[static_cast<std::size_t>(access.buffer)].dtype;
    const auto itemsize = static_cast<std::int64_t>(itemsize_of(dtype));
    const std::int64_t length = kernel_.axes[static_cast<std::size_t>(grid_.lane)].extent.value();
    llvm::Value* thread = ir.CreateAnd(special(llvm::Intrinsic::nvvm_read_ptx_sreg_tid_x), number(nest::Grid::warp - 1));
    const auto moved = [&](llvm::Value* base, llvm::Value* by, std::int64_t bytes) {
        return ir.CreateGEP(ir.getInt8Ty(), base, ir.CreateMul(by, number(bytes)));
    };
    llvm::Value* from = moved(staged_[store], ir.CreateAnd(own_, number(-rows_of_warp())), length * itemsize);
    llvm::Value* to = ir.CreateGEP(ir.getInt8Ty(), bases_[static_cast<std::size_t>(access.buffer)], size(access.offset));
    to = moved(to, first_of_warp_, length * itemsize);
    const auto whole = [&] { copy_by_warp(to, from, thread, rows_of_warp() * length * itemsize); };
    const auto part = [&] {
        llvm::Value* elements = ir.CreateMul(ir.CreateSub(units_, first_of_warp_), number(length));
        loop(thread, elements, number(nest::Grid::warp), "element", [&](llvm::Value* at) {
            const Align align(itemsize_of(real_of(dtype)));
            store_at(moved(to, at, itemsize), load_at(moved(from, at, itemsize), dtype, align), align);
        });
        stay_rolled();
    };
    either_way(ir.CreateICmpSLE(ir.CreateAdd(first_of_warp_, number(rows_of_warp())), units_), whole, part);
}

// So many bytes, by vectors; all loads before the first store.
void GridEmitter::copy_by_warp(llvm::Value* to, llvm::Value* from, llvm::Value* thread, std::int64_t bytes) {
    auto& ir = b_.ir;
    constexpr std::int64_t each = nest::Grid::vector_bytes, round = nest::Grid::warp * each;
    const auto place = [&](llvm::Value* base, std::int64_t at) {
        return ir.CreateGEP(ir.getInt8Ty(), base, ir.CreateAdd(ir.CreateMul(thread, number(each)), number(at)));
    };
    const auto load = [&](std::int64_t at) { return ir.CreateAlignedLoad(chunk_type(each), place(from, at), Align(each)); };
    const auto store = [&](std::int64_t at, llvm::Value* vector) { ir.CreateAlignedStore(vector, place(to, at), Align(each)); };
    const std::int64_t whole = bytes / round * round;
    std::vector<llvm::Value*> vectors;
    for (std::int64_t at = 0; at < whole; at += round) vectors.push_back(load(at));
    for (std::int64_t at = 0; at < whole; at += round) store(at, vectors[static_cast<std::size_t>(at / round)]);
    if (whole < bytes) if_so(ir.CreateICmpSLT(thread, number((bytes - whole) / each)), "rest", [&] { store(whole, load(whole)); });
}

// Rows have an element for each inner point, in order. A thread reads only what it kept itself, as it does the same points in each stage.
llvm::Value* GridEmitter::scratch_address(int row, int copy) {
    auto& ir = b_.ir;
    llvm::Value* linear = number(0);
    const auto move = [&](int a) {
        linear = ir.CreateAdd(ir.CreateMul(linear, size(kernel_.axes[static_cast<std::size_t>(a)].extent)), index_of(a, copy));
    };
    for (int a = static_cast<int>(outer_); a < static_cast<int>(kernel_.axes.size()); ++a) {
        if (a != grid_.lane) move(a);
    }
    move(grid_.lane);
    const auto place = static_cast<std::size_t>(row);
    const Dtype dtype = kernel_.scratch[place];
    llvm::Value* base = ir.CreateGEP(ir.getInt8Ty(), scratch_[place], ir.CreateMul(own_, number(nest::Grid::row_bytes(kernel_, dtype))));
    return ir.CreateGEP(ir.getInt8Ty(), base, ir.CreateMul(linear, number(static_cast<std::int64_t>(itemsize_of(dtype)))));
}

// Of the elements of a vector those that begin 16 bytes are aligned so, and the others accordingly: they are put together again by the code generator.
Align GridEmitter::scratch_align(Dtype dtype, int copy) const {
    const auto itemsize = static_cast<std::uint64_t>(itemsize_of(dtype));
    const std::int64_t length = kernel_.axes[static_cast<std::size_t>(grid_.lane)].extent.value();
    const bool begins_aligned = kernel_.axes.size() == outer_ + 1 || length * static_cast<std::int64_t>(itemsize) % nest::Grid::vector_bytes == 0;
    if (lanes_ == 1 || !begins_aligned) return Align(itemsize_of(real_of(dtype)));
    const std::uint64_t vector = std::min<std::uint64_t>(nest::Grid::vector_bytes, itemsize * static_cast<std::uint64_t>(lanes_));
    return llvm::commonAlignment(Align(vector), itemsize * static_cast<std::uint64_t>(copy));
}

Value GridEmitter::load_kept(int row, Dtype dtype, int copy) {
    if (grid_.held > 0) return held_.at({row, copy});
    return load_at(scratch_address(row, copy), dtype, scratch_align(dtype, copy));
}

void GridEmitter::keep(int row, const Value& value, int copy) {
    if (grid_.held > 0) held_.insert_or_assign({row, copy}, value);
    else store_at(scratch_address(row, copy), value, scratch_align(value.dtype, copy));
}

}  // namespace fastnp::codegen
