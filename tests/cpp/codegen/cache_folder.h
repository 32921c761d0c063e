// A folder for what is kept on disk, for the time of a test.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

namespace fastnp {

struct CacheFolder {
    std::filesystem::path path;
    CacheFolder() {
        std::string name = (std::filesystem::temp_directory_path() / "fastnp-store-XXXXXX").string();
        path = mkdtemp(name.data());
        setenv("FASTNP_CACHE_DIR", path.c_str(), 1);  // NOLINT: the tests are one thread
        unsetenv("FASTNP_CACHE_SIZE");                // NOLINT
    }
    ~CacheFolder() {
        setenv("FASTNP_CACHE_DIR", "", 1);  // NOLINT
        unsetenv("FASTNP_CACHE_SIZE");      // NOLINT
        std::filesystem::remove_all(path);
    }
    CacheFolder(const CacheFolder&) = delete;
    CacheFolder& operator=(const CacheFolder&) = delete;

    std::vector<std::filesystem::path> files() const {
        std::vector<std::filesystem::path> found;
        for (const auto& entry : std::filesystem::directory_iterator(path)) {
            if (entry.path().filename().string().rfind("llvmcache-", 0) == 0) found.push_back(entry.path());
        }
        return found;
    }
};

}  // namespace fastnp
