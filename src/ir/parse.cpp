#include "ir/parse.h"

#include <deque>
#include <memory>
#include <optional>
#include <unordered_map>

#include "ir/implied.h"
#include "ir/parse_pieces.h"

namespace fastnp::ir {

namespace {

using shape::Dims;
using shape::Sizes;
using Integers = SmallVector<std::int64_t>;

std::optional<Op> op_named(std::string_view name) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(Op::count); ++i) {
        if (name_of(static_cast<Op>(i)) == name) return static_cast<Op>(i);
    }
    return std::nullopt;
}

Integers integers(Scanner& in) {
    Integers all;
    list(in, "(", ")", [&] { all.push_back(integer(in)); });
    return all;
}

std::string quoted(Scanner& in) {
    in.take("\"");
    std::string text;
    while (true) {
        text += in.take_until("\"\\\n");
        const std::size_t end = in.place();
        const std::string_view sign = in.take(1);
        if (sign == "\"") return text;
        if (sign != "\\") {
            in.go(end);
            in.expected("'\"'");
        }
        const std::string_view kind = in.take(1);
        if (kind != "x") {
            text += kind;
            continue;
        }
        const auto code = number_in<unsigned char>(in.take(2), 16);
        if (!code) in.fail("expected two hexadecimal digits");
        text += static_cast<char>(*code);
    }
}

class GraphParser {
public:
    GraphParser(Scanner& in, Graph& graph, SizeParser& sizes, int depth) : in_(in), graph_(graph), sizes_(sizes), depth_(depth) {}

    // Up to `}` for the graph of a body.
    void run() {
        if (depth_ > most_nested) in_.fail("too many bodies in each other");
        while (in_.sees("%")) node();
        std::vector<Value> effects;
        if (in_.takes_word("effects")) {
            effects = values();
            in_.end_line();
        }
        outputs();
        graph_.set_effects(std::move(effects));
        while (in_.word() == "call") call();
        while (in_.word() == "body") body();
    }

    // Once all sizes are known: bodies have the table of the graph around them.
    void finish(const Sizes& table) {
        graph_.sizes() = table;
        for (GraphParser& inner : inner_) inner.finish(table);
        for (const auto& body : bodies_) graph_.add_body(std::move(*body));
    }

private:
    std::string name() {
        in_.take("%");
        return in_.take_word("the name of a value");
    }

    Value value() {
        const std::size_t start = in_.place();
        const auto found = named_.find(name());
        if (found != named_.end()) return found->second;
        in_.go(start);
        in_.fail("there is no such value above");
    }

    std::vector<Value> values() {
        std::vector<Value> all;
        do all.push_back(value());
        while (in_.takes(","));
        return all;
    }

    Op op() {
        const std::string_view name = in_.word();
        const auto found = op_named(name);
        if (!found) in_.expected("an op");
        in_.take(name.size());
        return *found;
    }

    void node() {
        const std::size_t start = in_.place();
        std::string own = name();
        if (named_.contains(own)) {
            in_.go(start);
            in_.fail("there is a value %" + own + " already");
        }
        in_.take("=");
        const Op op = this->op();
        const std::vector<Value> inputs = in_.sees("%") ? values() : std::vector<Value>();
        Attributes attributes;
        std::optional<Dims> dims;
        if (op == Op::constant || has_scalar()) attributes.scalar = scalar(in_);
        if (in_.sees("(")) attributes.ints = integers(in_);
        if (in_.sees("[")) dims = sizes_.dims();
        std::optional<Dtype> other;
        if (in_.takes_word("dtype")) other = dtype(in_);
        in_.take(":");
        const Dtype dtype = ir::dtype(in_);
        Dims shape = sizes_.dims();
        attributes.dims = dims ? *dims : dims_are_shape(op) ? shape : Dims();
        attributes.dtype = other.value_or(implied_dtype(op, dtype));
        for (const std::int64_t each : attributes.ints) note_owner(each);
        if (op == Op::parameter) check_parameter(attributes);
        const At at(graph_, location(in_.end_line()));
        named_.emplace(std::move(own), op == Op::parameter ? graph_.parameter(dtype, std::move(shape))
                                                           : graph_.make(op, inputs, std::move(attributes), dtype, std::move(shape)));
    }

    // Whether a scalar comes: a complex one is told from a list of whole numbers by its parts.
    bool has_scalar() {
        const std::size_t start = in_.place();
        if (!in_.takes("(")) return !in_.sees("[") && !in_.sees(":") && in_.word() != "dtype";
        const bool is_floating = in_.peek_of(number_signs).find_first_of(".en") != std::string_view::npos;
        in_.go(start);
        return is_floating;
    }

