#include "codegen/term_memory.h"

#include <algorithm>

#include "ops/catalogue.h"

namespace fastnp::codegen {

namespace {

constexpr std::uint64_t function_bit = std::uint64_t{1} << 63;
constexpr std::uint64_t no_dtype = 0xff;

}  // namespace

std::uint64_t function_payload(ir::Op op, Dtype computed, std::optional<Dtype> cast_to, int part) {
    const std::uint64_t to = cast_to ? static_cast<std::uint64_t>(*cast_to) : no_dtype;
    return function_bit | static_cast<std::uint64_t>(op) << 24 | static_cast<std::uint64_t>(computed) << 16 | to << 8 | static_cast<std::uint64_t>(part);
}

bool is_function(std::uint64_t payload) { return (payload & function_bit) != 0; }

std::string function_text(std::uint64_t payload) {
    const auto op = static_cast<ir::Op>(payload >> 24 & 0xffff);
    const std::uint64_t to = payload >> 8 & 0xff;
    const std::string from(name_of(static_cast<Dtype>(payload >> 16 & 0xff)));
    std::string text = std::string(ops::info(op).name) + "_" + from;
    if (to != no_dtype) text += "_" + std::string(name_of(static_cast<Dtype>(to)));
    return (payload & 0xff) != 0 ? text + ".imag" : text;
}

std::uint64_t TermMemory::add(Kind kind, std::int64_t size, std::uint64_t past) {
    const std::uint64_t middle = std::uint64_t{1} << (region_bits - 1);  // negative strides reach before it
    regions_.push_back({kind, ((regions_.size() + 1) << region_bits) + middle + past, size, {}, {}, {}, {}});
    return regions_.back().begin;
}

std::uint64_t TermMemory::add_numbers(std::vector<std::uint64_t> numbers) {
    const std::uint64_t begin = add(Kind::numbers, static_cast<std::int64_t>(numbers.size() * sizeof(std::uint64_t)));
    regions_.back().numbers = std::move(numbers);
    return begin;
}

TermMemory::Region& TermMemory::region(std::uint64_t address) {
    const std::size_t number = region_of(address);
    if (number >= regions_.size()) throw Unproved("it uses an address that is none of its memory's");
    return regions_[number];
}

const TermMemory::Region& TermMemory::region(std::uint64_t address) const {
    return const_cast<TermMemory*>(this)->region(address);  // NOLINT: nothing is changed
}

std::int64_t TermMemory::offset_of(std::uint64_t address) const { return static_cast<std::int64_t>(address - region(address).begin); }

void TermMemory::fill_with_zeros(std::uint64_t address) { region(address).kind = Kind::zeros; }

void TermMemory::check_bounds(const Region& region, std::uint64_t address, unsigned bytes) {
    const auto at = static_cast<std::int64_t>(address - region.begin);
    if (region.size == unknown_size || (at >= 0 && at + bytes <= region.size)) return;
    throw OutOfBounds("it uses bytes " + std::to_string(at) + " to " + std::to_string(at + bytes) + " of its own memory of " +
                      std::to_string(region.size) + " bytes");
}

// Where elements are read that overlap in part, these may as well be any. What is written must not overlap with others.
void TermMemory::check_width(Region& region, std::uint64_t address, unsigned bytes) {
    if (region.kind == Kind::zeros) return;
    if (region.kind == Kind::scratch) {
        if (region.widths.try_emplace(address / 64, bytes).first->second != bytes || address % bytes != 0)
            throw Unproved("rows of scratch memory overlap");
        return;
    }
    if (region.width == 0) {
        region.width = bytes;
        region.phase = address % bytes;
    }
    if (region.width != bytes) throw Unproved("elements of several widths lie in one memory");
    region.is_odd = region.is_odd || address % bytes != region.phase;  // fields of records, say
    for (std::uint64_t at = 1; region.is_odd && at < bytes; ++at) {
        if (region.written.contains(address - at) || region.written.contains(address + at)) throw Overlap("elements overlap in part");
    }
}

Term TermMemory::load(std::uint64_t address, TermType type) {
    Region& here = region(address);
    const unsigned bytes = (bits_of(type) + 7) / 8;
    const auto at = static_cast<std::int64_t>(address - here.begin);
    here.loaded.low = std::min(here.loaded.low, at);
    here.loaded.high = std::max(here.loaded.high, at + bytes);
    if (here.kind == Kind::numbers) {
        const auto number = static_cast<std::size_t>(at / 8);
        if (bytes != 8 || at < 0 || at % 8 != 0 || number >= here.numbers.size()) throw Unproved("it reads a number that there is none of");
        return terms_.constant(TermType::i64, here.numbers[number]);
    }
    check_bounds(here, address, bytes);
    if (here.results) return result(here, address, type);
    check_width(here, address, bytes);
    const auto found = here.written.find(address);
    if (found != here.written.end()) {
        const Term value = found->second.value;
        return terms_.type(value) == type ? value : terms_.make(TermOp::bitcast, type, {value});
    }
    switch (here.kind) {
        case Kind::zeros: return terms_.constant(type, 0);
        case Kind::undefined:
        case Kind::scratch: return terms_.poison(type);
        default: return terms_.memory(type, address);
    }
}

void TermMemory::store(std::uint64_t address, Term value) {
    Region& here = region(address);
    if (here.kind == Kind::numbers) throw Unproved("it writes to its sizes");
    here.results.reset();
    const unsigned bytes = (bits_of(terms_.type(value)) + 7) / 8;
    check_bounds(here, address, bytes);
    check_width(here, address, bytes);
    const auto number = static_cast<std::uint32_t>(here.written.size());
    const auto [at, is_new] = here.written.try_emplace(address, Written{value, number});
    if (!is_new) at->second.value = value;
}

void TermMemory::store_results(std::uint64_t address, std::int64_t stride, std::uint64_t function, std::vector<std::vector<Term>> arguments) {
    region(address).results = Results{stride, function, std::move(arguments)};
}

// Of lanes that there are none of: the first one's, which nothing takes.
Term TermMemory::result(const Region& region, std::uint64_t address, TermType type) {
    const auto at = static_cast<std::int64_t>(address - region.begin);
    const Results& results = *region.results;
    const auto lane = static_cast<std::size_t>(at / results.stride);
    if (at < 0 || lane >= results.arguments.size()) return terms_.poison(type);
    const std::int64_t part = at % results.stride / static_cast<std::int64_t>((bits_of(type) + 7) / 8);
    return terms_.make(TermOp::call, type, results.arguments[lane], results.function | static_cast<std::uint64_t>(part));
}

std::vector<Term> TermMemory::parts(std::uint64_t address, int count) const {
    const Region& here = region(address);
    std::vector<Term> found;
    for (int i = 0; i < count; ++i) {
        const auto part = here.written.find(address);
        if (part == here.written.end()) throw Unproved("a precompiled function takes what was not stored for it");
        found.push_back(part->second.value);
        address += (bits_of(terms_.type(part->second.value)) + 7) / 8;
    }
    return found;
}

}  // namespace fastnp::codegen
