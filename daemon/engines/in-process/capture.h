// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/capture.h"
#include "inprocess/source.h"
#include "sampling/moved_code.h"
#include "surgeon/surgeon.h"

namespace compmond::inprocess {

// This engine at work in one run.
class Capture final : public engine::Capture {
 public:
  // `plan` outlives it.
  Capture(std::unique_ptr<Surgeon> surgeon, const plan::Plan& plan, bool forks,
          std::shared_ptr<sampling::MovedCodes> moved);

  ~Capture() override;
  // In single processes alone. A fork of one that is patched is so from its beginning.
  Result<std::unique_ptr<engine::Placed>> place(const plan::Plan& plan,
                                                const plan::OperationStates& states,
                                                engine::Scope scope,
                                                std::span<const size_t> operations,
                                                plan::See see) override;
  bool by_process(const plan::Way&) const override { return true; }
  record::EventSource& events() override { return source_; }
  void record(engine::Recording recording) override { source_.record(recording); }
  std::string attach() const override { return "patch"; }
  std::vector<std::string> notes() const override;
  std::vector<std::string> end() override;

 private:
  std::unique_ptr<Surgeon> surgeon_;
  std::shared_ptr<sampling::MovedCodes> moved_;  // told of all that runs of ours; null: nobody asks
  std::vector<uint32_t> first_sites_;            // per operation
  Source source_;
  bool ended_ = false;
};

}  // namespace compmond::inprocess
