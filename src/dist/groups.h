// The groups of ranks that collectives are over: all ranks, or those along some axes of a mesh. A group has a key that is the same on all ranks, and in
// all processes, so that recordings may hold it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "dist/device_group.h"
#include "dist/transport.h"

namespace fastnp::dist {

/// The thread's world: the one that it runs in as a rank (WithinWorld), or the process's. Of one rank, where nothing was set up.
World& world();
/// Whether there is one that was set up.
bool has_world();
/// Sets the process's up. ValueError where that was done.
void set_world(std::unique_ptr<World> world);
/// Takes it down.
void unset_world();
/// Another number for each world that may differ from others in what recordings hold: how many ranks there are, which one a process is (threads share what
/// is compiled), and the thread's mode; 0 where none was set up, and there is no mode.
std::int64_t world_kind();
/// A number for what a front end records in another way at the time (below 2^22); gives the one before.
std::int64_t set_mode(std::int64_t mode);

/// A thread is a rank of a world as long as it lives.
class WithinWorld {
public:
    explicit WithinWorld(std::unique_ptr<World> world);
    ~WithinWorld();
    WithinWorld(const WithinWorld&) = delete;
    WithinWorld& operator=(const WithinWorld&) = delete;

private:
    struct Ranks* before_;
    std::unique_ptr<struct Ranks> own_;
};

/// The key of the groups along axes of a mesh (the ranks in C's order); of all ranks, where the mesh has one axis.
std::int64_t key_of(const std::vector<std::int64_t>& mesh, const std::vector<int>& axes);
/// How many ranks a group has.
int size_of(std::int64_t key);
/// The thread's group. InternalError for an unknown key; RankError where the mesh has not as many ranks as there are.
Transport& group(std::int64_t key);
/// The same of a device of this rank's; null where the host does their collectives. All ranks of the group ask for it at the same time.
DeviceGroup* device_group(std::int64_t key, device::Backend& backend);
/// The numbers, in the world, of the ranks of a rank's group.
std::vector<int> ranks_of(std::int64_t key, int rank);

}  // namespace fastnp::dist
