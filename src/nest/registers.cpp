// By what is alive at a time if elements are computed one after the other, in the order of the kernel's expressions.
#include "nest/registers.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "ops/usual.h"

namespace fastnp::nest {

namespace {

constexpr int of_elementwise = 40, of_pairs = 48, of_paired_rows = 64, of_rows_of_many = 32;  // so many blocks of 256 threads as were quickest: 6, 5, 4, 8
constexpr int of_held_rows = 64, of_few_held = 48, few_held = 8;  // words of a row; rows that are put together before they are stored need some more
constexpr int for_places = 10;  // where the thread is and where arrays begin
constexpr int of_function = 8;  // that a function of float32 needs for itself
constexpr int of_exact_quotient = 12;  // as doubles (codegen/by_doubles)

int words_of_value(Dtype dtype) { return static_cast<int>(std::max<std::size_t>(itemsize_of(dtype) / 4, 1)); }

bool is_value(const Expr& expr) { return expr.kind != Expr::Kind::constant && expr.kind != Expr::Kind::extent; }
bool is_load(const Expr& expr) { return expr.kind == Expr::Kind::load || expr.kind == Expr::Kind::gather; }
// Functions that are loops for some arguments, or that have all their cases for rare ones beside the others.
bool takes_any_number(const Expr& expr) {
    if (expr.kind != Expr::Kind::map) return false;
    const bool is_wide = expr.op == ir::Op::divide && words_of_value(expr.compute) > 1;
    const ops::Usual* const usual = ops::usual_of(expr.op);
    const bool is_wave = usual != nullptr && !usual->is_positive;  // a loop for large arguments
    return is_wide || is_wave || (is_costly(expr) && (expr.args.size() > 1 || expr.compute != Dtype::float32));
}

int loaded_words(const Kernel& kernel) {
    int words = 0;
    for (const Expr& expr : kernel.exprs) words += is_load(expr) ? words_of_value(expr.dtype) : 0;
    return words;
}

// Words of one element's values, at most; those of all loads from the beginning, of results to the end.
int alive_at_once(const Kernel& kernel) {
    std::vector<std::size_t> last(kernel.exprs.size(), 0);
    for (std::size_t i = 0; i < kernel.exprs.size(); ++i) {
        for (const ExprId arg : kernel.exprs[i].args) last[arg] = i;
    }
    for (const Store& store : kernel.outer_stores) last[store.value] = kernel.exprs.size();
    int alive = loaded_words(kernel);
    int most = alive;
    for (std::size_t i = 0; i < kernel.exprs.size(); ++i) {
        const Expr& expr = kernel.exprs[i];
        if (is_value(expr) && !is_load(expr)) alive += words_of_value(expr.dtype);
        most = std::max(most, alive + (is_costly(expr) ? of_function : 0));
        for (const ExprId arg : expr.args) {
            if (last[arg] == i && is_value(kernel.exprs[arg])) alive -= words_of_value(kernel.exprs[arg].dtype);
            if (last[arg] == i) last[arg] = 0;  // counted, though it may be an argument twice
        }
    }
    return most;
}

int of_elements(const Kernel& kernel, int width) {
    const int loaded = loaded_words(kernel);
    int stored = 0;  // words of an element
    for (const Store& store : kernel.outer_stores) stored += words_of_value(kernel.exprs[store.value].dtype);
    const int alive = alive_at_once(kernel);
    return std::max((width - 1) * std::max(loaded, stored) + alive, alive + of_exact_quotient) + for_places;
}

// A thread's own points, of pairs, whose folds it makes side by side: for each a sum, and beside these what a step of the folds loads and computes.
int of_own_folds(const Kernel& kernel, const Grid& grid) {
    int summed = 0;
    for (const Fold& fold : kernel.folds) summed += words_of_value(fold.dtype);
    const int copies = grid.width * grid.unroll;
    const int beside = grid.inner_steps > 1 ? 1 : grid.unroll;  // of the longer ones, vectors of one after the other
    return copies * summed + (grid.width + beside) * grid.inner_steps * loaded_words(kernel) + for_places;
}

// A part of each row, that all of a team's threads hold; where each element of it meets many others.
int of_rows(const Kernel& kernel, const Grid& grid) { return grid.held * grid.width * alive_at_once(kernel) + for_places; }

int words_held(const Kernel& kernel, const Grid& grid) {
    int widest = 1;
    for (const Expr& expr : kernel.exprs) widest = std::max(widest, is_load(expr) ? words_of_value(expr.dtype) : 1);
    return grid.held * grid.width * widest;
}

// The same where nothing but the row is there for long: what is computed of an element, and of the next one.
int of_held(const Kernel& kernel, const Grid& grid) {
    const auto rows = static_cast<int>(std::max<std::size_t>(kernel.scratch.size(), 2)) - 1;  // each takes the place of the one before it
    return rows * words_held(kernel, grid) + 2 * alive_at_once(kernel) + for_places;
}

}  // namespace

// (Where a multiprocessor has no room for so many threads the assembler ignores what it is told.)
int registers_for_many_threads(const Kernel& kernel, const Grid& grid) {
    if (std::ranges::any_of(kernel.exprs, takes_any_number) || kernel.block != 0 || grid.tile.is_used()) return 0;
    const auto fits = [](int words, int registers) { return words <= registers ? registers : 0; };
    if (kernel.stages.empty()) return grid.unroll == 1 ? fits(of_elements(kernel, grid.width), of_elementwise) : 0;
    if (grid.held > 0 && kernel.axes.size() > kernel.outer_count() + 1) return fits(of_rows(kernel, grid), of_rows_of_many);
    if (grid.held > 0) return fits(of_held(kernel, grid), grid.staged && words_held(kernel, grid) <= few_held ? of_few_held : of_held_rows);
    if (grid.unroll == 1 || grid.team > 1 || grid.crew > 1) return 0;
    return fits(of_own_folds(kernel, grid), grid.inner_steps > 1 ? of_paired_rows : of_pairs);
}

}  // namespace fastnp::nest
