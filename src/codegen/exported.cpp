// Objects and a table to a library, by LLVM's linker, which is part of this room.
#include "codegen/exported.h"

#include <array>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <set>
#include <unordered_map>

#include "base/fork.h"
#include "codegen/generate.h"
#include "codegen/host.h"
#include "codegen/object.h"
#include "eager/code_level.h"
#include "eager/isa_names.h"
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

void add(ExportedCode& all, StoredCode made) {
    for (std::string& object : made.objects) all.objects.push_back(std::move(object));
    for (std::string& symbol : made.symbols) all.functions.push_back(std::move(symbol));
    for (const External& external : made.externals) {
        if (std::ranges::find(all.externals, external) == all.externals.end()) all.externals.push_back(external);
    }
}

// What any of them calls at a level.
std::vector<External> externals_of(std::span<const ExportedTableSource> tables, eager::Isa level) {
    std::vector<External> all;
    for (const ExportedTableSource& table : tables) {
        if (table.code.level != level) continue;
        for (const External& external : table.code.externals) {
            if (std::ranges::find(all, external) == all.end()) all.push_back(external);
        }
    }
    return all;
}

// The module that has the tables, and for each function that code calls a jump to where its address is put.
class TableModule {
public:
    TableModule() : out_(new_module()), context_(*out_.context), module_(*out_.module), pointer_(llvm::PointerType::get(context_, 0)) {}

    void add(std::span<const ExportedTableSource> tables) {
        std::set<eager::Isa> levels;
        for (std::size_t i = 0; i < tables.size(); ++i) {
            const std::string symbol = i == 0 ? exported_symbol : exported_symbol + ("_" + std::to_string(i));
            const eager::Isa level = tables[i].code.level;
            if (levels.insert(level).second) add_with_slots(tables[i], symbol, externals_of(tables, level), i == 0);
            else add(tables[i], symbol, 0, pointers({}), {});
        }
    }
    std::string object() {
        check_module(module_);
        const auto made = generate(out_, llvm::CodeGenFileType::ObjectFile);
        return {made.data(), made.size()};
    }

private:
    // The first table of a level. `has_builtins`: jumps to the code generator's own functions go by its slots.
    void add_with_slots(const ExportedTableSource& source, const std::string& symbol, const std::vector<External>& externals, bool has_builtins) {
        std::vector<std::string> called;
        for (const External& external : externals) called.push_back(symbol_at(external, source.code.level));
        const std::size_t count = called.size() + builtin_names().size();
        for (const std::string_view name : builtin_names()) {
            if (has_builtins) called.emplace_back(name);
        }
        auto* const slots = variable(llvm::ConstantAggregateZero::get(llvm::ArrayType::get(pointer_, count)), 8, false);
        slots->setName("fastnp_slots");
        jumps(called, slots);
        add(source, symbol, count, slots, pack_externals(externals));
    }
    void add(const ExportedTableSource& source, const std::string& symbol, std::size_t slot_count, llvm::Constant* slots, const std::string& externals) {
        auto* const type = llvm::FunctionType::get(llvm::Type::getVoidTy(context_), false);
        std::vector<llvm::Constant*> functions, weights;
        for (const std::string& name : source.code.functions)
            functions.push_back(llvm::Function::Create(type, llvm::Function::ExternalLinkage, name, module_));
        for (const std::string& weight : source.weights) weights.push_back(weight_of(weight));
        const std::vector<llvm::Constant*> fields{llvm::ConstantDataArray::getRaw(llvm::StringRef(exported_magic, sizeof exported_magic),
                                                                                  sizeof exported_magic, llvm::Type::getInt8Ty(context_)),
                                                  number(exported_format),
                                                  number(source.code.kernel_count),
                                                  number(functions.size() - source.code.kernel_count),
                                                  pointers(functions),
                                                  number(slot_count),
                                                  slots,
                                                  number(externals.size()),
                                                  bytes(externals, 1),
                                                  number(weights.size()),
                                                  pointers(weights),
                                                  number(source.payload.size()),
                                                  bytes(source.payload, 1)};
        auto* const table = variable(llvm::ConstantStruct::getAnon(fields), 8, false);
        table->setName(symbol);
        table->setLinkage(llvm::GlobalValue::ExternalLinkage);
    }
    // Equal ones are there once.
    llvm::Constant* weight_of(std::string_view weight) {
        llvm::Constant*& made = weights_[weight];
        if (made == nullptr) made = bytes(weight, 64);
        return made;
    }
    llvm::Constant* number(std::uint64_t value) { return llvm::ConstantInt::get(llvm::Type::getInt64Ty(context_), value); }
    llvm::GlobalVariable* variable(llvm::Constant* value, unsigned alignment, bool is_constant) {
        auto* made = new llvm::GlobalVariable(module_, value->getType(), is_constant, llvm::GlobalValue::InternalLinkage, value);  // NOLINT: the module's
        made->setAlignment(llvm::Align(alignment));
        return made;
    }
    llvm::Constant* bytes(std::string_view text, unsigned alignment) {
        return variable(llvm::ConstantDataArray::getRaw(llvm::StringRef(text.data(), text.size()), text.size(), llvm::Type::getInt8Ty(context_)),
                        alignment, true);
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
    std::unordered_map<std::string_view, llvm::Constant*> weights_;
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

std::string object_of(std::span<const ExportedTableSource> tables) {
    TableModule module;
    module.add(tables);
    return module.object();
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

ExportedCode exported_code(std::span<const Job> kernels, std::span<const ir::Program* const> programs, std::size_t number, eager::Isa level) {
    ExportedCode all;
    all.level = level;
    Code times;
    const eager::CodeFor its(level);
    const std::string prefix = "fastnp_" + std::string(eager::name_of(level)) + "_" + std::to_string(number) + "_";
    if (!kernels.empty()) add(all, make_objects(kernels, Effort::full, times, prefix));
    all.kernel_count = all.functions.size();
    for (const ir::Program* program : programs) add(all, make_object(*program, times, prefix + "program_" + std::to_string(all.functions.size())));
    return all;
}

std::string exported_library(std::span<const ExportedTableSource> tables) {
    const eager::CodeFor lowest(tables.front().code.level);
    const Folder folder;
    std::vector<std::string> files;
    const auto add_file = [&](const std::string& object) {
        files.push_back(folder.file(std::to_string(files.size()) + ".o"));
        write(files.back(), object);
    };
    for (const ExportedTableSource& table : tables) std::ranges::for_each(table.code.objects, add_file);
    add_file(object_of(tables));
    const std::string versions = folder.file("versions"), result = folder.file("library.so");
    write(versions, std::string("{ global: ") + exported_symbol + "; " + exported_symbol + "_*; local: *; };\n");
    link(files, versions, result);
    return read(result);
}

}  // namespace fastnp::codegen
