#include "simulated/backend.h"

#include <algorithm>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "eager/eager.h"
#include "fastnp/error.h"
#include "simulated/factorise.h"
#include "simulated/program.h"

namespace fastnp::simulated {

namespace {

constexpr std::size_t most_waiting = 64;
constexpr std::size_t most_waiting_bytes = std::size_t{32} << 20;

class LoadedModule final : public device::Module {
public:
    LoadedModule(const std::string& text, const std::vector<std::string>& symbols) : program(std::make_shared<const Program>(text, symbols)) {}
    std::shared_ptr<const Program> program;  // launches that wait own it, too
};

[[noreturn]] void fail(const std::string& what) { throw InternalError("simulated device: " + what); }

bool is_filled(const char* begin, const char* end, unsigned char pattern) {
    return std::all_of(begin, end, [pattern](char each) { return static_cast<unsigned char>(each) == pattern; });
}

}  // namespace

Backend::Backend(int number, std::size_t memory_bytes) : number_(number), memory_bytes_(memory_bytes) {}

Backend::~Backend() = default;

// Memory.
void* Backend::allocate(std::size_t bytes) {
    const std::scoped_lock lock(mutex_);
    if (queue_of(ours).waiting.size() >= most_waiting) work_off();
    const std::size_t needed = Memory::page_bytes_for(std::min(bytes, memory_bytes_));
    if (memory_.live_bytes() + memory_.held_bytes() + needed > memory_bytes_) {
        work_off();
        memory_.trim();
    }
    const bool fits = bytes <= memory_bytes_ && memory_.live_bytes() + needed <= memory_bytes_;
    Block* block = fits ? memory_.allocate(bytes) : nullptr;
    if (block == nullptr) throw MemoryError("Unable to allocate " + std::to_string(bytes) + " bytes for an array on device '" + name() + "'");
    fill_new(*block);
    return block->begin;
}

void Backend::fill_new(Block& block) {
    char* const end = block.pages + block.page_bytes;
    put(ours, {{&block}, [pages = block.pages, begin = block.begin, bytes = block.bytes, end, is_fresh = block.is_fresh] {
                   std::memset(pages, margin_pattern, static_cast<std::size_t>(begin - pages));
                   if (is_fresh) std::memset(begin, fresh_pattern, bytes);
                   std::memset(begin + bytes, margin_pattern, static_cast<std::size_t>(end - begin) - bytes);
               }});
}

void Backend::free(void* memory, std::size_t bytes) noexcept {
    const std::scoped_lock lock(mutex_);
    Block* block = memory_.find(memory);
    if (block == nullptr || block->begin != memory || block->bytes != bytes) {
        std::fprintf(stderr, "fastnp: %zu bytes at %p are freed, which are no memory of a simulated device\n", bytes, memory);
        std::abort();
    }
    memory_.free(*block);
    // Not by ask(), which may do work, and so raise.
    put(ours, {{block}, [was = *block] {
                   const char* const end = was.pages + was.page_bytes;
                   const bool intact = is_filled(was.pages, was.begin, margin_pattern) && is_filled(was.begin + was.bytes, end, margin_pattern);
                   std::memset(was.pages, freed_pattern, was.page_bytes);
                   if (!intact) throw DeviceError("simulated device: a kernel stored beyond " + std::to_string(was.bytes) + " bytes that it was given");
               }});
}

void Backend::trim() {
    const std::scoped_lock lock(mutex_);
    work_off();
    memory_.trim();
}

void Backend::limit_memory(std::size_t bytes) {
    const std::scoped_lock lock(mutex_);
    memory_bytes_ = bytes;
}

// Work.
void Backend::ask(Work work, std::size_t bytes) {
    put(ours, std::move(work));
    waiting_bytes_ += bytes;
    if (queue_of(ours).waiting.size() >= most_waiting || waiting_bytes_ >= most_waiting_bytes) work_off();
}

void Backend::put(Stream stream, Work work) {
    Queue& queue = queue_of(stream);
    queue.waiting.push_back(std::move(work));
    ++queue.asked;
}

Backend::Queue& Backend::queue_of(Stream stream) {
    const auto [found, is_new] = queues_.try_emplace(stream);
    if (is_new && stream != ours && all_wait_ != 0) put(stream, {{}, [this] { run(ours, all_wait_); }});
    return found->second;
}

// In order, to the end also after an error.
void Backend::run(Stream stream, std::size_t until) {
    Queue& queue = queue_of(stream);
    while (queue.done < until) {
        const Work work = std::move(queue.waiting.front());
        queue.waiting.pop_front();
        ++queue.done;
        for (Block* block : work.blocks) {
            if (!block->is_open) open_.push_back(block);
            memory_.open(*block);
        }
        try {
            work.run();
        } catch (const DeviceError&) {
            if (problem_ == nullptr) problem_ = std::current_exception();
        }
    }
}

// All of a stream; the first error is raised.
void Backend::finish(Stream stream) {
    run(stream, queue_of(stream).asked);
    for (Block* block : open_) memory_.close(*block);
    open_.clear();
    if (stream == ours) waiting_bytes_ = 0;
    if (const auto problem = std::exchange(problem_, nullptr); problem != nullptr) std::rethrow_exception(problem);
}

// Time.
namespace {

struct Moment final : device::Moment {
    explicit Moment(std::size_t number) : asked(number) {}
    std::size_t asked;
};

}  // namespace

std::unique_ptr<device::Moment> Backend::moment() {
    const std::scoped_lock lock(mutex_);
    return std::make_unique<Moment>(queue_of(ours).asked);
}

double Backend::milliseconds(const device::Moment& from, const device::Moment& to) {
    const std::size_t first = dynamic_cast<const Moment&>(from).asked, last = dynamic_cast<const Moment&>(to).asked;
    if (first > last) fail("the time between a moment and an earlier one");
    const std::scoped_lock lock(mutex_);
    work_off();
    return static_cast<double>(last - first);
}

// Streams.
void Backend::wait_for(Stream stream) {
    const std::scoped_lock lock(mutex_);
    fences_ += stream == every_stream ? "waits for all, " : "waits for " + std::to_string(stream) + ", ";
    if (stream != every_stream) (void)queue_of(stream);
    for (const auto& [each, queue] : queues_) {
        if (each == ours || (stream != every_stream && each != stream)) continue;
        put(ours, {{}, [this, each = each, asked = queue.asked] { run(each, asked); }});
    }
}

void Backend::let_wait(Stream stream) {
    const std::scoped_lock lock(mutex_);
    fences_ += stream == every_stream ? "all wait, " : std::to_string(stream) + " waits, ";
    const std::size_t until = queue_of(ours).asked;
    if (stream == every_stream) all_wait_ = until;
    else (void)queue_of(stream);
    for (auto& [each, queue] : queues_) {
        if (each != ours && (stream == every_stream || each == stream)) put(each, {{}, [this, until] { run(ours, until); }});
    }
}

std::string Backend::fences() {
    const std::scoped_lock lock(mutex_);
    return std::exchange(fences_, {});
}

// Profilers.
void Backend::begin_range(const std::string& name) {
    const std::scoped_lock lock(mutex_);
    ranges_ += name + "(";
}

void Backend::end_range() noexcept {
    const std::scoped_lock lock(mutex_);
    ranges_ += ")";
}

std::string Backend::ranges() {
    const std::scoped_lock lock(mutex_);
    return std::exchange(ranges_, {});
}

// Other libraries.
void Backend::foreign_write(Stream stream, void* to, const void* from, std::size_t bytes) {
    const std::scoped_lock lock(mutex_);
    const auto* begin = static_cast<const char*>(from);
    put(stream, {{&block_of(to, bytes, "write")}, [to, kept = std::vector<char>(begin, begin + bytes)] { std::memcpy(to, kept.data(), kept.size()); }});
}

void Backend::foreign_read(Stream stream, void* to, const void* from, std::size_t bytes) {
    const std::scoped_lock lock(mutex_);
    put(stream, {{&block_of(from, bytes, "read")}, [to, from, bytes] { std::memcpy(to, from, bytes); }});
    finish(stream);
}

void Backend::foreign_free(Stream stream, void* memory, std::size_t bytes) {
    const std::scoped_lock lock(mutex_);
    Block& block = block_of(memory, bytes, "free");
    put(stream, {{&block}, [pages = block.pages, all = block.page_bytes] { std::memset(pages, freed_pattern, all); }});
    finish(stream);
    memory_.free(block);
}

void Backend::synchronize() {
    const std::scoped_lock lock(mutex_);
    work_off();
}

std::size_t Backend::waiting() const {
    const std::scoped_lock lock(mutex_);
    const auto found = queues_.find(ours);
    return found == queues_.end() ? 0 : found->second.waiting.size();
}

// Copies.
Block& Backend::block_of(const void* memory, std::size_t bytes, const char* what) {
    Block* block = memory_.find(memory);
    const auto* begin = static_cast<const char*>(memory);
    if (block == nullptr || begin + bytes > block->begin + block->bytes) {
        fail(std::string(what) + " of " + std::to_string(bytes) + " bytes that are not in one piece of the device's memory");
    }
    return *block;
}

void Backend::refuse(const void* host, const char* what) const {
    if (memory_.owns(host)) fail(std::string(what) + ": an address of the device where one of the host should be");
}

void Backend::upload(void* to, const void* from, std::size_t bytes) {
    if (bytes == 0) return;
    const std::scoped_lock lock(mutex_);
    refuse(from, "upload");
    Block& block = block_of(to, bytes, "upload");
    const auto* begin = static_cast<const char*>(from);
    auto kept = std::make_shared<std::vector<char>>(begin, begin + bytes);
    ++statistics_.uploads;
    statistics_.uploaded_bytes += bytes;
    ask({{&block}, [to, kept] { std::memcpy(to, kept->data(), kept->size()); }}, bytes);
}

void Backend::download(void* to, const void* from, std::size_t bytes) {
    const std::scoped_lock lock(mutex_);
    if (bytes == 0) return;
    refuse(to, "download");
    Block& block = block_of(from, bytes, "download");
    ++statistics_.downloads;
    statistics_.downloaded_bytes += bytes;
    put(ours, {{&block}, [to, from, bytes] { std::memcpy(to, from, bytes); }});
    work_off();
}

void Backend::copy(void* to, const void* from, std::size_t bytes) {
    if (bytes == 0) return;
    const std::scoped_lock lock(mutex_);
    Block& source = block_of(from, bytes, "copy");
    Block& target = block_of(to, bytes, "copy");
    const auto* a = static_cast<const char*>(from);
    const auto* b = static_cast<const char*>(to);
    if (a < b + bytes && b < a + bytes) fail("copy of memory to itself");
    ask({{&source, &target}, [to, from, bytes] { std::memcpy(to, from, bytes); }});
}

// Its work first, all of it: one device's work does not wait for another's in between.
bool Backend::copy_from(device::Backend& other, void* to, const void* from, std::size_t bytes) {
    auto& source = dynamic_cast<Backend&>(other);
    if (bytes == 0) return true;
    std::vector<char> found(bytes);
    {
        const std::scoped_lock lock(source.mutex_);
        Block& block = source.block_of(from, bytes, "copy to another device");
        source.put(ours, {{&block}, [to = found.data(), from, bytes] { std::memcpy(to, from, bytes); }});
        source.work_off();
    }
    const std::scoped_lock lock(mutex_);
    Block& block = block_of(to, bytes, "copy from another device");
    ++statistics_.peer_copies;
    statistics_.peer_bytes += bytes;
    ask({{&block}, [to, kept = std::make_shared<std::vector<char>>(std::move(found))] { std::memcpy(to, kept->data(), kept->size()); }}, bytes);
    return true;
}

void Backend::clear(void* memory, std::size_t bytes) {
    if (bytes == 0) return;
    const std::scoped_lock lock(mutex_);
    Block& block = block_of(memory, bytes, "clear");
    ask({{&block}, [memory, bytes] { std::memset(memory, 0, bytes); }});
}

// Products, by the host's kernel.
namespace {

using device::Contraction;
using device::Matrices;

// As BLAS asks: rows or columns lie side by side, the others at least as far apart as they are long.
bool is_walkable(const Matrices& m, std::int64_t rows, std::int64_t columns) {
    const bool in_rows = (m.column_stride == 1 || columns == 1) && (m.row_stride >= columns || rows == 1);
    const bool in_columns = (m.row_stride == 1 || rows == 1) && (m.column_stride >= rows || columns == 1);
    return m.step >= 0 && m.row_stride >= 0 && m.column_stride >= 0 && (in_rows || in_columns);
}

eager::View view_of(const Contraction& contraction, const Matrices& m, std::int64_t rows, std::int64_t columns) {
    const auto size = static_cast<std::int64_t>(itemsize_of(contraction.dtype));
    return {m.data, contraction.dtype, {contraction.count, rows, columns}, {m.step * size, m.row_stride * size, m.column_stride * size}};
}

// Without addresses.
Contraction kind_of(Contraction contraction) {
    contraction.x.data = contraction.y.data = contraction.out.data = contraction.c.data = nullptr;
    return contraction;
}
device::Transform kind_of(device::Transform transform) {
    transform.from.data = transform.to.data = nullptr;
    return transform;
}

// The bytes from a view's first element to its last one's end; strides are not negative.
std::size_t bytes_of(const eager::View& view) {
    auto bytes = static_cast<std::int64_t>(itemsize_of(view.dtype));
    for (std::size_t i = 0; i < view.shape.size(); ++i) bytes += (view.shape[i] - 1) * view.strides[i];
    return static_cast<std::size_t>(bytes);
}

// The first element of each line, and the middle one of an even number of points, must be real: libraries may make use of other parts.
void require_real_ends(const eager::View& x, std::int64_t points) {
    for (std::int64_t line = 0; line < x.shape[0]; ++line) {
        for (const std::int64_t at : {std::int64_t{0}, points % 2 == 0 ? points / 2 : 0}) {
            std::complex<double> element;
            eager::copy({static_cast<char*>(x.data) + line * x.strides[0] + at * x.strides[1], x.dtype, {}, {}}, {&element, complex128, {}, {}});
            if (element.imag() != 0) throw DeviceError("simulated device: a transform to real points, of elements that no real points have");
        }
    }
}

void overwrite(const eager::View& x) {
    std::complex<double> nothing(-1e30, 1e30);
    eager::copy({&nothing, complex128, x.shape, {0, 0}}, x);
}

}  // namespace

std::string Backend::lacks_products(Dtype dtype) {
    if (!has_libraries_) return "this simulated device has no libraries";
    return is_floating(dtype) || is_complex(dtype) ? "" : "no library has products of " + std::string(name_of(dtype));
}

bool Backend::contract(const Contraction& contraction) {
    const auto& [dtype, rows, inner, columns, count, x, y, out, added, c] = contraction;
    using Added = Contraction::Added;
    if (added != Added::nothing && itemsize_of(real_of(dtype)) < 4) return false;
    if (!lacks_products(dtype).empty()) fail("a product of a dtype that it has none for");
    if (std::min({rows, inner, columns, count}) < 1) fail("a product with a size of 0");
    if (!is_walkable(x, rows, inner) || !is_walkable(y, inner, columns)) fail("a product of matrices that BLAS can't walk");
    const bool in_rows = (out.column_stride == 1 || columns == 1) && (out.row_stride >= columns || rows == 1);
    if (!in_rows || (count > 1 && out.step < (rows - 1) * out.row_stride + columns)) fail("a product into matrices that do not lie in rows, one by one");
    for (const Matrices* each : {&x, &y, &out}) {
        if (reinterpret_cast<std::uintptr_t>(each->data) % itemsize_of(dtype) != 0) fail("a product of elements at odd addresses");
    }
    const eager::View views[] = {view_of(contraction, x, rows, inner), view_of(contraction, y, inner, columns), view_of(contraction, out, rows, columns)};
    std::vector<eager::View> more;  // what is added
    if (added == Added::matrices) {
        if (!(c.column_stride == 1 || columns == 1) || (c.row_stride < columns && rows != 1))
            fail("a product with matrices to add that do not lie in rows");
        more.push_back(view_of(contraction, c, rows, columns));
    } else if (added == Added::row) {
        more.push_back(view_of(contraction, {c.data, 0, 1, 0}, rows, columns));
    }
    const std::scoped_lock lock(mutex_);
    std::vector<Block*> touched;
    for (const eager::View& view : views) touched.push_back(&block_of(view.data, bytes_of(view), "a product"));
    for (const eager::View& view : more) touched.push_back(&block_of(view.data, bytes_of(view), "what is added to a product"));
    ++statistics_.products;
    if (std::ranges::find(known_products_, kind_of(contraction)) == known_products_.end()) known_products_.push_back(kind_of(contraction));
    ask({std::move(touched), [x = views[0], y = views[1], out = views[2], more] {
             const eager::View operands[] = {x, y};
             eager::run(ops::Op::matmul, {}, operands, out);
             for (const eager::View& each : more) {
                 const eager::View both[] = {out, each};
                 eager::run(ops::Op::add, {}, both, out);
             }
         }});
    return true;
}

bool Backend::knows(const Contraction& contraction) {
    const std::scoped_lock lock(mutex_);
    return has_libraries_ && std::ranges::find(known_products_, kind_of(contraction)) != known_products_.end();
}

bool Backend::knows(const device::Transform& transform) {
    const std::scoped_lock lock(mutex_);
    return has_libraries_ && std::ranges::find(known_transforms_, kind_of(transform)) != known_transforms_.end();
}

// Fourier transforms, by the host's kernel.
std::string Backend::lacks_transforms() { return has_libraries_ ? "" : "this simulated device has no libraries"; }

bool Backend::transform(const device::Transform& transform) {
    using Kind = device::Transform::Kind;
    const auto& [kind, is_double, points, count, from, to] = transform;
    if (!lacks_transforms().empty()) fail("a transform, without libraries");
    if (std::min({points, count, from.stride, from.step, to.stride, to.step}) < 1) fail("a transform with a size or a distance of 0");
    const Dtype real = is_double ? float64 : float32, complex = is_double ? complex128 : complex64;
    const std::int64_t half = points / 2 + 1;
    const auto view_of = [&](const device::LinesAt& lines, bool is_real, std::int64_t length, std::int64_t number) {
        const Dtype dtype = is_real ? real : complex;
        const auto size = static_cast<std::int64_t>(itemsize_of(dtype));
        if (reinterpret_cast<std::uintptr_t>(lines.data) % 16 != 0) fail("a transform of lines at odd addresses");
        return eager::View{lines.data, dtype, {number, length}, {lines.step * size, lines.stride * size}};
    };
    const eager::View x = view_of(from, kind == Kind::real, kind == Kind::to_real ? half : points, count);
    const eager::View out = view_of(to, kind == Kind::to_real, kind == Kind::real ? half : points, count);
    ir::Attributes attributes;
    if (kind == Kind::forward || kind == Kind::backward) attributes.ints.push_back(kind == Kind::forward ? 1 : 0);
    attributes.ints.push_back(0);
    attributes.ints.push_back(-1);
    attributes.dims.push_back(points);
    attributes.dtype = real;
    const ops::Op op = kind == Kind::real ? ops::Op::rfft : kind == Kind::to_real ? ops::Op::irfft : ops::Op::fft;
    const std::scoped_lock lock(mutex_);
    std::vector<Block*> touched{&block_of(x.data, bytes_of(x), "a transform"), &block_of(out.data, bytes_of(out), "a transform")};
    ++statistics_.transforms;
    if (std::ranges::find(known_transforms_, kind_of(transform)) == known_transforms_.end()) known_transforms_.push_back(kind_of(transform));
    ask({std::move(touched), [op, attributes, x, out] {
             if (op == ops::Op::irfft) require_real_ends(x, attributes.dims[0].value());
             eager::run(op, attributes, {&x, 1}, out);
             if (op == ops::Op::irfft) overwrite(x);
         }});
    return true;
}

// Factors of matrices, by the host's kernels: of stacks, those that cuSOLVER and cuBLAS have for small matrices.
bool Backend::factorise(const device::Factorisation& factorisation) {
    using Kind = device::Factorisation::Kind;
    constexpr std::int64_t largest_of_stack = 16;
    const Kind kind = factorisation.kind;
    if (!lacks_factorisations().empty()) fail("a factorisation, without libraries");
    if (factorisation.count > 1) {
        const bool one_by_one = kind == Kind::qr || kind == Kind::householder || kind == Kind::general;
        if (one_by_one || factorisation.rows > largest_of_stack) return false;
    }
    if (const std::string problem = problem_of(factorisation); !problem.empty()) fail("a factorisation of " + problem);
    const std::scoped_lock lock(mutex_);
    std::vector<Block*> touched;
    for (const auto& [memory, bytes] : touched_by(factorisation)) touched.push_back(&block_of(memory, bytes, "a factorisation"));
    ++statistics_.factorisations;
    ask({std::move(touched), [factorisation] { factorise_on_host(factorisation); }});
    return true;
}

// Code.
std::shared_ptr<device::Module> Backend::load(const std::string& image, const std::vector<std::string>& symbols) {
    return std::make_shared<LoadedModule>(image, symbols);
}

void Backend::launch(const device::Module& module, std::size_t kernel, std::int64_t blocks, int threads, std::span<void* const> arguments) {
    const auto& loaded = dynamic_cast<const LoadedModule&>(module);
    if (kernel >= loaded.program->size()) fail("launch of a kernel that its module lacks");
    const Kernel& launched = loaded.program->kernel(kernel);
    if (arguments.size() != launched.arguments) {
        fail("launch with " + std::to_string(arguments.size()) + " arguments, not " + std::to_string(launched.arguments));
    }
    if (threads != launched.threads) fail("launch with " + std::to_string(threads) + " threads, not " + std::to_string(launched.threads));
    if (blocks < 1 || blocks > INT32_MAX) fail("launch of " + std::to_string(blocks) + " blocks");
    std::vector<std::uint64_t> values(arguments.size());
    for (std::size_t i = 0; i < values.size(); ++i) std::memcpy(&values[i], arguments[i], sizeof values[i]);
    const std::scoped_lock lock(mutex_);
    std::vector<Block*> touched;
    for (const std::uint64_t value : values) {
        const auto* address = reinterpret_cast<const void*>(value);  // NOLINT: numbers are none of ours
        if (memory_.is_freed(address)) fail("launch with memory that was freed");
        if (Block* block = memory_.find(address)) touched.push_back(block);
    }
    ++statistics_.launches;
    ask({std::move(touched), [program = loaded.program, kernel, blocks, values = std::move(values)] {
             const std::string problem = run_grid(program->kernel(kernel), values.data(), blocks);
             if (!problem.empty()) throw DeviceError("simulated device: " + program->kernel(kernel).name + ": " + problem);
         }});
}

namespace {

// Keeps what launches were given, which may change afterwards.
class WorkGraph final : public device::Graph {
public:
    WorkGraph(Backend& backend, std::span<const device::Work> work, Backend::Graphs& counts) : backend_(backend), counts_(counts) {
        for (const device::Work& each : work) {
            const auto* launched = std::get_if<device::Launch>(&each);
            pieces_.push_back({each, launched != nullptr ? values_of(*launched) : std::vector<std::uint64_t>()});
            if (launched != nullptr) modules_.push_back(launched->module->shared_from_this());
            if (!is_known(each)) fail("a graph of what a library was not asked for before");
        }
    }

