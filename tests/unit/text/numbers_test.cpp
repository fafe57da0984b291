// SPDX-License-Identifier: Apache-2.0
#include "text/numbers.h"

#include <doctest/doctest.h>

#include <cmath>

using namespace compmond;

TEST_CASE("numbers: durations have three significant digits and a unit for people") {
  CHECK(text::duration(0) == "0 ns");
  CHECK(text::duration(870) == "870 ns");
  CHECK(text::duration(999) == "999 ns");
  CHECK(text::duration(1'000) == "1.00 µs");
  CHECK(text::duration(12'400) == "12.4 µs");
  CHECK(text::duration(500'000'000) == "500 ms");
  CHECK(text::duration(1'300'000'000) == "1.30 s");
  CHECK(text::duration(300e9) == "5.00 min");
  CHECK(text::duration(90'000'000'000) == "90.0 s");
  CHECK(text::duration(150'000'000'000) == "2.50 min");
  CHECK(text::duration(9'000'000'000'000) == "2.50 h");
  CHECK(text::duration(3 * 86'400'000'000'000ull) == "3.00 d");
  CHECK(text::duration(double(UINT64_MAX)) == "213504 d");
  CHECK(text::duration(INFINITY) == "–");
}

TEST_CASE("numbers: durations that round up to the next unit are shown in it") {
  CHECK(text::duration(9'996) == "10.0 µs");
  CHECK(text::duration(99'960) == "100 µs");
  CHECK(text::duration(999'499) == "999 µs");
  CHECK(text::duration(999'500) == "1.00 ms");
  CHECK(text::duration(999'999'999) == "1.00 s");
}

TEST_CASE("numbers: counts have their thousands separated") {
  CHECK(text::count(0) == "0");
  CHECK(text::count(999) == "999");
  CHECK(text::count(1'000) == "1,000");
  CHECK(text::count(1'234'567) == "1,234,567");
  CHECK(text::count(UINT64_MAX) == "18,446,744,073,709,551,615");
}

TEST_CASE("numbers: what is counted stands in the singular only where it is one") {
  CHECK(text::counted(0, "call") == "0 calls");
  CHECK(text::counted(1, "call") == "1 call");
  CHECK(text::counted(1'234, "call") == "1,234 calls");
  CHECK(text::counted(1, "class", "classes") == "1 class");
  CHECK(text::counted(2, "class", "classes") == "2 classes");
}

TEST_CASE("numbers: what is above zero is never shown as zero") {
  CHECK(text::duration(0.2) == "1 ns");
  CHECK(text::short_count(0.2) == "<1");
  CHECK(text::percent(0) == "0 %");
  CHECK(text::percent(0.0001) == "<0.01 %");
  CHECK(text::percent(0.84) == "0.84 %");
  CHECK(text::percent(99.96) == "100 %");
  CHECK(text::percent(1234) == "1234 %");
  CHECK(text::rate(0.001) == "<0.01");
  CHECK(text::rate(12.34) == "12.3");
  CHECK(text::rate(123'456) == "123,456");
  CHECK(text::hotness(0) == "0");
  CHECK(text::hotness(0.2) == "<1");
  CHECK(text::hotness(99.6) == "100");
  CHECK(text::hotness(1e300) == "100");
  CHECK(text::hotness(-1) == "0");
}

TEST_CASE("numbers: short counts, rates with their unit, and bytes") {
  CHECK(text::short_count(0) == "0");
  CHECK(text::short_count(1'740) == "1,740");
  CHECK(text::short_count(23'400) == "23.4k");
  CHECK(text::short_count(1'200'000) == "1.20M");
  CHECK(text::per_second(0.2) == "0.20/s");
  CHECK(text::per_second(11'240) == "11,240/s");
  CHECK(text::bytes(31u << 20) == "31 MiB");
  CHECK(text::bytes(1'536) == "1.5 KiB");
}

TEST_CASE("numbers: a probability is certain only where it is") {
  CHECK(text::probability(1.0 / 3) == "33.3 %");
  CHECK(text::probability(0.00001) == "<0.01 %");
  CHECK(text::probability(0.9999) == "99.9 %");
  CHECK(text::probability(0.99) == "99.0 %");
  CHECK(text::probability(1) == "100 %");
  CHECK(text::probability(0) == "0 %");
}

TEST_CASE("numbers: what is known no better than to a percent, and rates that were set") {
  CHECK(text::whole_percent(49.6) == "50 %");
  CHECK(text::whole_percent(0.2) == "<1 %");
  CHECK(text::whole_percent(0) == "0 %");
  CHECK(text::hertz(99) == "99 Hz");
  CHECK(text::hertz(1'234) == "1,234 Hz");
  CHECK(text::hertz(0.5) == "0.50 Hz");
  CHECK(text::hertz(49.5) == "49.5 Hz");
}

TEST_CASE("numbers: moments have the decimals that their step needs, and become a clock") {
  CHECK(text::moment(2.05e9, 5e7) == "2.05 s");
  CHECK(text::moment(14e9, 2e9) == "14 s");
  CHECK(text::moment(725e9, 1e9) == "12:05");
  CHECK(text::moment(3725e9, 60e9) == "1:02:05");
  CHECK(text::moment(725.25e9, 1e7) == "12:05.25");
  CHECK(text::moment(659.999e9, 1e9) == "11:00");
}

TEST_CASE("numbers: a time of day is that of local clocks, to the second") {
  const std::string one = text::time_of_day(1'790'000'000),
                    next = text::time_of_day(1'790'000'001.9);
  CHECK(one.size() == 8);
  CHECK(one.substr(2, 1) + one.substr(5, 1) == "::");
  CHECK(one.substr(0, 7) == next.substr(0, 7));
  CHECK(next[7] == one[7] + 1);
}
