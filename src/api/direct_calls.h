// A thread's last calls that kernels alone served, by function: a call like the last one is made without a look at anything else (detail/direct.h).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "api/entry.h"

namespace fastnp::detail {

/// Whether this thread knows a call of the function that can be made again.
bool is_known(std::uint64_t function);

/// What serves a call, and its results; null where the call is not like the last one of its function. `function`: its number in this process.
EntryPtr serve_directly(std::uint64_t function, std::span<const Argument> call, std::string_view key, std::vector<array>& results);

/// A call was served by an entry: calls like it may be served directly from now on, if they are likely to come.
void note_served(std::uint64_t function, std::span<const Argument> call, std::string_view key, const EntryPtr& entry);

/// A number that no function of this process has.
std::uint64_t next_function();

}  // namespace fastnp::detail
