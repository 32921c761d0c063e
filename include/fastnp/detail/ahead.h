// Compilations before there is a call: of shapes and dtypes alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "fastnp/export.h"

namespace fastnp {
struct EntryInfo;
}

namespace fastnp::detail {

/// A function for a library, with its code (api/exported.h).
struct ExportedPart;
struct ToldGraph;

/// While it lives, a call of an engine by this thread runs nothing. The function is recorded without a look at any value: a RecordError where it reads
/// one.
class FASTNP_API Ahead {
public:
    /// How far it goes: the recorded graph; that graph as the passes leave it, in words for others; kernels, without their code; an entry, which the
    /// engine keeps; a part of a library for other processes.
    enum class Until : std::uint8_t { recorded, told, lowered, compiled, exported };
    explicit Ahead(Until until_);
    ~Ahead();
    Ahead(const Ahead&) = delete;
    Ahead& operator=(const Ahead&) = delete;

    /// That of this thread, or null.
    static Ahead* current();

    const Until until;
    std::string graph;                      // as recorded; empty where the recording was found on disk, or the entry was there
    std::shared_ptr<const EntryInfo> info;  // of what was lowered or compiled; null where it was there
    bool is_new = false;                    // an entry was made

    std::shared_ptr<const ToldGraph> told;  // fastnp/detail/told_graph.h

    // Of what is exported or told.
    std::string name;                            // of the function, as the library tells it
    std::vector<std::string> parameters;         // of its arrays, in their order; those without are numbered
    std::size_t given = static_cast<std::size_t>(-1);  // how many arrays of the call are arguments; what comes behind them goes into the library
    std::function<std::string(const void* kept)> describe;  // what the front end keeps, in its own words; it raises for what can't be exported
    std::vector<std::string> isa;                // levels of processors that code is made for (FASTNP_ISA); none: this process's
    std::size_t number = 0;                      // of the part in its library
    std::shared_ptr<const ExportedPart> part;    // what it became

private:
    Ahead* before_;
};

}  // namespace fastnp::detail
