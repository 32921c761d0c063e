// Loop kernels from text (nest/text.h).
#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "fastnp/error.h"
#include "ir/parse_pieces.h"
#include "nest/reads.h"
#include "nest/text.h"
#include "nest/verify.h"
#include "ops/catalogue.h"

namespace fastnp::nest {

namespace {

using ir::Scanner;
using shape::Dim;

class KernelParser {
public:
    explicit KernelParser(std::string_view text) : in_(text, "kernel"), sizes_(in_, made_.sizes) {}

    KernelText run() {
        sizes_.declarations();
        header();
        while (in_.takes_word("axis")) axis();
        settings();
        while (in_.takes_word("row")) row();
        while (in_.sees("%")) expression();
        while (in_.takes_word("stage")) stage();
        while (!in_.at_end()) store(kernel_.outer_stores);
        finish();
        made_.kernel = std::move(kernel_);
        return std::move(made_);
    }

private:
    // A number of something that is counted from 0, below a limit.
    std::size_t count(std::size_t most, const char* what) {
        const std::size_t start = in_.next_place();
        const std::int64_t number = ir::integer(in_);
        if (number >= 0 && static_cast<std::uint64_t>(number) < most) return static_cast<std::size_t>(number);
        in_.go(start);
        in_.fail("there is no " + std::string(what) + " " + std::to_string(number));
    }
    // "b0" or "i1": the number behind the letter.
    std::size_t numbered(char letter, std::size_t most, const char* what) {
        const std::string word(in_.word());
        const std::size_t start = in_.next_place();
        const auto number = word.size() > 1 && word[0] == letter ? ir::number_in<std::size_t>(std::string_view(word).substr(1)) : std::nullopt;
        if (!number) in_.expected(what);
        if (*number >= most) {
            in_.go(start);
            in_.fail("there is no " + std::string(what) + " " + word);
        }
        in_.take(word.size());
        return *number;
    }
    void next(char letter, std::size_t wanted) {
        const std::string name = letter + std::to_string(wanted);
        if (!in_.takes_word(name)) in_.expected("'" + name + "'");
    }
    void take_words(std::initializer_list<const char*> words) {
        for (const char* each : words) {
            if (!in_.takes_word(each)) in_.expected("'" + std::string(each) + "'");
        }
    }
    int whole_number(std::int64_t most, const char* what) {
        const std::size_t start = in_.next_place();
        const std::int64_t number = ir::integer(in_);
        if (number >= 0 && number <= most) return static_cast<int>(number);
        in_.go(start);
        in_.expected(what);
    }

    void header() {
        take_words({"kernel"});
        kernel_.name = std::string(in_.take_until("(\n"));
        while (!kernel_.name.empty() && kernel_.name.front() == ' ') kernel_.name.erase(0, 1);
        ir::list(in_, "(", ")", [&] {
            next('b', kernel_.buffers.size());
            in_.take(":");
            Buffer buffer{ir::dtype(in_)};
            buffer.aligned = false;
            std::optional<bool> read;
            while (!in_.sees(",") && !in_.sees(")")) mark(buffer, read);
            kernel_.buffers.push_back(buffer);
            reads_.push_back(read);
        });
        in_.end_line();
    }

    void mark(Buffer& buffer, std::optional<bool>& read) {
        if (in_.takes_word("out")) buffer.written = true;
        else if (in_.takes_word("aligned")) buffer.aligned = true;
        else if (in_.takes_word("checked")) buffer.checked = true;
        else if (in_.takes_word("read")) read = true;
        else if (in_.takes_word("unread")) read = false;
        else if (in_.takes_word("past")) buffer.past = whole_number(63, "a number of bytes below 64");
        else if (in_.takes_word("by")) {
            take_words({"value"});
            buffer.by_value = true;
        } else {
            in_.expected("',', ')' or what is known of the buffer");
        }
    }

    void axis() {
        const auto number = static_cast<int>(kernel_.axes.size());
        next('i', kernel_.axes.size());
        in_.take("<");
        Axis axis{sizes_.sum()};
        axis.hint = made_.sizes.hint(axis.extent);
        while (!in_.at_line_end()) {
            if (in_.takes_word("inner")) axis.inner = true;
            else if (in_.takes_word("about")) axis.hint = ir::integer(in_);
            else if (in_.takes_word("lanes")) made_.schedule.lane = number;
            else if (in_.takes_word("unroll")) {
                made_.schedule.unroll_axis = number;
                made_.schedule.unroll = whole_number(1 << 16, "a number of steps");
            } else if (in_.takes_word("jammed")) {
                if (!axis.extent.is_constant() || axis.extent.value() < 1 || axis.extent.value() > most_jammed) in_.fail("too many steps to be jammed");
                made_.schedule.jam_axis = number;
                made_.schedule.jam = static_cast<int>(axis.extent.value());
            } else {
                in_.expected("'inner', 'lanes', 'unroll', 'jammed' or the end of the line");
            }
        }
        in_.end_line();
        if (!kernel_.axes.empty() && kernel_.axes.back().inner && !axis.inner) in_.fail("an outer axis above this line lies within an inner one");
        if (axis.inner) kernel_.inner_points = made_.sizes.multiply(kernel_.inner_points, axis.extent);
        kernel_.axes.push_back(axis);
    }

