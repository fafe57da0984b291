// SPDX-License-Identifier: Apache-2.0
#include "support/elf_files.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <set>

namespace compmond::test {

namespace {

std::string text_of(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

TempFolder::TempFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "compmond-elf-XXXXXX").string();
  REQUIRE(::mkdtemp(name.data()) != nullptr);
  path_ = name;
}
TempFolder::~TempFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

void shell(const std::string& command) {
  INFO(command);
  REQUIRE(std::system(command.c_str()) == 0);
}

std::string fixture(const std::string& name) {
  return std::string(SOURCE_DIR "/tests/unit/elf/fixtures/") + name;
}

std::string built(const std::string& name, const std::string& flags) {
  const bool cpp = name.ends_with(".cpp");
  const std::string command = (cpp ? "c++ -std=c++20 " : "cc ") + fixture(name) + " " + flags;
  // Each test is a process of its own: what one compiled stays for the others, until a fixture
  // changes.
  std::set<std::string> parts{command};
  for (const auto& source : std::filesystem::directory_iterator(fixture("")))
    parts.insert(source.path().string() + text_of(source.path()));
  const std::filesystem::path folder = BUILD_DIR "/fixtures";
  const auto path =
      folder / fmt::format("{:016x}.so",
                           std::hash<std::string>{}(fmt::format("{}", fmt::join(parts, "\n"))));
  if (!std::filesystem::exists(path)) {
    std::filesystem::create_directories(folder);
    const auto fresh = folder / fmt::format("fresh-{}.so", ::getpid());
    shell(command + " -o " + fresh.string());
    std::filesystem::rename(fresh, path);  // whole or not at all: others may be looking
  }
  return path.string();
}

void strip_but(const std::string& function, const std::string& whole, const std::string& to) {
  const std::string kept = to + ".kept";
  shell("objcopy --strip-all --keep-symbol=" + function + " " + whole + " " + kept);
  shell("strip -o " + to + " " + whole);
  embed(kept, to);
}

void embed(const std::string& bytes_path, const std::string& file) {
  const std::string packed = file + ".xz";
  shell("xz --keep --stdout " + bytes_path + " > " + packed);
  shell("objcopy --add-section .gnu_debugdata=" + packed + " " + file);
}

Result<elf::Image> open_image(const std::string& path, const std::string& root) {
  return elf::Image::open(Fd(::open((root + path).c_str(), O_RDONLY | O_CLOEXEC)), path, root);
}

elf::Image image_of(const std::string& path, const std::string& root) {
  auto image = open_image(path, root);
  REQUIRE_MESSAGE(image.has_value(), image.error().text());
  return std::move(*image);
}

elf::Image image_of_fixture(const std::string& name, const std::string& flags) {
  return image_of(built(name, flags));
}

std::vector<const elf::Symbol*> all_named(const elf::Image& image, std::string_view name) {
  std::vector<const elf::Symbol*> found;
  for (const elf::Symbol& symbol : image.symbols())
    if (symbol.name == name) found.push_back(&symbol);
  return found;
}

const elf::Symbol& only(const elf::Image& image, std::string_view name) {
  const auto found = all_named(image, name);
  INFO(name);
  REQUIRE(found.size() == 1);
  return *found[0];
}

Draft::Draft(const std::string& path) {
  const std::string text = text_of(path);
  bytes.assign(text.begin(), text.end());
  REQUIRE(bytes.size() > sizeof(Elf64_Ehdr));
}

Elf64_Ehdr& Draft::header() { return at<Elf64_Ehdr>(0); }

Elf64_Phdr& Draft::segment(uint32_t type) {
  for (unsigned i = 0; i < header().e_phnum; ++i) {
    auto& candidate = at<Elf64_Phdr>(header().e_phoff + i * sizeof(Elf64_Phdr));
    if (candidate.p_type == type) return candidate;
  }
  FAIL("no such segment");
  return at<Elf64_Phdr>(0);
}

Elf64_Shdr& Draft::section(const std::string& name) {
  const auto place = [&](unsigned i) { return header().e_shoff + i * sizeof(Elf64_Shdr); };
  const uint64_t names = at<Elf64_Shdr>(place(header().e_shstrndx)).sh_offset;
  for (unsigned i = 0; i < header().e_shnum; ++i) {
    auto& candidate = at<Elf64_Shdr>(place(i));
    if (name == &at<char>(names + candidate.sh_name)) return candidate;
  }
  FAIL("no section " << name);
  return at<Elf64_Shdr>(0);
}

Result<elf::Image> Draft::open() const {
  Fd file(::memfd_create("draft", MFD_CLOEXEC));
  REQUIRE(::write(file.get(), bytes.data(), bytes.size()) == ssize_t(bytes.size()));
  return elf::Image::open(std::move(file), "draft");
}

std::string Draft::why() const {
  const auto image = open();
  if (image) return {};
  CHECK(image.error().code == Exit::kData);
  CHECK(image.error().what == "cannot read symbols of draft");
  return image.error().why;
}

}  // namespace compmond::test
