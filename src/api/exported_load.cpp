#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>
#include <utility>

#include "api/body.h"
#include "api/direct_calls.h"
#include "api/exported.h"
#include "api/guard_text.h"
#include "codegen/exported.h"
#include "eager/isa_names.h"
#include "fastnp/error.h"
#include "fastnp/exported.h"
#include "fastnp/ops.h"
#include "ops/names.h"
#include "plan/pack.h"
#include "shape/strides.h"

namespace fastnp {

using codegen::ExportedTable;

namespace {

[[noreturn]] void refuse(const std::filesystem::path& path, const std::string& why) { throw ValueError(path.string() + ": " + why); }

std::string contents_of(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    std::error_code ignored;
    if (!in || !std::filesystem::is_regular_file(path, ignored)) refuse(path, "there is no such file that can be read");
    std::string contents(static_cast<std::size_t>(std::filesystem::file_size(path, ignored)), '\0');
    in.read(contents.data(), static_cast<std::streamsize>(contents.size()));
    contents.resize(static_cast<std::size_t>(in.gcount()));
    return contents;
}

// A path to a file that no library was opened by: the system's loader takes the one it knows of a name for another file that has the name by now.
std::string new_name_of(const std::filesystem::path& path) {
    static std::atomic<unsigned> opened{0};
    const std::filesystem::path whole = std::filesystem::absolute(path);
    std::string name = whole.parent_path().string();
    for (unsigned number = ++opened; number != 0; number >>= 1U) name += number % 2 == 0 ? "/" : "/.";
    return name + "/" + whole.filename().string();
}

// A library that stays open as long as anything of it is in use.
struct Library {
    std::shared_ptr<void> handle;
    std::vector<const ExportedTable*> tables;  // one at least
};

void check(const ExportedTable& table, const std::filesystem::path& path) {
    if (std::memcmp(table.magic, codegen::exported_magic, sizeof codegen::exported_magic) != 0) refuse(path, "it is no exported function");
    if (table.format == codegen::exported_format) return;
    refuse(path, "its format is " + std::to_string(table.format) + ", and this version of fastnp reads " + std::to_string(codegen::exported_format) +
                     ": export it again, or load it by a later version");
}

Library opened(const std::filesystem::path& path) {
    const std::string why = detail::why_not_sealed(contents_of(path));
    if (!why.empty()) refuse(path, why);
    void* const handle = dlopen(new_name_of(path).c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) refuse(path, dlerror());
    Library library{{handle, [](void* held) { dlclose(held); }}};
    const auto table_at = [&](const std::string& symbol) { return static_cast<const ExportedTable*>(dlsym(handle, symbol.c_str())); };
    const std::string symbol = codegen::exported_symbol;
    for (const ExportedTable* table = table_at(symbol); table != nullptr; table = table_at(symbol + "_" + std::to_string(library.tables.size()))) {
        check(*table, path);
        library.tables.push_back(table);
    }
    if (library.tables.empty()) refuse(path, "it is no exported function");
    return library;
}

void connect(const ExportedTable& table, eager::Isa level, const std::filesystem::path& path) {
    const std::vector<void*> addresses = codegen::exported_addresses({table.external_names, table.external_bytes}, level);
    if (addresses.size() != table.external_count) refuse(path, "it is damaged");
    for (std::size_t i = 0; i < addresses.size(); ++i) {
        if (addresses[i] == nullptr) refuse(path, "it calls a function that this version of fastnp, or this machine, has not");
        table.externals[i] = addresses[i];
    }
}

device::Memory weight(base::Reader& in, void* place, const std::shared_ptr<void>& owner) {
    device::Memory memory;
    memory.dtype = ops::unpack_dtype(in);
    std::int64_t low = 0, high = static_cast<std::int64_t>(itemsize_of(memory.dtype));
    for (std::uint64_t left = in.count(); left > 0 && in.ok(); --left) {
        memory.shape.push_back(in.integer());
        memory.strides.push_back(in.integer());
        if (memory.shape.back() < 0) in.fail();
        const std::int64_t reach = (memory.shape.back() - 1) * memory.strides.back();
        (reach < 0 ? low : high) += reach;
    }
    const std::int64_t first = in.integer();
    const auto bytes = static_cast<std::int64_t>(in.number());
    const bool is_empty = in.ok() && shape::count(memory.shape) == 0;
    if (first < 0 || (!is_empty && (first + low != 0 || first + high != bytes))) in.fail();
    if (!in.ok()) return {};
    memory.data = static_cast<char*>(place) + first;
    memory.buffer = device::Buffer::borrow(place, static_cast<std::size_t>(bytes), [owner] {});
    return memory;
}

std::vector<int> numbers_below(base::Reader& in, std::size_t end) {
    std::vector<int> numbers;
    for (std::uint64_t left = in.count(); left > 0 && in.ok(); --left) {
        const std::int64_t number = in.integer();
        if (number < 0 || static_cast<std::size_t>(number) >= end) in.fail();
        numbers.push_back(static_cast<int>(number));
    }
    return numbers;
}

// A function that calls nothing of the outside.
class Alone final : public detail::Engine::Callee {
public:
    std::vector<array> record(std::span<const array> /*parameters*/) override { throw InternalError("an exported function was recorded"); }
    std::shared_ptr<const void> keep() override { return nullptr; }
};

// A function for one kind of its calls.
class Specialisation {
public:
    Specialisation(const ExportedTable& table, const std::filesystem::path& path, const std::shared_ptr<void>& library);

