#include "codegen/stored_code.h"

#include "base/bytes.h"
#include "codegen/store.h"
#include "ops/catalogue.h"

namespace fastnp::codegen {

namespace {

std::string pack(const StoredCode& code) {
    base::Writer out;
    out.number(code.symbols.size());
    for (const std::string& symbol : code.symbols) out.text(symbol);
    out.number(code.externals.size());
    for (const External& external : code.externals) {
        out.number(static_cast<std::uint64_t>(external.kind));
        out.text(ops::info(external.op).name);
        out.text(name_of(external.dtype));
        out.text(name_of(external.to));
    }
    out.number(code.objects.size());
    for (const std::string& object : code.objects) out.text(object);
    return out.bytes();
}

std::optional<Dtype> dtype_named(std::string_view name) {
    for (int i = 0; i < dtype_count; ++i) {
        if (name_of(static_cast<Dtype>(i)) == name) return static_cast<Dtype>(i);
    }
    return std::nullopt;
}

std::optional<StoredCode> unpack(std::string_view bytes) {
    base::Reader in(bytes);
    StoredCode code;
    for (std::uint64_t left = in.count(); left > 0; --left) code.symbols.emplace_back(in.text());
    for (std::uint64_t left = in.count(); left > 0; --left) {
        const std::uint64_t kind = in.number();
        const auto op = ops::find(in.text());
        const auto dtype = dtype_named(in.text()), to = dtype_named(in.text());
        const bool is_device = kind == static_cast<std::uint64_t>(External::Kind::usual);
        if (kind > static_cast<std::uint64_t>(External::Kind::ask) || is_device || !op || !dtype || !to) return std::nullopt;
        code.externals.push_back({static_cast<External::Kind>(kind), *op, *dtype, *to});
    }
    for (std::uint64_t left = in.count(); left > 0; --left) code.objects.emplace_back(in.text());
    if (!in.at_end()) return std::nullopt;
    return code;
}

std::string named(std::string_view fingerprint) { return "code " + std::string(fingerprint); }

}  // namespace

std::optional<StoredCode> load_code(std::string_view fingerprint) {
    const std::optional<std::string> bytes = load_bytes(named(fingerprint));
    return bytes ? unpack(*bytes) : std::nullopt;
}

void store_code(std::string_view fingerprint, const StoredCode& code) { store_bytes(named(fingerprint), pack(code)); }

}  // namespace fastnp::codegen
