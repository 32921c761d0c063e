#include "plan/device_draws.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>
#include <vector>

#include "base/thread_pool.h"
#include "device/bit_generator.h"
#include "device/block.h"
#include "device/raw_stream.h"
#include "eager/draw.h"
#include "plan/library_launch.h"

namespace fastnp::plan {

using detail::BitGenerator;
using detail::Draw;
namespace draws = device::draws;

namespace {

const char* name_of(BitGenerator::Kind kind) {
    switch (kind) {
        case BitGenerator::Kind::pcg64: return "pcg64";
        case BitGenerator::Kind::pcg64dxsm: return "pcg64dxsm";
        case BitGenerator::Kind::philox: return "philox";
        case BitGenerator::Kind::lent: break;  // the host's
    }
    return "";
}

/// A kernel, and how it takes its generator's stream.
struct Way {
    std::string kernel;
    int bits = 64;             // of a piece
    double part = 1;           // of the pieces, gives a number
    bool is_certain = true;    // each piece does
    bool has_curve = false;    // it is a ziggurat's
    std::uint64_t threshold = 0;
};

// NumPy draws integers of 64 bits from pieces of 32, if these are enough.
Way integers_of(const Draw& draw) {
    const int itembits = 8 * static_cast<int>(itemsize_of(draw.dtype));
    Way way;
    way.bits = draw.dtype == Dtype::bool_ ? 1 : itembits == 64 && draw.range <= 0xffffffff ? 32 : itembits;
    const std::uint64_t span = draw.range + 1;
    way.threshold = device::left_out(way.bits, span);
    way.is_certain = way.threshold == 0;
    way.part = 1 - static_cast<double>(way.threshold) / std::ldexp(1.0, way.bits);
    way.kernel = (way.is_certain ? "draw_integers_" : "draw_bounded_") + std::to_string(way.bits) + "_" + std::to_string(itembits);
    return way;
}

Way way_of(const BitGenerator& generator, const Draw& draw) {
    Way way;
    const bool is_wide = draw.dtype == Dtype::float64;
    if (draw.kind == Draw::Kind::integers) {
        way = integers_of(draw);
    } else {
        const bool is_uniform = draw.kind == Draw::Kind::uniform;
        way.kernel = is_uniform ? "draw_" : draw.kind == Draw::Kind::normal ? "draw_normal_" : "draw_exponential_";
        way.kernel += fastnp::name_of(draw.dtype);
        way.bits = is_wide ? 64 : 32;
        way.is_certain = is_uniform;
        way.has_curve = !is_uniform;
        way.part = is_uniform ? 1 : 0.95;  // somewhat less than it is: 0.98 of normal numbers, 0.97 of exponential ones
    }
    way.kernel += std::string("_") + name_of(generator.kind);
    return way;
}

std::int64_t bits_of(double number) { return std::bit_cast<std::int64_t>(number); }

/// The generator's part of what kernels are given, and the memory of it.
class Stream {
public:
    Stream(device::Backend& backend, const BitGenerator& generator, int bits, std::int64_t before, std::int64_t tiles)
        : begin_(device::begin(generator, bits, before, tiles)), block_(backend, begin_.words.size() * sizeof(std::uint64_t)) {
        backend.upload(block_.get(), begin_.words.data(), begin_.words.size() * sizeof(std::uint64_t));
    }
    void add_to(LibraryArguments& arguments) const {
        for (const std::int64_t each : {address_of(block_.get()), begin_.lead, std::bit_cast<std::int64_t>(begin_.left_over), begin_.left_over_at})
            arguments.push_back(each);
    }

private:
    device::Beginning begin_;
    device::Block block_;
};

// The kinds' own arguments come last.
void add_numbers(LibraryArguments& arguments, const Draw& draw) {
    if (draw.kind == Draw::Kind::integers) {
        arguments.push_back(std::bit_cast<std::int64_t>(draw.low));
        arguments.push_back(std::bit_cast<std::int64_t>(draw.range + 1));
    } else if (draw.kind != Draw::Kind::uniform || draw.dtype == Dtype::float64) {
        arguments.push_back(bits_of(draw.shift));
        arguments.push_back(bits_of(draw.scale));
    }
}

UsedPieces draw_all(device::Backend& backend, const BitGenerator& generator, const Draw& draw, const Way& way, void* out, std::int64_t count) {
    const std::int64_t tile = draws::tile_of(way.bits), tiles = (count + tile - 1) / tile;
    const Stream stream(backend, generator, way.bits, 0, tiles);
    LibraryArguments arguments{address_of(out), count};
    stream.add_to(arguments);
    add_numbers(arguments, draw);
    launch_library(backend, {way.kernel}, tiles, 1, std::move(arguments));
    return {count, way.bits};
}

template <class Real>
bool decides_by(Draw::Kind kind, const draws::LeftDecision& left) {
    const auto a = static_cast<Real>(left.a), b = static_cast<Real>(left.b);
    return (left.key & draws::tail_bit) != 0 ? eager::Curves<Real>::ends_tail(a, b) : eager::Curves<Real>::is_under(kind, a, b);
}
bool decides(const Draw& draw, const draws::LeftDecision& left) {
    return draw.dtype == Dtype::float32 ? decides_by<float>(draw.kind, left) : decides_by<double>(draw.kind, left);
}

double result_of(const Draw& draw, std::uint64_t left) {
    const bool is_negative = (left & draws::left_sign) != 0;
    const auto number = static_cast<double>(left & ~draws::left_sign);  // a whole one, of 24 or 53 bits
    if (draw.dtype == Dtype::float32)
        return static_cast<double>(eager::Curves<float>::in_tail(draw.kind, static_cast<float>(number * 0x1p-24), is_negative));
    return draw.shift + draw.scale * eager::Curves<double>::in_tail(draw.kind, number * 0x1p-53, is_negative);
}

/// Draws whose number of pieces the device finds out.
class Attempts {
public:
    Attempts(device::Backend& backend, const BitGenerator& generator, const Draw& draw, const Way& way, void* out, std::int64_t count)
        : backend_(backend),
          draw_(draw),
          way_(way),
          out_(out),
          count_(count),
          tiles_(tiles_for(way, count)),
          most_results_(way.has_curve ? count / 512 + 256 : 0),
          stream_(backend, generator, way.bits, way.has_curve ? draws::before : 0, tiles_),
          shared_(backend, static_cast<std::size_t>(draws::first_tile + tiles_) * sizeof(std::uint64_t)),
          left_(backend, left_bytes() + draws::most_decisions * (sizeof(draws::LeftDecision) + sizeof(std::int64_t))) {}

