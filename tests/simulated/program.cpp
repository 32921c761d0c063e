#include "simulated/program.h"

#include <atomic>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <mutex>

#include "codegen/host.h"
#include "codegen/value.h"
#include "fastnp/error.h"
#include "fastnp/half.h"
#include "ops/catalogue.h"
#include "ops/rules.h"
#include "ops/usual.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include <llvm/AsmParser/Parser.h>
#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/ExecutionEngine/Orc/ThreadSafeModule.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Support/SourceMgr.h>
#pragma GCC diagnostic pop

namespace fastnp::simulated {

namespace {

using codegen::Builder;
using codegen::External;
using codegen::Value;

[[noreturn]] void fail(const std::string& what) { throw DeviceError("simulated device: " + what); }

template <class T>
T checked(llvm::Expected<T> value) {
    if (!value) fail(llvm::toString(value.takeError()));
    return std::move(*value);
}

void check(llvm::Error error) {
    if (error) fail(llvm::toString(std::move(error)));
}

// Never torn down, since kernels may run until the very end of the process.
llvm::orc::LLJIT& session() {
    static llvm::orc::LLJIT* jit = [] {
        codegen::initialize_llvm();
        auto machine = checked(llvm::orc::JITTargetMachineBuilder::detectHost());
        machine.setCodeGenOptLevel(llvm::CodeGenOptLevel::None);
        return checked(llvm::orc::LLJITBuilder().setJITTargetMachineBuilder(std::move(machine)).setNumCompileThreads(0).create()).release();
    }();
    return *jit;
}

// By name, what code for devices may call.
const std::map<std::string, External>& device_functions() {
    static const auto all = [] {
        std::map<std::string, External> found;
        const auto add = [&](const External& each) { found.emplace(codegen::symbol_of(each), each); };
        for (int i = 0; i < dtype_count; ++i) {
            const auto dtype = static_cast<Dtype>(i);
            for (int op = 0; op < static_cast<int>(ir::Op::count); ++op) add({External::Kind::span, static_cast<ir::Op>(op), dtype, dtype});
            for (const ops::Usual& each : ops::usual_functions) add({External::Kind::usual, each.op, Dtype::float32, Dtype::float32});
            for (int to = 0; to < dtype_count; ++to) add({External::Kind::cast, ir::Op::cast, dtype, static_cast<Dtype>(to)});
        }
        return found;
    }();
    return all;
}

// What a function for usual arguments gives: for others nothing that resembles the right result.
llvm::Value* worthless_unless_usual(Builder& b, const ops::Usual& function, llvm::Value* x, llvm::Value* result) {
    const auto number = [&](double value) { return llvm::ConstantFP::get(x->getType(), value); };
    llvm::Value* size = b.unary(llvm::Intrinsic::fabs, x);
    llvm::Value* is_usual = b.ir.CreateFCmpOLT(size, number(std::ldexp(1.0, function.most)));
    if (function.is_positive) is_usual = b.ir.CreateAnd(is_usual, b.ir.CreateFCmpOGE(x, number(std::numeric_limits<float>::min())));
    return b.ir.CreateSelect(is_usual, result, number(777));
}

// Writes a device function as what the host does with one lane.
void define(llvm::Function& function, const External& external, std::map<std::string, External>& externals) {
    function.setName("device_" + function.getName());  // the host's kernel has this name
    function.setLinkage(llvm::GlobalValue::InternalLinkage);
    Builder b(*function.getParent(), 1);
    b.entry = llvm::BasicBlock::Create(b.ir.getContext(), "", &function);
    b.ir.SetInsertPoint(b.entry);
    const auto element = [&](llvm::Value* whole, std::uint64_t part) { return b.ir.CreateExtractElement(whole, part); };
    std::vector<Value> args;
    for (llvm::Argument& arg : function.args()) {
        Dtype dtype = external.dtype;
        if (!args.empty() && external.kind == External::Kind::span && ops::info(external.op).rule->integer_second) dtype = Dtype::int32;
        args.push_back(is_complex(dtype) ? Value{&b, dtype, element(&arg, 0), element(&arg, 1)} : Value{&b, dtype, &arg, nullptr});
    }
    const Value result = external.kind == External::Kind::cast
                             ? b.cast(args[0], external.to)
                             : b.map(external.op, external.dtype, ops::rules::output_of(*ops::info(external.op).rule, external.dtype), args);
    llvm::Value* whole =
        external.kind == External::Kind::usual ? worthless_unless_usual(b, *ops::usual_of(external.op), args[0].re, result.re) : result.re;
    if (result.im != nullptr) {
        whole = b.ir.CreateInsertElement(llvm::PoisonValue::get(function.getReturnType()), result.re, std::uint64_t{0});
        whole = b.ir.CreateInsertElement(whole, result.im, std::uint64_t{1});
    }
    b.ir.CreateRet(whole);
    function.setAttributes({});
    externals.merge(b.externals);
}

std::string entry_of(const std::string& symbol) { return "entry_" + symbol; }

// `entry(arguments)`: the kernel, its arguments read from memory.
void add_entry(llvm::Module& module, llvm::Function& kernel) {
    llvm::IRBuilder<> ir(module.getContext());
    auto* type = llvm::FunctionType::get(ir.getVoidTy(), {ir.getPtrTy()}, false);
    auto* entry = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, entry_of(kernel.getName().str()), module);
    ir.SetInsertPoint(llvm::BasicBlock::Create(ir.getContext(), "", entry));
    std::vector<llvm::Value*> arguments;
    for (const llvm::Argument& arg : kernel.args()) {
        arguments.push_back(ir.CreateLoad(arg.getType(), ir.CreateConstGEP1_64(ir.getInt64Ty(), entry->getArg(0), arg.getArgNo())));
    }
    ir.CreateCall(&kernel, arguments);
    ir.CreateRetVoid();
}

// What a kernel's annotations say of its blocks.
std::map<const llvm::Function*, int> threads_of_blocks(const llvm::Module& module) {
    std::map<const llvm::Function*, int> found;
    const llvm::NamedMDNode* notes = module.getNamedMetadata("nvvm.annotations");
    if (notes == nullptr) return found;
    for (const llvm::MDNode* note : notes->operands()) {
        for (unsigned i = 1; i + 1 < note->getNumOperands(); i += 2) {
            if (llvm::cast<llvm::MDString>(note->getOperand(i))->getString() != "maxntidx") continue;
            const auto* threads = llvm::mdconst::extract<llvm::ConstantInt>(note->getOperand(i + 1));
            found[llvm::mdconst::extract<llvm::Function>(note->getOperand(0))] = static_cast<int>(threads->getZExtValue());
        }
    }
    return found;
}

bool waits(const llvm::Function& kernel) {
    for (const llvm::Instruction& instruction : llvm::instructions(kernel)) {
        const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
        const llvm::Function* called = call != nullptr ? call->getCalledFunction() : nullptr;
        if (called != nullptr && is_waited_at(called->getName().str())) return true;
    }
    return false;
}

/// Has accesses of memory be said before they are done.
class Noting {
public:
    explicit Noting(llvm::Module& module) : layout_(module.getDataLayout()), ir_(module.getContext()) {
        llvm::Type *pointer = ir_.getPtrTy(), *number = ir_.getInt32Ty();
        note_ = module.getOrInsertFunction(access_note, ir_.getVoidTy(), pointer, pointer, number, number);
    }

