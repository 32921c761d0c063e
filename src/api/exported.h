// Functions as libraries for other processes, without LLVM and without the front end that they were written in (fastnp/exported.h). What such a library
// says of the function, besides its code, is a row of numbers and texts, by a version of the format: later versions read it.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/entry.h"
#include "codegen/exported.h"
#include "fastnp/detail/ahead.h"

namespace fastnp::detail {

/// What a library says of its function before the plan.
struct ExportedHeader {
    std::string name;
    std::string isa;  // the level of processors
    std::string structure;                // of what it gives, as its front end told it
    std::vector<std::string> parameters;  // the names of its arrays
};
void pack(const ExportedHeader& header, base::Writer& out);
ExportedHeader unpack_header(base::Reader& in);

/// One function for one kind of calls, with its code, on its way into a library.
struct ExportedPart {
    ExportedHeader header;
    std::size_t parameter_count = 0, result_count = 0;
    std::vector<int> written;
    std::vector<std::string> weights;
    std::vector<std::string> guards;  // of sizes, as texts
    struct Level {
        codegen::ExportedCode code;
        std::string payload;
    };
    std::vector<Level> levels;  // in ascending order
};

/// That of an entry that has a plan. RecordError for what can't be exported.
ExportedPart exported(const Entry& entry, std::span<const Argument> call, const Ahead& ahead);
/// RecordError for a size that varies by its name, and may have one value alone.
void check_sizes(const shape::Sizes& sizes);
/// The library of several, as the bytes of its file. ValueError where two of a name take or give other arrays.
std::string library_of(std::span<const std::shared_ptr<const ExportedPart>> parts);

void pack(const compiler::Signature& signature, base::Writer& out);
compiler::Signature unpack_signature(base::Reader& in);

/// A function of a header. `results`: the dtype and shape of each, as texts; `written`: the arguments that it writes to.
struct HeaderFunction {
    const ExportedHeader& header;
    const compiler::Signature& signature;
    std::vector<std::string> results;
    std::vector<Dtype> result_dtypes;
    std::vector<int> written;
};
/// The header, for C and, with types, for C++.
std::string c_header(std::span<const HeaderFunction> functions);

/// That of all functions of a file.
std::string header_of_library(const std::filesystem::path& path);

/// Behind the library in its file: that it is whole.
std::string seal_of(std::string_view library);
/// Why a file is none that was sealed; empty: it is one.
std::string why_not_sealed(std::string_view file);

}  // namespace fastnp::detail
