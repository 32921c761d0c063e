#include "nest/verify.h"

#include <algorithm>

#include "fastnp/error.h"
#include "ops/catalogue.h"

namespace fastnp::nest {

namespace {

using Kind = Expr::Kind;

class Verifier {
public:
    Verifier(const Kernel& kernel, const shape::Sizes& sizes, std::string_view when) : kernel_(kernel), sizes_(sizes), when_(when) {}

    void run() {
        for (const Axis& axis : kernel_.axes) size(axis.extent);
        check(kernel_.outer_count() == static_cast<std::size_t>(std::ranges::count(kernel_.axes, false, &Axis::inner)),
              "an outer axis lies within an inner one");
        find_stages();
        for (std::size_t i = 0; i < kernel_.exprs.size(); ++i) {
            what_ = "%" + std::to_string(i);
            expression(i);
        }
        stages();
        what_ = "after the stages";
        for (const Store& each : kernel_.outer_stores) store(each, kernel_.stages.size());
    }

private:
    void check(bool holds, const std::string& wrong) const {
        if (holds) return;
        throw InternalError("kernel " + kernel_.name + " is wrong " + std::string(when_) + ": " + (what_.empty() ? "" : what_ + ": ") + wrong);
    }

    template <class List>
    void number(std::int64_t number, const List& list, const char* what) const {
        check(number >= 0 && number < static_cast<std::int64_t>(list.size()), "there is no " + std::string(what) + " " + std::to_string(number));
    }
    void size(shape::Dim dim) const { check(dim.is_constant() || dim.id() < sizes_.size(), "it has a size that there is none of"); }

    void access(const Access& access) const {
        number(access.buffer, kernel_.buffers, "buffer");
        check(access.strides.size() == kernel_.axes.size(), "an access has not a stride for each axis");
        size(access.offset);
        for (const shape::Dim stride : access.strides) size(stride);
    }

    void expression(std::size_t at) {
        const Expr& expr = kernel_.exprs[at];
        for (const ExprId arg : expr.args) check(arg < at, "it comes before its argument %" + std::to_string(arg));
        const std::size_t count = expr.args.size();
        switch (expr.kind) {
            case Kind::load:
            case Kind::gather: {
                access(expr.access);
                check(expr.dtype == kernel_.buffers[static_cast<std::size_t>(expr.access.buffer)].dtype, "its dtype is not the buffer's");
                const std::size_t before_mask = expr.kind == Kind::gather ? 1 : 0;
                check(count == before_mask || count == before_mask + 1, "it has " + std::to_string(count) + " arguments");
                if (before_mask != 0) check(type(expr.args[0]) == Dtype::int64, "its index is no int64");
                if (count > before_mask) check(type(expr.args[before_mask]) == Dtype::bool_, "its condition is no bool");
                return;
            }
            case Kind::map: map(expr); return;
            case Kind::index:
            case Kind::inside:
                if (expr.kind == Kind::index || expr.step != 0) number(expr.number, kernel_.axes, "axis");  // of a single index there may be no axis
                check(expr.dtype == (expr.kind == Kind::index ? Dtype::int64 : Dtype::bool_), "its dtype is not an index's");
                break;
            case Kind::fold:
                number(expr.number, kernel_.folds, "fold");
                check(expr.dtype == kernel_.folds[static_cast<std::size_t>(expr.number)].dtype, "its dtype is not the fold's");
                break;
            case Kind::scratch:
                number(expr.number, kernel_.scratch, "scratch row");
                check(expr.dtype == kernel_.scratch[static_cast<std::size_t>(expr.number)], "its dtype is not the row's");
                break;
            case Kind::constant:
            case Kind::extent: break;
        }
        check(count == 0, "it has arguments");
        size(expr.offset);
        size(expr.extent);
    }

    Dtype type(ExprId id) const { return kernel_.exprs[id].dtype; }

