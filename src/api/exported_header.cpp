// The C header of an exported function: a function of its name, whose parameters are pointers and sizes.
#include <algorithm>
#include <cctype>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "api/exported.h"
#include "fastnp/exported_c.h"

namespace fastnp::detail {

namespace {

// A name that C takes.
std::string identifier(std::string_view name, std::string_view otherwise) {
    std::string made;
    for (const char each : name) made += std::isalnum(static_cast<unsigned char>(each)) != 0 ? each : '_';
    const auto first = made.find_first_not_of('_');
    if (first == std::string::npos) return std::string(otherwise);
    made.erase(0, first);
    while (made.back() == '_') made.pop_back();
    if (std::isdigit(static_cast<unsigned char>(made.front())) != 0) made = std::string(otherwise) + "_" + made;
    return made;
}

// Names in a header, each once, that are none of C's or C++'s words.
class Names {
public:
    std::string of(std::string_view name, std::string_view otherwise) {
        const std::string first = identifier(name, otherwise);
        std::string made = first;
        for (int number = 1; !used_.insert(made).second || used_.contains(made + "_shape"); ++number) made = first + "_" + std::to_string(number);
        used_.insert(made + "_shape");
        return made;
    }

private:
    std::set<std::string, std::less<>> used_{
        "alignas",      "alignof", "and",      "and_eq",  "asm",     "auto",          "bitand",      "bitor",     "bool",     "break",     "case",
        "catch",        "char",    "class",    "compl",   "concept", "const",         "consteval",   "constexpr", "continue", "decltype",  "default",
        "delete",       "do",      "double",   "else",    "enum",    "explicit",      "export",      "extern",    "false",    "float",     "for",
        "friend",       "goto",    "if",       "inline",  "int",     "long",          "mutable",     "namespace", "new",      "noexcept",  "not",
        "not_eq",       "nullptr", "operator", "or",      "or_eq",   "private",       "protected",   "public",    "register", "requires",  "restrict",
        "return",       "short",   "signed",   "sizeof",  "static",  "static_assert", "static_cast", "struct",    "switch",   "template",  "this",
        "thread_local", "throw",   "true",     "try",     "typedef", "typeid",        "typename",    "typeof",    "union",    "unsigned",  "using",
        "virtual",      "void",    "volatile", "wchar_t", "while",   "xor",           "xor_eq",      "function",  "results",  "arguments", "main",
        "linux",        "unix",    "exp",      "log",     "sin",     "cos",           "tan",         "sqrt",      "pow",      "abs",       "round",
        "floor",        "ceil",    "errno",    "stdin",   "stdout",  "stderr",        "NULL",        "EOF"};
};

// In a comment.
std::string commented(std::string text) {
    for (std::size_t at = text.find("*/"); at != std::string::npos; at = text.find("*/")) text.replace(at, 2, "* /");
    std::ranges::replace(text, '\n', ' ');
    return text;
}

struct CType {
    std::string type, code;
};

CType c_type(Dtype dtype) {
    const std::string name(name_of(dtype));
    std::string code = "FASTNP_";
    for (const char each : name) code += static_cast<char>(std::toupper(static_cast<unsigned char>(each)));
    if (dtype == Dtype::bool_) return {"uint8_t", code};
    if (dtype == Dtype::float16 || dtype == Dtype::bfloat16) return {"uint16_t", code};
    if (dtype == Dtype::float32 || dtype == Dtype::complex64) return {"float", code};
    if (dtype == Dtype::float64 || dtype == Dtype::complex128) return {"double", code};
    return {name + "_t", code};
}

std::string shape_of(const compiler::ArgumentGuard& guard, const std::vector<std::string>& sizes) {
    std::string text;
    for (const compiler::Extent& extent : guard.shape) {
        text += (text.empty() ? "" : ", ") + (extent.symbol < 0 ? std::to_string(extent.value) : sizes[static_cast<std::size_t>(extent.symbol)]);
    }
    return text;
}

// `names`: those of functions before it; its parameters' are its own.
std::string text_of(const HeaderFunction& exported, const std::string& function, Names names) {
    const auto& [header, signature, results] = exported;
    std::vector<std::string> sizes;
    for (const compiler::Symbol& symbol : signature.symbols) sizes.push_back(names.of("size_" + identifier(symbol.name, "size"), "size"));
    std::string declared, said, shapes, given;
    for (std::size_t i = 0; i < signature.arguments.size(); ++i) {
        const compiler::ArgumentGuard& guard = signature.arguments[i];
        const std::string parameter = names.of(i < header.parameters.size() ? header.parameters[i] : "", "x" + std::to_string(i));
        const auto [type, code] = c_type(guard.dtype);
        const std::string shape = shape_of(guard, sizes);
        declared += type + "* " + parameter + ", ";
        said += " *   " + parameter + ": " + std::string(name_of(guard.dtype)) + "(" + shape + ")\n";
        if (!shape.empty()) shapes += "    int64_t " + parameter + "_shape[] = {" + shape + "};\n";
        given += (given.empty() ? "" : ",\n        ") + std::string("{") + parameter + ", " + code + ", " + std::to_string(guard.rank) + ", " +
                 (shape.empty() ? "0" : parameter + "_shape") + ", 0, 0}";
    }
    for (const std::string& size : sizes) declared += "int64_t " + size + ", ";
    std::string text = "/* " + commented(header.name) + "(). Its arrays lie in C order:\n" + said;
    for (std::size_t i = 0; i < results.size(); ++i) text += " *   results[" + std::to_string(i) + "]: " + commented(results[i]) + "\n";
    text += " */\nenum { " + function + "_results = " + std::to_string(results.size()) + " };\n\nstatic inline int " + function +
            "(const fastnp_exported_function* function,\n        " + declared + "fastnp_exported_array* results) {\n" + shapes;
    if (given.empty()) return text + "    return fastnp_exported_call(function, 0, results);\n}\n\n";
    return text + "    fastnp_exported_array arguments[] = {\n        " + given +
           "};\n    return fastnp_exported_call(function, arguments, results);\n}\n\n";
}

}  // namespace

std::string c_header(std::span<const HeaderFunction> functions) {
    Names names;
    std::string whole, first;
    for (const HeaderFunction& each : functions) {
        const std::string function = names.of(each.header.name, "exported");
        if (first.empty()) first = function;
        whole += text_of(each, function, names);
    }
    return "/* Exported by fastnp. Open the library by fastnp_exported_open(), its further functions by\n"
           " * fastnp_exported_open_named(); release each result by fastnp_exported_release(). */\n#ifndef FASTNP_EXPORTED_" +
           first + "\n#define FASTNP_EXPORTED_" + first + "\n\n#include <fastnp/exported_c.h>\n\n" + whole + "#endif\n";
}

}  // namespace fastnp::detail
