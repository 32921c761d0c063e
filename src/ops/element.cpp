#include "ops/element.h"

#include <complex>
#include <cstring>

namespace fastnp::ops {

void store(const Scalar& value, Dtype dtype, void* element) {
    const auto write = [element](auto number) { std::memcpy(element, &number, sizeof number); };
    switch (dtype) {
        case Dtype::bool_: return write(value.bits() != 0);
        case Dtype::int8: return write(static_cast<std::int8_t>(value.bits()));
        case Dtype::uint8: return write(static_cast<std::uint8_t>(value.bits()));
        case Dtype::int16: return write(static_cast<std::int16_t>(value.bits()));
        case Dtype::uint16: return write(static_cast<std::uint16_t>(value.bits()));
        case Dtype::int32: return write(static_cast<std::int32_t>(value.bits()));
        case Dtype::uint32: return write(static_cast<std::uint32_t>(value.bits()));
        case Dtype::int64: return write(value.as_int64());
        case Dtype::uint64: return write(value.bits());
        case Dtype::float16: return write(float16_t(static_cast<float>(value.real())));
        case Dtype::bfloat16: return write(bfloat16_t(static_cast<float>(value.real())));
        case Dtype::float32: return write(static_cast<float>(value.real()));
        case Dtype::float64: return write(value.real());
        case Dtype::complex64: return write(std::complex<float>(static_cast<float>(value.real()), static_cast<float>(value.imag())));
        case Dtype::complex128: return write(std::complex<double>(value.real(), value.imag()));
    }
}

namespace {

template <class T>
T read(const void* element) {
    T number;
    std::memcpy(&number, element, sizeof number);
    return number;
}

}  // namespace

Scalar load(Dtype dtype, const void* element) {
    switch (dtype) {
        case Dtype::bool_: return read<unsigned char>(element) != 0;
        case Dtype::int8: return read<std::int8_t>(element);
        case Dtype::uint8: return read<std::uint8_t>(element);
        case Dtype::int16: return read<std::int16_t>(element);
        case Dtype::uint16: return read<std::uint16_t>(element);
        case Dtype::int32: return read<std::int32_t>(element);
        case Dtype::uint32: return read<std::uint32_t>(element);
        case Dtype::int64: return read<std::int64_t>(element);
        case Dtype::uint64: return read<std::uint64_t>(element);
        case Dtype::float16: return static_cast<float>(read<float16_t>(element));
        case Dtype::bfloat16: return static_cast<float>(read<bfloat16_t>(element));
        case Dtype::float32: return read<float>(element);
        case Dtype::float64: return read<double>(element);
        case Dtype::complex64: return read<std::complex<float>>(element);
        case Dtype::complex128: return read<std::complex<double>>(element);
    }
    return {};
}

}  // namespace fastnp::ops
