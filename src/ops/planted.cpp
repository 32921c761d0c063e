#include "ops/planted.h"

#include <sstream>
#include <string>
#include <vector>

#include "base/planted.h"
#include "ir/parse.h"

namespace fastnp::ops {

namespace {

using Lines = std::vector<std::string>;

Lines lines_of(const std::string& text) {
    Lines lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) lines.push_back(std::move(line));
    return lines;
}

std::string joined(const Lines& lines) {
    std::string text;
    for (const std::string& line : lines) text += line + "\n";
    return text;
}

void replace_name(std::string& line, const std::string& name, const std::string& by) {
    for (std::size_t at = line.find(name); at != std::string::npos; at = line.find(name, at + by.size())) {
        const std::size_t end = at + name.size();
        if (end < line.size() && std::isdigit(static_cast<unsigned char>(line[end])) != 0) continue;
        line.replace(at, name.size(), by);
    }
}

// A node's line: "%3 = add %1, %2 (ints) : float64[n]".
struct NodeLine {
    std::string name, op;
    std::vector<std::string> operands;
    std::size_t op_at = 0, operands_at = 0, operands_end = 0;

    explicit NodeLine(const std::string& line) {
        const std::size_t is = line.find(" = ");
        if (line.empty() || line[0] != '%' || is == std::string::npos) return;
        name = line.substr(0, is);
        op_at = is + 3;
        operands_at = line.find_first_of(" :", op_at);
        op = line.substr(op_at, operands_at - op_at);
        operands_end = operands_at;
        for (std::size_t at = operands_at + 1; at < line.size() && line[at] == '%'; at += 2) {
            const std::size_t end = line.find_first_of(", ", at);
            operands.push_back(line.substr(at, end - at));
            operands_end = end;
            if (line[end] != ',') break;
            at = end;
        }
    }
};

bool change_constant(Lines& lines, const std::string& name) {
    for (std::string& line : lines) {
        const NodeLine found(line);
        if (found.name != name || found.op != "constant") continue;
        line.insert(line.find(" :", found.op_at), "1");
        return true;
    }
    return false;
}

bool put(Lines& lines, std::size_t number, const base::Planted& fault) {
    const NodeLine node(lines[number]);
    std::string& line = lines[number];
    if (fault.kind == "swap") {
        if (node.operands.size() < 2 || node.operands[0] == node.operands[1]) return false;
        line.replace(node.operands_at + 1, node.operands[0].size() + 2 + node.operands[1].size(), node.operands[1] + ", " + node.operands[0]);
        return true;
    }
    if (fault.kind == "constant") {
        for (const std::string& operand : node.operands) {
            if (change_constant(lines, operand)) return true;
        }
        return false;
    }
    if (fault.kind == "forget") {
        for (std::string& each : lines) {
            if (each.starts_with("effects ")) each = "";
        }
        return true;
    }
    if (fault.kind == "skip") {
        if (node.operands.empty()) return false;
        line.clear();
        for (std::string& each : lines) replace_name(each, node.name, node.operands[0]);
        return true;
    }
    line.replace(node.op_at, node.op.size(), fault.kind);
    return true;
}

}  // namespace

void plant(ir::Graph& graph, std::string_view stage) {
    const base::Planted* const fault = base::planted(stage);
    if (fault == nullptr || !graph.bodies().empty()) return;
    Lines lines = lines_of(graph.text());
    for (std::size_t i = 0; i < lines.size(); ++i) {
        if (NodeLine(lines[i]).op != fault->op) continue;
        if (base::befalls(*fault)) return;
        if (!put(lines, i, *fault)) continue;
        graph = ir::parse(joined(lines));
        return;
    }
}

}  // namespace fastnp::ops
