// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "log_format/bytes.h"
#include "record/event.h"

namespace compmond::recording {

// Packs and unpacks the events of one thread within one chunk, each as the difference to what the
// events before it lead to expect (docs/log-format.md, "Events"). Both sides keep the same state.
class ThreadCodec {
 public:
  explicit ThreadCodec(uint64_t base_ns) : time_ns_(base_ns) {}

  void put(std::string& out, const record::Event& event);
  bool take(Unpacker& in, record::Event& event);  // false: malformed

 private:
  struct Frame {
    uint64_t sp;
    record::OperationId op;
  };
  bool is_plain(const record::Event& event) const;
  bool is_expected_exit(const record::Event& event) const;
  void follow(const record::Event& event);

  uint64_t time_ns_;
  uint64_t sp_ = 0;
  std::vector<Frame> frames_;  // believed to be open
};

}  // namespace compmond::recording
