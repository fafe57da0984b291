// SPDX-License-Identifier: Apache-2.0
#include "elf/elf_file.h"

#include <gelf.h>
#include <libelf.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "core/limits.h"
#include "core/read_at.h"
#include "elf/file_kind.h"

namespace compmond::elf {
namespace {

constexpr uint64_t kStringBytes = uint64_t(1)
                                  << 30;  // the largest string tables in the wild have some 500 MB
constexpr uint64_t kSections =
    1'000'000;  // -ffunction-sections objects have 100,000, linked files few
constexpr size_t kSectionNameBytes = 256;  // ours are short; the rest only appears in messages

bool inside(uint64_t offset, uint64_t size, uint64_t end) {
  return offset <= end && size <= end - offset;
}

}  // namespace

std::optional<std::string_view> text_at(Bytes bytes, uint64_t offset) {
  if (offset >= bytes.size()) return std::nullopt;
  const auto* start = reinterpret_cast<const char*>(bytes.data() + offset);
  const auto* end = static_cast<const char*>(std::memchr(start, 0, bytes.size() - offset));
  if (!end) return std::nullopt;
  return std::string_view(start, size_t(end - start));
}

void ElfFile::Ender::operator()(Elf* elf) const { elf_end(elf); }

Unexpected ElfFile::damaged(std::string why) const {
  return fail(Exit::kData, "cannot read symbols of " + path_, std::move(why),
              "The file is damaged or was not made by a usual linker");
}

Result<ElfFile> ElfFile::open(int fd, const std::string& path) {
  ElfFile file;
  file.path_ = path;
  file.fd_ = fd;
  struct stat st {};
  const std::string what = "cannot read symbols of " + path;
  if (::fstat(fd, &st) != 0) return fail_errno(Exit::kNoInput, what, errno);
  if (!S_ISREG(st.st_mode)) return fail(Exit::kData, what, "it is not a regular file");
  file.file_size_ = uint64_t(st.st_size);
  return read_headers(std::move(file));
}

Result<ElfFile> ElfFile::open(std::vector<uint8_t> content, const std::string& path) {
  ElfFile file;
  file.path_ = path;
  file.content_ = std::move(content);
  file.file_size_ = file.content_.size();
  return read_headers(std::move(file));
}

Result<ElfFile> ElfFile::read_headers(ElfFile file) {
  if (auto ok = file.check_header(); !ok) return Unexpected(ok.error());
  elf_version(EV_CURRENT);
  file.elf_.reset(file.fd_ >= 0 ? elf_begin(file.fd_, ELF_C_READ, nullptr)
                                : elf_memory(reinterpret_cast<char*>(file.content_.data()),
                                             file.content_.size()));
  if (!file.elf_ || elf_kind(file.elf_.get()) != ELF_K_ELF)
    return file.damaged(fmt::format("libelf refuses it: {}", elf_errmsg(-1)));
  if (auto ok = file.read_segments(); !ok) return Unexpected(ok.error());
  if (auto ok = file.read_sections(); !ok) return Unexpected(ok.error());
  return file;
}

// Everything that libelf takes from the header for granted is checked before libelf sees the file.
Result<void> ElfFile::check_header() {
  const std::string what = "cannot read symbols of " + path_;
  if (file_size_ > limits::kElfBytes)
    return fail(Exit::kData, what,
                fmt::format("it is larger than {} GiB", limits::kElfBytes >> 30));

  std::array<unsigned char, 256> head{};
  if (auto kind = foreign_kind({head.data(), read(head.data(), head.size(), 0)}); !kind.empty())
    return fail(Exit::kData, what, "it is " + kind,
                "compmond observes x86-64 Linux executables and shared libraries");

  Elf64_Ehdr header;
  std::memcpy(&header, head.data(), sizeof header);
  type_ = header.e_type;
  uint64_t sections = header.e_shnum;
  uint64_t segments = header.e_phnum;
  if (header.e_shoff != 0) {
    if (header.e_shentsize != sizeof(Elf64_Shdr))
      return damaged(fmt::format("section headers of {} bytes, {} expected", header.e_shentsize,
                                 sizeof(Elf64_Shdr)));
    Elf64_Shdr first;
    if (!inside(header.e_shoff, sizeof first, file_size_) ||
        read(&first, sizeof first, header.e_shoff) != sizeof first)
      return damaged(fmt::format("the section headers at {:#x} lie beyond its end ({} bytes)",
                                 header.e_shoff, file_size_));
    if (sections == 0) sections = first.sh_size;
    if (segments == PN_XNUM) segments = first.sh_info;
    if (sections > kSections || !inside(header.e_shoff, sections * sizeof first, file_size_))
      return damaged(fmt::format("{} section headers at {:#x} reach beyond its end ({} bytes)",
                                 sections, header.e_shoff, file_size_));
  } else if (sections != 0) {
    return damaged(fmt::format("{} section headers, but no place for them", sections));
  }
  if (segments == 0) return damaged("it has no program headers");
  if (header.e_phentsize != sizeof(Elf64_Phdr))
    return damaged(fmt::format("program headers of {} bytes, {} expected", header.e_phentsize,
                               sizeof(Elf64_Phdr)));
  if (!inside(header.e_phoff, segments * sizeof(Elf64_Phdr), file_size_))
    return damaged(fmt::format("{} program headers at {:#x} reach beyond its end ({} bytes)",
                               segments, header.e_phoff, file_size_));
  return {};
}

Result<void> ElfFile::read_segments() {
  size_t count = 0;
  if (elf_getphdrnum(elf_.get(), &count) != 0)
    return damaged(fmt::format("its program headers cannot be read: {}", elf_errmsg(-1)));
  for (size_t i = 0; i < count; ++i) {
    GElf_Phdr segment;
    if (!gelf_getphdr(elf_.get(), int(i), &segment))
      return damaged(fmt::format("program header {} cannot be read: {}", i, elf_errmsg(-1)));
    segments_.push_back(segment);
  }
  return {};
}

Result<void> ElfFile::read_sections() {
  size_t count = 0, names_index = 0;
  if (elf_getshdrnum(elf_.get(), &count) != 0)
    return damaged(fmt::format("its section headers cannot be read: {}", elf_errmsg(-1)));
  for (size_t i = 0; i < count; ++i) {
    Section section;
    if (!gelf_getshdr(elf_getscn(elf_.get(), i), &section.header))
      return damaged(fmt::format("section header {} cannot be read: {}", i, elf_errmsg(-1)));
    sections_.push_back(std::move(section));
  }
  if (count == 0) return {};
  if (elf_getshdrstrndx(elf_.get(), &names_index) != 0 || names_index >= count)
    return damaged("the section with the section names does not exist");
  if (names_index == SHN_UNDEF) return {};
  auto names = bytes(sections_[names_index], kStringBytes);
  if (!names) return Unexpected(names.error());
  for (size_t i = 1; i < count; ++i) {
    const auto name = text_at(*names, sections_[i].header.sh_name);
    if (!name)
      return damaged(fmt::format("the name of section {} lies outside the section names", i));
    sections_[i].name = name->substr(0, kSectionNameBytes);
  }
  return {};
}

uint64_t ElfFile::unpacked_size(const Section& section) const {
  const Elf64_Shdr& header = section.header;
  if (header.sh_flags & SHF_COMPRESSED) {
    Elf64_Chdr packed;
    return read(&packed, sizeof packed, header.sh_offset) == sizeof packed ? packed.ch_size : 0;
  }
  if (section.name.starts_with(".zdebug")) {  // "ZLIB" and the size, big-endian
    std::array<uint8_t, 12> head{};
    uint64_t size = 0;
    if (read(head.data(), head.size(), header.sh_offset) != head.size()) return 0;
    for (size_t i = 4; i < head.size(); ++i) size = size << 8 | head[i];
    return size;
  }
  return header.sh_size;
}

bool ElfFile::unpacks_soundly() const {
  const uint64_t most =
      std::min(limits::kUnpackedDebugBytes,
               limits::kUnpackedDebugFree + limits::kUnpackedDebugRatio * file_size_);
  uint64_t sum = 0;
  for (const Section& section : sections_) {
    if (!(section.header.sh_flags & SHF_COMPRESSED) && !section.name.starts_with(".zdebug"))
      continue;
    const uint64_t size = unpacked_size(section);
    if (size > most - sum) return false;
    sum += size;
  }
  return true;
}

const Section* ElfFile::section(std::string_view name) const {
  for (const Section& s : sections_)
    if (s.name == name) return &s;
  return nullptr;
}

const Section* ElfFile::section_of_type(uint32_t type) const {
  for (const Section& s : sections_)
    if (s.header.sh_type == type) return &s;
  return nullptr;
}

size_t ElfFile::read(void* to, size_t size, uint64_t offset) const {
  if (fd_ >= 0) return read_at(fd_, to, size, offset);
  if (offset >= content_.size()) return 0;
  size = std::min<size_t>(size, content_.size() - offset);
  std::memcpy(to, content_.data() + offset, size);
  return size;
}

Result<Bytes> ElfFile::bytes(uint64_t offset, uint64_t size, const std::string& what,
                             uint64_t cap) const {
  if (!inside(offset, size, file_size_))
    return damaged(fmt::format("{} ({} bytes at {:#x}) reaches beyond its end ({} bytes)", what,
                               size, offset, file_size_));
  if (size > cap)
    return damaged(fmt::format("{} has {} bytes; up to {} are read", what, size, cap));
  if (size == 0) return Bytes{};
  const Elf_Data* data = elf_getdata_rawchunk(elf_.get(), int64_t(offset), size, ELF_T_BYTE);
  if (!data || !data->d_buf || data->d_size != size)
    return damaged(fmt::format("{} cannot be read: {}", what, elf_errmsg(-1)));
  return Bytes(static_cast<const uint8_t*>(data->d_buf), data->d_size);
}

Result<Bytes> ElfFile::bytes(const Section& section, uint64_t cap) const {
  const std::string what = "section " + (section.name.empty() ? "without name" : section.name);
  if (section.header.sh_type == SHT_NOBITS) return damaged(what + " has no bytes in the file");
  return bytes(section.header.sh_offset, section.header.sh_size, what, cap);
}

Result<Bytes> ElfFile::linked_strings(const Section& section) const {
  const uint32_t link = section.header.sh_link;
  if (link == 0 || link >= sections_.size() || sections_[link].header.sh_type != SHT_STRTAB)
    return damaged(fmt::format("section {} names section {} as its strings, which is none",
                               section.name, link));
  return bytes(sections_[link], kStringBytes);
}

}  // namespace compmond::elf
