// SPDX-License-Identifier: Apache-2.0
#include "kieker_files/byte_source.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>

#include "base/fd.h"
#include "kieker_files/archive.h"
#include "kieker_files/inflated.h"

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
  // libarchive takes gzip's streams apart without a look at their checksums.
  if (packing == Packing::kGzip) return inflated(std::move(*plain), Wrapping::kGzip, path);
  if (packing == Packing::kDeflate) return inflated(std::move(*plain), Wrapping::kZlib, path);
  return open_stream(path, packing);
}

}  // namespace compmond::kieker