    void settings() {
        Schedule& schedule = made_.schedule;
        if (in_.word() == "i0") {
            take_words({"i0", "counts", "blocks", "of"});
            kernel_.block = ir::integer(in_);
            if (kernel_.block < 1) in_.fail("blocks have at least one step");
            take_words({"of"});
            kernel_.blocked_extent = sizes_.sum();
            in_.end_line();
        }
        if (in_.takes_word("accumulators")) {
            take_words({"in", "tiles"});
            in_.end_line();
            schedule.tiled = true;
        }
        if (in_.takes_word("streaming")) {
            take_words({"stores"});
            in_.end_line();
            schedule.streaming = true;
        }
        if (in_.takes_word("hands")) {
            take_words({"out"});
            schedule.parallel = sizes_.sum();
            take_words({"units", "of"});
            schedule.cost = ir::integer(in_);
            in_.take(",");
            take_words({"blocks", "of"});
            schedule.lane_block = ir::integer(in_);
            take_words({"lanes"});
            in_.take(",");
            schedule.lane_blocks = sizes_.sum();
            take_words({"of", "them"});
            in_.end_line();
        }
        if (in_.word() == "inner") {
            take_words({"inner", "points"});
            kernel_.inner_points = sizes_.sum();
            in_.end_line();
        }
        if (in_.takes_word("ops")) {
            do kernel_.ops.push_back(in_.take_word("the name of an op"));
            while (in_.takes(","));
            in_.end_line();
        }
    }

    void row() {
        const std::size_t number = count(most_rows, "scratch row");
        in_.take(":");
        keep(number, ir::dtype(in_));
        in_.end_line();
    }
    void keep(std::size_t row, Dtype dtype) { rows_.try_emplace(row, dtype); }

    ExprId value() {
        in_.take("%");
        return static_cast<ExprId>(count(kernel_.exprs.size(), "value above:"));
    }

    Access access() {
        Access access;
        access.buffer = static_cast<int>(numbered('b', kernel_.buffers.size(), "buffer"));
        access.strides.resize(kernel_.axes.size(), Dim(0));
        in_.take("[");
        access.offset = sizes_.signed_product();
        while (in_.takes("+")) {
            const std::size_t axis = numbered('i', kernel_.axes.size(), "axis");
            in_.take("*");
            if (access.strides[axis] != Dim(0)) in_.fail("there is a step along i" + std::to_string(axis) + " already");
            access.strides[axis] = sizes_.signed_product();
        }
        in_.take("]");
        return access;
    }

    // "0 + 1*i0"
    void place_along_an_axis(Expr& expr) {
        expr.offset = sizes_.signed_product();
        in_.take("+");
        expr.step = ir::integer(in_);
        in_.take("*");
        expr.number = static_cast<int>(numbered('i', std::max<std::size_t>(kernel_.axes.size(), 1), "axis"));
    }

    void condition(Expr& expr) {
        if (in_.takes_word("if")) expr.args.push_back(value());
    }

    void expression() {
        in_.take("%");
        const std::size_t start = in_.next_place();
        if (ir::integer(in_) != static_cast<std::int64_t>(kernel_.exprs.size())) {
            in_.go(start);
            in_.expected("'" + std::to_string(kernel_.exprs.size()) + "'");
        }
        in_.take("=");
        Expr expr{Expr::Kind::map};
        kind(expr);
        in_.take(":");
        expr.dtype = ir::dtype(in_);
        if (expr.kind == Expr::Kind::map) expr.compute = computes_in(expr);
        in_.end_line();
        kernel_.exprs.push_back(std::move(expr));
    }

