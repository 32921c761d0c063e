#include "ir/program.h"

#include <algorithm>

#include "base/bytes.h"
#include "fastnp/error.h"

namespace fastnp::ir {

namespace {

using Kind = Step::Kind;

constexpr std::string_view kind_names[] = {"constant", "input",   "get",       "set",    "map",    "cast",    "plus",        "times",    "truncate",
                                           "select",   "floored", "overflows", "wraps",  "libm",   "load",    "store",       "allocate", "point",
                                           "address",  "part",    "extent",    "assume", "shared", "collect", "interrupted", "draw",     "require",
                                           "exit",     "if",      "else",      "loop",   "share",  "next",    "break",       "continue", "end"};

bool has_value(Kind kind) {
    switch (kind) {
        case Kind::constant:
        case Kind::input:
        case Kind::get:
        case Kind::map:
        case Kind::cast:
        case Kind::plus:
        case Kind::times:
        case Kind::truncate:
        case Kind::select:
        case Kind::floored:
        case Kind::overflows:
        case Kind::libm:
        case Kind::allocate:
        case Kind::address:
        case Kind::draw:
        case Kind::interrupted:
        case Kind::load: return true;
        default: return false;
    }
}

// Walks the steps with the blocks that are open.
class Verifier {
public:
    explicit Verifier(const Program& program) : program_(program), visible_(program.steps.size(), false) {}

    void run() {
        for (number_ = 0; number_ < program_.steps.size(); ++number_) {
            const Step& step = program_.steps[number_];
            check_operands(step);
            check_fields(step);
            check_block(step);
            if (has_value(step.kind)) {
                visible_[number_] = true;
                made_.push_back(number_);
            }
        }
        if (!blocks_.empty()) fail("a block is not closed");
    }

private:
    struct Block {
        Kind kind;
        std::size_t made;  // how many values there were before it
    };

    [[noreturn]] void fail(const std::string& what) const {
        throw InternalError("malformed program: " + what + " (step " + std::to_string(number_) + ")");
    }
    const Step& value(std::int32_t id) const {
        if (id < 0 || static_cast<std::size_t>(id) >= number_ || !visible_[static_cast<std::size_t>(id)]) {
            fail("value " + std::to_string(id) + " is not known here");
        }
        return program_.steps[static_cast<std::size_t>(id)];
    }
    void expect(std::int32_t id, Dtype dtype) const {
        if (value(id).dtype != dtype) fail("value " + std::to_string(id) + " is " + std::string(name_of(value(id).dtype)));
    }
    static bool is_in(std::int32_t number, std::size_t count) { return number >= 0 && static_cast<std::size_t>(number) < count; }
    std::size_t loops() const {
        return static_cast<std::size_t>(std::count_if(blocks_.begin(), blocks_.end(), [](const Block& block) { return is_loop(block.kind); }));
    }
    static bool goes_on(Kind open, Kind kind) { return kind == Kind::else_ ? open == Kind::if_ : open == Kind::loop || open == Kind::share; }
    static bool is_loop(Kind kind) { return kind == Kind::loop || kind == Kind::share || kind == Kind::next; }

    void check_operands(const Step& step) const {
        const Operands operands = operands_of(step);
        if (operands.a) value(step.a);
        if (operands.b) value(step.b);
        if (operands.c) value(step.c);
    }

    void check_array(std::int32_t number) const {
        const auto arrays = static_cast<std::size_t>(program_.arrays) + static_cast<std::size_t>(program_.made_arrays);
        if (!is_in(number, arrays)) fail("no such array");
    }
    void check_counter(std::int32_t number) const {
        if (!is_in(number, program_.variables.size()) || program_.variables[static_cast<std::size_t>(number)] != Dtype::int64) fail("no such counter");
    }
    void check_made(std::int32_t number) const {
        check_array(number);
        if (number < program_.arrays) fail("an array that is handed in stays where it is");
    }

    void check_fields(const Step& step) const {
        switch (step.kind) {
            case Kind::input:
                if (!is_in(step.a, static_cast<std::size_t>(program_.inputs))) fail("no such input");
                break;
            case Kind::get:
            case Kind::set:
                if (!is_in(step.a, program_.variables.size())) fail("no such variable");
                if (step.kind == Kind::set) expect(step.b, program_.variables[static_cast<std::size_t>(step.a)]);
                else if (step.dtype != program_.variables[static_cast<std::size_t>(step.a)]) fail("a variable of another dtype");
                break;
            case Kind::map:
                expect(step.a, step.compute);
                if (step.bits == Step::quiet && (step.compute != Dtype::float64 || step.b < 0)) fail("only arithmetic of floats is quiet");
                break;
            case Kind::select:
                expect(step.a, Dtype::bool_);
                expect(step.b, step.dtype);
                expect(step.c, step.dtype);
                break;
            case Kind::load:
            case Kind::store:
                check_array(step.a);
                expect(step.b, Dtype::int64);
                if (step.kind == Kind::store) expect(step.c, step.dtype);
                break;
            case Kind::allocate:
                check_made(step.a);
                expect(step.b, Dtype::int64);
                if (step.dtype != Dtype::bool_) fail("memory is there or is not");
                break;
            case Kind::point:
                check_made(step.a);
                check_array(step.b);
                break;
            case Kind::address: check_array(step.a); break;
            case Kind::part:
                check_array(step.a);
                expect(step.b, Dtype::int64);
                break;
            case Kind::extent:
                expect(step.b, Dtype::int64);
                expect(step.c, Dtype::int64);
                break;
            case Kind::share:
                check_counter(step.a);
                if (step.c >= 0) expect(step.c, Dtype::int64);
                else check_counter(step.b);
                break;
            case Kind::interrupted:
                if (step.dtype != Dtype::bool_) fail("a signal came or did not");
                break;
            case Kind::draw:
                expect(step.a, Dtype::int64);
                if (step.b >= 0) expect(step.b, Dtype::int64);
                if (step.dtype != (step.b >= 0 ? Dtype::int64 : Dtype::float64) || step.bits > (step.b >= 0 ? 2 : 5)) fail("no such draw");
                break;
            case Kind::assume: expect(step.a, Dtype::bool_); break;
            case Kind::require: expect(step.a, Dtype::bool_); [[fallthrough]];
            case Kind::exit:
                if (!is_in(step.b, program_.exits.size())) fail("no such exit");
                break;
            case Kind::if_: expect(step.a, Dtype::bool_); break;
            case Kind::break_:
            case Kind::continue_:
                if (!is_in(step.a, loops())) fail("no such loop around it");
                break;
            default: break;
        }
    }

