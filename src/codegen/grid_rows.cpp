// Rows of the GPU's emitter: a team's threads hold them in registers, a few vectors each, or keep what stages share in rows of the chip's memory.
#include "codegen/grid_emitter.h"

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

// What a stage that only stores reads beside a row is there for one vector at a time: registers are few.
void GridEmitter::store_held(const nest::Stage& stage) {
    const auto all = [&](Memory memory) {
        memory_ = memory;
        for (int part = 0; part < parts_; ++part) {
            enter(0);
            store_part(stage.stores, part);
            leave();
        }
        memory_ = Memory::any;
    };
    if_active([&] { if_aligned([&] { all(Memory::aligned); }, [&] { all(Memory::single); }); });
}

// One vector of each store; all values before the first one.
void GridEmitter::store_part(const std::vector<nest::Store>& stores, int part) {
    const int begin = part * lanes_, end = begin + lanes_;
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
            if (takes_vectors(stores[i].access) && memory_ == Memory::aligned) {
                store_vector(stores[i].access, values[i], part);
                continue;
            }
            for (int copy = begin; copy < end; ++copy) store_element(stores[i].access, values[i][static_cast<std::size_t>(copy)], copy);
        }
    };
    if_in_row(part, [&] { speculate(compute, write); });
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
