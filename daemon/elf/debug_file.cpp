// SPDX-License-Identifier: Apache-2.0
#include "elf/debug_file.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <lzma.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>
#include <utility>
#include <vector>

#include "elf/traits.h"

namespace compmond::elf {
namespace {

constexpr uint64_t kLinkBytes = 8192;           // a file name and a checksum
constexpr uint64_t kDecoderBytes = 128u << 20;  // xz -9 needs 65 MiB
constexpr size_t kPieceBytes = 1u << 20;

// O_NONBLOCK: a FIFO in this place must not stop us.
constexpr int kFlags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;

constexpr const char* kDebugFolder = "/usr/lib/debug";

std::string place_by_id(const std::string& build_id) {
  return fmt::format("{}/.build-id/{}/{}.debug", kDebugFolder, build_id.substr(0, 2),
                     build_id.substr(2));
}

std::array<std::string, 3> folders_by_link(const std::string& path) {
  const std::string folder = path.substr(0, path.rfind('/') + 1);
  return {folder, folder + ".debug/", kDebugFolder + folder};
}

constexpr std::array<uint32_t, 256> crc_table() {
  std::array<uint32_t, 256> table{};
  for (uint32_t i = 0; i < 256; ++i) {
    uint32_t value = i;
    for (int bit = 0; bit < 8; ++bit) value = (value >> 1) ^ ((value & 1) ? 0xedb88320u : 0);
    table[i] = value;
  }
  return table;
}

// The CRC-32 of zlib and IEEE 802.3, as .gnu_debuglink wants it.
std::optional<uint32_t> checksum(int fd, uint64_t size) {
  static constexpr auto kTable = crc_table();
  std::vector<uint8_t> buffer(1u << 20);
  uint32_t crc = 0xffffffffu;
  for (uint64_t at = 0; at < size;) {
    const ssize_t got =
        ::pread(fd, buffer.data(), std::min<uint64_t>(buffer.size(), size - at), off_t(at));
    if (got <= 0) return std::nullopt;
    for (ssize_t i = 0; i < got; ++i) crc = kTable[(crc ^ buffer[size_t(i)]) & 0xff] ^ (crc >> 8);
    at += uint64_t(got);
  }
  return ~crc;
}

struct Link {
  std::string name;
  uint32_t crc = 0;
};

std::optional<Link> read_link(const ElfFile& file) {
  const Section* section = file.section(".gnu_debuglink");
  if (!section) return std::nullopt;
  const auto bytes = file.bytes(*section, kLinkBytes);
  if (!bytes) return std::nullopt;
  const auto name = text_at(*bytes, 0);
  if (!name || name->empty() || name->find('/') != name->npos) return std::nullopt;
  const auto crc = value_at<uint32_t>(*bytes, (name->size() + 1 + 3) & ~size_t(3));
  if (!crc) return std::nullopt;
  return Link{std::string(*name), *crc};
}

// What xz made `bytes` of; nothing where it did not, or of more than `most`.
std::optional<std::vector<uint8_t>> unpacked(Bytes bytes, size_t most,
                                             const std::function<void()>& step) {
  lzma_stream stream = LZMA_STREAM_INIT;
  const std::unique_ptr<lzma_stream, void (*)(lzma_stream*)> ender(&stream, lzma_end);
  if (lzma_stream_decoder(&stream, kDecoderBytes, 0) != LZMA_OK) return std::nullopt;
  stream.next_in = bytes.data();
  stream.avail_in = bytes.size();
  std::vector<uint8_t> out;
  for (lzma_ret how = LZMA_OK; how != LZMA_STREAM_END; step()) {
    const size_t before = out.size(), piece = std::min(kPieceBytes, most - before);
    if (piece == 0) return std::nullopt;
    out.resize(before + piece);
    stream.next_out = out.data() + before;
    stream.avail_out = piece;
    how = lzma_code(&stream, LZMA_FINISH);
    out.resize(out.size() - stream.avail_out);
    if (how != LZMA_OK && how != LZMA_STREAM_END) return std::nullopt;
  }
  return out;
}

// The debug file at `path`, when it is one with symbols and its build id is `build_id`.
std::optional<DebugFile> try_open(const Image::DebugFiles& open, const std::string& path,
                                  const std::string& build_id) {
  Fd fd = open(path);
  if (!fd.valid()) return std::nullopt;
  auto file = ElfFile::open(fd.get(), path);
  if (!file || read_notes(*file).build_id != build_id) return std::nullopt;
  const Section* symbols = file->section_of_type(SHT_SYMTAB);
  if (!symbols) return std::nullopt;
  return DebugFile{path, std::move(fd), std::move(*file)};
}

// In compmond's own root as any file: once it has given up its rights there is no openat2.
Fd open_in(const std::string& root, const std::string& path) {
  if (root.empty()) return Fd(::open(path.c_str(), kFlags));
  const Fd base(::open(root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  open_how how{};
  how.flags = uint64_t(kFlags);
  how.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS;
  return Fd(int(::syscall(SYS_openat2, base.get(), path.c_str(), &how, sizeof how)));
}

}  // namespace

std::optional<DebugFile> find_debug_file(const ElfFile& main, const std::string& build_id,
                                         const std::string& path, const Image::DebugFiles& open) {
  if (build_id.size() > 2)
    if (auto found = try_open(open, place_by_id(build_id), build_id)) return found;
  const auto link = read_link(main);
  if (!link || path.empty() || path[0] != '/') return std::nullopt;
  for (const std::string& folder : folders_by_link(path)) {
    auto found = try_open(open, folder + link->name, build_id);
    if (found && checksum(found->fd.get(), found->file.file_size()) == link->crc) return found;
  }
  return std::nullopt;
}

std::optional<ElfFile> find_embedded_file(const ElfFile& main, size_t most_bytes,
                                          const std::function<void()>& step) {
  const Section* section = main.section(".gnu_debugdata");
  if (!section) return std::nullopt;
  const auto packed = main.bytes(*section, most_bytes);
  auto content = packed ? unpacked(*packed, most_bytes, step) : std::nullopt;
  if (!content) return std::nullopt;
  auto file = ElfFile::open(std::move(*content), section->name);
  if (!file || !file->section_of_type(SHT_SYMTAB)) return std::nullopt;
  return std::move(*file);
}

bool is_debug_place(const std::string& candidate, const std::string& path) {
  const size_t name = candidate.rfind('/') + 1;
  if (candidate.empty() || candidate[0] != '/' || name == candidate.size()) return false;
  const std::string by_id = fmt::format("{}/.build-id/", kDebugFolder);
  if (candidate.starts_with(by_id))
    return candidate.ends_with(".debug") && candidate.find("..") == std::string::npos;
  const auto folders = folders_by_link(path);
  return !path.empty() && path[0] == '/' &&
         std::find(folders.begin(), folders.end(), candidate.substr(0, name)) != folders.end();
}

Fd open_below_root(const std::string& root, const std::string& path) {
  Fd file = open_in(root, path);
  struct stat st {};
  if (!file.valid() || ::fstat(file.get(), &st) != 0 || !S_ISREG(st.st_mode)) return Fd();
  return file;
}

}  // namespace compmond::elf
