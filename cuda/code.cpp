#include "code.h"

#include <array>
#include <cstdint>
#include <exception>
#include <utility>

#include "fastnp/error.h"

namespace fastnp::cuda {

namespace {

constexpr int error_log_buffer = 5;
constexpr int error_log_buffer_bytes = 6;
constexpr int generate_line_info = 13;
constexpr int input_ptx = 1;

// The options by which the driver's assembler writes down what it finds wrong, and, for code that has lines (codegen/source_lines), keeps these. It keeps
// the addresses of options until the link ends.
struct ErrorLog {
    std::array<char, 8192> text{};
    std::array<int, 3> options{error_log_buffer, error_log_buffer_bytes, generate_line_info};
    std::array<void*, 3> values{text.data(), reinterpret_cast<void*>(static_cast<std::uintptr_t>(text.size() - 1)),
                                reinterpret_cast<void*>(static_cast<std::uintptr_t>(1))};

    unsigned count(bool has_lines) const { return static_cast<unsigned>(options.size()) - (has_lines ? 0 : 1); }

    // Without the empty lines at its end.
    std::string read() const {
        std::string read = text.data();
        read.erase(read.find_last_not_of(" \n") + 1);
        return read;
    }
};

class Link {
public:
    Link(Context& context, ErrorLog& log, bool has_lines) : context_(context) {
        const unsigned count = log.count(has_lines);
        context.check(context.driver().link_create(count, log.options.data(), log.values.data(), &link_), "cuLinkCreate");
    }
    ~Link() { context_.driver().link_destroy(link_); }
    Link(const Link&) = delete;
    Link& operator=(const Link&) = delete;

    Handle handle() const { return link_; }

private:
    Context& context_;
    Handle link_ = nullptr;
};

}  // namespace

std::string assemble(Context& context, const std::string& ptx) {
    const Driver& driver = context.driver();
    const Current current(context);
    ErrorLog log;
    const Link link(context, log, ptx.find("\t.loc\t") != std::string::npos);
    const auto check = [&](int error, const char* function) {
        if (error != success) context.check(error, function, log.read());
    };
    // The driver does not write to what it reads; it takes the zero at the end along.
    void* const text = const_cast<char*>(ptx.c_str());
    check(driver.link_add_data(link.handle(), input_ptx, text, ptx.size() + 1, "fastnp", 0, nullptr, nullptr), "cuLinkAddData");
    void* image = nullptr;
    std::size_t bytes = 0;
    check(driver.link_complete(link.handle(), &image, &bytes), "cuLinkComplete");
    return {static_cast<const char*>(image), bytes};
}

LoadedModule::LoadedModule(std::shared_ptr<Context> context, const std::string& image, const std::vector<std::string>& symbols)
    : context_(std::move(context)), functions_(symbols.size()) {
    for (const std::string& symbol : symbols) names_.push_back(context_->launches().name(symbol));
    const Driver& driver = context_->driver();
    const Current current(*context_);
    ErrorLog log;
    const auto load = [&] { return driver.module_load(&module_, image.c_str(), log.count(false), log.options.data(), log.values.data()); };
    context_->check_with_memory(load, "cuModuleLoadDataEx", [&] { return log.read(); });
    try {
        for (std::size_t i = 0; i < functions_.size(); ++i) {
            const auto get = [&] { return driver.module_get_function(&functions_[i], module_, symbols[i].c_str()); };
            context_->check_with_memory(get, "cuModuleGetFunction", [&] { return symbols[i]; });
        }
    } catch (...) {
        driver.module_unload(module_);
        throw;
    }
}

LoadedModule::~LoadedModule() {
    if (!context_->is_usable()) return;
    try {
        context_->synchronize();  // what runs may be this module's kernels
        const Current current(*context_);
        context_->driver().module_unload(module_);
    } catch (const std::exception&) {  // NOLINT: the context is gone, and its modules with it
    }
}

}  // namespace fastnp::cuda
