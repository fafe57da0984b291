// SPDX-License-Identifier: Apache-2.0
#include "intact/site.h"

#include <doctest/doctest.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace compmond;
using intact::compare;
using intact::Found;
using intact::Site;
using namespace std::string_literals;

namespace {

// endbr64, push %rbp at its end; the probe is at the push.
const Site kMoved{0x1000, "\xf3\x0f\x1e\xfa\x55"s, 4, false};
const Site kNop{0x1000, "\x0f\x1f\x44\x00\x00"s, 0, false};
const Site kWritten{0x1000, "\x55\x48\x89\xe5\x90"s, 0, true};
const std::vector<intact::Range> kTrampolines{{0x7000, 0x8000}};

Found found(const Site& site, const std::string& memory) {
  return compare(site, memory, 0x5000, kTrampolines);
}

}  // namespace

TEST_CASE("site: memory as the file is told from a breakpoint and from anything else") {
  CHECK(found(kMoved, kMoved.bytes) == Found::kAsFile);
  CHECK(found(kMoved, "\xf3\x0f\x1e\xfa\xcc"s) == Found::kProbed);
  CHECK(found(kMoved, "\xcc\x0f\x1e\xfa\x55"s) == Found::kAsFile);  // somebody else's
  CHECK(found(kMoved, "\xe9\x01\x02\x03\x04"s) == Found::kOther);
  CHECK(found(kMoved, "\xeb\x03\x1e\xfa\xcc"s) == Found::kOther);
  CHECK(found(kMoved, "\xf3"s) == Found::kUnknown);
}

TEST_CASE(
    "site: a 5-byte nop that calls the kernel's code for probes is probed, another call is not") {
  CHECK(found(kNop, "\xe8\xfb\x1f\x00\x00"s) == Found::kProbed);  // 0x5005 + 0x1ffb
  CHECK(found(kNop, "\xe8\xfb\x2f\x00\x00"s) == Found::kOther);
  CHECK(found(kNop, "\xcc\x1f\x44\x00\x00"s) == Found::kProbed);
  CHECK(found(kNop, "\xcc\xfb\x1f\x00\x00"s) == Found::kProbed);  // on its way to one
}

TEST_CASE("site: where code was written over it stands as long as it is not the file's again") {
  CHECK(found(kWritten, "\xe9\x01\x02\x03\x04"s) == Found::kProbed);
  CHECK(found(kWritten, "\xeb\x10\x89\xe5\x90"s) == Found::kProbed);
  CHECK(found(kWritten, kWritten.bytes) == Found::kAsFile);
  CHECK(found(kWritten, "\xe9"s) == Found::kUnknown);
}

TEST_CASE("site: a function's are its bytes up to the entry's instruction, and each exit's") {
  const Fd file(::memfd_create("code", MFD_CLOEXEC));
  const std::string code = "\xf3\x0f\x1e\xfa\x55\x48\x89\xe5\x5d\xc3"s;
  REQUIRE(::pwrite(file.get(), code.data(), code.size(), 0) == ssize_t(code.size()));
  plan::Way way;
  way.entry_offset = 5;
  way.moved_by = 5;
  way.exits.push_back({9});
  way.exit = spec::ExitMode::kRetSites;
  const auto sites = intact::sites_of(way, file);
  REQUIRE(sites.size() == 2);
  CHECK(sites[0].offset == 0);
  CHECK(sites[0].probe_at == 5);
  CHECK(sites[0].bytes == code.substr(0, 8));  // up to the end of mov %rsp,%rbp
  CHECK(sites[1].offset == 9);
  CHECK(sites[1].bytes == "\xc3"s);
  way.patches.push_back({.kind = "first", .offset = 4});
  const auto written = intact::sites_of(way, file);
  REQUIRE(written.size() == 1);
  CHECK(written[0].written);
  CHECK(written[0].bytes == code.substr(4, 5));
  way.refused = true;
  CHECK(intact::sites_of(way, file).empty());
}
