// Variables outside of a compiled function that it reads through fastnp::ref: found by recordings, looked at in each call.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "fastnp/detail/argument.h"
#include "fastnp/detail/walk.h"
#include "fastnp/small_vector.h"

namespace fastnp::detail {

/// What a call is looked up by: its arrays, and the rest as a key.
struct CallParts {
    SmallVector<Argument, 8> arguments;
    std::string key;
    bool is_concrete = true;  // no array is recorded

    template <class T>
    void add(T& value) {
        auto leaf = [&](const array& each) {
            Argument argument{};
            is_concrete = borrow(each, argument) && is_concrete;
            arguments.push_back(argument);
        };
        auto plain = [&](const auto& each) { append(key, each); };
        walk(value, leaf, plain, plain);
    }
};

/// A variable, without its type.
struct Referenced {
    const void* variable;
    void (*add)(const void* variable, CallParts& parts);
    /// A copy with these for its arrays, which are taken off the front.
    std::shared_ptr<void> (*stand_in)(const void* variable, std::span<const array>& arrays);

    template <class T>
    static Referenced to(const T* variable) {
        const auto add = [](const void* from, CallParts& parts) { parts.add(*static_cast<const T*>(from)); };
        const auto stand_in = [](const void* from, std::span<const array>& arrays) -> std::shared_ptr<void> {
            auto made = std::make_shared<T>(*static_cast<const T*>(from));
            auto put = [&](array& each) {
                each = arrays.front();
                arrays = arrays.subspan(1);
            };
            walk(*made, put, ignore, ignore);
            return made;
        };
        return {variable, add, stand_in};
    }
};

/// Those that a compiled function is known to read. It only grows, so calls look at it without a lock.
class FASTNP_API References {
public:
    using List = std::vector<Referenced>;
    References();
    ~References();
    References(const References&) = delete;
    References& operator=(const References&) = delete;

    /// Null: none.
    const List* known() const { return known_.load(std::memory_order_acquire); }
    void add(const List& more);

private:
    std::mutex mutex_;
    std::vector<std::unique_ptr<const List>> lists_;
    std::atomic<const List*> known_{nullptr};
};

/// What stands for variables in the recording of a compiled function, while it lives.
class FASTNP_API ReferenceScope {
public:
    /// `arrays`: the parameters for the arrays in them.
    ReferenceScope(const References::List* known, std::span<const array> arrays);
    ~ReferenceScope();
    ReferenceScope(const ReferenceScope&) = delete;
    ReferenceScope& operator=(const ReferenceScope&) = delete;

    const void* find(const void* variable) const;
    void put(const void* variable, std::shared_ptr<void> stand_in);
    void note_missed(Referenced variable);
    /// Those that the recording read and was not made for.
    const References::List& missed() const { return missed_; }

private:
    std::map<const void*, std::shared_ptr<void>> stand_ins_;
    References::List missed_;
    ReferenceScope* before_;
};

/// That of the recording of a compiled function that this thread is in; null: there is none.
FASTNP_API ReferenceScope* reference_scope();

}  // namespace fastnp::detail
