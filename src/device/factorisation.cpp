#include "device/factorisation.h"

#include <algorithm>
#include <cstddef>

namespace fastnp::device {

namespace {

std::size_t bytes_of_numbers(const Factorisation& work) {
    using Kind = Factorisation::Kind;
    const auto bytes = [](std::int64_t count, std::size_t size) { return static_cast<std::size_t>(count) * size; };
    switch (work.kind) {
        case Kind::lu:
        case Kind::lu_solve: return bytes(work.rows, work.count == 1 ? sizeof(std::int64_t) : sizeof(std::int32_t));
        case Kind::qr: return bytes(std::min(work.rows, work.columns), itemsize_of(work.dtype));
        case Kind::householder: return bytes(work.sides, itemsize_of(work.dtype));
        case Kind::general: return bytes(work.columns, itemsize_of(complex_of(work.dtype)));
        default: return bytes(work.columns, itemsize_of(real_of(work.dtype)));
    }
}

}  // namespace

Factorisation part_of(const Factorisation& whole, std::int64_t first, std::int64_t count) {
    Factorisation part = whole;
    part.count = count;
    const auto element = static_cast<std::int64_t>(itemsize_of(whole.dtype));
    for (InColumns* matrices : {&part.a, &part.b, &part.v}) {
        if (matrices->data != nullptr) matrices->data = static_cast<char*>(matrices->data) + first * matrices->step * element;
    }
    if (part.numbers != nullptr) part.numbers = static_cast<char*>(part.numbers) + static_cast<std::size_t>(first) * bytes_of_numbers(part);
    if (part.failures != nullptr) part.failures = static_cast<std::int32_t*>(part.failures) + first;
    return part;
}

}  // namespace fastnp::device
