// SPDX-License-Identifier: Apache-2.0
#include "core/limits.h"
#include "drawing/drawings.h"
#include "drawing/picture.h"
#include "export/dot.h"
#include "export/plantuml.h"
#include "export/reports.h"
#include "export/results.h"
#include "export/trace_choice.h"

namespace compmond::exporting {
namespace {

using graphs::CallTree;
using graphs::Level;
using traces::Catalogue;
using traces::Trace;

Result<void> write_tree(Out& out, const CallTree& tree, const char* report, Format format,
                        const traces::LogFacts& facts) {
  switch (format) {
    case Format::kSvg:
      return drawing::draw_tree(out, tree);
    case Format::kDot:
      write_dot(out, drawing::picture(tree));
      break;
    case Format::kPlantUml:
      write_plantuml(out, tree);
      break;
    case Format::kText:
      write_text(out, tree);
      break;
    case Format::kJson:
      write_document(out, report, facts, [&](JsonWriter& json) { write_json(json, tree); });
  }
  return {};
}

// Of all traces; of one, or of a class, where asked for.
class DynamicTree : public Report {
 public:
  DynamicTree(const Catalogue& catalogue, const ReportOptions& options, Out& out)
      : catalogue_(catalogue),
        options_(options),
        out_(out),
        choice_(options),
        tree_(catalogue, naming_of(options, Level::kOperation), CallTree::Kind::kDynamic) {}

  void add(const Trace& trace) override {
    if (one())
      choice_.add(trace);
    else if (tree_.nodes().size() + trace.executions.size() <= limits::kTreeNodes)
      tree_.add(trace);
    else
      too_large_ = true;
  }

  Result<void> finish(const traces::LogFacts& facts) override {
    if (too_large_)
      return fail(Exit::kData, "cannot make a call tree of all traces",
                  fmt::format("it would have more than {} nodes", limits::kTreeNodes),
                  "Choose one with --trace ID or --class N, or use aggregated-call-tree.");
    if (!one()) return write_tree(out_, tree_, "call-tree", options_.format, facts);
    const auto chosen = choice_.chosen();
    if (!chosen) return Unexpected(chosen.error());
    const CallTree tree =
        graphs::call_tree(**chosen, catalogue_, naming_of(options_, Level::kOperation));
    return write_tree(out_, tree, "call-tree", options_.format, facts);
  }

 private:
  bool one() const { return options_.trace || options_.class_number; }

  const Catalogue& catalogue_;
  ReportOptions options_;
  Out& out_;
  TraceChoice choice_;
  CallTree tree_;
  bool too_large_ = false;
};

class AggregatedTree : public Report {
 public:
  AggregatedTree(const Catalogue& catalogue, const ReportOptions& options, Out& out, bool flame)
      : options_(options),
        out_(out),
        flame_(flame),
        tree_(catalogue, naming_of(options, Level::kOperation), CallTree::Kind::kAggregated) {}

  void add(const Trace& trace) override {
    if (!options_.trace || *options_.trace == trace.id) tree_.add(trace);
  }

  Result<void> finish(const traces::LogFacts& facts) override {
    if (flame_ && options_.format == Format::kSvg) return drawing::draw_flame(out_, tree_);
    if (flame_ && options_.format == Format::kText) return write_folded(out_, tree_);
    return write_tree(out_, tree_, flame_ ? "flame-graph" : "aggregated-call-tree", options_.format,
                      facts);
  }

 private:
  ReportOptions options_;
  Out& out_;
  bool flame_;
  CallTree tree_;
};

}  // namespace

MakeReport* const make_call_tree = make<DynamicTree>;
MakeReport* const make_aggregated_call_tree = make<AggregatedTree, false>;
MakeReport* const make_flame_graph = make<AggregatedTree, true>;

}  // namespace compmond::exporting
