// The simulated device finds threads that touch the same memory without having met, whatever came of it.
#include <boost/test/unit_test.hpp>
#include <string>

#include "fastnp/error.h"
#include "simulated/backend.h"

using namespace fastnp;
using simulated::Backend;

namespace {

// A kernel over `x`, a buffer of 128 ints that are 0, and `m`, as many on the chip, in blocks of 64 threads. %t: the thread; %b: the block; %xt, %mt:
// where its own element is; %xn, %mn: the next thread's; %far: that of the thread in the same place of the other warp, on the chip.
std::string kernel_of(const std::string& body) {
    return R"(
        @m = internal addrspace(3) global [128 x i32] poison, align 16
        declare void @llvm.nvvm.barrier0()
        declare void @llvm.nvvm.bar.warp.sync(i32)
        declare i32 @llvm.nvvm.shfl.sync.bfly.i32(i32, i32, i32, i32)
        declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
        declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
        declare void @llvm.memcpy.p1.p3.i64(ptr addrspace(1), ptr addrspace(3), i64, i1)
        define ptx_kernel void @kernel(ptr addrspace(1) %x) {
          %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
          %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
          %n = xor i32 %t, 1
          %f = xor i32 %t, 32
          %xt = getelementptr i32, ptr addrspace(1) %x, i32 %t
          %xn = getelementptr i32, ptr addrspace(1) %x, i32 %n
          %mt = getelementptr i32, ptr addrspace(3) @m, i32 %t
          %mn = getelementptr i32, ptr addrspace(3) @m, i32 %n
          %far = getelementptr i32, ptr addrspace(3) @m, i32 %f
          )" +
           body + R"(
          ret void
        }
        !nvvm.annotations = !{!0, !1}
        !0 = !{ptr @kernel, !"kernel", i32 1}
        !1 = !{ptr @kernel, !"maxntidx", i32 64}
    )";
}

/// What the device says of a kernel; nothing if it finds nothing.
std::string said_of(const std::string& body, std::int64_t blocks = 1) {
    Backend backend;
    const auto module = backend.load(backend.assemble(kernel_of(body)), {"kernel"});
    void* const x = backend.allocate(512);
    backend.clear(x, 512);
    void* address = x;
    void* argument = &address;
    backend.launch(*module, 0, blocks, 64, {&argument, 1});
    std::string said;
    try {
        backend.synchronize();
    } catch (const DeviceError& error) {
        said = error.what();
    }
    backend.free(x, 512);
    return said;
}

bool is_a_race(const std::string& body, std::int64_t blocks = 1) {
    return said_of(body, blocks).find("without a barrier between them") != std::string::npos;
}
bool is_right(const std::string& body, std::int64_t blocks = 1) { return said_of(body, blocks).empty(); }

const std::string block_meets = "call void @llvm.nvvm.barrier0()\n";
const std::string warp_meets = "call void @llvm.nvvm.bar.warp.sync(i32 -1)\n";
const std::string keep_own = "store i32 %t, ptr addrspace(3) %mt\n";
const std::string read_next = "%next = load i32, ptr addrspace(3) %mn\n";
const std::string read_far = "%other = load i32, ptr addrspace(3) %far\n";

}  // namespace

BOOST_AUTO_TEST_SUITE(simulated_races)

BOOST_AUTO_TEST_CASE(what_another_thread_writes_is_read_after_a_barrier) {
    BOOST_TEST(!is_right(keep_own + read_next));  // of those that run later nothing is there yet
    for (const std::string& meets : {block_meets, warp_meets}) BOOST_TEST(is_right(keep_own + meets + read_next));
    BOOST_TEST(is_right(keep_own + block_meets + read_far));
    BOOST_TEST(!is_right(keep_own + warp_meets + read_far));
    BOOST_TEST(is_right(keep_own + block_meets + read_far, 3));
}

BOOST_AUTO_TEST_CASE(what_another_thread_reads_is_written_after_a_barrier) {
    const std::string again = "store i32 -1, ptr addrspace(3) %mt\n";
    BOOST_TEST(is_a_race(keep_own + block_meets + read_next + again));
    BOOST_TEST(is_a_race(keep_own + block_meets + read_far + again));
    BOOST_TEST(is_a_race(keep_own + block_meets + read_far + warp_meets + again));
    BOOST_TEST(is_right(keep_own + block_meets + read_next + warp_meets + again));
    BOOST_TEST(is_right(keep_own + block_meets + read_far + block_meets + again));
    // Both other threads have read it, and the last one is of this warp.
    BOOST_TEST(is_a_race(keep_own + block_meets + read_far + read_next + warp_meets + again));
}

BOOST_AUTO_TEST_CASE(shuffles_order_no_memory) {
    const std::string shuffle = "%s = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %t, i32 1, i32 31)\n";
    BOOST_TEST(is_a_race(keep_own + shuffle + read_next));
    BOOST_TEST(is_right(keep_own + shuffle + warp_meets + read_next));
}

