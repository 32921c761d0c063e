// A value that calls under way go over, and that what they call may replace by another one. All of it with the GIL.
#pragma once

#include <memory>
#include <utility>
#include <vector>

namespace fastnp::python {

template <class T>
class Replaceable {
public:
    explicit Replaceable(std::unique_ptr<T> first = nullptr) : now_(std::move(first)) {}

    /// The value that there is now, or null.
    const T* now() const { return now_.get(); }
    void replace(std::unique_ptr<T> by) {
        auto former = std::exchange(now_, std::move(by));
        if (uses_ != 0) former_.push_back(std::move(former));
    }

    /// The value that there is when it is made, which stays as long as it lives.
    class Use {
    public:
        explicit Use(Replaceable& of) : of_(of), value_(of.now_.get()) { ++of.uses_; }
        ~Use() {
            if (--of_.uses_ != 0 || of_.former_.empty()) return;
            const auto gone = std::exchange(of_.former_, {});  // which may use it
        }
        Use(const Use&) = delete;
        Use& operator=(const Use&) = delete;
        const T& operator*() const { return *value_; }
        const T* operator->() const { return value_; }

    private:
        Replaceable& of_;
        const T* value_;
    };

private:
    std::unique_ptr<T> now_;
    std::vector<std::unique_ptr<T>> former_;
    int uses_ = 0;
};

}  // namespace fastnp::python
