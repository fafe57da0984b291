// SPDX-License-Identifier: Apache-2.0
#include "export/inside.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "archive/writer.h"
#include "base/json_writer.h"
#include "export/exports.h"
#include "protocol/inside_shape.h"

namespace compmond::exporting {
namespace {

using snapshot::Inside;

constexpr const char* kWaiting = "(waiting)";

uint64_t whole(double ns) { return ns > 0 ? uint64_t(ns + 0.5) : 0; }

// Calls visit(stack of functions, outermost first; node) for each node but the root.
template <class Visit>
void for_each_path(const Inside& inside, Visit&& visit) {
  const auto& nodes = inside.callees;
  std::vector<int32_t> path;
  for (size_t i = 1; i < nodes.size(); ++i) {
    path.clear();
    for (auto at = int32_t(i); at > 0; at = nodes[size_t(at)].parent)
      path.push_back(nodes[size_t(at)].function);
    std::ranges::reverse(path);
    visit(path, nodes[i]);
  }
}

void add_profile(JsonWriter& json, const Inside& inside, const std::string& name,
                 double Inside::Node::*own) {
  json.begin_object().member("type", "sampled").member("unit", "nanoseconds");
  json.member("name", name);
  std::vector<uint64_t> weights;
  uint64_t total = 0;
  json.key("samples").begin_list();
  for_each_path(inside, [&](const std::vector<int32_t>& path, const Inside::Node& node) {
    const uint64_t weight = whole(node.*own);
    if (weight == 0) return;
    json.raw(fmt::format("[{}]", fmt::join(path, ",")));
    weights.push_back(weight);
    total += weight;
  });
  json.end().key("weights").begin_list();
  for (const uint64_t weight : weights) json.value(weight);
  json.end().member("startValue", 0).member("endValue", total).end();
}

}  // namespace

// Functions of one name (two libraries' _exit) make stacks of one text: a line has their sum.
void write_inside_folded(Out& out, const Inside& inside) {
  std::vector<std::pair<std::string, uint64_t>> lines;
  std::unordered_map<std::string, size_t> line_of;
  const auto add = [&](const std::string& stack, uint64_t ns) {
    if (ns == 0) return;
    const auto [at, is_new] = line_of.try_emplace(stack, lines.size());
    if (is_new) lines.emplace_back(stack, 0);
    lines[at->second].second += ns;
  };
  for_each_path(inside, [&](const std::vector<int32_t>& path, const Inside::Node& node) {
    std::string stack;
    for (const int32_t function : path) {
      if (!stack.empty()) stack += ';';
      stack += folded_frame(label(inside.functions[size_t(function)]));
    }
    add(stack, whole(node.own_cpu_ns));
    add(fmt::format("{};{}", stack, kWaiting), whole(node.own_waiting_ns));
  });
  for (const auto& [stack, ns] : lines) out.format("{} {}\n", stack, ns);
}

void write_inside_json(Out& out, const snapshot::AnalysisView& view, const std::string& part,
                       uint64_t damaged) {
  traces::LogFacts facts;
  facts.bad_records = damaged;
  write_document(out, kInsideReport, facts, [&](JsonWriter& json) {
    json.key("part");
    part.empty() ? json.null() : json.value(part);
    json.member("start_ns", view.start_ns).member("end_ns", view.end_ns);
    json.member("left_out", view.left_out);
    archive::Writer members(json);
    members("inside", *view.as<Inside>());
  });
}

void write_inside_speedscope(Out& out, const Inside& inside, const std::string& name) {
  JsonWriter json(out);
  json.begin_object();
  json.member("$schema", "https://www.speedscope.app/file-format-schema.json");
  json.member("exporter", "compmond").key("shared").begin_object().key("frames").begin_list();
  for (const Inside::Function& function : inside.functions) {
    json.begin_object().member("name", label(function));
    if (!function.image.empty()) json.member("file", function.image);
    json.end();
  }
  json.end().end().key("profiles").begin_list();
  add_profile(json, inside, name + ", on CPU", &Inside::Node::own_cpu_ns);
  if (inside.off_cpu_share > 0)
    add_profile(json, inside, name + ", waiting", &Inside::Node::own_waiting_ns);
  json.end().end();
}

}  // namespace compmond::exporting
