// Functions as libraries: compiled once, and run by processes that compile nothing, in C++, C and Python.
#pragma once

#include <cstddef>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "fastnp/array.h"
#include "fastnp/compile.h"
#include "fastnp/detail/ahead.h"
#include "fastnp/detail/argument.h"
#include "fastnp/export.h"

namespace fastnp {

/// \addtogroup compile
/// @{

/// What an exported function takes or gives.
struct ExportedArray {
    std::string name;   ///< of a parameter, or its number; of a result its number
    std::string dtype;  ///< "float64"
    std::string shape;  ///< "(n, 3)": numbers, and the names of sizes that vary
};

/// A function of a library that export_library() or an Exporter wrote. It compiles nothing: libfastnp_codegen and LLVM need not be there. Copies share the
/// library. Thread-safe, but for calls that write to one array.
class FASTNP_API Exported {
public:
    /// Opens a file.
    ///
    /// \param path the library
    /// \param name which of its functions; empty: the first
    /// \throws ValueError for one that is not there, damaged, of a later format, for a better processor than this one, no exported function, or without a
    /// function of that name. It is checked before any of it is run. A library is code: open none that you would not run.
    explicit Exported(const std::filesystem::path& path, const std::string& name = {});

    /// Calls the function with its arrays, in their order. Those in other layouts than C's that are not written to are copied first.
    ///
    /// \returns what it gives: its arrays in their order.
    /// \throws TypeError for other dtypes than those it was exported for, ValueError for other shapes, with the argument's name (where it has several
    /// specialisations, why each of them does not serve the call); IndexError and others as the function.
    std::vector<array> operator()(std::span<const array> arguments) const;
    /// The same, of arrays that are written out.
    std::vector<array> operator()(std::initializer_list<array> arguments) const {
        return (*this)(std::span<const array>(arguments.begin(), arguments.size()));
    }

    /// The same, of arrays in memory that the caller keeps. Results that are views of an argument are what its `hold` gives.
    ///
    /// \param arguments of the function, in their order
    /// \param results what it gives is put behind those that are there
    void call(std::span<const detail::Argument> arguments, std::vector<array>& results) const;

    /// Its name.
    const std::string& name() const;
    /// The names of all functions of its library.
    const std::vector<std::string>& names() const;
    /// The level of processors that its code is for, the best of those in the library that this one is of ("base", "v3", "v4").
    const std::string& isa() const;
    /// For how many kinds of calls it was exported. They are tried in their order.
    std::size_t specialisation_count() const;
    /// What it takes.
    ///
    /// \param specialisation which of them, below specialisation_count()
    std::vector<ExportedArray> parameters(std::size_t specialisation = 0) const;
    /// What it gives; sizes that follow from those of parameters are expressions.
    ///
    /// \param specialisation which of them, below specialisation_count()
    std::vector<ExportedArray> results(std::size_t specialisation = 0) const;
    /// A header for C and C++: a function of its name for each specialisation, of pointers and sizes (fastnp/exported_c.h).
    std::string header() const;
    /// How many arrays that are.
    std::size_t parameter_count() const;
    /// The numbers of the parameters that it writes to.
    const std::vector<int>& written() const;
    /// How many arrays it gives.
    std::size_t result_count() const;
    /// What it gives is put together like this, in the words of the language that it was exported from; empty: its arrays are all.
    const std::string& structure() const;

private:
    struct Impl;
    std::shared_ptr<const Impl> impl_;
};

/// How a function is exported.
struct ExportOptions {
    std::string name = "function";  ///< of the function, in errors and headers
    std::vector<std::string> parameters = {};  ///< the names of its arrays; those without have numbers
    std::vector<std::string> isa =
        {};  ///< levels of processors, as FASTNP_ISA has them ("base", "v3", "v4"), of which the best is taken where it is opened
};

namespace detail {
/// What its sizes have to be, as explain() tells it.
FASTNP_API const std::vector<std::string>& guards_of(const ExportedPart& part);
/// A library of these parts and its header (".h") beside it, in the place of files of these names, each at once. Error where they can't be written,
/// ValueError for parts that do not go together.
FASTNP_API void write_exported(const std::filesystem::path& path, std::span<const std::shared_ptr<const ExportedPart>> parts);
}  // namespace detail

/// Writes functions to one shared library: several of them, and for each several kinds of calls.
///
/// \code
/// const auto loss = [](const fastnp::array& w) { return fastnp::sum(w * w); };
/// fastnp::Exporter()
///     .add(fastnp::compile(loss), std::tuple(fastnp::zeros({8})), {.name = "loss"})
///     .add(fastnp::compile(fastnp::grad(loss)), std::tuple(fastnp::zeros({8})), {.name = "gradient"})
///     .write("model.so");
/// const fastnp::Exported gradient("model.so", "gradient");
/// \endcode
class FASTNP_API Exporter {
public:
    /// Compiles a function for arguments like these (export_library()). One of a name that is there already is a further specialisation of it, which
    /// serves the calls that none before it does; it takes and gives as many arrays as the first.
    template <class F, class... A>
    Exporter& add(const Compiled<F>& function, const std::tuple<A...>& specs, const ExportOptions& options = {}) {
        detail::Ahead ahead(detail::Ahead::Until::exported);
        ahead.name = options.name;
        ahead.parameters = options.parameters;
        ahead.isa = options.isa;
        ahead.number = parts_.size();
        std::apply([&](const A&... arguments) { function.look_ahead(ahead, arguments...); }, specs);
        parts_.push_back(std::move(ahead.part));
        return *this;
    }
    /// Writes the file, and a C header beside it. ValueError where there is nothing to write, or for specialisations that do not go together; Error where
    /// it can't be written.
    void write(const std::filesystem::path& path) const { detail::write_exported(path, parts_); }

private:
    std::vector<std::shared_ptr<const detail::ExportedPart>> parts_;
};

/// Compiles a function for arguments like these, and writes it to a shared library that other processes load (Exported), and a C header beside it.
///
/// Only dtypes and sizes of the arrays are looked at. Sizes vary where the function was compiled with names for them (CompileOptions::dynamic); plain
/// values are part of the library, and so are arrays that the function has captured.
///
/// \param function a compiled function (compile())
/// \param specs its arguments: arrays, plain values, structs and containers of these
/// \param path the file, which ends in ".so" by custom
/// \param options names
/// \throws RecordError for what can't be exported: effects besides its result, values that it reads while it is recorded, callbacks, devices; Error for
/// files.
///
/// \code
/// const auto f = fastnp::compile([](const fastnp::array& x) { return fastnp::exp(-x); });
/// fastnp::export_library(f, std::tuple(fastnp::zeros({1000})), "decay.so", {.name = "decay"});
/// const fastnp::Exported decay("decay.so");
/// const fastnp::array y = decay({fastnp::ones({1000})})[0];
/// \endcode
template <class F, class... A>
void export_library(const Compiled<F>& function, const std::tuple<A...>& specs, const std::filesystem::path& path, const ExportOptions& options = {}) {
    Exporter().add(function, specs, options).write(path);
}

/// @}

}  // namespace fastnp
