#include "api/exported.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <set>
#include <utility>

#include "api/guard_text.h"
#include "base/hash.h"
#include "codegen/exported.h"
#include "device/movable.h"
#include "eager/isa_names.h"
#include "fastnp/error.h"
#include "ir/location.h"
#include "ops/collective.h"
#include "ops/names.h"
#include "plan/pack.h"
#include "shape/strides.h"

namespace fastnp::detail {

namespace {

void pack(const compiler::Extent& extent, base::Writer& out) {
    out.integer(extent.symbol);
    out.integer(extent.value);
}

compiler::Extent unpack_extent(base::Reader& in, std::size_t symbols) {
    compiler::Extent extent;
    extent.symbol = static_cast<int>(in.integer());
    extent.value = in.integer();
    if (extent.symbol < -1 || extent.symbol >= static_cast<int>(symbols)) in.fail();
    return extent;
}

void pack(const std::vector<int>& numbers, base::Writer& out) {
    out.number(numbers.size());
    for (const int number : numbers) out.integer(number);
}

// An array that goes into the library: all bytes that it lies in.
struct Packed {
    Dtype dtype;
    Shape shape;
    Strides strides;
    std::int64_t first = 0;  // the byte where its first element lies
    std::string bytes;
};

Packed packed(void* data, Dtype dtype, const Shape& shape, const Strides& strides) {
    device::use_on_host(data, device::Access::read);
    Packed made{dtype, shape, strides, 0, {}};
    if (shape::count(shape) == 0) return made;
    auto last = static_cast<std::int64_t>(itemsize_of(dtype));
    for (std::size_t i = 0; i < shape.size(); ++i) {
        const std::int64_t reach = (shape[i] - 1) * strides[i];
        (reach < 0 ? made.first : last) += reach < 0 ? -reach : reach;
    }
    made.bytes.assign(static_cast<const char*>(data) - made.first, static_cast<std::size_t>(made.first + last));
    return made;
}

std::vector<Packed> weights_of(const Entry& entry, std::span<const Argument> behind) {
    std::vector<Packed> all;
    for (const Argument& each : behind) {
        all.push_back(packed(each.data, each.dtype, Shape(each.shape, each.shape + each.rank), Strides(each.strides, each.strides + each.rank)));
    }
    for (const device::Memory& each : entry.captured) all.push_back(packed(each.data, each.dtype, each.shape, each.strides));
    return all;
}

// The arguments of the function alone.
compiler::Signature signature_of(const Entry& entry, std::size_t given) {
    compiler::Signature signature = entry.signature;
    signature.arguments.erase(signature.arguments.begin() + static_cast<std::ptrdiff_t>(given), signature.arguments.end());
    return signature;
}

std::vector<eager::Isa> levels_of(const std::vector<std::string>& names) {
    std::set<eager::Isa> levels;
    for (const std::string& name : names) {
        const std::optional<eager::Isa> level = eager::isa_named(name);
        if (!level) throw ValueError("isa: '" + name + "' is no level of processors: there are 'scalar', 'base', 'v3' and 'v4'");
        levels.insert(*level);
    }
    if (levels.empty()) levels.insert(eager::host_isa());
    return {levels.begin(), levels.end()};
}

constexpr std::string_view seal_magic = "fastnp exported 1";

std::uint64_t checksum(std::string_view bytes) {
    std::size_t hash = base::mix(bytes.size(), 1);
    for (std::size_t at = 0; at < bytes.size(); at += 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, bytes.data() + at, std::min<std::size_t>(8, bytes.size() - at));
        hash = base::mix(hash, word);
    }
    return hash;
}

}  // namespace

void pack(const ExportedHeader& header, base::Writer& out) {
    out.text(header.name);
    out.text(header.isa);
    out.text(header.structure);
    out.number(header.parameters.size());
    for (const std::string& parameter : header.parameters) out.text(parameter);
}

ExportedHeader unpack_header(base::Reader& in) {
    ExportedHeader header;
    header.name = in.text();
    header.isa = in.text();
    header.structure = in.text();
    for (std::uint64_t left = in.count(); left > 0 && in.ok(); --left) header.parameters.emplace_back(in.text());
    return header;
}

void pack(const compiler::Signature& signature, base::Writer& out) {
    out.number(signature.symbols.size());
    for (const compiler::Symbol& symbol : signature.symbols) {
        out.text(symbol.name);
        for (const std::int64_t number : {symbol.low, symbol.high, symbol.multiple_of}) out.integer(number);
    }
    out.number(signature.arguments.size());
    for (const compiler::ArgumentGuard& guard : signature.arguments) {
        ops::pack(guard.dtype, out);
        out.number(guard.contiguous ? 1 : 0);
        out.number(guard.shape.size());
        for (const compiler::Extent& extent : guard.shape) pack(extent, out);
        out.number(guard.strides.size());
        for (const compiler::Extent& extent : guard.strides) pack(extent, out);
    }
}

