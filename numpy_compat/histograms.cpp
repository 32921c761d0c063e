// Which bins numbers belong to.
#include "fastnp/numpy_compat/histograms.h"

#include <string>

#include "at_hand.h"
#include "fastnp/detail/at.h"
#include "fastnp/detail/at_home.h"
#include "fastnp/detail/size.h"
#include "fastnp/error.h"
#include "size.h"

namespace fastnp {

array digitize(const array& x, const array& bins, bool right) {
    if (is_complex(x.dtype())) throw TypeError("x may not be complex");
    const array earlier = bins(until(-1)), later = bins(from(1));
    const Side side = right ? Side::left : Side::right;
    if (!any(later < earlier)) return searchsorted(bins, x, side);
    if (any(later > earlier)) throw ValueError("bins must be monotonically increasing or decreasing");
    return detail::size_value(compat::size_of(bins, 0).raw()) - searchsorted(flip(bins), x, side);
}

namespace {

// ValueError unless it has one axis.
void check_line(const array& x) {
    if (x.ndim() == 0) throw ValueError("object of too small depth for desired array");
    if (x.ndim() > 1) throw ValueError("object too deep for desired array");
}

[[noreturn]] void throw_unsafe(Dtype from, Dtype to) {
    throw TypeError("Cannot cast array data from dtype('" + std::string(name_of(from)) + "') to dtype('" + std::string(name_of(to)) +
                    "') according to the rule 'safe'");
}

}  // namespace

array bincount(const array& x, const std::optional<array>& weights, std::int64_t minlength) {
    check_line(x);
    const detail::AtHome home(x);
    if (minlength < 0) throw ValueError("'minlength' must not be negative");
    if (x.dtype() != Dtype::bool_ && !is_integer(x.dtype())) throw_unsafe(x.dtype(), Dtype::int64);
    if (compat::size_of(x, 0) == 0) return zeros({minlength}, Dtype::int64);  // whatever the weights are, as NumPy
    const array places = x.dtype() == Dtype::int64 ? x : x.astype(Dtype::int64);
    if (weights) {
        check_line(*weights);
        if (is_complex(weights->dtype())) throw_unsafe(weights->dtype(), Dtype::float64);
        if (!(compat::size_of(*weights, 0) == compat::size_of(x, 0))) throw ValueError("The weights and list don't have the same length.");
    }
    if (compat::is_at_hand(x) && (!weights || compat::is_at_hand(*weights))) {
        const bool is_other = weights && weights->dtype() != Dtype::float64;
        return detail::counts_of(places, is_other ? weights->astype(Dtype::float64) : weights, minlength);
    }
    if (any(places < 0)) throw ValueError("'list' argument must have no negative elements");
    const array most = maximum(max(places, {.initial = -1}) + 1, minlength);
    const std::optional<std::int64_t> known = detail::size_from(most);
    const std::int64_t length = known ? *known : most.item<std::int64_t>();
    // Devices add numbers of 32 bits several times as fast as wider ones.
    const bool is_narrow = !weights && compat::size_of(x, 0) < compat::Size(std::int64_t{1} << 31);
    const array sums = zeros({length}, weights ? Dtype::float64 : is_narrow ? Dtype::int32 : Dtype::int64);
    at(&add, sums, {places}, weights ? Operand(weights->astype(Dtype::float64)) : Operand(1));
    return weights ? sums : sums.astype(Dtype::int64);
}

}  // namespace fastnp
