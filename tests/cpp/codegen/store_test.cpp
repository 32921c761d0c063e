// Code kept on disk: what was written comes back, and nothing else does.
#include "codegen/stored_code.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "codegen/cache_folder.h"

using namespace fastnp;
using codegen::External;
using codegen::StoredCode;
namespace fs = std::filesystem;

namespace {

StoredCode sample(std::size_t size = 300) {
    StoredCode code{{"one", "two"}, {{External::Kind::cast, ir::Op::cast, Dtype::float64, Dtype::int32}, {External::Kind::span, ir::Op::cbrt}}, {}};
    code.objects = {"a", {}};
    for (std::size_t i = 0; i < size; ++i) code.objects[1] += static_cast<char>(i * 7);
    return code;
}

bool same(const std::optional<StoredCode>& found, const StoredCode& expected) {
    if (!found || found->symbols != expected.symbols || found->objects != expected.objects) return false;
    if (found->externals.size() != expected.externals.size()) return false;
    for (std::size_t i = 0; i < expected.externals.size(); ++i) {
        if (symbol_of(found->externals[i]) != symbol_of(expected.externals[i])) return false;
    }
    return true;
}

std::string contents(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

void overwrite(const fs::path& path, const std::string& bytes) { std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes; }

}  // namespace

BOOST_AUTO_TEST_SUITE(store)

BOOST_FIXTURE_TEST_CASE(what_was_kept_comes_back, CacheFolder) {
    BOOST_TEST(!codegen::load_code("kernel"));
    codegen::store_code("kernel", sample());
    BOOST_TEST(same(codegen::load_code("kernel"), sample()));
    BOOST_TEST(!codegen::load_code("kernel "));
    codegen::store_code("kernel", sample(20));
    BOOST_TEST(same(codegen::load_code("kernel"), sample(20)));
    BOOST_TEST(files().size() == 1U);
    BOOST_TEST(((fs::status(files()[0]).permissions() & fs::perms::mask) == (fs::perms::owner_read | fs::perms::owner_write)));
}

BOOST_FIXTURE_TEST_CASE(every_damaged_byte_and_every_length_is_noticed, CacheFolder) {
    codegen::store_code("kernel", sample());
    const fs::path file = files()[0];
    const std::string bytes = contents(file);
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        std::string damaged = bytes;
        damaged[i] = static_cast<char>(damaged[i] ^ 0x10);
        overwrite(file, damaged);
        BOOST_TEST(!codegen::load_code("kernel"), "byte " << i);
        overwrite(file, bytes.substr(0, i));
        BOOST_TEST(!codegen::load_code("kernel"), "length " << i);
    }
    overwrite(file, bytes + "x");
    BOOST_TEST(!codegen::load_code("kernel"));
    codegen::store_code("kernel", sample());  // and is replaced
    BOOST_TEST(same(codegen::load_code("kernel"), sample()));
}

BOOST_FIXTURE_TEST_CASE(a_file_of_other_kernels_is_not_taken, CacheFolder) {
    codegen::store_code("kernel", sample());
    const fs::path file = files()[0];
    codegen::store_code("other", sample(10));
    for (const fs::path& each : files()) {
        if (each != file) fs::copy_file(each, file, fs::copy_options::overwrite_existing);
    }
    BOOST_TEST(!codegen::load_code("kernel"));
}

BOOST_FIXTURE_TEST_CASE(files_that_others_could_have_written_are_not_read, CacheFolder) {
    codegen::store_code("kernel", sample());
    const fs::path file = files()[0];
    for (const fs::perms bad : {fs::perms::group_write, fs::perms::others_write}) {
        fs::permissions(file, bad, fs::perm_options::add);
        BOOST_TEST(!codegen::load_code("kernel"));
        fs::permissions(file, bad, fs::perm_options::remove);
    }
    if (geteuid() == 0) {
        BOOST_REQUIRE(chown(file.c_str(), 12345, 12345) == 0);
        BOOST_TEST(!codegen::load_code("kernel"));
        BOOST_REQUIRE(chown(file.c_str(), 0, 0) == 0);
    }
    BOOST_TEST(same(codegen::load_code("kernel"), sample()));
    const fs::path elsewhere = path / "elsewhere";
    fs::rename(file, elsewhere);
    fs::create_symlink(elsewhere, file);
    BOOST_TEST(!codegen::load_code("kernel"));
    fs::remove(file);
    BOOST_REQUIRE(mkfifo(file.c_str(), 0600) == 0);
    BOOST_TEST(!codegen::load_code("kernel"));
}

