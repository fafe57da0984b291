// SPDX-License-Identifier: Apache-2.0
#include "front/inside_output.h"

#include <algorithm>
#include <utility>

#include "base/out.h"
#include "core/limits.h"
#include "core/message.h"
#include "export/inside.h"
#include "terminal/inside.h"

namespace compmond::front {
namespace {

Result<void> start(const std::string& path, std::optional<guard::FileWriter>& out) {
  if (path.empty()) return {};
  if (is_stdout(path))
    return fail(Exit::kUsage, "cannot write stacks to stdout", "the summary goes there",
                "Name a file.");
  auto writer = guard::FileWriter::start(path);
  if (!writer) return Unexpected(std::move(writer.error()));
  out.emplace(std::move(*writer));
  return {};
}

}  // namespace

Result<InsideOutput> InsideOutput::open(const InsideOptions& options) {
  InsideOutput out(options);
  if (auto started = start(options.folded_path, out.folded_); !started)
    return Unexpected(std::move(started.error()));
  if (auto started = start(options.speedscope_path, out.speedscope_); !started)
    return Unexpected(std::move(started.error()));
  return out;
}

Result<void> InsideOutput::ask(const Run& run) {
  if (options_.name.empty()) return {};
  auto request = run.inside_of(options_.name);
  if (!request) return Unexpected(std::move(request.error()));
  request_ = std::move(*request);
  request_.limit = limits::kExecutionsShown;
  return {};
}

Result<void> InsideOutput::show(Run& run, const snapshot::Snapshot& last, std::FILE* to) {
  if (options_.name.empty()) return {};
  snapshot::ViewRequest all;
  all.snapshot = false;
  all.window = {0, last.window_start_ns, std::max(last.window_end_ns, last.window_start_ns + 1)};
  all.analysis = request_;
  const auto view = run.view(all);
  if (!view) return Unexpected(view.error());
  const auto* inside = view->analysis->as<snapshot::Inside>();
  const std::string text =
      terminal::inside(*inside, options_.name, last, terminal::style_of(::fileno(to)));
  std::fwrite(text.data(), 1, text.size(), to);
  if (auto written = write(*view->analysis); !written) return written;
  return to == stderr ? Result<void>() : finish_stdout();
}

Result<void> InsideOutput::write(const snapshot::AnalysisView& view) {
  const auto& inside = *view.as<snapshot::Inside>();
  if (folded_) {
    StringOut text;
    exporting::write_inside_folded(text, inside);
    if (auto written = folded_->write(text.text()); !written) return written;
  }
  if (speedscope_) {
    StringOut text;
    exporting::write_inside_speedscope(text, inside, options_.name);
    if (auto written = speedscope_->write(text.text()); !written) return written;
  }
  return {};
}

}  // namespace compmond::front
