#include "codegen/simulated_gpu.h"

#include <ucontext.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>

#include "codegen/nvptx.h"
#include "codegen/value.h"
#include "fastnp/error.h"
#include "ops/catalogue.h"
#include "ops/rules.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/ExecutionEngine/Orc/ThreadSafeModule.h>
#pragma GCC diagnostic pop

namespace fastnp {

namespace {

using codegen::Builder;
using codegen::External;
using codegen::Value;

constexpr int warp = nest::Grid::warp;
constexpr std::size_t stack_bytes = 64 * 1024;

// The threads of a block.
enum class State : std::uint8_t { ready, exchanges, at_barrier, ended };

struct Fiber {
    ucontext_t context{};
    std::vector<char> stack = std::vector<char>(stack_bytes);
    State state = State::ready;
    int given = 0, distance = 0;
};

struct Block {
    std::vector<Fiber> fibers;
    ucontext_t scheduler{};
    std::size_t current = 0;
    int number = 0, blocks = 1;
    void (*entry)(const std::uint64_t*) = nullptr;
    const std::uint64_t* arguments = nullptr;
    std::mt19937 draw{1};
};

Block* block = nullptr;  // that runs; tests run one at a time

void wait_as(State state) {
    Fiber& fiber = block->fibers[block->current];
    fiber.state = state;
    swapcontext(&fiber.context, &block->scheduler);
}

int thread_number() { return static_cast<int>(block->current); }
int block_number() { return block->number; }
int block_count() { return block->blocks; }
void barrier() { wait_as(State::at_barrier); }

int exchange(int /*mask*/, int value, int distance, int /*clamp*/) {
    const std::size_t self = block->current;
    block->fibers[self].given = value;
    block->fibers[self].distance = distance;
    wait_as(State::exchanges);
    return block->fibers[self].given;
}

void run_fiber() {
    block->entry(block->arguments);
    wait_as(State::ended);
}

bool all_are(std::size_t begin, std::size_t end, State state) {
    return std::all_of(block->fibers.begin() + static_cast<std::ptrdiff_t>(begin), block->fibers.begin() + static_cast<std::ptrdiff_t>(end),
                       [state](const Fiber& fiber) { return fiber.state == state; });
}

// Until its threads wait at a barrier, end, or can't go on; false if they can't.
bool run_warp(std::size_t first) {
    while (true) {
        for (std::size_t i = first; i < first + warp; ++i) {
            if (block->fibers[i].state != State::ready) continue;
            block->current = i;
            swapcontext(&block->scheduler, &block->fibers[i].context);
        }
        if (!all_are(first, first + warp, State::exchanges)) break;
        std::vector<int> given;
        for (std::size_t i = first; i < first + warp; ++i) given.push_back(block->fibers[i].given);
        for (std::size_t i = 0; i < warp; ++i) {
            Fiber& fiber = block->fibers[first + i];
            fiber.given = given[i ^ static_cast<std::size_t>(fiber.distance)];
            fiber.state = State::ready;
        }
    }
    return all_are(first, first + warp, State::at_barrier) || all_are(first, first + warp, State::ended);
}

bool run_block() {
    const std::size_t threads = block->fibers.size();
    for (Fiber& fiber : block->fibers) {
        getcontext(&fiber.context);
        fiber.context.uc_stack.ss_sp = fiber.stack.data();
        fiber.context.uc_stack.ss_size = fiber.stack.size();
        makecontext(&fiber.context, run_fiber, 0);
        fiber.state = State::ready;
    }
    std::vector<std::size_t> firsts;
    for (std::size_t first = 0; first < threads; first += warp) firsts.push_back(first);
    while (!all_are(0, threads, State::ended)) {
        std::shuffle(firsts.begin(), firsts.end(), block->draw);
        for (const std::size_t first : firsts) {
            if (!run_warp(first)) return false;
        }
        if (all_are(0, threads, State::ended)) break;
        if (!all_are(0, threads, State::at_barrier)) return false;
        for (Fiber& fiber : block->fibers) fiber.state = State::ready;
    }
    return true;
}

// Code.
const std::map<std::string, External>& device_functions() {
    static const auto all = [] {
        std::map<std::string, External> found;
        const auto add = [&](const External& each) { found.emplace(codegen::symbol_of(each), each); };
        for (int i = 0; i < dtype_count; ++i) {
            const auto dtype = static_cast<Dtype>(i);
            for (int op = 0; op < static_cast<int>(ir::Op::count); ++op) add({External::Kind::span, static_cast<ir::Op>(op), dtype, dtype});
            for (int to = 0; to < dtype_count; ++to) add({External::Kind::cast, ir::Op::cast, dtype, static_cast<Dtype>(to)});
        }
        return found;
    }();
    return all;
}

// Writes a device function as what the host does with one lane.
void define(llvm::Function& function, const External& external, std::map<std::string, External>& externals) {
    function.setName("device_" + function.getName());  // the host's kernel has this name
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
    llvm::Value* whole = result.re;
    if (result.im != nullptr) {
        whole = b.ir.CreateInsertElement(llvm::PoisonValue::get(function.getReturnType()), result.re, std::uint64_t{0});
        whole = b.ir.CreateInsertElement(whole, result.im, std::uint64_t{1});
    }
    b.ir.CreateRet(whole);
    function.setAttributes({});
    externals.merge(b.externals);
}

// `call(arguments)`: the kernel, its arguments read from memory.
void add_entry(llvm::Module& module, llvm::Function& kernel) {
    llvm::IRBuilder<> ir(module.getContext());
    auto* type = llvm::FunctionType::get(ir.getVoidTy(), {ir.getPtrTy()}, false);
    auto* entry = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, "call", module);
    ir.SetInsertPoint(llvm::BasicBlock::Create(ir.getContext(), "", entry));
    std::vector<llvm::Value*> arguments;
    for (const llvm::Argument& arg : kernel.args()) {
        arguments.push_back(ir.CreateLoad(arg.getType(), ir.CreateConstGEP1_64(ir.getInt64Ty(), entry->getArg(0), arg.getArgNo())));
    }
    ir.CreateCall(&kernel, arguments);
    ir.CreateRetVoid();
}

const std::map<std::string, void*>& played() {
    static const std::map<std::string, void*> all{{"llvm.nvvm.read.ptx.sreg.tid.x", reinterpret_cast<void*>(&thread_number)},
                                                  {"llvm.nvvm.read.ptx.sreg.ctaid.x", reinterpret_cast<void*>(&block_number)},
                                                  {"llvm.nvvm.read.ptx.sreg.nctaid.x", reinterpret_cast<void*>(&block_count)},
                                                  {"llvm.nvvm.shfl.sync.bfly.i32", reinterpret_cast<void*>(&exchange)},
                                                  {"llvm.nvvm.barrier0", reinterpret_cast<void*>(&barrier)}};
    return all;
}

template <class T>
T checked(llvm::Expected<T> value) {
    if (!value) throw InternalError(llvm::toString(value.takeError()));
    return std::move(*value);
}

}  // namespace

