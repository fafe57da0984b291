// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "protocol/protocol.h"
#include "protocol/view.h"
#include "protocol/view_request.h"
#include "snapshot/snapshot.h"

namespace compmond::front {

// What people look at: a live run or a replayed one. Of one thread.
class Run {
 public:
  virtual ~Run() = default;

  virtual const std::string& spec_name() const = 0;
  // Only a live run can be recorded, only a replayed one moved.
  virtual bool is_replay() const = 0;
  // Nobody comes to harm while this process is stopped: no probes, or in what stops with it only.
  virtual bool may_be_suspended() const = 0;

  // Looks after all that changes by itself, and ends the run where nothing more will come. Wants to
  // be called every service_ns(), and at once when wake_fd(), if that is valid, is readable.
  virtual void service() = 0;
  virtual uint64_t service_ns() const = 0;
  virtual const Fd& wake_fd() const = 0;

  // Takes in what is still under way and ends the run; what it left stays to be looked at.
  virtual void stop() = 0;
  // Nothing more comes, unless somebody moves a replay.
  virtual bool ended() const = 0;

  // What is to be shown now, of the last `window_s` seconds; <= 0: the whole run. Changes nothing.
  virtual snapshot::Snapshot snapshot(double window_s, const std::string& metric,
                                      const snapshot::HeatWish& heat) = 0;
  // What deviations are from, instead of the run's own past.
  virtual void compare_with(const snapshot::Snapshot& saved) = 0;
  // The answer to a client, at most 20 ms old; errors as in present::answer_view.
  virtual Result<snapshot::View> view(const snapshot::ViewRequest& request) = 0;

  // What to ask view() for the inside of a part, by one word. Exit::kData, with the nearest names,
  // where it names none; where there are no samples.
  virtual Result<snapshot::AnalysisRequest> inside_of(const std::string& name) const = 0;

  // With --exit-on-slo: the first execution that missed its objective, in words; looked for by
  // service() and stop().
  virtual const std::optional<std::string>& missed_objective() const = 0;
  // What is to be said beside the summary, in lines.
  virtual std::vector<std::string> last_words() const = 0;

  // Flight recorder (--record-last): writes the newest seconds to the log's file; tells where.
  virtual Result<std::string> save_recording() = 0;
  // "pause", "play", "step" and "seek" of a replay; of a live run what switches its probes; tells
  // what was done.
  virtual Result<std::string> control(const snapshot::ControlRequest& request) = 0;
  // All probes away or back, and what was done. None: there are none by now.
  virtual std::optional<Result<std::string>> toggle_probes() = 0;
};

}  // namespace compmond::front
