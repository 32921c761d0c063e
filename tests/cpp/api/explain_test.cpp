// explain(f) as text, and debug folders.
#include "fastnp/explain.h"

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <boost/test/unit_test.hpp>

#include "fastnp/fastnp.h"

namespace fs = std::filesystem;

namespace {

class Folder {
public:
    Folder() : path_(fs::temp_directory_path() / ("fastnp_explain_" + std::to_string(reinterpret_cast<std::uintptr_t>(this)))) {
        fs::create_directory(path_);
    }
    ~Folder() { fs::remove_all(path_); }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    const fs::path& path() const { return path_; }

private:
    fs::path path_;
};

std::string text_of(const fs::path& file) {
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
}

bool has(const std::string& text, const std::string& piece) { return text.find(piece) != std::string::npos; }

fastnp::array softmax(const fastnp::array& x) {
    const fastnp::array e = fastnp::exp(x - fastnp::max(x, {.axis = {1}, .keepdims = true}));
    return e / fastnp::sum(e, {.axis = {1}, .keepdims = true});
}

}  // namespace

BOOST_AUTO_TEST_SUITE(explain)

BOOST_AUTO_TEST_CASE(text_tells_of_kernels_memory_and_recompilations) {
    const auto f = fastnp::compile(softmax, {.name = "softmax"});
    f(fastnp::ones({3, 4}));
    f(fastnp::ones({3, 4}, fastnp::float32));
    std::ostringstream text;
    text << fastnp::explain(f);
    for (const char* piece : {"softmax: 2 compiled", "entry 0 on cpu: first call", "reads 96 B, writes 96 B", "memory: argument 0", "time: fuse",
                              "recompiled in", "dtype changed from float64 to float32"}) {
        BOOST_TEST(has(text.str(), piece), piece);
    }
}

BOOST_AUTO_TEST_CASE(passes_and_inputs_are_kept_within_a_scope) {
    const auto f = fastnp::compile([](const fastnp::array& x) { return x * 1 + 2; });
    {
        const fastnp::explain_scope scope;
        f(fastnp::ones({3}));
    }
    f(fastnp::ones({3}, fastnp::float32));
    const auto entries = fastnp::explain(f, true).entries;
    BOOST_REQUIRE(entries.size() == 2U);
    BOOST_TEST(entries[0].passes.at(0).name == "recorded");
    BOOST_TEST(entries[0].inputs.at(0) == "float64[3], strides (8), on cpu");
    BOOST_TEST(entries[1].passes.empty());
    BOOST_TEST(has(entries[1].emitted, "define "));
}

BOOST_AUTO_TEST_CASE(debug_folder_has_files_of_each_entry) {
    const Folder folder;
    const std::string before = fastnp::set_debug_folder((folder.path() / "made").string());
    const auto f = fastnp::compile(softmax, {.name = "a/soft max"});
    f(fastnp::ones({3, 4}));
    f(fastnp::ones({3, 4}, fastnp::float32));
    BOOST_TEST(fastnp::set_debug_folder(before) == fs::absolute(folder.path() / "made").string());
    const fs::path made = f.debug_folder();
    BOOST_TEST(made.filename().string() == "a_soft_max");
    for (const char* name : {"about.txt", "inputs.txt", "guards.txt", "graph-00-recorded.txt", "graph.txt", "kernels.txt", "memory.txt", "times.txt",
                             "llvm-emitted.ll", "llvm.ll", "code.s"}) {
        BOOST_TEST(!text_of(made / "entry-0" / name).empty(), name);
        BOOST_TEST(!text_of(made / "entry-1" / name).empty(), name);
    }
    BOOST_TEST(has(text_of(made / "environment.txt"), "fastnp "));
    BOOST_TEST(has(text_of(made / "function.txt"), "a/soft max\n"));
    f(fastnp::ones({3, 4}, fastnp::complex128));
    BOOST_TEST(!fs::exists(made / "entry-2"));
}

BOOST_AUTO_TEST_CASE(a_debug_folder_that_cannot_be_written_to) {
    const Folder folder;
    const fs::path file = folder.path() / "file";
    std::ofstream(file) << "text";
    BOOST_CHECK_THROW(fastnp::set_debug_folder(file.string()), fastnp::ValueError);
    BOOST_CHECK_THROW(fastnp::set_debug_folder((file / "below").string()), fastnp::ValueError);
}

BOOST_AUTO_TEST_SUITE_END()
