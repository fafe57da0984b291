// SPDX-License-Identifier: Apache-2.0
#include "core/limits.h"
#include "export/exports.h"
#include "text/clean.h"
#include "text/numbers.h"

namespace compmond::exporting {
namespace {

using graphs::CallTree;

// Calls visit(stack of nodes, bottom first; net real time of the top) where that is not 0.
template <class Visit>
void for_each_stack(const CallTree& tree, Visit&& visit) {
  struct At {
    uint32_t node;
    size_t depth;
  };
  std::vector<uint32_t> stack;
  std::vector<At> open;
  const auto push_children = [&](uint32_t node) {
    const auto& children = tree.nodes()[node].children;
    for (auto child = children.rbegin(); child != children.rend(); ++child)
      open.push_back({*child, stack.size()});
  };
  push_children(0);
  while (!open.empty()) {
    const At at = open.back();
    open.pop_back();
    stack.resize(at.depth);
    stack.push_back(at.node);
    if (const uint64_t real = tree.nodes()[at.node].net_real_ns()) visit(stack, real);
    push_children(at.node);
  }
}

// A stack names all its frames: of n calls within each other that are n² / 2.
Result<void> check_size(const CallTree& tree) {
  std::vector<uint32_t> depth(tree.nodes().size());
  uint64_t frames = 0;
  for (size_t node = 0; node < depth.size(); ++node) {  // a child stands behind its parent
    for (const uint32_t child : tree.nodes()[node].children) depth[child] = depth[node] + 1;
    if (tree.nodes()[node].net_real_ns() > 0) frames += depth[node];
  }
  if (frames <= limits::kWrittenFrames) return {};
  return fail(Exit::kData, "cannot write the call tree as stacks",
              fmt::format("its stacks would have {} frames together, more than {}",
                          text::count(frames), text::count(limits::kWrittenFrames)),
              "See it with compmond analyze --report aggregated-call-tree, or make it smaller: "
              "--report flame-graph --level component.");
}

// The profile form "sampled": a sample per path of the tree, weighing what was its own time. A
// stack's frames are listed with each sample, so the document grows with the depth too.
Result<void> write_speedscope(Out& out, const CallTree& tree) {
  if (auto fine = check_size(tree); !fine) return fine;
  JsonWriter json(out);
  json.begin_object();
  json.member("$schema", "https://www.speedscope.app/file-format-schema.json");
  json.member("exporter", "compmond").key("shared").begin_object().key("frames").begin_list();
  for (uint32_t i = 0; i < tree.names().size(); ++i)
    json.begin_object().member("name", tree.names().name(i)).end();
  json.end().end().key("profiles").begin_list().begin_object();
  json.member("type", "sampled").member("unit", "nanoseconds");
  json.member("name", fmt::format("{} traces", tree.nodes()[0].count));
  std::vector<uint64_t> weights;
  uint64_t total = 0;
  json.key("samples").begin_list();
  for_each_stack(tree, [&](const std::vector<uint32_t>& stack, uint64_t real) {
    std::string sample = "[";
    for (const uint32_t node : stack)
      sample += (sample.size() > 1 ? "," : "") + fmt::to_string(tree.nodes()[node].thing);
    json.raw(sample + "]");
    weights.push_back(real);
    total += real;
  });
  json.end().key("weights").begin_list();
  for (const uint64_t weight : weights) json.value(weight);
  json.end().member("startValue", 0).member("endValue", total).end().end().end();
  return {};
}

// The aggregated call tree, written at the end.
template <Result<void> (*write)(Out&, const CallTree&)>
class Stacks : public Report {
 public:
  Stacks(const traces::Catalogue& catalogue, const ReportOptions& options, Out& out)
      : out_(out),
        tree_(catalogue, naming_of(options, graphs::Level::kOperation),
              CallTree::Kind::kAggregated) {}
  void add(const traces::Trace& trace) override { tree_.add(trace); }
  Result<void> finish(const traces::LogFacts&) override { return write(out_, tree_); }

 private:
  Out& out_;
  CallTree tree_;
};

}  // namespace

std::string folded_frame(const std::string& name) {
  std::string out = text::clean(name);
  for (char& c : out)
    if (c == ';') c = ',';
  return out;
}

Result<void> write_folded(Out& out, const CallTree& tree) {
  if (auto fine = check_size(tree); !fine) return fine;
  for_each_stack(tree, [&](const std::vector<uint32_t>& stack, uint64_t real) {
    for (size_t i = 0; i < stack.size(); ++i)
      out.put((i == 0 ? "" : ";") + folded_frame(tree.name(stack[i])));
    out.format(" {}\n", real);
  });
  return {};
}

std::unique_ptr<Report> make_speedscope(const traces::Catalogue& catalogue,
                                        const ReportOptions& options, Out& out) {
  return std::make_unique<Stacks<write_speedscope>>(catalogue, options, out);
}
std::unique_ptr<Report> make_folded(const traces::Catalogue& catalogue,
                                    const ReportOptions& options, Out& out) {
  return std::make_unique<Stacks<write_folded>>(catalogue, options, out);
}

}  // namespace compmond::exporting
