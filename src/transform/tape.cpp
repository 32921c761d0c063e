#include "fastnp/detail/tape.h"

#include <utility>
#include <vector>

#include "fastnp/detail/transforms.h"
#include "fastnp/error.h"
#include "fastnp/ops.h"
#include "fastnp/tape.h"
#include "transform/once.h"
#include "transform/values.h"

namespace fastnp::detail {

namespace {

class Tape final : public OnceRecorder {
public:
    struct Marked {
        std::weak_ptr<Leaf> leaf;
        ir::Value mark;
    };
    std::vector<Marked> leaves;
    bool is_taken = false;

    /// Whether no array is on it but those that stand for leaves. One that a view of all of a leaf has is more than that.
    bool is_unused(long holders) const {
        for (const Marked& each : leaves) {
            const std::shared_ptr<Leaf> leaf = each.leaf.lock();
            const bool stands_here = leaf && leaf->marked && leaf->marked->body()->recorder.get() == this;
            if (stands_here && leaf->marked->body().use_count() == 1) ++holders;
        }
        return weak_from_this().use_count() == holders;
    }
};

thread_local std::shared_ptr<Tape> current;                    // what this thread goes on with
thread_local std::optional<trace::Recorder::Scope> entered;

const Tape* tape_of(const array& x) { return dynamic_cast<const Tape*>(x.body()->recorder.get()); }

bool enter(std::shared_ptr<Tape> tape) {
    const trace::Recorder* active = trace::Recorder::active();
    if (active == tape.get()) return true;
    if (active != nullptr) return false;
    entered.emplace(std::move(tape));
    return true;
}

}  // namespace

bool enter_tape() {
    if (!current || current->is_taken || current->is_unused(1)) {
        current = std::make_shared<Tape>();
        current->set_snapshots();
    }
    return enter(current);
}

bool enter_tape_of(const array& x) {
    const auto tape = std::dynamic_pointer_cast<Tape>(x.body()->recorder);
    return tape && !tape->is_taken && enter(tape);
}

bool records_on_tape() { return dynamic_cast<const Tape*>(trace::Recorder::active()) != nullptr; }

void leave_tape() { entered.reset(); }

bool is_on_tape(const array& x) { return x.is_recorded() && tape_of(x) != nullptr; }
bool is_on_open_tape(const array& x) { return is_on_tape(x) && !tape_of(x)->is_taken; }

const array& on_tape(const std::shared_ptr<Leaf>& leaf, const array& x) {
    auto& tape = static_cast<Tape&>(transform::recorder());
    if (leaf->marked && leaf->marked->body()->recorder.get() == &tape) return *leaf->marked;
    const array marked = mark(x);
    tape.leaves.push_back({leaf, transform::value_of(marked)});
    leaf->marked = api::wrap(transform::value_of(marked), tape.shared_from_this());
    leaf->marked->body()->writable = false;
    return *leaf->marked;
}

array taken_to_tape(const array& x) { return transform::array_of(transform::value_of(x)); }

array tape_value(const array& x) {
    const trace::Recorder::Scope scope(x.body()->recorder);
    array value = value_now(x);
    if (const Tape* tape = tape_of(x); tape != nullptr && tape->notes) tape->notes->computed();
    return value;
}

void backward(const array& x, const array& weight, bool keeps, bool records) {
    const auto tape = std::dynamic_pointer_cast<Tape>(x.body()->recorder);
    if (!tape) throw ValueError("backward: the array depends on no array that requires a gradient");
    if (tape->is_taken) throw ValueError("backward: an earlier backward() has used up what was recorded; retain_graph=True keeps it for another one");
    const trace::Recorder::Scope scope(tape);
    std::vector<array> marks;
    std::vector<std::shared_ptr<Leaf>> leaves;
    for (const Tape::Marked& each : tape->leaves) {
        std::shared_ptr<Leaf> leaf = each.leaf.lock();
        const array mark = transform::array_of(each.mark);
        if (!leaf || !depends_on(x, {&mark, 1})) continue;
        marks.push_back(mark);
        leaves.push_back(std::move(leaf));
    }
    if (leaves.empty()) throw ValueError("backward: the array depends on no array that requires a gradient");
    const std::vector<array> gradients = pull_back(marks, {&x, 1}, {&weight, 1});
    if (records) {
        for (std::size_t i = 0; i < leaves.size(); ++i) leaves[i]->gradient = leaves[i]->gradient ? *leaves[i]->gradient + gradients[i] : gradients[i];
        return;
    }
    std::vector<array> outputs = gradients;
    outputs.push_back(transform::array_of(transform::value_of(x)));
    std::vector<array> computed = run_recording(*tape, outputs);
    tape->know(transform::value_of(x), computed.back().body()->memory);
    const trace::Recorder::Scope outside(nullptr);
    for (std::size_t i = 0; i < leaves.size(); ++i) {
        std::optional<array>& gradient = leaves[i]->gradient;
        if (gradient && gradient->is_recorded()) gradient = tape_value(*gradient);
        gradient = gradient ? *gradient + computed[i] : computed[i];
    }
    if (!keeps) {
        tape->is_taken = true;
        for (const std::shared_ptr<Leaf>& leaf : leaves) leaf->marked.reset();
        tape->leaves.clear();
        if (current == tape) current.reset();
    }
    if (!tape->notes) return;
    const trace::Recorder::Scope again(tape);
    tape->notes->computed();
}

}  // namespace fastnp::detail

namespace fastnp {

struct Tape::State {
    explicit State(const std::source_location& at) : where(at) {}
    std::source_location where;
    std::shared_ptr<trace::Recorder> recorder = std::make_shared<trace::Recorder>();
    trace::Recorder::Scope scope{recorder};
    trace::Recorder::Keeping keeping{*recorder};
    std::vector<array> marks;
    std::vector<array> watched;

    array mark_of(const array& each) const {
        std::size_t place = 0;
        while (place < watched.size() && watched[place].body() != each.body()) ++place;
        if (place == watched.size()) throw ValueError("Tape: gradient() with respect to an array that watch() did not give");
        return marks[place];
    }
};

Tape::Tape(const std::source_location& where) {
    detail::within("a Tape", where, [] {
        if (trace::Recorder* recorder = trace::Recorder::active())
            recorder->refuse(RecordError("a Tape within a recording: transforms and compiled functions have their own"));
    });
    state_ = std::make_unique<State>(where);
    state_->recorder->set_once();
    state_->recorder->set_snapshots();
}

Tape::~Tape() = default;

array Tape::watch(const array& x) {
    return detail::within("a Tape", state_->where, [&] {
        state_->marks.push_back(detail::mark(x));
        state_->watched.push_back(detail::input_of(state_->marks.back()));
        return state_->watched.back();
    });
}

std::vector<array> Tape::gradient(const array& result, const std::vector<array>& watched) {
    return detail::within("a Tape", state_->where, [&] {
        detail::check_scalar(result);
        std::vector<array> marks;
        for (const array& each : watched) marks.push_back(state_->mark_of(each));
        const array one = ones_like(result);
        return detail::pull_back(marks, {&result, 1}, {&one, 1});
    });
}

std::vector<array> Tape::compute(const std::vector<array>& arrays) {
    return detail::within("a Tape", state_->where, [&] { return detail::run_recording(*state_->recorder, arrays); });
}

}  // namespace fastnp
