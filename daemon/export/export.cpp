// SPDX-License-Identifier: Apache-2.0
#include "export/export.h"

#include "drawing/picture.h"
#include "export/exports.h"
#include "export/inside.h"

namespace compmond::exporting {
namespace {

using traces::Catalogue;

template <Format format>
std::unique_ptr<Report> make_graph(const Catalogue& catalogue, const ReportOptions& options,
                                   Out& out) {
  ReportOptions with_format = options;
  with_format.format = format;
  return make_dependency_graph(catalogue, with_format, out);
}

template <Format format>
Result<void> write_graph(const snapshot::Snapshot& snapshot, Out& out) {
  return write_picture(out, drawing::picture(snapshot), format);
}

void write_folded_samples(Out& out, const snapshot::Inside& inside, const std::string&) {
  write_inside_folded(out, inside);
}

}  // namespace

const std::vector<ExportType>& export_types() {
  static const std::vector<ExportType> kTypes = {
      {"csv", "a line per execution, or per operation of a snapshot", make_csv, write_csv},
      {"chrome", "trace events, for Perfetto and chrome://tracing", make_chrome, nullptr},
      {"speedscope", "the aggregated call tree, or stacks of samples, for speedscope",
       make_speedscope, nullptr, write_inside_speedscope},
      {"folded", "the aggregated call tree, or stacks of samples, a stack per line", make_folded,
       nullptr, write_folded_samples},
      {"dot", "calls between components, for Graphviz", make_graph<Format::kDot>,
       write_graph<Format::kDot>},
      {"plantuml", "calls between components, for PlantUML", make_graph<Format::kPlantUml>,
       write_graph<Format::kPlantUml>},
      {"svg", "calls between components, drawn", make_graph<Format::kSvg>,
       write_graph<Format::kSvg>}};
  return kTypes;
}

const ExportType* export_type(std::string_view name) {
  for (const ExportType& type : export_types())
    if (type.name == name) return &type;
  return nullptr;
}

}  // namespace compmond::exporting
