// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>

#include "ui/kit/canvas.h"

namespace compmond::ui {

// Rows of one height, in a part of the canvas that scrolls. Lives within a frame, and takes what is
// drawn meanwhile.
class RowList {
 public:
  // Between these two heights of the canvas. `id` tells it from others of the view.
  RowList(const char* id, const Canvas& canvas, float top, float bottom, float row_height);
  RowList(const RowList&) = delete;
  RowList& operator=(const RowList&) = delete;
  ~RowList();

  const Canvas& body() const { return body_; }  // where the rows are to be seen
  // Scrolls as little as needed for that row to be seen whole.
  void reveal(size_t row) const;
  // Draws the rows in sight; `y`: the upper end of that row.
  void rows(size_t count, const std::function<void(size_t row, float y)>& draw) const;

 private:
  const float row_height_;
  const Canvas body_;
};

}  // namespace compmond::ui
