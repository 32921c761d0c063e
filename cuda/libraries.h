// NVIDIA's libraries besides the driver, found at run time.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "driver.h"

namespace fastnp::cuda {

/// A library in this process; it is never unloaded.
struct Library {
    void* handle = nullptr;
    std::string path;     // the file
    std::string problem;  // why there is none, in one line

    /// A function by its name; false if the library has none of it.
    template <class F>
    bool find(const char* name, F& function) const {
        function = reinterpret_cast<F>(symbol(name));
        return function != nullptr;
    }

private:
    void* symbol(const char* name) const;
};

/// The versions of CUDA whose libraries are looked for.
constexpr std::array<int, 3> cuda_versions{13, 12, 11};

struct LibraryName {
    std::string_view stem;                          // "libcublasLt"
    std::string_view package;                       // its folder among Python's packages, "cublas"
    std::array<int, cuda_versions.size()> numbers;  // of the file, by the version of CUDA
};

/// A library of the newest version of CUDA that the driver works with: one that this process has already; else where the system finds it, among Python's
/// packages (in a folder of its own, or with others of the version), in CUDA_HOME, CUDA_PATH and /usr/local/cuda.
Library find_library(const Driver& driver, const LibraryName& name);

/// The table of a library's functions, with the file that they are of or why there are none. `title`: what users call it. `find_all` puts the functions in
/// and gives the name of one that the library lacks, or null.
template <class Table>
Table load_library(const Driver& driver, const LibraryName& name, const std::string& title, const char* (*find_all)(const Library&, Table&)) {
    Table table;
    const Library library = find_library(driver, name);
    if (library.handle == nullptr) {
        table.problem = title + " was not found: " + library.problem;
    } else if (const char* missing = find_all(library, table); missing != nullptr) {
        table.problem = title + " is too old: " + library.path + " has no " + missing;
    } else {
        table.path = library.path;
    }
    return table;
}

/// The folders beside the system's where a library of a version of CUDA may lie, in the order in which they are tried.
std::vector<std::string> folders_for(int version, std::string_view package);

}  // namespace fastnp::cuda
