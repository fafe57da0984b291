// SPDX-License-Identifier: Apache-2.0
#include "elf/image.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <mutex>

#include "core/limits.h"
#include "core/read_at.h"
#include "elf/debug_file.h"
#include "elf/elf_file.h"
#include "elf/frame_table.h"
#include "elf/symbols.h"
#include "elf/traits.h"

namespace compmond::elf {
namespace {

constexpr uint64_t kFrameBytes = uint64_t(256)
                                 << 20;  // browsers, the largest programs, have some 30 MB

struct Segment {
  Image::Range range;
  uint64_t offset = 0;
};

// The executable PT_LOAD segments, as far as the file has bytes for them.
Result<std::vector<Segment>> executable_segments(const ElfFile& file) {
  std::vector<Segment> out;
  for (size_t i = 0; i < file.segments().size(); ++i) {
    const Elf64_Phdr& s = file.segments()[i];
    if (s.p_type != PT_LOAD) continue;
    if (s.p_offset > file.file_size() || s.p_filesz > file.file_size() - s.p_offset)
      return file.damaged(
          fmt::format("segment {} ({} bytes at {:#x}) reaches beyond its end ({} bytes)", i,
                      s.p_filesz, s.p_offset, file.file_size()));
    if (s.p_filesz > s.p_memsz || s.p_vaddr + s.p_memsz < s.p_vaddr)
      return file.damaged(
          fmt::format("segment {} has impossible addresses ({} of {} bytes at {:#x})", i,
                      s.p_filesz, s.p_memsz, s.p_vaddr));
    if ((s.p_flags & PF_X) && s.p_filesz > 0) out.push_back({{s.p_vaddr, s.p_filesz}, s.p_offset});
  }
  std::sort(out.begin(), out.end(),
            [](const Segment& a, const Segment& b) { return a.range.vaddr < b.range.vaddr; });
  for (size_t i = 1; i < out.size(); ++i)
    if (out[i].range.vaddr - out[i - 1].range.vaddr < out[i - 1].range.size)
      return file.damaged(
          fmt::format("two executable segments overlap at {:#x}", out[i].range.vaddr));
  return out;
}

std::vector<uint8_t> read_up_to(const Fd& fd, uint64_t offset, uint64_t size) {
  std::vector<uint8_t> bytes(size);
  bytes.resize(read_at(fd, bytes.data(), bytes.size(), offset));
  return bytes;
}

}  // namespace

struct Image::Impl {
  Fd fd;
  std::string path, build_id, debug_path;
  uint64_t device = 0, inode = 0;
  RiskTraits traits;
  std::vector<Segment> segments;
  std::vector<Range> text;
  std::vector<Symbol> symbols;
  bool stripped = false;

  struct {
    uint64_t vaddr = 0, offset = 0, size = 0;
  } eh_frame;
  mutable std::once_flag frames_once;
  mutable std::vector<FrameExtent> frames;