    detail::ExportedHeader header;
    std::shared_ptr<detail::Entry> entry = std::make_shared<detail::Entry>();

    /// Copies of the arguments that are to lie in C's order and do not, whose places they take.
    std::vector<array> copy_others(std::span<detail::Argument> call) const;
    bool serves(std::span<const detail::Argument> call, std::int64_t* values) const { return entry->serves(call, entry->signature.key, {}, values); }
    std::vector<array> run(std::span<const detail::Argument> call, std::int64_t* values) const;
    /// Throws why it does not serve a call.
    [[noreturn]] void refuse_call(std::span<const detail::Argument> arguments) const;
    std::vector<ExportedArray> parameters() const;
    std::vector<ExportedArray> results() const;

private:
    std::string name_of(std::size_t argument) const {
        return argument < header.parameters.size() ? "'" + header.parameters[argument] + "'" : std::to_string(argument);
    }

    std::vector<std::size_t> shown_;  // results that are weights, or views of them: nobody may write to these
};

Specialisation::Specialisation(const ExportedTable& table, const std::filesystem::path& path, const std::shared_ptr<void>& library) {
    base::Reader in({table.payload, table.payload_bytes});
    header = detail::unpack_header(in);
    entry->signature = detail::unpack_signature(in);
    const std::span<const codegen::KernelFunction> functions(table.functions, table.kernel_count + table.program_count);
    const std::shared_ptr<plan::Plan> plan = plan::unpack_plan(in, functions.first(table.kernel_count), functions.subspan(table.kernel_count), library);
    const std::uint64_t weights = in.count();
    if (weights != table.weight_count) in.fail();
    for (std::uint64_t i = 0; i < weights && in.ok(); ++i) entry->captured.push_back(weight(in, table.weights[i], library));
    const std::size_t parameters = entry->signature.arguments.size() + entry->captured.size(), outputs = plan ? plan->outputs.size() : 0;
    entry->written = numbers_below(in, parameters);
    for (const int part : numbers_below(in, 2 * outputs)) entry->parts.push_back({part / 2, part % 2 != 0});
    entry->read_only = numbers_below(in, outputs);
    entry->used = numbers_below(in, parameters);
    entry->has_floats = in.below(2) != 0;
    if (plan) {
        for (const plan::Slot& slot : plan->slots) {
            if (slot.kind == plan::Slot::Kind::argument && static_cast<std::size_t>(slot.number) >= parameters) in.fail();
        }
        if (plan->sizes.size() > detail::most_values || plan->sizes.symbol_count() > entry->signature.symbols.size()) in.fail();
    }
    if (!in.at_end()) refuse(path, "it is damaged, or of another version of fastnp");
    entry->plan = std::move(*plan);
    for (std::size_t i = 0; i < outputs; ++i) {
        const plan::Slot& slot = entry->plan.slots[static_cast<std::size_t>(entry->plan.outputs[i].slot)];
        if (slot.kind == plan::Slot::Kind::argument && static_cast<std::size_t>(slot.number) >= entry->signature.arguments.size()) shown_.push_back(i);
    }
}

void Specialisation::refuse_call(std::span<const detail::Argument> arguments) const {
    SmallVector<detail::Argument, 16> call(arguments);
    const std::vector<array> copies = copy_others({call.data(), call.size()});  // layouts are no reason but of what is written to
    const compiler::Signature& signature = entry->signature;
    if (call.size() != signature.arguments.size()) {
        throw TypeError(header.name + "() takes " + std::to_string(signature.arguments.size()) + " arrays, and was given " + std::to_string(call.size()));
    }
    for (std::size_t i = 0; i < call.size(); ++i) {
        const compiler::ArgumentGuard& guard = signature.arguments[i];
        if (guard.dtype != call[i].dtype) {
            throw TypeError(header.name + "(): argument " + name_of(i) + " has dtype " + std::string(fastnp::name_of(call[i].dtype)) +
                            ", and it was exported for " + std::string(fastnp::name_of(guard.dtype)));
        }
    }
    for (const int number : entry->written) {
        if (!call[static_cast<std::size_t>(number)].writable) {
            throw ValueError(header.name + "(): argument " + name_of(static_cast<std::size_t>(number)) + " is written to, and is read-only");
        }
    }
    const std::span<const detail::Argument> given(call.data(), call.size());
    if (entry->writes_shared(given)) throw ValueError(header.name + "(): an array that it writes to shares memory with another argument");
    std::string wanted;
    for (const std::string& line : signature.describe()) wanted += "\n  " + line;
    for (const shape::SizeGuard& guard : entry->plan.sizes.guards()) wanted += "\n  " + detail::guard_text(guard, entry->plan.sizes);
    std::string reason = signature.mismatch(given, signature.key).reason;
    constexpr std::string_view numbered = "argument ";
    if (reason.starts_with(numbered)) {
        const std::size_t end = reason.find(':');
        reason.replace(numbered.size(), end - numbered.size(), name_of(std::stoul(reason.substr(numbered.size(), end - numbered.size()))));
    }
    throw ValueError(header.name + "(): " + reason + "; it was exported for" + wanted);
}

std::vector<array> Specialisation::copy_others(std::span<detail::Argument> call) const {
    const std::vector<compiler::ArgumentGuard>& guards = entry->signature.arguments;
    std::vector<array> copies;
    for (std::size_t i = 0; i < call.size() && i < guards.size(); ++i) {
        if (!guards[i].contiguous || compiler::is_c_contiguous(call[i])) continue;
        if (std::ranges::find(entry->written, static_cast<int>(i)) != entry->written.end()) continue;
        const Shape shape(call[i].shape, call[i].shape + call[i].rank);
        copies.push_back(array::uninitialized(call[i].dtype, shape));
        copyto(copies.back(), array::from_memory(call[i].data, call[i].dtype, shape, Strides(call[i].strides, call[i].strides + call[i].rank)));
        detail::borrow(copies.back(), call[i]);
    }
    return copies;
}

std::vector<array> Specialisation::run(std::span<const detail::Argument> call, std::int64_t* values) const {
    Alone alone;
    std::vector<array> results;
    const plan::Outcome outcome = entry->run(call, values, alone, results);
    if (outcome.error) std::rethrow_exception(outcome.error);
    if (outcome.kind != plan::Outcome::Kind::done) {
        throw ValueError(header.name + "(): sizes that depend on values are others than it was exported for");
    }
    for (const std::size_t number : shown_) results[number].body()->writable = false;
    return results;
}

std::string tuple_of(const std::string& sizes, std::size_t count) { return "(" + sizes + (count == 1 ? ",)" : ")"); }

std::vector<ExportedArray> Specialisation::results() const {
    const plan::Plan& plan = entry->plan;
    std::vector<ExportedArray> all;
    for (std::size_t i = 0; i < plan.outputs.size(); ++i) {
        std::string sizes;
        for (const shape::Dim dim : plan.outputs[i].shape) sizes += (sizes.empty() ? "" : ", ") + plan.sizes.text(dim);
        all.push_back({std::to_string(i), std::string(fastnp::name_of(plan.outputs[i].dtype)), tuple_of(sizes, plan.outputs[i].shape.size())});
    }
    return all;
}

std::vector<ExportedArray> Specialisation::parameters() const {
    std::vector<ExportedArray> all;
    const compiler::Signature& signature = entry->signature;
    for (std::size_t i = 0; i < signature.arguments.size(); ++i) {
        const compiler::ArgumentGuard& guard = signature.arguments[i];
        std::string shape;
        for (const compiler::Extent& extent : guard.shape) {
            shape += (shape.empty() ? "" : ", ") +
                     (extent.symbol < 0 ? std::to_string(extent.value) : signature.symbols[static_cast<std::size_t>(extent.symbol)].name);
        }
        const bool has_name = i < header.parameters.size();
        all.push_back(
            {has_name ? header.parameters[i] : std::to_string(i), std::string(fastnp::name_of(guard.dtype)), tuple_of(shape, guard.shape.size())});
    }
    return all;
}

// Whether calls of the second kind can be written as calls of the first: with sizes in the places of what varies.
bool takes(const compiler::Signature& general, const compiler::Signature& special) {
    return std::ranges::equal(general.arguments, special.arguments, [](const compiler::ArgumentGuard& a, const compiler::ArgumentGuard& b) {
        const auto fits = [](const compiler::Extent& x, const compiler::Extent& y) { return x.symbol >= 0 || (y.symbol < 0 && x.value == y.value); };
        return a.dtype == b.dtype && std::ranges::equal(a.shape, b.shape, fits);
    });
}

std::string header_of(std::span<const Specialisation> all) {
    std::vector<detail::HeaderFunction> functions;
    for (const Specialisation& each : all) {
        const auto takes_it = [&](const detail::HeaderFunction& other) {
            return other.header.name == each.header.name && takes(other.signature, each.entry->signature);
        };
        if (std::ranges::any_of(functions, takes_it)) continue;
        std::vector<std::string> gives;
        for (const ExportedArray& result : each.results()) gives.push_back(result.dtype + result.shape);
        std::vector<Dtype> dtypes;
        for (const auto& output : each.entry->plan.outputs) dtypes.push_back(output.dtype);
        functions.push_back({each.header, each.entry->signature, std::move(gives), std::move(dtypes), each.entry->written});
    }
    return detail::c_header(functions);
}

detail::ExportedHeader header_of(const ExportedTable& table, const std::filesystem::path& path) {
    base::Reader in({table.payload, table.payload_bytes});
    detail::ExportedHeader header = detail::unpack_header(in);
    if (!in.ok()) refuse(path, "it is damaged, or of another version of fastnp");
    return header;
}

// The specialisations of a function, or of all, for one level of processors.
std::vector<Specialisation> specialisations_of(const Library& library, const std::filesystem::path& path, const std::string* name, std::string_view isa) {
    std::vector<Specialisation> all;
    for (const ExportedTable* table : library.tables) {
        const detail::ExportedHeader header = header_of(*table, path);
        if (header.isa == isa && (name == nullptr || header.name == *name)) all.emplace_back(*table, path, library.handle);
    }
    return all;
}

// A library that this machine can run.
struct Connected {
    std::vector<std::string> names;  // of functions
    eager::Isa level{};              // the best one
};

// Checks that there is code for this machine, and gives it the addresses of what it calls.
Connected connected(const Library& library, const std::filesystem::path& path) {
    Connected found;
    std::string least;
    for (const ExportedTable* table : library.tables) {
        const detail::ExportedHeader header = header_of(*table, path);
        if (least.empty()) least = header.isa;
        const std::optional<eager::Isa> level = eager::isa_named(header.isa);
        if (!level || *level > eager::host_isa()) {
            if (header.isa == least) refuse(path, "it is for processors with the instruction set " + header.isa + ", which this one lacks");
            continue;
        }
        found.level = std::max(found.level, *level);
        if (table->external_count > 0) connect(*table, *level, path);
        if (std::ranges::find(found.names, header.name) == found.names.end()) found.names.push_back(header.name);
    }
    return found;
}

}  // namespace

struct Exported::Impl {
    std::vector<std::string> names;
    std::string isa;
    std::vector<Specialisation> all;  // of this function; at least one
    const std::uint64_t number = detail::next_function();  // of those that know their last calls (direct_calls.h)

