// Conway's Game of Life: five cells grow for 1,103 generations, by a scan over whole arrays.
// The torus is large enough for what flies away.
#include <utility>

#include "timing.h"

using namespace fastnp;

array neighbours(const array& cells) {
    const array rows = roll(cells, {1}, 0) + cells + roll(cells, {-1}, 0);
    return roll(rows, {1}, 1) + rows + roll(rows, {-1}, 1) - cells;
}

// The cells after so many generations, and how many there were in each.
std::pair<array, array> live(array cells, array generations) {
    const auto generation = [](array now, array) {
        const array count = neighbours(now);
        const array next = ((count == 3) | ((now == 1) & (count == 2))).astype(uint8);
        return std::pair(next, sum(next));
    };
    return scan(generation, cells, generations);
}

int main() {
    array cells = zeros({544, 544}, uint8);
    cells(range(271, 274), range(271, 274)) = array({{0, 1, 1}, {1, 1, 0}, {0, 1, 0}});  // the R-pentomino
    const auto [last, population] = compile(live, {.name = "live"})(cells, arange(1103));
    const auto number = [](const array& x) { return x.item<int>(); };
    example::expect(number(population[-1]) == 116, "116 cells are left");
    const std::vector<array> places = nonzero(last);
    std::printf("game of life: %d cells after %d generations, at most %d, in generation %d\n", number(population[-1]), number(array(population.size())),
                number(max(population)), number(argmax(population)) + 1);
    std::printf("game of life: from row %d to %d, and from column %d to %d\n", number(min(places[0])), number(max(places[0])), number(min(places[1])),
                number(max(places[1])));
    return 0;
}
