// Memory of vectors that a thread keeps from one use to the next.
#pragma once

#include <utility>
#include <vector>

namespace fastnp::base {

/// One vector a thread and type. What is taken while it is in use, or when the thread is at its end (by destructors of statics), is a new one.
template <class T>
class Kept {
public:
    static std::vector<T> take() noexcept { return is_over() ? std::vector<T>() : std::exchange(own().all, {}); }
    static void give_back(std::vector<T>&& all) noexcept {
        all.clear();
        if (!is_over()) own().all = std::move(all);
    }

private:
    struct Own {
        std::vector<T> all;
        ~Own() { is_over() = true; }
    };
    static Own& own() noexcept {
        thread_local Own made;
        return made;
    }
    // There for as long as the thread is: it has no destructor.
    static bool& is_over() noexcept {
        thread_local constinit bool over = false;
        return over;
    }
};

}  // namespace fastnp::base
