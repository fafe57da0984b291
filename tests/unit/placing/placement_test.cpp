// SPDX-License-Identifier: Apache-2.0
#include "placing/placement.h"

#include <doctest/doctest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <thread>

#include "scene.h"

using namespace compmond;
using namespace compmond::run::test;
using Program = run::Placement::Program;

TEST_CASE("placement: all is placed once for all processes, by the engine tried first") {
  Scene scene;
  REQUIRE(scene.placement.place(Program::kAsOthers));
  CHECK(scene.first.placed() == Places{{0, 0}, {0, 1}});
  CHECK(scene.second.placed().empty());
  scene.placement.remove({});
  CHECK(scene.first.placed().empty());
}

TEST_CASE("placement: what the first engine refuses is placed by the next, with its reason kept") {
  Scene scene;
  scene.first.refuses[{0, 1}] = "an odd place";
  REQUIRE(scene.placement.place(Program::kAsOthers));
  CHECK(scene.first.placed() == Places{{0, 0}});
  CHECK(scene.second.placed() == Places{{0, 1}});
  CHECK(plan::way_of(scene.plan, scene.states, 1).engine == "second");
  CHECK(scene.states[1].reason == "not by first: an odd place");
  CHECK(scene.states[0].reason.empty());
}

TEST_CASE("placement: what all engines refuse is refused, with both reasons") {
  Scene scene;
  scene.first.refuses[{0, 1}] = "an odd place";
  scene.second.refuses[{0, 1}] = "no room";
  REQUIRE(scene.placement.place(Program::kAsOthers));
  CHECK(scene.states[1].refused());
  CHECK(scene.states[1].reason == "not by first: an odd place; not by second: no room");
  CHECK(scene.states.observed() == 1);
  CHECK(scene.second.placed().empty());
}

TEST_CASE("placement: an engine that took an operation keeps it, whatever comes") {
  Scene scene;
  REQUIRE(scene.placement.place(Program::kAsOthers));
  scene.placement.remove({});
  scene.first.refuses[{0, 1}] = "the file is gone";
  REQUIRE(scene.placement.place(Program::kAsOthers));
  CHECK(scene.states[1].refused());
  CHECK(scene.states[1].reason == "the file is gone");
  CHECK(scene.second.placed().empty());
}

TEST_CASE("placement: where nothing can be placed in processes one note says what observes them") {
  Scene scene(2, two_processes());
  scene.first.by_process = scene.first.refuses_wholly = true;
  for (const pid_t pid : {1001, 1002})
    for (const size_t i : {size_t(0), size_t(1)}) scene.first.refuses[{pid, i}] = "it is held";
  REQUIRE(scene.placement.place(Program::kAsOthers));
  CHECK(scene.second.placed() == Places{{0, 0}, {0, 1}});
  REQUIRE(scene.placement.notes().size() == 1);
  CHECK(scene.placement.notes()[0] ==
        "process 1001 cannot be patched: it is held; 2 operations are observed by second instead");
  CHECK(scene.notes.all().empty());
}

TEST_CASE("placement: those in which nothing can be placed while others are seen are one note") {
  Scene scene(2, two_processes());
  scene.first.by_process = true;
  REQUIRE(scene.placement.place(Program::kAsOthers));
  scene.first.refuses_wholly = true;
  for (const pid_t pid : {1003, 1004}) {
    for (const size_t i : {size_t(0), size_t(1)}) scene.first.refuses[{pid, i}] = "it is held";
    scene.placement.place_in_newcomer(pid);
  }
  REQUIRE(scene.placement.notes().size() == 1);
  CHECK(scene.placement.notes()[0] ==
        "process 1003 and 1 other cannot be patched: it is held; 2 operations are not observed "
        "there");
}

TEST_CASE("placement: a program of strangers is placed in, process by process, also in newcomers") {
  Scene scene(1, two_processes());
  scene.run_by_strangers();
  std::vector<size_t> steps;
  REQUIRE(scene.placement.place(Program::kAsOthers, [&](size_t done, size_t of) {
    steps.insert(steps.end(), {done, of});
  }));
  CHECK(steps == std::vector<size_t>{0, 2, 1, 2});
  CHECK(scene.first.placed() == Places{{1001, 0}, {1002, 0}});
  scene.placement.place_in_newcomer(1003);
  CHECK(scene.first.placed() == Places{{1001, 0}, {1002, 0}, {1003, 0}});
  REQUIRE(scene.notes.all().size() == 1);
  CHECK(scene.notes.all()[0].starts_with("process 1003 came while observing"));
}