    void check_parameter(const Attributes& attributes) {
        const auto number = static_cast<std::int64_t>(graph_.parameters().size());
        if (attributes.ints.size() != 1 || attributes.ints[0] != number) in_.fail("expected the parameter (" + std::to_string(number) + ")");
    }

    // Numbers that say which copy, mark or axis it is: the graph's next ones come after them.
    void note_owner(std::int64_t number) {
        if (number < std::int64_t{1} << 40) graph_.pass_owner(number);
    }

    // "; model.py:12 in loss"; other comments say nothing.
    static Location location(std::string_view comment) {
        while (!comment.empty() && (comment[0] == ';' || comment[0] == ' ')) comment.remove_prefix(1);
        while (!comment.empty() && (comment.back() == '\r' || comment.back() == ' ')) comment.remove_suffix(1);
        std::size_t end = comment.find(" in ");
        while (end != std::string_view::npos && comment.substr(0, end).find(':') == std::string_view::npos) end = comment.find(" in ", end + 1);
        const std::string_view place = comment.substr(0, end);
        const std::size_t colon = place.rfind(':');
        if (colon == std::string_view::npos || colon == 0) return {};
        const auto line = number_in<int>(place.substr(colon + 1));
        if (!line) return {};
        return location_of(place.substr(0, colon), *line, end == std::string_view::npos ? "" : comment.substr(end + 4));
    }

    void outputs() {
        if (!in_.takes_word("return")) in_.expected("a value or 'return'");
        std::vector<Value> outputs;
        std::vector<Place> places;
        while (!in_.at_line_end()) {
            if (!outputs.empty()) in_.take(",");
            outputs.push_back(value());
            Place place;
            if (in_.takes_word("at")) place.owner = integer(in_);
            if (in_.takes_word("of")) place.whole = value();
            if (in_.sees("(")) place.order = integers(in_);
            note_owner(place.owner);
            places.push_back(place);
        }
        in_.end_line();
        graph_.set_outputs(std::move(outputs), std::move(places));
    }

    void number(std::size_t wanted) {
        if (integer(in_) != static_cast<std::int64_t>(wanted)) in_.fail("expected the number " + std::to_string(wanted));
    }

    void call() {
        in_.take_word("call");
        number(graph_.calls().size());
        in_.take(":");
        Call made;
        made.name = quoted(in_);
        made.structure = quoted(in_);
        list(in_, "(", ")", [&] {
            const Dtype dtype = ir::dtype(in_);
            made.types.push_back({dtype, sizes_.dims()});
        });
        in_.end_line();
        graph_.add_call(std::move(made));
    }

    void body() {
        in_.take_word("body");
        number(bodies_.size());
        Body& made = *bodies_.emplace_back(std::make_unique<Body>());
        const std::pair<const char*, int*> counts[] = {
            {"states", &made.states}, {"parts", &made.parts}, {"constants", &made.constants}, {"collected", &made.collected}};
        std::size_t at = 0;
        list(in_, "(", ")", [&] {
            if (at == std::size(counts) || !in_.takes_word(counts[at].first)) in_.expected(at < std::size(counts) ? counts[at].first : "')'");
            const std::int64_t count = integer(in_);
            if (count < 0 || count >= 1 << 20) in_.fail("a count that can't be");
            *counts[at++].second = static_cast<int>(count);
        });
        if (at != std::size(counts)) in_.fail("expected states, parts, constants and collected");
        in_.take("{");
        in_.end_line();
        inner_.emplace_back(in_, made.graph, sizes_, depth_ + 1).run();
        in_.take("}");
        in_.end_line();
    }

    Scanner& in_;
    Graph& graph_;
    SizeParser& sizes_;
    int depth_;
    std::unordered_map<std::string, Value> named_;
    std::vector<std::unique_ptr<Body>> bodies_;
    std::deque<GraphParser> inner_;  // of each
};

}  // namespace

Graph parse(std::string_view text) {
    Scanner in(text, "graph");
    Graph graph;
    Sizes table;  // of the graph and its bodies
    SizeParser sizes(in, table);
    sizes.declarations();
    GraphParser whole(in, graph, sizes, 0);
    whole.run();
    if (!in.at_end()) in.expected("the end of the text");
    whole.finish(table);
    return graph;
}

}  // namespace fastnp::ir
