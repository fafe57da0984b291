// SPDX-License-Identifier: Apache-2.0
#include "core/memory_groups.h"

#include <doctest/doctest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <map>

using compmond::memory_groups;

namespace {

namespace fs = std::filesystem;

// A tree of control groups in a folder of its own.
struct Tree {
  Tree() {
    char name[] = "/tmp/memory_groups.XXXXXX";
    root = ::mkdtemp(name);
  }
  ~Tree() { fs::remove_all(root); }
  // A group's files, "memory." left out of their names.
  void put(const std::string& group, const std::map<std::string, std::string>& files) const {
    fs::create_directories(root + group);
    for (const auto& [name, text] : files)
      std::ofstream(root + group + "/memory." + name) << text << "\n";
  }
  std::string root;
};

const std::string kSecond = "25 21 0:22 / /cg rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n";
const std::string kFirst =
    "30 21 0:28 / /cg/cpu rw - cgroup cgroup rw,cpu\n"
    "31 21 0:29 / /cg/memory rw,relatime shared:9 - cgroup cgroup rw,cpuset,memory\n";

}  // namespace

TEST_CASE("memory groups: each limited group around a process has its limit and its room") {
  const Tree tree;
  tree.put("/cg/a", {{"max", "1000000"}, {"high", "max"}, {"current", "400000"}});
  tree.put("/cg/a/b", {{"max", "max"}, {"high", "900000"}, {"current", "300000"}});
  tree.put("/cg/a/b/c", {{"max", "max"}, {"current", "1000"}});
  const auto found = memory_groups("0::/a/b/c\n", kSecond, tree.root);
  CHECK(found.known);
  REQUIRE(found.limited.size() == 2);
  CHECK(found.limited[0].name == "/a/b");
  CHECK(found.limited[0].limit == 900000);
  CHECK(found.limited[0].room == 600000);
  CHECK(found.limited[1].name == "/a");
  CHECK(found.limited[1].limit == 1000000);
  CHECK(found.limited[1].room == 600000);
}

TEST_CASE("memory groups: of the groups around a process the narrowest limit counts") {
  const Tree tree;
  tree.put("/cg", {{"max", "max"}});
  tree.put("/cg/a", {{"max", "1000"}});
  tree.put("/cg/a/b", {{"max", "2000"}});
  tree.put("/cg/a/c", {{"max", "max"}});
  const auto least_around = [&](const std::string& path) {
    return memory_groups("0::" + path + "\n", kSecond, tree.root).least_limit();
  };
  CHECK(least_around("/") == UINT64_MAX);
  CHECK(least_around("/a/b") == 1000);
  CHECK(least_around("/a/c") == 1000);
  CHECK(least_around("/gone/there") == UINT64_MAX);
}

TEST_CASE("memory groups: of files in memory only what is idle and on disk is room") {
  const Tree tree;
  tree.put("/cg/a", {{"max", "1000000"},
                     {"current", "900000"},
                     {"stat",
                      "anon 1\nactive_file 400000\ninactive_file 300000\nfile_dirty 50000\n"
                      "file_writeback 10000"}});
  CHECK(memory_groups("0::/a\n", kSecond, tree.root).limited.at(0).room == 340000);
  tree.put("/cg/a", {{"current", "1200000"}, {"stat", "inactive_file 10\nfile_dirty 50000"}});
  CHECK(memory_groups("0::/a\n", kSecond, tree.root).limited.at(0).room == 0);
}

TEST_CASE("memory groups: the first version has other names, and a number for none") {
  const Tree tree;
  const std::string none = "9223372036854771712";
  tree.put("/cg/memory", {{"limit_in_bytes", none}, {"usage_in_bytes", "5"}});
  tree.put("/cg/memory/x", {{"limit_in_bytes", "8192"},
                            {"usage_in_bytes", "8000"},
                            {"stat", "inactive_file 1\ntotal_inactive_file 4000"}});
  for (const char* groups : {"4:memory:/x\n3:cpu:/y\n", "5:cpuset,memory:/x\n"}) {
    const auto found = memory_groups(groups, kFirst, tree.root);
    CHECK(found.known);
    REQUIRE(found.limited.size() == 1);
    CHECK(found.limited[0].limit == 8192);
    CHECK(found.limited[0].room == 4192);
  }
  CHECK(memory_groups("5:cpu:/x\nnonsense\n", kFirst, tree.root).limited.empty());
}

TEST_CASE("memory groups: those of another namespace, or not mounted here, are unknown") {
  const Tree tree;
  tree.put("/cg", {{"max", "100"}, {"current", "40"}});
  CHECK_FALSE(memory_groups("0::/../other\n", kSecond, tree.root).known);
  CHECK_FALSE(memory_groups("0::/gone\n", kSecond, tree.root).known);
  CHECK_FALSE(memory_groups("4:memory:/x\n", kSecond, tree.root).known);
  const std::string part = "25 21 0:22 /box /cg rw - cgroup2 cgroup2 rw\n";
  CHECK_FALSE(memory_groups("0::/else\n", part, tree.root).known);
  const auto own = memory_groups("0::/box\n", part, tree.root);
  CHECK(own.known);
  REQUIRE(own.limited.size() == 1);
  CHECK(own.limited[0].room == 60);
}

TEST_CASE("memory groups: a process that is gone is in none") {
  compmond::MemoryGroupsNow now;
  CHECK_FALSE(now.of("0"));
  CHECK(now.of("self"));
  CHECK(now.of("self") == now.of(std::to_string(::getpid())));
}

TEST_CASE("memory groups: the machine has what it calls available, without its swap space") {
  const Tree tree;
  CHECK_FALSE(compmond::memory_of_machine(tree.root));
  fs::create_directories(tree.root + "/proc");
  std::ofstream(tree.root + "/proc/meminfo") << "MemTotal:  8000 kB\nMemFree: 10 kB\n"
                                                "MemAvailable:  3000 kB\nSwapFree: 9000 kB\n";
  const auto machine = compmond::memory_of_machine(tree.root);
  REQUIRE(machine);
  CHECK(machine->limit == 8000 * 1024);
  CHECK(machine->room == 3000 * 1024);
  CHECK(machine->text() == "the machine");
}
