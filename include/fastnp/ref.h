// fastnp::ref(x): a variable that a compiled function reads, or sets, and that is not its own.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>

#include "fastnp/detail/compiled.h"
#include "fastnp/detail/told.h"

namespace fastnp {

/// \addtogroup compile
/// @{

/// A variable outside of a compiled function. The library sees nothing of what a lambda reads through C++ references and pointers, so it is taken for
/// granted; what it reads through this is looked at in each call: numbers, text and the like are guarded (another value is another compiled entry), arrays
/// are inputs, those in tuples, vectors and structs, too. The variable must live as long as the compiled function. Outside of recordings it is the
/// variable.
///
///     double rate = 0.1;
///     array weight = ones({3});
///     auto f = compile([r = ref(rate), w = ref(weight)](const array& x) { return x * r + w; });
template <class T>
class Reference {
    using Plain = std::remove_const_t<T>;

public:
    /// To a variable, which must live as long as this.
    explicit Reference(T& variable) : variable_(&variable), is_outside_(!detail::is_recording()) {}

    /// The variable's value; what set() gave it last in this call.
    Plain get() const {
        detail::ReferenceScope* const scope = is_outside_ ? detail::reference_scope() : nullptr;
        if (scope == nullptr) return *variable_;
        if (const void* stand_in = scope->find(variable_)) return *static_cast<const Plain*>(stand_in);
        scope->note_missed(detail::Referenced::to<Plain>(variable_));
        return *variable_;
    }
    /// As get().
    operator Plain() const { return get(); }  // NOLINT: it stands for the variable
    /// As get(): an operand of operators and functions.
    operator Operand() const  // NOLINT: as above
        requires std::is_constructible_v<Operand, Plain>
    {
        return Operand(get());
    }

    /// Gives the variable a value. In a compiled function this is done after its compiled code has run; what it reads from here on is that value.
    void set(Plain value) const
        requires(!std::is_const_v<T>)
    {
        detail::ReferenceScope* const scope = is_outside_ ? detail::reference_scope() : nullptr;
        if (scope == nullptr) {
            *variable_ = std::move(value);
            return;
        }
        if (scope->find(variable_) == nullptr) scope->note_missed(detail::Referenced::to<Plain>(variable_));
        scope->put(variable_, std::make_shared<Plain>(value));
        effect([variable = variable_](const Plain& now) { *variable = now; }, value);
    }

private:
    T* variable_;
    bool is_outside_;  // of the recording that reads it
};

/// A Reference to a variable, which must live as long as what uses it. Written fastnp::ref where the variable's type is one of std, which has a ref, too.
template <class T>
auto ref(T& variable) {
    constexpr bool walks = detail::can_walk<std::remove_const_t<T>>();
    static_assert(walks, "fastnp: a variable of fastnp::ref is of another type than " FASTNP_WALKED_TYPES);
    if constexpr (walks) return Reference<T>(variable);
    else return detail::Refused();
}

/// @}

/// \cond wrong uses, which are told
template <class T>
Reference<const T> ref(const T&& value) {
    static_assert(std::is_same_v<T, void>, "fastnp: ref takes a variable that lives on, no temporary");
    return Reference<const T>(value);
}
/// \endcond

namespace detail {

template <class T>
inline constexpr bool is_reference = false;
template <class T>
inline constexpr bool is_reference<Reference<T>> = true;

template <class T>
decltype(auto) referred(const T& x) {
    if constexpr (is_reference<T>) return x.get();
    else return (x);
}

}  // namespace detail

#define FASTNP_OF_REFERENCES(op)                                     \
    template <class A, class B>                                      \
        requires(detail::is_reference<A> || detail::is_reference<B>) \
    auto operator op(const A& a, const B& b) {                       \
        return detail::referred(a) op detail::referred(b);           \
    }
FASTNP_OF_REFERENCES(+)
FASTNP_OF_REFERENCES(-)
FASTNP_OF_REFERENCES(*)
FASTNP_OF_REFERENCES(/)
FASTNP_OF_REFERENCES(%)
FASTNP_OF_REFERENCES(&)
FASTNP_OF_REFERENCES(|)
FASTNP_OF_REFERENCES(^)
FASTNP_OF_REFERENCES(<)
FASTNP_OF_REFERENCES(>)
FASTNP_OF_REFERENCES(<=)
FASTNP_OF_REFERENCES(>=)
FASTNP_OF_REFERENCES(==)
FASTNP_OF_REFERENCES(!=)
#undef FASTNP_OF_REFERENCES

}  // namespace fastnp
