#include "simulated/accesses.h"

#include <algorithm>
#include <cstring>
#include <limits>

namespace fastnp::simulated {

void Accesses::begin_grid() {
    constexpr std::size_t most_pages = std::size_t{64} << 10;  // a gigabyte
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

Accesses::Touch Accesses::now(const Access& access, unsigned thread) const {
    Touch made;
    made.time = time_;
    made.thread = thread;
    made.meetings = meetings_[thread / warp];
    made.is_atomic = static_cast<std::uint32_t>(access.is_atomic);
    return made;
}

// Whether neither the block nor, if both are of one, the warp has met since.
bool Accesses::is_since_meeting(const Touch& before, unsigned thread) const {
    return before.time == time_ && (before.thread / warp != thread / warp || before.meetings == meetings_[thread / warp]);
}

// Whether a thread did not wait for what another one did before.
bool Accesses::is_unordered(const Touch& before, const Access& access, unsigned thread) const {
    if (!counts(before, access) || (access.is_atomic && before.is_atomic != 0)) return false;
    return !is_of_block(before) || (before.thread != thread && is_since_meeting(before, thread));
}

void Accesses::say(const char* what, const Touch& before, const Access& access, unsigned thread) {
    if (!problem_.empty()) return;
    problem_ = std::string("thread ") + std::to_string(thread) + what + (access.is_on_chip ? " of the block's memory" : " of a buffer") +
               (is_of_block(before) ? " by thread " + std::to_string(before.thread) : " in another block") + " without a barrier between them";
}

void Accesses::read(Cell& cell, const Access& access, unsigned thread) {
    if (access.is_on_chip && !is_of_block(cell.write) && problem_.empty()) {
        problem_ = "thread " + std::to_string(thread) + " reads of the block's memory what nothing wrote";
    }
    if (is_unordered(cell.write, access, thread)) say(" reads a write", cell.write, access, thread);
    Touch made = now(access, thread);
    const Touch& last = cell.read;
    if (counts(last, access)) {
        made.has_other_blocks = last.has_other_blocks | static_cast<std::uint32_t>(!is_of_block(last));
        if (last.time == time_) made.has_other_warps = last.has_other_warps | static_cast<std::uint32_t>(last.thread / warp != thread / warp);
        const bool is_here = is_of_block(last) && is_since_meeting(last, thread);
        if (is_here) made.has_others = last.has_others | static_cast<std::uint32_t>(last.thread != made.thread);
        if (is_here || made.has_other_blocks != 0 || made.has_other_warps != 0) made.is_atomic &= last.is_atomic;
    }
    cell.read = made;
}

void Accesses::write(Cell& cell, const Access& access, unsigned thread, bool is_change) {
    if (is_change && is_unordered(cell.write, access, thread)) say(" writes over a write", cell.write, access, thread);
    const Touch& last = cell.read;
    if (is_change && counts(last, access) && !(access.is_atomic && last.is_atomic != 0)) {
        const bool by_others =
            last.has_other_blocks != 0 || (last.time == time_ && last.has_other_warps != 0) || (is_since_meeting(last, thread) && last.has_others != 0);
        if (by_others || is_unordered(last, access, thread)) say(" writes over a read", last, access, thread);
    }
    cell.write = now(access, thread);
}

void Accesses::touch(Cell& cell, const Access& access, std::uint32_t from, std::uint32_t bytes, unsigned thread) {
    if (access.reads) read(cell, access, thread);
    if (!access.writes) return;
    write(cell, access, thread, access.stored == nullptr || std::memcmp(access.at + from, access.stored + from, bytes) != 0);
}

void Accesses::note(const Access& access, unsigned thread) {
    const auto begin = reinterpret_cast<std::uintptr_t>(access.at);
    for (std::uint32_t done = 0; done < access.bytes;) {
        Page& page = page_of(begin + done);
        const std::uintptr_t at = (begin + done) % page_bytes, first = at / word * word;
        bool& is_apart = page.is_apart[at / word];
        const bool is_whole = at == first && access.bytes - done >= word;
        if (!is_whole && !is_apart) {
            std::fill_n(&page.cells[first] + 1, word - 1, page.cells[first]);
            is_apart = true;
        }
        const std::uint32_t bytes = is_whole && !is_apart ? word : 1;
        touch(page.cells[at], access, done, bytes, thread);
        done += bytes;
    }
}

}  // namespace fastnp::simulated
