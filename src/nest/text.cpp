#include "nest/text.h"

#include <algorithm>
#include <sstream>

#include "ir/attributes.h"
#include "ir/sizes_text.h"
#include "nest/reads.h"
#include "ops/catalogue.h"

namespace fastnp::nest {

namespace {

using shape::Dim;

class Writer {
public:
    Writer(const Kernel& kernel, const Schedule& schedule, const shape::Sizes& sizes, bool is_whole)
        : kernel_(kernel), schedule_(schedule), sizes_(sizes), is_whole_(is_whole), shown_(sizes) {}

    std::string run() {
        buffers();
        for (std::size_t a = 0; a < kernel_.axes.size(); ++a) axis(a);
        if (kernel_.block != 0) out_ << "  i0 counts blocks of " << kernel_.block << " of " << size(kernel_.blocked_extent) << "\n";
        if (schedule_.tiled) out_ << "  accumulators in tiles\n";
        if (schedule_.streaming) out_ << "  streaming stores\n";
        if (is_whole_) rest();
        rows();
        for (std::size_t i = 0; i < kernel_.exprs.size(); ++i) {
            out_ << "  %" << i << " = ";
            expression(kernel_.exprs[i]);
            out_ << " : " << name_of(kernel_.exprs[i].dtype) << "\n";
        }
        for (std::size_t s = 0; s < kernel_.stages.size(); ++s) stage(s);
        for (const Store& each : kernel_.outer_stores) store("  ", each);
        std::string declared;
        for (const std::string& each : shown_.lines(false)) declared += each + "\n";
        return declared + out_.str();
    }

private:
    std::string size(Dim dim) {
        shown_.note(dim);
        return sizes_.text(dim);
    }
    // One that something is added to.
    std::string product(Dim dim) {
        const std::string text = size(dim);
        if (dim.is_constant()) return text;
        const shape::Sizes::Expression& known = sizes_.expression(dim);
        const bool is_sum = known.kind == shape::Sizes::Expression::Kind::polynomial && known.terms.size() + (known.constant != 0 ? 1 : 0) > 1;
        return is_sum ? "(" + text + ")" : text;
    }

    std::string place(const Access& access) {
        std::string text = "b" + std::to_string(access.buffer) + "[" + product(access.offset);
        for (std::size_t a = 0; a < access.strides.size(); ++a) {
            if (access.strides[a] != Dim(0)) text += " + i" + std::to_string(a) + "*" + product(access.strides[a]);
        }
        return text + "]";
    }

    void buffers() {
        const std::vector<bool> read = read_buffers(kernel_);
        out_ << "kernel " << kernel_.name << "(";
        for (std::size_t b = 0; b < kernel_.buffers.size(); ++b) {
            const Buffer& buffer = kernel_.buffers[b];
            out_ << (b == 0 ? "" : ", ") << "b" << b << ": " << name_of(buffer.dtype) << (buffer.written ? " out" : "");
            if (!is_whole_) continue;
            if (buffer.read != read[b]) out_ << (buffer.read ? " read" : " unread");
            if (buffer.aligned) out_ << " aligned";
            if (buffer.past != 0) out_ << " past " << buffer.past;
            if (buffer.checked) out_ << " checked";
            if (buffer.by_value) out_ << " by value";
        }
        out_ << ")\n";
    }

    void axis(std::size_t a) {
        const Axis& axis = kernel_.axes[a];
        out_ << "  axis i" << a << " < " << size(axis.extent) << (axis.inner ? " inner" : "");
        if (is_whole_ && axis.hint != sizes_.hint(axis.extent)) out_ << " about " << axis.hint;
        if (static_cast<int>(a) == schedule_.lane) out_ << " lanes";
        if (static_cast<int>(a) == schedule_.unroll_axis) out_ << " unroll " << schedule_.unroll;
        if (static_cast<int>(a) == schedule_.jam_axis) out_ << " jammed";
        out_ << "\n";
    }

