// SPDX-License-Identifier: Apache-2.0
// kieker::KiekerReader on any folder, and what is made of its traces. An input is text: kieker.map
// (a map of all known types where it is empty), then the .dat files, each behind a line "=".
#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "bytes.h"
#include "check.h"
#include "graphs/call_tree.h"
#include "graphs/equivalence.h"
#include "graphs/markov.h"
#include "kieker/reader.h"
#include "traces/assembler.h"

namespace compmond::fuzz {
namespace {

using traces::Trace;
using traces::TracedExecution;

constexpr std::string_view kMap =
    "$0=kieker.common.record.misc.KiekerMetadataRecord\n"
    "$1=kieker.common.record.controlflow.OperationExecutionRecord\n"
    "$2=kieker.common.record.flow.trace.TraceMetadata\n"
    "$3=kieker.common.record.flow.trace.operation.BeforeOperationEvent\n"
    "$4=kieker.common.record.flow.trace.operation.AfterOperationEvent\n"
    "$5=kieker.common.record.flow.trace.operation.AfterOperationFailedEvent\n"
    "$6=kieker.common.record.flow.trace.operation.CallOperationEvent\n"
    "$7=kieker.common.record.flow.trace.concurrency.SplitEvent\n"
    "$8=kieker.common.record.system.CPUUtilizationRecord\n";
constexpr size_t kFiles = 3;

// A folder in memory, gone with the object.
class Folder {
 public:
  Folder() {
    char path[] = "/dev/shm/compmond-fuzz-XXXXXX";
    FUZZ_CHECK(::mkdtemp(path) != nullptr);
    path_ = path;
  }
  Folder(const Folder&) = delete;
  ~Folder() { std::filesystem::remove_all(path_); }
  void write(const std::string& name, std::string_view text) const {
    std::ofstream(path_ + "/" + name, std::ios::binary) << text;
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

void write_input(const Folder& folder, std::string_view text) {
  for (size_t file = 0; file <= kFiles; ++file) {
    const size_t end = file < kFiles ? std::min(text.find("=\n"), text.size()) : text.size();
    const std::string_view part = text.substr(0, end);
    if (file == 0)
      folder.write("kieker.map", part.empty() ? kMap : part);
    else
      folder.write("kieker-" + std::to_string(file) + ".dat", part);
    if (end == text.size() && file > 0) return;
    text.remove_prefix(std::min(end + 2, text.size()));
  }
}

// What a reader promises its sink.
class Sink : public traces::TracedSink {
 public:
  Sink(const traces::Catalogue& catalogue, traces::TraceAssembler& to)
      : catalogue_(catalogue), to_(to) {}
  void on_execution(const TracedExecution& execution, uint64_t logged_ns) override {
    FUZZ_CHECK(execution.end_ns >= execution.start_ns);
    FUZZ_CHECK(execution.operation < catalogue_.operations().size());
    FUZZ_CHECK(execution.host < catalogue_.hosts().size());
    FUZZ_CHECK(execution.session < catalogue_.sessions().size());
    FUZZ_CHECK(logged_ns >= logged_ns_);
    logged_ns_ = logged_ns;
    ++executions;
    to_.on_execution(execution, logged_ns);
  }
  void on_unusable(int64_t trace_id, std::string_view why) override {
    FUZZ_CHECK(!why.empty());
    to_.on_unusable(trace_id, why);
  }
  uint64_t executions = 0;

 private:
  const traces::Catalogue& catalogue_;
  traces::TraceAssembler& to_;
  uint64_t logged_ns_ = 0;
};

void check_trace(const Trace& trace) {
  FUZZ_CHECK(!trace.executions.empty() && trace.caller.size() == trace.executions.size());
  for (size_t i = 0; i < trace.executions.size(); ++i) {
    const TracedExecution& e = trace.executions[i];
    const int32_t caller = trace.caller[i];
    FUZZ_CHECK(e.eoi == int32_t(i) && caller < int32_t(i));
    FUZZ_CHECK(e.ess == (caller < 0 ? 0 : trace.executions[size_t(caller)].ess + 1));
  }
}

// The traces of a folder, each once through every analysis that keeps something of it.
void read_folder(const std::string& path, bool repair) {
  traces::Catalogue catalogue;
  auto reader = kieker::KiekerReader::open(path, catalogue);
  if (!reader) {
    FUZZ_CHECK(reader.error().code == Exit::kData);
    FUZZ_CHECK(!reader.error().why.empty() && !reader.error().next.empty());
    return;
  }
  graphs::EquivalenceClasses classes(true);
  graphs::CallTree tree(catalogue, {}, graphs::CallTree::Kind::kAggregated);
  graphs::MarkovChain chain(catalogue, {});
  uint64_t traces = 0, executions = 0;
  traces::TraceAssembler::Options options;
  options.repair = repair;
  options.linger_ns = traces::kLingerNs;
  traces::TraceAssembler assembler(options, [&](const Trace& trace) {
    check_trace(trace);
    ++traces;
    executions += trace.executions.size();
    classes.add(trace);
    tree.add(trace);
    chain.add(trace);
  });
  Sink sink(catalogue, assembler);
  std::vector<std::unique_ptr<traces::TraceLog>> logs;
  logs.push_back(std::move(*reader));
  traces::read_merged(logs, sink, [] {});
  assembler.finish();

  FUZZ_CHECK(logs[0]->done() == logs[0]->total());
  FUZZ_CHECK(logs[0]->bad_records().count >= logs[0]->bad_records().examples.size());
  const auto& counts = assembler.counts();
  FUZZ_CHECK(counts.traces == traces && counts.executions == executions);
  FUZZ_CHECK(sink.executions == executions + counts.broken_executions);
  FUZZ_CHECK(!repair || counts.broken_executions == 0);
  uint64_t members = 0, calls = 0;
  for (const auto& one : classes.classes()) members += one.cardinality;
  for (const auto& node : tree.nodes()) calls += node.thing >= 0 ? node.count : 0;
  FUZZ_CHECK(members == traces && calls == executions && chain.traces() == traces);
}

}  // namespace
}  // namespace compmond::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace compmond::fuzz;
  const Folder folder;
  write_input(folder, text_of(data, size));
  for (const bool repair : {false, true}) read_folder(folder.path(), repair);
  return 0;
}
