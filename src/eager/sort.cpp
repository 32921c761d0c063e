// Sorts along one axis: lines are put side by side, in their place where that is so.
#include <memory>

#include "eager/kernels.h"
#include "eager/share_lines.h"
#include "eager/sort_line.h"

namespace fastnp::eager {

namespace {

// Lines whose elements are neighbours of other lines' are fetched together, so that what a cache fetches at once is used at once.
constexpr std::int64_t most_lines = 8;

// A few lines' elements, each line's side by side.
template <class T>
class Buffer {
public:
    explicit Buffer(std::int64_t lines, std::int64_t length) : length_(length), elements_(new T[static_cast<std::size_t>(lines * length)]) {}
    T* line(std::int64_t number) const { return elements_.get() + number * length_; }
    void fetch(const char* from, std::int64_t lines, std::int64_t next, std::int64_t step) const {
        if (lines == 1) return gather(from, step, sizeof(T), length_, reinterpret_cast<char*>(elements_.get()));
        for (std::int64_t i = 0; i < length_; ++i, from += step) {
            for (std::int64_t k = 0; k < lines; ++k) line(k)[i] = *reinterpret_cast<const T*>(from + k * next);
        }
    }
    // Elements [first, first + part) of each.
    void store(char* to, std::int64_t lines, std::int64_t next, std::int64_t step, std::int64_t first, std::int64_t part) const {
        if (lines == 1) return scatter(reinterpret_cast<const char*>(elements_.get() + first), step, sizeof(T), part, to);
        for (std::int64_t i = 0; i < part; ++i, to += step) {
            for (std::int64_t k = 0; k < lines; ++k) *reinterpret_cast<T*>(to + k * next) = line(k)[first + i];
        }
    }

private:
    std::int64_t length_;
    std::unique_ptr<T[]> elements_;
};

template <class T>
void sort_lines(const Lines& lines, std::int64_t first, std::int64_t part, std::int64_t begin, std::int64_t end) {
    const std::int64_t length = lines.length;
    const auto sort_one = [&](T* line) {
        if (part == length) sort_line(line, length);
        else sort_part(line, length, first, part);
    };
    if (part == length && lines.to_step == static_cast<std::int64_t>(sizeof(T))) {
        for (std::int64_t number = begin; number < end; ++number) {
            char* const to = lines.to(number);
            gather(lines.from(number), lines.step, sizeof(T), length, to);
            sort_one(reinterpret_cast<T*>(to));
        }
        return;
    }
    const std::int64_t together = lines.next_step() != 0 && lines.next_to_step() != 0 ? std::min(most_lines, end - begin) : 1;
    const Buffer<T> buffer(together, length);
    for (std::int64_t number = begin; number < end; number += together) {
        const std::int64_t n = std::min(together, end - number);
        buffer.fetch(lines.from(number), n, lines.next_step(), lines.step);
        for (std::int64_t k = 0; k < n; ++k) sort_one(buffer.line(k));
        buffer.store(lines.to(number), n, lines.next_to_step(), lines.to_step, first, part);
    }
}

template <class T>
void order_lines(const Lines& lines, std::int64_t begin, std::int64_t end) {
    const std::int64_t length = lines.length;
    const bool lies_close = lines.step == static_cast<std::int64_t>(sizeof(T)),
               places_lie_close = lines.to_step == static_cast<std::int64_t>(sizeof(std::int64_t));
    const Buffer<T> buffer(lies_close ? 0 : 1, length);
    const Buffer<std::int64_t> places(places_lie_close ? 0 : 1, length);
    for (std::int64_t number = begin; number < end; ++number) {
        char* const from = lines.from(number);
        char* const to = lines.to(number);
        std::int64_t* const order = places_lie_close ? reinterpret_cast<std::int64_t*>(to) : places.line(0);
        if (!lies_close) buffer.fetch(from, 1, 0, lines.step);
        order_line(lies_close ? reinterpret_cast<const T*>(from) : buffer.line(0), length, order);
        if (!places_lie_close) places.store(to, 1, 0, lines.to_step, 0, length);
    }
}

}  // namespace

void run_sort(ops::Op op, const ir::Attributes& attributes, const View& x, const View& out) {
    const auto axis = static_cast<std::size_t>(attributes.ints[0]);
    const Lines lines(x, axis, out, true);
    const std::int64_t first = attributes.dims.empty() ? 0 : attributes.dims[0].value(), part = out.shape[axis];
    with_element(x.dtype, [&]<class T>() {
        share_lines(lines, [&](std::int64_t begin, std::int64_t end) {
            if (op == ops::Op::sort) sort_lines<T>(lines, first, part, begin, end);
            else order_lines<T>(lines, begin, end);
        });
    });
}

}  // namespace fastnp::eager
