#include "simulated/foreign.h"

#include <cstdio>

#include "simulated/backend.h"

namespace fastnp::simulated {

namespace {

Backend& backend(int device) { return dynamic_cast<Backend&>(device::cuda(device)); }

}  // namespace

void* foreign_allocate(int device, std::size_t bytes) {
    void* const memory = backend(device).allocate(bytes);
    backend(device).synchronize();  // it is filled
    return memory;
}
void foreign_free(int device, std::uintptr_t stream, void* memory, std::size_t bytes) { backend(device).foreign_free(stream, memory, bytes); }
void foreign_write(int device, std::uintptr_t stream, void* to, const void* from, std::size_t bytes) {
    backend(device).foreign_write(stream, to, from, bytes);
}
void foreign_read(int device, std::uintptr_t stream, void* to, const void* from, std::size_t bytes) {
    backend(device).foreign_read(stream, to, from, bytes);
}
void foreign_fences(int device, char* text, std::size_t room) { std::snprintf(text, room, "%s", backend(device).fences().c_str()); }
void foreign_ranges(int device, char* text, std::size_t room) { std::snprintf(text, room, "%s", backend(device).ranges().c_str()); }

}  // namespace fastnp::simulated
