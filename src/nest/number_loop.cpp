#include "nest/number_loop.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "nest/program_writer.h"
#include "ops/catalogue.h"
#include "ops/moves.h"
#include "pass/index_map.h"

namespace fastnp::nest {

namespace {

using ir::Op;
using ir::Step;
using ir::Value;
using ops::Kind;
using shape::Dim;

bool is_number(Value value) {
    return std::all_of(value->shape.begin(), value->shape.end(), [](Dim dim) { return dim.is_constant() && dim.value() == 1; });
}

// Elements of an array that the program is handed, as far as the graph knows where they lie, and `moved` bytes further on.
struct Elements {
    std::int32_t array = -1;
    pass::Storage storage;  // without a base
    std::int32_t moved = -1;
    int version = 0;  // how many stores to the array came before
};

// What a body's parameter stands for: a variable (a state that is a number), a number that is known, the iteration's own, or elements.
struct Argument {
    std::int32_t variable = -1, number = -1;
    bool is_place = false;
    Elements elements{};
};

// A body while it is written.
struct Scope {
    const NumberBody& body;
    std::vector<Argument> arguments{};
    std::int32_t place = -1;  // which part belongs to the iteration
    std::vector<std::int32_t> collected{};  // the arrays that take what is collected, -1 for none
    std::unordered_map<Value, std::int32_t> numbers{};
    std::unordered_map<Value, Elements> elements{};
    std::unordered_map<Value, std::vector<std::int32_t>> states_after{};  // of loops inside: variables

    Value parameter(std::size_t number) const { return body.graph.parameters()[number]; }
    std::size_t first_collected() const { return body.states + body.parts + body.constants; }
};

std::size_t number_of(Value parameter) { return static_cast<std::size_t>(parameter->attributes.ints[0]); }

class Writer : private ProgramWriter {
public:
    Writer(const NumberBody& body, const ir::Looped& looped, const std::vector<bool>& given, shape::Sizes& sizes)
        : looped_(looped), given_(given), sizes_(sizes), top_{body} {}

    NumberLoop run(Dim count) {
        made_.sizes.push_back(count);
        begin();
        loop(top_, looped_, count, [this](std::int32_t turn) { save(turn); });
        end();
        made_.program.inputs = static_cast<std::int32_t>(made_.sizes.size());
        return std::move(made_);
    }

private:
    // Arrays by number (number_loop.h).

    std::int32_t saved_array(std::size_t state) const { return static_cast<std::int32_t>(top_.first_collected() + top_.body.collected + state); }
    std::int32_t last_array(std::size_t state) const { return saved_array(top_.body.states + state); }
    bool is_given(std::size_t number) const { return number < given_.size() && given_[number]; }

    Elements all_of(Value parameter, std::int32_t array) const {
        return {array, {nullptr, Dim(0), pass::contiguous_strides(parameter->shape, parameter->dtype, sizes_)}};
    }

    // What comes before the loop and after it.

    void begin() {
        ir::Program& program = made_.program;
        const NumberBody& body = top_.body;
        program.arrays = last_array(body.states);
        for (int i = 0; i < 3; ++i) variable(Dtype::int64);  // of the exit `out_of_bounds`
        program.exits = {{}, {{NumberLoop::index, NumberLoop::axis, NumberLoop::length}}};
        for (std::size_t i = 0; i < top_.first_collected(); ++i) {
            const Value parameter = top_.parameter(i);
            Argument argument{.elements = all_of(parameter, static_cast<std::int32_t>(i))};
            if (i < body.states && body.is_number[i]) {
                argument.variable = variable(parameter->dtype);
                set(argument.variable, load(parameter->dtype, static_cast<std::int32_t>(i), whole(0)));
            }
            top_.arguments.push_back(std::move(argument));
        }
        for (std::size_t i = 0; i < body.collected; ++i) {
            top_.collected.push_back(is_given(body.states + i) ? static_cast<std::int32_t>(top_.first_collected() + i) : -1);
        }
    }

    void end() {
        for (std::size_t i = 0; i < top_.body.states; ++i) {
            if (top_.body.is_number[i]) store(top_.parameter(i)->dtype, last_array(i), whole(0), get(top_.arguments[i].variable));
        }
        step({.kind = Step::Kind::exit, .b = NumberLoop::done});
    }

