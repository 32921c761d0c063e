// Factors of matrices by the host, for what plays a device or its libraries.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "device/factorisation.h"

namespace fastnp::simulated {

/// The memory that it touches: where each piece begins, and its bytes.
std::vector<std::pair<const void*, std::size_t>> touched_by(const device::Factorisation& work);
/// What a library would not take, in words; else empty.
std::string problem_of(const device::Factorisation& work);
/// Does it, by the host's kernels. What may hold anything afterwards does.
void factorise_on_host(const device::Factorisation& work);

}  // namespace fastnp::simulated
