// Memory that the host and a device take turns at: where its contents are, what is copied, and what happens to who does not say that he uses it.
#include "device/movable.h"
#include "fastnp/error.h"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <boost/test/unit_test.hpp>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <thread>
#include <vector>

using namespace fastnp;
using device::Access;

namespace {

// A device whose memory is the host's.
class FakeBackend final : public device::Backend {
public:
    explicit FakeBackend(std::string name) : name_(std::move(name)) {}
    std::string name() const override { return name_; }
    int number() const override { return name_.back() - '0'; }
    Code code() const override { return Code::llvm; }
    int capability() const override { return 90; }
    std::int64_t blocks_at_once(int) const override { return 1; }
    bool enter() override { return false; }
    void leave() noexcept override {}
    bool may_overlap() const override { return false; }
    std::unique_ptr<device::Graph> graph(std::span<const device::Work> /*work*/) override { return nullptr; }
    std::unique_ptr<device::Moment> moment() override { return nullptr; }
    double milliseconds(const device::Moment& /*from*/, const device::Moment& /*to*/) override { return 0; }
    void* allocate(std::size_t bytes) override {
        const std::scoped_lock lock(mutex_);
        statistics_.live_bytes += bytes;
        return std::malloc(bytes + 1);
    }
    void free(void* memory, std::size_t bytes) noexcept override {
        const std::scoped_lock lock(mutex_);
        statistics_.live_bytes -= bytes;
        std::free(memory);
    }
    void trim() override {}
    void upload(void* to, const void* from, std::size_t bytes) override {
        const std::scoped_lock lock(mutex_);
        ++statistics_.uploads;
        std::memcpy(to, from, bytes);
    }
    void download(void* to, const void* from, std::size_t bytes) override {
        const std::scoped_lock lock(mutex_);
        ++statistics_.downloads;
        std::memcpy(to, from, bytes);
    }
    void copy(void* to, const void* from, std::size_t bytes) override { std::memcpy(to, from, bytes); }
    bool copy_from(device::Backend& other, void* to, const void* from, std::size_t bytes) override {
        if (!has_peers) return false;
        copied_from.push_back(other.name());
        std::memcpy(to, from, bytes);
        return true;
    }
    void clear(void* memory, std::size_t bytes) override { std::memset(memory, 0, bytes); }
    std::string lacks_products(Dtype) override { return "it has none"; }
    bool contract(const device::Contraction&) override { return false; }
    bool knows(const device::Contraction&) override { return false; }
    std::string lacks_transforms() override { return "it has none"; }
    bool transform(const device::Transform&) override { return false; }
    bool knows(const device::Transform&) override { return false; }
    std::string lacks_factorisations() override { return "it has none"; }
    bool factorise(const device::Factorisation&) override { return false; }
    std::string assemble(const std::string& code) override { return code; }
    std::string version() const override { return "fake"; }
    std::shared_ptr<device::Module> load(const std::string&, const std::vector<std::string>&) override { return nullptr; }
    void launch(const device::Module&, std::size_t, std::int64_t, int, std::span<void* const>) override {}
    Stream stream() const override { return 7; }
    void wait_for(Stream) override { ++waits; }
    void let_wait(Stream) override { ++lets; }
    bool names_ranges() const override { return false; }
    void begin_range(const std::string&) override {}
    void end_range() noexcept override {}
    void synchronize() override {}
    device::BackendStatistics statistics() const override { return statistics_; }