TEST_CASE(
    "placement: a library whose probes would harm strangers is placed in process by process") {
  Scene scene(2, two_processes());
  scene.plan.images[0].main = true;
  scene.plan.images.emplace_back().path = "/lib/libx.so";
  scene.plan.operations[1].image = 1;
  scene.first.harms_strangers = true;
  REQUIRE(scene.placement.place(Program::kAsOthers));
  CHECK(scene.first.placed() == Places{{0, 0}, {1001, 1}, {1002, 1}});
  scene.placement.place_in_newcomer(1003);
  CHECK(scene.first.placed() == Places{{0, 0}, {1001, 1}, {1002, 1}, {1003, 1}});
  CHECK(scene.notes.all().size() == 1);
}

TEST_CASE("placement: newcomers that were over before probes hung in them are counted in a note") {
  Scene scene(1, two_processes());
  scene.run_by_strangers();
  scene.processes.add_ended(1003, "p");
  CHECK(scene.placement.notes().empty());  // nothing is placed process by process yet
  REQUIRE(scene.placement.place(Program::kAsOthers));
  scene.processes.add_ended(1003, "p");  // known
  REQUIRE(scene.placement.notes().size() == 1);
  CHECK(scene.placement.notes()[0].starts_with("a process came"));
  scene.processes.on_end(1004, "p", 1, true);
  REQUIRE(scene.placement.notes().size() == 1);
  CHECK(scene.placement.notes()[0].starts_with("2 processes came"));
}

TEST_CASE(
    "placement: newcomers that were over before they were looked at are a note, with patches, "
    "too") {
  Scene scene(1, two_processes());
  scene.first.by_process = true;
  REQUIRE(scene.placement.place(Program::kAsOthers));
  scene.first.gone = {1003};
  scene.placement.place_in_newcomer(1003);
  REQUIRE(scene.placement.notes().size() == 1);
  CHECK(scene.placement.notes()[0] ==
        "a process ended before anybody could look at it: its calls into /bin/app are counted "
        "where a patched one forked it, and may be missing else");
  CHECK_FALSE(scene.states[0].unseen.empty());
}

TEST_CASE("placement: where all is placed once for all processes, none of them is missed") {
  Scene scene(1, two_processes());
  REQUIRE(scene.placement.place(Program::kAsOthers));
  scene.processes.add_ended(1003, "p");
  CHECK(scene.placement.notes().empty());
}

TEST_CASE("placement: what is refused in one process of several is noted, and observed elsewhere") {
  Scene scene(1, two_processes());
  scene.run_by_strangers();
  scene.first.refuses[{1002, 0}] = "not mapped";
  REQUIRE(scene.placement.place(Program::kAsOthers));
  CHECK(scene.first.placed() == Places{{1001, 0}});
  CHECK(scene.second.placed().empty());
  CHECK_FALSE(scene.states[0].refused());
  CHECK(scene.notes.all() ==
        std::vector<std::string>{"f0 is not observed in process 1002: not mapped"});
}

TEST_CASE(
    "placement: a library's operation that every process refuses is refused, though others hang") {
  Scene scene(2, two_processes());
  scene.run_by_strangers();
  scene.plan.images.push_back(scene.plan.images[0]);
  scene.plan.operations[1].image = 1;
  for (Fake* engine : {&scene.first, &scene.second})
    for (const pid_t pid : {1001, 1002}) engine->refuses[{pid, 1}] = "not mapped";
  REQUIRE(scene.placement.place(Program::kAsOthers));
  CHECK(scene.first.placed() == Places{{1001, 0}, {1002, 0}});
  CHECK_FALSE(scene.states[0].refused());
  CHECK(scene.states[1].refused());
  CHECK(scene.states[1].reason.find("not mapped") != std::string::npos);
}

TEST_CASE("placement: the probes of an ended process go away, those of others stay") {
  auto list = two_processes();
  list[1].alive = false;
  Scene scene(1, std::move(list));
  scene.run_by_strangers();
  REQUIRE(scene.placement.place(Program::kAsOthers));
  scene.placement.let_go_of_ended();
  while (scene.first.placed().size() > 1) std::this_thread::yield();
  CHECK(scene.first.placed() == Places{{1001, 0}});
}

