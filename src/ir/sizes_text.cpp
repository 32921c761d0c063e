#include "ir/sizes_text.h"

#include <algorithm>

namespace fastnp::ir {

using Kind = shape::Sizes::Expression::Kind;

void SizesText::note_symbols() {
    for (std::uint32_t id = 0; id < sizes_.size(); ++id) {
        if (expression(id).kind == Kind::symbol) atoms_.insert(id);
    }
}

void SizesText::note(shape::Dim dim) {
    if (dim.is_constant()) return;
    const shape::Sizes::Expression& known = sizes_.expression(dim);
    if (known.kind != Kind::polynomial && !atoms_.insert(dim.id()).second) return;
    if (known.kind == Kind::quotient) {
        note(known.dividend);
        note(known.divisor);
    }
    for (const shape::Sizes::Term& term : known.terms) {
        for (const std::uint32_t atom : term.atoms) note(shape::Dim::expression(atom));
    }
}

std::vector<std::string> SizesText::lines(bool with_guards) const {
    std::set<std::uint32_t> atoms = atoms_;
    int stage = 0;  // sizes that are found are numbered: with one, those before it are told of
    for (const std::uint32_t id : atoms) stage = std::max(stage, expression(id).stage);
    for (std::uint32_t id = 0; stage > 0 && id < sizes_.size(); ++id) {
        if (expression(id).kind == Kind::symbol && expression(id).stage > 0 && expression(id).stage < stage) atoms.insert(id);
    }
    std::vector<std::string> found;
    const bool is_last = !atoms.empty() && expression(*atoms.rbegin()).kind == Kind::quotient;
    const auto quotients = std::ranges::count_if(atoms, [this](std::uint32_t id) { return expression(id).kind == Kind::quotient; });
    for (const std::uint32_t id : atoms) {
        if (expression(id).kind == Kind::symbol) found.push_back(symbol(id));
        else if (quotients > 1 || !is_last) found.push_back("size " + sizes_.text(shape::Dim::expression(id)));
    }
    std::set<std::string> guards;  // in an order that does not depend on which was met first
    for (const shape::SizeGuard& guard : sizes_.guards()) {
        if (!with_guards) break;
        static constexpr const char* conditions[] = {" == 0", " != 0", " >= 0"};
        guards.insert("guard " + sizes_.text(guard.expression) + conditions[static_cast<std::size_t>(guard.kind)]);
    }
    found.insert(found.end(), guards.begin(), guards.end());
    return found;
}

std::string SizesText::symbol(std::uint32_t id) const {
    const shape::Sizes::Expression& known = expression(id);
    std::string text = (known.stage == 0 ? "size " : "found size ") + sizes_.text(shape::Dim::expression(id)) + " = " + std::to_string(known.hint);
    const bool has_low = known.low != 0, has_high = known.high != INT64_MAX;
    if (has_low || has_high) text += " in " + (has_low ? std::to_string(known.low) : "") + ".." + (has_high ? std::to_string(known.high) : "");
    return text;
}

}  // namespace fastnp::ir