    std::atomic<int> waits = 0, lets = 0;
    bool has_peers = false;
    std::vector<std::string> copied_from;

private:
    std::string name_;
    std::mutex mutex_;
    device::BackendStatistics statistics_;
};

// Whether touching memory ends a process.
template <class F>
bool dies(F touch) {
    const pid_t child = fork();
    if (child == 0) {
        (void)signal(SIGSEGV, SIG_DFL);
        touch();
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFSIGNALED(status) || (WIFEXITED(status) && WEXITSTATUS(status) != 0);  // sanitizers exit
}

}  // namespace

BOOST_AUTO_TEST_SUITE(device_movable)

BOOST_AUTO_TEST_CASE(contents_move_with_use) {
    FakeBackend gpu("cuda:0");
    {
        const device::BufferPtr buffer = device::allocate_movable(8000, nullptr);
        auto* numbers = static_cast<double*>(buffer->data());
        for (int i = 0; i < 1000; ++i) numbers[i] = i;
        BOOST_TEST(device::home_of(numbers) == nullptr);
        auto* there = static_cast<double*>(device::use_on_device(gpu, numbers + 10, Access::read).get());
        BOOST_TEST(there[0] == 10.0);
        BOOST_TEST(device::home_of(numbers + 999) == &gpu);
        device::use_on_host(numbers, Access::read);  // both have it
        BOOST_TEST(numbers[10] == 10.0);
        BOOST_TEST(gpu.statistics().downloads == 0u);
        BOOST_TEST(device::home_of(numbers) == &gpu);
        there = static_cast<double*>(device::use_on_device(gpu, numbers, Access::write).get());
        BOOST_TEST(gpu.statistics().uploads == 1u);
        there[3] = -1;
        device::use_on_host(numbers + 5, Access::write);
        BOOST_TEST(numbers[3] == -1.0);
        numbers[4] = -2;
        BOOST_TEST(device::home_of(numbers) == nullptr);
        there = static_cast<double*>(device::use_on_device(gpu, numbers, Access::read).get());
        BOOST_TEST(there[4] == -2.0);
        BOOST_TEST(gpu.statistics().uploads == 2u);
        BOOST_TEST(gpu.statistics().downloads == 1u);
    }
    BOOST_TEST(gpu.statistics().live_bytes == 0u);
}

BOOST_AUTO_TEST_CASE(who_does_not_say_so_is_stopped) {
    FakeBackend gpu("cuda:0");
    const device::BufferPtr buffer = device::allocate_movable(100, &gpu);
    auto* bytes = static_cast<volatile char*>(buffer->data());
    std::memset(device::use_on_device(gpu, buffer->data(), Access::write).get(), 7, 100);
    BOOST_TEST(dies([&] { (void)bytes[0]; }));
    device::use_on_host(buffer->data(), Access::read);
    BOOST_TEST(bytes[99] == 7);
    BOOST_TEST(dies([&] { bytes[0] = 1; }));  // the device's copy would be stale
    device::use_on_host(buffer->data(), Access::write);
    bytes[0] = 1;
    BOOST_TEST(bytes[0] == 1);
}

BOOST_AUTO_TEST_CASE(exposed_memory_stays) {
    FakeBackend gpu("cuda:0");
    const device::BufferPtr buffer = device::allocate_movable(64, &gpu);
    std::memset(device::use_on_device(gpu, buffer->data(), Access::write).get(), 9, 64);
    device::use_on_host(buffer->data(), Access::expose);
    BOOST_TEST(device::use_on_device(gpu, buffer->data(), Access::read) == nullptr);
    BOOST_TEST(*static_cast<char*>(buffer->data()) == 9);
    device::use_on_host(buffer->data(), Access::read);
    *static_cast<char*>(buffer->data()) = 1;  // still writable
}

BOOST_AUTO_TEST_CASE(lent_memory_comes_back) {
    FakeBackend gpu("cuda:0");
    const device::BufferPtr buffer = device::allocate_movable(64, &gpu);
    auto* bytes = static_cast<char*>(buffer->data());
    std::memset(device::use_on_device(gpu, bytes, Access::write).get(), 9, 64);
    const std::uint64_t version = device::version_of(bytes);
    std::shared_ptr<void> lent = device::lend_to_host(bytes + 8), again = device::lend_to_host(bytes);
    BOOST_TEST(bytes[63] == 9);
    lent = nullptr;
    BOOST_TEST(device::home_of(bytes) == nullptr);
    BOOST_TEST(device::use_on_device(gpu, bytes, Access::read) == nullptr);
    BOOST_TEST(!device::can_move(bytes));
    device::bring_home(gpu, bytes);
    BOOST_TEST(device::home_of(bytes) == nullptr);
    bytes[0] = 1;
    again = nullptr;
    BOOST_TEST(device::home_of(bytes) == &gpu);
    BOOST_TEST(device::can_move(bytes));
    BOOST_TEST(device::version_of(bytes) != version);
    BOOST_TEST(*static_cast<char*>(device::use_on_device(gpu, bytes, Access::read).get()) == 1);
    double plain = 0;
    BOOST_TEST(device::lend_to_host(&plain) == nullptr);
    device::use_on_host(bytes, Access::expose);
    device::lend_to_host(bytes);
    BOOST_TEST(device::home_of(bytes) == nullptr);  // it is exposed still
}

BOOST_AUTO_TEST_CASE(contents_follow_home_when_they_are_used) {
    FakeBackend gpu("cuda:0");
    const device::BufferPtr buffer = device::allocate_movable(64, nullptr);
    auto* bytes = static_cast<char*>(buffer->data());
    BOOST_TEST(device::copy_at_home(bytes, 64) == nullptr);
    std::memset(bytes, 3, 64);
    device::bring_home(gpu, bytes);
    BOOST_TEST(device::home_of(bytes) == &gpu);
    BOOST_TEST(!device::lies_on_device(bytes));
    BOOST_TEST(gpu.statistics().uploads == 0u);
    BOOST_TEST(bytes[1] == 3);
    const std::uint64_t version = device::version_of(bytes);
    const device::BufferPtr copy = device::copy_at_home(bytes + 16, 8);
    BOOST_TEST(device::version_of(bytes) == version);
    BOOST_TEST(gpu.statistics().uploads == 1u);
    BOOST_TEST(device::lies_on_device(copy->data()));
    std::memset(device::use_on_device(gpu, bytes, Access::write).get(), 4, 64);
    BOOST_TEST(device::version_of(bytes) != version);
    BOOST_TEST(device::lies_on_device(bytes));
    device::use_on_host(copy->data(), Access::read);
    BOOST_TEST(static_cast<char*>(copy->data())[7] == 3);
    BOOST_TEST(!device::lies_on_device(copy->data()));
}

BOOST_AUTO_TEST_CASE(what_is_in_use_on_a_device_stays_there) {
    FakeBackend gpu("cuda:0");
    const device::BufferPtr buffer = device::allocate_movable(64, nullptr);
    std::memset(buffer->data(), 4, 64);
    std::shared_ptr<void> there = device::use_on_device(gpu, buffer->data(), Access::read);
    device::use_on_host(buffer->data(), Access::write);  // by another thread, or a function that is called meanwhile
    std::memset(buffer->data(), 5, 64);
    BOOST_TEST(*static_cast<char*>(there.get()) == 4);
    BOOST_TEST(gpu.statistics().live_bytes == 64u);
    there = nullptr;
    BOOST_TEST(gpu.statistics().live_bytes == 0u);
}

BOOST_AUTO_TEST_CASE(between_devices_and_reused_addresses) {
    FakeBackend one("cuda:0"), two("cuda:1");
    for (int round = 0; round < 40; ++round) {
        const device::BufferPtr buffer = device::allocate_movable(5000, &one), other = device::allocate_movable(5000, nullptr);
        std::memset(device::use_on_device(one, buffer->data(), Access::write).get(), round, 5000);
        std::memset(other->data(), 1, 5000);
        auto* there = static_cast<char*>(device::use_on_device(two, buffer->data(), Access::read).get());
        BOOST_TEST(there[4999] == static_cast<char>(round));
        BOOST_TEST(device::home_of(buffer->data()) == &two);
    }
    BOOST_TEST(one.statistics().live_bytes == 0u);
    BOOST_TEST(two.statistics().live_bytes == 0u);
    BOOST_TEST(one.statistics().downloads == 40u);
    double plain = 0;
    BOOST_TEST(device::use_on_device(one, &plain, Access::read) == nullptr);
    BOOST_TEST(device::home_of(&plain) == nullptr);
    const device::BufferPtr nothing = device::allocate_movable(0, &one);
    BOOST_TEST(device::use_on_device(one, nothing->data(), Access::write) != nullptr);
}

BOOST_AUTO_TEST_CASE(between_devices_that_reach_each_other) {
    FakeBackend one("cuda:0"), two("cuda:1");
    one.has_peers = two.has_peers = true;
    {
        const device::BufferPtr buffer = device::allocate_movable(5000, &one);
        std::memset(device::use_on_device(one, buffer->data(), Access::write).get(), 7, 5000);
        auto* there = static_cast<char*>(device::use_on_device(two, buffer->data(), Access::read).get());
        BOOST_TEST(there[4999] == 7);
        BOOST_TEST(one.statistics().downloads == 0u);
        BOOST_TEST(two.copied_from == std::vector<std::string>{"cuda:0"}, boost::test_tools::per_element());
        BOOST_TEST(one.statistics().live_bytes == 0u);
        device::use_on_host(buffer->data(), Access::read);
        BOOST_TEST(static_cast<const char*>(buffer->data())[4999] == 7);
        (void)device::use_on_device(one, buffer->data(), Access::read);  // the host has it, too
        BOOST_TEST(one.copied_from == std::vector<std::string>{"cuda:1"}, boost::test_tools::per_element());
        BOOST_TEST(two.statistics().downloads == 1u);
    }
    BOOST_TEST(one.statistics().live_bytes + two.statistics().live_bytes == 0u);
}

BOOST_AUTO_TEST_CASE(shared_memory_stays_on_its_device) {
    FakeBackend gpu("cuda:0"), other("cuda:1");
    {
        const device::BufferPtr buffer = device::allocate_movable(64, nullptr);
        auto* here = static_cast<char*>(buffer->data());
        std::memset(here, 1, 64);
        auto* there = static_cast<char*>(device::share_on_device(gpu, here).get());
        BOOST_TEST(there[63] == 1);
        BOOST_TEST(device::shared_on(here + 5) == &gpu);
        device::use_on_host(here, Access::read);
        std::memset(there, 2, 64);  // by somebody else
        device::use_on_host(here, Access::read);
        BOOST_TEST(here[7] == 2);
        char read = 0;
        std::memset(there, 3, 64);
        device::read_bytes(&read, here + 9, 1);
        BOOST_TEST(read == 3);
        device::use_on_host(here, Access::write);
        here[10] = 4;
        device::use_on_host(here, Access::read);  // what is being written is not overwritten
        BOOST_TEST(here[10] == 4);
        std::memset(there + 20, 5, 4);
        const int lets = gpu.lets;
        device::written_on_host(here + 10, 1);  // that byte alone
        BOOST_TEST(there[10] == 4);
        BOOST_TEST(there[20] == 5);
        BOOST_TEST(gpu.lets == lets + 1);
        BOOST_TEST(device::home_of(here) == &gpu);
        BOOST_TEST((device::use_on_device(gpu, here + 10, Access::write).get() == there + 10));
        BOOST_TEST(device::use_on_device(other, here, Access::read) == nullptr);
        BOOST_TEST(device::share_on_device(other, here) == nullptr);
        BOOST_CHECK_THROW(device::use_on_host(here, Access::expose), BufferError);
        const int waits = gpu.waits;
        const device::BufferPtr back = device::borrow_on_device(gpu, there + 8, 16, [] {});
        BOOST_TEST((back->data() == here + 8));  // the same memory has the same address
        BOOST_TEST(gpu.waits == waits);
    }
    BOOST_TEST(gpu.statistics().live_bytes == 0u);
    const device::BufferPtr exposed = device::allocate_movable(8, nullptr);
    device::use_on_host(exposed->data(), Access::expose);
    BOOST_TEST(device::share_on_device(gpu, exposed->data()) == nullptr);
    double plain = 0;
    BOOST_TEST(device::share_on_device(gpu, &plain) == nullptr);
    BOOST_TEST(device::shared_on(&plain) == nullptr);
}

BOOST_AUTO_TEST_CASE(shared_memory_is_not_lent_and_copied_in_order) {
    FakeBackend gpu("cuda:0"), other("cuda:1");
    std::vector<char> theirs(64, 2);
    const device::BufferPtr ours = device::allocate_movable(64, nullptr), borrowed = device::borrow_on_device(gpu, theirs.data(), 64, [] {});
    std::memset(ours->data(), 1, 64);
    std::shared_ptr<void> lent = device::lend_to_host(ours->data());
    BOOST_TEST(device::share_on_device(gpu, ours->data()) == nullptr);
    lent = nullptr;
    device::share_on_device(gpu, ours->data());
    for (const device::BufferPtr& each : {ours, borrowed}) {
        char* const here = static_cast<char*>(each->data());
        BOOST_CHECK_THROW(device::lend_to_host(here), BufferError);
        BOOST_TEST(device::can_move(here));
        BOOST_TEST(device::lies_on_device(here));
        device::use_on_host(here, Access::read);
        BOOST_TEST(device::lies_on_device(here));
        device::bring_home(other, here);
        BOOST_TEST(device::home_of(here) == &gpu);
        BOOST_TEST(device::version_of(here) != device::version_of(here));  // others may have written to it
        const int waits = gpu.waits, lets = gpu.lets;
        const device::BufferPtr copy = device::copy_at_home(here + 16, 8);
        BOOST_TEST(gpu.waits == waits + 1);
        BOOST_TEST(gpu.lets == lets + 1);
        BOOST_TEST(device::shared_on(copy->data()) == nullptr);
        device::use_on_host(copy->data(), Access::read);
        BOOST_TEST(static_cast<char*>(copy->data())[7] == (each == ours ? 1 : 2));
    }
}

BOOST_AUTO_TEST_CASE(memory_of_others_has_one_address) {
    FakeBackend gpu("cuda:0");
    std::vector<char> theirs(100'000, 1);
    std::vector<int> released;
    device::BufferPtr a = device::borrow_on_device(gpu, theirs.data() + 100, 50, [&] { released.push_back(0); });
    device::BufferPtr b = device::borrow_on_device(gpu, theirs.data() + 120, 60, [&] { released.push_back(1); });
    device::BufferPtr far = device::borrow_on_device(gpu, theirs.data() + 90'000, 100, [&] { released.push_back(2); });
    auto* here = static_cast<char*>(a->data());
    BOOST_TEST((b->data() == here + 20));
    BOOST_TEST((far->data() == here + 89'900));
    BOOST_TEST(device::home_of(here) == &gpu);
    BOOST_TEST(dies([&] { (void)*static_cast<volatile char*>(far->data()); }));
    device::use_on_host(here, Access::read);
    BOOST_TEST(here[79] == 1);  // of both, which share bytes
    BOOST_TEST(dies([&] { (void)*static_cast<volatile char*>(far->data()); }));
    theirs[130] = 7;
    device::use_on_host(here, Access::write);
    BOOST_TEST(here[30] == 7);
    here[0] = 8;
    device::written_on_host(here, 1);
    BOOST_TEST(theirs[100] == 8);
    BOOST_TEST((device::use_on_device(gpu, here + 3, Access::read).get() == theirs.data() + 103));
    BOOST_TEST((device::share_on_device(gpu, here).get() == theirs.data() + 100));
    BOOST_CHECK_THROW(device::use_on_host(here, Access::expose), BufferError);
    a = nullptr;
    BOOST_TEST(released == std::vector<int>{0}, boost::test_tools::per_element());
    device::use_on_host(b->data(), Access::read);
    BOOST_TEST(static_cast<char*>(b->data())[10] == 7);
    b = nullptr;
    far = nullptr;
    BOOST_TEST(released == (std::vector<int>{0, 1, 2}), boost::test_tools::per_element());
    BOOST_TEST(device::shared_on(here) == nullptr);
}

// Addresses that nobody reads: across the end of what one run of the host's addresses stands for.
BOOST_AUTO_TEST_CASE(memory_of_others_across_runs) {
    FakeBackend gpu("cuda:0"), other("cuda:1");
    constexpr std::uintptr_t end = std::uintptr_t{5} << 40;
    const auto at = [](std::uintptr_t address) { return reinterpret_cast<void*>(address); };
    {
        const device::BufferPtr across = device::borrow_on_device(gpu, at(end - 50), 100, [] {});
        const device::BufferPtr before = device::borrow_on_device(gpu, at(end - 80), 60, [] {});
        const device::BufferPtr after = device::borrow_on_device(gpu, at(end + 20), 60, [] {});
        const auto* here = static_cast<const char*>(across->data());
        BOOST_TEST((before->data() == here - 30));
        BOOST_TEST((after->data() == here + 70));
        const device::BufferPtr elsewhere = device::borrow_on_device(other, at(end - 80), 60, [] {});
        BOOST_TEST((elsewhere->data() != before->data()));
        BOOST_TEST((device::home_of(elsewhere->data()) == &other));
    }
    const device::BufferPtr before = device::borrow_on_device(gpu, at(end - 80), 60, [] {});
    BOOST_CHECK_THROW(device::borrow_on_device(gpu, at(end - 50), 100, [] {}), BufferError);
    const device::BufferPtr beside = device::borrow_on_device(gpu, at(end - 20), 100, [] {});  // nothing is shared
    BOOST_CHECK_THROW(device::borrow_on_device(gpu, at(end - 40), 60, [] {}), BufferError);    // with both, which have nothing in common
    const device::BufferPtr again = device::borrow_on_device(gpu, at(end - 60), 20, [] {});
    BOOST_TEST((again->data() == static_cast<char*>(before->data()) + 20));
}

BOOST_AUTO_TEST_CASE(memory_of_others_in_the_first_run) {
    FakeBackend gpu("cuda:0");
    for (const std::uintptr_t at : {std::uintptr_t{1} << 20, std::uintptr_t{0x320000000}, (std::uintptr_t{1} << 40) - 4096}) {
        auto* const theirs = reinterpret_cast<char*>(at);
        const device::BufferPtr lent = device::borrow_on_device(gpu, theirs, 4096, [] {});
        const std::shared_ptr<void> there = device::share_on_device(gpu, static_cast<char*>(lent->data()) + 64);
        BOOST_TEST(there != nullptr);
        BOOST_TEST(there.get() == theirs + 64);
        BOOST_TEST(device::home_of(lent->data()) == &gpu);
    }
}

BOOST_AUTO_TEST_CASE(several_threads) {
    FakeBackend gpu("cuda:0");
    const device::BufferPtr shared = device::allocate_movable(4096, nullptr);
    std::memset(shared->data(), 5, 4096);
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&] {
            for (int i = 0; i < 200; ++i) {
                const device::BufferPtr own = device::allocate_movable(1000, nullptr);
                device::use_on_host(shared->data(), Access::read);
                if (static_cast<char*>(shared->data())[17] != 5) std::abort();
                static_cast<char*>(own->data())[0] = 3;
                if (static_cast<char*>(device::use_on_device(gpu, own->data(), Access::read).get())[0] != 3) std::abort();
            }
        });
    }
    for (std::thread& each : threads) each.join();
    BOOST_TEST(gpu.statistics().live_bytes == 0u);
}

BOOST_AUTO_TEST_SUITE_END()
