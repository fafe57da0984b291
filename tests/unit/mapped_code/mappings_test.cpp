// SPDX-License-Identifier: Apache-2.0
#include "mapped_code/mappings.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fake_unwinder.h"

using namespace compmond;
using namespace compmond::sampler;
using Lines = std::vector<std::string>;

namespace {

Result<Fd> no_file(pid_t, const target::Mapping& mapping) {
  return fail(Exit::kNoPermission, "cannot open '" + mapping.path + "'", "not allowed");
}

SidebandEvent mapped(uint32_t pid, uint64_t inode, const char* path, uint64_t start = 0x1000) {
  return {1, CodeMapped{.pid = pid,
                        .start = start,
                        .end = start + 0x1000,
                        .offset = 0,
                        .device = 1,
                        .inode = inode,
                        .path = path}};
}

SidebandEvent executed(uint32_t pid, uint64_t time_ns = 1) { return {time_ns, Executed{pid}}; }

struct Scene {
  explicit Scene(bool candidates = false) : mappings(images, perf_maps, unwinder, candidates) {}
  Images images{no_file};
  Fd perf_map;  // of all processes
  PerfMaps perf_maps{[this](pid_t, const Fd&) {
    return Fd(perf_map.valid() ? ::fcntl(perf_map.get(), F_DUPFD_CLOEXEC, 0) : -1);
  }};
  test::FakeUnwinder unwinder;
  Mappings mappings;
  Lines told() { return std::exchange(unwinder.told, {}); }
};

}  // namespace

TEST_CASE("mappings: what other processes map is not told") {
  Scene scene;
  scene.mappings.apply(mapped(7, 3, "/bin/x"));
  scene.mappings.apply(executed(7));
  CHECK_FALSE(scene.mappings.concerns(mapped(7, 3, "/bin/x")));
  CHECK(scene.told().empty());
}

TEST_CASE("mappings: an image is told before the memory that it is mapped to, once") {
  Scene scene;
  scene.mappings.observe(7, {});
  CHECK(scene.mappings.concerns(mapped(7, 3, "/bin/x")));
  scene.mappings.apply(mapped(7, 3, "/bin/x"));
  scene.mappings.apply(mapped(7, 3, "/bin/x", 0x5000));
  CHECK(scene.told() ==
        Lines{"add 3 /bin/x not open", "map 7 1000-2000 0 image 3", "map 7 5000-6000 0 image 3"});
  const auto images = scene.mappings.take_images();
  REQUIRE(images.size() == 1);
  CHECK(images[0]->path == "/bin/x");
  CHECK(scene.mappings.take_images().empty());
}

TEST_CASE("mappings: code of no file belongs to no image") {
  Scene scene;
  scene.mappings.observe(7, {});
  scene.mappings.apply(mapped(7, 0, "//anon"));
  CHECK(scene.told() == Lines{"map 7 1000-2000 0 image 1"});
}

TEST_CASE("mappings: shared memory is no file, whatever it is called") {
  Scene scene;
  scene.mappings.observe(7, {});
  scene.mappings.apply(mapped(7, 3, "/dev/zero (deleted)"));
  scene.mappings.apply(mapped(7, 4, "/SYSV00000000 (deleted)", 0x5000));
  CHECK(scene.told() == Lines{"map 7 1000-2000 0 image 1", "map 7 5000-6000 0 image 1"});
}

