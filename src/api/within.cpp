// Where errors come from: which compiled function or transform they were in, and where that was made.
#include <string_view>
#include <typeinfo>

#include "fastnp/compile.h"
#include "fastnp/detail/transforms.h"
#include "fastnp/error.h"

namespace fastnp::detail {

namespace {

template <class E>
void throw_as(const Error& error, const std::string& text) {
    if (typeid(error) == typeid(E)) throw E(text);
}

}  // namespace

void throw_within(const Error& error, const std::string& where) {
    const std::string_view told = error.what();
    if (told.find(where) != std::string_view::npos) return;  // by a call within this one
    const std::string text = std::string(told) + "\n  in " + where;
    throw_as<ValueError>(error, text);
    throw_as<TypeError>(error, text);
    throw_as<IndexError>(error, text);
    throw_as<OverflowError>(error, text);
    throw_as<MemoryError>(error, text);
    throw_as<ZeroDivisionError>(error, text);
    throw_as<BufferError>(error, text);
    throw_as<AxisError>(error, text);
    throw_as<LinAlgError>(error, text);
    throw_as<DeviceError>(error, text);
    throw_as<RankError>(error, text);
    throw_as<RecordError>(error, text);
    throw_as<LongRecordError>(error, text);
    throw_as<CacheLimitError>(error, text);
    throw_as<VerifyError>(error, text);
    throw_as<InternalError>(error, text);
}

std::string place_of(const CompileOptions& options) {
    const std::string name = options.name == CompileOptions().name ? "a function" : "function '" + options.name + "'";
    return options.place.empty() ? name : name + ", compiled at " + options.place;
}

void check_axes(std::size_t axes, std::size_t arguments) {
    if (axes == 0 || axes == arguments) return;
    throw ValueError("vmap: in_axes has " + std::to_string(axes) + (axes == 1 ? " axis" : " axes") + " for a function of " + std::to_string(arguments) +
                     (arguments == 1 ? " argument" : " arguments"));
}

}  // namespace fastnp::detail
