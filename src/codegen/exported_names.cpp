// What exported code calls, by name: of the C library, or of this one.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "base/bytes.h"
#include "codegen/exported.h"
#include "codegen/half_calls.h"
#include "eager/vector_math.h"
#include "ops/names.h"

namespace fastnp::codegen {

namespace {

// What the code generator itself brings in.
struct Builtin {
    std::string_view name;
    void* address;
};
template <class T>
void* address_of_function(T (*function)(T)) {
    return reinterpret_cast<void*>(function);
}
const Builtin builtins[] = {{"memset", reinterpret_cast<void*>(&::memset)},
                            {"memcpy", reinterpret_cast<void*>(&::memcpy)},
                            {"memmove", reinterpret_cast<void*>(&::memmove)},
                            {"fmod", reinterpret_cast<void*>(static_cast<double (*)(double, double)>(&::fmod))},
                            {"fmodf", reinterpret_cast<void*>(static_cast<float (*)(float, float)>(&::fmodf))},
                            {"floor", address_of_function<double>(&::floor)},
                            {"floorf", address_of_function<float>(&::floorf)},
                            {"ceil", address_of_function<double>(&::ceil)},
                            {"ceilf", address_of_function<float>(&::ceilf)},
                            {"trunc", address_of_function<double>(&::trunc)},
                            {"truncf", address_of_function<float>(&::truncf)},
                            {"rint", address_of_function<double>(&::rint)},
                            {"rintf", address_of_function<float>(&::rintf)},
                            {"nearbyint", address_of_function<double>(&::nearbyint)},
                            {"nearbyintf", address_of_function<float>(&::nearbyintf)},
                            {"__extendhfsf2", reinterpret_cast<void*>(&float_from_half)},
                            {"__truncsfhf2", reinterpret_cast<void*>(&half_from_float)}};

}  // namespace

std::span<const std::string_view> builtin_names() {
    static const auto names = [] {
        std::array<std::string_view, std::size(builtins)> all;
        for (std::size_t i = 0; i < all.size(); ++i) all[i] = builtins[i].name;
        return all;
    }();
    return names;
}

void pack(const External& external, base::Writer& out) {
    out.number(static_cast<std::uint64_t>(external.kind));
    ops::pack(external.op, out);
    ops::pack(external.dtype, out);
    ops::pack(external.to, out);
}

std::optional<External> unpack_external(base::Reader& in) {
    External external;
    const std::uint64_t kind = in.number();
    external.op = ops::unpack_op(in);
    external.dtype = ops::unpack_dtype(in);
    external.to = ops::unpack_dtype(in);
    const bool is_known =
        in.ok() && kind <= static_cast<std::uint64_t>(External::Kind::quiet) && kind != static_cast<std::uint64_t>(External::Kind::usual);
    external.kind = static_cast<External::Kind>(kind);
    return is_known ? std::optional(external) : std::nullopt;
}

std::string pack_externals(std::span<const External> externals) {
    base::Writer out;
    out.number(externals.size());
    for (const External& external : externals) pack(external, out);
    out.number(std::size(builtins));
    for (const Builtin& each : builtins) out.text(each.name);
    return out.bytes();
}

namespace {

void* address_of(const External& external, eager::Isa level) {
    if (external.kind != External::Kind::vector) return address_of(external);
    const eager::VectorFunction* const function = eager::vector_function(external.op, external.dtype, level);
    return function == nullptr ? nullptr : function->address;
}

}  // namespace

std::vector<void*> exported_addresses(std::string_view packed, eager::Isa level) {
    base::Reader in(packed);
    std::vector<void*> addresses;
    for (std::uint64_t left = in.count(); left > 0 && in.ok(); --left) {
        const std::optional<External> external = unpack_external(in);
        addresses.push_back(external ? address_of(*external, level) : nullptr);
    }
    for (std::uint64_t left = in.count(); left > 0 && in.ok(); --left) {
        const std::string_view name = in.text();
        const auto* const found = std::ranges::find(builtins, name, &Builtin::name);
        addresses.push_back(found == std::end(builtins) ? nullptr : found->address);
    }
    return in.at_end() ? addresses : std::vector<void*>();
}

}  // namespace fastnp::codegen