    void kind(Expr& expr) {
        if (in_.takes_word("load")) {
            expr.kind = Expr::Kind::load;
            expr.access = access();
            condition(expr);
        } else if (in_.takes_word("gather")) {
            expr.kind = Expr::Kind::gather;
            gather(expr);
        } else if (in_.takes_word("constant")) {
            expr.kind = Expr::Kind::constant;
            expr.scalar = ir::scalar(in_);
        } else if (in_.takes_word("index")) {
            expr.kind = Expr::Kind::index;
            place_along_an_axis(expr);
        } else if (in_.takes_word("inside")) {
            expr.kind = Expr::Kind::inside;
            place_along_an_axis(expr);
            in_.take("<");
            expr.extent = sizes_.sum();
        } else if (in_.takes_word("extent")) {
            expr.kind = Expr::Kind::extent;
            expr.offset = sizes_.sum();
        } else if (in_.takes_word("result")) {
            expr.kind = Expr::Kind::fold;
            take_words({"of", "fold"});
            expr.number = whole_number(most_rows, "the number of a fold");
        } else if (in_.takes_word("scratch")) {
            expr.kind = Expr::Kind::scratch;
            expr.number = whole_number(most_rows, "the number of a scratch row");
        } else {
            expr.op = map("an op, 'load', 'gather', 'constant', 'index', 'inside', 'extent', 'result' or 'scratch'");
            while (in_.sees("%")) expr.args.push_back(value());
        }
    }

    void gather(Expr& expr) {
        expr.access = access();
        in_.take("+");
        expr.args.push_back(value());
        in_.take("*");
        expr.offset = sizes_.signed_product();
        take_words({"of"});
        expr.extent = sizes_.sum();
        if (in_.takes_word("mode")) expr.number = whole_number(2, "a mode, 0 to 2");
        condition(expr);
    }

    ir::Op map(const char* what) {
        const std::string_view name = in_.word();
        const auto found = ops::find(name);
        if (!found || ops::info(*found).kind != ops::Kind::map) in_.expected(what);
        in_.take(name.size());
        return *found;
    }

    // What its arguments are of, but for conditions.
    Dtype computes_in(const Expr& expr) const {
        if (expr.op == ir::Op::select || expr.args.empty()) return expr.dtype;
        return kernel_.exprs[expr.args[0]].dtype;
    }

    void stage() {
        Stage stage;
        if (ir::integer(in_) != static_cast<std::int64_t>(kernel_.stages.size())) in_.fail("expected stage " + std::to_string(kernel_.stages.size()));
        in_.end_line();
        while (!in_.at_end() && in_.indent() >= 4) {
            if (in_.takes_word("fold")) fold(stage);
            else if (in_.takes_word("scratch")) kept(stage);
            else store(stage.stores);
        }
        kernel_.stages.push_back(std::move(stage));
    }

    void fold(Stage& stage) {
        const std::size_t start = in_.next_place();
        const std::size_t number = count(most_rows, "fold");
        in_.take("=");
        Fold fold{};
        fold.combine = map("an op that combines");
        take_words({"over"});
        fold.value = value();
        fold.dtype = kernel_.exprs[fold.value].dtype;
        if (!folds_.try_emplace(number, fold).second) {
            in_.go(start);
            in_.fail("fold " + std::to_string(number) + " is made twice");
        }
        in_.end_line();
        stage.folds.push_back(static_cast<int>(number));
    }

    void kept(Stage& stage) {
        const std::size_t number = count(most_rows, "scratch row");
        in_.take("=");
        const ExprId kept = value();
        in_.end_line();
        keep(number, kernel_.exprs[kept].dtype);
        stage.keeps.emplace_back(static_cast<int>(number), kept);
    }

    void store(std::vector<Store>& stores) {
        Store store{access(), 0};
        in_.take("=");
        store.value = value();
        in_.end_line();
        stores.push_back(std::move(store));
    }

    // Those of a list that were met in any order.
    template <class Element, class Take>
    void in_order(const std::map<std::size_t, Element>& found, const char* what, const Take& take) {
        std::size_t next = 0;
        for (const auto& [number, element] : found) {
            if (number != next++) in_.fail("there is no " + std::string(what) + " " + std::to_string(next - 1));
            take(element);
        }
    }

    void finish() {
        in_order(folds_, "fold", [&](const Fold& each) { kernel_.folds.push_back(each); });
        in_order(rows_, "scratch row", [&](Dtype each) { kernel_.scratch.push_back(each); });
        const std::vector<bool> read = read_buffers(kernel_);
        for (std::size_t i = 0; i < read.size(); ++i) kernel_.buffers[i].read = reads_[i].value_or(read[i]);
        try {
            verify(kernel_, made_.sizes, "as it was read");
        } catch (const InternalError& error) {
            in_.fail(error.what());
        }
    }

    static constexpr std::int64_t most_rows = 1 << 20;

    KernelText made_;
    Kernel kernel_;
    Scanner in_;
    ir::SizeParser sizes_;
    std::vector<std::optional<bool>> reads_;  // of each buffer, where it is said
    std::map<std::size_t, Fold> folds_;
    std::map<std::size_t, Dtype> rows_;
};

}  // namespace

KernelText parse(std::string_view text) { return KernelParser(text).run(); }

}  // namespace fastnp::nest
