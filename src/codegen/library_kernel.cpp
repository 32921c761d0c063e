#include "codegen/library_kernel.h"

#include <vector>

#include "codegen/kernel_threads.h"
#include "codegen/nvptx.h"
#include "codegen/value.h"
#include "fastnp/error.h"

namespace fastnp::codegen {

namespace {

// void fastnp_combine_<dtype>(const T* x, const T* y, T* out), which such kernels call.
void define_combine(llvm::Module& module, const LibraryKernel::Combine& combine) {
    Builder b(module, 1, Target::nvptx);
    const Dtype dtype = combine.dtype;
    auto* type = llvm::FunctionType::get(b.ir.getVoidTy(), {b.ir.getPtrTy(), b.ir.getPtrTy(), b.ir.getPtrTy()}, false);
    const std::string name = "fastnp_combine_" + std::string(name_of(dtype));
    llvm::Function* function = module.getFunction(name);
    if (function == nullptr || !function->isDeclaration()) return;  // no kernel needs it, or another one had it defined
    if (function->getFunctionType() != type) throw InternalError("a kernel combines in an unknown way");
    function->setLinkage(llvm::GlobalValue::InternalLinkage);
    function->setAttributes({});
    function->addFnAttr(llvm::Attribute::AlwaysInline);
    b.entry = llvm::BasicBlock::Create(module.getContext(), "", function);
    b.ir.SetInsertPoint(b.entry);
    llvm::Type* element = b.memory_type(dtype);
    const llvm::Align align(itemsize_of(real_of(dtype)));
    const auto part = [&](unsigned argument, unsigned number) { return b.ir.CreateConstGEP1_64(element, function->getArg(argument), number); };
    const auto load = [&](unsigned argument) {
        const auto read = [&](unsigned number) { return b.from_memory(b.ir.CreateAlignedLoad(element, part(argument, number), align), dtype); };
        return Value{&b, dtype, read(0), is_complex(dtype) ? read(1) : nullptr};
    };
    const Value made = b.map(combine.op, dtype, dtype, {load(0), load(1)});
    b.ir.CreateAlignedStore(b.to_memory(made.re, dtype), part(2, 0), align);
    if (made.im != nullptr) b.ir.CreateAlignedStore(made.im, part(2, 1), align);
    b.ir.CreateRetVoid();
}

void annotate(llvm::Function& kernel) {
    kernel.setCallingConv(llvm::CallingConv::PTX_Kernel);
    kernel.setLinkage(llvm::GlobalValue::ExternalLinkage);
    kernel.removeFnAttr(llvm::Attribute::AlwaysInline);
    llvm::LLVMContext& context = kernel.getContext();
    llvm::NamedMDNode* notes = kernel.getParent()->getOrInsertNamedMetadata("nvvm.annotations");
    const auto note = [&](const char* name, int value) {
        auto* number = llvm::ConstantInt::get(llvm::Type::getInt32Ty(context), static_cast<std::uint64_t>(value));
        llvm::Metadata* parts[] = {llvm::ConstantAsMetadata::get(&kernel), llvm::MDString::get(context, name), llvm::ConstantAsMetadata::get(number)};
        notes->addOperand(llvm::MDNode::get(context, parts));
    };
    note("kernel", 1);
    note("maxntidx", kernel_threads);
    // A pass of a radix sort has what it knows of many elements in registers; one that counts has not.
    if (kernel.getName().contains("_radix_") && !kernel.getName().contains("_counts_")) note("minctasm", radix_blocks);
    if (kernel.getName().contains("_scan_")) note("minctasm", scan_blocks);
}

}  // namespace

DeviceText library_text(std::span<const LibraryKernel> kernels, device::Backend::Code code, int capability) {
    llvm::LLVMContext context;
    llvm::Module module("fastnp", context);
    set_nvptx_target(module);
    DeviceText made;
    std::vector<llvm::GlobalVariable*> uses;  // something must name what is to be linked
    for (const LibraryKernel& kernel : kernels) {
        made.symbols.push_back("fastnp_kernel_" + kernel.name);
        auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(context), false);
        auto* wanted = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, made.symbols.back(), module);
        uses.push_back(new llvm::GlobalVariable(module, wanted->getType(), true, llvm::GlobalValue::InternalLinkage, wanted, "uses"));  // the module's
    }
    link_device_functions(module);
    for (llvm::GlobalVariable* use : uses) use->eraseFromParent();
    for (const std::string& symbol : made.symbols) annotate(*module.getFunction(symbol));
    for (llvm::GlobalVariable& variable : module.globals()) {
        if (variable.getAddressSpace() == 3) variable.setInitializer(llvm::PoisonValue::get(variable.getValueType()));  // shared memory has no contents
    }
    for (const LibraryKernel& kernel : kernels) {
        if (kernel.combine) define_combine(module, *kernel.combine);
    }
    made.text = to_text(module, code, capability);
    return made;
}

}  // namespace fastnp::codegen
