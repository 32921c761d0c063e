// Collectives in C++, among threads: eagerly, compiled and differentiated; and what ranks are told that do not agree.
#include <boost/test/unit_test.hpp>
#include <mutex>
#include <string>
#include <vector>

#include "fastnp/fastnp.h"

using namespace fastnp;

BOOST_AUTO_TEST_SUITE(collectives)

BOOST_AUTO_TEST_CASE(all_of_them_eagerly_and_compiled) {
    std::mutex mutex;
    std::vector<std::string> wrong;
    const auto expect = [&](bool holds, const char* what) {
        const std::scoped_lock lock(mutex);
        if (!holds) wrong.emplace_back(what);
    };
    const auto sum = compile([](const array& x) { return dist::Communicator().all_reduce(x * 2.0) + 1.0; });
    dist::run(3, [&] {
        const dist::Communicator all;
        const array x = arange(3) + static_cast<double>(all.rank());
        for (int i = 0; i < 3; ++i) expect(array_equal(sum(x), array({7.0, 13.0, 19.0})), "compiled");
        expect(array_equal(all.all_reduce(x, dist::Fold::max), array({2.0, 3.0, 4.0})), "max");
        expect(all.all_gather(x).shape() == Shape({3, 3}), "all_gather");
        expect(array_equal(all.reduce_scatter(x), array(3.0 * all.rank() + 3.0)), "reduce_scatter");
        expect(array_equal(all.broadcast(x, 2), array({2.0, 3.0, 4.0})), "broadcast");
        expect(array_equal(all.all_to_all(x), array({0.0, 1.0, 2.0}) + static_cast<double>(all.rank())), "all_to_all");
        const array moved = all.permute(x, {{0, 1}});
        expect(array_equal(moved, all.rank() == 1 ? array({0.0, 1.0, 2.0}) : zeros({3})), "permute");
        const auto gradient = grad([&](const array& v) { return fastnp::sum(all.all_reduce(v * v)); });
        expect(array_equal(gradient(x), x * 6.0), "grad");
        all.barrier();
    });
    BOOST_TEST(wrong.empty(), (wrong.empty() ? "" : wrong.front()));
}

BOOST_AUTO_TEST_CASE(meshes_have_groups_along_axes) {
    std::mutex mutex;
    int right = 0;
    dist::run(4, [&] {
        const dist::Mesh mesh({2, 2}, {"row", "column"});
        const bool is_right = mesh.coordinates() == Shape({dist::rank() / 2, dist::rank() % 2}) && mesh["column"].size() == 2 &&
                              mesh["row"].ranks() == std::vector<int>({dist::rank() % 2, dist::rank() % 2 + 2}) &&
                              mesh.along({"row", "column"}).all_reduce(array(1.0)).item<double>() == 4;
        const std::scoped_lock lock(mutex);
        right += is_right ? 1 : 0;
    });
    BOOST_TEST(right == 4);
    BOOST_CHECK_THROW(dist::Mesh({2}, {"x"}), ValueError);
}

BOOST_AUTO_TEST_CASE(ranks_that_do_not_agree_are_told) {
    std::mutex mutex;
    std::vector<std::string> told;
    dist::run(2, [&] {
        const dist::Communicator all;
        try {
            if (all.rank() == 0) all.all_reduce(zeros({3}));
            else all.all_gather(zeros({3}));
        } catch (const RankError& error) {
            const std::scoped_lock lock(mutex);
            told.emplace_back(error.what());
        }
    });
    BOOST_REQUIRE(told.size() == 2U);
    BOOST_TEST(told[0] ==
               "the ranks do not ask for the same: rank 0 for all_reduce of 3 elements of float64 by add; rank 1 for all_gather of 3 elements "
               "of float64");
    BOOST_TEST(told[0] == told[1]);
}

BOOST_AUTO_TEST_CASE(an_error_on_one_rank_is_all_ranks) {
    BOOST_CHECK_EXCEPTION(dist::run(3,
                                    [] {
                                        if (dist::rank() == 1) throw IndexError("planted");
                                        dist::Communicator().all_reduce(zeros({3}));
                                    }),
                          IndexError, [](const IndexError& error) { return std::string(error.what()) == "planted"; });
    BOOST_CHECK_THROW(dist::run(2, [] { dist::Communicator().all_reduce(zeros({3})); }, {.lost_rank = 1}), RankError);
    BOOST_TEST(!dist::is_initialized());
    BOOST_TEST(dist::size() == 1);
}

BOOST_AUTO_TEST_SUITE_END()
