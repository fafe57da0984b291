// SPDX-License-Identifier: Apache-2.0
#include "kieker_files/archive.h"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>

#include "core/limits.h"
#include "kieker_files/unpacked_bound.h"

namespace compmond::kieker {
namespace {

constexpr size_t kBlockBytes = 64 << 10;  // that are read at once

void allow(archive* reader, Packing packing) {
  switch (packing) {
    case Packing::kZip:
      archive_read_support_format_zip(reader);
      return;
    case Packing::kTar:
      archive_read_support_format_tar(reader);
      archive_read_support_filter_gzip(reader);
      archive_read_support_filter_xz(reader);
      archive_read_support_filter_bzip2(reader);
      return;
    case Packing::kGzip:
      archive_read_support_filter_gzip(reader);
      break;
    case Packing::kXz:
      archive_read_support_filter_xz(reader);
      break;
    case Packing::kBzip2:
      archive_read_support_filter_bzip2(reader);
      break;
    case Packing::kNone:
    case Packing::kDeflate:
      break;
  }
  archive_read_support_format_raw(reader);
}

// A file in an archive, or the one stream.
class Member : public ByteSource {
 public:
  explicit Member(Archive archive) : archive_(std::move(archive)) {}

  Result<size_t> read(char* to, size_t size) override {
    auto got = archive_.read(to, size);
    if (!got) return got;
    if (auto fine = bound_.add(*got, archive_.packed_bytes()); !fine)
      return Unexpected(std::move(fine.error()));
    return got;
  }
  uint64_t packed_bytes() const override { return archive_.packed_bytes(); }

 private:
  Archive archive_;
  UnpackedBound bound_;
};

}  // namespace

void Archive::Close::operator()(archive* one) const { archive_read_free(one); }

Unexpected Archive::failed() const {
  const char* why = archive_error_string(archive_.get());
  return fail(Exit::kData, fmt::format("cannot unpack '{}'", path_),
              why ? why : "it is damaged, or not packed as its name says",
              "Check that it was copied as a whole.");
}

Result<Archive> Archive::open(const std::string& path, Packing packing) {
  Archive out(path);
  out.archive_.reset(archive_read_new());
  if (!out.archive_) return fail(Exit::kInternal, "cannot unpack", "there is no memory");
  allow(out.archive_.get(), packing);
  if (archive_read_open_filename(out.archive_.get(), path.c_str(), kBlockBytes) != ARCHIVE_OK)
    return out.failed();
  return out;
}

Result<bool> Archive::next() {
  for (;;) {
    archive_entry* entry = nullptr;
    const int got = archive_read_next_header(archive_.get(), &entry);
    if (got == ARCHIVE_EOF) return false;
    if (got < ARCHIVE_WARN) return failed();
    if (archive_entry_filetype(entry) != AE_IFREG && archive_entry_filetype(entry) != 0) continue;
    const char* name = archive_entry_pathname(entry);
    name_ = name ? name : "";
    return true;
  }
}

std::string Archive::name() const { return name_; }

Result<size_t> Archive::read(char* to, size_t size) {
  const la_ssize_t got = archive_read_data(archive_.get(), to, size);
  if (got < 0) return failed();
  return size_t(got);
}

uint64_t Archive::packed_bytes() const {
  return uint64_t(std::max<la_int64_t>(0, archive_filter_bytes(archive_.get(), -1)));
}

Result<std::vector<std::string>> files_in(const std::string& path, Packing packing) {
  auto archive = Archive::open(path, packing);
  if (!archive) return Unexpected(std::move(archive.error()));
  std::vector<std::string> out;
  for (;;) {
    auto more = archive->next();
    if (!more) return Unexpected(std::move(more.error()));
    if (!*more) return out;
    if (out.size() >= limits::kArchiveFiles)
      return fail(Exit::kData, fmt::format("cannot read '{}'", path),
                  fmt::format("it holds more than {} files", limits::kArchiveFiles),
                  "Unpack it, and give the folders of logs.");
    out.push_back(archive->name());
  }
}

Result<std::unique_ptr<ByteSource>> open_in(const std::string& path, Packing packing,
                                            const std::string& name) {
  auto archive = Archive::open(path, packing);
  if (!archive) return Unexpected(std::move(archive.error()));
  for (;;) {
    auto more = archive->next();
    if (!more) return Unexpected(std::move(more.error()));
    if (!*more)
      return fail(Exit::kNoInput, fmt::format("cannot read '{}' in '{}'", name, path),
                  "it is gone");
    if (holds_files(packing) && archive->name() != name) continue;
    return std::unique_ptr<ByteSource>(new Member(std::move(*archive)));
  }
}

}  // namespace compmond::kieker
