#include "libraries.h"

#include <dlfcn.h>
#include <link.h>

#include <cstdlib>
#include <utility>

#include "device/registry.h"

namespace fastnp::cuda {

namespace {

std::string path_of(void* library) {
    link_map* map = nullptr;
    return dlinfo(library, RTLD_DI_LINKMAP, static_cast<void*>(&map)) == 0 && map != nullptr ? map->l_name : "";
}

std::string parent_of(const std::string& path) {
    const std::size_t end = path.rfind('/');
    return end == std::string::npos ? "" : path.substr(0, end);
}

// The folder that this library's own package lies in.
std::string own_site() {
    Dl_info info{};
    const bool is_found = dladdr(reinterpret_cast<const void*>(&own_site), &info) != 0 && info.dli_fname != nullptr;
    return is_found ? parent_of(parent_of(info.dli_fname)) : "";
}

Library opened(const std::string& file, int flags) {
    Library library;
    library.handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL | flags);
    if (library.handle != nullptr) library.path = path_of(library.handle);
    return library;
}

}  // namespace

std::vector<std::string> folders_for(int version, std::string_view package) {
    std::vector<std::string> folders, sites = device::library_folders();
    if (const std::string own = own_site(); !own.empty()) sites.push_back(own);
    for (const std::string& site : sites) {
        folders.push_back(site + "/nvidia/cu" + std::to_string(version) + "/lib");
        folders.push_back(site + "/nvidia/" + std::string(package) + "/lib");
    }
    const char* const toolkits[] = {std::getenv("CUDA_HOME"), std::getenv("CUDA_PATH"), "/usr/local/cuda"};  // NOLINT: as they are at the first use
    for (const char* const toolkit : toolkits) {
        if (toolkit == nullptr || *toolkit == '\0') continue;
        folders.push_back(std::string(toolkit) + "/lib64");
        folders.push_back(std::string(toolkit) + "/lib");
    }
    return folders;
}

void* Library::symbol(const char* name) const { return dlsym(handle, name); }

Library find_library(const Driver& driver, const LibraryName& name) {
    // A library works with drivers of its own version and of later ones.
    int newest = 0;
    if (driver.driver_get_version(&newest) != success) newest = 0;
    std::vector<std::pair<int, std::string>> files;  // by version
    for (std::size_t i = 0; i < cuda_versions.size(); ++i) {
        if (cuda_versions[i] <= newest / 1000) files.emplace_back(cuda_versions[i], std::string(name.stem) + ".so." + std::to_string(name.numbers[i]));
    }
    for (const auto& [version, file] : files) {
        if (Library library = opened(file, RTLD_NOLOAD); library.handle != nullptr) return library;
    }
    Library none;
    for (const auto& [version, file] : files) {
        if (Library library = opened(file, 0); library.handle != nullptr) return library;
        for (const std::string& folder : folders_for(version, name.package)) {
            if (Library library = opened(std::string(folder).append("/").append(file), 0); library.handle != nullptr) return library;
        }
        none.problem += (none.problem.empty() ? "there is no " : " or ") + file;
    }
    none.problem += none.problem.empty() ? "there is none for this driver" : " that can be loaded";
    return none;
}

}  // namespace fastnp::cuda
