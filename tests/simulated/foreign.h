// Other libraries that use simulated devices, as tests play them: from C++, and from Python by way of ctypes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "fastnp/export.h"

namespace fastnp::simulated {

/// Memory that belongs to another library.
FASTNP_API void* foreign_allocate(int device, std::size_t bytes);
/// As Backend says.
FASTNP_API void foreign_free(int device, std::uintptr_t stream, void* memory, std::size_t bytes);
FASTNP_API void foreign_write(int device, std::uintptr_t stream, void* to, const void* from, std::size_t bytes);
FASTNP_API void foreign_read(int device, std::uintptr_t stream, void* to, const void* from, std::size_t bytes);
/// Backend::fences() and ranges(), as much as there is room for.
FASTNP_API void foreign_fences(int device, char* text, std::size_t room);
FASTNP_API void foreign_ranges(int device, char* text, std::size_t room);

}  // namespace fastnp::simulated
