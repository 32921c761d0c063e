// Exported functions: a library of the system's that has the code of a plan, and what its run needs besides, as one table. Whoever opens it gives the code
// the addresses of what it calls.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "codegen/external.h"
#include "codegen/jit.h"
#include "eager/isa.h"

namespace fastnp::codegen {

/// The table of a function (of one kind of its calls) in the library, under the name `exported_symbol`, of further ones with "_1", "_2" and so on behind
/// it. It stays as it is: later versions read it. The first one of a level has the addresses of what code of that level calls.
struct ExportedTable {
    char magic[16];  // exported_magic
    std::uint64_t format;  // exported_format
    std::uint64_t kernel_count, program_count;
    const KernelFunction* functions;  // the kernels', then the programs'
    std::uint64_t external_count;
    void** externals;  // the addresses of what the code calls: to be put in
    std::uint64_t external_bytes;
    const char* external_names;  // as pack(externals) wrote them
    std::uint64_t weight_count;
    void* const* weights;  // arrays, at multiples of 64 bytes
    std::uint64_t payload_bytes;
    const char* payload;  // of whoever exported it
};
inline constexpr char exported_magic[16] = "fastnp exported";
inline constexpr std::uint64_t exported_format = 1;
inline constexpr const char* exported_symbol = "fastnp_exported_table";

/// The code of one function for one kind of calls, until it is linked.
struct ExportedCode {
    std::vector<std::string> objects;
    std::vector<std::string> functions;  // symbols: of the kernels, then of the programs
    std::uint64_t kernel_count = 0;
    std::vector<External> externals;
    eager::Isa level = eager::Isa::scalar;
};

/// It, for processors of a level, and better ones. `number`: of the function among those that are linked.
ExportedCode exported_code(std::span<const Job> kernels, std::span<const ir::Program* const> programs, std::size_t number, eager::Isa level);

/// What a table is made of.
struct ExportedTableSource {
    const ExportedCode& code;
    std::span<const std::string> weights;  // bytes of arrays, which are not written to
    std::string_view payload;
};

/// A library of such tables, as bytes. What the code generator brings in comes of the first one, whose level is the lowest.
std::string exported_library(std::span<const ExportedTableSource> tables);

/// The C library's functions that the code generator itself brings in. Their names, and addresses, come behind those of the externals.
std::span<const std::string_view> builtin_names();
/// One function that code calls, by names that other versions and processes know.
void pack(const External& external, base::Writer& out);
/// Nothing: it is none that hosts have, or of a later version.
std::optional<External> unpack_external(base::Reader& in);
/// What is called, with the builtins.
std::string pack_externals(std::span<const External> externals);
/// All their addresses here, for code of a level, null where this machine or version has none; empty for what are no names.
std::vector<void*> exported_addresses(std::string_view packed, eager::Isa level);

}  // namespace fastnp::codegen
