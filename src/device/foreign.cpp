// Memory of other libraries on a device. A long run of its addresses has one of the host's, so that arrays which share elements there share addresses
// here, too, whichever came first.
#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "base/fork.h"
#include "device/pages.h"
#include "device/place.h"
#include "fastnp/error.h"

namespace fastnp::device {

namespace {

class Foreign final : public Place {
public:
    Foreign(Backend& device, std::span<char> there) : device_(device), there_(there), pages_(there.size()) {}

    char* host() const override { return pages_.begin(); }
    std::size_t bytes() const override { return there_.size(); }
    Backend* home() override { return &device_; }
    Backend* shared_on() override { return &device_; }
    void bring_home(Backend& /*device*/) override {}
    bool is_on_device() override { return true; }
    bool can_move() override { return true; }
    std::uint64_t version() override { return new_version(); }
    void lend_to_host() override { refuse_exposure(device_); }
    void take_back() override {}

    void to_host(std::size_t offset, Access access) override {
        const std::scoped_lock lock(mutex_);
        const auto [first, end] = used_at(offset);
        if (first == end) return;
        if (access == Access::expose) refuse_exposure(device_);
        if (writers_ == 0) {
            pages_.open(first, end - first);
            device_.wait_for(Backend::every_stream);
            device_.download(pages_.begin() + first, there_.data() + first, end - first);
        }
        if (access == Access::write) ++writers_;
    }
    void written_on_host(std::size_t offset, std::size_t bytes) override {
        const std::scoped_lock lock(mutex_);
        if (writers_ > 0) --writers_;
        device_.upload(there_.data() + offset, pages_.begin() + offset, bytes);
        device_.let_wait(Backend::every_stream);
    }
    void read(void* to, std::size_t offset, std::size_t bytes) override {
        device_.wait_for(Backend::every_stream);
        device_.download(to, there_.data() + offset, bytes);
    }
    std::shared_ptr<char> to_device(Backend& device, Access /*access*/) override { return share(device); }
    std::shared_ptr<char> share(Backend& device) override {
        if (&device != &device_) return nullptr;
        return {std::shared_ptr<char>(), there_.data()};  // whoever lent it keeps it
    }

    bool is_on(const Backend& device) const { return &device == &device_; }
    bool holds(const char* first, std::size_t bytes) const { return first >= there_.data() && first + bytes <= there_.data() + there_.size(); }
    /// Whether an array uses some of it.
    bool uses(const char* first, std::size_t bytes) {
        const std::scoped_lock lock(mutex_);
        const std::ptrdiff_t offset = first - there_.data(), last = offset + static_cast<std::ptrdiff_t>(bytes);
        return std::ranges::any_of(
            lent_, [&](const auto& each) { return static_cast<std::ptrdiff_t>(each.first) < last && offset < static_cast<std::ptrdiff_t>(each.second); });
    }
    char* host_of(const char* there) const { return pages_.begin() + (there - there_.data()); }
    void use(const char* first, std::size_t bytes) {
        const std::scoped_lock lock(mutex_);
        const auto offset = static_cast<std::size_t>(first - there_.data());
        lent_.emplace(offset, offset + bytes);
    }
    /// Whether that was the last.
    bool let_go(const char* first, std::size_t bytes) {
        const std::scoped_lock lock(mutex_);
        const auto offset = static_cast<std::size_t>(first - there_.data());
        auto [found, end] = lent_.equal_range(offset);
        found = std::find_if(found, end, [&](const auto& each) { return each.second == offset + bytes; });
        lent_.erase(found);
        return lent_.empty();
    }

private:
    // Of what was lent, the parts that share bytes with the one at this offset, and with those in turn.
    std::pair<std::size_t, std::size_t> used_at(std::size_t offset) const {
        std::pair<std::size_t, std::size_t> run{0, 0};
        const auto is_it = [&] { return offset >= run.first && offset < run.second; };
        for (const auto& [first, end] : lent_) {
            if (first < run.second) run.second = std::max(run.second, end);
            else if (is_it()) return run;
            else run = {first, end};
        }
        return is_it() ? run : std::pair(offset, offset);
    }

