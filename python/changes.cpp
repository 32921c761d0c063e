// Why calls of a function need another compilation: which plain value among the arguments changed, from what to what (fastnp._changes).
#include "compiled.h"
#include "compiled_state.h"

namespace fastnp::python {

namespace {

constexpr std::string_view plain_changed = "plain values or structure of the arguments changed";  // the engine's words (compile/signature.cpp)

// The arguments by their names.
Ref named(const Parameters& parameters, const Bound& bound) {
    Ref given = own(PyDict_New());
    for (std::size_t i = 0; i < bound.slots.size() && i < parameters.names.size(); ++i) {
        if (bound.slots[i] != nullptr) check(PyDict_SetItem(given.get(), parameters.names[i].get(), bound.slots[i]));
    }
    for (std::size_t i = 0; i < bound.extra.size(); ++i) {
        check(PyDict_SetItemString(given.get(), ("argument " + std::to_string(bound.slots.size() + i)).c_str(), bound.extra[i]));
    }
    for (std::size_t i = 0; i < bound.names.size(); ++i) check(PyDict_SetItem(given.get(), bound.names[i], bound.values[i]));
    return given;
}

}  // namespace

// It is for a message: what goes wrong here is no error of the call.
Ref CompiledState::described(const Bound& bound) const {
    if (is_part_) return {};
    Ref made(guarded([&] {
        const Ref function = import_attribute("fastnp._changes", "described");
        return PyObject_CallFunctionObjArgs(function.get(), named(parameters(), bound).get(), nullptr);
    }));
    if (!made) PyErr_Clear();
    return made;
}

// The reason with the value's name in it, if it was a plain value that changed since the last recording.
std::string CompiledState::told(const std::string& why, const Bound& bound) const {
    const std::size_t at = why.find(plain_changed);
    const Ref now = at == std::string::npos || !described_ ? Ref() : described(bound);
    if (!now) return why;
    const Ref words(
        guarded([&] { return PyObject_CallFunctionObjArgs(import_attribute("fastnp._changes", "changed").get(), described_.get(), now.get(), nullptr); }));
    const char* text = words ? PyUnicode_AsUTF8(words.get()) : nullptr;
    if (text == nullptr) PyErr_Clear();
    if (text == nullptr || *text == '\0') return why;
    return std::string(why).replace(at, plain_changed.size(), text);
}

}  // namespace fastnp::python
