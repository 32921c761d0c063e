#include "fastnp/exported_c.h"

#include <algorithm>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "fastnp/detail/argument.h"
#include "fastnp/error.h"
#include "fastnp/exported.h"
#include "fastnp/small_vector.h"

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

// The arguments of a call as fastnp takes them.
class Given {
public:
    explicit Given(std::span<const fastnp_exported_array> arrays) {
        std::size_t axes = 0;
        for (const fastnp_exported_array& each : arrays) {
            check(each);
            if (each.strides == nullptr) axes += static_cast<std::size_t>(each.ndim);
        }
        strides_.resize(axes);
        std::int64_t* unused = strides_.data();
        for (const fastnp_exported_array& each : arrays) {
            const std::int64_t* strides = each.strides;
            if (strides == nullptr) strides = std::exchange(unused, in_c_order(each, unused));
            arguments_.push_back(
                {each.data, each.shape, strides, static_cast<Dtype>(each.dtype), static_cast<std::int8_t>(each.ndim), true, hold, nullptr, nullptr});
        }
    }
    Given(const Given&) = delete;
    Given& operator=(const Given&) = delete;

    std::span<const detail::Argument> arguments() const { return {arguments_.data(), arguments_.size()}; }

private:
    static void check(const fastnp_exported_array& given) {
        if (given.ndim < 0 || given.ndim > FASTNP_MOST_AXES) throw ValueError("an array has " + std::to_string(given.ndim) + " axes");
        if (given.dtype < 0 || given.dtype >= dtype_count) throw TypeError("there is no dtype " + std::to_string(given.dtype));
        if (std::any_of(given.shape, given.shape + given.ndim, [](std::int64_t size) { return size < 0; }))
            throw ValueError("negative dimensions are not allowed");
    }
    // Writes an array's steps, and gives where they end.
    static std::int64_t* in_c_order(const fastnp_exported_array& given, std::int64_t* strides) {
        std::uint64_t step = itemsize_of(static_cast<Dtype>(given.dtype));
        for (std::int32_t axis = given.ndim - 1; axis >= 0; --axis) {
            strides[axis] = static_cast<std::int64_t>(step);
            step *= static_cast<std::uint64_t>(std::max<std::int64_t>(given.shape[axis], 1));
        }
        return strides + given.ndim;
    }
    // A result in an argument's memory: it is the caller's.
    static array hold(const detail::Argument& argument) {
        return array::from_memory(argument.data, argument.dtype, Shape(argument.shape, argument.shape + argument.rank),
                                  Strides(argument.strides, argument.strides + argument.rank));
    }

    SmallVector<detail::Argument, 8> arguments_;
    SmallVector<std::int64_t, 32> strides_;  // of those that come without
};

fastnp_exported_array result_of(array value) {
    auto owner = std::make_unique<array>(std::move(value));
    detail::Argument layout{};
    detail::borrow(*owner, layout);
    // (C knows no const sizes in this struct: nobody is to write to them.)
    fastnp_exported_array result{layout.data,
                                 static_cast<std::int32_t>(layout.dtype),
                                 layout.rank,
                                 const_cast<std::int64_t*>(layout.shape),
                                 const_cast<std::int64_t*>(layout.strides),
                                 nullptr};
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

int fastnp_exported_open_named(const char* path, const char* name, fastnp_exported_function** function) {
    *function = nullptr;
    return guarded([&] {
        if (path == nullptr || name == nullptr) throw ValueError(path == nullptr ? "there is no path" : "there is no name");
        *function = std::make_unique<fastnp_exported_function>(fastnp_exported_function{Exported(path, name)}).release();
    });
}

void fastnp_exported_close(fastnp_exported_function* function) { const std::unique_ptr<fastnp_exported_function> end(function); }

int32_t fastnp_exported_parameters(const fastnp_exported_function* function) { return static_cast<std::int32_t>(function->function.parameter_count()); }
int32_t fastnp_exported_results(const fastnp_exported_function* function) { return static_cast<std::int32_t>(function->function.result_count()); }

int fastnp_exported_call(const fastnp_exported_function* function, const fastnp_exported_array* arguments, fastnp_exported_array* results) {
    return guarded([&] {
        const Given given({arguments, function->function.parameter_count()});
        std::vector<array> made;
        function->function.call(given.arguments(), made);
        std::size_t done = 0;
        try {
            for (; done < made.size(); ++done) results[done] = result_of(std::move(made[done]));
        } catch (...) {  // there is no memory for all: what was made is given back
            while (done > 0) fastnp_exported_release(&results[--done]);
            throw;
        }
    });
}

void fastnp_exported_release(fastnp_exported_array* result) {
    const std::unique_ptr<array> end(static_cast<array*>(result->owner));
    result->owner = nullptr;
}

const char* fastnp_exported_error() { return last_error().c_str(); }
