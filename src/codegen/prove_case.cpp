#include "codegen/prove_case.h"

#include <algorithm>
#include <set>

#include "fastnp/error.h"
#include "interpret/run.h"

namespace fastnp::codegen {

struct CaseProver::Compared {
    const ProofCase& at;
    Terms& terms;
    const TermMemory& kernel;
    const TermMemory& code;
    const TermExpressions& expressions;
};

// All units, or where these are many points the first ones, the last ones, and one between.
bool CaseProver::run(const ProofCase& at, Proof& proof) {
    const auto value = [&](shape::Dim dim) { return interpret::value_of(dim, at.sizes.data()); };
    const std::int64_t units = value(job_.schedule->parallel);
    double points = 1;
    for (const nest::Axis& axis : job_.kernel->axes) points *= static_cast<double>(value(axis.extent));
    points *= 1 + static_cast<double>(job_.kernel->exprs.size()) / 8;
    const double of_unit = points / static_cast<double>(std::max<std::int64_t>(units, 1));
    if (of_unit > most_points_of_unit) return false;
    std::set<std::int64_t> some{0, units - 1};
    if (of_unit < most_points / 4) some.insert({1, units / 2, std::max<std::int64_t>(units - 2, 0)});
    const bool all = points <= most_points || units <= 1;
    try {
        if (all) {
            run(at, 0, units, proof);
            if (units > 1) run(at, 0, 1, proof);  // which must leave alone what the others store to
        } else {
            for (const std::int64_t unit : some) run(at, unit, unit + 1, proof);
        }
    } catch (const Overlap&) {
        return false;
    }
    proof.all_units = proof.all_units && (all || static_cast<std::int64_t>(some.size()) == units);
    ++proof.cases;
    return true;
}

void CaseProver::run(const ProofCase& at, std::int64_t begin, std::int64_t end, Proof& proof) {
    constexpr std::uint64_t most_in_a_run = 4'000'000;
    Terms terms;
    TermMemory kernel(terms), code(terms);
    TermPlaces places{{}, 0, at.sizes};
    for (const std::uint64_t past : at.past) {
        places.buffers.push_back(kernel.add(TermMemory::Kind::argument, TermMemory::unknown_size, past));
        code.add(TermMemory::Kind::argument, TermMemory::unknown_size, past);
    }
    places.scratch = kernel.add(TermMemory::Kind::undefined);
    const std::uint64_t scratch = code.add(TermMemory::Kind::scratch, scratch_bytes(at));

    const TermExpressions expressions(*job_.kernel, places, terms, kernel);
    interpret::Run means(*job_.kernel, *job_.schedule, expressions, expressions.start());
    for (std::int64_t unit = begin; unit < end; ++unit) means.unit(unit);
    steps_ += terms.size();

    TermRun does(function_, externals_, terms, code);
    const std::uint64_t pointers = code.add_numbers(places.buffers);
    const std::uint64_t sizes = code.add_numbers({at.sizes.begin(), at.sizes.end()});
    const std::uint64_t arguments[] = {pointers, sizes, static_cast<std::uint64_t>(begin), static_cast<std::uint64_t>(end), scratch};
    const Compared both{at, terms, kernel, code, expressions};
    try {
        steps_ += does.run(arguments, most_in_a_run);
    } catch (const OutOfBounds& error) {
        refute(both, no_address, std::string("its code is undefined: ") + error.what());
    }
    equality_.start();
    compare(both, proof);
    proof.asked = equality_.asked();
}

// As plan/launch has it.
std::int64_t CaseProver::scratch_bytes(const ProofCase& at) const {
    const std::int64_t points = interpret::value_of(job_.kernel->inner_points, at.sizes.data());
    std::int64_t bytes = 0;
    for (const Dtype dtype : job_.kernel->scratch) bytes += (points * static_cast<std::int64_t>(itemsize_of(dtype)) + 63) / 64 * 64;
    return bytes;
}

void CaseProver::compare(const Compared& both, Proof& proof) {
    for (std::size_t buffer = 0; buffer < both.at.past.size(); ++buffer) {
        const auto &expected = both.kernel.written(buffer), &found = both.code.written(buffer);
        for (const auto& [address, written] : found) {
            if (!expected.contains(address)) refute(both, address, "its code stores what it does not");
        }
        for (const auto& [address, written] : expected) {
            const auto at = found.find(address);
            if (at == found.end()) refute(both, address, "its code does not store it");
            compare_element(both, address, written.value, at->second.value);
        }
        proof.elements += expected.size();
        const TermMemory::Span &reads = both.code.loaded(buffer), &may_read = both.kernel.loaded(buffer);
        if (!may_read.contains(reads)) {
            refute(both, no_address,
                   "its code reads bytes " + std::to_string(reads.low) + " to " + std::to_string(reads.high) + " of b" + std::to_string(buffer) +
                       ", of which it has " + std::to_string(may_read.low) + " to " + std::to_string(may_read.high));
        }
    }
}

void CaseProver::compare_element(const Compared& both, std::uint64_t address, Term expected, Term found) {
    if (expected == found) return;
    const auto text = [&](Term term) { return both.terms.text(term, [&](std::uint64_t place) { return place_text(both.kernel, place); }); };
    switch (equality_.compare(both.terms, expected, found)) {
        case Solver::Answer::equal: return;
        case Solver::Answer::unknown:
            if (is_stored_again(both, address)) throw Overlap("several points store to one element");
            throw Unproved((equality_.has_solver() ? "it is not known whether " : "there is no libz3 to ask whether ") + text(expected) + " is " +
                           text(found));
        case Solver::Answer::different:
            if (is_stored_again(both, address)) throw Overlap("several points store to one element");
            if (stage_ == Stage::optimised) throw Unproved("LLVM's passes wrote " + text(found) + " for " + text(expected));
            refute(both, address, "its code stores " + text(found) + " instead of " + text(expected));
    }
}

bool CaseProver::is_stored_again(const Compared& both, std::uint64_t address) const {
    std::map<const nest::Store*, int> times;
    for (const TermExpressions::Stored& each : both.expressions.stored()) {
        const std::uint64_t itemsize = itemsize_of(job_.kernel->exprs[each.store->value].dtype);
        if (address >= each.address && address < each.address + itemsize && ++times[each.store] > 1) return true;
    }
    return false;
}

std::string CaseProver::place_text(const TermMemory& memory, std::uint64_t address) const {
    if (is_function(address)) return function_text(address);
    return "b" + std::to_string(TermMemory::region_of(address)) + "[" + std::to_string(memory.offset_of(address)) + "]";
}

// "b2[24], i0 = 3; n = 5": the element, the point that it belongs to if there is one, and sizes.
std::string CaseProver::point_text(const Compared& both, std::uint64_t address) const {
    std::string text = address == no_address ? "" : place_text(both.kernel, address);
    const auto& stored = both.expressions.stored();
    for (std::size_t i = stored.size(); i-- > 0;) {
        const std::uint64_t itemsize = itemsize_of(job_.kernel->exprs[stored[i].store->value].dtype);
        if (address < stored[i].address || address >= stored[i].address + itemsize) continue;
        const auto point = both.expressions.point_of(i);
        for (std::size_t a = 0; a < point.size(); ++a) text += ", i" + std::to_string(a) + " = " + std::to_string(point[a]);
        break;
    }
    std::string sizes;
    for (std::uint32_t id = 0; id < sizes_.size(); ++id) {
        const shape::Dim size = shape::Dim::expression(id);
        if (sizes_.expression(size).kind != shape::Sizes::Expression::Kind::symbol) continue;
        sizes += (sizes.empty() ? "" : ", ") + sizes_.text(size) + " = " + std::to_string(both.at.sizes[id]);
    }
    return text + (text.empty() || sizes.empty() ? "" : "; ") + sizes;
}

void CaseProver::refute(const Compared& both, std::uint64_t address, const std::string& what) const {
    const std::string point = point_text(both, address);
    throw InternalError("kernel " + job_.kernel->name + " is wrong in its code: " + (point.empty() ? "" : "at " + point + ": ") + what);
}

}  // namespace fastnp::codegen
