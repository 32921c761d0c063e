// PTX under test: what is in it, and whether CUDA's assembler takes it.
#pragma once

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <future>
#include <semaphore>
#include <string>
#include <vector>

namespace llvm {
class Module;
}

namespace fastnp {

/// Whether each kernel of a text touches memory only after it has waited for the one before it; for devices before Hopper, whether none waits.
bool waits_first(const std::string& text, int capability);

/// PTX of a module, which must be well-formed, and wait first.
std::string checked_ptx(llvm::Module& module, int capability);

inline bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// Bytes of the widest access of a kind ("ld.global" or "st.global") in a text.
int widest(const std::string& text, const std::string& kind);

/// ptxas, as the driver's linker has it compile: code to be linked, with as many registers as it likes. What it says of each kernel (registers, memory for
/// registers that did not fit) is listed in the build folder's gpu_kernels.txt, whose last line sums it up.
class Assembler {
public:
    Assembler();
    ~Assembler();
    Assembler(const Assembler&) = delete;
    Assembler& operator=(const Assembler&) = delete;

    /// Has it assemble a text for GPUs of a capability, beside others.
    void add(const std::string& name, std::string ptx, int capability);
    /// What it has against the texts added: nothing if it takes them all.
    std::string complaints();

private:
    std::string assemble(const std::string& name, const std::string& ptx, int capability);

    std::filesystem::path folder_;
    std::counting_semaphore<> free_processors_;
    std::vector<std::future<std::string>> complaints_;
};

}  // namespace fastnp
