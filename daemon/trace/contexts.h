// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "record/event.h"
#include "trace/execution.h"

namespace compmond::trace {

// What one argument of a call says.
struct Context {
  record::ContextKind kind = record::ContextKind::kTraceId;
  record::ContextType type = record::ContextType::kInteger;
  uint64_t number = 0;  // of all types but kString
  std::string text;     // of kString
  bool absent = false;  // it could not be read, or not as a whole
};

// Gathers what context events say of the call whose entry comes next on their thread.
class Contexts {
 public:
  void add(const record::Event& event);
  // Something else came than the entry that they belong to.
  void clear() { gathered_.clear(); }
  // Hands out those of a call of `op`, and forgets all.
  std::vector<Context> take(OperationId op);

 private:
  OperationId op_ = kNoOperation;
  bool unfinished_ = false;  // the last one is a string of which a part is still to come
  std::vector<Context> gathered_;
};

}  // namespace compmond::trace
