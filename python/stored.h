// What recordings hand out (Return), as bytes for other processes: fastnp._identity says objects in words that mean the same there.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "pytree.h"

namespace fastnp::python {

/// The text that names what a function reads (a fastnp._capture.Capture); empty if there is none.
std::string identity_of(PyObject* capture);
/// What a call gives, as Python has it: (kind, index, base, scalar, object, children), and so on. RecordError where a call does more than that.
Ref tree_of_result(const Return& made);
/// Nothing: it holds something of this process alone.
std::optional<std::string> pack(const Return& made, PyObject* capture);
/// What was packed where the function had the same identity. Null: it holds something that is not there.
std::unique_ptr<Return> unpack(std::string_view bytes, PyObject* capture);

}  // namespace fastnp::python
