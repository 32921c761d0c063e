// What the ranks of a group move bytes by. A rank is a process (dist/mpi.h), or a thread of one (dist/local.h). All ranks of a group call the same
// functions in the same order; each waits for those that it needs, up to the time limit, and throws RankError then.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace fastnp::dist {

class Transport {
public:
    Transport() = default;
    virtual ~Transport();
    Transport(const Transport&) = delete;
    Transport& operator=(const Transport&) = delete;

    /// This rank's number in the group, and how many there are.
    virtual int rank() const = 0;
    virtual int size() const = 0;
    /// Each rank's `bytes` bytes, one after the other.
    virtual void all_gather(const void* in, void* out, std::size_t bytes) = 0;
    /// `bytes` bytes to each rank, and from each rank, one after the other.
    virtual void all_to_all(const void* in, void* out, std::size_t bytes) = 0;
    /// The root's bytes.
    virtual void broadcast(void* data, std::size_t bytes, int root) = 0;
    /// Bytes to one rank and from another one; none where it is -1.
    virtual void permute(const void* in, void* out, std::size_t bytes, int to, int from) = 0;
    virtual void barrier() = 0;

    /// How many collectives this rank has called (dist/collective.h compares them).
    std::int64_t calls = 0;
};

/// All ranks there are, as one of them sees them.
class World {
public:
    World() = default;
    virtual ~World();
    World(const World&) = delete;
    World& operator=(const World&) = delete;

    virtual int rank() const = 0;
    virtual int size() const = 0;
    /// The group of these ranks, of which this is one; those that are in it call this at the same time.
    virtual std::unique_ptr<Transport> group(std::span<const int> ranks) = 0;
    /// This rank ends with an error that nothing has caught: the others can't go on.
    virtual void abort() {}
};

/// How long a rank waits for others; 300 s unless FASTNP_DIST_TIMEOUT (seconds) says otherwise, or it was set.
std::chrono::duration<double> time_limit();
void set_time_limit(std::chrono::duration<double> limit);

/// What a front end does around waiting (Python gives its lock to other threads), in the thread that waits. Set once, before anything waits.
struct AroundWaiting {
    void* (*begin)() = nullptr;
    void (*end)(void* begun) = nullptr;
};
void set_around_waiting(const AroundWaiting& functions);

/// This thread waits for as long as it lives.
class Waiting {
public:
    Waiting();
    ~Waiting();
    Waiting(const Waiting&) = delete;
    Waiting& operator=(const Waiting&) = delete;

private:
    void* begun_ = nullptr;
};

}  // namespace fastnp::dist
