// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>

#include "base/result.h"
#include "front/options.h"
#include "front/run.h"
#include "guard/file_writer.h"
#include "protocol/view_request.h"
#include "snapshot/snapshot.h"

namespace compmond::front {

// What is told of the inside of a part when the run has ended: a table, and its paths in files.
class InsideOutput {
 public:
  // Files are written with the rights that there are now; comes before any thread.
  static Result<InsideOutput> open(const InsideOptions& options);

  // Whether the run knows such a part; else an error, before it begins.
  Result<void> ask(const Run& run);
  // Of the window of `last`, which the summary before it is of. Does nothing where no part was
  // named.
  Result<void> show(Run& run, const snapshot::Snapshot& last, std::FILE* to);

 private:
  explicit InsideOutput(InsideOptions options) : options_(std::move(options)) {}
  Result<void> write(const snapshot::AnalysisView& view);

  InsideOptions options_;
  std::optional<guard::FileWriter> folded_, speedscope_;
  snapshot::AnalysisRequest request_;
};

}  // namespace compmond::front