    Backend& device_;
    const std::span<char> there_;
    std::mutex mutex_;
    Pages pages_;
    std::multimap<std::size_t, std::size_t> lent_;  // begin and end of each part that an array uses
    int writers_ = 0;                               // on the host
};

// What is shared on devices.
class Shared {
public:
    void add(const Backend& device, const char* first, std::size_t bytes, char* host) {
        const std::scoped_lock lock(mutex_);
        ours_.push_back({&device, first, bytes, host});
        detail::shared_count.fetch_add(1, std::memory_order_release);
    }
    void remove(const char* first) {
        const std::scoped_lock lock(mutex_);
        std::erase_if(ours_, [&](const Ours& each) { return each.first == first; });
        detail::shared_count.fetch_sub(1, std::memory_order_release);
    }

    /// The host's address for it, and the place if it is another library's.
    std::pair<char*, std::shared_ptr<Foreign>> lend(Backend& device, char* first, std::size_t bytes) {
        const std::scoped_lock lock(mutex_);
        for (const Ours& each : ours_) {
            if (each.device == &device && first >= each.first && first + bytes <= each.first + each.bytes)
                return {each.host + (first - each.first), nullptr};
        }
        const std::shared_ptr<Foreign> place = place_for(device, first, bytes);
        place->use(first, bytes);
        return {place->host_of(first), place};
    }
    void take_back(const std::shared_ptr<Foreign>& place, const char* first, std::size_t bytes) {
        const std::scoped_lock lock(mutex_);
        if (!place->let_go(first, bytes)) return;
        std::erase(theirs_, place);
        remove_place(place->host());
        detail::shared_count.fetch_sub(1, std::memory_order_release);
    }

private:
    static constexpr std::uintptr_t first_page = 4096;
    static constexpr std::uintptr_t run_bytes = std::uintptr_t{1} << 40;  // far more than a device has, and little of the addresses that there are

    // The one that holds it, and all that share elements with it.
    std::shared_ptr<Foreign> place_for(Backend& device, char* first, std::size_t bytes) {
        std::shared_ptr<Foreign> used, holding;
        for (const std::shared_ptr<Foreign>& each : theirs_) {
            if (!each->is_on(device)) continue;
            if (each->holds(first, bytes) && !used) holding = each;
            if (!each->uses(first, bytes)) continue;
            if (used || !each->holds(first, bytes)) {
                throw BufferError("an array on device '" + device.name() + "' shares elements with others there that lie across the end of a terabyte");
            }
            used = holding = each;
        }
        if (holding) return holding;
        // No run begins at 0, which says that there is no memory: drivers hand out addresses of the first terabyte, too.
        const std::uintptr_t begin = std::max(reinterpret_cast<std::uintptr_t>(first) / run_bytes * run_bytes, first_page);
        const std::uintptr_t end = (reinterpret_cast<std::uintptr_t>(first) + bytes + run_bytes - 1) / run_bytes * run_bytes;
        theirs_.push_back(std::make_shared<Foreign>(device, std::span<char>(reinterpret_cast<char*>(begin), end - begin)));
        add_place(theirs_.back());
        detail::shared_count.fetch_add(1, std::memory_order_release);
        return theirs_.back();
    }

    struct Ours {
        const Backend* device;
        const char* first;
        std::size_t bytes;
        char* host;
    };

    std::mutex mutex_;
    std::vector<Ours> ours_;
    std::vector<std::shared_ptr<Foreign>> theirs_;
};

Shared& shared() {
    return base::made_once([] { return std::make_unique<Shared>(); });  // arrays may outlive every static
}

}  // namespace

void add_shared(const Backend& device, const char* first, std::size_t bytes, char* host) { shared().add(device, first, bytes, host); }
void remove_shared(const char* first) { shared().remove(first); }

BufferPtr borrow_on_device(Backend& device, void* data, std::size_t bytes, std::function<void()> release) {
    auto* first = static_cast<char*>(data);
    const auto [host, place] = shared().lend(device, first, bytes);
    std::function<void()> give_back = [place, first, bytes, release = std::move(release)] {
        if (place) shared().take_back(place, first, bytes);
        release();
    };
    return Buffer::borrow(host, bytes, std::move(give_back), place.get());
}

}  // namespace fastnp::device
