// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <vector>

#include "ui/kit/table_head.h"
#include "ui/views/shared/view.h"
#include "ui/views/table/table_rows.h"

namespace compmond::ui {

inline constexpr float kTableRow = 25, kTableHead = 30;  // design pixels

// Components as rows that open to their operations, figures as columns.
class TableView : public View {
 public:
  void draw(const Canvas& canvas, Model& model) override;

 private:
  struct Column {
    size_t index;  // of table_columns()
    float right;   // where its text ends
    float width;
    float spread = 0;  // of that, kept at the right for how far an estimate may be off
  };
  struct Plan {
    float name_right = 0, spark_left = 0, spark_right = 0;  // no sparkline where they are equal
    std::vector<Column> columns;
    float left = 0, right = 0;  // between which they are seen
    float beyond = 0;           // what of them is not, in pixels: it is scrolled to

    bool shows(const Column& column) const {  // the whole of it: half a figure is none
      return column.right - column.width >= left - 1 && column.right <= right;
    }
  };
  Plan plan(const Canvas& canvas, const Model& model) const;
  void scroll(const Canvas& canvas, const Plan& plan);  // by wheel and bar
  void sort_rows(const Canvas& canvas, const Model& model);
  bool pointed_at(const Canvas& canvas, const Model& model);  // lately
  void draw_head(const Canvas& canvas, const Plan& plan,
                 const snapshot::Snapshot& snapshot);  // a canvas of its own
  struct Known {
    bool measured;    // figures were taken
    bool wanted;      // that not all is seen: somebody switched something off
    std::string off;  // all of it, since when
  };
  enum class RowKind { kComponent, kGroup, kOperation };  // a group: of what is inside it
  void head_cell(const Canvas& canvas, const snapshot::Snapshot& snapshot, size_t column,
                 const HeadCell& cell);
  void draw_row(const Canvas& canvas, const Plan& plan, Model& model, const TableRow& row, float y);
  void draw_cells(const Canvas& canvas, const Plan& plan, const Model& model, const TableRow& row,
                  float y) const;
  float name_width(const Canvas& canvas, const Model& model, const TableRow& row) const;
  void draw_name(const Canvas& canvas, const Plan& plan, Model& model, const TableRow& row,
                 float y);
  void figure_tooltip(const Canvas& canvas, const Model& model, size_t column,
                      const snapshot::Figures& figures, const Known& known) const;
  void draw_figures(const Canvas& canvas, const Plan& plan, const Model& model,
                    const snapshot::Figures& figures, const Known& known, RowKind kind,
                    float y) const;

  TableOrder order_;
  std::set<std::string> expanded_;
  std::vector<TableRow> rows_;
  struct SortedFor {
    TableOrder order;
    std::set<std::string> expanded;
    std::string search;
    size_t components = 0;
    std::string metric;
    uint64_t window_ns = 0;
    std::set<std::string> hidden, isolated;
    bool operator==(const SortedFor&) const = default;
  } sorted_for_;
  double sorted_s_ = -1e9;
  double pointed_s_ = -1e9;         // when the mouse last moved over the rows
  uint64_t sorted_generation_ = 0;  // of the model
  float name_width_ = 0;            // of the longest name
  float scrolled_ = 0;              // of the columns to the left, in pixels
};

}  // namespace compmond::ui
