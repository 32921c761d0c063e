// The level of processors that code is made for (isa.h): this machine's, or another one where code is for others (codegen/exported.h).
#pragma once

#include <optional>

#include "eager/isa.h"

namespace fastnp::eager {

/// While it lives, this thread makes code for any processor of a level, instead of for this very one; of nothing: nothing changes.
class FASTNP_FOR_CODEGEN CodeFor {
public:
    explicit CodeFor(std::optional<Isa> level);
    ~CodeFor();
    CodeFor(const CodeFor&) = delete;
    CodeFor& operator=(const CodeFor&) = delete;

    /// What this thread is within, for other threads that work for it.
    static std::optional<Isa> current();

private:
    std::optional<Isa> before_;
};

/// The level that this thread makes code for.
inline Isa code_level() { return CodeFor::current().value_or(host_isa()); }

}  // namespace fastnp::eager
