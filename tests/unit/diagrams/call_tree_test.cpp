// SPDX-License-Identifier: Apache-2.0
#include "diagrams/call_tree.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <set>

#include "diagrams/flame.h"

using namespace compmond;
using namespace compmond::diagrams;

namespace {

struct SampleTree : snapshot::CallTree {
  std::vector<snapshot::AnalysisView::Operation> operations;
};

CallTree tree_of(const SampleTree& sample) { return {sample.operations, sample}; }

// $ → a → (b → c, c)
SampleTree small() {
  SampleTree view;
  view.operations = {{"A", "a"}, {"B", "b"}, {"C", "c"}};
  view.nodes = {{-1, -1, 2, 100, 0},
                {0, 0, 2, 100, 30},
                {1, 1, 5, 50, 20},
                {1, 2, 1, 20, 20},
                {2, 2, 4, 30, 30}};
  return view;
}

std::vector<uint32_t> nodes_of(const std::vector<TreeRow>& rows) {
  std::vector<uint32_t> nodes;
  for (const TreeRow& row : rows) nodes.push_back(row.node);
  return nodes;
}

SampleTree random_view() {
  SampleTree view;
  for (int i = 0; i < 5; ++i) view.operations.push_back({"C" + std::to_string(i % 3), "o"});
  view.nodes.push_back({-1, -1, 1, 0, 0});
  const int nodes = *rc::gen::inRange(0, 60);
  for (int i = 1; i <= nodes; ++i)
    view.nodes.push_back({*rc::gen::inRange(-1, i + 1), *rc::gen::inRange<int64_t>(-1, 7),
                          *rc::gen::inRange<uint64_t>(0, 9), *rc::gen::inRange<uint64_t>(0, 1000),
                          *rc::gen::inRange<uint64_t>(0, 1000)});
  return view;
}

}  // namespace

TEST_CASE("call tree: children, depths, and real times of all below") {
  const CallTree tree = tree_of(small());
  REQUIRE(tree.nodes.size() == 5);
  CHECK(tree.nodes[1].children == std::vector<uint32_t>{2, 3});
  CHECK(tree.nodes[4].depth == 3);
  CHECK(tree.nodes[2].below_ns == 50);
  CHECK(tree.nodes[0].below_ns == 100);
  CHECK(tree.operation(0) == nullptr);
  CHECK(tree.operation(4)->component == "C");
  CHECK(tree.find(tree.nodes[4].key) == &tree.nodes[4]);
}

TEST_CASE("call tree: boxes of a flame graph are as wide as times without what probes took") {
  auto view = small();
  view.nodes[2].less_probes_ns = view.nodes[2].real_ns - 1;
  const CallTree tree = tree_of(view);
  CHECK(tree.nodes[2].real_ns == view.nodes[2].real_ns - 1);
  CHECK(tree.nodes[0].below_ns == 99);
  CHECK(flame_ns(tree.nodes[1], FlameWidth::kRaw) == view.nodes[1].raw_ns - 1);
  CHECK(flame_ns(tree.nodes[3], FlameWidth::kRaw) == view.nodes[3].raw_ns);
}

TEST_CASE("call tree: paths keep their keys when they are numbered otherwise, twins differ") {
  auto other = small();
  std::swap(other.operations[0], other.operations[2]);
  for (auto& node : other.nodes)
    if (node.operation == 0 || node.operation == 2) node.operation = 2 - node.operation;
  other.nodes.push_back({2, 0, 1, 1, 1});  // c a second time below b
  const CallTree tree = tree_of(small()), renumbered = tree_of(other);
  CHECK(renumbered.nodes[4].key == tree.nodes[4].key);
  CHECK(renumbered.nodes[5].key != tree.nodes[4].key);
  CHECK(tree.nodes[3].key != tree.nodes[4].key);  // the same operation on another path
}

TEST_CASE("call tree: what does not fit together is left out with all below it") {
  auto view = small();
  view.nodes[2].operation = 99;
  const CallTree tree = tree_of(view);
  CHECK(tree.nodes.size() == 3);
  CHECK(tree_of({}).empty());
}