TEST_CASE("placement: what hangs together goes together, and is told") {
  Scene scene(3);
  const std::vector<size_t> one{1}, others{0, 2}, all{0, 1, 2};
  REQUIRE(scene.placement.place(Program::kAsOthers));
  CHECK(scene.placement.hang_with(one).empty());
  scene.placement.take_away(one);
  CHECK(scene.first.placed() == Places{{0, 0}, {0, 2}});
  REQUIRE(scene.placement.bring_back(one));
  CHECK(scene.first.placed() == Places{{0, 0}, {0, 1}, {0, 2}});
  scene.placement.take_away(all);
  REQUIRE(scene.placement.bring_back(all, plan::See::kCalls, run::Placement::Hang::kTogether));
  CHECK(scene.placement.hang_with(one) == others);
  scene.placement.take_away(one);
  CHECK(scene.first.placed().empty());
}

TEST_CASE("placement: what is brought back is hung in every process of a program of strangers") {
  Scene scene(2, two_processes());
  scene.run_by_strangers();
  REQUIRE(scene.placement.place(Program::kAsOthers));
  const std::vector<size_t> one{1};
  CHECK(scene.placement.hang_with(one) == std::vector<size_t>{0});
  scene.placement.take_away(one);
  CHECK(scene.first.placed().empty());
  REQUIRE(scene.placement.bring_back(one));
  CHECK(scene.first.placed() == Places{{1001, 1}, {1002, 1}});
}

TEST_CASE("placement: what must see every call hangs apart from the others") {
  Scene scene(3);
  run::Placement placement{scene.plan,      scene.states, scene.captures,
                           scene.processes, scene.notes,  {false, true, false}};
  const std::vector<size_t> one{0}, all{0, 1, 2};
  REQUIRE(placement.bring_back(all, plan::See::kCalls, run::Placement::Hang::kTogether));
  CHECK(placement.hang_with(one) == std::vector<size_t>{2});
  placement.take_away(one);
  CHECK(scene.first.placed() == Places{{0, 1}});
}

TEST_CASE("placement: what is paused or refused is not placed") {
  Scene scene(3);
  scene.states.pause(0, 1, "too dear");
  scene.states.refuse(1, "odd");
  REQUIRE(scene.placement.place(Program::kAsOthers));
  CHECK(scene.first.placed() == Places{{0, 2}});
}

TEST_CASE(
    "placement: what is written into processes is there in each, beside what hangs once for all") {
  Scene scene(3, two_processes());
  scene.first.by_process = true;
  scene.first.refuses[{0, 1}] = "it is not patched";
  REQUIRE(scene.placement.place(Program::kAsOthers));
  CHECK(scene.first.placed() == Places{{1001, 0}, {1001, 2}, {1002, 0}, {1002, 2}});
  CHECK(scene.second.placed() == Places{{0, 1}});
  scene.placement.place_in_newcomer(1003);
  CHECK(scene.first.placed().count({1003, 0}) == 1);
  CHECK(scene.second.placed() == Places{{0, 1}});
  scene.placement.executed(1002, 1);
  CHECK(scene.first.placed().count({1002, 2}) == 1);
  scene.placement.take_away(std::vector<size_t>{0, 1, 2});
  CHECK(scene.first.placed().empty());
  CHECK(scene.second.placed().empty());
  REQUIRE(scene.placement.bring_back(std::vector<size_t>{0, 1, 2}));
  CHECK(scene.first.placed().size() == 4);
  CHECK(scene.second.placed() == Places{{0, 1}});
}

TEST_CASE("placement: what falls through to one that writes into processes is there in each") {
  Scene scene(2, two_processes());
  scene.second.by_process = true;
  scene.first.refuses[{0, 1}] = "an odd place";
  REQUIRE(scene.placement.place(Program::kAsOthers));
  CHECK(scene.first.placed() == Places{{0, 0}});
  CHECK(scene.second.placed() == Places{{1001, 1}, {1002, 1}});
}

