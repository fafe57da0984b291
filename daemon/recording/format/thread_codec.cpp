// SPDX-License-Identifier: Apache-2.0
#include "log_format/thread_codec.h"

namespace compmond::recording {
namespace {

using record::Event;
using record::EventKind;

// The first byte of an event: kind, flags, and whether it is the exit of the topmost frame.
constexpr uint8_t kKindMask = 7, kSpelledOut = 7, kFlagShift = 3, kFlagMask = 7, kExpected = 0x40;
constexpr size_t kMostFrames = 256;

bool moves_stack(const Event& event) {
  return event.kind == EventKind::kEntry || event.kind == EventKind::kExit;
}

}  // namespace

// Whether the short forms can say it.
bool ThreadCodec::is_plain(const Event& event) const {
  if (event.time_ns < time_ns_ || event.flags > kFlagMask || event.kind > EventKind::kLoss)
    return false;
  if (moves_stack(event)) return event.arg == 0 && (event.sp - sp_) % 8 == 0;
  return event.sp == 0 && event.op == 0;
}

bool ThreadCodec::is_expected_exit(const Event& event) const {
  return event.kind == EventKind::kExit && !frames_.empty() && event.sp == frames_.back().sp &&
         event.op == frames_.back().op;
}

void ThreadCodec::follow(const Event& event) {
  time_ns_ = event.time_ns;
  if (!moves_stack(event)) return;
  sp_ = event.sp;
  const bool entry = event.kind == EventKind::kEntry;
  const bool tail_call = event.flags & record::kTailCall;
  while (!frames_.empty() &&
         (frames_.back().sp < event.sp || (entry && !tail_call && frames_.back().sp == event.sp)))
    frames_.pop_back();
  if (!entry) {
    if (!frames_.empty() && frames_.back().sp == event.sp) frames_.pop_back();
  } else if (!(event.flags & record::kEntryOnly) && frames_.size() < kMostFrames) {
    frames_.push_back({event.sp, event.op});
  }
}

void ThreadCodec::put(std::string& out, const Event& event) {
  if (!is_plain(event)) {
    out.push_back(char(kSpelledOut));
    out.push_back(char(event.kind));
    out.push_back(char(event.flags));
    put_varint(out, zigzag(event.time_ns - time_ns_));
    put_varint(out, event.op);
    put_varint(out, event.sp);
    put_varint(out, event.arg);
    return follow(event);
  }
  const bool expected = is_expected_exit(event);
  out.push_back(char(uint8_t(event.kind) | event.flags << kFlagShift | (expected ? kExpected : 0)));
  put_varint(out, event.time_ns - time_ns_);
  if (!moves_stack(event)) {
    put_varint(out, event.arg);
  } else if (!expected) {
    put_varint(out, event.op);
    put_varint(out, zigzag(uint64_t(int64_t(event.sp - sp_) / 8)));
  }
  follow(event);
}

bool ThreadCodec::take(Unpacker& in, Event& event) {
  const auto first = uint8_t(in.fixed(1));
  if ((first & kKindMask) == kSpelledOut) {
    event.kind = EventKind(in.fixed(1));
    event.flags = uint8_t(in.fixed(1));
    event.time_ns = time_ns_ + unzigzag(in.varint());
    event.op = uint32_t(in.varint());
    event.sp = in.varint();
    event.arg = in.varint();
    if (event.kind >= EventKind::kUnknown) return false;
    if (event.kind == EventKind::kTransfer && event.flags >= record::kTransfers) return false;
  } else {
    event.kind = EventKind(first & kKindMask);
    event.flags = (first >> kFlagShift) & kFlagMask;
    event.time_ns = time_ns_ + in.varint();
    if (!moves_stack(event)) {
      event.arg = in.varint();
    } else if (!(first & kExpected)) {
      event.op = uint32_t(in.varint());
      event.sp = sp_ + unzigzag(in.varint()) * 8;
    } else if (event.kind == EventKind::kExit && !frames_.empty()) {
      event.op = frames_.back().op;
      event.sp = frames_.back().sp;
    } else {
      return false;
    }
  }
  follow(event);
  return in.ok();
}

}  // namespace compmond::recording
