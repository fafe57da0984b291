// SPDX-License-Identifier: Apache-2.0
#include "kieker_side.h"

#include <memory>
#include <vector>

#include "graphs/call_tree.h"
#include "graphs/equivalence.h"
#include "graphs/markov.h"
#include "kieker/reader.h"
#include "traces/assembler.h"

namespace compmond::fuzz {

using traces::Trace;
using traces::TracedExecution;

namespace {

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

}  // namespace

void read_kieker_log(const std::string& path, bool repair) {
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

}  // namespace compmond::fuzz
