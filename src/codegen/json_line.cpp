#include "codegen/json_line.h"

#include "codegen/llvm.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include <llvm/Support/JSON.h>
#include <llvm/Support/raw_ostream.h>
#pragma GCC diagnostic pop

namespace fastnp::codegen {

std::string json_line(const detail::LogEvent& event) {
    const auto text = [](std::string_view raw) { return llvm::json::fixUTF8(llvm::StringRef(raw.data(), raw.size())); };
    std::string line;
    llvm::raw_string_ostream stream(line);
    llvm::json::OStream json(stream);
    json.object([&] {
        json.attribute("channel", text(detail::channel_names[static_cast<std::size_t>(event.channel)]));
        json.attribute("function", text(event.function));
        json.attribute("text", text(event.text));
        for (const auto& [name, value] : event.values) {
            double number = 0;
            const std::string key = text(name);
            if (!value.empty() && !llvm::StringRef(value).getAsDouble(number)) json.attribute(key, number);
            else json.attribute(key, text(value));
        }
    });
    return line;
}

}  // namespace fastnp::codegen
