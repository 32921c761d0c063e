// A call of a compiled function: bind, flatten, check guards, run the engine, put the result together; and on a miss, the recording.
#include <algorithm>

#include "compiled_state.h"
#include "foreign.h"

namespace fastnp::python {

namespace {

thread_local bool runs_as_written = false;
constexpr std::int64_t large = 65536;      // elements from which a call runs without the GIL
constexpr std::size_t most_guard_sets = 32;
constexpr int most_failures = 3;
constexpr int most_fresh = 100;
constexpr int most_volatile = 3;

/// The function itself raised while it was recorded: it is called as written, so that the caller sees what it does then.
struct RaisedWhileRecording {};

/// The recorded function reads a list that it was thought only to make longer: what it reads is looked for once more.
struct LookAgain {};

PyObject* code_attribute(PyObject* code, const char* name) { return check(PyObject_GetAttrString(code, name)); }

struct GilState {
    PyGILState_STATE state = PyGILState_Ensure();
    GilState() = default;
    GilState(const GilState&) = delete;
    ~GilState() { PyGILState_Release(state); }
};

struct RecordingScope {
    Recording now;
    RecordingScope() {
        now.outer = recording;
        now.caller = Ref(reinterpret_cast<PyObject*>(PyThreadState_GetFrame(PyThreadState_Get())));
        recording = &now;
    }
    RecordingScope(const RecordingScope&) = delete;
    ~RecordingScope() { recording = now.outer; }
};

// The error in flight as "ValueError: text", cleared.
std::string take_error() {
    PyObject *type = nullptr, *value = nullptr, *trace = nullptr;
    PyErr_Fetch(&type, &value, &trace);
    PyErr_NormalizeException(&type, &value, &trace);
    const Ref held_type(type), held_value(value), held_trace(trace);
    std::string text = type != nullptr ? reinterpret_cast<PyTypeObject*>(type)->tp_name : "an error";
    const Ref message(value != nullptr ? PyObject_Str(value) : nullptr);
    const char* words = message ? PyUnicode_AsUTF8(message.get()) : nullptr;
    if (words != nullptr && words[0] != 0) text += std::string(": ") + words;
    PyErr_Clear();
    return text;
}

// What an entry gives goes with the entry, on whichever thread that is.
void let_go(const void* made) {
    if (Py_IsInitialized() == 0) return;
    const GilState gil;
    delete static_cast<const Return*>(made);
}

// RecordError with all that the function does that can't be recorded, if there is any.
void check_breaks(const Recording& now) {
    if (now.breaks.empty()) return;
    std::string text;
    for (const std::string& each : now.breaks) text += (text.empty() ? "" : "; ") + each;
    throw RecordError(text);
}

// What an effect calls: not the twin of a function, nor one that was made in the recording.
Ref callable(PyObject* function, PyObject* originals) {
    PyObject* original = PyDict_GetItemWithError(originals, own(PyLong_FromVoidPtr(function)).get());
    if (original == nullptr && (PyFunction_Check(function) || PyMethod_Check(function))) {
        throw RecordError("the function of an effect is made inside of the compiled function");
    }
    return Ref::borrow(original != nullptr ? original : function);
}

}  // namespace

bool set_as_written(bool now) { return std::exchange(runs_as_written, now); }

Parameters::Parameters(PyObject* function) {
    if (!PyFunction_Check(function)) return;
    known = true;
    PyObject* code = PyFunction_GET_CODE(function);
    auto number = [&](const char* name) { return static_cast<int>(PyLong_AsLong(own(code_attribute(code, name)).get())); };
    positional = number("co_argcount");
    positional_only = number("co_posonlyargcount");
    const int flags = number("co_flags");
    extra_positional = (flags & CO_VARARGS) != 0;
    extra_keywords = (flags & CO_VARKEYWORDS) != 0;
    const Ref all = own(code_attribute(code, "co_varnames"));
    const int count = positional + number("co_kwonlyargcount");
    for (int i = 0; i < count; ++i) names.push_back(Ref::borrow(PyTuple_GET_ITEM(all.get(), i)));
}

/// Arguments in the order of the parameters; null for none. All borrowed.
struct CompiledState::Bound {
    SmallVector<PyObject*, 8> slots;
    SmallVector<PyObject*, 8> extra;        // *args
    SmallVector<PyObject*, 4> names;        // of **kwargs
    SmallVector<PyObject*, 4> values;
};

struct CompiledState::Call {
    const Bound* bound;
    const Flat* flat;
    GuardSet* guards;
    std::unique_ptr<Return> made;
};

CompiledState::CompiledState(PyObject* function, CompileOptions options)
    : function_(Ref::borrow(function)),
      options_(std::move(options)),
      parameters_(function),
      engine_(std::make_unique<detail::Engine>(options_)),
      read_lists_(own(PySet_New(nullptr))) {}

// False where the function itself will have to say what is wrong with the arguments.
bool CompiledState::bind(PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames, Bound& bound) const {
    const Py_ssize_t named = kwnames == nullptr ? 0 : PyTuple_GET_SIZE(kwnames);
    const auto positional = static_cast<Py_ssize_t>(parameters_.positional);
    if (parameters_.known) {
        bound.slots.resize(parameters_.names.size(), nullptr);
        if (nargs > positional && !parameters_.extra_positional) return false;
    }
    const Py_ssize_t direct = parameters_.known ? std::min(nargs, positional) : 0;
    for (Py_ssize_t i = 0; i < direct; ++i) bound.slots[static_cast<std::size_t>(i)] = args[i];
    for (Py_ssize_t i = direct; i < nargs; ++i) bound.extra.push_back(args[i]);
    for (Py_ssize_t i = 0; i < named; ++i) {
        PyObject* name = PyTuple_GET_ITEM(kwnames, i);
        std::size_t found = parameters_.names.size();
        for (std::size_t j = static_cast<std::size_t>(parameters_.positional_only); j < parameters_.names.size(); ++j) {
            PyObject* candidate = parameters_.names[j].get();
            if (candidate == name || PyUnicode_Compare(candidate, name) == 0) {
                found = j;
                break;
            }
        }
        if (found < parameters_.names.size()) {
            if (bound.slots[found] != nullptr) return false;
            bound.slots[found] = args[nargs + i];
        } else if (parameters_.extra_keywords || !parameters_.known) {
            bound.names.push_back(name);
            bound.values.push_back(args[nargs + i]);
        } else {
            return false;
        }
    }
    if (!parameters_.known || static_cast<std::size_t>(nargs + named) == bound.slots.size()) return true;
    PyObject* defaults = PyFunction_GET_DEFAULTS(function_.get());
    PyObject* keyword_defaults = PyFunction_GET_KW_DEFAULTS(function_.get());
    const Py_ssize_t count = defaults == nullptr ? 0 : PyTuple_GET_SIZE(defaults);
    for (std::size_t j = 0; j < bound.slots.size(); ++j) {
        if (bound.slots[j] != nullptr) continue;
        const Py_ssize_t at = static_cast<Py_ssize_t>(j) - (positional - count);
        if (static_cast<Py_ssize_t>(j) < positional) {
            if (at < 0) return false;
            bound.slots[j] = PyTuple_GET_ITEM(defaults, at);
        } else {
            bound.slots[j] = keyword_defaults == nullptr ? nullptr : PyDict_GetItemWithError(keyword_defaults, parameters_.names[j].get());
            if (bound.slots[j] == nullptr) return false;
        }
    }
    return true;
}

std::shared_ptr<GuardSet> CompiledState::guards_for(const Flat& flat, SlotArrays& inputs, bool may_compile) {
    const std::span<PyObject* const> roots(flat.roots.data(), flat.roots.size());
    for (std::size_t i = 0; i < guard_sets_.size(); ++i) {
        if (!guard_sets_[i]->holds(roots, inputs)) continue;
        if (i != 0)
            std::rotate(guard_sets_.begin(), guard_sets_.begin() + static_cast<std::ptrdiff_t>(i),
                        guard_sets_.begin() + static_cast<std::ptrdiff_t>(i) + 1);
        fresh_ = 0;
        return guard_sets_.front();
    }
    if (!may_compile || ++fresh_ > most_fresh) return nullptr;
    std::erase_if(guard_sets_, [](const std::shared_ptr<GuardSet>& set) { return set->is_dead(); });
    static PyObject* capture = nullptr;
    kept_attribute(capture, "fastnp._capture", "Capture");
    const Ref objects = own(PyTuple_New(static_cast<Py_ssize_t>(roots.size())));
    for (std::size_t i = 0; i < roots.size(); ++i) PyTuple_SET_ITEM(objects.get(), static_cast<Py_ssize_t>(i), Py_NewRef(roots[i]));
    auto made = std::make_shared<GuardSet>(own(PyObject_CallFunctionObjArgs(capture, function_.get(), objects.get(), read_lists_.get(), nullptr)), roots);
    if (!made->holds(roots, inputs)) return nullptr;  // what it reads makes something new each time it is looked at
    guard_sets_.insert(guard_sets_.begin(), made);
    if (guard_sets_.size() > most_guard_sets) guard_sets_.pop_back();
    return made;
}

PyObject* CompiledState::as_written(PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames, const Flat& flat) {
    const Ref result = own(PyObject_Vectorcall(function_.get(), args, static_cast<std::size_t>(nargs), kwnames));
    return flat.numpy_results() ? with_numpy_arrays(result.get()).release() : Py_NewRef(result.get());
}

// A limit is reached: said once.
void CompiledState::note_refused(const std::string& why) {
    const std::string text = options_.name + " runs as written for calls that need another compilation: " + why;
    if (std::find(reasons_.begin(), reasons_.end(), text) != reasons_.end() || reasons_.size() >= 32) return;
    reasons_.push_back(text);
    if (PyErr_WarnEx(recompile_warning, text.c_str(), 1) != 0) throw PythonError{};
}

PyObject* CompiledState::uncompiled(PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames, const Flat& flat, const std::string& reason) {
    if (options_.fullgraph) throw RecordError(reason);
    ++uncompiled_;
    if (std::find(reasons_.begin(), reasons_.end(), reason) == reasons_.end() && reasons_.size() < 32) reasons_.push_back(reason);
    return as_written(args, nargs, kwnames, flat);
}

void CompiledState::look_again(const Call& call) {
    if (is_true(own(PyObject_GetAttrString(call.guards->capture(), "again")).get())) throw LookAgain{};
}

std::vector<array> CompiledState::record(std::span<const array> parameters, Call& call) {
    const GilState gil;
    const Flat& flat = *call.flat;
    Rebuild rebuild(parameters, {flat.objects.data(), flat.objects.size()});
    const Ref inputs = own(PyList_New(0));
    for (std::size_t i = flat.given; i < flat.objects.size(); ++i) {
        check(PyList_Append(inputs.get(), own(PyTuple_Pack(2, flat.objects[i], rebuild.made(i))).get()));
    }
    // (function, {id of an object: what takes its place}, {id of that: the object})
    const Ref begun = own(PyObject_CallMethod(call.guards->capture(), "begin", "O", inputs.get()));
    const struct End {  // of what the twin holds
        PyObject* capture;
        ~End() {
            PyObject *type = nullptr, *value = nullptr, *trace = nullptr;
            PyErr_Fetch(&type, &value, &trace);  // a KeyboardInterrupt may be on its way
            const Ref done(PyObject_CallMethod(capture, "end", nullptr));
            PyErr_Restore(type, value, trace);
        }
    } end{call.guards->capture()};
    RecordingScope scope;
    scope.now.collects = options_.fullgraph;
    try {
        PyObject* originals = PyTuple_GET_ITEM(begun.get(), 2);
        std::vector<Ref> held;
        std::vector<PyObject*> arguments;
        const auto add = [&](PyObject* object) {
            held.push_back(rebuild.add(object, PyTuple_GET_ITEM(begun.get(), 1)));
            arguments.push_back(held.back().get());
        };
        const auto positional = static_cast<std::size_t>(parameters_.positional);
        const Bound& bound = *call.bound;
        // In the order of the key: slots, extra positional arguments, extra keywords.
        for (PyObject* slot : bound.slots) add(slot);
        for (PyObject* extra : bound.extra) add(extra);
        for (PyObject* value : bound.values) add(value);
        const std::size_t slots = bound.slots.size(), first_named = std::min(positional, slots);
        std::rotate(arguments.begin() + static_cast<std::ptrdiff_t>(first_named), arguments.begin() + static_cast<std::ptrdiff_t>(slots),
                    arguments.begin() + static_cast<std::ptrdiff_t>(slots + bound.extra.size()));
        const Ref names = own(PyTuple_New(static_cast<Py_ssize_t>(slots - first_named + bound.names.size())));
        Py_ssize_t at = 0;
        for (std::size_t j = first_named; j < slots; ++j) PyTuple_SET_ITEM(names.get(), at++, Py_NewRef(parameters_.names[j].get()));
        for (PyObject* name : bound.names) PyTuple_SET_ITEM(names.get(), at++, Py_NewRef(name));
        const std::size_t given = first_named + bound.extra.size();
        const Ref result = own(PyObject_Vectorcall(PyTuple_GET_ITEM(begun.get(), 0), arguments.data(), given, names.get()));
        look_again(call);
        check_breaks(scope.now);
        if (!scope.now.poison.empty()) throw RecordError(scope.now.poison);
        auto made = std::make_unique<Return>();
        HandedOut out;
        made->result = take_apart(result.get(), rebuild, originals, out);
        for (const Ref& effect : effects_of(scope.now, rebuild, call)) {
            made->actions.push_back({callable(PyTuple_GET_ITEM(effect.get(), 0), originals),
                                     take_apart(PyTuple_GET_ITEM(effect.get(), 1), rebuild, originals, out),
                                     take_apart(PyTuple_GET_ITEM(effect.get(), 2), rebuild, originals, out)});
        }
        check_foreign(scope.now);
        std::vector<array> arrays;
        for (PyObject* object : out.arrays) arrays.push_back(value_of(object));
        call.made = std::move(made);
        failures_ = 0;
        return arrays;
    } catch (const PythonError&) {
        if (PyErr_ExceptionMatches(PyExc_Exception) == 0) throw;  // KeyboardInterrupt and the like go on
        const bool refused = PyErr_ExceptionMatches(record_error) != 0;
        const std::string text = take_error();
        look_again(call);
        if (refused) scope.now.breaks.push_back(scope.now.poison.empty() ? text : scope.now.poison);
        if (scope.now.collects) check_breaks(scope.now);
        if (!scope.now.poison.empty()) throw RecordError(scope.now.poison);
        if (refused) throw RecordError(text);
        if (++failures_ >= most_failures) throw RecordError("raises while it is recorded: " + text);
        throw RaisedWhileRecording{};
    }
}

detail::Engine::Result CompiledState::run(Flat& flat, Call& call, std::vector<array>& results, bool may_compile) {
    struct Context {
        CompiledState* state;
        Call* call;
    } context{this, &call};
    const std::span<const detail::Argument> arguments(flat.arguments.data(), flat.arguments.size());
    detail::Engine::Record record_it;
    if (may_compile) record_it = [&context](std::span<const array> parameters) { return context.state->record(parameters, *context.call); };
    const detail::Engine::Keep keep = [&context] { return std::shared_ptr<const void>(context.call->made.release(), &let_go); };
    // With another call inside, this one could wait for it while that one waits for the GIL.
    const bool release = flat.elements > large || inside_ > 0;
    struct Inside {
        int& count;
        explicit Inside(int& inside) : count(inside) { ++count; }
        ~Inside() { --count; }
    } inside(inside_);
    if (!release) return engine_->call(arguments, flat.key_view(), record_it, keep, results);
    struct Released {
        PyThreadState* state = PyEval_SaveThread();
        ~Released() noexcept(false) {
            if (_Py_IsFinalizing() != 0) hang();
            PyEval_RestoreThread(state);
        }
    } released;
    return engine_->call(arguments, flat.key_view(), record_it, keep, results);
}

PyObject* CompiledState::call(PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames, bool may_compile) {
    // Inside a recording (of a caller) it is a part of that one.
    if (recording != nullptr || runs_as_written || detail::is_disabled())
        return check(PyObject_Vectorcall(function_.get(), args, static_cast<std::size_t>(nargs), kwnames));
    Bound bound;
    Flat flat;
    if (!bind(args, nargs, kwnames, bound)) return check(PyObject_Vectorcall(function_.get(), args, static_cast<std::size_t>(nargs), kwnames));
    for (PyObject* slot : bound.slots) flat.add(slot);
    if (bound.extra.size() != 0) {
        flat.mark('*', bound.extra.size());
        for (PyObject* extra : bound.extra) flat.add(extra);
    }
    for (std::size_t i = 0; i < bound.names.size(); ++i) {
        flat.key.push_back('=');
        flat.mark_text(bound.names[i]);
        flat.add(bound.values[i]);
    }
    if (!flat.compilable) return uncompiled(args, nargs, kwnames, flat, flat.reason);
    if (!given_up_.empty()) return uncompiled(args, nargs, kwnames, flat, given_up_);
    SlotArrays inputs;
    const std::shared_ptr<GuardSet> guards = guards_for(flat, inputs, may_compile);
    if (!guards) return uncompiled(args, nargs, kwnames, flat, "what it reads, or an object among its arguments, is another one at every call");
    if (!guards->reason().empty()) return uncompiled(args, nargs, kwnames, flat, guards->reason());
    flat.set_generation(guards->generation());
    flat.given = flat.objects.size();
    for (const Ref& input : inputs) flat.add_input(input.get());
    if (!flat.compilable) return uncompiled(args, nargs, kwnames, flat, "reads something outside of its arguments: " + flat.reason);

    for (std::size_t i = 0; i < flat.containers.size(); ++i) {
        if (guards->guards(flat.containers[i]))
            flat.mark('!', static_cast<std::uint64_t>(i));  // known by name too: stores through one are seen through the other
    }
    Call call{&bound, &flat, guards.get(), nullptr};
    std::vector<array> results;
    detail::Engine::Result outcome{};
    try {
        outcome = run(flat, call, results, may_compile);
    } catch (const RaisedWhileRecording&) {
        ++uncompiled_;
        return as_written(args, nargs, kwnames, flat);
    } catch (const LookAgain&) {
        std::erase(guard_sets_, guards);
        return this->call(args, nargs, kwnames, may_compile);
    }
    if (outcome.outcome == detail::Engine::Outcome::uncompiled) {
        if (!outcome.refused.empty() && may_compile) note_refused(outcome.refused);
        return as_written(args, nargs, kwnames, flat);
    }
    const auto* made = static_cast<const Return*>(outcome.kept.get());
    if (made->result.kind == Output::Kind::array && made->actions.empty()) {
        return result_array(std::move(results[0]), made->result.scalar, flat.numpy_results());
    }
    SmallVector<PyObject*, 8> objects(results.size(), nullptr);
    Ref result(put_together(made->result, flat, results, objects.data(), flat.numpy_results()));
    act(*made, flat, results, objects);
    return result.release();
}

// Does what the function does besides computing. `objects` has the arrays that were handed out so far.
void CompiledState::act(const Return& made, const Flat& flat, std::vector<array>& results, SmallVector<PyObject*, 8>& objects) {
    std::vector<Ref> held;  // arrays live until the last action is done: each may take the others'
    for (PyObject* object : objects) held.push_back(Ref::borrow(object));
    for (const Action& action : made.actions) {
        const Ref args(put_together(action.args, flat, results, objects.data(), flat.numpy_results()));
        const Ref kwargs(put_together(action.kwargs, flat, results, objects.data(), flat.numpy_results()));
        for (std::size_t i = 0; i < objects.size(); ++i) {
            if (objects[i] != nullptr && !held[i]) held[i] = Ref::borrow(objects[i]);
        }
        own(PyObject_Call(action.function.get(), args.get(), kwargs.get()));
    }
}

// (function, args, kwargs) of all that the recorded function does outside of itself: what it noted on its way, then what it changed.
std::vector<Ref> CompiledState::effects_of(const Recording& now, const Rebuild& rebuild, const Call& call) {
    std::vector<Ref> effects = now.effects;
    for (const Ref& stores : {own(PyObject_CallMethod(call.guards->capture(), "stores", nullptr)), rebuild.stores()}) {
        for (Py_ssize_t i = 0; i < PyList_GET_SIZE(stores.get()); ++i) {
            PyObject* store = PyList_GET_ITEM(stores.get(), i);
            effects.push_back(own(PyTuple_Pack(3, PyTuple_GET_ITEM(store, 0), PyTuple_GET_ITEM(store, 1), own(PyDict_New()).get())));
        }
    }
    const bool known_twice =
        std::any_of(call.flat->containers.begin(), call.flat->containers.end(), [&](PyObject* container) { return call.guards->guards(container); });
    if (!effects.empty() && known_twice) throw RecordError("changes a list or a dict that is both an argument and known by name");
    const Ref reason = own(PyObject_GetAttrString(call.guards->capture(), "volatile"));
    if (reason.get() == Py_None) volatile_ = 0;
    else if (++volatile_ > most_volatile) throw RecordError(given_up_ = PyUnicode_AsUTF8(reason.get()));
    return effects;
}

void CompiledState::clear() {
    engine_->clear();
    guard_sets_.clear();
    reasons_.clear();
    failures_ = 0;
    given_up_.clear();
    volatile_ = 0;
    fresh_ = 0;
    uncompiled_ = 0;
}

CacheInfo CompiledState::cache_info() const {
    CacheInfo info = engine_->cache_info();
    info.uncompiled += uncompiled_;
    return info;
}

}  // namespace fastnp::python
