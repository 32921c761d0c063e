#include "codegen/solver.h"

#include <dlfcn.h>

#include <string>
#include <unordered_map>

namespace fastnp::codegen {

namespace {

// Z3's C API, as far as it is used: its types are pointers. (z3_api.h; libz3.so.4 keeps it.)
using Object = void*;
struct Api {
    Object (*mk_config)();
    void (*del_config)(Object);
    void (*set_param_value)(Object, const char*, const char*);
    Object (*mk_context)(Object);
    void (*del_context)(Object);
    void (*set_error_handler)(Object, void*);
    int (*get_error_code)(Object);
    Object (*mk_bv_sort)(Object, unsigned);
    Object (*mk_int_symbol)(Object, int);
    Object (*mk_string_symbol)(Object, const char*);
    Object (*mk_const)(Object, Object, Object);
    Object (*mk_func_decl)(Object, Object, unsigned, const Object*, Object);
    Object (*mk_app)(Object, Object, unsigned, const Object*);
    Object (*mk_unsigned_int64)(Object, std::uint64_t, Object);
    Object (*mk_eq)(Object, Object, Object);
    Object (*mk_not)(Object, Object);
    Object (*mk_ite)(Object, Object, Object, Object);
    Object (*mk_zero_ext)(Object, unsigned, Object);
    Object (*mk_sign_ext)(Object, unsigned, Object);
    Object (*mk_extract)(Object, unsigned, unsigned, Object);
    Object (*mk_bvneg)(Object, Object);
    Object (*binary[13])(Object, Object, Object);
    Object (*mk_bvslt)(Object, Object, Object);
    Object (*mk_bvult)(Object, Object, Object);
    Object (*mk_solver)(Object);
    void (*solver_inc_ref)(Object, Object);
    void (*solver_assert)(Object, Object, Object);
    int (*solver_check)(Object, Object);
};

constexpr const char* binary_names[] = {"Z3_mk_bvadd", "Z3_mk_bvsub",  "Z3_mk_bvmul",  "Z3_mk_bvsdiv", "Z3_mk_bvudiv", "Z3_mk_bvsrem", "Z3_mk_bvurem",
                                        "Z3_mk_bvshl", "Z3_mk_bvlshr", "Z3_mk_bvashr", "Z3_mk_bvand",  "Z3_mk_bvor",   "Z3_mk_bvxor"};
static_assert(std::size(binary_names) == static_cast<std::size_t>(TermOp::bit_xor) - static_cast<std::size_t>(TermOp::add) + 1);

// Whether the library is there, and has all of it. It stays loaded.
bool load(Api& api) {
    void* const library = dlopen("libz3.so.4", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return false;
    bool found = true;
    const auto find = [&](auto& function, const std::string& name) {
        function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name.c_str()));
        found = found && function != nullptr;
    };
#define FIND(name) find(api.name, "Z3_" #name)
    FIND(mk_config);
    FIND(del_config);
    FIND(set_param_value);
    FIND(mk_context);
    FIND(del_context);
    FIND(set_error_handler);
    FIND(get_error_code);
    FIND(mk_bv_sort);
    FIND(mk_int_symbol);
    FIND(mk_string_symbol);
    FIND(mk_const);
    FIND(mk_func_decl);
    FIND(mk_app);
    FIND(mk_unsigned_int64);
    FIND(mk_eq);
    FIND(mk_not);
    FIND(mk_ite);
    FIND(mk_zero_ext);
    FIND(mk_sign_ext);
    FIND(mk_extract);
    FIND(mk_bvneg);
    FIND(mk_bvslt);
    FIND(mk_bvult);
    FIND(mk_solver);
    FIND(solver_inc_ref);
    FIND(solver_assert);
    FIND(solver_check);
#undef FIND
    for (std::size_t i = 0; i < std::size(binary_names); ++i) find(api.binary[i], binary_names[i]);
    return found;
}

const Api* api() {
    static const std::unique_ptr<const Api> found = [] {
        auto made = std::make_unique<Api>();
        return load(*made) ? std::move(made) : nullptr;
    }();
    return found.get();
}

// A question: a context of its own, which goes with all that is in it.
class Question {
public:
    Question(const Api& z3, const Terms& terms) : z3_(z3), terms_(terms) {
        Object config = z3.mk_config();
        z3.set_param_value(config, "timeout", "200");  // milliseconds
        context_ = z3.mk_context(config);
        z3.del_config(config);
        z3.set_error_handler(context_, nullptr);
    }
    ~Question() { z3_.del_context(context_); }
    Question(const Question&) = delete;
    Question& operator=(const Question&) = delete;

    Solver::Answer compare(Term x, Term y) {
        Object solver = z3_.mk_solver(context_);
        z3_.solver_inc_ref(context_, solver);
        z3_.solver_assert(context_, solver, z3_.mk_not(context_, z3_.mk_eq(context_, ast_of(x), ast_of(y))));
        const int found = z3_.solver_check(context_, solver);
        if (z3_.get_error_code(context_) != 0 || found == 0) return Solver::Answer::unknown;
        return found < 0 ? Solver::Answer::equal : Solver::Answer::different;
    }

private:
    Object sort_of(TermType type) { return z3_.mk_bv_sort(context_, bits_of(type)); }
    Object number(std::uint64_t bits, TermType type) { return z3_.mk_unsigned_int64(context_, bits, sort_of(type)); }
    Object truth(Object condition) { return z3_.mk_ite(context_, condition, number(1, TermType::i1), number(0, TermType::i1)); }
    Object is_true(Object truth) { return z3_.mk_eq(context_, truth, number(1, TermType::i1)); }
    Object binary(TermOp op, Object x, Object y) {
        return z3_.binary[static_cast<std::size_t>(op) - static_cast<std::size_t>(TermOp::add)](context_, x, y);
    }

