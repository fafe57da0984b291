// SPDX-License-Identifier: Apache-2.0
#include "guard/read_only.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <functional>

#include "base/fd.h"

using namespace compmond;

namespace {

// A folder that only its owner may look into, with a file.
struct Private {
  std::filesystem::path folder, file;
  Private() {
    std::string name = "/tmp/compmond-read-only-XXXXXX";
    REQUIRE(::mkdtemp(name.data()));
    folder = name;
    file = folder / "file";
    std::ofstream(file) << "text";
  }
  ~Private() { std::filesystem::remove_all(folder); }
};

// What `act` returns in a child that can only read `file`.
int in_child(const std::string& file, const std::function<int()>& act) {
  const pid_t pid = ::fork();
  if (pid == 0) ::_exit(guard::only_read(file).empty() ? act() : 255);
  int status = 0;
  REQUIRE(::waitpid(pid, &status, 0) == pid);
  REQUIRE(WIFEXITED(status));
  return WEXITSTATUS(status);
}

int error_of(long result) { return result < 0 ? errno : 0; }

}  // namespace

TEST_CASE("read only: a file in a private folder can be read, and nothing be written") {
  const Private place;
  const std::string path = place.file;
  const auto opened = [&](int flags) {
    return in_child(path, [&] { return error_of(::open(path.c_str(), flags, 0600)); });
  };
  CHECK(opened(O_RDONLY | O_CLOEXEC) == 0);
  for (const int flags : {O_WRONLY, O_RDWR, O_RDONLY | O_TRUNC, O_RDONLY | O_CREAT})
    CHECK(opened(flags) == EPERM);
  CHECK(in_child(path, [&] { return error_of(::unlink(path.c_str())); }) == EPERM);
  CHECK(in_child(path, [&] { return error_of(::chmod(path.c_str(), 0777)); }) == EPERM);
  CHECK(in_child(path, [] { return error_of(::socket(AF_UNIX, SOCK_STREAM, 0)); }) == EPERM);
  CHECK(in_child(path, [] { return error_of(::kill(::getppid(), 0)); }) == EPERM);
  CHECK(in_child(path, [] { return error_of(::fork()); }) == EPERM);
  CHECK(std::filesystem::file_size(place.file) == 4);
}

TEST_CASE("read only: no other file stays open") {
  const Private place;
  REQUIRE(::dup2(STDIN_FILENO, 100) == 100);
  const int left = in_child(place.file, [] {
    struct stat status {};
    return error_of(::fstat(100, &status));
  });
  ::close(100);
  CHECK(left == EBADF);
}

TEST_CASE("read only: as root it is nobody, and another user only where nobody may not read" *
          doctest::skip(::geteuid() != 0)) {
  const auto user = [](const std::string& file) {
    return in_child(file, [] { return ::getuid() == 0 ? 1 : ::getuid() == 65534 ? 2 : 3; });
  };
  Private place;
  CHECK(user("/bin/sh") == 2);
  CHECK(user(place.file) == 1);  // root's file in root's folder
  REQUIRE(::chown(place.file.c_str(), 1234, 1234) == 0);
  CHECK(user(place.file) == 255);  // which its owner cannot reach
  REQUIRE(::chown(place.folder.c_str(), 1234, 1234) == 0);
  CHECK(user(place.file) == 3);
  REQUIRE(::chown(place.file.c_str(), 0, 0) == 0);
  REQUIRE(::chmod(place.file.c_str(), 0600) == 0);
  CHECK(user(place.file) == 255);  // root's file where others could have put it
}

TEST_CASE("read only: what is executed has no capability and gets none") {
  const Private place;
  int ends[2];
  REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
  const Fd read_end(ends[0]);
  Fd write_end(ends[1]);
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::dup2(write_end.get(), STDOUT_FILENO);
    if (!guard::only_read(place.file).empty()) ::_exit(255);
    const char* argv[] = {"/bin/cat", "/proc/self/status", nullptr};
    ::execv(argv[0], const_cast<char**>(argv));
    ::_exit(254);
  }
  write_end.reset();
  std::string text;
  char buffer[4096];
  for (ssize_t n; (n = ::read(read_end.get(), buffer, sizeof buffer)) > 0;)
    text.append(buffer, size_t(n));
  int status = 0;
  REQUIRE(::waitpid(pid, &status, 0) == pid);
  CHECK(status == 0);
  for (const char* line :
       {"CapPrm:\t0000000000000000", "CapEff:\t0000000000000000", "NoNewPrivs:\t1", "Seccomp:\t2"})
    CHECK_MESSAGE(text.find(line) != std::string::npos, text);
}
