// SPDX-License-Identifier: Apache-2.0
#include "core/limits.h"
#include "drawing/drawings.h"
#include "drawing/picture.h"
#include "export/dot.h"
#include "export/plantuml.h"
#include "export/reports.h"
#include "export/results.h"
#include "text/numbers.h"

namespace compmond::exporting {
namespace {

using graphs::Level;
using traces::Catalogue;
using traces::Trace;

class Graph : public Report {
 public:
  Graph(const Catalogue& catalogue, const ReportOptions& options, Out& out, bool matrix)
      : format_(options.format),
        out_(out),
        matrix_(matrix),
        graph_(catalogue, naming_of(options, Level::kComponent), options.self_calls) {}

  void add(const Trace& trace) override { graph_.add(trace); }

  Result<void> finish(const traces::LogFacts& facts) override {
    if (const size_t nodes = graph_.nodes().size(); matrix_ && nodes > limits::kMatrixNodes)
      return fail(Exit::kData, "cannot make the matrix",
                  fmt::format("it would have {} rows and columns, more than {}", text::count(nodes),
                              text::count(limits::kMatrixNodes)),
                  "--report dependency-graph lists the same counts; --level component or program "
                  "makes it smaller.");
    if (format_ == Format::kText)
      matrix_ ? write_text_matrix(out_, graph_) : write_text(out_, graph_);
    else if (format_ == Format::kJson)
      write_document(out_, matrix_ ? "matrix" : "dependency-graph", facts,
                     [&](JsonWriter& json) { write_members(json); });
    else
      return matrix_ ? drawing::draw_matrix(out_, graph_)
                     : write_picture(out_, drawing::picture(graph_), format_);
    return {};
  }

 private:
  void write_members(JsonWriter& json) const {
    json.member("level", to_text(graph_.nodes().naming().level));
    matrix_ ? write_json_matrix(json, graph_) : write_json(json, graph_);
  }

  Format format_;
  Out& out_;
  bool matrix_;
  graphs::DependencyGraph graph_;
};

class Markov : public Report {
 public:
  Markov(const Catalogue& catalogue, const ReportOptions& options, Out& out)
      : format_(options.format),
        out_(out),
        chain_(catalogue, naming_of(options, Level::kOperation)) {}

  void add(const Trace& trace) override { chain_.add(trace); }

  Result<void> finish(const traces::LogFacts& facts) override {
    if (format_ == Format::kText) {
      write_text(out_, chain_);
      return {};
    }
    if (format_ != Format::kJson) return write_picture(out_, drawing::picture(chain_), format_);
    write_document(out_, "markov", facts, [&](JsonWriter& json) {
      json.member("level", to_text(chain_.nodes().naming().level));
      write_json(json, chain_);
    });
    return {};
  }

 private:
  Format format_;
  Out& out_;
  graphs::MarkovChain chain_;
};

}  // namespace

Result<void> write_picture(Out& out, const drawing::GraphPicture& picture, Format format) {
  if (format == Format::kSvg) return drawing::draw_graph(out, picture);
  if (format == Format::kDot)
    write_dot(out, picture);
  else
    write_plantuml(out, picture);
  return {};
}

MakeReport* const make_dependency_graph = make<Graph, false>;
MakeReport* const make_matrix = make<Graph, true>;
MakeReport* const make_markov = make<Markov>;

}  // namespace compmond::exporting