    void close() {
        for (; made_.size() > blocks_.back().made; made_.pop_back()) visible_[made_.back()] = false;
    }

    void check_block(const Step& step) {
        switch (step.kind) {
            case Kind::if_:
            case Kind::share:
            case Kind::loop: blocks_.push_back({step.kind, made_.size()}); break;
            case Kind::else_:
            case Kind::next:
                if (blocks_.empty() || !goes_on(blocks_.back().kind, step.kind)) fail("no block for it");
                close();
                blocks_.back().kind = step.kind;
                break;
            case Kind::end:
                if (blocks_.empty()) fail("no block to close");
                close();
                blocks_.pop_back();
                break;
            default: break;
        }
    }

    const Program& program_;
    std::vector<bool> visible_;
    std::vector<std::size_t> made_;
    std::vector<Block> blocks_;
    std::size_t number_ = 0;
};

}  // namespace

Operands operands_of(const Step& step) {
    switch (step.kind) {
        case Kind::set:
        case Kind::allocate:
        case Kind::load: return {false, true, false};
        case Kind::map:
        case Kind::plus:
        case Kind::times:
        case Kind::floored:
        case Kind::overflows:
        case Kind::wraps:
        case Kind::draw:
        case Kind::libm: return {true, step.b >= 0, false};
        case Kind::cast:
        case Kind::truncate:
        case Kind::assume:
        case Kind::require:
        case Kind::if_: return {true, false, false};
        case Kind::select: return {true, true, true};
        case Kind::part: return {false, true, false};
        case Kind::extent:
        case Kind::store: return {false, true, true};
        case Kind::share: return {false, false, step.c >= 0};
        default: return {};
    }
}

std::optional<Step::Kind> step_kind(std::string_view name) {
    const auto* const found = std::find(std::begin(kind_names), std::end(kind_names), name);
    if (found == std::end(kind_names)) return std::nullopt;
    return static_cast<Kind>(found - std::begin(kind_names));
}

void verify(const Program& program) { Verifier(program).run(); }

std::string fingerprint(const Program& program) {
    base::Writer out;
    const auto number = [&](auto value) { out.number(static_cast<std::uint64_t>(value)); };
    number(program.apart);
    number(program.arrays);
    number(program.made_arrays);
    number(program.inputs);
    number(program.variables.size());
    for (const Dtype dtype : program.variables) number(dtype);
    number(program.exits.size());
    for (const Exit& exit : program.exits) {
        number(exit.variables.size());
        for (const std::int32_t each : exit.variables) number(each);
    }
    number(program.steps.size());
    for (const Step& step : program.steps) {
        number(step.kind);
        number(step.dtype);
        number(step.compute);
        out.text(step.op == Op::count ? std::string_view() : name_of(step.op));
        number(step.a + 1);
        number(step.b + 1);
        number(step.c + 1);
        number(step.bits);
        number(step.more_bits);
    }
    return out.bytes();
}

std::string to_text(const Program& program) {
    std::string text;
    int depth = 0;
    for (std::size_t i = 0; i < program.steps.size(); ++i) {
        const Step& step = program.steps[i];
        const bool closes = step.kind == Kind::end || step.kind == Kind::else_ || step.kind == Kind::next;
        if (closes) --depth;
        text += std::string(static_cast<std::size_t>(std::max(depth, 0)) * 2, ' ');
        if (has_value(step.kind)) text += "%" + std::to_string(i) + " = ";
        text += kind_names[static_cast<std::size_t>(step.kind)];
        if (step.op != Op::count) text += " " + std::string(name_of(step.op));
        if (has_value(step.kind) || step.kind == Kind::store) text += " " + std::string(name_of(step.dtype));
        const Operands operands = operands_of(step);
        const auto field = [&](std::int32_t value, bool is_value) {
            if (value >= 0) text += (is_value ? " %" : " ") + std::to_string(value);
        };
        field(step.a, operands.a);
        field(step.b, operands.b);
        field(step.c, operands.c);
        if (step.kind == Kind::constant) text += " " + std::to_string(step.bits);
        text += "\n";
        if (step.kind == Kind::if_ || step.kind == Kind::loop || step.kind == Kind::share || step.kind == Kind::else_ || step.kind == Kind::next) ++depth;
    }
    return text;
}

}  // namespace fastnp::ir
