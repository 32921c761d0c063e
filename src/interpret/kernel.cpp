#include "interpret/kernel.h"

#include <utility>

#include "interpret/expressions.h"
#include "interpret/run.h"

namespace fastnp::interpret {

Kernel::Kernel(nest::Kernel kernel, nest::Schedule schedule)
    : kernel_(std::move(kernel)), schedule_(schedule), expressions_(std::make_unique<const Expressions>(kernel_)) {}

Kernel::~Kernel() = default;

void Kernel::run(void* const* pointers, const std::int64_t* sizes, std::int64_t begin, std::int64_t end, void* scratch) const {
    Point at{pointers,
             sizes,
             static_cast<std::byte*>(scratch),
             std::vector<std::int64_t>(kernel_.axes.size(), 0),
             std::vector<Element>(kernel_.exprs.size()),
             std::vector<Element>(kernel_.folds.size())};
    Run run(kernel_, schedule_, *expressions_, std::move(at));
    for (std::int64_t unit = begin; unit < end; ++unit) run.unit(unit);
}

}  // namespace fastnp::interpret
