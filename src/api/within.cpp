// Where errors come from: which compiled function or transform they were in, and where that was made.
#include <string_view>
#include <typeinfo>

#include "fastnp/compile.h"
#include "fastnp/detail/transforms.h"
#include "fastnp/error.h"

namespace fastnp::detail {

namespace {

template <class E>
void rethrow_as(const Error& error, const std::string& text) {
    if (typeid(error) == typeid(E)) throw E(text);
}

}  // namespace

void rethrow_within(const std::string& where) {
    try {
        throw;
    } catch (const Error& error) {
        const std::string_view told = error.what();
        if (told.find(where) != std::string_view::npos) throw;  // by a call within this one
        const std::string text = std::string(told) + "\n  in " + where;
        rethrow_as<ValueError>(error, text);
        rethrow_as<TypeError>(error, text);
        rethrow_as<IndexError>(error, text);
        rethrow_as<OverflowError>(error, text);
        rethrow_as<MemoryError>(error, text);
        rethrow_as<ZeroDivisionError>(error, text);
        rethrow_as<BufferError>(error, text);
        rethrow_as<AxisError>(error, text);
        rethrow_as<LinAlgError>(error, text);
        rethrow_as<DeviceError>(error, text);
        rethrow_as<RecordError>(error, text);
        rethrow_as<LongRecordError>(error, text);
        rethrow_as<CacheLimitError>(error, text);
        rethrow_as<VerifyError>(error, text);
        rethrow_as<InternalError>(error, text);
        throw;  // of a class of the user's
    }
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
