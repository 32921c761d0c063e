// References that arrays of fastnp's hold to NumPy's, whose memory they use. While recordings are run once (transforms outside of compiled functions) they
// are told from those of others, who would look at what is written there.
#pragma once

#include <functional>
#include <utility>

#include "common.h"

namespace fastnp::python {

/// What lets go of an array whose memory is used.
struct Lent {
    PyObject* owner;
    bool counts;  // it is told from references of others
    void operator()() const;
};
/// With a reference.
Lent lent_by(PyObject* owner);

/// Another reference of fastnp's to an array of NumPy's (null and other objects are none), as a base or in a note: whether it is told from those of
/// others.
bool count_reference(PyObject* object);
void uncount_reference(PyObject* object);

/// A reference that is told from those of others while it lives.
class CountedRef {
public:
    CountedRef() = default;
    CountedRef(Ref object) : object_(std::move(object)), counts_(count_reference(object_.get())) {}  // NOLINT: as good as a Ref
    CountedRef(const CountedRef& other) : CountedRef(other.object_) {}
    CountedRef(CountedRef&& other) noexcept : object_(std::move(other.object_)), counts_(std::exchange(other.counts_, false)) {}
    CountedRef& operator=(CountedRef other) noexcept {
        std::swap(object_, other.object_);
        std::swap(counts_, other.counts_);
        return *this;
    }
    ~CountedRef() {
        if (counts_) uncount_reference(object_.get());
    }
    const Ref& get() const { return object_; }

private:
    Ref object_;
    bool counts_ = false;
};

/// Others get a view of an array.
void note_shown(const array& value);

/// Whether somebody else may look at the memory that `release` lets go.
bool is_seen_by_others(const std::function<void()>& release);

}  // namespace fastnp::python
