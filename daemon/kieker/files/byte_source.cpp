// SPDX-License-Identifier: Apache-2.0
#include "kieker_files/byte_source.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <zlib.h>

#include <array>
#include <cerrno>

#include "base/fd.h"
#include "kieker_files/archive.h"
#include "kieker_files/unpacked_bound.h"

namespace compmond::kieker {
namespace {

struct Ending {
  std::string_view text;
  Packing packing;
};
// Longer ones first.
constexpr std::array kEndings = {
    Ending{".tar.gz", Packing::kTar},  Ending{".tar.xz", Packing::kTar},
    Ending{".tar.bz2", Packing::kTar}, Ending{".tgz", Packing::kTar},
    Ending{".tar", Packing::kTar},     Ending{".zip", Packing::kZip},
    Ending{".gz", Packing::kGzip},     Ending{".xz", Packing::kXz},
    Ending{".bz2", Packing::kBzip2},   Ending{".deflate", Packing::kDeflate},
    Ending{".df", Packing::kDeflate},
};

const Ending* ending_of(std::string_view name) {
  for (const Ending& one : kEndings)
    if (name.ends_with(one.text)) return &one;
  return nullptr;
}

class PlainFile : public ByteSource {
 public:
  PlainFile(Fd file, std::string path) : file_(std::move(file)), path_(std::move(path)) {}

  Result<size_t> read(char* to, size_t size) override {
    for (;;) {
      const ssize_t got = ::read(file_.get(), to, size);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return fail_errno(Exit::kData, fmt::format("cannot read '{}'", path_), errno);
      read_ += uint64_t(got);
      return size_t(got);
    }
  }
  uint64_t packed_bytes() const override { return read_; }

 private:
  Fd file_;
  std::string path_;
  uint64_t read_ = 0;
};

// The format of zlib (RFC 1950), which no archiver writes files of but Java's streams do.
class DeflatedFile : public ByteSource {
 public:
  explicit DeflatedFile(std::unique_ptr<ByteSource> packed, std::string path)
      : packed_(std::move(packed)), path_(std::move(path)) {
    good_ = ::inflateInit(&stream_) == Z_OK;
  }
  DeflatedFile(const DeflatedFile&) = delete;
  ~DeflatedFile() override { ::inflateEnd(&stream_); }

  Result<size_t> read(char* to, size_t size) override {
    stream_.next_out = reinterpret_cast<Bytef*>(to);
    stream_.avail_out = uInt(size);
    while (!ended_ && stream_.avail_out == size) {
      if (stream_.avail_in == 0)
        if (auto filled = fill(); !filled) return Unexpected(std::move(filled.error()));
      const int got = good_ ? ::inflate(&stream_, Z_NO_FLUSH) : Z_MEM_ERROR;
      ended_ = got == Z_STREAM_END;
      if (got != Z_OK && got != Z_STREAM_END) return damaged("its deflated data is damaged");
    }
    const size_t out = size - stream_.avail_out;
    if (auto fine = bound_.add(out, packed_->packed_bytes()); !fine)
      return Unexpected(std::move(fine.error()));
    return out;
  }
  uint64_t packed_bytes() const override { return packed_->packed_bytes(); }

 private:
  Result<void> fill() {
    const auto got = packed_->read(in_.data(), in_.size());
    if (!got) return Unexpected(got.error());
    if (*got == 0) return damaged("it ends in the middle");
    stream_.next_in = reinterpret_cast<Bytef*>(in_.data());
    stream_.avail_in = uInt(*got);
    return {};
  }
  Unexpected damaged(const char* why) {
    ended_ = true;
    return fail(Exit::kData, fmt::format("cannot unpack '{}'", path_), why,
                "Check that it was copied as a whole.");
  }

  std::unique_ptr<ByteSource> packed_;
  std::string path_;
  z_stream stream_{};
  bool good_ = false, ended_ = false;
  std::array<char, 32 << 10> in_;
  UnpackedBound bound_;
};

Result<std::unique_ptr<ByteSource>> open_plain(const std::string& path) {
  const std::string what = fmt::format("cannot read '{}'", path);
  Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat st {};
  if (!file.valid() || ::fstat(file.get(), &st) != 0)
    return fail_errno(is_permission(errno) ? Exit::kNoPermission : Exit::kNoInput, what, errno,
                      "Check the path.");
  if (!S_ISREG(st.st_mode)) return fail(Exit::kNoInput, what, "it is not a regular file");
  return std::unique_ptr<ByteSource>(new PlainFile(std::move(file), path));
}

}  // namespace

Packing packing_of(std::string_view name) {
  const Ending* ending = ending_of(name);
  return ending ? ending->packing : Packing::kNone;
}

std::string_view without_packing(std::string_view name) {
  if (const Ending* ending = ending_of(name)) name.remove_suffix(ending->text.size());
  return name;
}

Result<std::unique_ptr<ByteSource>> open_file(const std::string& path, Packing packing) {
  auto plain = open_plain(path);
  if (!plain || packing == Packing::kNone) return plain;
  if (packing != Packing::kDeflate) return open_in(path, packing, {});
  return std::unique_ptr<ByteSource>(new DeflatedFile(std::move(*plain), path));
}

}  // namespace compmond::kieker
