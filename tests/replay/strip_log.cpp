// SPDX-License-Identifier: Apache-2.0
// strip_log IN OUT: the same log without what is of the machine that recorded it: host, folders,
// run.
#include <cstdint>
#include <cstdio>
#include <utility>

#include "pipeline/sample_recorder.h"
#include "recording/log_reader.h"
#include "recording/recorder.h"
#include "replay/sample_feed.h"

using namespace compmond;

namespace {

void keep_name(std::string& path) { path.erase(0, path.find_last_of('/') + 1); }

void strip(recording::State& state) {
  for (snapshot::Target& target : state.targets) keep_name(target.exe);
  state.notes.clear();
}

int report(const Error& error) {
  std::fprintf(stderr, "strip_log: %s\n", error.text().c_str());
  return int(error.code);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: strip_log IN OUT\n");
    return 64;
  }
  auto reader = recording::LogReader::open(argv[1]);
  if (!reader) return report(reader.error());
  recording::Header header = reader->header();
  header.host = {};
  header.run.clear();
  keep_name(header.spec_path);
  for (recording::Operation& operation : header.operations) keep_name(operation.image);
  strip(header.state);

  recording::Recorder::Options options;
  options.path = argv[2];
  auto recorder = recording::Recorder::open(std::move(options));
  if (!recorder) return report(recorder.error());
  (*recorder)->start(std::move(header));
  pipeline::SampleRecorder samples(**recorder);
  replay::SampleFeed feed(&samples);
  recording::DecodedChunk chunk;
  while (reader->next(chunk)) {
    chunk.feed(**recorder);
    if (!chunk.samples) continue;
    feed.take(std::move(*chunk.samples));
    feed.deliver(UINT64_MAX, SIZE_MAX);
  }
  samples.hand_on();
  recording::State state = reader->last_state();
  strip(state);
  (*recorder)->flush();
  (*recorder)->finish(std::move(state));
  const auto error = (*recorder)->take_error();
  return error ? report(*error) : 0;
}
