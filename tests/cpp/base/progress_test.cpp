// Lines that tell of what takes long.
#include "fastnp/detail/progress.h"

#include <boost/test/unit_test.hpp>

using fastnp::detail::progress_line;

BOOST_AUTO_TEST_SUITE(progress)

BOOST_AUTO_TEST_CASE(a_known_end_has_a_bar_that_fills) {
    BOOST_TEST(progress_line("minimising f", 0, 4, "", 1.24, 200) == "fastnp: minimising f [>                   ] 0/4, 1.2 s");
    BOOST_TEST(progress_line("minimising f", 1, 4, "shapes", 12, 200) == "fastnp: minimising f [=====>              ] 1/4, 12.0 s, shapes");
    BOOST_TEST(progress_line("minimising f", 4, 4, "", 125.9, 200) == "fastnp: minimising f [====================] 4/4, 2:05 min");
    BOOST_TEST(progress_line("minimising f", 9, 4, "", 3, 200) == "fastnp: minimising f [====================] 9/4, 3.0 s");
}

BOOST_AUTO_TEST_CASE(no_known_end_has_one_that_runs_to_and_fro) {
    BOOST_TEST(progress_line("f", 0, 0, "", 0, 200) == "fastnp: f [====                ] 0.0 s");
    BOOST_TEST(progress_line("f", 0, 0, "", 0.51, 200) == "fastnp: f [     ====           ] 0.5 s");
    BOOST_TEST(progress_line("f", 0, 0, "", 1.61, 200) == "fastnp: f [                ====] 1.6 s");
    BOOST_TEST(progress_line("f", 0, 0, "", 2.21, 200) == "fastnp: f [          ====      ] 2.2 s");
}

BOOST_AUTO_TEST_CASE(lines_are_cut_at_characters_and_move_no_cursor) {
    BOOST_TEST(progress_line("größe", 0, 0, "", 0, 11) == "fastnp: grö");
    BOOST_TEST(progress_line("größe", 0, 0, "", 0, 0).empty());
    BOOST_TEST(progress_line("a\n\x1b[2Jb", 0, 0, "", 0, 15) == "fastnp: a??[2Jb");
}

BOOST_AUTO_TEST_SUITE_END()