    void set(std::size_t place, const device::Work& work) override {
        Piece& piece = pieces_.at(place);
        if (!is_same(piece.work, work)) fail("other work in a graph in the place of some");
        if (const auto* launched = std::get_if<device::Launch>(&work)) {
            if (launched->arguments.size() != piece.values.size()) fail("other arguments for a launch in a graph, of another number");
            piece.values = values_of(*launched);
        } else {
            piece.work = work;
            if (!is_known(work)) throw DeviceError("simulated device: a graph has no room for other library work");
            if (std::holds_alternative<device::Contraction>(work) || std::holds_alternative<device::Transform>(work)) ++counts_.library_set;
        }
        ++counts_.set;
    }
    void launch() override {
        for (Piece& piece : pieces_) std::visit([&](const auto& work) { run(work, piece.values); }, piece.work);
        ++counts_.launched;
    }

private:
    struct Piece {
        device::Work work;
        std::vector<std::uint64_t> values;  // of a launch
    };
    static std::vector<std::uint64_t> values_of(const device::Launch& launch) {
        std::vector<std::uint64_t> values(launch.arguments.size());
        for (std::size_t i = 0; i < values.size(); ++i) std::memcpy(&values[i], launch.arguments[i], sizeof values[i]);
        return values;
    }
    bool is_known(const device::Work& work) {
        if (const auto* product = std::get_if<device::Contraction>(&work)) return backend_.knows(*product);
        if (const auto* transform = std::get_if<device::Transform>(&work)) return backend_.knows(*transform);
        return true;
    }
    static bool is_same(const device::Work& a, const device::Work& b) {
        if (a.index() != b.index()) return false;
        if (const auto* x = std::get_if<device::Launch>(&a)) {
            const auto& y = std::get<device::Launch>(b);
            return x->module == y.module && x->kernel == y.kernel && x->blocks == y.blocks && x->threads == y.threads;
        }
        if (const auto* x = std::get_if<device::Copy>(&a)) return x->bytes == std::get<device::Copy>(b).bytes;
        if (const auto* x = std::get_if<device::Clear>(&a)) return x->bytes == std::get<device::Clear>(b).bytes;
        if (const auto* x = std::get_if<Contraction>(&a)) return kind_of(*x) == kind_of(std::get<Contraction>(b));
        return kind_of(std::get<device::Transform>(a)) == kind_of(std::get<device::Transform>(b));
    }

