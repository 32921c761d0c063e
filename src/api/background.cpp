#include "fastnp/detail/background.h"

#include <utility>

#include "base/background.h"

namespace fastnp::detail {

void in_background(std::function<void()> job) { base::in_background(std::move(job)); }
void wait_for_background() { base::wait_for_background(); }
bool is_at_work_in_background() { return base::is_at_work_in_background(); }

}  // namespace fastnp::detail
