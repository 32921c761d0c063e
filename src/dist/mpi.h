// Ranks that are processes, by the machine's MPI, which is found at run time.
#pragma once

#include <memory>
#include <string>

#include "dist/transport.h"

namespace fastnp::dist {

/// All processes that mpirun has started (MPI_COMM_WORLD). RankError where there is no MPI library, or it can't be used by several threads. `library`: its
/// file; where it is empty FASTNP_MPI_LIBRARY, or the first one of the usual names.
std::unique_ptr<World> mpi_world(const std::string& library = {});

}  // namespace fastnp::dist