    void run(const device::Launch& launch, std::vector<std::uint64_t>& values) {
        std::vector<void*> arguments;
        for (std::uint64_t& value : values) arguments.push_back(&value);
        backend_.launch(*launch.module, launch.kernel, launch.blocks, launch.threads, arguments);
    }
    void run(const device::Copy& copy, const std::vector<std::uint64_t>& /*values*/) { backend_.copy(copy.to, copy.from, copy.bytes); }
    void run(const device::Clear& clear, const std::vector<std::uint64_t>& /*values*/) { backend_.clear(clear.memory, clear.bytes); }
    void run(const Contraction& contraction, const std::vector<std::uint64_t>& /*values*/) { backend_.contract(contraction); }
    void run(const device::Transform& transform, const std::vector<std::uint64_t>& /*values*/) { backend_.transform(transform); }

    Backend& backend_;
    Backend::Graphs& counts_;
    std::vector<Piece> pieces_;
    std::vector<std::shared_ptr<const device::Module>> modules_;
};

}  // namespace

std::unique_ptr<device::Graph> Backend::graph(std::span<const device::Work> work) {
    if (work.empty()) fail("a graph of nothing");
    ++graphs_.made;
    return std::make_unique<WorkGraph>(*this, work, graphs_);
}

device::BackendStatistics Backend::statistics() const {
    const std::scoped_lock lock(mutex_);
    device::BackendStatistics result = statistics_;
    result.live_bytes = memory_.live_bytes();
    result.held_bytes = memory_.held_bytes();
    return result;
}

// The door.
namespace {

using Devices = std::deque<std::unique_ptr<Backend>>;

// Never destroyed: arrays may outlive every static.
std::pair<std::mutex&, Devices&> opened() {
    static std::mutex mutex;
    static auto* made = new Devices;
    return {mutex, *made};
}

int number_in(const char* variable, int otherwise) {
    const char* text = std::getenv(variable);  // NOLINT: nothing here changes the environment
    const int value = text != nullptr ? std::atoi(text) : 0;
    return value > 0 ? value : otherwise;
}

std::size_t memory_bytes() { return static_cast<std::size_t>(number_in("FASTNP_SIMULATED_MEMORY", 4096)) << 20; }

device::Listing list() {
    device::Listing listing;
    for (int i = 0; i < number_in("FASTNP_SIMULATED_DEVICE", 1); ++i) {
        listing.devices.push_back({"cuda:" + std::to_string(i), "simulated", memory_bytes(), 80});
    }
    return listing;
}

device::Backend& open(int number) {
    const auto [mutex, made] = opened();
    const std::scoped_lock lock(mutex);
    while (made.size() <= static_cast<std::size_t>(number)) {
        made.push_back(std::make_unique<Backend>(static_cast<int>(made.size()), memory_bytes()));
        const char* libraries = std::getenv("FASTNP_SIMULATED_LIBRARIES");  // NOLINT: nothing here changes the environment
        made.back()->set_libraries(libraries == nullptr || *libraries != '0');
    }
    return *made[static_cast<std::size_t>(number)];
}

int find(const void* address) {
    const auto [mutex, made] = opened();
    const std::scoped_lock lock(mutex);
    const auto found = std::ranges::find_if(made, [&](const auto& each) { return each->owns(address); });
    return found == made.end() ? -1 : (*found)->number();
}

}  // namespace

device::Door door() { return {&list, &open, &find, nullptr}; }

}  // namespace fastnp::simulated
