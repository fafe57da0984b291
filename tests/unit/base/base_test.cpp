// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/clock.h"
#include "base/fd.h"
#include "base/safe_file.h"

using namespace compmond;
namespace fs = std::filesystem;

namespace {

struct Folder {
  Folder() {
    char name[] = "/tmp/compmond-base-XXXXXX";
    path = ::mkdtemp(name);
  }
  ~Folder() { fs::remove_all(path); }
  std::string operator/(const char* name) const { return path + "/" + name; }
  std::string path;
};

std::string content(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

TEST_CASE("safe file: a file appears whole and replaces the old one") {
  Folder folder;
  REQUIRE(write_file_whole(folder / "a", "one").has_value());
  REQUIRE(write_file_whole(folder / "a", "two").has_value());
  CHECK(content(folder / "a") == "two");
  CHECK(std::distance(fs::directory_iterator(folder.path), {}) == 1);
}

TEST_CASE("safe file: a symlink is replaced, what it pointed to stays") {
  Folder folder;
  std::ofstream(folder / "victim") << "precious";
  fs::create_symlink(folder / "victim", folder / "link");
  REQUIRE(write_file_whole(folder / "link", "new").has_value());
  CHECK(content(folder / "victim") == "precious");
  CHECK(!fs::is_symlink(folder / "link"));
  CHECK(content(folder / "link") == "new");
}

TEST_CASE("safe file: a folder that is not there is an error with its path and a remedy") {
  const auto written = write_file_whole("/nonexistent-folder/x", "y");
  REQUIRE(!written.has_value());
  CHECK(written.error().code == Exit::kCantCreate);
  CHECK(written.error().what == "cannot write '/nonexistent-folder/x'");
  CHECK(!written.error().next.empty());
}

TEST_CASE("safe file: a folder is not overwritten") {
  Folder folder;
  fs::create_directory(folder / "d");
  const auto written = write_file_whole(folder / "d", "y");
  REQUIRE(!written.has_value());
  CHECK(written.error().why == "it is a folder");
  CHECK(std::distance(fs::directory_iterator(folder.path), {}) == 1);
}

TEST_CASE("safe file: a path that ends in a slash names no file, and that is found at once") {
  Folder folder;
  const auto place = FilePlace::open(folder / "");
  REQUIRE(place);
  CHECK(FreshFile::create(*place).error().code == Exit::kCantCreate);
  CHECK(std::distance(fs::directory_iterator(folder.path), {}) == 0);
}

TEST_CASE("safe file: what is neither a file nor a link to one is not replaced") {
  Folder folder;
  ::mkfifo((folder / "fifo").c_str(), 0600);
  fs::create_symlink("fifo", folder / "link");
  fs::create_symlink("/proc/self/fd/1", folder / "stdout");
  CHECK(write_file_whole(folder / "fifo", "y").error().why == "it is not a regular file");
  for (const char* link : {"link", "stdout"}) {
    const auto written = write_file_whole(folder / link, "y");
    REQUIRE(!written.has_value());
    CHECK(written.error().why == "it is a link to something that is not a regular file");
    CHECK(fs::is_symlink(folder / link));
  }
  CHECK(fs::is_fifo(folder / "fifo"));
  CHECK(std::distance(fs::directory_iterator(folder.path), {}) == 3);
}

TEST_CASE("read file: bounded, regular files only") {
  Folder folder;
  std::ofstream(folder / "a") << "0123456789";
  CHECK(read_file(folder / "a", 10).value() == "0123456789");
  CHECK(read_file(folder / "a", 9).error().code == Exit::kData);
  CHECK(read_file(folder / "none", 9).error().code == Exit::kNoInput);
  CHECK(read_file(folder.path, 9).error().code == Exit::kNoInput);
  ::mkfifo((folder / "fifo").c_str(), 0600);
  CHECK(read_file(folder / "fifo", 9).error().why == "not a regular file");
}

TEST_CASE("fd: closes what it owns, once, and moves") {
  const int raw = ::open("/dev/null", O_RDONLY);
  {
    Fd a(raw);
    Fd b(std::move(a));
    CHECK(!a.valid());
    CHECK(b.get() == raw);
  }
  CHECK(::fcntl(raw, F_GETFD) == -1);
}

TEST_CASE("error: text holds what, why, next") {
  const Error error{Exit::kData, "cannot read", "it is bad", "Fix it."};
  CHECK(error.text() == "cannot read: it is bad. Fix it.");
  CHECK((Error{Exit::kData, "only", "", ""}).text() == "only");
}

TEST_CASE("clock: wall clock is RFC 3339 in UTC") {
  const std::string now = wall_clock_rfc3339();
  REQUIRE(now.size() == 24);
  CHECK(now[10] == 'T');
  CHECK(now.back() == 'Z');
}