    void rest() {
        out_ << "  hands out " << size(schedule_.parallel) << " units of " << schedule_.cost << ", blocks of " << schedule_.lane_block << " lanes, "
             << size(schedule_.lane_blocks) << " of them\n";
        out_ << "  inner points " << size(kernel_.inner_points) << "\n";
        for (std::size_t i = 0; i < kernel_.ops.size(); ++i) out_ << (i == 0 ? "  ops " : ", ") << kernel_.ops[i];
        if (!kernel_.ops.empty()) out_ << "\n";
    }

    // Of those that are kept the dtype is that of what is.
    void rows() {
        std::vector<bool> kept(kernel_.scratch.size(), false);
        for (const Stage& stage : kernel_.stages) {
            for (const auto& [row, value] : stage.keeps) kept[static_cast<std::size_t>(row)] = true;
        }
        for (std::size_t row = 0; row < kept.size(); ++row) {
            if (!kept[row]) out_ << "  row " << row << " : " << name_of(kernel_.scratch[row]) << "\n";
        }
    }

    void expression(const Expr& expr) {
        switch (expr.kind) {
            case Expr::Kind::load:
                out_ << "load " << place(expr.access);
                for (const ExprId arg : expr.args) out_ << " if %" << arg;
                break;
            case Expr::Kind::gather:
                out_ << "gather " << place(expr.access) << " + %" << expr.args[0] << "*" << product(expr.offset) << " of " << size(expr.extent);
                if (expr.number != 0) out_ << " mode " << expr.number;
                if (expr.args.size() > 1) out_ << " if %" << expr.args[1];
                break;
            case Expr::Kind::constant: out_ << "constant " << ir::text_of(expr.scalar); break;
            case Expr::Kind::index: out_ << "index " << product(expr.offset) << " + " << expr.step << "*i" << expr.number; break;
            case Expr::Kind::inside:
                out_ << "inside " << product(expr.offset) << " + " << expr.step << "*i" << expr.number << " < " << size(expr.extent);
                break;
            case Expr::Kind::extent: out_ << "extent " << size(expr.offset); break;
            case Expr::Kind::map:
                out_ << ops::info(expr.op).name;
                for (const ExprId arg : expr.args) out_ << " %" << arg;
                break;
            case Expr::Kind::fold: out_ << "result of fold " << expr.number; break;
            case Expr::Kind::scratch: out_ << "scratch " << expr.number; break;
        }
    }

    void store(const char* indent, const Store& store) { out_ << indent << place(store.access) << " = %" << store.value << "\n"; }

    void stage(std::size_t s) {
        const Stage& stage = kernel_.stages[s];
        out_ << "  stage " << s << "\n";
        for (const int f : stage.folds) {
            const Fold& fold = kernel_.folds[static_cast<std::size_t>(f)];
            out_ << "    fold " << f << " = " << ops::info(fold.combine).name << " over %" << fold.value << "\n";
        }
        for (const auto& [row, value] : stage.keeps) out_ << "    scratch " << row << " = %" << value << "\n";
        for (const Store& each : stage.stores) store("    ", each);
    }

    const Kernel& kernel_;
    const Schedule& schedule_;
    const shape::Sizes& sizes_;
    bool is_whole_;
    ir::SizesText shown_;
    std::ostringstream out_;
};

}  // namespace

std::vector<bool> read_buffers(const Kernel& kernel) {
    std::vector<bool> read(kernel.buffers.size(), false);
    for (const Expr& expr : kernel.exprs) {
        if (expr.kind == Expr::Kind::load || expr.kind == Expr::Kind::gather) read[static_cast<std::size_t>(expr.access.buffer)] = true;
    }
    return read;
}

std::string to_string(const Kernel& kernel, const Schedule& schedule, const shape::Sizes& sizes) { return Writer(kernel, schedule, sizes, false).run(); }
std::string whole_text(const Kernel& kernel, const Schedule& schedule, const shape::Sizes& sizes) { return Writer(kernel, schedule, sizes, true).run(); }

}  // namespace fastnp::nest
