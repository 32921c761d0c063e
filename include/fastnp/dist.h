// Programs of several ranks: processes that mpirun starts, or threads of one process. Each rank runs the same program over its own arrays; collectives
// exchange these. They are ops: compiled, differentiated and batched as all others.
//
// Elements are joined in the order of the ranks, so that all ranks get the same bits, over MPI and over threads alike. All ranks of a group must call the
// same collectives in the same order, with operands of one shape and dtype; where they do not, or one does not come in time, each of them gets a
// RankError.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "fastnp/array.h"

namespace fastnp::dist {

/// \addtogroup dist
/// @{

/// How elements of several ranks become one: as numpy.add, multiply, minimum and maximum join two; the mean is the sum over the number of ranks.
enum class Fold : std::uint8_t { sum, prod, min, max, mean };

/// The ranks that exchange arrays: all there are, or those along axes of a Mesh. A copy is the same group.
class FASTNP_API Communicator {
public:
    /// All ranks.
    Communicator();

    /// This rank's number in the group.
    int rank() const;
    /// How many ranks the group has.
    int size() const;
    /// Which ones, by their numbers among all.
    std::vector<int> ranks() const;
    /// A number of its own: the same on all ranks, and in all processes.
    std::int64_t key() const { return key_; }
    /// The rank's number as an int64 array of no axes, which a compiled function finds anew in each call.
    array index() const;

    /// The arrays of all ranks, joined elementwise, on all of them; of x's shape and dtype (the mean of whole numbers is float64). TypeError where NumPy's
    /// ufunc takes no such dtype. (MPI_Allreduce, jax.lax.psum)
    array all_reduce(const array& x, Fold fold = Fold::sum) const;
    /// The arrays of all ranks along a new axis at this place, or, `tiled`, one behind the other along the axis. (MPI_Allgather, jax.lax.all_gather)
    array all_gather(const array& x, int axis = 0, bool tiled = false) const;
    /// Of the arrays of all ranks, joined: the part that is this rank's. The axis has an element for each rank, and is gone, or, `tiled`, is cut into one
    /// part for each. ValueError where it has another number of elements. (MPI_Reduce_scatter, jax.lax.psum_scatter)
    array reduce_scatter(const array& x, Fold fold = Fold::sum, int axis = 0, bool tiled = false) const;
    /// One rank's array. ValueError where there is no such rank. (MPI_Bcast)
    array broadcast(const array& x, int root = 0) const;
    /// Parts of the split axis go to the ranks, and what comes from them lies along the other axis: the split axis has an element for each rank, and is
    /// gone, and a new one is at the other place; or, `tiled`, one is cut into parts, and the other one has several. (MPI_Alltoall, jax.lax.all_to_all)
    array all_to_all(const array& x, int split_axis = 0, int concat_axis = 0, bool tiled = false) const;
    /// Arrays from rank to rank, by pairs (from, to); zeros for a rank that none comes to. ValueError where a rank is not in the group, or is named twice
    /// on one side. (MPI_Sendrecv, jax.lax.ppermute)
    array permute(const array& x, const std::vector<std::pair<int, int>>& pairs) const;
    /// Waits until all ranks of the group are here. RecordError while recording. (MPI_Barrier)
    void barrier() const;

private:
    friend class Mesh;
    Communicator(std::int64_t key, int size) : key_(key), size_(size) {}

    std::int64_t key_;
    int size_;
};

/// All ranks as an array in C's order, with a name for each axis: Mesh({2, 4}, {"data", "model"}).
class FASTNP_API Mesh {
public:
    /// ValueError unless there are as many ranks as the shape has elements, and as many names as axes, each once.
    Mesh(Shape shape, std::vector<std::string> names);

    /// The ranks that differ from this one in these axes alone, in their order. ValueError for an unknown name.
    Communicator operator[](const std::string& name) const { return along({name}); }
    /// The same of several axes; where these are all of them, all ranks.
    Communicator along(const std::vector<std::string>& names) const;
    /// How many ranks lie along each axis.
    const Shape& shape() const { return shape_; }
    /// The axes' names.
    const std::vector<std::string>& names() const { return names_; }
    /// Where this rank is in the mesh.
    Shape coordinates() const;

private:
    Shape shape_;
    std::vector<std::string> names_;
};

/// Sets up the ranks of this process: those that mpirun started, by the machine's MPI library (Open MPI, MPICH, and what has the ABI of one of these),
/// which is found at run time; `library` or FASTNP_MPI_LIBRARY names its file. RankError where there is none; ValueError where it was done.
FASTNP_API void init_mpi(const std::string& library = {});
/// Whether ranks were set up: by init_mpi(), or as a thread of run().
FASTNP_API bool is_initialized();
/// Takes them down. (MPI itself ends with the process.)
FASTNP_API void finalize();
/// This process's or thread's number among all ranks; 0 where none were set up. (MPI_Comm_rank)
FASTNP_API int rank();
/// How many ranks there are; 1 where none were set up. (MPI_Comm_size)
FASTNP_API int size();
/// How long a rank waits for others, in seconds: 300, or FASTNP_DIST_TIMEOUT. ValueError unless it is positive.
FASTNP_API void set_time_limit(double seconds);

/// What befalls ranks that are threads, for tests.
struct Faults {
    unsigned seed = 0;  ///< of the delays
    double longest_delay = 0;  ///< seconds before a call, at random up to this
    int lost_rank = -1;  ///< gets a RankError ...
    std::int64_t lost_after = 0;  ///< ... after so many calls
};

/// Runs a function in so many threads, each a rank of its own, and waits for them. An error on one rank is a RankError on the others, which names it, and
/// is thrown here. ValueError for fewer ranks than one.
FASTNP_API void run(int ranks, const std::function<void()>& function, const Faults& faults = {});

namespace detail {

/// A number for what compiled functions hold of the ranks there are; 0 where none were set up.
FASTNP_API std::int64_t world_kind();
/// A number for what a front end records in another way at the time, which compiled functions know; gives the one before.
FASTNP_API std::int64_t set_mode(std::int64_t mode);
/// What a front end does around waiting for other ranks, in the thread that waits (dist/transport.h).
FASTNP_API void set_around_waiting(void* (*begin)(), void (*end)(void* begun));
/// An error ends this process: so do the other ranks, which can't go on (MPI_Abort).
FASTNP_API void abort_ranks();

}  // namespace detail

/// @}

}  // namespace fastnp::dist