    void add_to(llvm::Instruction& access) {
        constexpr std::uint32_t change = access_reads | access_writes | access_is_atomic;
        ir_.SetInsertPoint(&access);
        if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&access)) {
            note(load->getPointerOperand(), load->getType(), access_reads | (load->isAtomic() ? access_is_atomic : 0));
        } else if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&access)) {
            note(store->getPointerOperand(), store->getValueOperand()->getType(), access_writes | (store->isAtomic() ? access_is_atomic : 0),
                 in_memory(store->getValueOperand()));
        } else if (auto* atomic = llvm::dyn_cast<llvm::AtomicRMWInst>(&access)) {
            note(atomic->getPointerOperand(), atomic->getType(), change);
        } else if (auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&access)) {
            note(exchange->getPointerOperand(), exchange->getNewValOperand()->getType(), change);
        } else if (auto* moved = llvm::dyn_cast<llvm::MemTransferInst>(&access)) {
            llvm::Value* bytes = ir_.CreateZExtOrTrunc(moved->getLength(), ir_.getInt32Ty());
            note(moved->getSource(), none(), bytes, access_reads);
            note(moved->getDest(), moved->getSource(), bytes, access_writes);
        } else if (auto* filled = llvm::dyn_cast<llvm::MemSetInst>(&access)) {
            note(filled->getDest(), none(), ir_.CreateZExtOrTrunc(filled->getLength(), ir_.getInt32Ty()), access_writes);
        }
    }

