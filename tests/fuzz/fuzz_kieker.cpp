// SPDX-License-Identifier: Apache-2.0
// kieker::KiekerReader on any folder, and what is made of its traces. An input is text: kieker.map
// (a map of all known types where it is empty), then the .dat files, each behind a line "=".
#include <algorithm>
#include <string>

#include "bytes.h"
#include "kieker_side.h"

namespace compmond::fuzz {
namespace {

constexpr std::string_view kMap =
    "$0=kieker.common.record.misc.KiekerMetadataRecord\n"
    "$1=kieker.common.record.controlflow.OperationExecutionRecord\n"
    "$2=kieker.common.record.flow.trace.TraceMetadata\n"
    "$3=kieker.common.record.flow.trace.operation.BeforeOperationEvent\n"
    "$4=kieker.common.record.flow.trace.operation.AfterOperationEvent\n"
    "$5=kieker.common.record.flow.trace.operation.AfterOperationFailedEvent\n"
    "$6=kieker.common.record.flow.trace.operation.CallOperationEvent\n"
    "$7=kieker.common.record.flow.trace.concurrency.SplitEvent\n"
    "$8=kieker.common.record.system.CPUUtilizationRecord\n";
constexpr size_t kFiles = 3;

void write_input(const Folder& folder, std::string_view text) {
  for (size_t file = 0; file <= kFiles; ++file) {
    const size_t end = file < kFiles ? std::min(text.find("=\n"), text.size()) : text.size();
    const std::string_view part = text.substr(0, end);
    if (file == 0)
      folder.write("kieker.map", part.empty() ? kMap : part);
    else
      folder.write("kieker-" + std::to_string(file) + ".dat", part);
    if (end == text.size() && file > 0) return;
    text.remove_prefix(std::min(end + 2, text.size()));
  }
}

}  // namespace
}  // namespace compmond::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace compmond::fuzz;
  const Folder folder;
  write_input(folder, text_of(data, size));
  for (const bool repair : {false, true}) read_kieker_log(folder.path(), repair);
  return 0;
}
