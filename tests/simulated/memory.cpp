#include "simulated/memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstring>
#include <mutex>
#include <new>

namespace fastnp::simulated {

namespace {

constexpr std::size_t page = 4096;
constexpr std::size_t alignment = 256;
constexpr std::size_t all_bytes = std::size_t{64} << 30;  // addresses, not memory

// All devices' memory, for the handler of signals.
struct Range {
    std::atomic<char*> begin = nullptr, end = nullptr;
};
std::array<Range, 64> ranges;
struct sigaction before;

void say(const char* text) { (void)!write(STDERR_FILENO, text, std::strlen(text)); }

// Says what happened, and has the access happen again under the handler that was there before.
void on_fault(int /*signal*/, siginfo_t* info, void* /*context*/) {
    auto* const at = static_cast<char*>(info->si_addr);
    if (is_of_a_device(at)) {
        std::array<char, 20> digits{};
        std::size_t first = digits.size() - 1;
        for (auto rest = reinterpret_cast<std::uintptr_t>(at); rest != 0; rest >>= 4) digits[--first] = "0123456789abcdef"[rest & 15];
        say("fastnp: memory of a simulated device was touched at 0x");
        say(&digits[first]);
        say(" by the host, or by a kernel that was not given it\n");
    }
    sigaction(SIGSEGV, &before, nullptr);
}

void watch_faults() {
    static std::once_flag once;
    std::call_once(once, [] {
        struct sigaction action{};
        action.sa_sigaction = &on_fault;
        action.sa_flags = SA_SIGINFO | SA_ONSTACK;
        sigaction(SIGSEGV, &action, &before);
    });
}

}  // namespace

bool is_of_a_device(const void* address) {
    return std::any_of(ranges.begin(), ranges.end(), [address](const Range& range) { return address >= range.begin && address < range.end; });
}

Memory::Memory() {
    void* made = mmap(nullptr, all_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (made == MAP_FAILED) throw std::bad_alloc();
    begin_ = static_cast<char*>(made);
    end_ = begin_ + all_bytes;
    unused_ = begin_ + page;
    watch_faults();
    for (Range& range : ranges) {
        char* none = nullptr;
        if (!range.begin.compare_exchange_strong(none, begin_)) continue;
        range.end = end_;
        break;
    }
}

Memory::~Memory() {
    for (Range& range : ranges) {
        if (range.begin != begin_) continue;
        range.end = nullptr;
        range.begin = nullptr;
    }
    munmap(begin_, all_bytes);
}

std::size_t Memory::page_bytes_for(std::size_t bytes) { return bytes == 0 ? page : (bytes + page - 1) / page * page; }

Block* Memory::take(FreeBlocks& from, std::size_t page_bytes) {
    const auto found = from.find(page_bytes);
    if (found == from.end() || found->second.empty()) return nullptr;
    Block* block = found->second.back();
    found->second.pop_back();
    return block;
}

Block* Memory::allocate(std::size_t bytes) {
    if (bytes > all_bytes) return nullptr;
    const std::size_t page_bytes = page_bytes_for(bytes);
    Block* block = take(held_, page_bytes);
    if (block != nullptr) held_bytes_ -= page_bytes;
    else block = take(given_back_, page_bytes);
    if (block == nullptr) {
        if (static_cast<std::size_t>(end_ - unused_) < page_bytes + page) return nullptr;
        auto made = std::make_unique<Block>();
        made->pages = unused_;
        made->page_bytes = page_bytes;
        unused_ += page_bytes + page;
        block = made.get();
        blocks_.emplace(block->pages, std::move(made));
    }
    block->begin = block->pages + page_bytes - (bytes + alignment - 1) / alignment * alignment;
    block->bytes = bytes;
    block->is_live = true;
    live_bytes_ += page_bytes;
    return block;
}

void Memory::free(Block& block) {
    block.is_live = false;
    block.is_fresh = false;
    live_bytes_ -= block.page_bytes;
    held_bytes_ += block.page_bytes;
    held_[block.page_bytes].push_back(&block);
}

void Memory::trim() {
    for (auto& [bytes, blocks] : held_) {
        for (Block* block : blocks) {
            madvise(block->pages, block->page_bytes, MADV_DONTNEED);
            block->is_fresh = true;
            given_back_[bytes].push_back(block);
        }
    }
    held_.clear();
    held_bytes_ = 0;
}

// The one that begins last before an address.
Block* Memory::nearest(const void* address) {
    if (!owns(address)) return nullptr;
    const auto found = blocks_.upper_bound(const_cast<char*>(static_cast<const char*>(address)));
    return found == blocks_.begin() ? nullptr : std::prev(found)->second.get();
}

Block* Memory::find(const void* address) {
    Block* block = nearest(address);
    return block != nullptr && block->is_live && address >= block->begin && address <= block->begin + block->bytes ? block : nullptr;
}

bool Memory::is_freed(const void* address) {
    const Block* block = nearest(address);
    return block != nullptr && !block->is_live && address >= block->begin && address < block->begin + block->bytes;
}

bool Memory::owns(const void* address) const { return address >= begin_ && address < end_; }

void Memory::open(Block& block) {
    if (block.is_open) return;
    if (mprotect(block.pages, block.page_bytes, PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc();
    block.is_open = true;
}

void Memory::close(Block& block) {
    if (!block.is_open) return;
    mprotect(block.pages, block.page_bytes, PROT_NONE);
    block.is_open = false;
}

}  // namespace fastnp::simulated
