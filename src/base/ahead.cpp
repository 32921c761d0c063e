#include "fastnp/detail/ahead.h"

#include <utility>

namespace fastnp::detail {

namespace {

constinit thread_local Ahead* ahead = nullptr;

}  // namespace

Ahead::Ahead(Until until_) : until(until_), before_(std::exchange(ahead, this)) {}
Ahead::~Ahead() { ahead = before_; }
Ahead* Ahead::current() { return ahead; }

}  // namespace fastnp::detail
