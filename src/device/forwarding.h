// A device that passes on to another one all that it is asked for; who derives from it does some of it in a way of his own.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "device/backend.h"

namespace fastnp::device {

class Forwarding : public Backend {
public:
    explicit Forwarding(Backend& to) : to_(to) {}

    Backend& itself() override { return to_.itself(); }
    std::string name() const override { return to_.name(); }
    int number() const override { return to_.number(); }
    Code code() const override { return to_.code(); }
    int capability() const override { return to_.capability(); }
    std::int64_t blocks_at_once(int threads) const override { return to_.blocks_at_once(threads); }
    bool enter() override { return to_.enter(); }
    void leave() noexcept override { to_.leave(); }
    void* allocate(std::size_t bytes) override { return to_.allocate(bytes); }
    void free(void* memory, std::size_t bytes) noexcept override { to_.free(memory, bytes); }
    void trim() override { to_.trim(); }
    void upload(void* to, const void* from, std::size_t bytes) override { to_.upload(to, from, bytes); }
    void download(void* to, const void* from, std::size_t bytes) override { to_.download(to, from, bytes); }
    void copy(void* to, const void* from, std::size_t bytes) override { to_.copy(to, from, bytes); }
    bool copy_from(Backend& other, void* to, const void* from, std::size_t bytes) override { return to_.copy_from(other, to, from, bytes); }
    void clear(void* memory, std::size_t bytes) override { to_.clear(memory, bytes); }
    std::string assemble(const std::string& code) override { return to_.assemble(code); }
    std::string version() const override { return to_.version(); }
    std::shared_ptr<Module> load(const std::string& image, const std::vector<std::string>& symbols) override { return to_.load(image, symbols); }
    void launch(const Module& module, std::size_t kernel, std::int64_t blocks, int threads, std::span<void* const> arguments) override {
        to_.launch(module, kernel, blocks, threads, arguments);
    }
    bool may_overlap() const override { return to_.may_overlap(); }
    std::unique_ptr<Graph> graph(std::span<const Work> work) override { return to_.graph(work); }
    std::unique_ptr<Moment> moment() override { return to_.moment(); }
    double milliseconds(const Moment& from, const Moment& to) override { return to_.milliseconds(from, to); }
    Stream stream() const override { return to_.stream(); }
    void wait_for(Stream stream) override { to_.wait_for(stream); }
    void let_wait(Stream stream) override { to_.let_wait(stream); }
    bool names_ranges() const override { return to_.names_ranges(); }
    void begin_range(const std::string& name) override { to_.begin_range(name); }
    void end_range() noexcept override { to_.end_range(); }
    std::string lacks_products(Dtype dtype) override { return to_.lacks_products(dtype); }
    bool contract(const Contraction& contraction) override { return to_.contract(contraction); }
    bool knows(const Contraction& contraction) override { return to_.knows(contraction); }
    std::string lacks_transforms() override { return to_.lacks_transforms(); }
    bool transform(const Transform& transform) override { return to_.transform(transform); }
    bool knows(const Transform& transform) override { return to_.knows(transform); }
    std::string lacks_factorisations() override { return to_.lacks_factorisations(); }
    bool factorise(const Factorisation& factorisation) override { return to_.factorise(factorisation); }
    void synchronize() override { to_.synchronize(); }
    BackendStatistics statistics() const override { return to_.statistics(); }

protected:
    Backend& to_;
};

}  // namespace fastnp::device
