// SPDX-License-Identifier: Apache-2.0
#include "export/results.h"

namespace compmond::exporting {
namespace {

using graphs::CallTree;
using graphs::Message;
using graphs::Nodes;
using graphs::RawTimes;

void write_raw(JsonWriter& json, const RawTimes& raw) {
  json.key("raw_ns").begin_object();
  json.member("min", raw.count ? raw.min_ns : 0)
      .member("mean", raw.mean_ns())
      .member("max", raw.max_ns);
  json.end();
}

// The name of a numbered thing; null for the outside.
void write_end(JsonWriter& json, const char* key, int32_t number, const auto& name_of) {
  json.key(key);
  if (number < 0)
    json.null();
  else
    json.value(name_of(uint32_t(number)));
}

const char* kind_of(Message::Kind kind) { return kind == Message::Kind::kCall ? "call" : "return"; }

// As an object; without recursion, since a tree can be as deep as a hostile log wants.
void write_tree(JsonWriter& json, const CallTree& tree) {
  struct At {
    uint32_t node;
    size_t next_child;
  };
  std::vector<At> path;
  const auto enter = [&](uint32_t node) {
    const CallTree::Node& n = tree.nodes()[node];
    json.begin_object();
    json.member("name", tree.name(node)).member("count", n.count);
    json.member("raw_ns", n.raw_ns).member("real_ns", n.real_ns);
    json.member("net_real_ns", n.net_real_ns());
    json.key("children").begin_list();
    path.push_back({node, 0});
  };
  enter(0);
  while (!path.empty()) {
    At& at = path.back();
    const auto& children = tree.nodes()[at.node].children;
    if (at.next_child < children.size()) {
      enter(children[at.next_child++]);
    } else {
      json.end().end();
      path.pop_back();
    }
  }
}

}  // namespace

void write_json(JsonWriter& json, const graphs::DependencyGraph& graph) {
  const Nodes& nodes = graph.nodes();
  const auto name = [&](uint32_t node) { return nodes.name(node); };
  json.key("nodes").begin_list();
  for (uint32_t i = 0; i < nodes.size(); ++i)
    json.begin_object().member("name", nodes.name(i)).member("host", nodes.host(i)).end();
  json.end().key("edges").begin_list();
  for (const auto& edge : graph.edges()) {
    json.begin_object();
    write_end(json, "from", edge.from, name);
    write_end(json, "to", edge.to, name);
    json.member("count", edge.raw.count);
    write_raw(json, edge.raw);
    json.end();
  }
  json.end();
}

void write_json_matrix(JsonWriter& json, const graphs::DependencyGraph& graph) {
  const Nodes& nodes = graph.nodes();
  json.key("nodes").begin_list();
  for (uint32_t i = 0; i < nodes.size(); ++i) json.value(nodes.name(i));
  json.end().key("rows").begin_list();
  const auto matrix = graph.matrix();
  for (size_t from = 0; from < matrix.size(); ++from) {
    json.begin_object();
    write_end(json, "from", int32_t(from) - 1, [&](uint32_t node) { return nodes.name(node); });
    std::string counts = "[";
    for (const uint64_t count : matrix[from])
      counts += (counts.size() > 1 ? ", " : "") + fmt::to_string(count);
    json.key("counts").raw(counts + "]");
    json.end();
  }
  json.end();
}

void write_json(JsonWriter& json, const CallTree& tree) {
  json.key("root");
  write_tree(json, tree);
}

void write_json(JsonWriter& json, const graphs::EquivalenceClasses& classes,
                const traces::Catalogue& catalogue, graphs::Naming naming) {
  json.key("classes").begin_list();
  int number = 0;
  for (const uint32_t at : classes.by_cardinality()) {
    const graphs::EquivalenceClass& c = classes.classes()[at];
    json.begin_object();
    json.member("class", ++number).member("cardinality", c.cardinality);
    json.member("executions", c.representative.executions.size());
    json.member("max_depth", c.representative.max_depth());
    json.member("representative", c.representative.id);
    json.key("tree");
    write_tree(json, graphs::call_tree(c, catalogue, naming));
    json.end();
  }
  json.end();
}

void write_json(JsonWriter& json, const graphs::MarkovChain& chain) {
  json.key("states").begin_list();
  for (uint32_t i = 0; i < chain.states().size(); ++i) json.value(chain.name(i));
  json.end().key("initial").begin_list();
  for (uint32_t i = 0; i < chain.states().size(); ++i) {
    const uint64_t first = chain.states()[i].first;
    if (first == 0) continue;
    json.begin_object().member("state", chain.name(i));
    json.member("probability", double(first) / double(chain.traces())).member("count", first);
    json.end();
  }
  json.end().key("edges").begin_list();
  for (const auto& edge : chain.edges()) {
    json.begin_object();
    json.member("from", chain.name(edge.from)).member("to", chain.name(edge.to));
    json.member("probability", edge.probability).member("count", edge.count);
    json.end();
  }
  json.end();
}

void write_json(JsonWriter& json, const graphs::Sequence& sequence) {
  json.member("trace", sequence.trace_id).member("cardinality", sequence.cardinality);
  json.member("start_ns", sequence.start_ns);
  json.key("lifelines").begin_list();
  for (const std::string& name : sequence.lifelines) json.value(name);
  json.end().key("messages").begin_list();
  const auto name = [&](uint32_t line) { return sequence.lifelines[line]; };
  for (const auto& step : sequence.steps) {
    json.begin_object().member("kind", kind_of(step.kind));
    write_end(json, "from", step.from, name);
    write_end(json, "to", step.to, name);
    json.member("operation", step.operation).member("at_ns", step.at_ns);
    write_raw(json, step.raw);
    json.member("failed", step.failed).end();
  }
  json.end();
}

void write_json(JsonWriter& json, const graphs::TraceTiming& timing) {
  json.member("trace", timing.trace_id).member("start_ns", timing.start_ns);
  json.member("end_ns", timing.end_ns);
  json.key("rows").begin_list();
  for (const auto& row : timing.rows) {
    json.begin_object().member("operation", row.operation).key("bars").begin_list();
    for (const auto& bar : row.bars) {
      json.begin_object().member("start_ns", bar.start_ns).member("end_ns", bar.end_ns);
      json.member("eoi", bar.eoi).member("ess", bar.ess).member("failed", bar.failed).end();
    }
    json.end().end();
  }
  json.end();
}

void write_json(JsonWriter& json, const traces::Trace& trace, const traces::Catalogue& catalogue) {
  json.begin_object().member("id", trace.id);
  json.member("session", catalogue.sessions()[trace.executions.front().session]);
  json.member("start_ns", trace.start_ns()).member("end_ns", trace.end_ns());
  json.key("executions").begin_list();
  for (const traces::TracedExecution& e : trace.executions) {
    const traces::TracedOperation& operation = catalogue.operations()[e.operation];
    json.begin_object().member("eoi", e.eoi).member("ess", e.ess);
    json.member("operation", operation.name).member("component", operation.component);
    json.member("host", catalogue.hosts()[e.host]);
    json.member("start_ns", e.start_ns).member("end_ns", e.end_ns).member("failed", e.failed);
    json.end();
  }
  json.end().end();
}

void write_json_messages(JsonWriter& json, const traces::Trace& trace, Nodes& nodes) {
  json.begin_object().member("id", trace.id).key("messages").begin_list();
  const auto name = [&](uint32_t execution) {
    return nodes.name(nodes.of(trace.executions[execution]));
  };
  graphs::for_each_message(trace, [&](const Message& message) {
    json.begin_object().member("kind", kind_of(message.kind));
    write_end(json, "from", message.from, name);
    write_end(json, "to", message.to, name);
    json.member("at_ns", message.at_ns);
    json.member("eoi", trace.executions[size_t(message.called())].eoi).end();
  });
  json.end().end();
}

}  // namespace compmond::exporting
