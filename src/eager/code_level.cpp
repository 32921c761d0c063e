#include "eager/code_level.h"

#include <utility>

namespace fastnp::eager {

namespace {

thread_local constinit std::optional<Isa> level_now{};

}  // namespace

CodeFor::CodeFor(std::optional<Isa> level) : before_(level ? std::exchange(level_now, level) : level_now) {}
CodeFor::~CodeFor() { level_now = before_; }
std::optional<Isa> CodeFor::current() { return level_now; }

}  // namespace fastnp::eager