    /// As many as that should do, by far; nobody can draw more than these.
    static std::int64_t tiles_for(const Way& way, std::int64_t count) {
        const double wanted = static_cast<double>(count) / way.part;
        return static_cast<std::int64_t>((wanted + 16 * std::sqrt(wanted)) / static_cast<double>(draws::tile_of(way.bits))) + 2;
    }

    std::optional<UsedPieces> run() {
        // Decisions that are left to the host come up once in many draws; with each time fewer are open.
        for (int round = 0; round < most_rounds; ++round) {
            const std::vector<std::uint64_t> found = launch();
            if (found[draws::gives_up] != 0 || found[draws::used_pieces] == 0) return std::nullopt;
            const auto open = static_cast<std::int64_t>(found[draws::left_decisions]);
            if (open == 0) {
                store(static_cast<std::int64_t>(found[draws::left_results]));
                return UsedPieces{static_cast<std::int64_t>(found[draws::used_pieces]), way_.bits};
            }
            if (open + static_cast<std::int64_t>(decided_.size()) > draws::most_decisions) return std::nullopt;
            decide(open);
        }
        return std::nullopt;
    }

private:
    static constexpr int most_rounds = 16;

    std::size_t left_bytes() const { return static_cast<std::size_t>(most_results_) * sizeof(draws::LeftResult); }
    char* decisions() const { return left_.get() + left_bytes(); }
    char* decided() const { return decisions() + draws::most_decisions * sizeof(draws::LeftDecision); }