TEST_CASE("mappings: code that a process makes is named by its perf map, in an image of its own") {
  Scene scene;
  scene.mappings.observe(7, {});
  scene.perf_map = Fd(::open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
  scene.mappings.name_code(7, 1);
  CHECK(scene.told().empty());  // it has no such code
  scene.mappings.apply(mapped(7, 0, "//anon"));
  scene.mappings.name_code(7, 2);
  CHECK(scene.told() ==
        Lines{"map 7 1000-2000 0 image 1", "add 3 [jit] not open", "name 7 image 3 open"});
  const auto images = scene.mappings.take_images();
  REQUIRE(images.size() == 1);
  CHECK(images[0]->path == "[jit]");
}

TEST_CASE("mappings: a child has its parent's memory, and changes its own") {
  Scene scene;
  scene.mappings.observe(7, {});
  scene.mappings.fork(7, 8);
  scene.mappings.apply(mapped(8, 0, "//anon"));
  CHECK(scene.told() == Lines{"fork 7 8", "map 8 1000-2000 0 image 1"});
}

TEST_CASE("mappings: at an exec the old memory is forgotten, and the new one follows") {
  Scene scene;
  scene.mappings.observe(7, {});
  scene.mappings.apply(executed(7));
  scene.mappings.apply(mapped(7, 0, "//anon"));
  scene.mappings.executed(7);
  CHECK(scene.told() == Lines{"forget 7", "map 7 1000-2000 0 image 1"});
}

TEST_CASE(
    "mappings: of a process that is observed as it executes, what it mapped meanwhile counts") {
  Scene scene(true);
  scene.mappings.apply(mapped(7, 3, "/bin/old"));
  scene.mappings.apply(executed(7));
  scene.mappings.apply(mapped(7, 4, "/bin/new"));
  CHECK(scene.told().empty());
  scene.mappings.executed(7);
  CHECK(scene.told() == Lines{"add 3 /bin/new not open", "map 7 1000-2000 0 image 3"});
  CHECK(scene.mappings.knows(7));
}

TEST_CASE("mappings: a candidate of long ago is none any more") {
  Scene scene(true);
  scene.mappings.apply(executed(0x7fffffff, 10));
  scene.mappings.apply(mapped(0x7fffffff, 0, "//anon"));
  scene.mappings.drop_candidates(1'000'000'011);  // a second later
  scene.mappings.executed(0x7fffffff);  // no process has this number: nothing is found of it
  CHECK(scene.told().empty());
}

TEST_CASE("mappings: a process that ended is forgotten once") {
  Scene scene;
  scene.mappings.observe(7, {});
  scene.mappings.forget(7);
  scene.mappings.forget(7);
  CHECK(scene.told() == Lines{"forget 7"});
}

TEST_CASE("mappings: events that were lost are counted") {
  Scene scene;
  scene.mappings.apply({1, SidebandLost{4}});
  scene.mappings.apply({2, SidebandLost{3}});
  CHECK(scene.mappings.lost() == 7);
}

TEST_CASE(
    "mappings: the code of a running process is read, its program and the kernel's part too") {
  Images images;
  bool program = false, vdso = false;
  for (const sampling::Mapping& one : read_code_of(::getpid(), images)) {
    program |= one.start <= uint64_t(&no_file) && uint64_t(&no_file) < one.end && one.image >= 3;
    vdso |= one.image == sampling::kVdso;
  }
  CHECK(program);
  CHECK(vdso);
  for (const auto* one : images.take_new()) CHECK_MESSAGE(one->file != nullptr, one->path);
}

TEST_CASE("images: a file is one image, by whatever name or device it is mapped") {
  Images images([](pid_t, const target::Mapping&) -> Result<Fd> {
    return Fd(::open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
  });
  const auto first = images.number_of(1, {.device = 1, .inode = 5, .path = "/a"});
  CHECK(first == sampling::kFirstFile);
  CHECK(images.number_of(2, {.device = 1, .inode = 5, .path = "/a"}) == first);
  CHECK(images.number_of(2, {.device = 2, .inode = 5, .path = "/b"}) == first);
  const auto met = images.take_new();
  REQUIRE(met.size() == 1);
  // Stacked file systems map files of others: those that the spec was read from are as stat says.
  struct stat st {};
  REQUIRE(::stat("/proc/self/exe", &st) == 0);
  CHECK(met[0]->device == st.st_dev);
  CHECK(met[0]->inode == st.st_ino);
  CHECK(images.take_new().empty());
}

TEST_CASE("images: one that cannot be opened is noted with the reason") {
  Images images(no_file);
  for (uint64_t inode = 1; inode <= 20; ++inode)
    images.number_of(1, {.device = 1, .inode = inode, .path = "/secret"});
  const auto notes = images.notes();
  REQUIRE(notes.size() == 9);
  CHECK(notes[0].find("/secret") != std::string::npos);
  CHECK(notes[0].find("not allowed") != std::string::npos);
  CHECK(notes[8] == "12 more files likewise");
}
