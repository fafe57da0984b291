// SPDX-License-Identifier: Apache-2.0
#include "kieker_files/archive.h"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "core/limits.h"

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
      archive_read_support_filter_xz(reader);
      archive_read_support_filter_bzip2(reader);
      return;
    case Packing::kXz:
      archive_read_support_filter_xz(reader);
      break;
    case Packing::kBzip2:
      archive_read_support_filter_bzip2(reader);
      break;
    case Packing::kNone:
    case Packing::kGzip:
    case Packing::kDeflate:
      break;
  }
  archive_read_support_format_raw(reader);
}

// The bytes that gzip packed in it; nullptr where it did not.
Result<std::unique_ptr<ByteSource>> open_gzipped(const std::string& path) {
  auto plain = open_file(path, Packing::kNone);
  if (!plain) return plain;
  std::array<char, 2> magic;
  const auto got = (*plain)->read(magic.data(), magic.size());
  if (!got) return Unexpected(got.error());
  if (*got < magic.size() || magic[0] != '\x1f' || magic[1] != '\x8b') return nullptr;
  return open_file(path, Packing::kGzip);
}

// A file in an archive, or the one stream. Leaves the archive to `rest` where it can be read on.
class Member : public ByteSource {
 public:
  // `before`: of the archive, taken by other files.
  Member(Archive archive, uint64_t before, std::shared_ptr<std::optional<Archive>> rest)
      : archive_(std::move(archive)), before_(before), rest_(std::move(rest)) {}
  Member(const Member&) = delete;
  ~Member() override {
    if (rest_) *rest_ = std::move(archive_);
  }

  Result<size_t> read(char* to, size_t size) override {
    auto got = archive_.read(to, size);
    if (!got && !archive_.is_link()) rest_.reset();
    return got;
  }
  uint64_t packed_bytes() const override {
    return archive_.packed_bytes() - std::min(archive_.packed_bytes(), before_);
  }

 private:
  Archive archive_;
  uint64_t before_;
  std::shared_ptr<std::optional<Archive>> rest_;
};

}  // namespace

void Archive::Close::operator()(archive* one) const { archive_read_free(one); }

// Unpacks a tar that gzip packed: libarchive does so without a look at the checksum.
struct Archive::Feed {
  std::unique_ptr<ByteSource> source;
  std::optional<Error> error;
  std::array<char, kBlockBytes> block;

  static la_ssize_t read(archive* reader, void* self, const void** bytes) {
    auto* const feed = static_cast<Feed*>(self);
    *bytes = feed->block.data();
    auto got = feed->source->read(feed->block.data(), feed->block.size());
    if (got) return la_ssize_t(*got);
    feed->error = std::move(got.error());
    archive_set_error(reader, EIO, "%s", feed->error->why.c_str());
    return ARCHIVE_FATAL;
  }
};

Unexpected Archive::failed() const {
  if (feed_ && feed_->error) return Unexpected(*feed_->error);
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
  if (packing == Packing::kTar) {
    auto unpacked = open_gzipped(path);
    if (!unpacked) return Unexpected(std::move(unpacked.error()));
    if (*unpacked) {
      out.feed_ = std::make_shared<Feed>();
      out.feed_->source = std::move(*unpacked);
    }
  }
  if (out.start() != ARCHIVE_OK) return out.failed();
  return out;
}

int Archive::start() {
  if (feed_) return archive_read_open(archive_.get(), feed_.get(), nullptr, Feed::read, nullptr);
  return archive_read_open_filename(archive_.get(), path_.c_str(), kBlockBytes);
}

// Behind the last file stand zeros, and the checksum of all.
Result<bool> Archive::at_end() {
  while (feed_) {
    auto got = feed_->source->read(feed_->block.data(), feed_->block.size());
    if (!got) return Unexpected(std::move(got.error()));
    if (*got == 0) break;
  }
  return false;
}

