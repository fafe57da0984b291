// SPDX-License-Identifier: Apache-2.0
#include "ui/views/traces/traces.h"

#include <GLFW/glfw3.h>

#include <algorithm>

#include "text/numbers.h"
#include "ui/kit/draw.h"
#include "ui/kit/row_list.h"
#include "ui/model/trace_links.h"
#include "ui/views/shared/empty.h"

namespace compmond::ui {
namespace {

constexpr float kControls = 42, kHead = 28, kRow = 25, kFooter = 32;  // design pixels
constexpr uint32_t kListed = 1000;  // more is not read: a search or another order is quicker

}  // namespace

snapshot::AnalysisRequest TracesView::question(const Model& model) const {
  snapshot::AnalysisRequest out;
  const TraceFilter& filter = model.traces;
  const bool classes = kListsClasses.on(model);
  out.report = classes ? snapshot::Report::kClasses : snapshot::Report::kTraces;
  out.search = filter.search;
  out.component = filter.component;
  out.operation = filter.operation;
  out.class_number = filter.class_number;
  out.min_duration_ns = filter.min_duration_ns;
  out.limit = kListed;
  if (classes) return out;  // these come by size
  out.sort = traces_order_.column == ListOrder::kName
                 ? snapshot::Sort::kOperation
                 : trace_columns()[traces_order_.column].sort.value();
  out.ascending = traces_order_.ascending;
  return out;
}

void TracesView::take(const Model& model) {
  const snapshot::AnalysisRequest now = question(model);
  if (!(now == asked_)) {
    asked_ = now;
    answer_.asked_anew(model);
    sure_ = false;
  }
  if (model.generation == taken_ || !answer_.there(model) || model.analysis->report != now.report)
    return;
  // A row that is pointed at stays where it is.
  if (shown_ && sure_ && pointed_at_ && model.window.live) return;
  sure_ = answer_.certain(model);
  taken_ = model.generation;
  shown_ = model.analysis;
  longest_ns_ = largest_ = 1;
  sessions_ = false;
  if (const auto* of = traces())
    for (const auto& row : of->rows) {
      longest_ns_ = std::max(longest_ns_, row.end_ns - row.start_ns);
      sessions_ |= !row.session.empty();
    }
  if (const auto* of = classes())
    for (const auto& row : of->rows) largest_ = std::max(largest_, row.cardinality);
  sort_classes();
}

void TracesView::sort_classes() {
  using Row = snapshot::Classes::Row;
  auto* classes = shown_->as<snapshot::Classes>();
  if (!classes) return;
  const auto by = [&](auto figure) {
    std::ranges::stable_sort(classes->rows, [&](const Row& a, const Row& b) {
      return classes_order_.ascending ? figure(a) < figure(b) : figure(b) < figure(a);
    });
  };
  if (classes_order_.column != ListOrder::kName)
    return by(class_columns()[classes_order_.column].value);
  by([&](const Row& r) {
    const auto& operation = shown_->operations[r.operation];
    return std::tie(operation.component, operation.name);
  });
}

size_t TracesView::rows() const {
  if (const auto* of = classes()) return of->rows.size();
  return traces() ? traces()->rows.size() : 0;
}

std::optional<size_t> TracesView::chosen_row(const Model& model) const {
  const TraceChoice& chosen = model.chosen;
  for (size_t i = 0; i < rows(); ++i)
    if (classes() ? chosen.class_number == classes()->rows[i].number
                  : chosen.trace == traces()->rows[i].id)
      return i;
  return std::nullopt;
}

void TracesView::choose(Model& model, size_t row) const {
  if (classes())
    model.chosen = {std::nullopt, classes()->rows[row].number};
  else
    model.chosen = {traces()->rows[row].id, std::nullopt};
}

void TracesView::open(Model& model, size_t row, ViewId view) const {
  if (classes())
    show_class(model, classes()->rows[row].number, view);
  else
    show_trace(model, traces()->rows[row].id, view);
}

bool TracesView::key(int glfw_key, Model& model) {
  const std::optional<size_t> row = chosen_row(model);
  switch (glfw_key) {
    case GLFW_KEY_UP:
    case GLFW_KEY_DOWN: {
      if (rows() == 0) return false;
      const bool down = glfw_key == GLFW_KEY_DOWN;
      const size_t last = rows() - 1;
      choose(model, !row ? (down ? 0 : last) : down ? std::min(*row + 1, last) : *row - (*row > 0));
      reveal_ = true;
      return true;
    }
    case GLFW_KEY_ENTER:
    case GLFW_KEY_KP_ENTER:
      if (row) open(model, *row, ViewId::kSequence);
      return row.has_value();
    default:
      return false;
  }
}

void TracesView::draw_absence(const Canvas& canvas, const Model& model) const {
  const auto say = [&](const std::string& sentence, const std::string& advice) {
    draw_empty(canvas.list, canvas.theme, canvas.min, canvas.max, sentence, advice);
  };
  if (!shown_) return say("Waiting for the traces of this window.", "");
  if (!(model.traces == TraceFilter{}))
    return say("No trace of this window passes the filter.", "Take a part of it away above.");
  if (const std::string quiet = no_calls_text(model); !quiet.empty()) return say(quiet, "");
  say(shown_->partial ? "The traces of this window are no longer kept."
                      : "No trace has ended in this window.",
      shown_->unfinished > 0 ? text::count(shown_->unfinished) + " still running." : "");
}

void TracesView::draw(const Canvas& canvas, Model& model) {
  take(model);  // first: it has to know what was asked before there are figures
  if (draw_empty_state(canvas, model)) return;
  draw_controls(canvas, model);
  const float top = canvas.min.y + canvas.px(kControls);
  const float bottom = canvas.max.y - canvas.px(kFooter);
  const Plan where = plan(canvas);
  const Canvas head{
      canvas.list, {canvas.min.x, top}, {canvas.max.x, top + canvas.px(kHead)}, canvas.theme};
  draw_head(head, where);
  {
    const RowList list("rows", canvas, head.max.y, bottom, canvas.px(kRow));
    const Canvas& body = list.body();
    pointed_at_ = ImGui::IsWindowHovered();
    if (rows() == 0) draw_absence(body, model);
    if (reveal_)
      if (const auto row = chosen_row(model)) list.reveal(*row);
    reveal_ = false;
    chosen_row_ = chosen_row(model);
    list.rows(rows(), [&](size_t i, float y) { draw_row(body, where, model, i, y); });
  }
  draw_footer({canvas.list, {canvas.min.x, bottom}, canvas.max, canvas.theme}, model);
}

}  // namespace compmond::ui