compiler::Signature unpack_signature(base::Reader& in) {
    compiler::Signature signature;
    for (std::uint64_t left = in.count(); left > 0 && in.ok(); --left) {
        compiler::Symbol symbol{std::string(in.text()), in.integer(), 0, 1};
        symbol.high = in.integer();
        symbol.multiple_of = in.integer();
        if (symbol.multiple_of < 1) in.fail();
        signature.symbols.push_back(std::move(symbol));
    }
    const std::size_t symbols = signature.symbols.size();
    for (std::uint64_t left = in.count(); left > 0 && in.ok(); --left) {
        compiler::ArgumentGuard guard{ops::unpack_dtype(in), 0, in.below(2) != 0, {}, {}};
        for (std::uint64_t sizes = in.count(); sizes > 0 && in.ok(); --sizes) guard.shape.push_back(unpack_extent(in, symbols));
        for (std::uint64_t steps = in.count(); steps > 0 && in.ok(); --steps) guard.strides.push_back(unpack_extent(in, symbols));
        if (guard.shape.size() > 64 || (!guard.contiguous && guard.strides.size() != guard.shape.size())) in.fail();
        guard.rank = static_cast<std::int8_t>(guard.shape.size());
        signature.arguments.push_back(std::move(guard));
    }
    return signature;
}

std::string seal_of(std::string_view library) {
    const std::uint64_t words[] = {library.size(), checksum(library)};
    return std::string(seal_magic) + std::string(reinterpret_cast<const char*>(words), sizeof words);
}

std::string why_not_sealed(std::string_view file) {
    constexpr std::size_t length = seal_magic.size() + 2 * sizeof(std::uint64_t);
    if (file.size() < length || file.substr(file.size() - length, seal_magic.size()) != seal_magic) return "it is no exported function, or not whole";
    const std::string_view library = file.substr(0, file.size() - length);
    return seal_of(library) == file.substr(library.size()) ? std::string() : "it is damaged";
}

void check_sizes(const shape::Sizes& sizes) {
    using Kind = shape::Sizes::Expression::Kind;
    for (const shape::SizeGuard& guard : sizes.guards()) {
        if (guard.kind != shape::SizeGuard::Kind::zero || guard.expression.is_constant()) continue;
        const shape::Sizes::Expression& tied = sizes.expression(guard.expression);
        const bool is_one = tied.kind == Kind::symbol || (tied.kind == Kind::polynomial && tied.terms.size() == 1 && tied.terms[0].atoms.size() == 1);
        if (!is_one) continue;
        throw RecordError("a size is to vary, and the function is recorded for one value of it alone (" + sizes.text(guard.expression) +
                          " == 0): it loops over it in Python, say, or reads it as a number");
    }
}

namespace {

// The calls of the program that a plan and the bodies of its loops make, each with its line.
void tell_calls(const plan::Plan& plan, std::vector<std::string>& reasons) {
    for (const plan::Step& step : plan.steps) {
        if (step.is_loop()) tell_calls(*step.loop.body, reasons);
        if (step.is_kernel) continue;
        const std::string line = step.lines.empty() ? std::string() : " (" + ir::text_of(step.lines.front()) + ")";
        if (!step.is_loop() && ops::is_collective(step.eager.op)) {
            reasons.push_back("it needs other ranks for " + std::string(ops::info(step.eager.op).name) + line);
        }
        if (step.read.call >= 0) reasons.push_back("it calls " + plan.calls[static_cast<std::size_t>(step.read.call)].name + " of the program" + line);
    }
}

// All that keeps an entry from being exported; else the structure of what it gives is told.
std::vector<std::string> hindrances(const Entry& entry, const Ahead& ahead, std::size_t given, std::string& structure) {
    std::vector<std::string> reasons;
    const auto check = [&](const auto& look) {
        try {
            look();
        } catch (const RecordError& error) {
            reasons.emplace_back(error.what());
        }
    };
    if (entry.device != nullptr) reasons.push_back("it runs on device '" + entry.device->name() + "', which can't be exported yet");
    if (entry.users_code) reasons.push_back("it is compiled by a back end of users");
    else tell_calls(entry.plan, reasons);
    if (entry.plan.kernels_by == plan::KernelsBy::interpreter) reasons.push_back("it is interpreted, and has no code");
    check([&] {
        if (ahead.describe) structure = ahead.describe(entry.kept.get());
    });
    check([&] { check_sizes(entry.plan.sizes); });
    if (std::ranges::any_of(entry.written, [&](int number) { return static_cast<std::size_t>(number) >= given; })) {
        reasons.emplace_back("it writes to an array from outside of it: hand it in as an argument");
    }
    return reasons;
}

}  // namespace