    // The states as they are before every so many iterations.
    void save(std::int32_t turn) {
        const std::int64_t every = looped_.save_every;
        if (every == 0) return;
        std::int32_t place = turn;
        if (every != 1) {
            const auto floored = [&](Op op) { return step({.kind = Step::Kind::floored, .dtype = Dtype::int64, .op = op, .a = turn, .b = whole(every)}); };
            step({.kind = Step::Kind::if_, .a = map(Op::equal, Dtype::int64, Dtype::bool_, floored(Op::remainder), whole(0))});
            place = floored(Op::floor_divide);
        }
        if (looped_.backward) {
            const Dim saves = sizes_.divide(sizes_.add(made_.sizes[0], Dim(every - 1)), Dim(every));
            place = minus(plus(size(saves), whole(-1)), place);
        }
        for (std::size_t i = 0; i < top_.body.states; ++i) {
            if (!is_given(top_.body.states + top_.body.collected + i)) continue;
            if (!top_.body.is_number[i]) throw NotOfNumbers{};
            const Dtype dtype = top_.parameter(i)->dtype;
            store(dtype, saved_array(i), times(place, bytes_of(dtype)), get(top_.arguments[i].variable));
        }
        if (every != 1) step({.kind = Step::Kind::end});
    }

    // A size as a number: constant, or an input.
    std::int32_t size(Dim dim) {
        if (dim.is_constant()) return whole(dim.value());
        auto found = std::find(made_.sizes.begin(), made_.sizes.end(), dim);
        if (found == made_.sizes.end()) found = made_.sizes.insert(found, dim);
        return step({.kind = Step::Kind::input, .dtype = Dtype::int64, .a = static_cast<std::int32_t>(found - made_.sizes.begin())});
    }

    // All iterations of a body.
    template <class F>
    void loop(Scope& scope, const ir::Looped& looped, Dim count, const F& before_each) {
        const std::int32_t counter = variable(Dtype::int64);
        set(counter, whole(0));
        step({.kind = Step::Kind::loop});
        const std::int32_t turn = get(counter);
        const std::int32_t goes_on = looped.is_while ? get(scope.arguments[0].variable) : map(Op::less, Dtype::int64, Dtype::bool_, turn, size(count));
        step({.kind = Step::Kind::if_, .a = goes_on});
        step({.kind = Step::Kind::else_});
        step({.kind = Step::Kind::break_, .a = 0});
        step({.kind = Step::Kind::end});
        scope.place = looped.backward ? minus(plus(size(count), whole(-1)), turn) : turn;
        before_each(turn);
        Scope* const around = std::exchange(scope_, &scope);
        body();
        scope_ = around;
        step({.kind = Step::Kind::next});
        set(counter, plus(get(counter), whole(1)));
        step({.kind = Step::Kind::end});
    }

    // An iteration: values in the order in which they were recorded, which is that of writes, too.
    void body() {
        std::vector<Value> order = ir::reachable(scope_->body.graph.roots());
        std::sort(order.begin(), order.end(), [](Value a, Value b) { return a->id < b->id; });
        for (const Value value : order) {
            if (value->where) where_ = value->where;
            if (value->op == Op::scatter) scatter(value);
            else if (value->op == Op::update) update(value);
            else if (value->op == Op::take) take(value);
            else if (value->op == Op::loop) inner_loop(value);
            else if (is_number(value) && !is_collected(value)) scope_->numbers.emplace(value, number(value));
            else if (!is_array_only(value)) throw NotOfNumbers{};
        }
        const NumberBody& body = scope_->body;
        std::vector<std::int32_t> next;
        for (std::size_t i = 0; i < body.states; ++i) next.push_back(next_state(body.graph.outputs()[i], i));
        for (std::size_t i = 0; i < body.states; ++i) {
            if (body.is_number[i]) set(scope_->arguments[i].variable, next[i]);
        }
    }

    bool is_collected(Value value) const { return value->op == Op::parameter && number_of(value) >= scope_->first_collected(); }

    static bool is_array_only(Value value) {
        const Kind kind = ops::info(value->op).kind;
        return kind == Kind::move || value->op == Op::parameter || value->op == Op::iota;
    }

