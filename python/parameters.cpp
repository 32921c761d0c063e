#include "parameters.h"

#include <algorithm>

namespace fastnp::python {

Parameters::Parameters(PyObject* function) {
    if (!PyFunction_Check(function)) return;
    known = true;
    PyObject* code = PyFunction_GET_CODE(function);
    auto number = [&](const char* name) { return static_cast<int>(PyLong_AsLong(own(PyObject_GetAttrString(code, name)).get())); };
    positional = number("co_argcount");
    positional_only = number("co_posonlyargcount");
    const int flags = number("co_flags");
    extra_positional = (flags & CO_VARARGS) != 0;
    extra_keywords = (flags & CO_VARKEYWORDS) != 0;
    const Ref all = own(PyObject_GetAttrString(code, "co_varnames"));
    const int count = positional + number("co_kwonlyargcount");
    for (int i = 0; i < count; ++i) names.push_back(Ref::borrow(PyTuple_GET_ITEM(all.get(), i)));
}

// False where the function itself will have to say what is wrong with the arguments.
bool Parameters::bind(PyObject* function, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames, Bound& bound) const {
    const Py_ssize_t named = kwnames == nullptr ? 0 : PyTuple_GET_SIZE(kwnames);
    const auto most = static_cast<Py_ssize_t>(positional);
    if (known) {
        bound.slots.resize(names.size(), nullptr);
        if (nargs > most && !extra_positional) return false;
    }
    const Py_ssize_t direct = known ? std::min(nargs, most) : 0;
    for (Py_ssize_t i = 0; i < direct; ++i) bound.slots[static_cast<std::size_t>(i)] = args[i];
    for (Py_ssize_t i = direct; i < nargs; ++i) bound.extra.push_back(args[i]);
    for (Py_ssize_t i = 0; i < named; ++i) {
        PyObject* name = PyTuple_GET_ITEM(kwnames, i);
        std::size_t found = names.size();
        for (std::size_t j = static_cast<std::size_t>(positional_only); j < names.size(); ++j) {
            PyObject* candidate = names[j].get();
            if (candidate == name || PyUnicode_Compare(candidate, name) == 0) {
                found = j;
                break;
            }
        }
        if (found < names.size()) {
            if (bound.slots[found] != nullptr) return false;
            bound.slots[found] = args[nargs + i];
        } else if (extra_keywords || !known) {
            bound.names.push_back(name);
            bound.values.push_back(args[nargs + i]);
        } else {
            return false;
        }
    }
    const std::size_t taken = static_cast<std::size_t>(nargs + named) - bound.extra.size() - bound.names.size();
    if (!known || taken == bound.slots.size()) return true;
    return fill(function, bound);
}

// The defaults of what was not given.
bool Parameters::fill(PyObject* function, Bound& bound) const {
    const auto most = static_cast<Py_ssize_t>(positional);
    PyObject* defaults = PyFunction_GET_DEFAULTS(function);
    PyObject* keyword_defaults = PyFunction_GET_KW_DEFAULTS(function);
    const Py_ssize_t count = defaults == nullptr ? 0 : PyTuple_GET_SIZE(defaults);
    for (std::size_t j = 0; j < bound.slots.size(); ++j) {
        if (bound.slots[j] != nullptr) continue;
        const Py_ssize_t at = static_cast<Py_ssize_t>(j) - (most - count);
        if (static_cast<Py_ssize_t>(j) < most) {
            if (at < 0) return false;
            bound.slots[j] = PyTuple_GET_ITEM(defaults, at);
        } else {
            bound.slots[j] = keyword_defaults == nullptr ? nullptr : PyDict_GetItemWithError(keyword_defaults, names[j].get());
            if (bound.slots[j] == nullptr) return false;
        }
    }
    return true;
}

std::vector<PyObject*> Parameters::all(const Bound& bound) {
    std::vector<PyObject*> found(bound.slots.begin(), bound.slots.end());
    found.insert(found.end(), bound.extra.begin(), bound.extra.end());
    found.insert(found.end(), bound.values.begin(), bound.values.end());
    return found;
}

void Parameters::flatten(const Bound& bound, Flat& flat, Starts* starts) {
    const auto add = [&](PyObject* argument) {
        if (starts != nullptr) starts->push_back(flat.arguments.size());
        flat.add(argument);
    };
    for (PyObject* slot : bound.slots) add(slot);
    if (bound.extra.size() != 0) {
        flat.mark(Tag::extra, bound.extra.size());
        for (PyObject* extra : bound.extra) add(extra);
    }
    for (std::size_t i = 0; i < bound.names.size(); ++i) {
        flat.mark(Tag::keywords);
        flat.mark_text(bound.names[i]);
        add(bound.values[i]);
    }
}

Ref Parameters::call(PyObject* function, const Bound& bound, Rebuild& rebuild, PyObject* swaps) const {
    std::vector<Ref> held;
    const auto rebuilt = [&](PyObject* object) {
        held.push_back(rebuild.add(object, swaps));
        return held.back().get();
    };
    const std::size_t first_named = std::min(static_cast<std::size_t>(positional), bound.slots.size());
    std::vector<PyObject*> arguments, by_name;
    std::vector<PyObject*> keywords;
    for (std::size_t j = 0; j < bound.slots.size(); ++j) {
        (j < first_named ? arguments : by_name).push_back(rebuilt(bound.slots[j]));
        if (j >= first_named) keywords.push_back(names[j].get());
    }
    for (PyObject* extra : bound.extra) arguments.push_back(rebuilt(extra));
    for (std::size_t i = 0; i < bound.names.size(); ++i) {
        by_name.push_back(rebuilt(bound.values[i]));
        keywords.push_back(bound.names[i]);
    }
    const std::size_t given = arguments.size();
    arguments.insert(arguments.end(), by_name.begin(), by_name.end());
    const Ref kwnames = own(PyTuple_New(static_cast<Py_ssize_t>(keywords.size())));
    for (std::size_t i = 0; i < keywords.size(); ++i) PyTuple_SET_ITEM(kwnames.get(), static_cast<Py_ssize_t>(i), Py_NewRef(keywords[i]));
    return own(PyObject_Vectorcall(function, arguments.data(), given, kwnames.get()));
}

}  // namespace fastnp::python
