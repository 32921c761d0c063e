// Addresses of the host's that nothing lies at until they are opened.
#pragma once

#include <sys/mman.h>

#include <cstddef>

namespace fastnp::device {

class Pages {
public:
    /// As many as so many bytes need, at least one; nobody may touch them. MemoryError if there are no addresses left.
    explicit Pages(std::size_t bytes);
    ~Pages();
    Pages(const Pages&) = delete;
    Pages& operator=(const Pages&) = delete;

    char* begin() const { return begin_; }
    /// What may be done with all of them: PROT_NONE, PROT_READ, PROT_READ | PROT_WRITE.
    void protect(int protection);
    /// Lets a part be read and written, in pages that were never protected as a whole.
    void open(std::size_t offset, std::size_t bytes);

private:
    std::size_t bytes_;
    char* begin_;
    int protection_ = PROT_NONE;
    bool touched_ = false;  // the system may have given some of them memory
    bool mixed_ = false;
};

}  // namespace fastnp::device
