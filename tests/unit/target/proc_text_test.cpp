// SPDX-License-Identifier: Apache-2.0
#include "target/proc_text.h"

#include <doctest/doctest.h>
#include <signal.h>
#include <sys/sysmacros.h>

using namespace compmond::target;

namespace {

// The fields behind the name, from the parent on, with the start time as the 22nd of all.
const std::string kRest =
    " 7 100 100 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 123456 1000 200 18446744073709551615\n";

}  // namespace

TEST_CASE("stat: names may contain spaces, parentheses and newlines") {
  for (const std::string name : {"cat", "a) S 1 (b", "((", "))", "x y", "new\nline", ""}) {
    INFO(name);
    const auto stat = parse_stat("42 (" + name + ") S" + kRest);
    REQUIRE(stat.has_value());
    CHECK(stat->name == name);
    CHECK(stat->state == 'S');
    CHECK(stat->parent == 7);
    CHECK(stat->start_ticks == 123456);
    CHECK_FALSE(stat->is_kernel_thread());
  }
}

TEST_CASE("stat: kernel threads carry a flag") {
  const auto stat =
      parse_stat("2 (kthreadd) S 0 0 0 0 -1 2129984 0 0 0 0 0 0 0 0 20 0 1 0 5 0 0\n");
  REQUIRE(stat.has_value());
  CHECK(stat->is_kernel_thread());
}

TEST_CASE("stat: malformed text gives nothing") {
  for (const std::string text :
       {"", "42", "42 (cat", "42 cat) S", "42 )cat( S", "42 (cat)", "42 (cat) S", "42 (cat) SS 1",
        "42 (cat) S x 1 1 0 -1 1 1 1 1 1 1 1 1 1 20 0 1 0 5 0 0"}) {
    INFO(text);
    CHECK_FALSE(parse_stat(text).has_value());
  }
}

TEST_CASE("status: who a process is to others and to itself") {
  const auto plain =
      parse_identity("Name:\tUid:\nUid:\t1000\t1001\t1002\t1003\nGid:\t1\nNSpid:\t42\n");
  REQUIRE(plain.has_value());
  CHECK(plain->user == 1001);
  CHECK(plain->own_pid == 42);
  CHECK(plain->namespaces == 1);
  const auto inside = parse_identity("Uid:\t0\t0\t0\t0\nNSpid:\t4242\t17\t1\n");
  REQUIRE(inside.has_value());
  CHECK(inside->own_pid == 1);
  CHECK(inside->namespaces == 3);
  for (const char* text :
       {"", "Uid:\t0\t0\t0\t0\n", "NSpid:\t1\n", "Uid:\t0\nNSpid:\t1\n", "Uid:\t0\tx\nNSpid:\t1\n",
        "Uid:\t0\t0\nNSpid:\t\n", "Uid:\t0\t0\nNSpid:\t1\tx\n", "Uid:\t0\t-1\nNSpid:\t1\n"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_identity(text).has_value());
  }
}

TEST_CASE("maps: a line of a mapped file is taken apart") {
  const auto mapping = parse_mapping(
      "7f00a000-7f00b000 r-xp 00003000 fe:10 4242                       /usr/lib/libc.so.6");
  REQUIRE(mapping.has_value());
  CHECK(mapping->start == 0x7f00a000);
  CHECK(mapping->end == 0x7f00b000);
  CHECK(mapping->offset == 0x3000);
  CHECK(mapping->executable);
  CHECK(mapping->device == makedev(0xfe, 0x10));
  CHECK(mapping->inode == 4242);
  CHECK(mapping->path == "/usr/lib/libc.so.6");
  CHECK_FALSE(mapping->deleted);
}

