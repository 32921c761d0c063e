#include "device/caller.h"

#include <memory>
#include <mutex>
#include <set>

#include "base/fork.h"

namespace fastnp::device {

thread_local constinit const std::string* Caller::current_ = nullptr;

const std::string* Caller::named(const std::string& text) {
    struct Names {
        base::ForkSafe<std::mutex> mutex;
        std::set<std::string> all;
    };
    Names& names = base::made_once([] { return std::make_unique<Names>(); });  // kernels may run until the very end of the process
    const std::scoped_lock lock(names.mutex);
    return &*names.all.insert(text).first;
}

}  // namespace fastnp::device