    // Its arguments are of the dtype that it computes in, but for conditions and the integers of ldexp.
    void map(const Expr& expr) const {
        check(expr.op < ir::Op::count && ops::info(expr.op).kind == ops::Kind::map, "its op is no map");
        const ops::Info& row = ops::info(expr.op);
        check(static_cast<int>(expr.args.size()) == row.operands, std::string(row.name) + " takes " + std::to_string(row.operands) + " arguments");
        const bool is_select = expr.op == ir::Op::select;
        for (std::size_t i = 0; i < expr.args.size(); ++i) {
            const bool is_other = (row.rule != nullptr && row.rule->integer_second && i == 1) || (is_select && i == 0);
            if (is_select && i == 0) check(type(expr.args[0]) == Dtype::bool_, "it chooses by what is no bool");
            if (!is_other)
                check(type(expr.args[i]) == expr.compute, "argument %" + std::to_string(expr.args[i]) + " is not of the dtype that it computes in");
        }
        if (is_select) check(expr.dtype == expr.compute, "its dtype is not that of what it chooses from");
    }

    // The stage of each fold.
    void find_stages() {
        fold_stage_.assign(kernel_.folds.size(), -1);
        for (std::size_t s = 0; s < kernel_.stages.size(); ++s) {
            for (const int fold : kernel_.stages[s].folds) {
                number(fold, kernel_.folds, "fold");
                int& stage = fold_stage_[static_cast<std::size_t>(fold)];
                check(stage < 0, "fold " + std::to_string(fold) + " is made twice");
                stage = static_cast<int>(s);
            }
        }
        check(std::ranges::count(fold_stage_, -1) == 0, "a fold is made in no stage");
        keep_stage_.assign(kernel_.scratch.size(), kernel_.stages.size());
        for (std::size_t s = kernel_.stages.size(); s-- > 0;) {
            for (const auto& [row, value] : kernel_.stages[s].keeps) {
                number(row, kernel_.scratch, "scratch row");
                keep_stage_[static_cast<std::size_t>(row)] = s;
            }
        }
    }

    // A value that is used in a stage is made of folds of earlier ones.
    void value(ExprId id, std::size_t stage) {
        number(id, kernel_.exprs, "expression");
        std::vector<ExprId> open{id};
        std::vector<bool> seen(kernel_.exprs.size());
        while (!open.empty()) {
            const ExprId at = open.back();
            open.pop_back();
            if (seen[at]) continue;
            seen[at] = true;
            const Expr& expr = kernel_.exprs[at];
            const auto made = static_cast<std::size_t>(expr.number);
            if (expr.kind == Kind::fold)
                check(static_cast<std::size_t>(fold_stage_[made]) < stage, "fold " + std::to_string(expr.number) + " is read too early");
            if (expr.kind == Kind::scratch) check(keep_stage_[made] < stage, "scratch row " + std::to_string(expr.number) + " is read too early");
            open.insert(open.end(), expr.args.begin(), expr.args.end());
        }
    }

    void store(const Store& store, std::size_t stage) {
        access(store.access);
        const Buffer& buffer = kernel_.buffers[static_cast<std::size_t>(store.access.buffer)];
        check(buffer.written, "it stores to buffer " + std::to_string(store.access.buffer) + ", which is not written");
        value(store.value, stage);
        check(type(store.value) == buffer.dtype, "what is stored is not of the dtype of buffer " + std::to_string(store.access.buffer));
    }

    void stages() {
        for (std::size_t s = 0; s < kernel_.stages.size(); ++s) {
            what_ = "stage " + std::to_string(s);
            const Stage& stage = kernel_.stages[s];
            for (const int fold : stage.folds) {
                const Fold& made = kernel_.folds[static_cast<std::size_t>(fold)];
                value(made.value, s);
                check(type(made.value) == made.dtype, "fold " + std::to_string(fold) + " is not of the dtype of what it folds");
                check(made.combine < ir::Op::count && ops::info(made.combine).kind == ops::Kind::map,
                      "fold " + std::to_string(fold) + " combines by no map");
            }
            for (const auto& [row, kept] : stage.keeps) {
                value(kept, s);
                check(type(kept) == kernel_.scratch[static_cast<std::size_t>(row)], "scratch row " + std::to_string(row) + " keeps another dtype");
            }
            for (const Store& each : stage.stores) store(each, s);
        }
    }

    const Kernel& kernel_;
    const shape::Sizes& sizes_;
    std::string_view when_;
    std::string what_;
    std::vector<int> fold_stage_;
    std::vector<std::size_t> keep_stage_;  // of each scratch row the first
};

}  // namespace

void verify(const Kernel& kernel, const shape::Sizes& sizes, std::string_view when) { Verifier(kernel, sizes, when).run(); }

}  // namespace fastnp::nest