    std::int32_t next_state(Value output, std::size_t state) {
        if (scope_->body.is_number[state]) return known(output);
        const Elements where = elements(output), own = elements(scope_->parameter(state));
        const bool is_own = where.array == own.array && where.storage.offset == own.storage.offset && where.storage.strides == own.storage.strides;
        if (!is_own || where.moved >= 0 || where.version != stores_[own.array]) throw NotOfNumbers{};
        return -1;
    }

    // A loop in an iteration: on numbers, and elements of arrays that it reads.
    void inner_loop(Value loop_node) {
        const ir::Looped looped(loop_node->attributes.ints);
        const auto found = scope_->body.inner.find(looped.body);
        if (found == scope_->body.inner.end()) throw NotOfNumbers{};
        Scope inner{*found->second};
        inner.collected.assign(inner.body.collected, -1);
        std::vector<std::int32_t> states;
        for (std::size_t i = 0; i < loop_node->inputs.size(); ++i) {
            const Value input = loop_node->inputs[i];
            Argument argument;
            if (i < inner.body.states) {
                if (!inner.body.is_number[i]) throw NotOfNumbers{};
                argument.variable = variable(input->dtype);
                set(argument.variable, known(input));
                states.push_back(argument.variable);
            } else if (is_number(input) && i >= inner.body.states + inner.body.parts) {
                argument.number = known(input);
            } else if (i < inner.body.states + inner.body.parts && input->op == Op::iota && input->shape.size() == 1) {
                argument.is_place = true;
            } else {
                argument.elements = elements(input);
            }
            inner.arguments.push_back(std::move(argument));
        }
        loop(inner, looped, loop_node->attributes.dims[0], [](std::int32_t) {});
        scope_->states_after.emplace(loop_node, std::move(states));
    }

    std::int32_t after(Value value) {
        const std::vector<std::int32_t>& states = scope_->states_after.at(value->inputs[0]);
        const auto number = static_cast<std::size_t>(value->attributes.ints[0]);
        if (number >= states.size()) throw NotOfNumbers{};
        return get(states[number]);
    }

    // Numbers.

    std::int32_t known(Value value) const {
        const auto found = scope_->numbers.find(value);
        if (found == scope_->numbers.end()) throw NotOfNumbers{};
        return found->second;
    }

    std::int32_t number(Value value) {
        const ops::Info& info = ops::info(value->op);
        if (value->op == Op::constant) return constant(value->attributes.scalar, value->dtype);
        if (value->op == Op::iota) return whole(0);
        if (value->op == Op::extent) return cast(size(value->attributes.dims[0]), Dtype::int64, value->dtype);
        if (value->op == Op::after) return after(value);
        if (value->op == Op::parameter) {
            const Argument& argument = scope_->arguments[number_of(value)];
            if (argument.variable >= 0) return get(argument.variable);
            if (argument.is_place) return cast(scope_->place, Dtype::int64, value->dtype);
            return argument.number >= 0 ? argument.number : element(value);
        }
        if (info.kind == Kind::move) {
            const auto known = scope_->numbers.find(value->inputs[0]);
            return known != scope_->numbers.end() ? known->second : element(value);
        }
        if (info.kind != Kind::map || ops::may_raise(*value)) throw NotOfNumbers{};
        SmallVector<std::int32_t, 3> operands;
        for (const Value input : value->inputs) operands.push_back(known(input));
        if (value->op == Op::cast) return cast(operands[0], value->inputs[0]->dtype, value->dtype);
        if (value->op == Op::select) return select(value->dtype, operands[0], operands[1], operands[2]);
        if (operands.size() > 2) throw NotOfNumbers{};
        return map(value->op, value->inputs[0]->dtype, value->dtype, operands[0], operands.size() > 1 ? operands[1] : -1);
    }

    // Elements of arrays.

