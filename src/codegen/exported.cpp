// Objects and a table to a library, by LLVM's linker, which is part of this room.
#include "codegen/exported.h"

#include <array>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <mutex>

#include "base/fork.h"
#include "codegen/generate.h"
#include "codegen/host.h"
#include "codegen/object.h"
#include "fastnp/error.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include <lld/Common/CommonLinkerContext.h>
#include <lld/Common/Driver.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#pragma GCC diagnostic pop

LLD_HAS_DRIVER(elf)

namespace fastnp::codegen {

namespace {

// A folder of its own, which goes with it.
class Folder {
public:
    Folder() {
        std::string name = (std::filesystem::temp_directory_path() / "fastnp-export-XXXXXX").string();
        if (mkdtemp(name.data()) == nullptr) throw Error("exporting needs a folder for temporary files, and there is none that can be made: " + name);
        path_ = name;
    }
    ~Folder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;

    std::string file(const std::string& name) const { return (path_ / name).string(); }

private:
    std::filesystem::path path_;
};

void write(const std::string& path, std::string_view bytes) {
    std::ofstream out(path, std::ios::binary);
    out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    if (!out.flush()) throw Error("cannot write " + path);
}

std::string read(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    std::string bytes(static_cast<std::size_t>(std::filesystem::file_size(path)), '\0');
    if (!in.read(bytes.data(), static_cast<std::streamsize>(bytes.size()))) throw Error("cannot read " + path);
    return bytes;
}

// The code of an exported function, and what it calls.
struct Objects {
    std::vector<std::string> objects, functions;
    std::vector<External> externals;

    void add(StoredCode made) {
        for (std::string& object : made.objects) objects.push_back(std::move(object));
        for (std::string& symbol : made.symbols) functions.push_back(std::move(symbol));
        for (const External& external : made.externals) {
            if (std::ranges::find(externals, external) == externals.end()) externals.push_back(external);
        }
    }
};

// The module that has the table, and for each function that code calls a jump to where its address is put.
class TableModule {
public:
    TableModule() : out_(new_module()), context_(*out_.context), module_(*out_.module), pointer_(llvm::PointerType::get(context_, 0)) {}

    void add(const Objects& objects, const Exported& exported) {
        const std::string externals = pack_externals(objects.externals);
        std::vector<std::string> called;
        for (const External& external : objects.externals) called.push_back(symbol_of(external));
        for (const std::string_view name : builtin_names()) called.emplace_back(name);
        std::vector<llvm::Constant*> functions, weights;
        auto* const type = llvm::FunctionType::get(llvm::Type::getVoidTy(context_), false);
        for (const std::string& name : objects.functions)
            functions.push_back(llvm::Function::Create(type, llvm::Function::ExternalLinkage, name, module_));
        for (const Weight& weight : exported.weights) weights.push_back(bytes(weight.bytes, 64, true));
        auto* const slots_type = llvm::ArrayType::get(pointer_, called.size());
        auto* const slots = variable(llvm::ConstantAggregateZero::get(slots_type), 8, false);
        slots->setName("fastnp_slots");
        jumps(called, slots);
        const std::vector<llvm::Constant*> fields{llvm::ConstantDataArray::getRaw(llvm::StringRef(exported_magic, sizeof exported_magic),
                                                                                  sizeof exported_magic, llvm::Type::getInt8Ty(context_)),
                                                  number(exported_format),
                                                  number(exported.kernels.size()),
                                                  number(exported.programs.size()),
                                                  pointers(functions),
                                                  number(called.size()),
                                                  slots,
                                                  number(externals.size()),
                                                  bytes(externals, 1, true),
                                                  number(weights.size()),
                                                  pointers(weights),
                                                  number(exported.payload.size()),
                                                  bytes(exported.payload, 1, true)};
        auto* const table = variable(llvm::ConstantStruct::getAnon(fields), 8, false);
        table->setName(exported_symbol);
        table->setLinkage(llvm::GlobalValue::ExternalLinkage);
    }
    std::string object() {
        check_module(module_);
        const auto made = generate(out_, llvm::CodeGenFileType::ObjectFile);
        return {made.data(), made.size()};
    }

private:
    llvm::Constant* number(std::uint64_t value) { return llvm::ConstantInt::get(llvm::Type::getInt64Ty(context_), value); }
    llvm::GlobalVariable* variable(llvm::Constant* value, unsigned alignment, bool is_constant) {
        auto* made = new llvm::GlobalVariable(module_, value->getType(), is_constant, llvm::GlobalValue::InternalLinkage, value);  // NOLINT: the module's
        made->setAlignment(llvm::Align(alignment));
        return made;
    }
    llvm::Constant* bytes(std::string_view text, unsigned alignment, bool is_constant) {
        return variable(llvm::ConstantDataArray::getRaw(llvm::StringRef(text.data(), text.size()), text.size(), llvm::Type::getInt8Ty(context_)),
                        alignment, is_constant);
    }
    llvm::Constant* pointers(const std::vector<llvm::Constant*>& all) {
        return variable(llvm::ConstantArray::get(llvm::ArrayType::get(pointer_, all.size()), all), 8, true);
    }
    // A function that hands on whatever it is given, in all registers, to the one whose address is put into a slot.
    void jumps(const std::vector<std::string>& called, llvm::GlobalVariable* slots) {
        auto* const any = llvm::FunctionType::get(llvm::Type::getVoidTy(context_), true);
        for (std::size_t i = 0; i < called.size(); ++i) {
            auto* const function = llvm::Function::Create(any, llvm::Function::ExternalLinkage, called[i], module_);
            function->setVisibility(llvm::GlobalValue::HiddenVisibility);
            function->addFnAttr("thunk");
            set_host_attributes(*function);
            llvm::IRBuilder<> ir(llvm::BasicBlock::Create(context_, "", function));
            llvm::Value* const target = ir.CreateLoad(pointer_, ir.CreateConstInBoundsGEP2_64(slots->getValueType(), slots, 0, i));
            ir.CreateCall(any, target)->setTailCallKind(llvm::CallInst::TCK_MustTail);
            ir.CreateRetVoid();
        }
    }

