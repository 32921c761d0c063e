// compress IN OUT: a file as the best that zstd makes of it. The build's own, for what lies in libraries.
#include <zstd.h>

#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

int main(int count, char** words) {
    if (count != 3) return 2;
    std::ifstream in(words[1], std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(in), {}};
    std::string made(ZSTD_compressBound(bytes.size()), '\0');
    const std::size_t size = ZSTD_compress(made.data(), made.size(), bytes.data(), bytes.size(), ZSTD_maxCLevel());
    if (!in || bytes.empty() || ZSTD_isError(size) != 0) {
        std::cerr << words[1] << " can't be compressed\n";
        return 1;
    }
    std::ofstream out(words[2], std::ios::binary);
    out.write(made.data(), static_cast<std::streamsize>(size));
    return out.flush() ? 0 : 1;
}
