#include "codegen/stored_code.h"

#include "base/bytes.h"
#include "codegen/exported.h"
#include "codegen/store.h"

namespace fastnp::codegen {

namespace {

std::string pack(const StoredCode& code) {
    base::Writer out;
    out.number(code.symbols.size());
    for (const std::string& symbol : code.symbols) out.text(symbol);
    out.number(code.externals.size());
    for (const External& external : code.externals) pack(external, out);
    out.number(code.objects.size());
    for (const std::string& object : code.objects) out.text(object);
    return out.bytes();
}

std::optional<StoredCode> unpack(std::string_view bytes) {
    base::Reader in(bytes);
    StoredCode code;
    for (std::uint64_t left = in.count(); left > 0; --left) code.symbols.emplace_back(in.text());
    for (std::uint64_t left = in.count(); left > 0; --left) {
        const std::optional<External> external = unpack_external(in);
        if (!external) return std::nullopt;
        code.externals.push_back(*external);
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
