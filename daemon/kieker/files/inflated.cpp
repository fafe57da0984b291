// SPDX-License-Identifier: Apache-2.0
#include "kieker_files/inflated.h"

#include <fmt/format.h>
#include <zlib.h>

#include <array>

#include "kieker_files/unpacked_bound.h"

namespace compmond::kieker {
namespace {

constexpr Bytef kGzipBegins = 0x1f;

class Inflated : public ByteSource {
 public:
  Inflated(std::unique_ptr<ByteSource> packed, Wrapping wrapping, std::string path)
      : packed_(std::move(packed)), wrapping_(wrapping), path_(std::move(path)) {
    constexpr int kOfGzip = 16;  // as zlib.h has it
    good_ =
        ::inflateInit2(&stream_, MAX_WBITS + (wrapping == Wrapping::kGzip ? kOfGzip : 0)) == Z_OK;
  }
  Inflated(const Inflated&) = delete;
  ~Inflated() override { ::inflateEnd(&stream_); }

  Result<size_t> read(char* to, size_t size) override {
    stream_.next_out = reinterpret_cast<Bytef*>(to);
    stream_.avail_out = uInt(size);
    while (!ended_ && stream_.avail_out == size)
      if (auto fine = between_ ? go_on() : unpack(); !fine)
        return Unexpected(std::move(fine.error()));
    const size_t out = size - stream_.avail_out;
    if (auto fine = bound_.add(out, packed_->packed_bytes()); !fine) {
      ended_ = true;
      fine.error().what = fmt::format("cannot unpack '{}'", path_);
      return Unexpected(std::move(fine.error()));
    }
    return out;
  }
  uint64_t packed_bytes() const override { return packed_->packed_bytes(); }

 private:
  Result<void> unpack() {
    auto more = fill();
    if (!more) return Unexpected(std::move(more.error()));
    if (!*more) return damaged("it ends in the middle");
    const int got = good_ ? ::inflate(&stream_, Z_NO_FLUSH) : Z_MEM_ERROR;
    if (got != Z_OK && got != Z_STREAM_END) return damaged("its deflated data is damaged");
    between_ = got == Z_STREAM_END;
    return {};
  }
  // Behind a stream: to the next one.
  Result<void> go_on() {
    auto more = fill();
    if (!more) return Unexpected(std::move(more.error()));
    if (!*more) {
      ended_ = true;
    } else if (*stream_.next_in == 0) {  // as tapes and disks fill up their blocks
      ++stream_.next_in;
      --stream_.avail_in;
      padded_ = true;
    } else if (padded_ || !begins_stream(*stream_.next_in)) {
      return damaged("behind its deflated data stands something else, which is not read");
    } else {
      between_ = false;
      good_ &= ::inflateReset(&stream_) == Z_OK;
    }
    return {};
  }
  bool begins_stream(Bytef first) const {
    return wrapping_ == Wrapping::kGzip ? first == kGzipBegins : (first & 0x0f) == Z_DEFLATED;
  }
  // Whether there is packed data to go on with.
  Result<bool> fill() {
    if (stream_.avail_in > 0) return true;
    const auto got = packed_->read(in_.data(), in_.size());
    if (!got) {
      ended_ = true;
      return Unexpected(got.error());
    }
    stream_.next_in = reinterpret_cast<Bytef*>(in_.data());
    stream_.avail_in = uInt(*got);
    return *got > 0;
  }
  Unexpected damaged(const char* why) {
    ended_ = true;
    return fail(Exit::kData, fmt::format("cannot unpack '{}'", path_), why,
                "Check that it was copied as a whole.");
  }

  std::unique_ptr<ByteSource> packed_;
  Wrapping wrapping_;
  std::string path_;
  z_stream stream_{};
  bool good_ = false, ended_ = false;
  bool between_ = false, padded_ = false;  // behind a stream; and zeros follow it
  std::array<char, 32 << 10> in_;
  UnpackedBound bound_;
};

}  // namespace

std::unique_ptr<ByteSource> inflated(std::unique_ptr<ByteSource> packed, Wrapping wrapping,
                                     std::string path) {
  return std::make_unique<Inflated>(std::move(packed), wrapping, std::move(path));
}

}  // namespace compmond::kieker
