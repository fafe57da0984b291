// SPDX-License-Identifier: Apache-2.0
#include "kieker/writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "kieker/signature.h"
#include "text/numbers.h"

namespace compmond::kieker {
namespace {

constexpr const char* kFormatVersion = "1.9";  // of Kieker; these records have not changed since
constexpr const char* kMetadata = "kieker.common.record.misc.KiekerMetadataRecord";
constexpr const char* kExecutionRecord =
    "kieker.common.record.controlflow.OperationExecutionRecord";
constexpr const char* kTrace = "kieker.common.record.flow.trace.TraceMetadata";
constexpr const char* kBefore = "kieker.common.record.flow.trace.operation.BeforeOperationEvent";
constexpr const char* kAfter = "kieker.common.record.flow.trace.operation.AfterOperationEvent";
constexpr const char* kAfterFailed =
    "kieker.common.record.flow.trace.operation.AfterOperationFailedEvent";
constexpr const char* kCause = "it did not return";  // more is not known of a failed execution

}  // namespace

Result<KiekerWriter> KiekerWriter::open(const std::string& folder, Records records,
                                        Encoding encoding, const traces::Catalogue& catalogue) {
  auto output = RecordOutput::open(folder, encoding);
  if (!output) return Unexpected(std::move(output.error()));
  return KiekerWriter(std::move(*output), records, catalogue);
}

// Different operations must not become one: a signature that is taken already is numbered.
const std::string& KiekerWriter::signature(uint32_t operation) {
  if (signatures_.size() <= operation) signatures_.resize(operation + 1);
  std::string& out = signatures_[operation];
  if (!out.empty()) return out;
  traces::TracedOperation of = catalogue_.operations()[operation];
  const std::string name = of.name;
  std::string text = of.signature.empty() ? make_signature(of) : of.signature;
  nested_ += of.signature.empty() && of.component.find('/') != std::string::npos;
  for (int copy = 2; !taken_.emplace(text, operation).second; ++copy) {
    of.name = fmt::format("_{}_{}", copy, name);
    text = make_signature(of);
  }
  return out = text;
}

void KiekerWriter::write_metadata(const traces::TracedExecution& first) {
  output_.begin(kMetadata, first.start_ns);
  output_.text(kFormatVersion);
  output_.text("compmond");
  output_.text(catalogue_.hosts()[first.host]);
  output_.small_number(1);  // number of the experiment
  output_.truth(false);     // debug mode
  output_.number(0);        // time offset
  output_.text("NANOSECONDS");
  output_.number(1);
  output_.end();
}

void KiekerWriter::write(const traces::Trace& trace) {
  if (!begun_) write_metadata(trace.executions.front());
  begun_ = true;
  linked_ += !trace.part.empty();
  for (const traces::TracedExecution& one : trace.executions)
    probes_ns_ += double(one.inside_ns) + double(one.outside_ns);
  if (records_ == Records::kExecutions)
    write_executions(trace);
  else
    write_events(trace);
}

void KiekerWriter::write_executions(const traces::Trace& trace) {
  // As they end: an execution after all that it called.
  order_.resize(trace.executions.size());
  std::iota(order_.begin(), order_.end(), 0u);
  std::sort(order_.begin(), order_.end(), [&](uint32_t a, uint32_t b) {
    const auto &x = trace.executions[a], &y = trace.executions[b];
    return x.end_ns != y.end_ns ? x.end_ns < y.end_ns : x.eoi > y.eoi;
  });
  for (const uint32_t at : order_) {
    const traces::TracedExecution& e = trace.executions[at];
    output_.begin(kExecutionRecord, e.end_ns);
    output_.text(signature(e.operation));
    output_.text(catalogue_.sessions()[e.session]);
    output_.number(e.trace_id);
    output_.number(int64_t(e.start_ns));
    output_.number(int64_t(e.end_ns));
    output_.text(catalogue_.hosts()[e.host]);
    output_.small_number(e.eoi);
    output_.small_number(e.ess);
    output_.end();
    failed_ += e.failed;
  }
}

void KiekerWriter::write_events(const traces::Trace& trace) {
  const traces::TracedExecution& first = trace.executions.front();
  output_.begin(kTrace, first.start_ns);
  output_.number(trace.id);
  output_.number(int64_t(first.session));  // number of the thread: sessions name them
  output_.text(catalogue_.sessions()[first.session]);
  output_.text(catalogue_.hosts()[first.host]);
  output_.number(-1);  // no parent trace
  output_.small_number(-1);
  output_.end();
  int32_t next = 0;
  std::vector<uint32_t>& open = order_;
  open.clear();
  const auto end_above = [&](size_t depth) {
    for (; open.size() > depth; open.pop_back())
      write_event(trace.executions[open.back()], next++, false);
  };
  for (const traces::TracedExecution& e : trace.executions) {
    end_above(size_t(e.ess));
    write_event(e, next++, true);
    open.push_back(uint32_t(e.eoi));
    elsewhere_ += e.host != first.host || e.session != first.session;
  }
  end_above(0);
}

void KiekerWriter::write_event(const traces::TracedExecution& e, int32_t order, bool begins) {
  const uint64_t time_ns = begins ? e.start_ns : e.end_ns;
  const std::string& text = signature(e.operation);
  const traces::TracedOperation& operation = catalogue_.operations()[e.operation];
  output_.begin(begins ? kBefore : e.failed ? kAfterFailed : kAfter, time_ns);
  output_.number(int64_t(time_ns));
  output_.number(e.trace_id);
  output_.small_number(order);
  output_.text(text);
  output_.text(operation.signature.empty() ? parse_signature(text).class_name
                                           : std::string_view(operation.component));
  if (!begins && e.failed) output_.text(kCause);
  output_.end();
}

std::string KiekerWriter::lost() const {
  std::string out;
  const auto add = [&](const std::string& what) { out += (out.empty() ? "" : "; ") + what; };
  const auto count = [&](uint64_t of, const char* one, const char* several, const char* what) {
    if (of > 0) add(fmt::format("{} {}", text::counted(of, one, several), what));
  };
  count(failed_, "execution", "executions",
        "failed, which only event records (kieker-events) can tell");
  count(elsewhere_, "execution is", "executions are",
        "on another host or in another session than the trace, which only execution records "
        "(kieker) can tell");
  count(linked_, "trace is", "traces are",
        "of several threads, which records of Kieker take for one");
  if (probes_ns_ >= 1)
    add(
        fmt::format("times are as measured: records of Kieker cannot tell that {} of them is what "
                    "probes took",
                    text::duration(uint64_t(probes_ns_))));
  count(nested_, "operation is", "operations are",
        "of a component within another one, which becomes a class (A/B the class A.B)");
  return out;
}

}  // namespace compmond::kieker
