// SPDX-License-Identifier: Apache-2.0
#include "guard/file_writer.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

using namespace compmond;
namespace fs = std::filesystem;

namespace {

struct Folder {
  Folder() {
    char name[] = "/tmp/compmond-writer-XXXXXX";
    REQUIRE(::mkdtemp(name) != nullptr);
    path = name;
  }
  ~Folder() { fs::remove_all(path); }
  fs::path path;
};

std::string text_of(const fs::path& path) {
  std::ostringstream out;
  out << std::ifstream(path).rdbuf();
  return out.str();
}

}  // namespace

TEST_CASE("file writer: each write is the whole content of the file") {
  const Folder folder;
  auto writer = guard::FileWriter::start(folder.path / "out");
  REQUIRE(writer);
  for (const std::string& text :
       {std::string("one"), std::string(), std::string(3'000'000, 'x'), std::string("two")}) {
    REQUIRE(writer->write(text));
    CHECK(text_of(folder.path / "out") == text);
  }
}

TEST_CASE("file writer: what goes wrong is told as by write_file_whole, and it goes on") {
  const Folder folder;
  auto writer = guard::FileWriter::start(folder.path / "out");
  REQUIRE(writer);
  fs::create_directory(folder.path / "out");
  const auto failed = writer->write("text");
  REQUIRE_FALSE(failed);
  CHECK(failed.error().code == Exit::kCantCreate);
  CHECK(failed.error().what.find("/out") != std::string::npos);
  CHECK(failed.error().why == "it is a folder");
  fs::remove(folder.path / "out");
  CHECK(writer->write("text"));
  CHECK(text_of(folder.path / "out") == "text");
}

TEST_CASE("file writer: a folder that is exchanged leads no file elsewhere, and it is told") {
  const Folder folder;
  fs::create_directory(folder.path / "mine");
  fs::create_directory(folder.path / "foreign");
  auto writer = guard::FileWriter::start(folder.path / "mine" / "out");
  REQUIRE(writer);
  fs::rename(folder.path / "mine", folder.path / "moved");
  fs::create_directory_symlink(folder.path / "foreign", folder.path / "mine");
  const auto moved = writer->write("text");
  REQUIRE_FALSE(moved);
  CHECK(moved.error().code == Exit::kCantCreate);
  CHECK(moved.error().why.find("in the old one") != std::string::npos);
  CHECK(fs::is_empty(folder.path / "foreign"));
  CHECK(text_of(folder.path / "moved" / "out") == "text");
  fs::remove(folder.path / "mine");
  fs::rename(folder.path / "moved", folder.path / "mine");
  CHECK(writer->write("again"));
  CHECK(text_of(folder.path / "mine" / "out") == "again");
  fs::remove_all(folder.path / "mine");
  const auto removed = writer->write("text");
  REQUIRE_FALSE(removed);
  CHECK(removed.error().why.find("moved or removed") != std::string::npos);
  CHECK_FALSE(removed.error().next.empty());
}

TEST_CASE("file writer: links that lead to the folder at the start are followed") {
  const Folder folder;
  fs::create_directory(folder.path / "real");
  fs::create_directory_symlink("real", folder.path / "link");
  auto writer = guard::FileWriter::start(folder.path / "link" / "out");
  REQUIRE(writer);
  CHECK(writer->write("text"));
  CHECK(text_of(folder.path / "real" / "out") == "text");
}

TEST_CASE("file writer: where nothing can be written it does not start, and what is there stays") {
  const Folder folder;
  const auto missing = guard::FileWriter::start(folder.path / "nope" / "out");
  REQUIRE_FALSE(missing);
  CHECK(missing.error().code == Exit::kCantCreate);
  CHECK(missing.error().what.find("nope/out") != std::string::npos);
  CHECK_FALSE(missing.error().next.empty());
  CHECK_FALSE(guard::FileWriter::start(folder.path));
  std::ofstream(folder.path / "old") << "kept";
  CHECK(guard::FileWriter::start(folder.path / "old"));
  CHECK(text_of(folder.path / "old") == "kept");
  CHECK(std::distance(fs::directory_iterator(folder.path), fs::directory_iterator()) == 1);
}
