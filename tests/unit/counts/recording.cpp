// SPDX-License-Identifier: Apache-2.0
#include "recording.h"

#include <doctest/doctest.h>
#include <zstd.h>

#include <fstream>
#include <iterator>
#include <sstream>

namespace compmond::counts::recordings {

namespace {

std::string content(const std::string& file) {
  std::ifstream in(SOURCE_DIR "/tests/unit/counts/data/" + file, std::ios::binary);
  const std::string packed(std::istreambuf_iterator<char>(in), {});
  std::string out(ZSTD_getFrameContentSize(packed.data(), packed.size()), 0);
  REQUIRE(ZSTD_decompress(out.data(), out.size(), packed.data(), packed.size()) == out.size());
  return out;
}

// Of words a:b:…, each with so many numbers.
std::vector<std::vector<uint32_t>> numbers(std::istream& in) {
  std::vector<std::vector<uint32_t>> out;
  for (std::string word; in >> word;) {
    std::istringstream parts(word);
    out.emplace_back();
    for (std::string part; std::getline(parts, part, ':');)
      out.back().push_back(uint32_t(std::stoul(part)));
  }
  return out;
}

Cells cells(std::istream& in) {
  Cells out;
  for (const auto& n : numbers(in)) {
    const Cell cell{.stratum = {uint8_t(n.at(0)), uint8_t(n.at(1))},
                    .first = (n.at(2) & 1) != 0,
                    .complete = (n.at(2) & 2) != 0,
                    .carried = (n.at(2) & 4) != 0};
    out[cell] = n.at(3);
  }
  return out;
}

Slice slice(std::istream& in) {
  Slice out;
  std::string attached;
  in >> out.start_ns >> out.end_ns >> out.slow_down >> attached;
  for (const char c : attached) out.attached.push_back(c == '1');
  return out;
}

std::vector<Caller> callers(std::istream& in) {
  std::vector<Caller> out;
  std::map<Item, double> all;
  for (const auto& n : numbers(in)) {
    out.push_back({n.at(0), n.at(1), double(n.at(2))});
    all[n.at(1)] += n.at(2);
  }
  for (Caller& caller : out) caller.share /= all[caller.to];
  return out;
}

}  // namespace

Recording read(const std::string& file) {
  Recording out;
  std::istringstream lines(content(file));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream in(line);
    std::string word;
    in >> word;
    if (word == "items") {
      out.names.assign(std::istream_iterator<std::string>(in), {});
    } else if (word == "inputs") {
      for (const auto& n : numbers(in))
        (n.at(0) < kStrata ? out.inputs.descriptor : out.inputs.size)[n[0] % kStrata] = n.at(1);
    } else if (word == "callers") {
      out.callers = callers(in);
    } else if (word == "truth") {
      in >> word;
      in >> out.truth[word];
    } else if (word == "slice") {
      out.slices.push_back(slice(in));
    } else if (word == "in") {
      out.slices.back().inputs = cells(in);
    } else {
      out.slices.back().calls[Item(std::stoul(word))] = cells(in);
    }
  }
  return out;
}

}  // namespace compmond::counts::recordings
