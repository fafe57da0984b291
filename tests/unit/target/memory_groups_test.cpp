// SPDX-License-Identifier: Apache-2.0
#include "target/memory_groups.h"

#include <doctest/doctest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

using compmond::target::memory_groups;

namespace {

namespace fs = std::filesystem;

// A tree of control groups in a folder of its own.
struct Tree {
  Tree() {
    char name[] = "/tmp/memory_groups.XXXXXX";
    root = ::mkdtemp(name);
  }
  ~Tree() { fs::remove_all(root); }
  void write(const std::string& path, const std::string& text) const {
    fs::create_directories(fs::path(root + path).parent_path());
    std::ofstream(root + path) << text;
  }
  std::string root;
};

const std::string kSecond = "25 21 0:22 / /cg rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n";
const std::string kFirst =
    "30 21 0:28 / /cg/cpu rw - cgroup cgroup rw,cpu\n"
    "31 21 0:29 / /cg/memory rw,relatime shared:9 - cgroup cgroup rw,memory\n";

}  // namespace

TEST_CASE("memory groups: each limited group around a process has its room") {
  const Tree tree;
  tree.write("/cg/a/memory.max", "1000000\n");
  tree.write("/cg/a/memory.high", "max\n");
  tree.write("/cg/a/memory.current", "400000\n");
  tree.write("/cg/a/b/memory.max", "max\n");
  tree.write("/cg/a/b/memory.high", "900000\n");
  tree.write("/cg/a/b/memory.current", "300000\n");
  tree.write("/cg/a/b/c/memory.max", "max\n");
  tree.write("/cg/a/b/c/memory.current", "1000\n");
  const auto found = memory_groups("0::/a/b/c\n", kSecond, tree.root);
  CHECK(found.known);
  REQUIRE(found.limited.size() == 2);
  CHECK(found.limited[0].name == "/a/b");
  CHECK(found.limited[0].room == 600000);
  CHECK(found.limited[1].name == "/a");
  CHECK(found.limited[1].room == 600000);
}

TEST_CASE("memory groups: of files in memory only what is idle and on disk is room") {
  const Tree tree;
  tree.write("/cg/a/memory.max", "1000000\n");
  tree.write("/cg/a/memory.current", "900000\n");
  tree.write("/cg/a/memory.stat",
             "anon 1\nactive_file 400000\ninactive_file 300000\nfile_dirty 50000\n"
             "file_writeback 10000\n");
  CHECK(memory_groups("0::/a\n", kSecond, tree.root).limited.at(0).room == 340000);
  tree.write("/cg/a/memory.current", "1200000\n");
  tree.write("/cg/a/memory.stat", "inactive_file 10\nfile_dirty 50000\n");
  CHECK(memory_groups("0::/a\n", kSecond, tree.root).limited.at(0).room == 0);
}

TEST_CASE("memory groups: the first version has other names, and a number for none") {
  const Tree tree;
  tree.write("/cg/memory/memory.limit_in_bytes", "9223372036854771712\n");
  tree.write("/cg/memory/memory.usage_in_bytes", "5\n");
  tree.write("/cg/memory/x/memory.limit_in_bytes", "8192\n");
  tree.write("/cg/memory/x/memory.usage_in_bytes", "8000\n");
  tree.write("/cg/memory/x/memory.stat", "inactive_file 1\ntotal_inactive_file 4000\n");
  const auto found = memory_groups("4:memory:/x\n3:cpu:/y\n", kFirst, tree.root);
  CHECK(found.known);
  REQUIRE(found.limited.size() == 1);
  CHECK(found.limited[0].room == 4192);
}

TEST_CASE("memory groups: those of another namespace, or not mounted here, are unknown") {
  const Tree tree;
  tree.write("/cg/memory.max", "100\n");
  tree.write("/cg/memory.current", "40\n");
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
