// Recordings that are run once: of transforms that are called outside of compiled functions.
#include <list>
#include <mutex>
#include <string>
#include <unordered_map>

#include "api/body.h"
#include "api/entry.h"
#include "api/record_call.h"
#include "base/bytes.h"
#include "fastnp/detail/transform.h"
#include "fastnp/error.h"
#include "trace/recorder.h"

namespace fastnp::detail {

namespace {

// Plans by what was recorded: the same function on arrays of the same kinds gives the same graph. The first run of a graph is by precompiled kernels; one
// that comes again is worth compiling.
class Plans {
public:
    std::shared_ptr<const Entry> find(const std::string& key, Recording& made, std::span<const Argument> call) {
        const char* backend = "eager";
        {
            const std::scoped_lock lock(mutex_);
            const auto known = index_.find(key);
            if (known != index_.end()) {
                order_.splice(order_.begin(), order_, known->second);
                if (known->second->entry && known->second->is_compiled) return known->second->entry;
                backend = "llvm";
            }
        }
        auto entry = std::make_shared<Entry>();
        CompileOptions options;
        options.backend = backend;
        compiler::prepare(made.graph, options.backend, made.times);
        entry->compile(std::move(made), call, options);
        keep(key, entry, options.backend == "llvm");
        return entry;
    }

private:
    struct Plan {
        std::string key;
        std::shared_ptr<const Entry> entry;
        bool is_compiled;
    };
    static constexpr std::size_t most_plans = 512;

    void keep(const std::string& key, std::shared_ptr<const Entry> entry, bool is_compiled) {
        const std::scoped_lock lock(mutex_);
        const auto known = index_.find(key);
        if (known != index_.end()) {
            *known->second = {key, is_compiled ? std::move(entry) : nullptr, is_compiled};
            return;
        }
        order_.push_front({key, is_compiled ? std::move(entry) : nullptr, is_compiled});
        index_.emplace(key, order_.begin());
        if (order_.size() <= most_plans) return;
        index_.erase(order_.back().key);
        order_.pop_back();
    }

    std::mutex mutex_;
    std::list<Plan> order_;  // the last used first
    std::unordered_map<std::string, std::list<Plan>::iterator> index_;
};

Plans& plans() {
    static Plans made;
    return made;
}

class NoCalls final : public Engine::Callee {
public:
    std::vector<array> record(std::span<const array>) override { throw InternalError("a recording that is run once is not made again"); }
    std::shared_ptr<const void> keep() override { return nullptr; }
};

std::string key_of(const Recording& made) {
    base::Writer packed;
    made.graph.pack(packed);
    std::string key = packed.bytes();
    for (const shape::Dims& strides : made.strides) {
        for (const shape::Dim stride : strides) append(key, stride.value());
    }
    return key;
}

Argument argument_of(const array& held) {
    Argument argument{};
    borrow(held, argument);
    argument.writable = true;  // checked where it is written to
    return argument;
}

}  // namespace

std::vector<array> recorded(const std::function<std::vector<array>()>& body) {
    if (trace::Recorder::active() != nullptr) return body();
    const auto recorder = std::make_shared<trace::Recorder>();
    recorder->set_once();
    Recording made;
    {
        const trace::Recorder::Scope scope(recorder);
        const trace::Recorder::Keeping keeping(*recorder);
        take_recording(*recorder, body(), made);
    }
    std::vector<array> held;
    for (device::Memory& memory : std::exchange(made.captured, {})) held.push_back(api::wrap(std::move(memory)));
    std::vector<Argument> call;
    for (const array& each : held) call.push_back(argument_of(each));
    const std::string key = key_of(made);
    const std::shared_ptr<const Entry> entry = plans().find(key, made, call);
    std::vector<std::int64_t> values(most_values);
    if (entry->plan.sizes.size() != 0) entry->plan.sizes.evaluate(nullptr, values.data());
    NoCalls callee;
    std::vector<array> results;
    const plan::Outcome outcome = entry->run(call, values.data(), callee, results);
    if (outcome.error) std::rethrow_exception(outcome.error);
    if (outcome.kind != plan::Outcome::Kind::done) throw InternalError("a recording that is run once came to no end");
    return results;
}

}  // namespace fastnp::detail
