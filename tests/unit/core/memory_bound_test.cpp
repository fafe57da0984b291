// SPDX-License-Identifier: Apache-2.0
#include "core/memory_bound.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "core/limits.h"

using namespace compmond;
namespace fs = std::filesystem;

namespace {

// Control groups as the kernel shows them.
struct Groups {
  Groups() {
    std::string name = fs::temp_directory_path() / "compmond-XXXXXX";
    root = ::mkdtemp(name.data());
  }
  ~Groups() { fs::remove_all(root); }
  void put(const std::string& path, const std::string& text) const {
    fs::create_directories((root / path).parent_path());
    std::ofstream(root / path) << text << "\n";
  }
  size_t memory(const std::string& of) const {
    put("mine", of);
    return group_memory((root / "mine").c_str(), root.c_str());
  }
  fs::path root;
};

}  // namespace

TEST_CASE("memory bound: of the groups around a process the narrowest counts") {
  const Groups groups;
  groups.put("memory.max", "max");
  groups.put("a/memory.max", "1000");
  groups.put("a/b/memory.max", "2000");
  groups.put("a/c/memory.max", "max");
  CHECK(groups.memory("0::/") == SIZE_MAX);
  CHECK(groups.memory("0::/a/b") == 1000);
  CHECK(groups.memory("0::/a/c") == 1000);
  CHECK(groups.memory("0::/gone/there") == SIZE_MAX);
}

TEST_CASE("memory bound: groups of the first version are asked where memory is theirs") {
  const Groups groups;
  groups.put("memory/a/memory.limit_in_bytes", "3000");
  CHECK(groups.memory("5:cpu:/a\n4:memory:/a/b\n0::/") == 3000);
  CHECK(groups.memory("5:cpu:/a\n4:cpuset,memory:/a\n") == 3000);
  CHECK(groups.memory("5:cpu:/a\nnonsense\n") == SIZE_MAX);
}

TEST_CASE("memory bound: what the process has counts, what it maps of files does not") {
  CHECK(MemoryBound(1).reached());
  CHECK_FALSE(MemoryBound(SIZE_MAX).reached());
  const MemoryBound bound(256u << 20);
  REQUIRE_FALSE(bound.reached());
  const std::vector<char> taken(256u << 20, 'x');
  CHECK(bound.reached());
  CHECK(taken.back() == 'x');
}

TEST_CASE("memory bound: logs get no more than there is, and what was asked for beside it") {
  CHECK(MemoryBound::of_machine().bytes() <= limits::kLogMemoryBytes);
  CHECK(MemoryBound::of_machine(5).bytes() == MemoryBound::of_machine().bytes() + 5);
}