BOOST_AUTO_TEST_CASE(a_block_reads_what_it_wrote) {
    const std::string nothing_there = "reads of the block's memory what nothing wrote";
    BOOST_TEST(said_of(read_next).find(nothing_there) != std::string::npos);
    // Block 0 may have written it, but not this block's.
    const std::string first_writes = R"(
          %first = icmp eq i32 %b, 0
          br i1 %first, label %write, label %read
        write:
          store i32 1, ptr addrspace(3) %mt
          br label %end
        read:
          %old = load i32, ptr addrspace(3) %mt
          br label %end
        end:
    )";
    BOOST_TEST(said_of(first_writes, 4).find(nothing_there) != std::string::npos);
    BOOST_TEST(said_of(first_writes, 1).empty());
}

BOOST_AUTO_TEST_CASE(blocks_share_no_element_of_a_buffer) {
    BOOST_TEST(is_right("store i32 %t, ptr addrspace(1) %xt\n", 1));
    BOOST_TEST(is_right("store i32 %t, ptr addrspace(1) %xt\n", 3));  // the same values
    BOOST_TEST(is_a_race("%v = add i32 %b, 1\n store i32 %v, ptr addrspace(1) %xt\n", 3));
    BOOST_TEST(is_a_race("%v = add i32 %b, 1\n" + block_meets + "store i32 %v, ptr addrspace(1) %xt\n" + block_meets, 3));
    BOOST_TEST(is_right("%old = load i32, ptr addrspace(1) %xt\n %v = add i32 %old, 1\n store i32 %v, ptr addrspace(1) %xt\n", 1));
    BOOST_TEST(is_a_race("%old = load i32, ptr addrspace(1) %xt\n %v = add i32 %old, 1\n store i32 %v, ptr addrspace(1) %xt\n", 2));
    const std::string takes_next = "%old = load i32, ptr addrspace(1) %xn\n %v = add i32 %old, 1\n";
    BOOST_TEST(is_a_race(takes_next + "store i32 %v, ptr addrspace(1) %xt\n"));
    BOOST_TEST(is_right(takes_next + block_meets + "store i32 %v, ptr addrspace(1) %xt\n"));
    BOOST_TEST(is_right(takes_next, 3));
}

BOOST_AUTO_TEST_CASE(atomic_operations_need_no_barrier) {
    const std::string adds = "%a = atomicrmw add ptr addrspace(1) %x, i32 1 monotonic\n";
    BOOST_TEST(is_right(adds, 3));
    BOOST_TEST(is_right(adds + "%l = load atomic i32, ptr addrspace(1) %x monotonic, align 4\n", 3));
    BOOST_TEST(is_a_race(adds + "%l = load i32, ptr addrspace(1) %x\n"));
    BOOST_TEST(is_right(adds + block_meets + "%l = load i32, ptr addrspace(1) %x\n"));
    BOOST_TEST(is_a_race(adds + block_meets + "%l = load i32, ptr addrspace(1) %x\n %c = atomicrmw add ptr addrspace(1) %x, i32 1 monotonic\n"));
    // What was read before the barrier is no reason.
    const std::string adds_there = "%a = atomicrmw or ptr addrspace(3) @m, i32 1 monotonic\n",
                      again = "%c = atomicrmw or ptr addrspace(3) @m, i32 1 monotonic\n";
    const std::string begin = "store i32 0, ptr addrspace(3) @m\n" + block_meets;
    BOOST_TEST(is_right(begin + adds_there + block_meets + "%l = load i32, ptr addrspace(3) @m\n" + block_meets + again));
}

BOOST_AUTO_TEST_CASE(bytes_of_a_word_are_threads_own) {
    const std::string places = "%byte = getelementptr i8, ptr addrspace(1) %x, i32 %t\n %small = trunc i32 %t to i8\n";
    const std::string store = "store i8 %small, ptr addrspace(1) %byte\n";
    const std::string whole = "%w = load i32, ptr addrspace(1) %x\n";
    BOOST_TEST(is_right(places + store));
    BOOST_TEST(is_right(places + store + block_meets + whole + block_meets + "store i8 0, ptr addrspace(1) %byte\n"));
    BOOST_TEST(is_a_race(places + whole + store));
    BOOST_TEST(is_a_race(places + whole + warp_meets + store));
    BOOST_TEST(is_right(places + whole + block_meets + store));
    BOOST_TEST(is_right("store i32 7, ptr addrspace(1) %xt\n" + block_meets + places + "%old = load i8, ptr addrspace(1) %byte\n"));
    BOOST_TEST(!is_right("store i32 7, ptr addrspace(1) %xt\n" + places + "%old = load i8, ptr addrspace(1) %byte\n"));
}

BOOST_AUTO_TEST_CASE(copies_are_accesses) {
    const std::string copy = "call void @llvm.memcpy.p1.p3.i64(ptr addrspace(1) %xt, ptr addrspace(3) %mn, i64 4, i1 false)\n";
    BOOST_TEST(is_right(keep_own + block_meets + copy));
    BOOST_TEST(!is_right(keep_own + copy));
    BOOST_TEST(is_a_race(keep_own + block_meets + copy + "%v = load i32, ptr addrspace(1) %xn\n"));
}

BOOST_AUTO_TEST_SUITE_END()
