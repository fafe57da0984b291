// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>

#include "support/elf_files.h"

using namespace compmond;
using namespace compmond::test;
namespace fs = std::filesystem;

namespace {

constexpr const char* kFlags = "-shared -fPIC -O1 -Wl,--build-id=0xabcdef0123";
constexpr const char* kNoId = "-shared -fPIC -O1 -Wl,--build-id=none";

// A target's root folder with /opt/app/lib.so stripped, and its debug file outside, ready to be
// placed.
struct Root {
  explicit Root(const std::string& flags = kFlags) {
    fs::create_directories(folder / "opt/app");
    shell("objcopy --only-keep-debug " + built("plain.c", flags) + " " + debug);
    shell("cd " + folder.path() + " && objcopy --strip-all --add-gnu-debuglink=lib.debug " +
          built("plain.c", flags) + " opt/app/lib.so");
  }
  void place(const std::string& path, const std::string& from) const {
    fs::create_directories(fs::path(folder.path() + path).parent_path());
    fs::copy_file(from, folder.path() + path);
  }
  elf::Image open() const { return image_of("/opt/app/lib.so", folder.path()); }

  TempFolder folder;
  std::string debug = folder / "lib.debug";
};

constexpr const char* kById = "/usr/lib/debug/.build-id/ab/cdef0123.debug";

}  // namespace

TEST_CASE("debug file: without one, only exported symbols are there") {
  const Root root;
  const auto image = root.open();
  CHECK(image.debug_path().empty());
  CHECK(all_named(image, "hidden_helper").empty());
}

TEST_CASE("debug file: found by build id below the root, its addresses are those of the program") {
  const Root root;
  root.place(kById, root.debug);
  const auto image = root.open();
  CHECK(image.debug_path() == kById);
  const auto whole = image_of_fixture("plain.c", kFlags);
  for (const char* name : {"hidden_helper", "plain_add", "sizeless"}) {
    CHECK(only(image, name).kind == elf::SymbolKind::kFunction);
    CHECK(only(image, name).vaddr == only(whole, name).vaddr);
    CHECK(only(image, name).size == only(whole, name).size);
  }
  CHECK(only(image, "malloc").version == "GLIBC_2.2.5");
}

TEST_CASE("debug file: found by its link in the three usual places") {
  for (const std::string folder : {"/opt/app/", "/opt/app/.debug/", "/usr/lib/debug/opt/app/"}) {
    for (const std::string flags : {kFlags, kNoId}) {
      const Root root(flags);
      root.place(folder + "lib.debug", root.debug);
      CHECK(root.open().debug_path() == folder + "lib.debug");
      CHECK(only(root.open(), "hidden_helper").kind == elf::SymbolKind::kFunction);
    }
  }
}

TEST_CASE("debug file: one of another build is passed over") {
  const Root other("-shared -fPIC -O0 -Wl,--build-id=0xabcdef0124");
  const Root root;
  root.place(kById, other.debug);
  CHECK(root.open().debug_path().empty());
  root.place("/opt/app/lib.debug", other.debug);
  CHECK(root.open().debug_path().empty());
}

TEST_CASE("debug file: a linked one whose checksum differs is passed over") {
  const Root root(kNoId);
  std::ofstream(root.debug, std::ios::app) << "x";
  root.place("/opt/app/lib.debug", root.debug);
  CHECK(root.open().debug_path().empty());
}

TEST_CASE("debug file: a damaged one is as good as none") {
  const Root root;
  Draft draft(root.debug);
  draft.section(".symtab").sh_entsize = 0;
  std::ofstream(root.debug, std::ios::binary)
      .write(reinterpret_cast<const char*>(draft.bytes.data()),
             std::streamsize(draft.bytes.size()));
  root.place(kById, root.debug);
  const auto image = root.open();
  CHECK(image.debug_path().empty());
  CHECK(only(image, "plain_add").kind == elf::SymbolKind::kFunction);
}

TEST_CASE("debug file: links are followed inside the root and never out of it") {
  const Root root;
  fs::create_directories(fs::path(root.folder.path() + kById).parent_path());
  fs::create_symlink(root.debug, root.folder.path() + kById);  // absolute: exists outside only
  CHECK(root.open().debug_path().empty());
  root.place("/store/lib.debug", root.debug);
  fs::remove(root.folder.path() + kById);
  fs::create_symlink("/store/lib.debug", root.folder.path() + kById);
  CHECK(root.open().debug_path() == kById);
}

TEST_CASE("debug file: a pipe in its place does not block") {
  const Root root;
  fs::create_directories(fs::path(root.folder.path() + kById).parent_path());
  shell("mkfifo " + root.folder.path() + kById);
  CHECK(root.open().debug_path().empty());
}

TEST_CASE("debug file: without one, what the file keeps packed says what its own functions are") {
  const TempFolder folder;
  strip_but("hidden_helper", built("plain.c", kFlags), folder / "lib.so");
  const auto image = image_of("/lib.so", folder.path());
  const auto whole = image_of_fixture("plain.c", kFlags);
  CHECK(only(image, "hidden_helper").kind == elf::SymbolKind::kFunction);
  CHECK(only(image, "hidden_helper").vaddr == only(whole, "hidden_helper").vaddr);
  CHECK(only(image, "plain_add").vaddr == only(whole, "plain_add").vaddr);
  CHECK(all_named(image, "local_alias").empty());  // which was not kept
  CHECK(image.debug_path().empty());
  // One beside it says more.
  shell("mkdir -p " + folder / "usr/lib/debug/.build-id/ab" + " && objcopy --only-keep-debug " +
        built("plain.c", kFlags) + " " + folder.path() + kById);
  CHECK(all_named(image_of("/lib.so", folder.path()), "local_alias").size() == 1);
}
