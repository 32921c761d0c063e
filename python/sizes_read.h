// Whether a recording took a size that varies as the number that it is at hand: for as many iterations of a loop, say, so that it is for that size alone.
#pragma once

namespace fastnp::python {

void note_size_read();
/// Whether that was noted in this thread since it was asked last.
bool take_size_read();

}  // namespace fastnp::python
