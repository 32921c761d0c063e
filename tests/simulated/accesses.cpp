#include "simulated/accesses.h"

#include <algorithm>
#include <cstring>

namespace fastnp::simulated {

void Accesses::begin_grid() {
    constexpr std::size_t most_pages = std::size_t{16} << 10;  // a gigabyte, if all their bytes are apart
    if (pages_.size() > most_pages || time_ > std::numeric_limits<std::uint32_t>::max() / 2) {
        known_ = {};
        pages_.clear();
        time_ = 0;
    }
    problem_.clear();
    advance();
    grid_began_ = time_;
}

void Accesses::begin_block() {
    advance();
    block_began_ = time_;
}

void Accesses::block_met() { advance(); }

void Accesses::advance() {
    ++time_;
    meetings_.fill(0);
}

Accesses::Page& Accesses::page_of(std::uintptr_t at) {
    const std::uintptr_t number = at / page_bytes;
    Known& known = known_[number % known_.size()];
    if (known.number != number || known.page == nullptr) {
        std::unique_ptr<Page>& page = pages_[number];
        if (page == nullptr) page = std::make_unique<Page>();
        known = {number, page.get()};
    }
    return *known.page;
}

// The cells of a word's bytes, each of which was touched as the word was.
Accesses::Bytes& Accesses::bytes_of(Page& page, std::uint32_t number) {
    if (page.apart == nullptr) page.apart = std::make_unique<std::array<Bytes, page_bytes / word>>();
    Bytes& bytes = (*page.apart)[number];
    Cell& whole = page.words[number];
    if (whole.write.time != set_apart) bytes.fill(whole);
    whole.write.time = set_apart;
    return bytes;
}

// Whether neither the block nor, if both are of one, the warp has met since.
inline bool Accesses::is_since_meeting(const Touch& before, const Now& now) const {
    return before.time == time_ && (is_by_other_warp(before, now) || ((before.bits ^ now.touch.bits) & who & ~all_threads) == 0);
}

// Whether a thread did not wait for what another one did before.
inline bool Accesses::is_unordered(const Touch& before, const Now& now) const {
    if (before.time < now.began || (before.bits & now.touch.bits & is_atomic) != 0) return false;
    return !is_of_block(before) || (is_by_other_thread(before, now) && is_since_meeting(before, now));
}

void Accesses::say(const char* what, const Touch& before, const Now& now) {
    if (!problem_.empty()) return;
    problem_ = std::string("thread ") + std::to_string(now.touch.thread()) + what + (now.access.is_on_chip ? " of the block's memory" : " of a buffer") +
               (is_of_block(before) ? " by thread " + std::to_string(before.thread()) : " in another block") + " without a barrier between them";
}

inline void Accesses::read(Cell& cell, const Now& now) {
    if (now.access.is_on_chip && !is_of_block(cell.write) && problem_.empty()) {
        problem_ = "thread " + std::to_string(now.touch.thread()) + " reads of the block's memory what nothing wrote";
    }
    if (is_unordered(cell.write, now)) say(" reads a write", cell.write, now);
    Touch made = now.touch;
    const Touch last = cell.read;
    if (last.time >= now.began) {
        const auto mark = [&made](bool is_so, std::uint32_t bit) { made.bits |= is_so ? bit : 0; };
        // Whoever writes there has not waited for all that read: nothing more has to be known.
        if (last.has(has_other_blocks) && !last.has(is_atomic)) return;
        mark(last.has(has_other_blocks) || !is_of_block(last), has_other_blocks);
        if (last.time == time_) mark(last.has(has_other_warps) || is_by_other_warp(last, now), has_other_warps);
        const bool is_here = is_of_block(last) && is_since_meeting(last, now);
        if (is_here) mark(last.has(has_others) || is_by_other_thread(last, now), has_others);
        if ((is_here || made.has(has_other_blocks | has_other_warps)) && !last.has(is_atomic)) made.bits &= ~is_atomic;
    }
    cell.read = made;
}

inline void Accesses::write(Cell& cell, const Now& now, bool is_change) {
    if (is_change && is_unordered(cell.write, now)) say(" writes over a write", cell.write, now);
    const Touch last = cell.read;
    if (is_change && last.time >= now.began && (now.touch.bits & last.bits & is_atomic) == 0) {
        const bool by_others =
            last.has(has_other_blocks) || (last.time == time_ && last.has(has_other_warps)) || (last.has(has_others) && is_since_meeting(last, now));
        if (by_others || is_unordered(last, now)) say(" writes over a read", last, now);
    }
    cell.write = now.touch;
}

template <std::uint32_t bytes>
inline void Accesses::touch(Cell& cell, const Now& now, std::uint32_t from) {
    const Access& access = now.access;
    if (access.reads) read(cell, now);
    if (!access.writes) return;
    write(cell, now, access.stored == nullptr || std::memcmp(access.at + from, access.stored + from, bytes) != 0);
}

void Accesses::note(const Access& access, unsigned thread) {
    const std::uint32_t by = thread | (meetings_[thread / warp] * meeting & who) | (access.is_atomic ? is_atomic : 0);
    const Now now{access, {time_, by}, access.is_on_chip ? block_began_ : grid_began_};
    const auto begin = reinterpret_cast<std::uintptr_t>(access.at);
    Page* page = nullptr;
    for (std::uint32_t done = 0; done < access.bytes;) {
        const auto at = static_cast<std::uint32_t>((begin + done) % page_bytes);
        if (page == nullptr || at == 0) page = &page_of(begin + done);
        const std::uint32_t number = at / word;
        Cell& whole = page->words[number];
        if (at % word == 0 && access.bytes - done >= word && whole.write.time != set_apart) {
            touch<word>(whole, now, done);
            done += word;
        } else {
            touch<1>(bytes_of(*page, number)[at % word], now, done);
            ++done;
        }
    }
}

}  // namespace fastnp::simulated
