// Kernels for devices: equal ones are compiled once, shared while in use, and kept on disk.
#include "codegen/device_code.h"

#include <algorithm>
#include <atomic>
#include <boost/test/unit_test.hpp>

#include "base/thread_pool.h"
#include "codegen/cache_folder.h"
#include "codegen/recorded_kernels.h"
#include "fastnp/error.h"
#include "simulated/backend.h"

using namespace fastnp;
using codegen::DeviceCode;

namespace {

struct CountingBackend : simulated::Backend {
    std::string assemble(const std::string& code) override {
        ++assembled;  // by several threads
        return Backend::assemble(code);
    }
    std::shared_ptr<device::Module> load(const std::string& image, const std::vector<std::string>& symbols) override {
        ++loaded;
        if (refused-- > 0) throw DeviceError("an image of another time");
        return Backend::load(image, symbols);
    }
    std::string version() const override { return release; }
    std::atomic<int> assembled = 0;
    int loaded = 0, refused = 0;
    std::string release = "1";
};

/// Kernels of functions, as jobs.
class Jobs {
public:
    void add(const std::function<Arrays(const Arrays&)>& function, Dtype dtype = float32) {
        recorded_.push_back(std::make_unique<RecordedKernels>(kernels_of(function, {{dtype, {1000, 70}}})));
        for (RecordedKernel& each : recorded_.back()->kernels) {
            grids_.push_back(std::make_unique<nest::Grid>(nest::grid_of(each.kernel, recorded_.back()->sizes)));
            all_.push_back({&each.kernel, grids_.back().get()});
        }
    }
    std::span<const codegen::DeviceJob> all() const { return all_; }

private:
    std::vector<std::unique_ptr<RecordedKernels>> recorded_;
    std::vector<std::unique_ptr<nest::Grid>> grids_;
    std::vector<codegen::DeviceJob> all_;
};

// Modules that so many kernels are.
int parts(int kernels) { return std::min(kernels, base::thread_count()); }

bool same(const codegen::DeviceFunction& x, const codegen::DeviceFunction& y) { return x.module == y.module && x.number == y.number; }

Arrays doubled(const Arrays& x) { return {x[0] * 2}; }
Arrays exponential(const Arrays& x) { return {exp(x[0])}; }
Arrays sums(const Arrays& x) { return {sum(x[0], {.axis = 1})}; }

}  // namespace

BOOST_AUTO_TEST_SUITE(device_code)

BOOST_AUTO_TEST_CASE(equal_kernels_are_compiled_once) {
    CountingBackend backend;
    Jobs jobs;
    for (const auto& each : {doubled, sums, doubled, exponential, sums}) jobs.add(each);
    jobs.add(doubled, float64);
    const DeviceCode code = codegen::compile_for_device(jobs.all(), backend);
    const std::vector<std::size_t> expected{0, 1, 0, 2, 1, 3};
    for (std::size_t i = 0; i < expected.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) BOOST_TEST(same(code.kernels[i], code.kernels[j]) == (expected[i] == expected[j]));
    }
    BOOST_TEST(backend.assembled == parts(4));
    BOOST_TEST(backend.loaded == parts(4));
}

BOOST_AUTO_TEST_CASE(code_in_use_is_shared_by_its_device) {
    CountingBackend backend, other;
    Jobs jobs, more;
    jobs.add(doubled);
    more.add(doubled);
    more.add(sums);
    DeviceCode code = codegen::compile_for_device(jobs.all(), backend);
    const auto is_same = [&](const DeviceCode& other_code) { return same(other_code.kernels[0], code.kernels[0]); };
    BOOST_TEST(is_same(codegen::compile_for_device(jobs.all(), backend)));
    BOOST_TEST(backend.loaded == 1);
    BOOST_TEST(!is_same(codegen::compile_for_device(jobs.all(), other)));
    BOOST_TEST(other.loaded == 1);
    BOOST_TEST(!is_same(codegen::compile_for_device(more.all(), backend)));
    BOOST_TEST(backend.loaded == 1 + parts(2));
    code = {};
    codegen::compile_for_device(jobs.all(), backend);
    BOOST_TEST(backend.loaded == 2 + parts(2));
    BOOST_TEST(backend.assembled == 2 + parts(2));
}

BOOST_AUTO_TEST_CASE(images_are_kept_on_disk) {
    const CacheFolder folder;
    CountingBackend backend;
    Jobs jobs;
    jobs.add(doubled);
    jobs.add(sums);
    jobs.add(doubled);
    const DeviceCode code = codegen::compile_for_device(jobs.all(), backend);
    BOOST_TEST(folder.files().size() == 1U);
    CountingBackend second;
    const DeviceCode found = codegen::compile_for_device(jobs.all(), second);
    BOOST_REQUIRE(found.kernels.size() == 3U);
    for (std::size_t i = 0; i < 3; ++i) {
        BOOST_TEST(found.kernels[i].number == code.kernels[i].number);
        BOOST_TEST(same(found.kernels[i], found.kernels[0]) == (i != 1));
    }
    BOOST_TEST(second.assembled == 0);
    BOOST_TEST(second.loaded == parts(2));
    CountingBackend newer;
    newer.release = "2";
    codegen::compile_for_device(jobs.all(), newer);
    BOOST_TEST(newer.assembled == parts(2));
    BOOST_TEST(folder.files().size() == 2U);
    CountingBackend refusing;
    refusing.refused = 1;
    BOOST_TEST((codegen::compile_for_device(jobs.all(), refusing).kernels[1].module != nullptr));
    BOOST_TEST(refusing.assembled == parts(2));
    CountingBackend broken;
    broken.refused = 2;
    BOOST_CHECK_THROW(codegen::compile_for_device(jobs.all(), broken), DeviceError);
}

BOOST_AUTO_TEST_CASE(texts_have_all_kernels_by_their_symbols) {
    Jobs jobs;
    for (const auto& each : {doubled, sums, exponential}) jobs.add(each);
    using Code = device::Backend::Code;
    for (const Code code : {Code::ptx, Code::llvm}) {
        const codegen::DeviceText made = codegen::device_text(jobs.all(), code, 90);
        BOOST_REQUIRE(made.symbols.size() == 3U);
        for (const std::string& symbol : made.symbols) {
            BOOST_TEST(made.text.find((code == Code::ptx ? ".entry " : "void @") + symbol + "(") != std::string::npos, symbol);
        }
    }
}

BOOST_AUTO_TEST_SUITE_END()
