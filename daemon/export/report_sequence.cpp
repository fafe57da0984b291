// SPDX-License-Identifier: Apache-2.0
#include "drawing/drawings.h"
#include "export/plantuml.h"
#include "export/reports.h"
#include "export/results.h"
#include "export/trace_choice.h"

namespace compmond::exporting {
namespace {

using graphs::EquivalenceClass;
using graphs::Level;
using traces::Catalogue;

// What a report about one trace or class shows of it: `made` for every format but SVG, which is
// `drawn`.
struct SequenceReport {
  static constexpr const char* kName = "sequence";
  static constexpr Level kLevel = Level::kComponent;
  static graphs::Sequence made(const EquivalenceClass& of, const Catalogue& catalogue,
                               graphs::Naming naming) {
    return graphs::sequence(of, catalogue, naming);
  }
  static constexpr auto& drawn = drawing::draw_sequence;
};

struct TimingReport {
  static constexpr const char* kName = "trace-timing";
  static constexpr Level kLevel = Level::kOperation;
  static graphs::TraceTiming made(const EquivalenceClass& of, const Catalogue& catalogue,
                                  graphs::Naming naming) {
    return graphs::trace_timing(of.representative, catalogue, naming);
  }
  static constexpr auto& drawn = drawing::draw_trace_timing;
};

template <class Of>
class OneTrace : public Report {
 public:
  OneTrace(const Catalogue& catalogue, const ReportOptions& options, Out& out)
      : catalogue_(catalogue), options_(options), out_(out), choice_(options) {}

  void add(const traces::Trace& trace) override { choice_.add(trace); }
  std::string note() const override { return choice_.note(); }

  Result<void> finish(const traces::LogFacts& facts) override {
    const auto chosen = choice_.chosen();
    if (!chosen) return Unexpected(chosen.error());
    const graphs::Naming naming = naming_of(options_, Of::kLevel);
    if (options_.format == Format::kSvg) return Of::drawn(out_, **chosen, catalogue_, naming);
    const auto value = Of::made(**chosen, catalogue_, naming);
    if (options_.format == Format::kText) {
      write_text(out_, value);
    } else if (options_.format == Format::kJson) {
      write_document(out_, Of::kName, facts, [&](JsonWriter& json) { write_json(json, value); });
    } else if constexpr (requires { write_plantuml(out_, value); }) {
      write_plantuml(out_, value);
    }
    return {};
  }

 private:
  const Catalogue& catalogue_;
  ReportOptions options_;
  Out& out_;
  TraceChoice choice_;
};

}  // namespace

MakeReport* const make_sequence = make<OneTrace<SequenceReport>>;
MakeReport* const make_trace_timing = make<OneTrace<TimingReport>>;

}  // namespace compmond::exporting
