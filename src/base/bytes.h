// Numbers and texts in a row, for what is kept on disk: written by a process of the same build as the one that reads.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace fastnp::base {

class Writer {
public:
    /// Seven bits a byte, the lowest first.
    void number(std::uint64_t value) {
        for (; value >= 128; value >>= 7) bytes_.push_back(static_cast<char>(value | 128));
        bytes_.push_back(static_cast<char>(value));
    }
    /// Small ones of both signs are short.
    void integer(std::int64_t value) { number(static_cast<std::uint64_t>(value) << 1 ^ static_cast<std::uint64_t>(value >> 63)); }
    void text(std::string_view value) {
        number(value.size());
        bytes_ += value;
    }
    const std::string& bytes() const { return bytes_; }

private:
    std::string bytes_;
};

/// Reads what a Writer wrote. What is not there reads as zeros and empty texts, and ok() is false from then on.
class Reader {
public:
    explicit Reader(std::string_view bytes) : bytes_(bytes) {}
    std::uint64_t number() {
        std::uint64_t value = 0;
        for (int shift = 0; shift < 64; shift += 7) {
            const std::string_view raw = take(1);
            if (!ok_) return 0;
            const auto byte = static_cast<std::uint8_t>(raw[0]);
            value |= static_cast<std::uint64_t>(byte & 127) << shift;
            if (byte < 128) return value;
        }
        ok_ = false;
        return 0;
    }
    std::int64_t integer() {
        const std::uint64_t value = number();
        return static_cast<std::int64_t>(value >> 1 ^ (0 - (value & 1)));
    }
    /// A number that is less than `end`.
    std::uint64_t below(std::uint64_t end) {
        const std::uint64_t value = number();
        ok_ = ok_ && value < end;
        return ok_ ? value : 0;
    }
    std::string_view text() { return take(number()); }
    /// A count of things that take at least a byte each.
    std::uint64_t count() {
        const std::uint64_t value = number();
        ok_ = ok_ && value <= bytes_.size();
        return ok_ ? value : 0;
    }
    bool ok() const { return ok_; }
    bool at_end() const { return ok_ && bytes_.empty(); }
    void fail() { ok_ = false; }

private:
    std::string_view take(std::uint64_t size) {
        ok_ = ok_ && size <= bytes_.size();
        if (!ok_) return {};
        const std::string_view taken = bytes_.substr(0, size);
        bytes_.remove_prefix(size);
        return taken;
    }
    std::string_view bytes_;
    bool ok_ = true;
};

}  // namespace fastnp::base
