// The header of an exported function: for C a function of its name, whose parameters are pointers and sizes; for C++ a class whose parameters are spans.
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

std::string cpp_type(Dtype dtype) {
    if (dtype == Dtype::complex64) return "std::complex<float>";
    if (dtype == Dtype::complex128) return "std::complex<double>";
    return c_type(dtype).type;
}

// One function of a header. `names`: those of functions before it; its parameters' are its own.
class HeaderText {
public:
    HeaderText(const HeaderFunction& exported, std::string function, Names names)
        : exported_(exported), function_(std::move(function)), names_(std::move(names)) {
        for (const compiler::Symbol& symbol : exported_.signature.symbols) sizes_.push_back(names_.of("size_" + identifier(symbol.name, "size"), "size"));
        for (std::size_t i = 0; i < exported_.signature.arguments.size(); ++i) {
            const std::vector<std::string>& given = exported_.header.parameters;
            parameters_.push_back(names_.of(i < given.size() ? given[i] : "", "x" + std::to_string(i)));
        }
    }

    std::string for_c() const {
        const auto& [header, signature, results, dtypes, written] = exported_;
        std::string declared, said, shapes, given;
        for (std::size_t i = 0; i < parameters_.size(); ++i) {
            const compiler::ArgumentGuard& guard = signature.arguments[i];
            const auto [type, code] = c_type(guard.dtype);
            const std::string shape = shape_of(guard, sizes_);
            declared += type + "* " + parameters_[i] + ", ";
            said += " *   " + parameters_[i] + ": " + std::string(name_of(guard.dtype)) + "(" + shape + ")\n";
            if (!shape.empty()) shapes += "    int64_t " + parameters_[i] + "_shape[] = {" + shape + "};\n";
            given += (given.empty() ? "" : ",\n        ") + std::string("{") + parameters_[i] + ", " + code + ", " + std::to_string(guard.rank) + ", " +
                     (shape.empty() ? "0" : parameters_[i] + "_shape") + ", 0, 0}";
        }
        for (const std::string& size : sizes_) declared += "int64_t " + size + ", ";
        std::string text = "/* " + commented(header.name) + "(). Its arrays lie in C order:\n" + said;
        for (std::size_t i = 0; i < results.size(); ++i) text += " *   results[" + std::to_string(i) + "]: " + commented(results[i]) + "\n";
        text += " */\nenum { " + function_ + "_results = " + std::to_string(results.size()) + " };\n\nstatic inline int " + function_ +
                "(const fastnp_exported_function* function,\n        " + declared + "fastnp_exported_array* results) {\n" + shapes;
        if (given.empty()) return text + "    return fastnp_exported_call(function, 0, results);\n}\n\n";
        return text + "    fastnp_exported_array arguments[] = {\n        " + given +
               "};\n    return fastnp_exported_call(function, arguments, results);\n}\n\n";
    }

    // A class that opens the library and is called with spans.
    std::string for_cpp() const {
        const std::string name = function_ + "_function";
        std::string declared, checks, given;
        for (std::size_t i = 0; i < parameters_.size(); ++i) {
            const Dtype dtype = exported_.signature.arguments[i].dtype;
            const bool is_written = std::ranges::find(exported_.written, static_cast<int>(i)) != exported_.written.end();
            const std::string pointer = c_type(dtype).type + "*", elements = parameters_[i] + ".data()";
            const bool is_same = c_type(dtype).type == cpp_type(dtype);
            const std::string typed = is_same ? elements : "reinterpret_cast<" + std::string(is_written ? "" : "const ") + pointer + ">(" + elements + ")";
            declared +=
                (declared.empty() ? "" : ", ") + std::string("std::span<") + (is_written ? "" : "const ") + cpp_type(dtype) + "> " + parameters_[i];
            checks += "        fastnp::exported::check_count(\"" + parameters_[i] + "\", " + parameters_[i] + ".size(), {" +
                      shape_of(exported_.signature.arguments[i], sizes_) + "});\n";
            given += (is_written ? typed : "const_cast<" + pointer + ">(" + typed + ")") + ", ";
        }
        for (const std::string& size : sizes_) {
            declared += (declared.empty() ? "" : ", ") + std::string("std::int64_t ") + size;
            given += size + ", ";
        }
        const auto [type, made] = result();
        const std::size_t count = exported_.results.size();
        std::string text =
            "/** " + commented(exported_.header.name) + "() of an open library, with the types of its arrays, which lie in C order. */\nclass " + name +
            " : public fastnp::exported::Function {\npublic:\n    explicit " + name + "(const std::string& path) : fastnp::exported::Function(path, \"" +
            quoted(exported_.header.name) + "\") {}\n    " + type + " operator()(" + declared + ") const {\n" + checks;
        text += count == 0 ? std::string() : "        fastnp_exported_array results[" + function_ + "_results];\n";
        text += "        fastnp::exported::check(" + function_ + "(get(), " + given + (count == 0 ? "nullptr" : "results") + "));\n";
        return text + (count == 0 ? "" : "        return " + made + ";\n") + "    }\n};\n\n";
    }

private:
    // The type of what the class gives, and an expression that makes it.
    std::pair<std::string, std::string> result() const {
        std::string types, values;
        for (std::size_t i = 0; i < exported_.results.size(); ++i) {
            const std::string type = "fastnp::exported::Array<" + cpp_type(exported_.result_dtypes[i]) + ">";
            types += (i == 0 ? "" : ", ") + type;
            values += (i == 0 ? "" : ", ") + type + "(results[" + std::to_string(i) + "])";
        }
        if (exported_.results.empty()) return {"void", ""};
        if (exported_.results.size() == 1) return {types, values};
        return {"std::tuple<" + types + ">", "{" + values + "}"};
    }
    static std::string quoted(const std::string& name) {
        std::string made;
        for (const char each : name) made += each == '"' || each == '\\' ? std::string("\\") + each : std::string(1, each);
        return made;
    }

    const HeaderFunction& exported_;
    std::string function_;
    Names names_;
    std::vector<std::string> sizes_, parameters_;
};

}  // namespace

std::string c_header(std::span<const HeaderFunction> functions) {
    Names names;
    std::string for_c, for_cpp, first;
    for (const HeaderFunction& each : functions) {
        const std::string function = names.of(each.header.name, "exported");
        names.of(function + "_function", "exported");
        if (first.empty()) first = function;
        const HeaderText text(each, function, names);
        for_c += text.for_c();
        for_cpp += text.for_cpp();
    }
    return "/* Exported by fastnp. Open the library by fastnp_exported_open(), its further functions by\n"
           " * fastnp_exported_open_named(); release each result by fastnp_exported_release(). C++20 has\n"
           " * classes that do so. */\n#ifndef FASTNP_EXPORTED_" +
           first + "\n#define FASTNP_EXPORTED_" + first + "\n\n#include <fastnp/exported_c.h>\n\n" + for_c +
           "#if defined(__cplusplus) && __cplusplus >= 202002L\n#include <fastnp/exported_typed.h>\n\n#include <tuple>\n\n" + for_cpp + "#endif\n#endif\n";
}

}  // namespace fastnp::detail
