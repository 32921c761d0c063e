#include "cuda/fake_fft.h"

#include "cuda/fake_driver.h"
#include "eager/eager.h"

namespace fastnp::cuda {

namespace {

FakeFft* now = nullptr;

void require(bool holds, const char* what) {
    if (!holds) now->misuses.emplace_back(what);
}

eager::View view_of(void* data, Dtype dtype, long long count, long long length, long long stride, long long step) {
    const auto size = static_cast<long long>(itemsize_of(dtype));
    const long long elements = (count - 1) * step + (length - 1) * stride + 1;
    require(FakeDriver::owns(data, static_cast<std::size_t>(elements * size)), "lines that are not all on the device");
    require(reinterpret_cast<std::uintptr_t>(data) % 16 == 0, "lines at an odd address");
    return {data, dtype, {count, length}, {step * size, stride * size}};
}

int run(int number, int type, ops::Op op, bool forward, void* from, void* to) {
    const FakeFft::Plan& plan = now->plans.at(number);
    const auto& [points, from_stride, from_step, to_stride, to_step, count] = plan.numbers;
    require(plan.type == type, "a transform of another type than its plan's");
    require(plan.stream != nullptr && plan.is_manual, "a plan without the stream, or with memory of its own");
    require(now->workspace == 0 || FakeDriver::owns(plan.workspace, now->workspace), "no workspace");
    const bool is_double = (type & 0x40) != 0;
    const Dtype real = is_double ? float64 : float32, complex = is_double ? complex128 : complex64;
    const long long half = points / 2 + 1;
    const eager::View x = view_of(from, op == ops::Op::rfft ? real : complex, count, op == ops::Op::irfft ? half : points, from_stride, from_step);
    const eager::View out = view_of(to, op == ops::Op::irfft ? real : complex, count, op == ops::Op::rfft ? half : points, to_stride, to_step);
    ir::Attributes attributes;
    if (op == ops::Op::fft) attributes.ints.push_back(forward ? 1 : 0);
    attributes.ints.push_back(0);
    attributes.ints.push_back(-1);
    attributes.dims.push_back(points);
    return FakeDriver::call(
        "cufftExec",
        [op, attributes, x, out] {
            eager::run(op, attributes, {&x, 1}, out);
            return 0;
        },
        plan.stream);
}

}  // namespace

FakeFft::FakeFft() {
    now = this;
    fft.path = "libfake.so";
    fft.create = [](int* plan) {
        *plan = ++now->made;
        now->plans[*plan] = {};
        return FakeDriver::call("cufftCreate");
    };
    fft.destroy = [](int plan) {
        require(now->plans.erase(plan) == 1, "a plan that is destroyed twice");
        return FakeDriver::call("cufftDestroy");
    };
    fft.set_allocation = [](int plan, int is_automatic) {
        now->plans.at(plan).is_manual = is_automatic == 0;
        return 0;
    };
    fft.set_stream = [](int plan, Handle stream) {
        now->plans.at(plan).stream = stream;
        return 0;
    };
    fft.set_workspace = [](int plan, void* workspace) {
        now->plans.at(plan).workspace = workspace;
        return 0;
    };
    fft.make = [](int plan, int rank, long long* points, long long* from_sizes, long long from_stride, long long from_step, long long* to_sizes,
                  long long to_stride, long long to_step, int type, long long count, std::size_t* workspace_bytes) {
        require(rank == 1 && from_sizes != nullptr && to_sizes != nullptr, "distances that are not heeded");
        Plan& made = now->plans.at(plan);
        made.numbers = {*points, from_stride, from_step, to_stride, to_step, count};
        made.type = type;
        *workspace_bytes = now->workspace;
        return now->status;
    };
    fft.complex_single = [](int plan, void* from, void* to, int direction) { return run(plan, 0x29, ops::Op::fft, direction == -1, from, to); };
    fft.complex_double = [](int plan, void* from, void* to, int direction) { return run(plan, 0x69, ops::Op::fft, direction == -1, from, to); };
    fft.real_single = [](int plan, void* from, void* to) { return run(plan, 0x2a, ops::Op::rfft, true, from, to); };
    fft.real_double = [](int plan, void* from, void* to) { return run(plan, 0x6a, ops::Op::rfft, true, from, to); };
    fft.to_real_single = [](int plan, void* from, void* to) { return run(plan, 0x2c, ops::Op::irfft, false, from, to); };
    fft.to_real_double = [](int plan, void* from, void* to) { return run(plan, 0x6c, ops::Op::irfft, false, from, to); };
}

FakeFft::~FakeFft() { now = nullptr; }

const Fft& FakeFft::find(const Driver&) { return now->fft; }

}  // namespace fastnp::cuda