    // What blocks shared, when they are done.
    std::vector<std::uint64_t> launch() {
        backend_.clear(shared_.get(), static_cast<std::size_t>(draws::first_tile + tiles_) * sizeof(std::uint64_t));
        if (!decided_.empty()) backend_.upload(decided(), decided_.data(), decided_.size() * sizeof(std::int64_t));
        LibraryArguments arguments{address_of(out_), count_, tiles_};
        stream_.add_to(arguments);
        for (const std::int64_t each : {address_of(shared_.get()), address_of(left_.get()), most_results_, address_of(decisions()), address_of(decided()),
                                        static_cast<std::int64_t>(decided_.size())})
            arguments.push_back(each);
        add_numbers(arguments, draw_);
        if (way_.has_curve) {
            // The C library's functions are within a few units in the last place, ours within one of doubles.
            const bool is_wide = draw_.dtype == Dtype::float64, is_narrow_curve = !is_wide && draw_.kind == Draw::Kind::exponential;
            arguments.push_back(bits_of(draw_.close.value_or(is_narrow_curve ? 0x1p-20 : 0x1p-40)));
            arguments.push_back(bits_of(draw_.close.value_or(is_wide ? 0x1p-40 : 0x1p-18)));
        } else {
            arguments.push_back(std::bit_cast<std::int64_t>(way_.threshold));
        }
        const std::int64_t busy = backend_.blocks_at_once(codegen::kernel_threads);
        launch_library(backend_, {way_.kernel}, std::min(tiles_, busy), 1, std::move(arguments));
        std::vector<std::uint64_t> found(draws::first_tile);
        backend_.download(found.data(), shared_.get(), found.size() * sizeof(std::uint64_t));
        return found;
    }

    // By all threads: a large draw leaves 260 of a million numbers.
    void work_out(std::vector<draws::LeftResult>& left) const {
        constexpr std::int64_t at_once = 512;
        struct Work {
            const Draw& draw;
            std::vector<draws::LeftResult>& left;
        } work{draw_, left};
        const auto body = [](void* context, std::int64_t task, int /*worker*/) {
            auto& [draw, results] = *static_cast<Work*>(context);
            const auto end = std::min(static_cast<std::int64_t>(results.size()), (task + 1) * at_once);
            for (std::int64_t i = task * at_once; i < end; ++i) {
                std::uint64_t& number = results[static_cast<std::size_t>(i)].number;
                number = std::bit_cast<std::uint64_t>(result_of(draw, number));
            }
        };
        base::parallel_for((static_cast<std::int64_t>(left.size()) + at_once - 1) / at_once, body, &work);
    }

    void decide(std::int64_t open) {
        std::vector<draws::LeftDecision> left(static_cast<std::size_t>(open));
        backend_.download(left.data(), decisions(), left.size() * sizeof(draws::LeftDecision));
        for (const draws::LeftDecision& each : left) decided_.push_back(each.key << 1 | (decides(draw_, each) ? 1 : 0));
    }

    void store(std::int64_t results) {
        if (results == 0) return;
        std::vector<draws::LeftResult> left(static_cast<std::size_t>(results));
        backend_.download(left.data(), left_.get(), left.size() * sizeof(draws::LeftResult));
        work_out(left);
        backend_.upload(left_.get(), left.data(), left.size() * sizeof(draws::LeftResult));
        launch_library(backend_, {"draw_left_" + std::string(fastnp::name_of(draw_.dtype))}, results, codegen::kernel_threads,
                       {address_of(out_), address_of(left_.get()), results});
    }

    device::Backend& backend_;
    Draw draw_;
    Way way_;
    void* out_;
    std::int64_t count_, tiles_, most_results_;
    Stream stream_;
    device::Block shared_, left_;
    std::vector<std::int64_t> decided_;  // keys, times two, and whether it is so
};

}  // namespace

std::optional<UsedPieces> draw(device::Backend& backend, const BitGenerator& generator, const Draw& draw, void* out, std::int64_t count) {
    const Way way = way_of(generator, draw);
    if (Attempts::tiles_for(way, count) > device::most_tiles) return std::nullopt;
    if (way.is_certain) return draw_all(backend, generator, draw, way, out, count);
    return Attempts(backend, generator, draw, way, out, count).run();
}

}  // namespace fastnp::plan
