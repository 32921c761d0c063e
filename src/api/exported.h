// Functions as libraries for other processes, without LLVM and without the front end that they were written in (fastnp/exported.h). What such a library
// says of the function, besides its code, is a row of numbers and texts, by a version of the format: later versions read it.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/entry.h"
#include "fastnp/detail/ahead.h"

namespace fastnp::detail {

/// The library of an entry that has a plan, as the bytes of its file. RecordError for what can't be exported.
std::string exported(const Entry& entry, std::span<const Argument> call, const Ahead& ahead);

/// What a library says of its function before the plan.
struct ExportedHeader {
    std::string name, isa;
    std::string structure;                // of what it gives, as its front end told it
    std::vector<std::string> parameters;  // the names of its arrays
};
void pack(const ExportedHeader& header, base::Writer& out);
ExportedHeader unpack_header(base::Reader& in);

void pack(const compiler::Signature& signature, base::Writer& out);
compiler::Signature unpack_signature(base::Reader& in);

/// A C header for the function. `results`: the dtype and shape of each, as texts.
std::string c_header(const std::string& name, const std::vector<std::string>& parameters, const compiler::Signature& signature,
                     const std::vector<std::string>& results);

/// Behind the library in its file: that it is whole.
std::string seal_of(std::string_view library);
/// Why a file is none that was sealed; empty: it is one.
std::string why_not_sealed(std::string_view file);

}  // namespace fastnp::detail
