// SPDX-License-Identifier: Apache-2.0
#include "export/exports.h"

namespace compmond::exporting {

std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + "\"";
}

namespace {

class Csv : public Report {
 public:
  Csv(const traces::Catalogue& catalogue, Out& out) : catalogue_(catalogue), out_(out) {
    out_.put(
        "trace,eoi,ess,host,session,component,operation,start_ns,end_ns,raw_ns,real_ns,failed,net_"
        "real_ns\n");
  }

  void add(const traces::Trace& trace) override {
    const std::vector<uint64_t> real = trace.real_ns();
    const std::vector<double> probes = trace.probes_ns();
    for (size_t i = 0; i < trace.executions.size(); ++i) {
      const traces::TracedExecution& e = trace.executions[i];
      const traces::TracedOperation& operation = catalogue_.operations()[e.operation];
      out_.format("{},{},{},{},{},{},{},{},{},{},{},{},{}\n", e.trace_id, e.eoi, e.ess,
                  csv_field(catalogue_.hosts()[e.host]),
                  csv_field(catalogue_.sessions()[e.session]), csv_field(operation.component),
                  csv_field(operation.name), e.start_ns, e.end_ns, e.raw_ns(), real[i],
                  int(e.failed), traces::net_real_ns(real[i], probes[i]));
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

}  // namespace compmond::exporting
