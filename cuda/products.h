// Products of matrices by cuBLASLt.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "blas.h"
#include "context.h"
#include "device/contraction.h"
#include "pool.h"

namespace fastnp::cuda {

/// Of one device. Thread-safe. What the library needs to know of a product, and how it does it best, is worked out once for each kind of product.
class Products {
public:
    using FindBlas = const Blas& (*)(const Driver&);

    /// `find` is called when the first product is asked for.
    Products(Context& context, Pool& pool, FindBlas find) : context_(context), pool_(pool), find_(find) {}
    ~Products();
    Products(const Products&) = delete;
    Products& operator=(const Products&) = delete;

    /// As device::Backend says.
    std::string lacks(Dtype dtype);
    bool contract(const device::Contraction& contraction);

    bool knows(const device::Contraction& contraction);

    /// Asks for a product that is known in another stream than the context's. The context is the current one.
    std::size_t workspace_bytes(const device::Contraction& contraction);
    void ask(const device::Contraction& contraction, Handle stream, void* workspace);

    /// Products asked for so far; `products` more were, by graphs.
    std::uint64_t count() const { return count_.load(std::memory_order_relaxed); }
    void count_more(std::size_t products) { count_.fetch_add(products, std::memory_order_relaxed); }

private:
    class Prepared;
    using Key = std::array<std::int64_t, 18>;

    static Key key_of(const device::Contraction& contraction);
    bool start();
    std::shared_ptr<Prepared> prepared(const device::Contraction& contraction);
    void check(int status, const char* function);

    Context& context_;
    Pool& pool_;
    const FindBlas find_;
    std::mutex mutex_;
    const Blas* blas_ = nullptr;
    Handle handle_ = nullptr;
    std::string problem_;  // why there are no products
    std::map<Key, std::shared_ptr<Prepared>> prepared_;
    std::atomic<std::uint64_t> count_ = 0;
};

}  // namespace fastnp::cuda
