#include "plan/unaligned_kernel.h"

#include "codegen/device_code.h"

namespace fastnp::plan {

const device::Module& UnalignedKernel::module(const nest::Kernel& kernel, const nest::Grid& grid, device::Backend& backend) {
    std::call_once(once_, [&] {
        nest::Kernel own = kernel;
        for (nest::Buffer& buffer : own.buffers) buffer.checked = false;
        const codegen::DeviceJob job{&own, &grid};
        module_ = codegen::compile_for_device({&job, 1}, backend).kernels[0].module;
    });
    return *module_;
}

}  // namespace fastnp::plan