    Elements elements(Value value) {
        if (const auto found = scope_->elements.find(value); found != scope_->elements.end()) return found->second;
        if (value->op == Op::parameter) {
            const std::size_t number = number_of(value), states = scope_->body.states;
            Elements made = scope_->arguments[number].elements;
            if (made.array < 0) throw NotOfNumbers{};
            if (number < states || number >= states + scope_->body.parts) return made;
            if (!made.storage.strides.empty() &&
                made.storage.strides.size() == value->shape.size() + 1) {  // an inner loop's: an array along its first axis
                move_on(made, times(scope_->place, size(made.storage.strides[0])));
                made.storage.strides = shape::Dims(made.storage.strides.begin() + 1, made.storage.strides.end());
                return made;
            }
            const Dim bytes = sizes_.multiply(sizes_.product(value->shape), Dim(static_cast<std::int64_t>(itemsize_of(value->dtype))));
            move_on(made, times(scope_->place, size(bytes)));
            return made;
        }
        if (ops::info(value->op).kind != Kind::move) throw NotOfNumbers{};
        Elements made = elements(value->inputs[0]);
        const auto seen = pass::view(*value, made.storage, sizes_);
        if (!seen) throw NotOfNumbers{};
        made.storage = *seen;
        return made;
    }

    void move_on(Elements& elements, std::int32_t bytes) { elements.moved = elements.moved < 0 ? bytes : plus(elements.moved, bytes); }

    std::int32_t place_of(const Elements& elements) {
        const Dim offset = elements.storage.offset;
        if (elements.moved < 0) return size(offset);
        return offset.is_constant() && offset.value() == 0 ? elements.moved : plus(elements.moved, size(offset));
    }

    std::int32_t element(Value value) { return loaded(elements(value), value->dtype); }

    std::int32_t loaded(const Elements& where, Dtype dtype) {
        if (where.version != stores_[where.array]) throw NotOfNumbers{};  // it was overwritten
        return load(dtype, where.array, place_of(where));
    }

    // An index from the end counts backwards; one that is out of bounds leaves the program.
    std::int32_t checked(std::int32_t index, Dim length, std::int64_t axis) {
        set(NumberLoop::index, index);
        set(NumberLoop::axis, whole(axis));
        set(NumberLoop::length, size(length));
        const std::int32_t below = map(Op::less, Dtype::int64, Dtype::bool_, index, whole(0));
        const std::int32_t place = select(Dtype::int64, below, plus(index, size(length)), index);
        const auto require = [&](std::int32_t holds) { step({.kind = Step::Kind::require, .a = holds, .b = NumberLoop::out_of_bounds}); };
        require(map(Op::greater_equal, Dtype::int64, Dtype::bool_, place, whole(0)));
        require(map(Op::less, Dtype::int64, Dtype::bool_, place, size(length)));
        return place;
    }

    // Of several indices each was looked at.
    std::int32_t clipped(std::int32_t index, Dim length) {
        const std::int32_t low = map(Op::maximum, Dtype::int64, Dtype::int64, index, whole(0));
        return map(Op::minimum, Dtype::int64, Dtype::int64, low, plus(size(length), whole(-1)));
    }

    void take(Value value) {
        const Value from = value->inputs[0], index = value->inputs[1];
        const std::int64_t axis = value->attributes.ints[0], mode = value->attributes.ints[1];
        const auto place = static_cast<std::size_t>(axis);
        const Dim length = from->shape[place];
        if (!is_number(index) || (mode != 0 && (mode != 2 || !is_found_elsewhere(index)))) throw NotOfNumbers{};
        const std::int32_t given = known(index), at = mode == 0 ? checked(given, length, axis) : clipped(given, length);
        if (from->op == Op::iota && from->shape.size() == 1) {
            scope_->numbers.emplace(value, cast(at, Dtype::int64, value->dtype));
            return;
        }
        Elements picked = elements(from);
        move_on(picked, times(at, size(picked.storage.strides[place])));
        shape::Dims strides;
        for (std::size_t i = 0; i < picked.storage.strides.size(); ++i) {
            if (i != place) strides.push_back(picked.storage.strides[i]);
            for (std::size_t k = 0; i == place && k < index->shape.size(); ++k) strides.push_back(Dim(0));
        }
        picked.storage.strides = std::move(strides);
        if (is_number(value)) scope_->numbers.emplace(value, loaded(picked, value->dtype));
        else scope_->elements.emplace(value, std::move(picked));
    }

    // An index that was made of several, each of which was looked at: no axis is empty then.
    static bool is_found_elsewhere(Value index) {
        const std::vector<Value> all = ir::reachable({&index, 1});
        return std::any_of(all.begin(), all.end(), [](Value each) { return each->op == Op::take && each->inputs[0]->op == Op::iota; });
    }

    // Stores.