TEST_CASE("tree rows: siblings by a column, opened as told") {
  const CallTree tree = tree_of(small());
  TreeOpening opening;
  CHECK(nodes_of(tree_rows(tree, {TreeColumn::kRaw, true}, opening, nullptr)) ==
        std::vector<uint32_t>{0, 1, 2, 4, 3});
  CHECK(nodes_of(tree_rows(tree, {TreeColumn::kName, true}, opening, nullptr)) ==
        std::vector<uint32_t>{0, 1, 3, 2, 4});
  CHECK(nodes_of(tree_rows(tree, {TreeColumn::kCount, false}, opening, nullptr)) ==
        std::vector<uint32_t>{0, 1, 3, 2, 4});
  opening.by_hand[tree.nodes[2].key] = false;
  CHECK(nodes_of(tree_rows(tree, {}, opening, nullptr)) == std::vector<uint32_t>{0, 1, 2, 3});
  opening = {0, {}};
  CHECK(tree_rows(tree, {}, opening, nullptr).size() == 1);
}

TEST_CASE("tree rows: siblings as the analysis has them") {
  auto view = small();
  std::swap(view.nodes[1].raw_ns, view.nodes[2].raw_ns);
  const auto rows =
      tree_rows(tree_of(view), {TreeColumn::kStart, false}, TreeOpening::all(), nullptr);
  for (size_t i = 1; i < rows.size(); ++i)
    if (view.nodes[rows[i].node].parent == view.nodes[rows[i - 1].node].parent)
      CHECK(rows[i].node > rows[i - 1].node);
  CHECK(rows.size() == view.nodes.size());
}

TEST_CASE("tree rows: a search shows what it found and the way there, whatever is closed") {
  const CallTree tree = tree_of(small());
  const std::vector<char> found{0, 0, 0, 0, 1};
  CHECK(nodes_of(tree_rows(tree, {}, {0, {}}, &found)) == std::vector<uint32_t>{0, 1, 2, 4});
}

TEST_CASE("flame: callers lie over what they call, as wide as their times") {
  const CallTree tree = tree_of(small());
  const Flame whole = flame(tree, 0, FlameWidth::kRaw, 1000);
  REQUIRE(whole.boxes.size() == 5);
  CHECK(whole.rows == 4);
  CHECK(whole.boxes[1].x1 == doctest::Approx(1000));
  CHECK(whole.boxes[2].node == 2);
  CHECK(whole.boxes[2].x1 == doctest::Approx(500));
  const Flame zoomed = flame(tree, 2, FlameWidth::kRaw, 1000);
  CHECK(zoomed.boxes[0].around);
  CHECK(zoomed.boxes[1].around);
  CHECK(zoomed.boxes[2].node == 2);
  CHECK(zoomed.boxes[2].x1 == doctest::Approx(1000));
  CHECK(zoomed.boxes[3].x1 == doctest::Approx(600));
}

TEST_CASE("flame: what is too narrow is folded with its figures, not dropped") {
  auto view = small();
  for (int i = 0; i < 100; ++i) view.nodes.push_back({1, 2, 1, 1, 1});
  view.nodes[1].raw_ns = 100'000;
  const Flame narrow = flame(tree_of(view), 0, FlameWidth::kRaw, 1000);
  REQUIRE(narrow.folds.size() == 1);
  CHECK(narrow.folds[0].paths == 102);
  CHECK(narrow.folds[0].count == 106);
  CHECK(narrow.rows == 3);
}

TEST_CASE("flame: boxes of a row never overlap and lie within their callers, whatever the times") {
  rc::check([] {
    const CallTree tree = tree_of(random_view());
    const auto what = *rc::gen::element(FlameWidth::kRaw, FlameWidth::kReal);
    const auto top = *rc::gen::inRange<uint32_t>(0, 70);
    const Flame made = flame(tree, top, what, 800);
    std::vector<std::pair<int, FlameBox>> placed;
    std::set<uint32_t> seen;
    for (const FlameBox& box : made.boxes) {
      RC_ASSERT(seen.insert(box.node).second);
      RC_ASSERT(box.x0 >= -1e-6 && box.x1 <= 800 + 1e-6 && box.x0 <= box.x1 + 1e-9);
      RC_ASSERT(box.row == tree.nodes[box.node].depth &&
                box.row < std::max(made.rows, box.row + 1));
      for (const FlameBox& other : made.boxes)
        if (other.row == box.row && other.node != box.node)
          RC_ASSERT(other.x1 <= box.x0 + 1e-6 || box.x1 <= other.x0 + 1e-6);
      for (const FlameBox& caller : made.boxes)
        if (int32_t(caller.node) == tree.nodes[box.node].parent)
          RC_ASSERT(caller.x0 <= box.x0 + 1e-6 && box.x1 <= caller.x1 + 1e-6);
    }
  });
}
