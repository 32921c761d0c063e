#include "codegen/vtune_interface.h"

#include <dlfcn.h>

#include <cstdlib>
#include <memory>
#include <string>

#include "base/fork.h"

namespace fastnp::codegen {

namespace {

// As jitprofiling.h has them.
struct LineNumber {
    unsigned offset;  // the end of the line's instructions, from the function's beginning
    unsigned number;
};

struct MethodLoad {
    unsigned id;
    const char* name;
    const void* address;
    unsigned size;
    unsigned line_count;
    const LineNumber* lines;
    unsigned class_id;
    const char* class_file;
    const char* source_file;
};

constexpr int method_load_finished = 13, is_sampling_on = 1;

// The collector's library, which is told to programs by a variable.
class Collector {
public:
    Collector() {
        const char* name = std::getenv("INTEL_JIT_PROFILER64");  // NOLINT: nothing here changes the environment
        if (name == nullptr || *name == '\0') name = std::getenv("VS_PROFILER");  // NOLINT: as above
        void* library = name == nullptr || *name == '\0' ? nullptr : dlopen(name, RTLD_LAZY);
        if (library == nullptr) return;
        const auto begin = reinterpret_cast<int (*)()>(dlsym(library, "Initialize"));
        notify_ = reinterpret_cast<int (*)(int, void*)>(dlsym(library, "NotifyEvent"));
        if (begin == nullptr || (begin() & is_sampling_on) == 0) notify_ = nullptr;
    }

    void tell(const LinkedFunction& function) {
        if (notify_ == nullptr) return;
        std::vector<LineNumber> lines;
        for (std::size_t i = 0; i < function.lines.size(); ++i) {
            const std::uint64_t end = i + 1 < function.lines.size() ? function.lines[i + 1].address : function.address + function.code.size();
            lines.push_back({static_cast<unsigned>(end - function.address), function.lines[i].number});
        }
        const auto* code = reinterpret_cast<const void*>(function.address);  // NOLINT: where it is linked to
        const char* file = function.lines.empty() ? nullptr : function.lines[0].file.c_str();
        MethodLoad told{++last_,
                        function.name.c_str(),
                        code,
                        static_cast<unsigned>(function.code.size()),
                        static_cast<unsigned>(lines.size()),
                        lines.data(),
                        0,
                        nullptr,
                        file};
        notify_(method_load_finished, &told);
    }

private:
    int (*notify_)(int, void*) = nullptr;
    unsigned last_ = 1000;  // ids from there on are a program's own
};

}  // namespace

void tell_vtune(std::span<const LinkedFunction> functions) {
    Collector& collector = base::made_once([] { return std::make_unique<Collector>(); });
    for (const LinkedFunction& each : functions) collector.tell(each);
}

}  // namespace fastnp::codegen
