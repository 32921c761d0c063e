#include "pass/apart.h"

namespace fastnp::pass {

std::string_view text_of(Apart apart) {
    switch (apart) {
        case Apart::none: return "";
        case Apart::unfused: return "the backend does each operation by itself";
        case Apart::precompiled: return "it is done by a precompiled kernel";
        case Apart::after_precompiled: return "the other is done by a precompiled kernel";
        case Apart::other_points: return "the two go over different points";
        case Apart::other_axes: return "the two reduce different axes";
        case Apart::writes: return "one writes to memory that the other touches at other points";
        case Apart::whole_first: return "one kernel of both would leave too little to be done side by side";
        case Apart::elsewhere: return "it reads what the other makes at other points than its own";
        case Apart::between: return "a step between them needs the one and is needed by the other";
        case Apart::too_long: return "one kernel of both would have too many operations";
        case Apart::blocks: return "long reductions are made in blocks first, whose results it joins";
    }
    return "";
}

}  // namespace fastnp::pass
