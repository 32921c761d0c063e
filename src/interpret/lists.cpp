#include "interpret/lists.h"

#include <algorithm>

namespace fastnp::interpret {

namespace {

using List = Lists::List;

// They and all that they are made of, arguments before users.
List needed(const nest::Kernel& kernel, const List& roots) {
    std::vector<bool> found(kernel.exprs.size(), false);
    for (const nest::ExprId root : roots) found[root] = true;
    List list;
    for (std::size_t i = kernel.exprs.size(); i-- > 0;) {
        if (!found[i]) continue;
        list.push_back(static_cast<nest::ExprId>(i));
        for (const nest::ExprId arg : kernel.exprs[i].args) found[arg] = true;
    }
    std::reverse(list.begin(), list.end());
    return list;
}

List roots_of(const nest::Kernel& kernel, const nest::Stage& stage) {
    List roots;
    for (const int fold : stage.folds) roots.push_back(kernel.folds[static_cast<std::size_t>(fold)].value);
    for (const auto& keep : stage.keeps) roots.push_back(keep.second);
    for (const nest::Store& store : stage.stores) roots.push_back(store.value);
    return roots;
}

}  // namespace

Lists::Lists(const nest::Kernel& kernel) {
    const std::vector<std::uint32_t> depends = nest::dependencies(kernel);
    const std::uint32_t outer = (1U << kernel.outer_count()) - 1;
    const auto is_outer = [&](nest::ExprId id) { return (depends[id] & ~outer) == 0; };
    const auto without_outer = [&](List list) {
        std::erase_if(list, is_outer);
        return list;
    };
    List roots, last;
    for (const nest::Store& store : kernel.outer_stores) last.push_back(store.value);
    for (const nest::Stage& stage : kernel.stages) {
        const List own = roots_of(kernel, stage);
        roots.insert(roots.end(), own.begin(), own.end());
        stages.push_back(without_outer(needed(kernel, own)));
    }
    roots.insert(roots.end(), last.begin(), last.end());
    outer_point = needed(kernel, roots);
    std::erase_if(outer_point, [&](nest::ExprId id) { return !is_outer(id); });
    outer_stores = without_outer(needed(kernel, last));
}

}  // namespace fastnp::interpret
