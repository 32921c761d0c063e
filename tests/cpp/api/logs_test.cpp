// Logs: which events are told of, and in which words.
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "codegen/json_line.h"
#include "fastnp/detail/log.h"
#include "fastnp/fastnp.h"

using namespace fastnp;

namespace {

// A file that logs go to, while it lives.
class Logged {
public:
    explicit Logged(const std::string& channels, bool json = false)
        : name_((std::filesystem::temp_directory_path() / ("fastnp-log-" + std::to_string(std::rand()))).string()) {
        set_logs(channels, {name_, json});
    }
    ~Logged() {
        set_logs("");
        std::filesystem::remove(name_);
    }
    Logged(const Logged&) = delete;
    Logged& operator=(const Logged&) = delete;

    std::vector<std::string> lines() const {
        std::ifstream file(name_);
        std::vector<std::string> found;
        for (std::string line; std::getline(file, line);) found.push_back(line);
        return found;
    }
    // How many lines begin so.
    std::ptrdiff_t count(const std::string& begin) const {
        const std::vector<std::string> all = lines();
        return std::count_if(all.begin(), all.end(), [&](const std::string& line) { return line.starts_with(begin); });
    }

private:
    std::string name_;
};

auto compiled(const std::string& name) {
    return compile([](const array& x) { return sqrt(x * 2) + 1; }, {.name = name});
}

}  // namespace

BOOST_AUTO_TEST_SUITE(event_logs)

BOOST_AUTO_TEST_CASE(nothing_is_told_unless_asked_for) {
    BOOST_TEST(logs() == "");
    {
        const Logged log("recompiles, timing");
        BOOST_TEST(logs() == "recompiles,timing");
    }
    BOOST_TEST(logs() == "");
    set_logs("all");
    BOOST_TEST(logs() == "recompiles,guards,breaks,fusion,passes,code,ptx,cache,timing");
    set_logs("");
}

BOOST_AUTO_TEST_CASE(calls_that_need_another_compilation_say_why) {
    const Logged log("recompiles");
    const auto f = compiled("scaled");
    f(ones({3}));
    BOOST_TEST(log.lines().empty());
    f(ones({3}).astype(Dtype::float32));
    f(ones({3}).astype(Dtype::float32));
    BOOST_TEST(log.lines().size() == 1u);
    BOOST_TEST(log.count("fastnp recompiles: scaled: compiled again: argument 0: dtype changed from float64 to float32") == 1);
}

BOOST_AUTO_TEST_CASE(each_channel_has_its_events) {
    const Logged log("timing,fusion,guards,passes,code");
    const auto f = compiled("told");
    f(ones({3, 1000}));
    BOOST_TEST(log.count("fastnp timing: told: compiled in ") == 1);
    BOOST_TEST(log.count("fastnp fusion: told: elementwise ") == 1);
    BOOST_TEST(log.count("fastnp guards: told: argument 0: float64[3, 1000]") == 1);
    BOOST_TEST(log.count("fastnp passes: told: ") >= 1);
    BOOST_TEST(log.count("define ") >= 1);
}

BOOST_AUTO_TEST_CASE(what_ends_a_recording_is_told) {
    const Logged log("breaks");
    const auto f = compile([](const array& x) { return x.data<double>()[0] > 0 ? x : -x; }, {.name = "reads"});
    f(ones({3}));
    BOOST_TEST(log.count("fastnp breaks: reads: ") == 1);
}

BOOST_AUTO_TEST_CASE(json_is_an_object_a_line) {
    const Logged log("timing,recompiles", true);
    const auto f = compiled("\"quoted\"");
    f(ones({3}));
    const std::vector<std::string> lines = log.lines();
    BOOST_REQUIRE(lines.size() == 1u);
    BOOST_TEST(lines[0].starts_with(R"({"channel":"timing","function":"\"quoted\"","text":"compiled in )"));
    BOOST_TEST(lines[0].find(R"("record":)") != std::string::npos);
    BOOST_TEST(lines[0].ends_with("}"));
}

BOOST_AUTO_TEST_CASE(what_is_no_text_and_what_is_no_number) {
    const std::pair<std::string_view, std::string> values[] = {{"bytes", "12"}, {"name", "a\xFF\n"}, {"no_number", "nan ms"}};
    const std::string line = codegen::json_line({detail::Channel::cache, "f", "two\nlines", values});
    BOOST_TEST(line ==
               "{\"channel\":\"cache\",\"function\":\"f\",\"text\":\"two\\nlines\",\"bytes\":12,\"name\":\"a\xEF\xBF\xBD\\n\",\"no_number\":\"nan ms\"}");
}

BOOST_AUTO_TEST_CASE(other_names_and_files_are_errors) {
    BOOST_CHECK_EXCEPTION(set_logs("recompile"), ValueError, [](const ValueError& error) {
        return std::string(error.what()).starts_with("set_logs() has no channel 'recompile': there are recompiles, guards, ");
    });
    BOOST_CHECK_THROW(set_logs("timing", {"/no/such/folder/log", false}), ValueError);
    BOOST_TEST(logs() == "");
}

BOOST_AUTO_TEST_CASE(who_listens_may_throw) {
    int heard = 0;
    detail::set_log(~0U, [&](const detail::LogEvent&) {
        ++heard;
        throw std::runtime_error("full");
    });
    const auto f = compiled("goes_on");
    BOOST_TEST(f(ones({3}))(0).item<double>() == std::sqrt(2.0) + 1);
    detail::set_log(0, nullptr);
    BOOST_TEST(heard > 0);
}

BOOST_AUTO_TEST_SUITE_END()
