// SPDX-License-Identifier: Apache-2.0
#include "export/exports.h"

namespace compmond::exporting {
namespace {

// A field after RFC 4180.
std::string field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + "\"";
}

class Csv : public Report {
 public:
  Csv(const traces::Catalogue& catalogue, Out& out) : catalogue_(catalogue), out_(out) {
    out_.put(
        "trace,eoi,ess,host,session,component,operation,start_ns,end_ns,raw_ns,real_ns,failed\n");
  }

  void add(const traces::Trace& trace) override {
    const std::vector<uint64_t> real = trace.real_ns();
    for (size_t i = 0; i < trace.executions.size(); ++i) {
      const traces::TracedExecution& e = trace.executions[i];
      const traces::TracedOperation& operation = catalogue_.operations()[e.operation];
      out_.format("{},{},{},{},{},{},{},{},{},{},{},{}\n", e.trace_id, e.eoi, e.ess,
                  field(catalogue_.hosts()[e.host]), field(catalogue_.sessions()[e.session]),
                  field(operation.component), field(operation.name), e.start_ns, e.end_ns,
                  e.raw_ns(), real[i], int(e.failed));
    }
  }

  Result<void> finish(const traces::LogFacts&) override { return {}; }

 private:
  const traces::Catalogue& catalogue_;
  Out& out_;
};

}  // namespace

std::unique_ptr<Report> make_csv(const traces::Catalogue& catalogue, const ReportOptions&,
                                 Out& out) {
  return std::make_unique<Csv>(catalogue, out);
}

Result<void> write_csv(const snapshot::Snapshot& snapshot, Out& out) {
  out.put(
      "component,operation,interface,exit_mode,calls,open,raw_ns,real_ns,net_real_ns,mean_ns,"
      "min_ns,max_ns,p50_ns,p90_ns,p99_ns,hotness,returned,abandoned,thread_exit,exec,lossy\n");
  const auto figures = [&](const snapshot::Figures& f) {
    out.format(",{},{},{},{},{},{},{},{},{},{},{},{:.3f},{},{},{},{},{}\n", f.calls, f.open,
               f.raw_ns, f.real_ns, f.net_real_ns, f.mean_ns, f.min_ns, f.max_ns, f.p50_ns,
               f.p90_ns, f.p99_ns, f.hotness, f.closed.returned, f.closed.abandoned,
               f.closed.thread_exit, f.closed.exec, f.closed.lossy);
  };
  for (const snapshot::Component& component : snapshot.components) {
    // The component's own line has no operation.
    out.format("{},,,", field(component.name));
    figures(component.figures);
    for (const snapshot::Operation& operation : component.operations) {
      out.format("{},{},{},{}", field(component.name), field(operation.name),
                 operation.interface.text(), operation.exit_mode.text());
      figures(operation.figures);
    }
  }
  return {};
}

}  // namespace compmond::exporting
