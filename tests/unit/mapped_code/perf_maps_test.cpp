// SPDX-License-Identifier: Apache-2.0
#include "mapped_code/perf_maps.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ctime>
#include <filesystem>
#include <fstream>

using namespace compmond;
using namespace compmond::sampler;

namespace {

constexpr uint64_t kSecond = 1'000'000'000;

// A folder in the place of /tmp, for a process 7 of ours.
struct Tmp {
  std::filesystem::path path;
  Fd folder;
  target::Identity process{.user = ::geteuid(), .own_pid = 7, .namespaces = 1};

  Tmp() {
    std::string made = (std::filesystem::temp_directory_path() / "compmond-XXXXXX").string();
    REQUIRE(::mkdtemp(made.data()));
    path = made;
    folder = Fd(::open(made.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  }
  ~Tmp() { std::filesystem::remove_all(path); }
  std::filesystem::path map() const { return path / "perf-7.map"; }
  void write(const std::filesystem::path& to) const { std::ofstream(to) << "1000 10 one\n"; }
  Result<Fd> open(int64_t began_s = 0) const {
    return open_perf_map(folder.get(), process, began_s);
  }
  std::string refused(int64_t began_s = 0) const {
    const auto file = open(began_s);
    REQUIRE_FALSE(file.has_value());
    return file.error().text();
  }
};

}  // namespace

TEST_CASE("perf maps: a regular file of the process's owner is opened") {
  const Tmp tmp;
  auto none = tmp.open();
  REQUIRE(none.has_value());
  CHECK_FALSE(none->valid());
  tmp.write(tmp.map());
  auto file = tmp.open(std::time(nullptr));
  REQUIRE(file.has_value());
  char first = 0;
  CHECK(::pread(file->get(), &first, 1, 0) == 1);
  CHECK(first == '1');
}

TEST_CASE("perf maps: one of somebody else is refused") {
  Tmp tmp;
  tmp.write(tmp.map());
  tmp.process.user += 1;
  CHECK(tmp.refused().find("belongs to user") != std::string::npos);
}

TEST_CASE("perf maps: one from before the process is refused") {
  const Tmp tmp;
  tmp.write(tmp.map());
  CHECK(tmp.refused(std::time(nullptr) + 3600).find("older") != std::string::npos);
}

TEST_CASE("perf maps: links are refused, whatever they lead to") {
  const Tmp tmp;
  tmp.write(tmp.path / "other");
  SUBCASE("symbolic") { std::filesystem::create_symlink("other", tmp.map()); }
  SUBCASE("symbolic, absolute") { std::filesystem::create_symlink("/etc/passwd", tmp.map()); }
  SUBCASE("hard") { std::filesystem::create_hard_link(tmp.path / "other", tmp.map()); }
  CHECK(tmp.refused().find("perf-7.map") != std::string::npos);
}

TEST_CASE("perf maps: what is no file is refused, and nothing waits for it") {
  const Tmp tmp;
  SUBCASE("fifo") { REQUIRE(::mkfifo(tmp.map().c_str(), 0600) == 0); }
  SUBCASE("folder") { std::filesystem::create_directory(tmp.map()); }
  CHECK(tmp.refused().find("no file") != std::string::npos);
}

TEST_CASE("perf maps: the folder of a process is the one that it sees") {
  const Fd mine = open_tmp_of(::getpid());
  REQUIRE(mine.valid());
  struct stat its {
  }, ours{};
  REQUIRE(::fstat(mine.get(), &its) == 0);
  REQUIRE(::stat("/tmp", &ours) == 0);
  CHECK(its.st_ino == ours.st_ino);
  CHECK_FALSE(open_tmp_of(1 << 30).valid());
}

TEST_CASE("perf maps: only processes that make code are looked at, once a second at most") {
  const Tmp tmp;
  int looked = 0;
  PerfMaps maps([&](pid_t, const Fd&) {
    ++looked;
    return tmp.open();
  });
  CHECK_FALSE(maps.look(7, kSecond).valid());
  CHECK(looked == 0);
  maps.makes_code(7);
  CHECK_FALSE(maps.look(7, kSecond).valid());
  tmp.write(tmp.map());
  CHECK_FALSE(maps.look(7, kSecond + kSecond / 2).valid());
  CHECK(looked == 1);
  CHECK(maps.look(7, 2 * kSecond).valid());
  CHECK_FALSE(maps.look(7, 4 * kSecond).valid());  // the same
  std::filesystem::rename(tmp.map(), tmp.path / "former");
  tmp.write(tmp.map());
  CHECK(maps.look(7, 6 * kSecond).valid());
  CHECK(maps.notes().empty());
}

TEST_CASE("perf maps: a child may have its own, another program makes no code yet") {
  const Tmp tmp;
  tmp.write(tmp.map());
  PerfMaps maps([&](pid_t, const Fd&) { return tmp.open(); });
  maps.makes_code(7);
  maps.fork(7, 8);
  CHECK(maps.look(8, kSecond).valid());
  maps.executed(8);
  CHECK_FALSE(maps.look(8, 3 * kSecond).valid());
  maps.makes_code(8);
  CHECK(maps.look(8, 3 * kSecond).valid());
  maps.forget(7);
  CHECK_FALSE(maps.look(7, 3 * kSecond).valid());
}

TEST_CASE("perf maps: what is refused is told once per process, and not without end") {
  Tmp tmp;
  tmp.process.user += 1;
  tmp.write(tmp.map());
  PerfMaps maps([&](pid_t, const Fd&) { return tmp.open(); });
  for (uint32_t pid = 1; pid <= 30; ++pid) {
    maps.makes_code(pid);
    for (uint64_t at = 1; at < 5; ++at) CHECK_FALSE(maps.look(pid, at * 2 * kSecond).valid());
  }
  const auto notes = maps.notes();
  CHECK(notes.size() == 9);
  CHECK(notes.back() == "22 more perf maps likewise");
}