private:
    llvm::Value* none() { return llvm::ConstantPointerNull::get(ir_.getPtrTy()); }
    llvm::Value* in_memory(llvm::Value* value) {
        llvm::IRBuilder<> entry(&ir_.GetInsertBlock()->getParent()->getEntryBlock().front());
        llvm::Value* place = entry.CreateAlloca(value->getType());
        ir_.CreateStore(value, place);
        return place;
    }
    void note(llvm::Value* at, llvm::Type* type, std::uint32_t kind, llvm::Value* stored = nullptr) {
        note(at, stored == nullptr ? none() : stored, ir_.getInt32(static_cast<std::uint32_t>(layout_.getTypeStoreSize(type).getFixedValue())), kind);
    }
    void note(llvm::Value* at, llvm::Value* stored, llvm::Value* bytes, std::uint32_t kind) {
        if (llvm::isa<llvm::AllocaInst>(at->stripInBoundsOffsets())) return;
        const auto generic = [&](llvm::Value* pointer) { return ir_.CreateAddrSpaceCast(pointer, ir_.getPtrTy()); };
        ir_.CreateCall(note_, {generic(at), generic(stored), bytes, ir_.getInt32(kind)});
    }

    const llvm::DataLayout& layout_;
    llvm::IRBuilder<> ir_;
    llvm::FunctionCallee note_;
};

void note_accesses(llvm::Module& module) {
    Noting noting(module);
    std::vector<llvm::Instruction*> accesses;
    for (llvm::Function& function : module) {
        for (llvm::Instruction& each : llvm::instructions(function)) {
            if (each.mayReadOrWriteMemory()) accesses.push_back(&each);
        }
    }
    for (llvm::Instruction* access : accesses) noting.add_to(*access);
}

// Puts what blocks have on the chip where all blocks have it.
void place_on_chip(llvm::Module& module) {
    constexpr unsigned on_chip = 3;  // NVPTX's number for the address space
    const std::span<char> memory = memory_on_chip();
    std::uint64_t used = 0;
    std::vector<llvm::GlobalVariable*> placed;
    for (llvm::GlobalVariable& variable : module.globals()) {
        if (variable.getAddressSpace() == on_chip) placed.push_back(&variable);
    }
    for (llvm::GlobalVariable* variable : placed) {
        used = llvm::alignTo(used, variable->getAlign().valueOrOne());
        auto* at = llvm::ConstantInt::get(llvm::Type::getInt64Ty(module.getContext()), reinterpret_cast<std::uintptr_t>(memory.data() + used));
        variable->replaceAllUsesWith(llvm::ConstantExpr::getIntToPtr(at, variable->getType()));
        used += module.getDataLayout().getTypeAllocSize(variable->getValueType());
        if (used > memory.size()) fail("kernels have more memory on the chip than there is");
        variable->eraseFromParent();
    }
}