    Emitted out_;
    llvm::LLVMContext& context_;
    llvm::Module& module_;
    llvm::PointerType* pointer_;
};

// LLVM has handlers of its own for what is to be removed where a signal ends the process. Signals are the program's.
class SignalsAsTheyAre {
public:
    SignalsAsTheyAre() {
        for (int signal = 1; signal < NSIG; ++signal) {
            if (sigaction(signal, nullptr, &before_[static_cast<std::size_t>(signal)]) != 0)
                before_[static_cast<std::size_t>(signal)].sa_handler = SIG_ERR;
        }
    }
    ~SignalsAsTheyAre() {
        for (int signal = 1; signal < NSIG; ++signal) {
            const struct sigaction& before = before_[static_cast<std::size_t>(signal)];
            if (before.sa_handler != SIG_ERR) sigaction(signal, &before, nullptr);
        }
    }
    SignalsAsTheyAre(const SignalsAsTheyAre&) = delete;
    SignalsAsTheyAre& operator=(const SignalsAsTheyAre&) = delete;

private:
    std::array<struct sigaction, NSIG> before_{};
};

std::string table_of(const Objects& objects, const Exported& exported) {
    TableModule table;
    table.add(objects, exported);
    return table.object();
}

// By LLVM's linker, which serves one at a time.
void link(const std::vector<std::string>& files, const std::string& versions, const std::string& result) {
    static base::ForkSafe<std::mutex> one_at_a_time;
    const std::scoped_lock lock(one_at_a_time);
    const base::NoFork whole;
    const WhileNobodyCompiles alone;  // it has LLVM's options as they are by default
    std::vector<std::string> words{"ld.lld",
                                   "-shared",
                                   "-o",
                                   result,
                                   "-z",
                                   "now",
                                   "-z",
                                   "noexecstack",
                                   "-z",
                                   "defs",
                                   "--gc-sections",
                                   "--build-id=none",
                                   "--threads=1",
                                   "--error-limit=0",
                                   "--no-mmap-output-file",
                                   "--version-script=" + versions};
    words.insert(words.end(), files.begin(), files.end());
    std::vector<const char*> arguments;
    for (const std::string& word : words) arguments.push_back(word.c_str());
    std::string told;
    llvm::raw_string_ostream stream(told);
    const SignalsAsTheyAre kept;
    const bool is_linked = lld::elf::link(arguments, stream, stream, false, false);
    lld::CommonLinkerContext::destroy();
    if (!is_linked) throw InternalError("linking an exported function: " + stream.str());
}

}  // namespace

std::string exported_library(const Exported& exported) {
    Objects objects;
    Code times;
    const PortableCode portable;
    if (!exported.kernels.empty()) objects.add(make_objects(exported.kernels, Effort::full, times));
    for (const ir::Program* program : exported.programs) {
        objects.add(make_object(*program, times, "fastnp_exported_program_" + std::to_string(objects.functions.size())));
    }
    objects.objects.push_back(table_of(objects, exported));

    const Folder folder;
    std::vector<std::string> files;
    for (const std::string& object : objects.objects) {
        files.push_back(folder.file(std::to_string(files.size()) + ".o"));
        write(files.back(), object);
    }
    const std::string versions = folder.file("versions"), result = folder.file("library.so");
    write(versions, std::string("{ global: ") + exported_symbol + "; local: *; };\n");
    link(files, versions, result);
    return read(result);
}

}  // namespace fastnp::codegen
