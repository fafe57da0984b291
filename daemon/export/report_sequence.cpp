// SPDX-License-Identifier: Apache-2.0
#include "drawing/svg.h"
#include "export/json.h"
#include "export/plantuml.h"
#include "export/reports.h"
#include "export/text.h"
#include "export/trace_choice.h"

namespace compmond::exporting {
namespace {

using traces::Catalogue;
using traces::EquivalenceClass;
using traces::Level;

// A report about one trace or class: chooses it, then hands it to `Make` for the value to write.
template <class Make>
class OneTrace : public Report {
 public:
  OneTrace(const char* name, Make make, const ReportOptions& options, Out& out)
      : name_(name), make_(std::move(make)), format_(options.format), out_(out), choice_(options) {}

  void add(const traces::Trace& trace) override { choice_.add(trace); }
  std::string note() const override { return choice_.note(); }

  Result<void> finish(const LogFacts& facts) override {
    const auto chosen = choice_.chosen();
    if (!chosen) return Unexpected(chosen.error());
    const auto value = make_(**chosen);
    if (format_ == Format::kSvg) return drawing::write_svg(out_, value);
    if (format_ == Format::kText) {
      write_text(out_, value);
    } else if (format_ == Format::kJson) {
      JsonWriter json(out_);
      begin_document(json, name_);
      write_json(json, value);
      end_document(json, facts);
    } else if constexpr (requires { write_plantuml(out_, value); }) {
      write_plantuml(out_, value);
    }
    return {};
  }

 private:
  const char* name_;
  Make make_;
  Format format_;
  Out& out_;
  TraceChoice choice_;
};

}  // namespace

std::unique_ptr<Report> make_sequence(const Catalogue& catalogue, const ReportOptions& options,
                                      Out& out) {
  const auto make = [&catalogue, options](const EquivalenceClass& of) {
    return traces::sequence(of, catalogue, naming_of(options, Level::kComponent));
  };
  return std::make_unique<OneTrace<decltype(make)>>("sequence", make, options, out);
}

std::unique_ptr<Report> make_trace_timing(const Catalogue& catalogue, const ReportOptions& options,
                                          Out& out) {
  const auto make = [&catalogue, options](const EquivalenceClass& of) {
    return traces::trace_timing(of.representative, catalogue,
                                naming_of(options, Level::kOperation));
  };
  return std::make_unique<OneTrace<decltype(make)>>("trace-timing", make, options, out);
}

}  // namespace compmond::exporting
