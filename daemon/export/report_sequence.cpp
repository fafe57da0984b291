// SPDX-License-Identifier: Apache-2.0
#include "drawing/drawings.h"
#include "export/json.h"
#include "export/plantuml.h"
#include "export/reports.h"
#include "export/text.h"
#include "export/trace_choice.h"

namespace compmond::exporting {
namespace {

using graphs::EquivalenceClass;
using graphs::Level;
using traces::Catalogue;

using Draw = Result<void>(Out& out, const EquivalenceClass& of, const Catalogue& catalogue,
                          graphs::Naming naming);

// A report about one trace or class: chooses it, then hands it to `draw`, or to `Make` for the
// value to write.
template <class Make>
class OneTrace : public Report {
 public:
  OneTrace(const char* name, Make make, Draw& draw, const Catalogue& catalogue,
           graphs::Naming naming, const ReportOptions& options, Out& out)
      : name_(name),
        make_(std::move(make)),
        draw_(draw),
        catalogue_(catalogue),
        naming_(naming),
        format_(options.format),
        out_(out),
        choice_(options) {}

  void add(const traces::Trace& trace) override { choice_.add(trace); }
  std::string note() const override { return choice_.note(); }

  Result<void> finish(const LogFacts& facts) override {
    const auto chosen = choice_.chosen();
    if (!chosen) return Unexpected(chosen.error());
    if (format_ == Format::kSvg) return draw_(out_, **chosen, catalogue_, naming_);
    const auto value = make_(**chosen, catalogue_, naming_);
    if (format_ == Format::kText) {
      write_text(out_, value);
    } else if (format_ == Format::kJson) {
      write_document(out_, name_, facts, [&](JsonWriter& json) { write_json(json, value); });
    } else if constexpr (requires { write_plantuml(out_, value); }) {
      write_plantuml(out_, value);
    }
    return {};
  }

 private:
  const char* name_;
  Make make_;
  Draw& draw_;
  const Catalogue& catalogue_;
  graphs::Naming naming_;
  Format format_;
  Out& out_;
  TraceChoice choice_;
};

}  // namespace

std::unique_ptr<Report> make_sequence(const Catalogue& catalogue, const ReportOptions& options,
                                      Out& out) {
  const auto make = [](const EquivalenceClass& of, const Catalogue& names, graphs::Naming naming) {
    return graphs::sequence(of, names, naming);
  };
  return std::make_unique<OneTrace<decltype(make)>>(
      "sequence", make, drawing::draw_sequence, catalogue, naming_of(options, Level::kComponent),
      options, out);
}

std::unique_ptr<Report> make_trace_timing(const Catalogue& catalogue, const ReportOptions& options,
                                          Out& out) {
  const auto make = [](const EquivalenceClass& of, const Catalogue& names, graphs::Naming naming) {
    return graphs::trace_timing(of.representative, names, naming);
  };
  return std::make_unique<OneTrace<decltype(make)>>(
      "trace-timing", make, drawing::draw_trace_timing, catalogue,
      naming_of(options, Level::kOperation), options, out);
}

}  // namespace compmond::exporting