TEST_CASE("maps: paths may contain spaces, escaped newlines and backslashes, and be deleted") {
  const auto path = [](const std::string& text) {
    const auto mapping = parse_mapping("1000-2000 r--p 00000000 08:01 7    " + text);
    REQUIRE(mapping.has_value());
    return mapping->path + (mapping->deleted ? "|deleted" : "");
  };
  CHECK(path("/a b/c  d") == "/a b/c  d");
  CHECK(path("/a\\012b") == "/a\nb");
  CHECK(path("/a\\x\\") == "/a\\x\\");
  CHECK(path("/gone (deleted)") == "/gone|deleted");
  CHECK(path("/gone (deleted) (deleted)") == "/gone (deleted)|deleted");
}

TEST_CASE("maps: what maps no file, and malformed lines, give nothing") {
  for (const std::string line :
       {"", "1000-2000 r-xp 00000000 00:00 0 ", "1000-2000 r-xp 00000000 00:00 0     [vdso]",
        "1000-2000 rw-p 00000000 00:0e 12  anon_inode:[perf_event]", "1000 r-xp 0 08:01 7 /a",
        "1000-2000 r-x 0 08:01 7 /a", "1000-2000 r-xp 0 0801 7 /a", "1000-2000 r-xp 0 08:01 -7 /a",
        "x-2000 r-xp 0 08:01 7 /a", "1000-2000 r-xp 0 08:01 7"}) {
    INFO(line);
    CHECK_FALSE(parse_mapping(line).has_value());
  }
  CHECK(parse_maps("1000-2000 r-xp 00000000 00:00 0 [vdso]\n1000-2000 r-xp 0 08:01 7 "
                   "/a\ngarbage\n1000-2000 rw-p 0 08:01 8 /b")
            .size() == 2);
}

TEST_CASE("maps: all code is found, also that of no file, and no data") {
  const auto code = parse_code_maps(
      "1000-2000 r--p 00000000 08:01 5 /bin/x\n"
      "2000-3000 r-xp 00001000 08:01 5 /bin/x (deleted)\n"
      "5000-6000 rwxp 00000000 00:00 0\n"
      "7000-8000 r-xp 00000000 00:00 0                          [vdso]\n"
      "nonsense r-xp\n");
  REQUIRE(code.size() == 3);
  CHECK(code[0].path == "/bin/x");
  CHECK(code[0].deleted);
  CHECK(code[0].inode == 5);
  CHECK(code[1].path.empty());
  CHECK(code[1].inode == 0);
  CHECK(code[2].path == "[vdso]");
  CHECK(code[2].start == 0x7000);
}

TEST_CASE("proc text: who traces a process stands in its status") {
  CHECK(parse_tracer("Name:\tTracerPid:\nTracerPid:\t4711\nUid:\t0\n") == 4711);
  CHECK(parse_tracer("Name:\tx\nTracerPid:\t0\n") == 0);
  CHECK(parse_tracer("Name:\tx\n") == 0);
  CHECK(parse_tracer("TracerPid:\t-\n") == 0);
}

TEST_CASE("proc text: whether a process filters its system calls stands in its status") {
  CHECK(parse_seccomp("Name:\tx\nSeccomp:\t2\nSeccomp_filters:\t1\n") == 2);
  CHECK(parse_seccomp("Name:\tx\nSeccomp:\t0\nSeccomp_filters:\t0\n") == 0);
  CHECK(parse_seccomp("Name:\tx\n") == 0);
}

TEST_CASE("proc text: which signals have a handler stands in a process's status") {
  const char* status = "SigIgn:\t0000000000000010\nSigCgt:\t0000000000000011\n";
  CHECK(handles_signal(status, SIGTRAP));
  CHECK(handles_signal(status, SIGHUP));
  CHECK(!handles_signal(status, SIGINT));
  CHECK(!handles_signal("SigIgn:\t0000000000000010\n", SIGTRAP));
  CHECK(!handles_signal("SigCgt:\t-\n", SIGTRAP));
}

TEST_CASE("proc text: a mapping may be shared") {
  CHECK(maps_shared("1000-2000 r-xs 00000000 08:01 7 /a"));
  CHECK(!maps_shared("1000-2000 r-xp 00000000 08:01 7 /s"));
  CHECK(!maps_shared("1000-2000"));
}
