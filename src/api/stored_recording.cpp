// Recordings as bytes: they are kept on disk, so that another process need not record.
#include <chrono>
#include <cstring>
#include <filesystem>
#include <set>

#include "api/entry.h"
#include "api/record_call.h"
#include "codegen/store.h"
#include "codegen/tells_lines.h"
#include "device/movable.h"
#include "shape/strides.h"

namespace fastnp::detail {

namespace {

constexpr std::size_t largest_constant = std::size_t{1} << 20;  // bytes

std::size_t bytes_of(const device::Memory& memory) {
    std::int64_t count = itemsize_of(memory.dtype);
    for (const std::int64_t size : memory.shape) count *= size;
    return static_cast<std::size_t>(count);
}

// Whether its elements are all that lies between the first and the last one.
bool is_dense(const device::Memory& memory) {
    std::int64_t end = itemsize_of(memory.dtype);
    for (std::size_t i = 0; i < memory.shape.size(); ++i) {
        if (memory.shape[i] > 1 && memory.strides[i] < 0) return false;
        if (memory.shape[i] > 1) end += (memory.shape[i] - 1) * memory.strides[i];
    }
    return bytes_of(memory) == 0 || (static_cast<std::size_t>(end) == bytes_of(memory) && !shape::repeats(memory.shape, memory.strides));
}

void pack(const device::Memory& memory, base::Writer& out) {
    out.number(static_cast<std::uint64_t>(memory.dtype));
    out.number(memory.shape.size());
    for (std::size_t i = 0; i < memory.shape.size(); ++i) {
        out.integer(memory.shape[i]);
        out.integer(memory.strides[i]);
    }
    device::use_on_host(memory.data, device::Access::read);
    out.text({static_cast<const char*>(memory.data), bytes_of(memory)});
}

device::Memory unpack_memory(base::Reader& in) {
    device::Memory memory;
    memory.dtype = static_cast<Dtype>(in.below(static_cast<std::uint64_t>(dtype_count)));
    for (std::uint64_t left = in.count(); left > 0; --left) {
        memory.shape.push_back(in.integer());
        memory.strides.push_back(in.integer());
    }
    const std::string_view bytes = in.text();
    if (!in.ok() || bytes.size() != bytes_of(memory) || !is_dense(memory)) {
        in.fail();
        return {};
    }
    memory.buffer = device::Buffer::allocate(bytes.size());
    memory.data = memory.buffer->data();
    if (!bytes.empty()) std::memcpy(memory.data, bytes.data(), bytes.size());
    return memory;
}

void note_files(const ir::Graph& graph, std::set<std::string>& files) {
    for (const ir::Value value : ir::nodes_of(graph)) {
        if (value->where) files.insert(ir::line_of(value->where).file);
    }
    for (const auto& body : graph.bodies()) note_files(body->graph, files);
}

// How a file of the user's is told from what it was before: its time and size; 0 and 0 where there is no such file.
std::pair<std::int64_t, std::uint64_t> state_of(const std::string& file) {
    std::error_code error;
    const auto size = std::filesystem::file_size(file, error);
    if (error) return {0, 0};
    const auto time = std::filesystem::last_write_time(file, error);
    return error ? std::pair<std::int64_t, std::uint64_t>() : std::pair(std::int64_t{time.time_since_epoch().count()}, std::uint64_t{size});
}

// With the user's lines, and the state of the files that they are in.
void pack_graph(const ir::Graph& graph, base::Writer& out) {
    std::set<std::string> files;
    note_files(graph, files);
    out.number(files.size());
    for (const std::string& file : files) {
        out.text(file);
        out.integer(state_of(file).first);
        out.number(state_of(file).second);
    }
    graph.pack(out, true);
}

// Without lines where a file is another one by now: code that is the same may be elsewhere in it. Where code tells of lines, it is recorded anew.
ir::Graph unpack_graph(base::Reader& in) {
    bool are_known = true;
    for (std::uint64_t left = in.count(); left > 0 && in.ok(); --left) {
        const auto now = state_of(std::string(in.text()));
        const std::int64_t time = in.integer();
        are_known = in.number() == now.second && time == now.first && time != 0 && are_known;
    }
    ir::Graph graph = ir::Graph::unpack(in);
    if (!are_known && codegen::tells_lines()) in.fail();
    if (are_known || !in.ok()) return graph;
    base::Writer without;
    graph.pack(without);
    base::Reader again(without.bytes());
    return ir::Graph::unpack(again);
}

void pack(const compiler::Extent& extent, base::Writer& out) {
    out.integer(extent.symbol);
    out.integer(extent.symbol < 0 ? extent.value : 0);
}

}  // namespace

std::string recording_name(const std::string& identity, const std::string& backend, const compiler::Signature& signature, std::span<const Argument> call,
                           const std::vector<trace::Found>& known) {
    if (identity.empty() || trace::Recorder::disallows()) return {};
    base::Writer out;
    const device::Backend* home = device_of(call);
    out.text("recording for " + (home == nullptr ? backend : backend + " of " + home->name()));
    out.text(identity);
    for (std::size_t i = 0; i < signature.arguments.size(); ++i) {
        const compiler::ArgumentGuard& guard = signature.arguments[i];
        out.number(static_cast<std::uint64_t>(guard.dtype));
        out.number((guard.contiguous ? 1 : 0) + (call[i].writable ? 2 : 0));
        out.number(guard.shape.size());
        for (const compiler::Extent& extent : guard.shape) pack(extent, out);
        out.number(guard.strides.size());
        for (const compiler::Extent& extent : guard.strides) pack(extent, out);
    }
    for (const compiler::Symbol& symbol : signature.symbols) {
        out.text(symbol.name);
        for (const std::int64_t number : {symbol.low, symbol.high, symbol.multiple_of}) out.integer(number);
    }
    for (const trace::Found& found : known) {
        if (found.called) return {};
        ir::pack(found.value, out);
    }
    return out.bytes();
}

std::optional<std::string> pack(const Recording& recording, std::string_view kept) {
    if (!recording.owns_captured) return std::nullopt;
    base::Writer out;
    pack_graph(recording.graph, out);
    out.number(recording.strides.size());
    for (const shape::Dims& strides : recording.strides) shape::pack(strides, out);
    out.number(recording.captured.size());
    for (const device::Memory& memory : recording.captured) {
        if (!is_dense(memory) || bytes_of(memory) > largest_constant) return std::nullopt;
        pack(memory, out);
    }
    out.number(recording.written.size());
    for (const int number : recording.written) out.number(static_cast<std::uint64_t>(number));
    out.number(recording.parts.size());
    for (const Part& part : recording.parts) out.number(2 * static_cast<std::uint64_t>(part.output) + (part.imaginary ? 1 : 0));
    out.number(recording.read_only.size());
    for (const int number : recording.read_only) out.number(static_cast<std::uint64_t>(number));
    out.number(recording.reads.size());
    for (const trace::Read& read : recording.reads) {
        ir::pack(read.value, out);
        out.number(static_cast<std::uint64_t>(read.bound));
        out.number(static_cast<std::uint64_t>(read.call) + 1);
    }
    out.text(kept);
    return out.bytes();
}

std::optional<std::pair<Recording, std::string>> unpack_recording(std::string_view bytes) {
    const auto start = std::chrono::steady_clock::now();
    base::Reader in(bytes);
    Recording recording;
    recording.graph = unpack_graph(in);
    const std::size_t parameters = recording.graph.parameters().size();
    for (std::uint64_t left = in.count(); left > 0; --left) recording.strides.push_back(shape::unpack_dims(recording.graph.sizes(), in));
    for (std::uint64_t left = in.count(); left > 0 && in.ok(); --left) recording.captured.push_back(unpack_memory(in));
    for (std::uint64_t left = in.count(); left > 0; --left) recording.written.push_back(static_cast<int>(in.below(parameters)));
    const std::size_t outputs = recording.graph.outputs().size();
    for (std::uint64_t left = in.count(); left > 0; --left) {
        const std::uint64_t part = in.below(2 * outputs);
        recording.parts.push_back({static_cast<int>(part / 2), part % 2 != 0});
    }
    for (std::uint64_t left = in.count(); left > 0; --left) recording.read_only.push_back(static_cast<int>(in.below(outputs)));
    for (std::uint64_t left = in.count(); left > 0; --left) {
        const Scalar value = ir::unpack_scalar(in);
        const auto bounds = static_cast<std::uint64_t>(recording.graph.sizes().bound_count());
        const std::uint64_t bound = in.below(bounds + 1);
        const std::uint64_t call = in.below(recording.graph.calls().size() + 1);
        recording.reads.push_back({value, static_cast<int>(bound), static_cast<int>(call) - 1});
    }
    std::string kept(in.text());
    if (!in.at_end() || recording.strides.size() != parameters || recording.captured.size() > parameters) return std::nullopt;
    recording.times.emplace_back("load recording", std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
    return std::pair(std::move(recording), std::move(kept));
}

bool keeps_notes() { return codegen::keeps_files(); }
std::optional<std::string> kept_note(std::string_view name) { return codegen::load_bytes(std::string("note ") + std::string(name)); }
void keep_note(std::string_view name, std::string_view note) { codegen::store_bytes(std::string("note ") + std::string(name), note); }

}  // namespace fastnp::detail
