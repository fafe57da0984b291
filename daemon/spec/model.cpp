// SPDX-License-Identifier: Apache-2.0
#include "spec/model.h"

namespace compmond::spec {

const char* to_string(ExitMode mode) {
  switch (mode) {
    case ExitMode::kAuto:
      return "auto";
    case ExitMode::kReturnProbe:
      return "return-probe";
    case ExitMode::kRetSites:
      return "ret-sites";
    case ExitMode::kEntryOnly:
      return "entry-only";
  }
  return "auto";
}

const char* to_string(Interface interface) { return interface == Interface::kIn ? "in" : "out"; }

const char* to_string(ContextKind kind) {
  switch (kind) {
    case ContextKind::kTraceId:
      return "trace_id";
    case ContextKind::kSessionId:
      return "session_id";
    case ContextKind::kGive:
      return "give";
    case ContextKind::kTake:
      return "take";
  }
  return "?";
}

const char* to_string(ContextType type) {
  switch (type) {
    case ContextType::kInteger:
      return "integer";
    case ContextType::kInt32:
      return "int32";
    case ContextType::kPointer:
      return "pointer";
    case ContextType::kString:
      return "string";
  }
  return "?";
}

std::optional<ExitMode> exit_mode_from(std::string_view text) {
  for (ExitMode mode :
       {ExitMode::kAuto, ExitMode::kReturnProbe, ExitMode::kRetSites, ExitMode::kEntryOnly})
    if (text == to_string(mode)) return mode;
  return std::nullopt;
}

}  // namespace compmond::spec
