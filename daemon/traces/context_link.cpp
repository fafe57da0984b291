// SPDX-License-Identifier: Apache-2.0
#include "traces/context_link.h"

#include <fmt/format.h>

namespace compmond::traces {

std::optional<TraceLink> link_of(const trace::Context& context, uint32_t eoi, uint64_t log,
                                 uint32_t pid) {
  TraceLink link;
  link.kind = context.kind;
  link.eoi = int32_t(eoi);
  switch (context.type) {
    case ContextType::kInteger:
    case ContextType::kInt32:
      link.value = fmt::to_string(int64_t(context.number));
      break;
    case ContextType::kString:
      link.value = context.text;
      break;
    case ContextType::kPointer:
      link.scope = (log + 1) << 32 | pid;
      if (context.number != 0) link.value = fmt::format("{}:{:#x}", pid, context.number);
      break;
  }
  if (link.value.empty()) return std::nullopt;
  return link;
}

}  // namespace compmond::traces