ExportedPart exported(const Entry& entry, std::span<const Argument> call, const Ahead& ahead) {
    const std::size_t given = std::min(ahead.given, call.size());
    std::string structure;
    if (const std::vector<std::string> reasons = hindrances(entry, ahead, given, structure); !reasons.empty()) {
        std::string text = ahead.name + "() can't be exported: ";
        for (const std::string& reason : reasons) text += (&reason == reasons.data() ? "" : "; ") + reason;
        throw RecordError(text);
    }
    const std::vector<eager::Isa> levels = levels_of(ahead.isa);
    ExportedPart part{{ahead.name, {}, structure, ahead.parameters}, given, entry.plan.outputs.size(), entry.written, {}, {}, {}};
    for (const shape::SizeGuard& guard : entry.plan.sizes.guards()) part.guards.push_back(guard_text(guard, entry.plan.sizes));
    base::Writer out;
    pack(signature_of(entry, given), out);
    plan::pack(entry.plan, out);
    std::vector<Packed> weights = weights_of(entry, call.subspan(given));
    out.number(weights.size());
    for (Packed& each : weights) {
        ops::pack(each.dtype, out);
        out.number(each.shape.size());
        for (std::size_t axis = 0; axis < each.shape.size(); ++axis) {
            out.integer(each.shape[axis]);
            out.integer(each.strides[axis]);
        }
        out.integer(each.first);
        out.number(each.bytes.size());
        part.weights.push_back(std::move(each.bytes));
    }
    pack(entry.written, out);
    std::vector<int> parts;
    for (const Part& each : entry.parts) parts.push_back(2 * each.output + (each.imaginary ? 1 : 0));
    pack(parts, out);
    pack(entry.read_only, out);
    pack(entry.used, out);
    out.number(entry.has_floats ? 1 : 0);
    const plan::Needs needs = plan::needs_of(entry.plan);
    for (const eager::Isa level : levels) {
        base::Writer payload;
        part.header.isa = name_of(level);
        pack(part.header, payload);
        part.levels.push_back({codegen::exported_code(needs.kernels, needs.programs, ahead.number, level), payload.bytes() + out.bytes()});
    }
    return part;
}

namespace {

// Callers know the arrays of a function, whichever of its specialisations serves them.
void check_like(const ExportedPart& first, const ExportedPart& other) {
    const auto refuse = [&](const std::string& what) {
        throw ValueError(first.header.name + "() is exported for several kinds of calls, which have to " + what + " alike");
    };
    if (first.parameter_count != other.parameter_count || first.header.parameters != other.header.parameters) refuse("take arrays of the same names");
    if (first.result_count != other.result_count || first.header.structure != other.header.structure) refuse("give results that are put together");
    if (first.written != other.written) refuse("write to their arguments");
}

eager::Isa level_of(const ExportedPart::Level& level) { return level.code.level; }

}  // namespace

std::string library_of(std::span<const std::shared_ptr<const ExportedPart>> parts) {
    if (parts.empty()) throw ValueError("there is no function to write");
    std::vector<std::pair<const ExportedPart*, const ExportedPart::Level*>> all;
    for (const auto& part : parts) {
        const auto first = std::ranges::find_if(parts, [&](const auto& each) { return each->header.name == part->header.name; });
        check_like(**first, *part);
        if (!std::ranges::equal(part->levels, parts.front()->levels, {}, level_of, level_of)) {
            throw ValueError("functions of one library are exported for the same levels of processors");
        }
        for (const ExportedPart::Level& level : part->levels) all.emplace_back(part.get(), &level);
    }
    std::ranges::stable_sort(all, {}, [](const auto& each) { return each.second->code.level; });
    std::vector<codegen::ExportedTableSource> tables;
    for (const auto& [part, level] : all) tables.push_back({level->code, part->weights, level->payload});
    if (tables.front().code.level > eager::host_isa()) {
        throw ValueError("this machine can run none of the levels that the library is for: add a lower one to isa");
    }
    std::string library = codegen::exported_library(tables);
    return library + seal_of(library);
}

}  // namespace fastnp::detail
