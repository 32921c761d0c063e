// What vmap gathers of its arguments, and axes with names.
#include <algorithm>
#include <utility>

#include "fastnp/error.h"
#include "fastnp/transform.h"
#include "ops/infer.h"
#include "transform/values.h"

namespace fastnp {

namespace {

using transform::Value;

struct Named {
    std::string name;
    std::int64_t number;
    array index;
    std::int64_t size;
};
thread_local std::vector<Named> axes_with_names;  // the innermost last

const Named& axis_named(const std::string& name) {
    const auto found = std::find_if(axes_with_names.rbegin(), axes_with_names.rend(), [&](const Named& each) { return each.name == name; });
    if (found == axes_with_names.rend()) throw ValueError("no vmap around this maps over an axis with the name '" + name + "'");
    return *found;
}

array over_axis(const array& x, const std::string& name, ir::Op fold) {
    const Named& axis = axis_named(name);
    const Value value[] = {transform::value_of(x)};
    const std::vector<Value> below = ir::reachable(value);
    if (std::any_of(below.begin(), below.end(), [](Value each) { return each->op == ir::Op::example; })) return transform::across(x, axis.number, fold);
    return fold == ir::Op::sum ? x * axis.size : x.copy();
}

}  // namespace

array psum(const array& x, const std::string& axis_name) { return over_axis(x, axis_name, ir::Op::sum); }
array pmean(const array& x, const std::string& axis_name) { return psum(x, axis_name) / axis_named(axis_name).size; }
array pmax(const array& x, const std::string& axis_name) { return over_axis(x, axis_name, ir::Op::max); }
array pmin(const array& x, const std::string& axis_name) { return over_axis(x, axis_name, ir::Op::min); }
array axis_index(const std::string& axis_name) { return axis_named(axis_name).index; }

namespace detail {

NamedAxis::NamedAxis(std::string name, array index, std::int64_t size) : number_(transform::recorder().graph().next_owner()) {
    axes_with_names.push_back({std::move(name), number_, std::move(index), size});
}

NamedAxis::~NamedAxis() { axes_with_names.pop_back(); }

array Examples::add(const array& x, std::optional<int> axis) {
    if (!axis) return x;
    const int place = ops::normalize_axis(*axis, x.ndim());
    if (!arrays_.empty()) {
        const shape::Dim size = api::dims_of(x)[static_cast<std::size_t>(place)];
        const shape::Dim first = api::dims_of(arrays_[0])[static_cast<std::size_t>(axes_[0])];
        if (!api::arithmetic().equal(size, first)) {
            throw ValueError("vmap: the axes that are mapped over have different sizes: " + api::arithmetic().told(first) + " (axis " +
                             std::to_string(axes_[0]) + " of an array of shape " + ops::shape_text(api::dims_of(arrays_[0]), api::active_sizes()) +
                             ") and " + api::arithmetic().told(size) + " (axis " + std::to_string(place) + " of one of shape " +
                             ops::shape_text(api::dims_of(x), api::active_sizes()) + ")");
        }
    }
    arrays_.push_back(x);
    values_.push_back(transform::array_of(transform::value_of(x)));
    axes_.push_back(place);
    examples_.push_back(example(x, place));
    inputs_.push_back(input_of(examples_.back()));
    return inputs_.back();
}

void Examples::check() const {
    if (arrays_.empty()) throw ValueError("vmap: at least one argument must be mapped over (in_axes)");
}

void Examples::write_back() const {
    const trace::Recorder::LateWrites late(transform::recorder());
    for (std::size_t i = 0; i < arrays_.size(); ++i) {
        const Value now = transform::value_of(inputs_[i]);
        if (now == transform::value_of(examples_[i])) continue;
        const array left = transform::array_of(now);
        api::assign(moveaxis(arrays_[i], axes_[i], 0), detail::batch(examples_, values_, axes_, {&left, 1}, named_ ? named_->number() : -1)[0]);
    }
}

std::vector<array> Examples::batch(const std::vector<array>& outputs, int out_axis) const {
    std::vector<array> found = detail::batch(examples_, values_, axes_, outputs, named_ ? named_->number() : -1);
    for (array& each : found) each = moveaxis(each, 0, out_axis);
    return found;
}

void Examples::set_name(const std::string& name) {
    const std::int64_t size = api::arithmetic().hint(api::dims_of(arrays_[0])[static_cast<std::size_t>(axes_[0])]);
    const array index = add(arange(size), 0);
    named_ = std::make_unique<NamedAxis>(name, index, size);
}

}  // namespace detail
}  // namespace fastnp
