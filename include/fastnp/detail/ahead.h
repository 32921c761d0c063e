// Compilations before there is a call: of shapes and dtypes alone.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "fastnp/export.h"

namespace fastnp {
struct EntryInfo;
}

namespace fastnp::detail {

/// While it lives, a call of an engine by this thread runs nothing. The function is recorded without a look at any value: a RecordError where it reads
/// one.
class FASTNP_API Ahead {
public:
    /// How far it goes: the recorded graph; kernels, without their code; an entry, which the engine keeps.
    enum class Until : std::uint8_t { recorded, lowered, compiled };
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

private:
    Ahead* before_;
};

}  // namespace fastnp::detail