// Code for processors without instructions for 16-bit floats calls these (see codegen/jit).
float from_half(float bits) { return detail::half_bits_to_float(static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(bits))); }
float to_half(float value) { return std::bit_cast<float>(std::uint32_t{detail::float_to_half_bits(value)}); }

// Gives all that a module declares a meaning: instructions of a GPU, and device functions.
llvm::orc::SymbolMap resolve(llvm::Module& module) {
    std::map<std::string, External> externals;
    llvm::orc::SymbolMap addresses;
    const auto add_address = [&](const std::string& name, void* at) {
        addresses[session().mangleAndIntern(name)] = {llvm::orc::ExecutorAddr::fromPtr(at),
                                                      llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable};
    };
    std::vector<llvm::Function*> declared;
    for (llvm::Function& each : module) {
        if (each.isDeclaration()) declared.push_back(&each);
    }
    for (llvm::Function* each : declared) {
        const std::string name = each->getName().str();
        if (const auto found = instructions().find(name); found != instructions().end()) {
            each->setName("simulated" + name.substr(name.find('.')));
            each->setAttributes({});
            add_address(each->getName().str(), found->second);
        } else if (!each->isIntrinsic()) {
            const auto function = device_functions().find(name);
            if (function == device_functions().end()) fail("code calls " + name + ", which devices lack");
            define(*each, function->second, externals);
        }
    }
    for (const auto& [name, external] : externals) add_address(name, codegen::address_of(external));
    add_address("__extendhfsf2", reinterpret_cast<void*>(&from_half));
    add_address("__truncsfhf2", reinterpret_cast<void*>(&to_half));
    return addresses;
}

}  // namespace

Program::Program(const std::string& text, const std::vector<std::string>& symbols) {
    static std::mutex mutex;  // the session has one code generator
    const std::scoped_lock lock(mutex);
    llvm::orc::LLJIT& jit = session();
    auto context = std::make_unique<llvm::LLVMContext>();
    llvm::SMDiagnostic problem;
    std::unique_ptr<llvm::Module> module = llvm::parseAssemblyString(text, problem, *context);
    if (module == nullptr) fail("no LLVM IR: " + problem.getMessage().str());
    module->setTargetTriple(jit.getTargetTriple().str());
    module->setDataLayout(jit.getDataLayout());
    place_on_chip(*module);
    note_accesses(*module);
    const auto threads = threads_of_blocks(*module);
    for (const std::string& symbol : symbols) {
        llvm::Function* function = module->getFunction(symbol);
        if (function == nullptr || !threads.contains(function)) fail("there is no kernel " + symbol);
        function->setCallingConv(llvm::CallingConv::C);
        kernels_.push_back({symbol, nullptr, function->arg_size(), threads.at(function), waits(*function)});
        add_entry(*module, *function);
    }
    llvm::orc::SymbolMap addresses = resolve(*module);
    static std::atomic<std::uint64_t> counter{0};
    auto made = jit.createJITDylib("simulated" + std::to_string(counter++));
    if (!made) check(made.takeError());
    llvm::orc::JITDylib& library = *made;
    code_ = std::shared_ptr<void>(
        &library, [](void* held) { llvm::consumeError(session().getExecutionSession().removeJITDylib(*static_cast<llvm::orc::JITDylib*>(held))); });
    check(library.define(llvm::orc::absoluteSymbols(std::move(addresses))));
    check(jit.addIRModule(library, llvm::orc::ThreadSafeModule(std::move(module), std::move(context))));
    for (std::size_t i = 0; i < symbols.size(); ++i) {
        kernels_[i].call = checked(jit.lookup(library, entry_of(symbols[i]))).toPtr<void (*)(const std::uint64_t*)>();
    }
}

}  // namespace fastnp::simulated