TEST_CASE("placement: operations change over to another engine, where a process takes them") {
  Scene scene(3, two_processes());
  scene.second.by_process = true;
  scene.second.refuses[{0, 1}] = "its code is not as its file";
  scene.second.refuses[{1002, 2}] = "it locks its memory";
  REQUIRE(scene.placement.place(Program::kAsOthers));
  const std::vector<size_t> all{0, 1, 2};
  scene.placement.take_away(all);
  for (const size_t i : all) scene.states.go_on_by(scene.plan, i, 1, "too dear");
  const auto refused = scene.placement.change_over(all);
  REQUIRE(refused);
  REQUIRE(refused->size() == 1);
  CHECK(refused->front().operation == 1);
  CHECK(scene.second.placed() == Places{{1001, 0}, {1002, 0}, {1001, 2}});
  CHECK(scene.states[0].reason == "too dear");
  CHECK_FALSE(scene.states[2].unseen.empty());
  scene.states.go_on_by(scene.plan, 1, 0, "not by second");
  REQUIRE(scene.placement.bring_back(std::vector<size_t>{1}));
  CHECK(scene.first.placed() == Places{{0, 1}});
}

namespace {

// This process, and before it another one where asked for; it maps the plan's image when told to.
struct Loading : Scene {
  explicit Loading(std::vector<target::ObservedProcess> others)
      : Scene(2, with_own(std::move(others))), file(::memfd_create("late", 0)) {
    struct stat st {};
    REQUIRE(::ftruncate(file.get(), 4096) == 0);
    REQUIRE(::fstat(file.get(), &st) == 0);
    plan.images[0].device = st.st_dev;
    plan.images[0].inode = st.st_ino;
    first.by_process = true;
    first.refuses_until_loaded = true;
    first.refuses[{::getpid(), 0}] = "it does not map that code";
    first.refuses[{::getpid(), 1}] = "it does not map that code";
    REQUIRE(placement.place(Program::kAsOthers));
  }
  ~Loading() { ::munmap(at, 4096); }
  static std::vector<target::ObservedProcess> with_own(std::vector<target::ObservedProcess> all) {
    all.emplace_back().pid = ::getpid();
    return all;
  }
  void load() {
    at = ::mmap(nullptr, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, file.get(), 0);
    REQUIRE(at != MAP_FAILED);
    first.refuses.clear();
  }
  run::LaterLoads::Ways look() { return placement.place_where_loaded(now += 1'000'000'000); }
  Fd file;
  void* at = nullptr;
  uint64_t now = monotonic_ns();
};

}  // namespace

TEST_CASE("placement: what nobody loaded yet has the next engine, and can change over once it is") {
  Loading scene({});
  CHECK(scene.second.placed() == Places{{0, 0}, {0, 1}});
  CHECK(scene.look().empty());
  CHECK(scene.states[0].reason == "not by first: no process maps its code yet");
  scene.states.switch_off(1, scene.now, "off");
  scene.load();
  CHECK(scene.look() == run::LaterLoads::Ways{{0, 0}});
  CHECK(scene.look().empty());
  scene.states.switch_on(1, scene.now, "");
  CHECK(scene.look() == run::LaterLoads::Ways{{1, 0}});
  CHECK(scene.first.placed().empty());
}

TEST_CASE("placement: what was unloaded again when it is to change over does not") {
  Loading scene({});
  scene.load();
  CHECK(scene.look().size() == 2);
  scene.first.refuses[{::getpid(), 0}] = "it does not map that code";
  const std::vector<size_t> both{0, 1};
  scene.placement.take_away(both);
  for (const size_t i : both) scene.states.go_on_by(scene.plan, i, 0, "it is loaded");
  const auto refused = scene.placement.change_over(both);
  REQUIRE(refused);
  REQUIRE(refused->size() == 1);
  CHECK(refused->front().operation == 0);
  CHECK(scene.first.placed() == Places{{::getpid(), 1}});
}

TEST_CASE("placement: a process that comes while nobody has loaded it may load it as well") {
  Loading scene({});
  scene.placement.place_in_newcomer(::getpid());
  scene.load();
  CHECK(scene.look().size() == 2);
}

TEST_CASE("placement: a process that loads later what others have gets its probes then") {
  Loading scene({two_processes().front()});
  CHECK(scene.first.placed() == Places{{1001, 0}, {1001, 1}});
  CHECK(scene.look().empty());
  CHECK(scene.states[0].unseen.empty());
  scene.load();
  CHECK(scene.look().empty());
  CHECK(scene.first.placed() == Places{{1001, 0}, {1001, 1}, {::getpid(), 0}, {::getpid(), 1}});
  CHECK_FALSE(scene.states[0].unseen.empty());
  REQUIRE(scene.notes.all().size() == 1);
  CHECK(scene.notes.all()[0].find("while observing: calls before its functions were patched") !=
        std::string::npos);
}