    const Specialisation& first() const { return all.front(); }
    const Specialisation& at(std::size_t specialisation) const {
        if (specialisation < all.size()) return all[specialisation];
        throw IndexError(first().header.name + "() has " + std::to_string(all.size()) + " specialisations, and no number " +
                         std::to_string(specialisation));
    }
    [[noreturn]] void refuse_call(std::span<const detail::Argument> call) const;
};

// Each one's reason; a TypeError where all of them are such.
void Exported::Impl::refuse_call(std::span<const detail::Argument> call) const {
    if (all.size() == 1) first().refuse_call(call);
    std::string reasons;
    bool are_types = true;
    for (const Specialisation& each : all) {
        try {
            each.refuse_call(call);
        } catch (const TypeError& error) {
            reasons += "\n" + std::string(error.what());
        } catch (const ValueError& error) {
            are_types = false;
            reasons += "\n" + std::string(error.what());
        }
    }
    const std::string whole = first().header.name + "(): none of its " + std::to_string(all.size()) + " specialisations serves this call:" + reasons;
    if (are_types) throw TypeError(whole);
    throw ValueError(whole);
}

Exported::Exported(const std::filesystem::path& path, const std::string& name) {
    auto made = std::make_shared<Impl>();
    const Library library = opened(path);
    const Connected found = connected(library, path);
    made->names = found.names;
    made->isa = name_of(found.level);
    const std::string& wanted = name.empty() ? made->names.front() : name;
    made->all = specialisations_of(library, path, &wanted, made->isa);
    if (made->all.empty()) {
        std::string all;
        for (const std::string& each : made->names) all += (all.empty() ? "" : ", ") + each;
        refuse(path, "it has no function '" + name + "', but " + all);
    }
    impl_ = std::move(made);
}

std::vector<array> Exported::operator()(std::span<const array> arguments) const {
    SmallVector<detail::Argument, 8> call;
    for (const array& each : arguments) {
        detail::Argument argument{};
        if (!detail::borrow(each, argument)) throw RecordError(name() + "() is an exported function, which can't be recorded");
        call.push_back(argument);
    }
    std::vector<array> results;
    this->call({call.data(), call.size()}, results);
    return results;
}

void Exported::call(std::span<const detail::Argument> arguments, std::vector<array>& results) const {
    if (detail::serve_directly(impl_->number, arguments, {}, results)) return;
    std::array<std::int64_t, detail::most_values> values;
    const auto run = [&](const Specialisation& one, std::span<const detail::Argument> given) {
        std::vector<array> made = one.run(given, values.data());
        results.insert(results.end(), std::make_move_iterator(made.begin()), std::make_move_iterator(made.end()));
        detail::note_served(impl_->number, given, {}, one.entry);
    };
    for (const Specialisation& each : impl_->all) {
        if (each.serves(arguments, values.data())) return run(each, arguments);
    }
    for (const Specialisation& each : impl_->all) {
        SmallVector<detail::Argument, 16> call(arguments);
        const std::vector<array> copies = each.copy_others({call.data(), call.size()});
        if (!copies.empty() && each.serves({call.data(), call.size()}, values.data())) return run(each, {call.data(), call.size()});
    }
    impl_->refuse_call(arguments);
}

const std::string& Exported::name() const { return impl_->first().header.name; }
const std::vector<std::string>& Exported::names() const { return impl_->names; }
const std::string& Exported::isa() const { return impl_->isa; }
std::size_t Exported::specialisation_count() const { return impl_->all.size(); }
std::size_t Exported::parameter_count() const { return impl_->first().entry->signature.arguments.size(); }
const std::vector<int>& Exported::written() const { return impl_->first().entry->written; }
std::size_t Exported::result_count() const { return impl_->first().entry->plan.outputs.size(); }
const std::string& Exported::structure() const { return impl_->first().header.structure; }
std::vector<ExportedArray> Exported::parameters(std::size_t specialisation) const { return impl_->at(specialisation).parameters(); }
std::vector<ExportedArray> Exported::results(std::size_t specialisation) const { return impl_->at(specialisation).results(); }
std::string Exported::header() const { return header_of(impl_->all); }

std::string detail::header_of_library(const std::filesystem::path& path) {
    const Library library = opened(path);
    const std::string least = header_of(*library.tables.front(), path).isa;
    return header_of(specialisations_of(library, path, nullptr, least));
}

}  // namespace fastnp