struct SimulatedKernel::Code {
    std::unique_ptr<llvm::orc::LLJIT> jit;
    void (*entry)(const std::uint64_t*) = nullptr;
};

SimulatedKernel::SimulatedKernel(const nest::Kernel& kernel, const nest::Grid& grid) : code_(std::make_unique<Code>()), threads_(grid.block) {
    codegen::make_nvptx_machine(80);  // LLVM is initialised
    code_->jit = checked(llvm::orc::LLJITBuilder().create());
    auto context = std::make_unique<llvm::LLVMContext>();
    auto module = std::make_unique<llvm::Module>("simulated", *context);
    codegen::set_nvptx_target(*module);
    codegen::emit_grid(kernel, grid, *module, "kernel");
    module->setTargetTriple(code_->jit->getTargetTriple().str());
    module->setDataLayout(code_->jit->getDataLayout());
    llvm::Function& function = *module->getFunction("kernel");
    function.setCallingConv(llvm::CallingConv::C);
    add_entry(*module, function);
    std::map<std::string, External> externals;
    llvm::orc::SymbolMap addresses;
    const auto add_address = [&](const std::string& name, void* at) {
        addresses[code_->jit->mangleAndIntern(name)] = {llvm::orc::ExecutorAddr::fromPtr(at), llvm::JITSymbolFlags::Exported};
    };
    std::vector<llvm::Function*> declared;
    for (llvm::Function& each : *module) {
        if (each.isDeclaration()) declared.push_back(&each);
    }
    for (llvm::Function* each : declared) {
        const std::string name = each->getName().str();
        if (const auto found = played().find(name); found != played().end()) {
            each->setName("simulated" + name.substr(4));
            each->setAttributes({});
            add_address(each->getName().str(), found->second);
        } else if (!each->isIntrinsic()) {
            define(*each, device_functions().at(name), externals);
        }
    }
    for (const auto& [name, external] : externals) add_address(name, codegen::address_of(external));
    llvm::cantFail(code_->jit->getMainJITDylib().define(llvm::orc::absoluteSymbols(std::move(addresses))));
    llvm::cantFail(code_->jit->addIRModule(llvm::orc::ThreadSafeModule(std::move(module), std::move(context))));
    code_->entry = checked(code_->jit->lookup("call")).toPtr<void (*)(const std::uint64_t*)>();
}

SimulatedKernel::~SimulatedKernel() = default;

bool SimulatedKernel::run(const std::vector<std::uint64_t>& arguments, int blocks) const {
    static Block memory;  // its threads' stacks serve all kernels
    memory.fibers.resize(static_cast<std::size_t>(threads_));
    memory.entry = code_->entry;
    memory.arguments = arguments.data();
    memory.blocks = blocks;
    block = &memory;
    for (memory.number = 0; memory.number < blocks; ++memory.number) {
        if (!run_block()) return false;
    }
    return true;
}

}  // namespace fastnp
