// SPDX-License-Identifier: Apache-2.0
// spec_verdict FILE         exits 0 for a good spec; otherwise prints the error and exits with its
// code. spec_verdict --snapshot   prints a snapshot in which every list has an element.
#include <cstdio>
#include <string>

#include "snapshot/snapshot.h"
#include "spec/parse.h"
#include "unit/terminal/sample.h"

namespace {

std::string sample_snapshot() {
  auto snapshot = compmond::terminal::test::file_host();
  snapshot.health.notes = {"a note"};
  snapshot.health.throttled = {"fh::FileHandler::open"};
  snapshot.health.disabled = {"fh::FileReader::read"};
  snapshot.health.switches = {{1000, false, "FileReader"}, {2000, true, ""}};
  snapshot.health.slices = {{1, 2, 3, 1.5}};
  snapshot.health.sliced = {1, 0.06, 1.5, 0.3};
  snapshot.slo = compmond::terminal::test::slow_file_host().slo;
  snapshot.components[0].figures.slo = {50'000'000, 12, 1, 1};
  return compmond::snapshot::to_json(snapshot);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: spec_verdict FILE | --snapshot\n", stderr);
    return int(compmond::Exit::kUsage);
  }
  if (std::string(argv[1]) == "--snapshot") {
    std::puts(sample_snapshot().c_str());
    return 0;
  }
  std::string text;
  if (std::FILE* file = std::fopen(argv[1], "rb")) {
    char buffer[65536];
    for (size_t n; (n = std::fread(buffer, 1, sizeof buffer, file)) > 0;) text.append(buffer, n);
    std::fclose(file);
  } else {
    std::perror(argv[1]);
    return int(compmond::Exit::kNoInput);
  }
  const auto spec = compmond::spec::parse(text, argv[1]);
  if (spec) return 0;
  std::puts(spec.error().text().c_str());
  return int(spec.error().code);
}
