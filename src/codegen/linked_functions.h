// What is linked into this process, function by function: for profilers that want to know.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "codegen/llvm.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include <llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h>
#pragma GCC diagnostic pop

namespace fastnp::codegen {

struct LinkedFunction {
    struct Line {
        std::uint64_t address;  // from where on
        unsigned number;
        std::string file;
    };
    std::string name;
    std::uint64_t address;
    std::span<const char> code;
    std::vector<Line> lines;  // in order of their addresses
};

/// A plugin of the linker, which tells of the functions of each object before they can run. Calls come one after the other.
std::unique_ptr<llvm::orc::ObjectLinkingLayer::Plugin> on_linked(std::function<void(std::span<const LinkedFunction>)> tell);

}  // namespace fastnp::codegen