    // An array that may be written to: a state as it is now.
    Elements written(Value value) {
        Elements where = elements(value);
        const bool is_state = scope_ == &top_ && static_cast<std::size_t>(where.array) < top_.body.states;
        if (!is_state || where.version != stores_[where.array]) throw NotOfNumbers{};
        return where;
    }

    // Notes that a value is what an array holds after one more store.
    void stored(Value value, Elements where) {
        where.version = ++stores_[where.array];
        scope_->elements.emplace(value, std::move(where));
    }

    void scatter(Value value) {
        const Value index = value->inputs[1], given = value->inputs[2];
        if (value->shape.size() != 1 || !is_number(index) || !is_number(given)) throw NotOfNumbers{};
        const Elements all = written(value->inputs[0]);
        Elements place = all;
        move_on(place, times(checked(known(index), value->shape[0], 0), size(all.storage.strides[0])));
        const Dtype dtype = value->dtype;
        const std::int64_t combine = value->attributes.ints[0];
        std::int32_t result = known(given);
        if (combine >= 0) result = map(static_cast<Op>(combine), dtype, dtype, load(dtype, place.array, place_of(place)), result);
        store(dtype, place.array, place_of(place), result);
        stored(value, all);
    }

    void update(Value value) {
        const Value target = value->inputs[0], given = value->inputs[1];
        if (is_collected(target)) return collect(target, given);
        if (is_number(value)) {  // all of it
            scope_->numbers.emplace(value, known(given));
            return;
        }
        if (!scope_->numbers.contains(given)) {  // what was stored to its elements
            const Elements now = elements(given);
            Elements all = elements(target);
            if (now.array != all.array || !ops::takes_all(value) || !(now.storage.offset == all.storage.offset)) throw NotOfNumbers{};
            all.version = now.version;
            scope_->elements.emplace(value, std::move(all));
            return;
        }
        const Elements all = written(target);
        Elements place = all;
        place.storage = pass::region_of(*value, all.storage, sizes_);
        store(value->dtype, place.array, place_of(place), known(given));
        stored(value, all);
    }

    void collect(Value memory, Value given) {
        if (!is_number(memory)) throw NotOfNumbers{};
        const std::int32_t array = scope_->collected[number_of(memory) - scope_->first_collected()];
        if (array >= 0) store(memory->dtype, array, times(scope_->place, bytes_of(memory->dtype)), known(given));
    }

    const ir::Looped& looped_;
    const std::vector<bool>& given_;
    shape::Sizes& sizes_;
    Scope top_;
    Scope* scope_ = nullptr;
    std::unordered_map<std::int32_t, int> stores_;  // to each array, in an iteration
};

// Whether a program might say it: a look without its details.
bool may_be_step(Value value) {
    switch (ops::info(value->op).kind) {
        case Kind::make: return is_number(value) || value->op == Op::parameter || value->op == Op::iota;
        case Kind::map: return is_number(value);
        case Kind::move: return true;
        case Kind::pick:
            return value->op == Op::take || value->op == Op::scatter || value->op == Op::update || value->op == Op::loop || value->op == Op::after;
        default: return false;
    }
}

}  // namespace

std::shared_ptr<const NumberBody> number_body(const ir::Graph& graph, const ir::Body& body,
                                              std::map<std::int64_t, std::shared_ptr<const NumberBody>> inner) {
    const std::vector<Value> values = ir::reachable(graph.roots());
    if (!std::all_of(values.begin(), values.end(), may_be_step)) return nullptr;
    auto made = std::make_shared<NumberBody>();
    made->graph = graph.copy();
    made->states = static_cast<std::size_t>(body.states);
    made->parts = static_cast<std::size_t>(body.parts);
    made->constants = static_cast<std::size_t>(body.constants);
    made->collected = static_cast<std::size_t>(body.collected);
    for (std::size_t i = 0; i < made->states; ++i) made->is_number.push_back(is_number(graph.parameters()[i]));
    made->inner = std::move(inner);
    return made;
}

std::optional<NumberLoop> number_loop(const NumberBody& body, const ir::Looped& looped, Dim count, const std::vector<bool>& given, shape::Sizes& sizes) {
    try {
        return Writer(body, looped, given, sizes).run(count);
    } catch (const NotOfNumbers&) {
        return std::nullopt;
    }
}

}  // namespace fastnp::nest