  Result<void> read(const DebugFiles& debug_files);
  Result<void> read_symbols(const ElfFile& file, const DebugFiles& debug_files);
  const Segment* segment_of(uint64_t vaddr) const;
  const std::vector<FrameExtent>& all_frames() const;
  Range clipped(const FrameExtent& frame) const;  // to what is code
};

Result<void> Image::Impl::read(const DebugFiles& debug_files) {
  struct stat st {};
  if (::fstat(fd.get(), &st) != 0)
    return fail_errno(Exit::kNoInput, "cannot read symbols of " + path, errno);
  device = st.st_dev;
  inode = st.st_ino;
  auto file = ElfFile::open(fd.get(), path);
  if (!file) return Unexpected(file.error());
  auto executable = executable_segments(*file);
  if (!executable) return Unexpected(executable.error());
  segments = std::move(*executable);
  for (const Segment& segment : segments) text.push_back(segment.range);
  const ElfNotes notes = read_notes(*file);
  build_id = notes.build_id;
  if (auto ok = read_symbols(*file, debug_files); !ok) return ok;
  traits = read_traits(*file, notes, symbols);
  if (const Section* frame = file->section(".eh_frame");
      frame && frame->header.sh_type != SHT_NOBITS)
    eh_frame = {frame->header.sh_addr, frame->header.sh_offset,
                std::min(frame->header.sh_size, std::min(kFrameBytes, file->file_size()))};
  return {};
}

Result<void> Image::Impl::read_symbols(const ElfFile& file, const DebugFiles& debug_files) {
  const Section* full = file.section_of_type(SHT_SYMTAB);
  // Damaged ones elsewhere are as good as none: the program itself is whole.
  const auto add = [this](const ElfFile& from) {
    std::vector<Symbol> more;
    const bool good = bool(append_symbols(from, *from.section_of_type(SHT_SYMTAB), text, more));
    if (good) symbols = std::move(more);
    return good;
  };
  if (full) {
    if (auto ok = append_symbols(file, *full, text, symbols); !ok) return ok;
  } else if (auto debug = find_debug_file(file, build_id, path, debug_files);
             debug && add(debug->file)) {
    debug_path = debug->path;
  } else {
    const auto embedded = find_embedded_file(file, limits::kEmbeddedBytes);
    stripped = !embedded || !add(*embedded);
  }
  if (const Section* dynamic = file.section_of_type(SHT_DYNSYM))
    if (auto ok = append_symbols(file, *dynamic, text, symbols); !ok) return ok;
  merge_symbols(symbols);
  return {};
}

const Segment* Image::Impl::segment_of(uint64_t vaddr) const {
  for (const Segment& s : segments)
    if (vaddr >= s.range.vaddr && vaddr - s.range.vaddr < s.range.size) return &s;
  return nullptr;
}

const std::vector<FrameExtent>& Image::Impl::all_frames() const {
  std::call_once(frames_once, [this] {
    frames = read_eh_frame(read_up_to(fd, eh_frame.offset, eh_frame.size), eh_frame.vaddr);
  });
  return frames;
}

Image::Range Image::Impl::clipped(const FrameExtent& frame) const {
  const Segment* s = segment_of(frame.vaddr);
  if (!s) return {};
  return {frame.vaddr, std::min(frame.size, s->range.size - (frame.vaddr - s->range.vaddr))};
}

Image::Image(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Image::Image(Image&&) noexcept = default;
Image& Image::operator=(Image&&) noexcept = default;
Image::~Image() = default;

Result<Image> Image::open(Fd fd, std::string path, const std::string& root) {
  return open(std::move(fd), std::move(path),
              [&root](const std::string& debug_path) { return open_below_root(root, debug_path); });
}

Result<Image> Image::open(Fd fd, std::string path, const DebugFiles& debug_files) {
  auto impl = std::make_unique<Impl>();
  impl->fd = std::move(fd);
  impl->path = std::move(path);
  if (auto ok = impl->read(debug_files); !ok) return Unexpected(ok.error());
  return Image(std::move(impl));
}

const Fd& Image::fd() const { return impl_->fd; }
const std::string& Image::path() const { return impl_->path; }
const std::string& Image::build_id() const { return impl_->build_id; }
uint64_t Image::device() const { return impl_->device; }
uint64_t Image::inode() const { return impl_->inode; }
const RiskTraits& Image::traits() const { return impl_->traits; }
bool Image::stripped() const { return impl_->stripped; }
const std::string& Image::debug_path() const { return impl_->debug_path; }
const std::vector<Symbol>& Image::symbols() const { return impl_->symbols; }
const std::vector<Image::Range>& Image::text() const { return impl_->text; }

Result<uint64_t> Image::file_offset(uint64_t vaddr) const {
  if (const Segment* s = impl_->segment_of(vaddr)) return s->offset + (vaddr - s->range.vaddr);
  return fail(Exit::kData, fmt::format("cannot find the code at {:#x} of {}", vaddr, impl_->path),
              "no executable segment of the file holds this address");
}

Result<std::vector<uint8_t>> Image::code(uint64_t vaddr, uint64_t size) const {
  const Segment* s = impl_->segment_of(vaddr);
  if (!s)
    return fail(Exit::kData, fmt::format("cannot read code at {:#x} of {}", vaddr, impl_->path),
                "no executable segment of the file holds this address");
  const uint64_t skipped = vaddr - s->range.vaddr;
  auto bytes = read_up_to(impl_->fd, s->offset + skipped, std::min(size, s->range.size - skipped));
  if (bytes.empty() && size > 0)
    return fail(Exit::kData, fmt::format("cannot read code at {:#x} of {}", vaddr, impl_->path),
                "the file has become shorter since it was opened");
  return bytes;
}

uint64_t Image::fde_size(uint64_t vaddr) const {
  const std::vector<FrameExtent>& frames = impl_->all_frames();
  const auto at = std::ranges::lower_bound(frames, vaddr, {}, &FrameExtent::vaddr);
  return at == frames.end() || at->vaddr != vaddr ? 0 : impl_->clipped(*at).size;
}

std::vector<Image::Range> Image::described() const {
  std::vector<Range> out;
  for (const FrameExtent& frame : impl_->all_frames()) out.push_back(impl_->clipped(frame));
  std::erase_if(out, [](const Range& range) { return range.size == 0; });
  return out;
}

}  // namespace compmond::elf
