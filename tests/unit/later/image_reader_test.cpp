// SPDX-License-Identifier: Apache-2.0
#include "later/image_reader.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <thread>

#include "base/clock.h"

using namespace compmond;
using later::ImageReader;

namespace {

std::shared_ptr<const Fd> opened(const std::string& path) {
  auto file = std::make_shared<const Fd>(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  REQUIRE(file->valid());
  return file;
}

std::shared_ptr<const Fd> program() { return opened("/proc/self/exe"); }

// Files named "dies" and "hangs" do that to who reads them.
ImageReader reader() {
  auto out = ImageReader::start([](const plan::Candidate& image) {
    if (image.path == "dies") std::abort();
    while (image.path == "hangs") ::pause();
    return plan::LaterRisk{"all: " + image.path,
                           image.image->symbols().empty() ? "" : "open: " + image.path};
  });
  REQUIRE(out);
  return std::move(*out);
}

// The next that is read, at this time or, where there is none, by the clock.
ImageReader::Read next(ImageReader& reader, uint64_t now_ns = 0) {
  for (;;) {
    auto some = reader.take(now_ns != 0 ? now_ns : monotonic_ns());
    if (!some.empty()) {
      CHECK(some.size() == 1);
      return some.front();
    }
    std::this_thread::yield();
  }
}

constexpr uint64_t kLong = 60'000'000'000;

}  // namespace

TEST_CASE("image reader: what is seen of a file comes back, in the order of the files") {
  ImageReader files = reader();
  CHECK(files.take(monotonic_ns()).empty());
  files.add("first", program());
  files.add("second", program());
  for (const std::string path : {"first", "second"}) {
    const auto read = next(files);
    CHECK(read.path == path);
    CHECK(read.risk.to_all == "all: " + path);
    CHECK(read.risk.to_open == "open: " + path);
    CHECK(read.missing.empty());
  }
  CHECK(files.take(monotonic_ns()).empty());
}

TEST_CASE("image reader: a file that is no program is told as such, and the next is read") {
  ImageReader files = reader();
  files.add("text", opened(SOURCE_DIR "/CMakeLists.txt"));
  CHECK_FALSE(next(files).missing.empty());
  files.add("program", program());
  CHECK(next(files).missing.empty());
}

TEST_CASE("image reader: a file that ends its reader is told, and the next is read by another") {
  ImageReader files = reader();
  files.add("dies", program());
  const auto dead = next(files);
  CHECK(dead.path == "dies");
  CHECK(dead.risk.to_all.empty());
  CHECK(dead.missing.starts_with("the process that reads it was killed by SIGABRT"));
  files.add("program", program());
  CHECK(next(files).risk.to_all == "all: program");
}

TEST_CASE("image reader: a file that takes too long is given up, and the next is read by another") {
  ImageReader files = reader();
  files.add("hangs", program());
  const uint64_t now = monotonic_ns();
  CHECK(files.take(now).empty());
  CHECK(files.take(now + 1).empty());
  CHECK(next(files, now + kLong).missing == "it took longer than 20 s");
  files.add("program", program());
  CHECK(next(files).risk.to_all == "all: program");
}

TEST_CASE("image reader: after so many readers no more are made, and that is told of each file") {
  ImageReader files = reader();
  for (int i = 0; i < ImageReader::kChildren; ++i) {
    files.add("dies", program());
    CHECK_FALSE(next(files).missing.empty());
  }
  files.add("program", program());
  CHECK(next(files).missing == "the process that reads it is gone");
}
