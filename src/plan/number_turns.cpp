#include "plan/number_turns.h"

#include "eager/eager.h"
#include "plan/launch.h"

namespace fastnp::plan {

using nest::NumberLoop;

void take_number_turns(LoopArrays& arrays, const std::int64_t* values) {
    const NumberTurns& numbers = *arrays.step().numbers;
    const nest::NumberBody& body = *arrays.step().body->of_numbers;
    const std::size_t states = arrays.state_count();
    SmallVector<void*, 32> places;
    for (std::size_t i = 0; i < arrays.argument_count(); ++i) places.push_back(i < states ? arrays.states[i].data : arrays.first(i));
    for (std::size_t i = 0; i < states; ++i) places.push_back(arrays.first_saved(i));
    for (std::size_t i = 0; i < states; ++i) {
        if (body.is_number[i]) arrays.states[i] = arrays.made(i);
        places.push_back(arrays.states[i].data);
    }
    SmallVector<std::int64_t, 16> inputs;
    for (const shape::Dim size : numbers.loop.sizes) inputs.push_back(value_of(size, values));
    SmallVector<std::int64_t, 64> words;
    words.resize(static_cast<std::size_t>(numbers.loop.program.words()));
    numbers.function(places.data(), inputs.data(), 0, 0, words.data());
    if (words[0] == NumberLoop::done) return;
    const auto told = [&](std::int32_t variable) { return words[static_cast<std::size_t>(ir::Program::word_of(variable))]; };
    eager::throw_out_of_bounds(told(NumberLoop::index), told(NumberLoop::axis), told(NumberLoop::length));
}

}  // namespace fastnp::plan
