#include "trace/call_site.h"

#include <link.h>
#include <unwind.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>

#include "base/fork.h"

namespace fastnp::trace {

namespace {

std::atomic<HasLines> asked{nullptr};

// Where the library's machine code lies, and whether it is a module of its own. (Tests are linked with its objects.)
struct Own {
    std::uintptr_t begin = 0, end = 0;
    bool is_apart = false;
};

int look_at(dl_phdr_info* module, std::size_t /*size*/, void* data) {
    const auto here = reinterpret_cast<std::uintptr_t>(&look_at);
    for (int i = 0; i < module->dlpi_phnum; ++i) {
        const auto& part = module->dlpi_phdr[i];
        const std::uintptr_t begin = module->dlpi_addr + part.p_vaddr;
        if (part.p_type != PT_LOAD || here < begin || here >= begin + part.p_memsz) continue;
        *static_cast<Own*>(data) = {begin, begin + part.p_memsz, module->dlpi_name != nullptr && *module->dlpi_name != '\0'};
        return 1;
    }
    return 0;
}

const Own& own() {
    return base::made_once([] {
        auto made = std::make_unique<Own>();
        dl_iterate_phdr(&look_at, made.get());
        return made;
    });
}

// From the program's own call on: functions of the library's headers lie before it, a few.
struct Walk {
    const Own& own;
    std::size_t most;
    std::array<std::uintptr_t, 40> calls{};
    std::size_t count = 0;
};

_Unwind_Reason_Code visit(_Unwind_Context* frame, void* data) {
    Walk& walk = *static_cast<Walk*>(data);
    int is_before = 0;
    const std::uintptr_t next = _Unwind_GetIPInfo(frame, &is_before);
    if (next == 0) return _URC_END_OF_STACK;
    const std::uintptr_t call = is_before != 0 ? next : next - 1;
    if (walk.own.is_apart && call >= walk.own.begin && call < walk.own.end) return _URC_NO_REASON;
    walk.calls[walk.count++] = call;
    return walk.count == walk.most ? _URC_END_OF_STACK : _URC_NO_REASON;
}

}  // namespace

void set_has_lines(HasLines has_lines) { asked.store(has_lines, std::memory_order_release); }

ir::Location call_site(ir::Location other) {
    const HasLines has_lines = asked.load(std::memory_order_acquire);
    if (has_lines == nullptr || !has_lines()) return other;
    Walk walk{.own = own(), .most = own().is_apart ? std::size_t{4} : std::size_t{40}};
    _Unwind_Backtrace(&visit, &walk);
    return ir::location_of(ir::Calls(walk.calls.data(), walk.count), other);
}

}  // namespace fastnp::trace
