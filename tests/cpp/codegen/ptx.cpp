#include "codegen/ptx.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <mutex>
#include <set>
#include <sstream>
#include <thread>

#include "codegen/llvm.h"
#include "codegen/nvptx.h"

namespace fastnp {

bool waits_first(const std::string& text, int capability) {
    const std::string wait = "griddepcontrol.wait";
    if (capability < 90) return !has(text, wait);
    for (std::size_t at = text.find(".entry"); at != std::string::npos;) {
        const std::size_t next = text.find(".entry", at + 1);
        const std::string kernel = text.substr(at, next - at), before = kernel.substr(0, kernel.find(wait));
        if (before.size() == kernel.size()) return false;
        // What is constant as far as ptxas knows is read before the wait: tables of the module may be, what kernels are given may not.
        if (has(kernel, "ld.global.nc") && !has(text, ".global .align")) return false;
        for (const char* access :
             {"ld.global", "st.global", "atom.", "red.", "ld.volatile", "ld.u", "ld.b", "ld.f", "ld.v", "st.u", "st.b", "st.f", "st.v"}) {
            if (has(before, access)) return false;
        }
        at = next;
    }
    return true;
}

std::string checked_ptx(llvm::Module& module, int capability) {
    std::string problem;
    llvm::raw_string_ostream stream(problem);
    BOOST_REQUIRE_MESSAGE(!llvm::verifyModule(module, &stream), problem);
    std::string text = codegen::to_ptx(module, capability);
    BOOST_REQUIRE_MESSAGE(!llvm::verifyModule(module, &stream), problem);
    BOOST_TEST(waits_first(text, capability));
    return text;
}

int widest(const std::string& text, const std::string& kind) {
    int most = 0;
    for (std::size_t found = text.find(kind + "."); found != std::string::npos; found = text.find(kind + ".", found + 1)) {
        const char* at = text.c_str() + found + kind.size() + 1;  // "v4.b32", "u8"
        int count = 1;
        if (*at == 'v') {
            count = at[1] - '0';
            at += 3;
        }
        most = std::max(most, count * std::atoi(at + 1) / 8);
    }
    return most;
}

namespace {

/// What the assembler said of all kernels of this run of the tests.
class Report {
public:
    ~Report() {
        if (count_ == 0) return;
        std::ostringstream sum;
        sum << count_ << " kernels assembled for GPUs: at most " << most_registers_ << " registers (" << most_name_ << "), " << spilling_ << " that spill";
        std::ofstream file(FASTNP_GPU_REPORT);
        for (const std::string& line : lines_) file << line << '\n';
        file << sum.str() << '\n';
        std::cout << sum.str() << " (" FASTNP_GPU_REPORT ")\n";
    }

    // ptxas -v says for each kernel: "Function properties for NAME", then its memory, then "Used N registers".
    void note(const std::string& module, const std::string& said) {
        const std::scoped_lock lock(mutex_);
        std::istringstream lines(said);
        std::string name;
        int stack = 0, stores = 0, loads = 0, registers = 0;
        for (std::string line; std::getline(lines, line);) {
            if (const auto at = line.find(properties); at != std::string::npos) name = module + " " + line.substr(at + std::strlen(properties));
            else if (std::sscanf(line.c_str(), " %d bytes stack frame, %d bytes spill stores, %d bytes spill loads", &stack, &stores, &loads) == 3)
                continue;
            else if (std::sscanf(line.c_str(), "ptxas info : Used %d registers", &registers) == 1) add(name, registers, stack, stores + loads > 0);
        }
    }

private:
    static constexpr const char* properties = "Function properties for ";

    void add(const std::string& name, int registers, int stack, bool spills) {
        lines_.insert(name + ": " + std::to_string(registers) + " registers, " + std::to_string(stack) + " bytes of stack" + (spills ? ", spills" : ""));
        ++count_;
        spilling_ += spills ? 1 : 0;
        if (registers <= most_registers_) return;
        most_registers_ = registers;
        most_name_ = name;
    }

    std::mutex mutex_;
    std::set<std::string> lines_;
    int count_ = 0, spilling_ = 0, most_registers_ = 0;
    std::string most_name_;
};

Report& report() {
    static Report all;
    return all;
}

}  // namespace

Assembler::Assembler() : free_processors_(std::max(1U, std::thread::hardware_concurrency())) {
    std::string name = (std::filesystem::temp_directory_path() / "fastnp-ptx-XXXXXX").string();
    BOOST_REQUIRE(mkdtemp(name.data()) != nullptr);
    folder_ = name;
}

Assembler::~Assembler() {
    complaints_.clear();  // waits
    std::filesystem::remove_all(folder_);
}

// The sanitizers see how a text is made; what the assembler, a program of its own, says of it they do not change, so it is asked in other builds alone.
void Assembler::add(const std::string& name, std::string ptx, int capability) {
#ifdef FASTNP_SANITIZED
    return;
#endif
    complaints_.push_back(std::async(std::launch::async, [this, name = name + " sm_" + std::to_string(capability), ptx = std::move(ptx), capability] {
        free_processors_.acquire();
        std::string said = assemble(name, ptx, capability);
        free_processors_.release();
        return said;
    }));
}

std::string Assembler::assemble(const std::string& name, const std::string& ptx, int capability) {
    std::string file = name;
    std::replace_if(file.begin(), file.end(), [](char each) { return std::isalnum(static_cast<unsigned char>(each)) == 0; }, '_');
    file = (folder_ / file).string();
    std::ofstream(file + ".ptx") << ptx;
    const std::string command = FASTNP_PTXAS " -c -v -arch=sm_" + std::to_string(capability) + " -o /dev/null " + file + ".ptx > " + file + ".log 2>&1";
    const int status = std::system(command.c_str());  // NOLINT: nothing else of the tests touches the environment meanwhile
    std::stringstream said;
    said << std::ifstream(file + ".log").rdbuf();
    report().note(name, said.str());
    return status == 0 ? std::string() : name + ": " + said.str() + "status " + std::to_string(status) + "\n";
}

std::string Assembler::complaints() {
    std::string all;
    for (std::future<std::string>& each : complaints_) all += each.get();
    complaints_.clear();
    return all;
}

}  // namespace fastnp
