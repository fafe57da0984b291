// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "export/results.h"
#include "text/clean.h"
#include "text/numbers.h"
#include "text/table.h"

namespace compmond::exporting {
namespace {

using graphs::CallTree;
using graphs::Message;
using traces::kOutside;

constexpr int32_t kDeepestIndent = 60;  // deeper lines stand below this one: no line of blanks

std::string indent(int32_t depth) {
  return std::string(2 * size_t(std::min(depth, kDeepestIndent)), ' ');
}

std::string name_or_outside(const graphs::Nodes& nodes, int32_t node) {
  return node < 0 ? kOutside : nodes.name(uint32_t(node));
}

const char* arrow(Message::Kind kind) { return kind == Message::Kind::kCall ? "->" : "-->"; }

// Since the trace's start: "+1.25 ms".
std::string since(uint64_t start_ns, uint64_t at_ns) {
  return "+" + text::duration(at_ns - std::min(start_ns, at_ns));
}

void write(Out& out, const text::Table& table) {
  for (const std::string& line : table.lines()) out.format("{}\n", line);
}

void write_tree(Out& out, const CallTree& tree, int32_t depth) {
  struct At {
    uint32_t node;
    int32_t depth;
  };
  std::vector<At> open = {{0, depth}};
  while (!open.empty()) {
    const At at = open.back();
    open.pop_back();
    const CallTree::Node& node = tree.nodes()[at.node];
    out.format("{}{}  {} ×, raw {}, real {}\n", indent(at.depth), text::clean(tree.name(at.node)),
               text::count(node.count), text::duration(node.raw_ns),
               text::duration(node.net_real_ns()));
    for (auto child = node.children.rbegin(); child != node.children.rend(); ++child)
      open.push_back({*child, at.depth + 1});
  }
}

}  // namespace

void write_text(Out& out, const graphs::DependencyGraph& graph) {
  text::Table table({{"caller", false}, {"callee", false}, {"calls"}, {"min"}, {"mean"}, {"max"}});
  for (const auto& edge : graph.edges())
    table.add({name_or_outside(graph.nodes(), edge.from), name_or_outside(graph.nodes(), edge.to),
               text::count(edge.raw.count), text::duration(edge.raw.min_ns),
               text::duration(edge.raw.mean_ns()), text::duration(edge.raw.max_ns)});
  write(out, table);
}

void write_text_matrix(Out& out, const graphs::DependencyGraph& graph) {
  // Columns are numbered, and explained by the rows: names would make the matrix too wide.
  std::vector<text::Column> columns = {{"", true}, {"caller \\ callee", false}};
  for (size_t i = 0; i < graph.nodes().size(); ++i) columns.push_back({fmt::to_string(i + 1)});
  text::Table table(std::move(columns));
  const auto matrix = graph.matrix();
  for (size_t from = 0; from < matrix.size(); ++from) {
    std::vector<std::string> row = {from == 0 ? "" : fmt::to_string(from),
                                    name_or_outside(graph.nodes(), int32_t(from) - 1)};
    for (const uint64_t count : matrix[from]) row.push_back(count == 0 ? "·" : text::count(count));
    table.add(std::move(row));
  }
  write(out, table);
}

void write_text(Out& out, const CallTree& tree) { write_tree(out, tree, 0); }

void write_text(Out& out, const graphs::EquivalenceClasses& classes,
                const traces::Catalogue& catalogue, graphs::Naming naming) {
  int number = 0;
  for (const uint32_t at : classes.by_cardinality()) {
    const graphs::EquivalenceClass& c = classes.classes()[at];
    out.format("Class {}: {} traces of {} executions each, depth {}; first: trace {}\n", ++number,
               text::count(c.cardinality), text::count(c.representative.executions.size()),
               c.representative.max_depth(), c.representative.id);
    write_tree(out, graphs::call_tree(c, catalogue, naming), 1);
  }
}

void write_text(Out& out, const graphs::MarkovChain& chain) {
  text::Table table({{"message", false}, {"followed by", false}, {"probability"}, {"count"}});
  for (uint32_t i = 0; i < chain.states().size(); ++i)
    if (const uint64_t first = chain.states()[i].first)
      table.add({"(begin)", chain.name(i),
                 text::probability(double(first) / double(chain.traces())), text::count(first)});
  for (const auto& edge : chain.edges())
    table.add({chain.name(edge.from), chain.name(edge.to), text::probability(edge.probability),
               text::count(edge.count)});
  write(out, table);
}

void write_text(Out& out, const graphs::Sequence& sequence) {
  out.format("Trace {}", sequence.trace_id);
  if (sequence.cardinality > 1)
    out.format(", first of {} with the same control flow", text::count(sequence.cardinality));
  out.put("\n");
  const auto name = [&](int32_t line) {
    return line < 0 ? std::string(kOutside) : text::clean(sequence.lifelines[size_t(line)]);
  };
  for (const auto& step : sequence.steps)
    out.format("{}{} {} {}: {}  {}{}\n", indent(step.depth), name(step.from), arrow(step.kind),
               name(step.to), text::clean(step.operation), since(sequence.start_ns, step.at_ns),
               step.failed && step.kind == Message::Kind::kReturn ? ", failed" : "");
}

void write_text(Out& out, const graphs::TraceTiming& timing) {
  out.format("Trace {}, {}\n", timing.trace_id, text::duration(timing.end_ns - timing.start_ns));
  for (const auto& row : timing.rows) {
    out.format("{}\n", text::clean(row.operation));
    for (const auto& bar : row.bars)
      out.format("  {} to {}  {}{}\n", since(timing.start_ns, bar.start_ns),
                 since(timing.start_ns, bar.end_ns), text::duration(bar.end_ns - bar.start_ns),
                 bar.failed ? ", failed" : "");
  }
}

void write_text(Out& out, const traces::Trace& trace, graphs::Nodes& nodes) {
  const uint64_t start = trace.start_ns();
  out.format("Trace {}: {} executions, {}\n", trace.id, text::count(trace.executions.size()),
             text::duration(trace.end_ns() - start));
  for (const traces::TracedExecution& e : trace.executions)
    out.format("  {}{}  {}  {}{}\n", indent(e.ess), text::clean(nodes.name(nodes.of(e))),
               since(start, e.start_ns), text::duration(e.raw_ns()), e.failed ? ", failed" : "");
}

void write_text_messages(Out& out, const traces::Trace& trace, graphs::Nodes& nodes) {
  out.format("Trace {}\n", trace.id);
  const uint64_t start = trace.start_ns();
  const auto name = [&](int32_t at) {
    return at < 0 ? std::string(kOutside)
                  : text::clean(nodes.name(nodes.of(trace.executions[size_t(at)])));
  };
  graphs::for_each_message(trace, [&](const Message& message) {
    out.format("  {} {} {}  {}\n", name(message.from), arrow(message.kind), name(message.to),
               since(start, message.at_ns));
  });
}

}  // namespace compmond::exporting
