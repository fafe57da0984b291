// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/words.h"

namespace compmond {

// What an argument of a call says about it. Stored as these numbers.
enum class ContextKind : uint8_t {
  kTraceId,    // the trace that it belongs to
  kSessionId,  // the session that it belongs to
  kGive,       // a pointer under which another thread goes on with the work
  kTake,       // a pointer that another thread gave
};
enum class ContextType : uint8_t { kInteger, kInt32, kPointer, kString };  // numbers but the last
constexpr auto words(ContextKind) {
  return word_table<ContextKind>({{ContextKind::kTraceId, "trace_id"},
                                  {ContextKind::kSessionId, "session_id"},
                                  {ContextKind::kGive, "give"},
                                  {ContextKind::kTake, "take"}});
}
constexpr auto words(ContextType) {
  return word_table<ContextType>({{ContextType::kInteger, "integer"},
                                  {ContextType::kInt32, "int32"},
                                  {ContextType::kPointer, "pointer"},
                                  {ContextType::kString, "string"}});
}

}  // namespace compmond
