// Memory that holds terms: what was written to it, and where it was not, terms for what lay there before.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

#include "codegen/external.h"
#include "codegen/terms.h"

namespace fastnp::codegen {

/// The payload of a call: a function's name, and which part of its result.
std::uint64_t function_payload(ir::Op op, Dtype computed, std::optional<Dtype> cast_to, int part);
std::string function_text(std::uint64_t payload);
/// Or an address.
bool is_function(std::uint64_t payload);

/// Memory that is used before its beginning or past its end, or taken for aligned.
struct OutOfBounds : std::runtime_error {
    using std::runtime_error::runtime_error;
};

class TermMemory {
public:
    enum class Kind : std::uint8_t {
        argument,   // what lies there is unknown, but the same for all
        undefined,  // nothing lies there before it is written
        scratch,    // so, too; lines of 64 bytes may hold elements of different widths
        zeros,
        numbers,    // 64-bit numbers that are known
    };
    struct Span {
        std::int64_t low = INT64_MAX, high = INT64_MIN;  // bytes from the region's beginning
        bool contains(const Span& other) const { return other.low >= other.high || (low <= other.low && other.high <= high); }
    };
    struct Written {
        Term value;
        std::uint32_t number;  // how many came before
    };

    static constexpr std::int64_t unknown_size = -1;

    explicit TermMemory(Terms& terms) : terms_(terms) {}

    /// Regions lie far from each other. Its first address; `size`: its bytes, where these are known; `past`: bytes past a multiple of 64.
    std::uint64_t add(Kind kind, std::int64_t size = unknown_size, std::uint64_t past = 0);
    std::uint64_t add_numbers(std::vector<std::uint64_t> numbers);
    void fill_with_zeros(std::uint64_t address);

    Term load(std::uint64_t address, TermType type);
    void store(std::uint64_t address, Term value);
    /// Elements that a precompiled function writes, `stride` bytes apart: their parts are known when they are read.
    void store_results(std::uint64_t address, std::int64_t stride, std::uint64_t function, std::vector<std::vector<Term>> arguments);
    /// Parts of an element as they were stored, from its first byte on: one, or two of a complex number.
    std::vector<Term> parts(std::uint64_t address, int count) const;

    static std::size_t region_of(std::uint64_t address) { return static_cast<std::size_t>(address >> region_bits) - 1; }
    std::int64_t size_of(std::uint64_t address) const { return region(address).size; }
    std::int64_t offset_of(std::uint64_t address) const;
    const std::unordered_map<std::uint64_t, Written>& written(std::size_t region) const { return regions_[region].written; }
    const Span& loaded(std::size_t region) const { return regions_[region].loaded; }
    std::size_t region_count() const { return regions_.size(); }

private:
    static constexpr unsigned region_bits = 44;
    struct Results {
        std::int64_t stride;
        std::uint64_t function;
        std::vector<std::vector<Term>> arguments;
    };
    struct Region {
        Kind kind;
        std::uint64_t begin;
        std::int64_t size;
        std::vector<std::uint64_t> numbers;
        std::unordered_map<std::uint64_t, Written> written;
        std::optional<Results> results;
        Span loaded;
        unsigned width = 0;  // bytes of its elements, once something was stored
        std::uint64_t phase = 0;
        bool is_odd = false;  // they do not all begin at multiples of it from one place
        std::unordered_map<std::uint64_t, unsigned> widths{};  // of scratch memory, by line
    };
    Region& region(std::uint64_t address);
    const Region& region(std::uint64_t address) const;
    static void check_bounds(const Region& region, std::uint64_t address, unsigned bytes);
    static void check_width(Region& region, std::uint64_t address, unsigned bytes);
    Term result(const Region& region, std::uint64_t address, TermType type);

    Terms& terms_;
    std::vector<Region> regions_;
};

}  // namespace fastnp::codegen
