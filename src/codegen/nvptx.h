// Nvidia's GPUs as a target: LLVM IR to PTX, with the device functions that it calls. The driver turns PTX into machine code; nothing of the CUDA toolkit
// is needed.
#pragma once

#include <memory>
#include <string>

#include "codegen/external.h"
#include "device/backend.h"

namespace llvm {
class Module;
class TargetMachine;
}  // namespace llvm

namespace fastnp::codegen {

/// A new target machine for GPUs of a compute capability (80 for 8.0; newer ones than LLVM knows run the code of the newest that it knows). Arithmetic is
/// NumPy's: nothing contracted, quotients and roots rounded exactly, subnormal numbers kept. One per compilation: they are not thread-safe.
std::unique_ptr<llvm::TargetMachine> make_nvptx_machine(int capability);

/// Makes a new module one for GPUs: to be called before code is emitted into it.
void set_nvptx_target(llvm::Module& module);

/// Whether there is such a function for devices: an op in a dtype that it has a loop for, or a cast.
bool has_device_function(const External& external);

/// Takes what a module names and does not define out of the library of device functions, as far as it is there, to be inlined (but where a kernel calls a
/// large one often: nvptx_passes.h).
void link_device_functions(llvm::Module& module);

/// PTX of a module whose kernels have the calling convention PTX_Kernel; all else becomes internal. Device functions that it calls are linked in, the
/// module is optimised in place. Thread-safe for modules of different contexts.
std::string to_ptx(llvm::Module& module, int capability);
/// The module as a backend takes code: PTX, or as it is, in LLVM's own words.
std::string to_text(llvm::Module& module, device::Backend::Code code, int capability);

}  // namespace fastnp::codegen