BOOST_FIXTURE_TEST_CASE(folders_that_others_can_write_to_are_left_alone, CacheFolder) {
    codegen::store_code("kernel", sample());
    fs::permissions(path, fs::perms::others_write, fs::perm_options::add);
    BOOST_TEST(!codegen::load_code("kernel"));
    codegen::store_code("another", sample());
    BOOST_TEST(files().size() == 1U);
    fs::permissions(path, fs::perms::others_write, fs::perm_options::remove);
    BOOST_TEST(same(codegen::load_code("kernel"), sample()));
    if (geteuid() == 0) {
        BOOST_REQUIRE(chown(path.c_str(), 12345, 12345) == 0);
        BOOST_TEST(!codegen::load_code("kernel"));
        BOOST_REQUIRE(chown(path.c_str(), 0, 0) == 0);
    }
}

BOOST_FIXTURE_TEST_CASE(the_folder_is_made_and_may_be_missing, CacheFolder) {
    setenv("FASTNP_CACHE_DIR", (path / "a" / "b").c_str(), 1);  // NOLINT
    codegen::store_code("kernel", sample());
    BOOST_TEST(same(codegen::load_code("kernel"), sample()));
    BOOST_TEST(((fs::status(path / "a" / "b").permissions() & fs::perms::mask) == fs::perms::owner_all));
    setenv("FASTNP_CACHE_DIR", "", 1);  // NOLINT
    BOOST_TEST(!codegen::load_code("kernel"));
    codegen::store_code("kernel", sample());
    setenv("FASTNP_CACHE_DIR", "/proc/none", 1);  // NOLINT
    codegen::store_code("kernel", sample());
    BOOST_TEST(!codegen::load_code("kernel"));
}

BOOST_FIXTURE_TEST_CASE(what_was_not_used_for_longest_goes, CacheFolder) {
    setenv("FASTNP_CACHE_SIZE", "1", 1);  // NOLINT
    codegen::store_code("kept", sample());
    for (int i = 0; i < 60; ++i) {
        codegen::store_code("kernel " + std::to_string(i), sample(100'000));
        BOOST_TEST(codegen::load_code("kept").has_value());
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    std::uintmax_t bytes = 0;
    for (const fs::path& file : files()) bytes += fs::file_size(file);
    BOOST_TEST(bytes <= (std::uintmax_t{1} << 20) + 200'000);
    BOOST_TEST(codegen::load_code("kernel 59").has_value());
    BOOST_TEST(!codegen::load_code("kernel 0"));
}

BOOST_FIXTURE_TEST_CASE(processes_may_die_at_any_moment, CacheFolder) {
    constexpr int kinds = 8;
    const auto text = [](int kind) { return "kernel " + std::to_string(kind); };
    std::vector<pid_t> children;
    for (int child = 0; child < 6; ++child) {
        const pid_t pid = fork();
        BOOST_REQUIRE(pid >= 0);
        if (pid == 0) {
            for (int i = 0;; ++i) {
                const int kind = (i + child) % kinds;
                codegen::store_code(text(kind), sample(5000 + static_cast<std::size_t>(kind)));
                const auto found = codegen::load_code(text(kind));
                if (found && !same(found, sample(5000 + static_cast<std::size_t>(kind)))) _exit(1);
            }
        }
        children.push_back(pid);
    }
    for (const pid_t pid : children) {
        std::this_thread::sleep_for(std::chrono::milliseconds(60));
        kill(pid, SIGKILL);
        int status = 0;
        waitpid(pid, &status, 0);
        BOOST_TEST(WIFSIGNALED(status));  // none of them found anything wrong
    }
    for (int kind = 0; kind < kinds; ++kind) {
        const auto found = codegen::load_code(text(kind));
        BOOST_TEST((!found || same(found, sample(5000 + static_cast<std::size_t>(kind)))));
        codegen::store_code(text(kind), sample(5000 + static_cast<std::size_t>(kind)));
        BOOST_TEST(same(codegen::load_code(text(kind)), sample(5000 + static_cast<std::size_t>(kind))));
    }
}

BOOST_AUTO_TEST_SUITE_END()
