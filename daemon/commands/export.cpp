// SPDX-License-Identifier: Apache-2.0
#include "commands/export.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include "base/safe_file.h"
#include "commands/log_samples.h"
#include "commands/output_file.h"
#include "core/message.h"
#include "export/export.h"
#include "kieker/writer.h"
#include "logs/recorded_traces.h"
#include "logs/trace_logs.h"
#include "text/nearest.h"

namespace compmond::commands {
namespace {

// Those that are a folder, not a document.
struct KiekerFormat {
  const char* name;
  kieker::Records records;
  kieker::Encoding encoding;
};
constexpr std::array kKiekerFormats = {
    KiekerFormat{"kieker", kieker::Records::kExecutions, kieker::Encoding::kText},
    KiekerFormat{"kieker-binary", kieker::Records::kExecutions, kieker::Encoding::kBinary},
    KiekerFormat{"kieker-events", kieker::Records::kEvents, kieker::Encoding::kText},
    KiekerFormat{"kieker-events-binary", kieker::Records::kEvents, kieker::Encoding::kBinary},
};
const KiekerFormat* kieker_format(const std::string& name) {
  const auto found = std::ranges::find(kKiekerFormats, name, &KiekerFormat::name);
  return found == kKiekerFormats.end() ? nullptr : &*found;
}

constexpr size_t kSnapshotBytes = 256u << 20;  // 100,000 operations need some 80 MiB

// A snapshot is JSON; no log begins like that.
bool looks_like_snapshot(const std::string& path) {
  std::error_code unknown;
  if (!std::filesystem::is_regular_file(path, unknown)) return false;  // a pipe would be waited for
  std::FILE* const file = std::fopen(path.c_str(), "rb");
  if (!file) return false;
  int c = 0;
  while ((c = std::fgetc(file)) == ' ' || c == '\n' || c == '\r' || c == '\t') {
  }
  std::fclose(file);
  return c == '{';
}

// What cannot be written in the format asked for, why, and in which it can.
Unexpected refused(const ExportOptions& options, const char* what, const char* why,
                   const std::string& next) {
  return fail(Exit::kUsage, fmt::format("cannot export {} as {}", what, options.format), why, next);
}

std::string formats(auto exporting::ExportType::*writer) {
  return text::listed(exporting::export_names(writer));
}

Result<void> export_snapshot(const ExportOptions& options) {
  const auto* type = exporting::export_type(options.format);
  if (!type || !type->of_snapshot || options.inputs.size() > 1)
    return refused(options, "a snapshot",
                   options.inputs.size() > 1 ? "only one can be exported at a time"
                                             : "it knows no single executions",
                   fmt::format("A snapshot has the formats {}; record a log for others.",
                               formats(&exporting::ExportType::of_snapshot)));
  const auto text = read_file(options.inputs.front(), kSnapshotBytes);
  if (!text) return Unexpected(text.error());
  auto snapshot = snapshot::from_json(*text);
  if (!snapshot) {
    snapshot.error().what = options.inputs.front() + ": " + snapshot.error().what;
    return Unexpected(std::move(snapshot.error()));
  }
  auto output = OutputFile::open(options.output);
  if (!output) return Unexpected(std::move(output.error()));
  if (auto written = type->of_snapshot(*snapshot, *output); !written) return written;
  return output->commit();
}

logs::TraceLogs::Choice choice_of(const ExportOptions& options) {
  return {options.repair, options.inside.from, options.inside.to};
}

Result<void> export_kieker(const ExportOptions& options, const KiekerFormat& format,
                           logs::TraceLogs& logs) {
  if (options.output.empty() || is_stdout(options.output))
    return fail(Exit::kUsage, "cannot export to stdout", "a log of Kieker is a folder",
                "Name one with -o FOLDER.");
  auto writer =
      kieker::KiekerWriter::open(options.output, format.records, format.encoding, logs.catalogue());
  if (!writer) return Unexpected(std::move(writer.error()));
  const auto facts =
      logs.read(choice_of(options), [&](const auto& trace) { writer->write(trace); });
  if (!facts) return Unexpected(facts.error());
  if (const std::string lost = writer->lost(); !lost.empty()) say(lost);
  return writer->commit();
}

// Whether samples are meant: where the format can hold them, and there is nothing else.
bool of_samples(const ExportOptions& options, const exporting::ExportType* type) {
  if (options.samples) return true;
  return type && type->of_samples && options.inputs.size() == 1 &&
         logs::RecordedTraces::holds_samples_alone(options.inputs.front());
}

Result<void> export_logs(const ExportOptions& options) {
  const exporting::ExportType* type = exporting::export_type(options.format);
  if (of_samples(options, type)) {
    if (type && type->of_samples)
      return export_samples(options.inputs, options.inside, *type, options.output);
    return refused(
        options, "samples", "they know no calls",
        fmt::format("Samples have the formats {}.", formats(&exporting::ExportType::of_samples)));
  }
  if (type && !type->of_log) {
    auto able = exporting::export_names(&exporting::ExportType::of_log);
    for (const auto& one : kKiekerFormats) able.emplace_back(one.name);
    return refused(options, "traces", "the format cannot hold them",
                   fmt::format("Traces have the formats {}.", text::listed(able)));
  }
  if (!options.inside.part.empty())
    return fail(Exit::kUsage, "cannot export traces so", "--component is of samples",
                "It goes with --samples.");
  auto logs = logs::TraceLogs::open(options.inputs, options.raw_costs);
  if (!logs) return Unexpected(std::move(logs.error()));
  if (const KiekerFormat* kieker = kieker_format(options.format))
    return export_kieker(options, *kieker, *logs);
  auto output = OutputFile::open(options.output);
  if (!output) return Unexpected(std::move(output.error()));
  exporting::ReportOptions report_options;
  report_options.with_host = options.with_host;
  const auto report = type->of_log(logs->catalogue(), report_options, *output);
  const auto facts = logs->read(choice_of(options), [&](const auto& trace) { report->add(trace); });
  if (!facts) return Unexpected(facts.error());
  if (auto finished = report->finish(*facts); !finished) return finished;
  return output->commit();
}

}  // namespace

std::vector<std::string> export_format_names() {
  std::vector<std::string> out;
  for (const auto& type : exporting::export_types()) out.emplace_back(type.name);
  for (const auto& one : kKiekerFormats) out.emplace_back(one.name);
  return out;
}

int export_command(const ExportOptions& options) {
  if (options.format == "perfetto")
    return report({Exit::kUsage, "cannot export as perfetto",
                   "Perfetto opens the trace events that the format chrome writes",
                   "Use --format chrome."});
  const auto done =
      looks_like_snapshot(options.inputs.front()) ? export_snapshot(options) : export_logs(options);
  return done ? int(Exit::kOk) : report(done.error());
}

}  // namespace compmond::commands
