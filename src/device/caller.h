// On whose behalf a thread uses a device. What goes wrong there is noticed later, by somebody else: then it is told whose work it may have been.
#pragma once

#include <string>

namespace fastnp::device {

class Caller {
public:
    /// A text that lives for ever, so that it may be remembered by what outlives the function that it names. Equal texts are kept once.
    static const std::string* named(const std::string& text);

    /// Until the end of the scope; null: whoever it was before.
    explicit Caller(const std::string* name) : before_(current_) {
        if (name != nullptr) current_ = name;
    }
    ~Caller() { current_ = before_; }
    Caller(const Caller&) = delete;
    Caller& operator=(const Caller&) = delete;

    /// The name that was given last; null: nobody said.
    static const std::string* current() { return current_; }

private:
    const std::string* before_;
    static thread_local constinit const std::string* current_;
};

}  // namespace fastnp::device
