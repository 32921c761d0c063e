// Memory of other libraries on a device. All arrays over one allocation of theirs have addresses of the host's in one run of them, so that arrays which
// share elements there share addresses here, too.
#include <algorithm>
#include <iterator>
#include <map>
#include <mutex>
#include <vector>

#include "device/pages.h"
#include "device/place.h"

namespace fastnp::device {

namespace {

class Foreign final : public Place {
public:
    Foreign(Backend& device, std::span<char> there) : device_(device), there_(there), pages_(there.size()) {}

    char* host() const override { return pages_.begin(); }
    std::size_t bytes() const override { return there_.size(); }
    Backend* home() override { return &device_; }
    Backend* shared_on() override { return &device_; }

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

    bool holds(const Backend& device, const char* first, std::size_t bytes) const {
        return &device == &device_ && first >= there_.data() && first + bytes <= there_.data() + there_.size();
    }
    char* host_of(const char* there) const { return pages_.begin() + (there - there_.data()); }
    void lend(const char* first, std::size_t bytes) {
        const std::scoped_lock lock(mutex_);
        const auto offset = static_cast<std::size_t>(first - there_.data());
        lent_.emplace(offset, offset + bytes);
    }
    /// Whether that was the last.
    bool take_back(const char* first, std::size_t bytes) {
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
        auto found = std::ranges::find_if(theirs_, [&](const auto& each) { return each->holds(device, first, bytes); });
        if (found == theirs_.end()) {
            std::span<char> all = device.allocation_of(first);
            if (first < all.data() || first + bytes > all.data() + all.size()) all = {first, bytes};
            theirs_.push_back(std::make_shared<Foreign>(device, all));
            found = std::prev(theirs_.end());
            add_place(*found);
            detail::shared_count.fetch_add(1, std::memory_order_release);
        }
        (*found)->lend(first, bytes);
        return {(*found)->host_of(first), *found};
    }
    void take_back(const std::shared_ptr<Foreign>& place, const char* first, std::size_t bytes) {
        const std::scoped_lock lock(mutex_);
        if (!place->take_back(first, bytes)) return;
        std::erase(theirs_, place);
        remove_place(place->host());
        detail::shared_count.fetch_sub(1, std::memory_order_release);
    }

private:
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
    static Shared* made = new Shared;  // never destroyed: arrays may outlive every static
    return *made;
}

}  // namespace

void add_shared(const Backend& device, const char* first, std::size_t bytes, char* host) { shared().add(device, first, bytes, host); }
void remove_shared(const char* first) { shared().remove(first); }

BufferPtr borrow_on_device(Backend& device, void* data, std::size_t bytes, std::function<void()> release) {
    auto* first = static_cast<char*>(data);
    const auto [host, place] = shared().lend(device, first, bytes);
    return Buffer::borrow(host, bytes, [place, first, bytes, release = std::move(release)] {
        if (place) shared().take_back(place, first, bytes);
        release();
    });
}

}  // namespace fastnp::device