Result<bool> Archive::next() {
  for (;;) {
    if (auto passed = pass(); !passed) return Unexpected(std::move(passed.error()));
    archive_entry* entry = nullptr;
    const int got = archive_read_next_header(archive_.get(), &entry);
    if (got == ARCHIVE_EOF) return at_end();
    if (got < ARCHIVE_WARN) return failed();
    in_entry_ = true;
    const auto type = archive_entry_filetype(entry);
    is_link_ = type == AE_IFLNK || archive_entry_hardlink(entry);
    if (type != AE_IFREG && type != 0 && !is_link_) continue;
    const char* name = archive_entry_pathname(entry);
    name_ = name ? name : "";
    ++passed_;
    return true;
  }
}

// The rest of what an entry holds. libarchive would unpack it as well to find the next one, but
// without a bound; what is not packed it only leaps over.
Result<void> Archive::pass() {
  if (!in_entry_ || archive_filter_code(archive_.get(), 0) == ARCHIVE_FILTER_NONE) return {};
  for (;;) {
    const void* block = nullptr;
    size_t size = 0;
    la_int64_t offset = 0;
    const int got = archive_read_data_block(archive_.get(), &block, &size, &offset);
    if (got == ARCHIVE_EOF) return {};
    if (got < ARCHIVE_WARN) return failed();
    if (auto fine = count(size); !fine) return fine;
  }
}

Result<void> Archive::count(size_t bytes) {
  auto fine = bound_.add(bytes, packed_bytes());
  if (!fine) fine.error().what = fmt::format("cannot unpack '{}'", path_);
  return fine;
}

std::string Archive::name() const { return name_; }

Result<size_t> Archive::read(char* to, size_t size) {
  if (is_link_)
    return fail(Exit::kData, fmt::format("cannot read '{}' in '{}'", name_, path_),
                "it is a link, not a file");
  const la_ssize_t got = archive_read_data(archive_.get(), to, size);
  if (got < 0) return failed();
  if (auto fine = count(size_t(got)); !fine) return Unexpected(std::move(fine.error()));
  return size_t(got);
}

uint64_t Archive::packed_bytes() const {
  if (feed_) return feed_->source->packed_bytes();
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

Result<std::unique_ptr<ByteSource>> open_stream(const std::string& path, Packing packing) {
  auto archive = Archive::open(path, packing);
  if (!archive) return Unexpected(std::move(archive.error()));
  auto more = archive->next();
  if (!more) return Unexpected(std::move(more.error()));
  if (!*more) return fail(Exit::kData, fmt::format("cannot unpack '{}'", path), "it is empty");
  return std::unique_ptr<ByteSource>(new Member(std::move(*archive), 0, nullptr));
}

Result<std::unique_ptr<ByteSource>> ArchiveFiles::open(const std::string& path, Packing packing,
                                                       size_t place, const std::string& name) {
  std::optional<Archive> archive = std::exchange(*rest_, std::nullopt);
  if (!archive || archive->path() != path || archive->passed() > place) {
    if (last_ != path) begun_ = 0;
    last_ = path;
    if (++begun_ > limits::kArchivesBegun)
      return fail(Exit::kData, fmt::format("cannot read '{}' in '{}'", name, path),
                  "too many of its files lie against the order of their names",
                  "Unpack it, and give the folder.");
    auto anew = Archive::open(path, packing);
    if (!anew) return Unexpected(std::move(anew.error()));
    archive = std::move(*anew);
  }
  const uint64_t before = archive->packed_bytes();
  while (archive->passed() <= place) {
    auto more = archive->next();
    if (!more) return Unexpected(std::move(more.error()));
    if (!*more) break;
  }
  if (archive->passed() <= place || archive->name() != name)
    return fail(Exit::kNoInput, fmt::format("cannot read '{}' in '{}'", name, path), "it is gone");
  return std::unique_ptr<ByteSource>(new Member(std::move(*archive), before, rest_));
}

}  // namespace compmond::kieker
