// SPDX-License-Identifier: Apache-2.0
// Files of a log that are packed, one by one or as a whole.
#include <doctest/doctest.h>
#include <sys/stat.h>
#include <zlib.h>

#include <algorithm>
#include <iterator>

#include "folder.h"
#include "kieker_files/log_files.h"

using namespace compmond::kieker;
using namespace compmond::kieker::test;

namespace {

std::string execution(int trace) {
  return fmt::format("$1;300;void a.C.f();s;{};1;2;host;0;0\n", trace);
}

std::string deflated(const std::string& text) {
  std::string out(::compressBound(text.size()), '\0');
  uLongf size = out.size();
  REQUIRE(::compress(reinterpret_cast<Bytef*>(out.data()), &size,
                     reinterpret_cast<const Bytef*>(text.data()), text.size()) == Z_OK);
  out.resize(size);
  return out;
}

// `level` 0: stored as it is, so that a changed letter is still text.
std::string gzipped(const std::string& text, int level = 6) {
  const Folder folder;
  const gzFile file = ::gzopen(folder.path("gz").c_str(), fmt::format("wb{}", level).c_str());
  REQUIRE(file != nullptr);
  REQUIRE(::gzwrite(file, text.data(), unsigned(text.size())) == int(text.size()));
  REQUIRE(::gzclose(file) == Z_OK);
  std::ifstream in(folder.path("gz"), std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// Of a log with that data file.
Reading read_packed(const std::string& name, const std::string& bytes) {
  const Folder folder;
  folder.write("kieker.map", kMap);
  folder.write(name, bytes);
  return Reading({folder.path()});
}

// A file in a tar archive, as of 1979, with no more than what readers need.
// Where `link` is given, a symbolic link to there.
std::string tarred(const std::string& name, const std::string& text, const std::string& link = "") {
  std::string head(512, '\0');
  const auto put = [&](size_t at, const std::string& field) {
    head.replace(at, field.size(), field);
  };
  put(0, name);
  put(100, "0000644");
  put(124, fmt::format("{:011o}", text.size()));
  put(136, "00000000000");
  put(148, "        ");
  put(156, link.empty() ? "0" : "2" + link);
  unsigned sum = 0;
  for (const char c : head) sum += uint8_t(c);
  put(148, fmt::format("{:06o}", sum));
  head[154] = '\0';
  return head + text + std::string((512 - text.size() % 512) % 512, '\0');
}
const std::string kTarEnd(1024, '\0');

bool tells(const Reading& reading, const std::string& what) {
  return reading.damage.count == 1 && reading.damage.examples[0].find(what) != std::string::npos;
}

}  // namespace

TEST_CASE("packed: a data file that is a pipe is told, and the rest is read") {
  const Folder folder;
  folder.write("kieker.map", kMap);
  folder.write("kieker-1.dat", execution(1));
  REQUIRE(::mkfifo(folder.path("kieker-2.dat").c_str(), 0600) == 0);
  const Reading reading({folder.path()});
  CHECK(reading.traces.size() == 1);
  CHECK(tells(reading, "kieker-2.dat: it is not a regular file"));
}

TEST_CASE("packed: streams one behind the other are all read") {
  const std::string both = deflated(execution(1)) + deflated(execution(2));
  for (const std::string& padding : {std::string(), std::string(100, '\0')}) {
    const Reading reading = read_packed("kieker-1.dat.deflate", both + padding);
    CHECK(reading.damage.count == 0);
    CHECK(reading.traces.size() == 2);
  }
}

TEST_CASE("packed: gzip's streams are all read, and padding is none") {
  const std::string both = gzipped(execution(1)) + gzipped(execution(2), 0);
  const Reading reading = read_packed("kieker-1.dat.gz", both + std::string(512, '\0'));
  CHECK(reading.damage.count == 0);
  CHECK(reading.traces.size() == 2);
  CHECK(tells(read_packed("kieker-1.dat.gz", both + "rest"), "stands something else"));
}

TEST_CASE("packed: what does not fit gzip's checksum or length is told") {
  const std::string fine = gzipped(execution(1234), 0);
  const size_t digit = fine.find(";1234;") + 1, checksum = fine.size() - 8, length = checksum + 4;
  for (const size_t at : {digit, checksum, length}) {
    CAPTURE(at);
    std::string changed = fine;
    changed[at] ^= 1;
    CHECK(tells(read_packed("kieker-1.dat.gz", changed),
                "kieker-1.dat.gz: its deflated data is damaged"));
  }
}

TEST_CASE("packed: what stands behind a stream and is none is told") {
  for (const std::string& rest : {std::string("rest"), std::string("\0\0rest", 6)}) {
    const Reading reading = read_packed("kieker-1.dat.deflate", deflated(execution(1)) + rest);
    CHECK(reading.traces.size() == 1);
    CHECK(tells(reading, "kieker-1.dat.deflate: behind its deflated data stands something else"));
  }
}

TEST_CASE("packed: a stream cut short is told, and what it has is read") {
  const std::string second = deflated(execution(2));
  for (const size_t length : {size_t(1), second.size() - 1}) {
    const Reading reading =
        read_packed("kieker-1.dat.deflate", deflated(execution(1)) + second.substr(0, length));
    CHECK(reading.traces.size() == (length == 1 ? 1 : 2));
    CHECK(tells(reading, "kieker-1.dat.deflate: it ends in the middle"));
  }
}

TEST_CASE("packed: an archive whose many files lie against their order ends in an error in time") {
  const Folder folder;
  std::string tar = tarred("l/kieker.map", kMap);
  for (int i = 1'100; i > 0; --i) tar += tarred(fmt::format("l/kieker-{:04}.dat", i), execution(i));
  folder.write("log.tar", tar + kTarEnd);
  const Reading reading({folder.path("log.tar")});
  CHECK(reading.traces.size() == 1'000);
  REQUIRE_FALSE(reading.damage.examples.empty());
  CHECK(reading.damage.examples[0].find("kieker-1001.dat: too many of its files lie against") !=
        std::string::npos);
}

TEST_CASE("packed: a link in an archive is told") {
  const Folder folder;
  folder.write("log.tar", tarred("l/kieker.map", kMap) + tarred("l/kieker-1.dat", execution(1)) +
                              tarred("l/kieker-2.dat", "", "elsewhere") +
                              tarred("l/kieker-3.dat", execution(3)) + kTarEnd);
  const Reading reading({folder.path("log.tar")});
  CHECK(reading.traces.size() == 2);
  CHECK(tells(reading, "kieker-2.dat: it is a link, not a file"));
}

TEST_CASE("packed: files of an archive are read in any order, each once, also of one name") {
  const std::string members[] = {
      tarred("l/kieker.map", kMap), tarred("l/kieker-1.dat", execution(1)),
      tarred("l/kieker-2.dat", execution(2)), tarred("l/kieker-2.dat", execution(3))};
  for (const std::vector<int>& order :
       std::vector<std::vector<int>>{{0, 1, 2, 3}, {3, 2, 1, 0}, {2, 0, 3, 1}, {1, 2, 3, 0}}) {
    const Folder folder;
    std::string tar;
    for (const int at : order) tar += members[at];
    folder.write("log.tar", tar + kTarEnd);
    const Reading reading({folder.path("log.tar")});
    CHECK(reading.damage.count == 0);
    std::vector<int64_t> ids;
    for (const auto& trace : reading.traces) ids.push_back(trace.id);
    std::sort(ids.begin(), ids.end());
    CHECK(ids == std::vector<int64_t>{1, 2, 3});
  }
}

TEST_CASE("packed: the files of an archive in their order take one reading of it") {
  const Folder folder;
  std::string tar = tarred("l/kieker.map", kMap);
  constexpr int kFiles = 200;
  for (int i = 0; i < kFiles; ++i)
    tar += tarred(fmt::format("l/kieker-{:03}.dat", i), execution(i));
  folder.write("log.tar", tar + kTarEnd);
  auto files = LogFiles::open(folder.path("log.tar"));
  REQUIRE(files);
  REQUIRE(files->count() == size_t(kFiles));
  uint64_t packed = 0;
  for (size_t i = 0; i < files->count(); ++i) {
    const auto source = files->open_data(i);
    REQUIRE(source);
    char buffer[256];
    CHECK((*source)->read(buffer, sizeof buffer).value_or(0) == execution(int(i)).size());
    packed += (*source)->packed_bytes();
  }
  CHECK(packed <= files->packed_bytes());
}

TEST_CASE("packed: an archive that becomes far larger than it is, is not gone through") {
  const Folder folder;
  const std::string path = folder.path("log.tar.gz");
  const gzFile file = ::gzopen(path.c_str(), "wb6");
  REQUIRE(file != nullptr);
  const auto put = [&](const std::string& bytes) {
    REQUIRE(::gzwrite(file, bytes.data(), unsigned(bytes.size())) == int(bytes.size()));
  };
  put(tarred("kieker.map", kMap));
  const std::string zeros(16 << 20, '\0');
  for (int i = 0; i < 20; ++i) put(tarred(fmt::format("zeros-{}", i), zeros));
  put(tarred("kieker-1.dat", execution(1)) + kTarEnd);
  REQUIRE(::gzclose(file) == Z_OK);
  const auto files = LogFiles::open(path);
  REQUIRE_FALSE(files);
  CHECK(files.error().code == compmond::Exit::kData);
  CHECK(files.error().text().find("log.tar.gz': it becomes more than 300 times as large") !=
        std::string::npos);
}

TEST_CASE("packed: an archive that does not fit gzip's checksum is told to be damaged") {
  const Folder folder;
  const std::string path = folder.path("log.tar.gz");
  const std::string tar = tarred("kieker.map", kMap) + tarred("kieker-1.dat", execution(1234));
  const std::string fine = gzipped(tar + kTarEnd + std::string(1 << 20, '\0'), 0);
  folder.write("log.tar.gz", fine);
  CHECK(Reading({path}).traces.size() == 1);
  for (const size_t at : {fine.find(";1234;") + 1, fine.size() - 1}) {
    CAPTURE(at);
    std::string changed = fine;
    changed[at] ^= 1;
    folder.write("log.tar.gz", changed);
    const auto files = LogFiles::open(path);
    REQUIRE_FALSE(files);
    CHECK(files.error().text().find("log.tar.gz': its deflated data is damaged") !=
          std::string::npos);
  }
}
