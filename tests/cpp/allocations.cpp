// A file of its own: where the compiler sees both these and what calls them, it takes malloc() and delete for a mismatch.
#include "allocations.h"

#include <cstdlib>
#include <new>

namespace {

thread_local std::int64_t count = 0;

}  // namespace

std::int64_t fastnp::allocations() { return count; }

#ifndef FASTNP_SANITIZED
void* operator new(std::size_t bytes) {
    ++count;
    if (void* made = std::malloc(bytes == 0 ? 1 : bytes)) return made;
    throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t /*bytes*/) noexcept { std::free(memory); }
#endif
