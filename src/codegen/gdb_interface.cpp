#include "codegen/gdb_interface.h"

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>

#include "base/fork.h"

// Names and layout are GDB's. LLVM has the same, which this library does not show.
struct jit_code_entry {  // NOLINT
    jit_code_entry* next_entry;
    jit_code_entry* prev_entry;
    const char* symfile_addr;
    std::uint64_t symfile_size;
};

struct jit_descriptor {  // NOLINT
    std::uint32_t version;
    std::uint32_t action_flag;
    jit_code_entry* relevant_entry;
    jit_code_entry* first_entry;
};

extern "C" {

[[gnu::visibility("default")]] jit_descriptor __jit_debug_descriptor{1, 0, nullptr, nullptr};  // NOLINT

// A debugger has a breakpoint here.
[[gnu::visibility("default"), gnu::noinline]] void __jit_debug_register_code() { asm volatile("" ::: "memory"); }  // NOLINT

}  // extern "C"

namespace fastnp::codegen {

namespace {

struct Known {
    std::mutex mutex;  // fork() waits until what is linked is linked (base::NoFork)
    std::deque<jit_code_entry> entries;  // which stay where they are
};

}  // namespace

void tell_gdb(std::string_view object) {
    constexpr std::uint32_t is_registered = 1;
    Known& known = base::made_once([] { return std::make_unique<Known>(); });
    const std::scoped_lock lock(known.mutex);
    jit_descriptor& all = __jit_debug_descriptor;
    jit_code_entry& entry = known.entries.emplace_back(jit_code_entry{all.first_entry, nullptr, object.data(), object.size()});
    if (entry.next_entry != nullptr) entry.next_entry->prev_entry = &entry;
    all.first_entry = all.relevant_entry = &entry;
    all.action_flag = is_registered;
    __jit_debug_register_code();
}

}  // namespace fastnp::codegen
