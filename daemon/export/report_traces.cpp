// SPDX-License-Identifier: Apache-2.0
#include "export/reports.h"
#include "export/results.h"

namespace compmond::exporting {
namespace {

using graphs::Level;
using traces::Catalogue;
using traces::Trace;

// Written trace by trace: these documents are as large as the log.
class Traces : public Report {
 public:
  enum class What { kExecutions, kMessages };
  Traces(const Catalogue& catalogue, const ReportOptions& options, Out& out, What what)
      : catalogue_(catalogue),
        options_(options),
        what_(what),
        nodes_(catalogue, naming_of(options, Level::kOperation)),
        out_(out),
        json_(out) {
    if (options.format != Format::kJson) return;
    begin_document(json_, what == What::kExecutions ? "traces" : "message-traces");
    json_.key("traces").begin_list();
  }

  void add(const Trace& trace) override {
    if (options_.trace && *options_.trace != trace.id) return;
    const bool json = options_.format == Format::kJson;
    if (what_ == What::kExecutions)
      json ? write_json(json_, trace, catalogue_) : write_text(out_, trace, nodes_);
    else
      json ? write_json_messages(json_, trace, nodes_) : write_text_messages(out_, trace, nodes_);
  }

  Result<void> finish(const traces::LogFacts& facts) override {
    if (options_.format != Format::kJson) return {};
    json_.end().member("broken", facts.broken);
    end_document(json_, facts);
    return {};
  }

 private:
  const Catalogue& catalogue_;
  ReportOptions options_;
  What what_;
  graphs::Nodes nodes_;
  Out& out_;
  JsonWriter json_;
};

class Classes : public Report {
 public:
  Classes(const Catalogue& catalogue, const ReportOptions& options, Out& out)
      : catalogue_(catalogue), options_(options), out_(out), classes_(options.with_host) {}

  void add(const Trace& trace) override { classes_.add(trace); }

  Result<void> finish(const traces::LogFacts& facts) override {
    const graphs::Naming naming = naming_of(options_, Level::kOperation);
    if (options_.format == Format::kText) {
      write_text(out_, classes_, catalogue_, naming);
      return {};
    }
    write_document(out_, "equivalence-classes", facts,
                   [&](JsonWriter& json) { write_json(json, classes_, catalogue_, naming); });
    return {};
  }

 private:
  const Catalogue& catalogue_;
  ReportOptions options_;
  Out& out_;
  graphs::EquivalenceClasses classes_;
};

}  // namespace

MakeReport* const make_traces = make<Traces, Traces::What::kExecutions>;
MakeReport* const make_message_traces = make<Traces, Traces::What::kMessages>;
MakeReport* const make_equivalence_classes = make<Classes>;

}  // namespace compmond::exporting
