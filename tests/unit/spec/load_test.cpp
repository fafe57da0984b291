// SPDX-License-Identifier: Apache-2.0
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "spec/trust.h"
#include "support.h"

using namespace compmond;
using namespace compmond::spec;
using namespace compmond::spec::test;

namespace {

struct Folder {
  Folder() {
    char name[] = "/tmp/compmond-spec-XXXXXX";
    path = ::mkdtemp(name);
  }
  ~Folder() { std::filesystem::remove_all(path); }
  std::string write(const std::string& text, mode_t mode) const {
    const std::string file = path + "/app.json";
    std::ofstream(file) << text;
    ::chmod(file.c_str(), mode);
    return file;
  }
  std::string path;
};

struct stat owned(uid_t uid, mode_t mode) {
  struct stat st {};
  st.st_uid = uid;
  st.st_mode = S_IFREG | mode;
  return st;
}

}  // namespace

TEST_CASE("load: a good file is read and its path kept") {
  const Folder folder;
  const std::string file = folder.write(with(R"("in":["f"])"), 0644);
  const auto spec = load(file);
  REQUIRE_MESSAGE(spec.has_value(), (spec ? "" : spec.error().text()));
  CHECK(spec->path == file);
  CHECK(spec->name == "app");
}

TEST_CASE("load: a missing file is no input") {
  const auto spec = load("/nonexistent/app.json");
  REQUIRE_FALSE(spec.has_value());
  CHECK(spec.error().code == Exit::kNoInput);
  CHECK(spec.error().text() ==
        "cannot read spec '/nonexistent/app.json': No such file or directory. Check the path; "
        "examples are in specs/, the format is in docs/spec.md.");
}

TEST_CASE("load: a folder is no spec") {
  const auto spec = load("/tmp");
  REQUIRE_FALSE(spec.has_value());
  CHECK(spec.error().code == Exit::kNoInput);
  CHECK(spec.error().why == "it is not a regular file");
}

TEST_CASE("load: a pipe without a writer does not hang") {
  const Folder folder;
  const std::string pipe = folder.path + "/pipe";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  const auto spec = load(pipe);
  REQUIRE_FALSE(spec.has_value());
  CHECK(spec.error().why == "it is not a regular file");
}

TEST_CASE("load: a file over the size limit is bad data and named") {
  const Folder folder;
  const auto spec = load(folder.write(std::string((1u << 20) + 1, ' '), 0644));
  REQUIRE_FALSE(spec.has_value());
  CHECK(spec.error().code == Exit::kData);
  CHECK(spec.error().what == "cannot read spec '" + folder.path + "/app.json'");
}

TEST_CASE("load: root refuses a file that others may write" * doctest::skip(::geteuid() != 0)) {
  const Folder folder;
  const std::string file = folder.write(with(R"("in":["f"])"), 0664);
  const auto spec = load(file);
  REQUIRE_FALSE(spec.has_value());
  CHECK(spec.error().code == Exit::kNoPermission);
  CHECK(spec.error().text() ==
        "will not use spec '" + file +
            "': others may write it (mode 0664), and a spec decides what root attaches to. Read "
            "it, then: chmod go-w '" +
            file + "'");
}

TEST_CASE("trust: an ordinary user may use any file") {
  CHECK(check_trust(owned(7, 0666), 1000, std::nullopt, "f").has_value());
}

TEST_CASE("trust: root takes files of root and of the user behind sudo, and of nobody else") {
  CHECK(check_trust(owned(0, 0644), 0, std::nullopt, "f").has_value());
  CHECK(check_trust(owned(1000, 0644), 0, 1000, "f").has_value());
  CHECK_FALSE(check_trust(owned(1000, 0644), 0, std::nullopt, "f").has_value());
  const auto other = check_trust(owned(1001, 0644), 0, 1000, "f");
  REQUIRE_FALSE(other.has_value());
  CHECK(other.error().code == Exit::kNoPermission);
  CHECK(other.error().text() ==
        "will not use spec 'f': it belongs to user 1001, and a spec decides what root attaches to. "
        "Read it, then make "
        "it yours: chown root 'f'");
}

TEST_CASE("trust: root refuses what the group or the world may write") {
  CHECK_FALSE(check_trust(owned(0, 0664), 0, std::nullopt, "f").has_value());
  CHECK_FALSE(check_trust(owned(0, 0646), 0, std::nullopt, "f").has_value());
  CHECK(check_trust(owned(0, 0600), 0, std::nullopt, "f").has_value());
}

TEST_CASE("load: whether patching is allowed, and root said so" * doctest::skip(::geteuid() != 0)) {
  const Folder folder;
  const std::string text =
      R"({"schema":"compmond.spec/1","allow_patching":true,"components":[{"name":"A","in":["f"]}]})";
  const auto spec = load(folder.write(text, 0644));
  REQUIRE(spec);
  CHECK(spec->allow_patching);
  CHECK(spec->by_root);
  const std::string own = folder.write(text, 0600);
  REQUIRE(::chown(own.c_str(), 1000, 1000) == 0);
  ::setenv("SUDO_UID", "1000", 1);
  ::setenv("SUDO_GID", "1000", 1);
  const auto users = load(own);
  ::unsetenv("SUDO_UID");
  ::unsetenv("SUDO_GID");
  REQUIRE_MESSAGE(users, (users ? "" : users.error().text()));
  CHECK(users->allow_patching);
  CHECK_FALSE(users->by_root);
}
