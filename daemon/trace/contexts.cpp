// SPDX-License-Identifier: Apache-2.0
#include "trace/contexts.h"

#include <utility>

namespace compmond::trace {
namespace {

using record::ContextType;

// More than capture sends of one call; only a log can hold more.
constexpr size_t kMostContexts = 4, kMostText = 64;

// The bytes of one part, to the first 0.
void append_part(std::string& text, uint64_t bytes) {
  for (; bytes & 0xff; bytes >>= 8) text.push_back(char(bytes & 0xff));
}

}  // namespace

void Contexts::add(const record::Event& event) {
  if (event.op != op_) {
    clear();
    op_ = event.op;
  }
  const auto kind = record::context_kind(event.flags);
  const auto type = record::context_type(event.flags);
  const bool goes_on = !gathered_.empty() && unfinished_ && type == ContextType::kString &&
                       gathered_.back().kind == kind;
  if (!goes_on) {
    if (!gathered_.empty() && unfinished_) gathered_.back().absent = true;
    if (gathered_.size() == kMostContexts) return;
    gathered_.push_back({kind, type, 0, {}, (event.flags & record::kContextAbsent) != 0});
  }
  unfinished_ = type == ContextType::kString && (event.flags & record::kContextMore);
  Context& context = gathered_.back();
  if (type != ContextType::kString)
    context.number = event.arg;
  else if (context.text.size() < kMostText)
    append_part(context.text, event.arg);
  else
    context.absent = true;
}

std::vector<Context> Contexts::take(OperationId op) {
  std::vector<Context> out = std::exchange(gathered_, {});
  if (op != op_) out.clear();
  if (!out.empty() && unfinished_) out.back().absent = true;
  return out;
}

}  // namespace compmond::trace