    // Arguments come first; the stack of terms is this class's, however deep they are.
    Object ast_of(Term root) {
        std::vector<Term> open{root};
        while (!open.empty()) {
            const Term at = open.back();
            const Terms::Node& node = terms_[at];
            bool is_ready = true;
            for (std::size_t i = 0; i < node.count; ++i) {
                if (made_.contains(node.args[i])) continue;
                open.push_back(node.args[i]);
                is_ready = false;
            }
            if (!is_ready) continue;
            open.pop_back();
            if (!made_.contains(at)) made_.emplace(at, make(at, node));
        }
        return made_.at(root);
    }

    Object function(const Terms::Node& node, const std::vector<Object>& args) {
        std::string name = std::string(name_of(node.op)) + "_" + std::to_string(static_cast<int>(node.type)) + "_" + std::to_string(node.payload);
        std::vector<Object> sorts;
        for (std::size_t i = 0; i < node.count; ++i) {
            sorts.push_back(sort_of(terms_.type(node.args[i])));
            name += "_" + std::to_string(static_cast<int>(terms_.type(node.args[i])));
        }
        Object declared = z3_.mk_func_decl(context_, z3_.mk_string_symbol(context_, name.c_str()), node.count, sorts.data(), sort_of(node.type));
        return z3_.mk_app(context_, declared, node.count, args.data());
    }

    Object make(Term term, const Terms::Node& node) {
        std::vector<Object> args;
        for (std::size_t i = 0; i < node.count; ++i) args.push_back(made_.at(node.args[i]));
        const unsigned width = bits_of(node.type);
        const std::uint64_t sign = std::uint64_t{1} << (width - 1);
        const auto masked = [&](Object x, std::uint64_t bits) { return binary(TermOp::bit_and, x, number(bits, node.type)); };
        switch (node.op) {
            case TermOp::constant: return number(node.payload, node.type);
            case TermOp::memory:
            case TermOp::poison: return z3_.mk_const(context_, z3_.mk_int_symbol(context_, static_cast<int>(term)), sort_of(node.type));
            case TermOp::smin: return z3_.mk_ite(context_, z3_.mk_bvslt(context_, args[0], args[1]), args[0], args[1]);
            case TermOp::smax: return z3_.mk_ite(context_, z3_.mk_bvslt(context_, args[0], args[1]), args[1], args[0]);
            case TermOp::umin: return z3_.mk_ite(context_, z3_.mk_bvult(context_, args[0], args[1]), args[0], args[1]);
            case TermOp::umax: return z3_.mk_ite(context_, z3_.mk_bvult(context_, args[0], args[1]), args[1], args[0]);
            case TermOp::abs: return z3_.mk_ite(context_, z3_.mk_bvslt(context_, args[0], number(0, node.type)), z3_.mk_bvneg(context_, args[0]), args[0]);
            case TermOp::zext: return z3_.mk_zero_ext(context_, width - bits_of(terms_.type(node.args[0])), args[0]);
            case TermOp::sext: return z3_.mk_sign_ext(context_, width - bits_of(terms_.type(node.args[0])), args[0]);
            case TermOp::trunc: return z3_.mk_extract(context_, width - 1, 0, args[0]);
            case TermOp::bitcast: return args[0];
            case TermOp::equal: return truth(z3_.mk_eq(context_, args[0], args[1]));
            case TermOp::signed_less: return truth(z3_.mk_bvslt(context_, args[0], args[1]));
            case TermOp::unsigned_less: return truth(z3_.mk_bvult(context_, args[0], args[1]));
            case TermOp::fneg: return binary(TermOp::bit_xor, args[0], number(sign, node.type));
            case TermOp::fabs: return masked(args[0], sign - 1);
            case TermOp::copysign: return binary(TermOp::bit_or, masked(args[0], sign - 1), masked(args[1], sign));
            case TermOp::select: return z3_.mk_ite(context_, is_true(args[0]), args[1], args[2]);
            default: break;
        }
        if (node.op >= TermOp::add && node.op <= TermOp::bit_xor) return binary(node.op, args[0], args[1]);
        return function(node, args);
    }

    const Api& z3_;
    const Terms& terms_;
    Object context_;
    std::unordered_map<Term, Object> made_;
};

class Z3 final : public Solver {
public:
    explicit Z3(const Api& z3) : z3_(z3) {}
    Answer compare(const Terms& terms, Term x, Term y) override { return Question(z3_, terms).compare(x, y); }

private:
    const Api& z3_;
};

}  // namespace

std::unique_ptr<Solver> Solver::make() {
    const Api* found = api();
    return found == nullptr ? nullptr : std::make_unique<Z3>(*found);
}

}  // namespace fastnp::codegen
