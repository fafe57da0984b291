// SPDX-License-Identifier: Apache-2.0
#include "target/process.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <thread>

#include "child.h"
#include "target/observed.h"
#include "target/proc_folder.h"

using namespace compmond;
using namespace compmond::target;
using compmond::test::Child;
namespace fs = std::filesystem;

namespace {

bool is_root() { return ::geteuid() == 0; }

// Process 2 is one, except in a container with processes of its own.
bool sees_kernel_threads() {
  const auto stat = read_stat("/proc/2");
  return stat && stat->is_kernel_thread();
}

Process opened(pid_t pid) {
  auto process = Process::open(pid);
  REQUIRE_MESSAGE(process.has_value(), process.error().text());
  return std::move(*process);
}

Error refused(pid_t pid) {
  const auto process = Process::open(pid);
  REQUIRE_FALSE(process.has_value());
  return process.error();
}

struct stat stat_of(int fd) {
  struct stat st {};
  REQUIRE(::fstat(fd, &st) == 0);
  return st;
}

bool contains(const std::vector<pid_t>& pids, pid_t pid) {
  return std::find(pids.begin(), pids.end(), pid) != pids.end();
}

// A copy of a small program in a folder of its own.
struct Copy {
  Copy() {
    std::string name = (fs::temp_directory_path() / "compmond-target-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    folder = name;
    path = folder + "/copy of sleep";
    fs::copy_file("/bin/sleep", path);
  }
  ~Copy() { fs::remove_all(folder); }
  std::string folder, path;
};

}  // namespace

TEST_CASE("process: this one is what it says it is") {
  const Process self = opened(::getpid());
  CHECK(self.pid() == ::getpid());
  CHECK(self.alive());
  CHECK(self.exe() == fs::read_symlink("/proc/self/exe").string());
  CHECK(self.name() == "unit_target");
  CHECK(self.root() == "/proc/" + std::to_string(::getpid()) + "/root");
  const auto exe = self.open_exe();
  REQUIRE(exe.has_value());
  struct stat st {};
  REQUIRE(::stat("/proc/self/exe", &st) == 0);
  CHECK(stat_of(exe->get()).st_ino == st.st_ino);
}

TEST_CASE("process: the start time tells a later process from an earlier one") {
  timespec now{};
  REQUIRE(::clock_gettime(CLOCK_BOOTTIME, &now) == 0);
  const Process self = opened(::getpid());
  const Child child = Child::code([] {});
  CHECK(opened(::getpid()).start_ns() == self.start_ns());
  CHECK(opened(child.pid()).start_ns() >= self.start_ns());
  CHECK(self.start_ns() > 0);
  CHECK(self.start_ns() <= uint64_t(now.tv_sec + 1) * 1'000'000'000);
}

TEST_CASE("process: numbers that are no process are refused with the reason") {
  CHECK(refused(0).code == Exit::kNoInput);
  CHECK(refused(-5).code == Exit::kNoInput);
  CHECK(refused(0x3fffffff).why == "there is no process with this number");
}

TEST_CASE("process: a thread is refused, and its process named") {
  std::mutex mutex;
  std::condition_variable changed;
  pid_t tid = 0;
  bool done = false;
  std::thread thread([&] {
    std::unique_lock lock(mutex);
    tid = pid_t(::syscall(SYS_gettid));
    changed.notify_all();
    changed.wait(lock, [&] { return done; });
  });
  std::unique_lock lock(mutex);
  changed.wait(lock, [&] { return tid != 0; });
  const Error error = refused(tid);
  CHECK(error.code == Exit::kNoInput);
  CHECK(error.why == fmt::format("{} is a thread of process {}", tid, ::getpid()));
  CHECK(error.next == fmt::format("Use --pid {}", ::getpid()));
  done = true;
  changed.notify_all();
  lock.unlock();
  thread.join();
}

TEST_CASE("process: a zombie is refused, and one that ends while observed is no longer alive") {
  const Child child = Child::code([] {});
  const Process process = opened(child.pid());
  CHECK(process.alive());
  child.kill_and_leave_zombie();
  CHECK_FALSE(process.alive());
  CHECK_FALSE(process.mappings().has_value());
  CHECK(refused(child.pid()).why.find("zombie") != std::string::npos);
  CHECK_FALSE(contains(descendants(::getpid()), child.pid()));
}

TEST_CASE("process: kernel threads are refused" * doctest::skip(!sees_kernel_threads())) {
  CHECK(refused(2).why.find("kernel thread") != std::string::npos);
}

TEST_CASE("process: it lives on when its main thread has ended") {
  const Child child = Child::code([] {
    std::thread([] {
      for (;;) ::pause();
    }).detach();
    ::close_range(3, ~0u, 0);  // says that the child is ready, as returning from here would
    ::syscall(SYS_exit, 0);
  });
  const std::string folder = "/proc/" + std::to_string(child.pid());
  while (read_stat(folder)->state != 'Z') ::sched_yield();
  const Process process = opened(child.pid());
  CHECK(process.alive());
  CHECK(process.exe() == fs::read_symlink("/proc/self/exe").string());
  const auto images = executable_images(process);
  REQUIRE(images.has_value());
  REQUIRE_FALSE(images->empty());
  CHECK(images->front().main);
  CHECK(process.open_mapped(images->front().mapping).has_value());
  CHECK(contains(descendants(::getpid()), child.pid()));
}

TEST_CASE("process: CPU time counts threads that have ended") {
  const Process self = opened(::getpid());
  const uint64_t before = self.cpu_time_ns();
  CHECK(before > 0);
  std::thread([] {
    timespec used{};
    do {
      ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    } while (used.tv_nsec < 20'000'000);
  }).join();
  CHECK(self.cpu_time_ns() >= before + 20'000'000);
}

TEST_CASE("images: the main executable comes first, libraries once, special mappings not at all") {
  const Process self = opened(::getpid());
  const auto images = executable_images(self);
  REQUIRE(images.has_value());
  CHECK(images->front().main);
  CHECK(images->front().path == self.exe());
  int mains = 0, libcs = 0;
  for (const MappedImage& image : *images) {
    mains += image.main;
    libcs += image_matches("libc.so.6", image.path);
    CHECK(image.path.starts_with("/"));
    CHECK(image.mapping.executable);
    const auto file = self.open_mapped(image.mapping);
    REQUIRE(file.has_value());
    CHECK(stat_of(file->get()).st_ino == image.inode);
  }
  CHECK(mains == 1);
  CHECK(libcs == 1);
}

TEST_CASE("images: a deleted executable is still found, and opened by root") {
  const Copy copy;
  const Child child = Child::program({copy.path, "1000000"});
  const uint64_t inode = [&] {
    struct stat st {};
    REQUIRE(::stat(copy.path.c_str(), &st) == 0);
    return uint64_t(st.st_ino);
  }();
  // Another file takes the name: the one that runs must be opened, or none.
  fs::copy_file("/bin/cat", copy.folder + "/other");
  fs::rename(copy.folder + "/other", copy.path);
  const Process process = opened(child.pid());
  CHECK(process.exe() == copy.path);
  const auto images = executable_images(process);
  REQUIRE(images.has_value());
  CHECK(images->front().main);
  CHECK(images->front().deleted);
  CHECK(images->front().path == copy.path);
  CHECK(images->front().inode == inode);
  const auto file = process.open_mapped(images->front().mapping);
  if (is_root()) {
    REQUIRE(file.has_value());
    CHECK(stat_of(file->get()).st_ino == inode);
  } else {
    CHECK(file.error().code == Exit::kNoPermission);
  }
  const auto exe = process.open_exe();
  REQUIRE(exe.has_value());
  CHECK(stat_of(exe->get()).st_ino == inode);
}

TEST_CASE("images: a mapping whose name belongs to another file now is never opened by name") {
  const Process self = opened(::getpid());
  auto images = executable_images(self);
  REQUIRE(images.has_value());
  Mapping stale = images->front().mapping;
  stale.start = 0x1000;  // no such mapping any more
  stale.end = 0x2000;
  CHECK(self.open_mapped(stale).has_value());  // the name still leads to the file
  stale.inode += 1;
  const auto file = self.open_mapped(stale);
  REQUIRE_FALSE(file.has_value());
  CHECK(file.error().code == Exit::kNoInput);
  CHECK(file.error().why.starts_with("another file has this name now"));
}

TEST_CASE("image selectors: paths, names, globs, and library names without their last numbers") {
  const std::string path = "/usr/lib/x86_64-linux-gnu/libfoo.so.1.2.3";
  for (const std::string selector :
       {path.c_str(), "libfoo.so.1.2.3", "libfoo.so.1", "libfoo.so", "libfoo*", "lib???.so.1*",
        "/usr/lib/*/libfoo.so.1", "*/libfoo.so*", "/lib/x86_64-linux-gnu/libfoo.so.1"}) {
    INFO(selector);
    CHECK(image_matches(selector, path));
  }
  for (const std::string selector :
       {"", "libfo", "libfoo.so.1.2.30", "libfoo.so.1.", "/usr/lib", "/usr/lib/x86_64-linux-gnu/",
        "lib/x86_64-linux-gnu/libfoo.so.1", "foo*", "LIBFOO.so.1"}) {
    INFO(selector);
    CHECK_FALSE(image_matches(selector, path));
  }
  CHECK_FALSE(image_matches("/opt/app", "/opt/app.d/libfoo.so"));
  CHECK(image_matches("app", "app"));
}

TEST_CASE("processes: found by their executable, by a mapped file, and by their ancestor") {
  const Copy copy;
  const Child child = Child::program({copy.path, "1000000"});
  const Child grandparent = Child::code([] {
    if (::fork() != 0) return;
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::close_range(3, ~0u, 0);  // its parent alone says that it is ready
    for (;;) ::pause();
  });
  struct stat st {};
  REQUIRE(::stat(copy.path.c_str(), &st) == 0);
  CHECK(processes_of(st.st_dev, st.st_ino) == std::vector<pid_t>{child.pid()});
  CHECK(processes_mapping(st.st_dev, st.st_ino) == std::vector<pid_t>{child.pid()});
  CHECK(processes_mapping(st.st_dev, st.st_ino + 1'000'000'007).empty());

  const auto family = descendants(::getpid());
  CHECK(contains(family, child.pid()));
  CHECK(contains(family, grandparent.pid()));
  CHECK_FALSE(contains(family, ::getpid()));
  const auto grandchildren = descendants(grandparent.pid());
  REQUIRE(grandchildren.size() == 1);
  CHECK(contains(family, grandchildren[0]));
  CHECK(descendants(child.pid()).empty());
}

TEST_CASE("processes: this process itself is left out of those that map a file") {
  struct stat st {};
  REQUIRE(::stat("/proc/self/exe", &st) == 0);
  CHECK(contains(processes_of(st.st_dev, st.st_ino), ::getpid()));
  CHECK_FALSE(contains(processes_mapping(st.st_dev, st.st_ino), ::getpid()));
}

namespace {

bool tells_ends() {
  utsname kernel{};
  int major = 0, minor = 0;
  return ::uname(&kernel) == 0 && std::sscanf(kernel.release, "%d.%d", &major, &minor) == 2 &&
         (major > 6 || (major == 6 && minor >= 15));
}

// What is known of a child of ours that ended like that.
target::ObservedProcess ended_process(const char* command, int signal) {
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::signal(SIGSEGV, SIG_DFL);  // not as doctest has it
    ::raise(SIGSTOP);            // until it is observed
    ::execl("/bin/sh", "sh", "-c", command, nullptr);
    ::_exit(127);
  }
  int status = 0;
  REQUIRE(::waitpid(pid, &status, WUNTRACED) == pid);
  target::ObservedProcesses processes;
  REQUIRE(processes.add(pid, true, "/bin/sh"));
  CHECK_FALSE(processes.all()[0].ended_ns);
  ::kill(pid, SIGCONT);
  if (signal) ::kill(pid, signal);
  siginfo_t info{};
  REQUIRE(::waitid(P_PID, id_t(pid), &info, WEXITED | WNOWAIT) == 0);
  processes.refresh();
  CHECK_FALSE(processes.all()[0].alive);
  CHECK(processes.all()[0].ended_ns);
  CHECK_FALSE(processes.all()[0].exit_status);  // nobody has collected it
  CHECK_FALSE(processes.all()[0].end_signal);
  REQUIRE(::waitpid(pid, &status, 0) == pid);
  processes.refresh();
  return processes.all()[0];
}

}  // namespace

TEST_CASE("process: how it ended is known once its parent has collected it" *
          doctest::skip(!tells_ends())) {
  const auto exited = ended_process("exit 3", 0), killed = ended_process("sleep 60", SIGSEGV);
  CHECK(exited.exit_status == 3);
  CHECK_FALSE(exited.end_signal);
  CHECK(killed.end_signal == SIGSEGV);
  CHECK_FALSE(killed.exit_status);
}
