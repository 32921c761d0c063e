#include "fastnp/exported_c.h"

#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "fastnp/error.h"
#include "fastnp/exported.h"

struct fastnp_exported_function {
    fastnp::Exported function;
};

namespace fastnp {

namespace {

static_assert(static_cast<int>(Dtype::float64) == FASTNP_FLOAT64 && static_cast<int>(Dtype::complex128) == FASTNP_COMPLEX128 &&
              static_cast<int>(Dtype::int64) == FASTNP_INT64 && static_cast<int>(Dtype::bool_) == FASTNP_BOOL && dtype_count == FASTNP_COMPLEX128 + 1);

std::string& last_error() {
    thread_local std::string text;
    return text;
}

// What the body throws, as a number and a text.
template <class Body>
int guarded(const Body& body) noexcept {
    int status = FASTNP_OTHER_ERROR;
    const char* text = "there is no memory";
    try {
        try {
            last_error().clear();
            body();
            return FASTNP_OK;
        } catch (const ValueError& error) {
            status = FASTNP_VALUE_ERROR;
            last_error() = error.what();
        } catch (const TypeError& error) {
            status = FASTNP_TYPE_ERROR;
            last_error() = error.what();
        } catch (const IndexError& error) {
            status = FASTNP_INDEX_ERROR;
            last_error() = error.what();
        } catch (const MemoryError& error) {
            status = FASTNP_MEMORY_ERROR;
            last_error() = error.what();
        } catch (const std::bad_alloc&) {
            status = FASTNP_MEMORY_ERROR;
            last_error() = text;
        } catch (const std::exception& error) {
            last_error() = error.what();
        }
    } catch (...) {  // of telling it
        status = FASTNP_MEMORY_ERROR;
    }
    return status;
}

array argument_of(const fastnp_exported_array& given) {
    if (given.ndim < 0 || given.ndim > FASTNP_MOST_AXES) throw ValueError("an array has " + std::to_string(given.ndim) + " axes");
    if (given.dtype < 0 || given.dtype >= dtype_count) throw TypeError("there is no dtype " + std::to_string(given.dtype));
    Shape shape(given.shape, given.shape + given.ndim);
    Strides strides;
    if (given.strides != nullptr) strides = Strides(given.strides, given.strides + given.ndim);
    return array::from_memory(given.data, static_cast<Dtype>(given.dtype), std::move(shape), std::move(strides));
}

// What a result holds.
struct Owner {
    array value;
    Shape shape;
    Strides strides;
};

fastnp_exported_array result_of(array value) {
    auto owner = std::make_unique<Owner>();
    owner->shape = value.shape();
    owner->strides = value.strides();
    owner->value = std::move(value);
    fastnp_exported_array result{
        owner->value.data(), static_cast<std::int32_t>(owner->value.dtype()), owner->value.ndim(), owner->shape.data(), owner->strides.data(), nullptr};
    result.owner = owner.release();
    return result;
}

}  // namespace

}  // namespace fastnp

using namespace fastnp;  // NOLINT: functions for C are in no namespace

int fastnp_exported_open(const char* path, fastnp_exported_function** function) {
    *function = nullptr;
    return guarded([&] {
        if (path == nullptr) throw ValueError("there is no path");
        *function = std::make_unique<fastnp_exported_function>(fastnp_exported_function{Exported(path)}).release();
    });
}

void fastnp_exported_close(fastnp_exported_function* function) { const std::unique_ptr<fastnp_exported_function> end(function); }

int32_t fastnp_exported_parameters(const fastnp_exported_function* function) { return static_cast<std::int32_t>(function->function.parameter_count()); }
int32_t fastnp_exported_results(const fastnp_exported_function* function) { return static_cast<std::int32_t>(function->function.result_count()); }

int fastnp_exported_call(const fastnp_exported_function* function, const fastnp_exported_array* arguments, fastnp_exported_array* results) {
    return guarded([&] {
        std::vector<array> given;
        for (std::size_t i = 0; i < function->function.parameter_count(); ++i) given.push_back(argument_of(arguments[i]));
        std::vector<array> made = function->function(given);
        std::vector<fastnp_exported_array> all;
        try {
            for (array& each : made) all.push_back(result_of(std::move(each)));
        } catch (...) {  // there is no memory for all: what was made is given back
            for (fastnp_exported_array& each : all) fastnp_exported_release(&each);
            throw;
        }
        for (std::size_t i = 0; i < all.size(); ++i) results[i] = all[i];
    });
}

void fastnp_exported_release(fastnp_exported_array* result) {
    const std::unique_ptr<Owner> end(static_cast<Owner*>(result->owner));
    result->owner = nullptr;
}

const char* fastnp_exported_error() { return last_error().c_str(); }
