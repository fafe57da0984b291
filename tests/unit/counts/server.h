// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <vector>

#include "counts/counts.h"
#include "counts/input_times.h"

// A server whose books are known, seen in slices that slow it.
namespace compmond::counts::servers {

using Random = std::mt19937_64;

struct Client {
  double per_second = 1000;  // requests while nothing slows the server
  double patience = 1;       // within a slice they come slow_down^patience times more slowly
  Stratum stratum;
};

struct Server {
  std::vector<Client> clients;
  size_t items = 1;
  // Calls to each item that one request of a client makes, drawn.
  std::function<void(Random&, size_t client, double slow_down, bool first, std::vector<double>&)>
      serve;
  double attached = 0.5;  // an item's chance to be in a slice
  double seconds = 20, slice_s = 0.05, duty = 0.1;
  double first_part = 0.2;
  double least_slow = 1.2, most_slow = 2;
  // How busy clients are from then on, drawn: 1 as their rates say. Each some 0.1 s.
  std::function<double(Random&)> activity = [](Random&) { return 1; };
  // Whether inputs are counted all the time, or around slices and in windows.
  bool windows = false;
};

struct Run {
  std::vector<Slice> slices;
  RunInputs inputs;
  std::vector<double> calls;  // the truth, per item
};

struct Moment {
  double slow_down = 1, activity = 1;
  bool first = false;
};

inline void requests(const Server& server, Random& random, double seconds, Moment moment, Run& run,
                     Slice* slice) {
  std::vector<double> calls(server.items);
  for (size_t c = 0; c < server.clients.size(); ++c) {
    const Client& client = server.clients[c];
    const double rate =
        client.per_second * moment.activity / std::pow(moment.slow_down, client.patience);
    const int n = std::poisson_distribution<int>(rate * seconds)(random);
    Cell cell{.stratum = client.stratum, .first = moment.first, .complete = true};
    run.inputs.descriptor[client.stratum.descriptor] += n;
    run.inputs.size[client.stratum.size] += n;
    for (int i = 0; i < n; ++i) {
      cell.complete = i + 1 < n;  // the last one's next is outside
      if (slice) ++slice->inputs[cell];
      std::ranges::fill(calls, 0);
      server.serve(random, c, moment.slow_down, moment.first, calls);
      for (size_t item = 0; item < server.items; ++item) {
        run.calls[item] += calls[item];
        if (slice && slice->has(Item(item)) && calls[item] > 0)
          slice->calls[Item(item)][cell] += uint32_t(calls[item]);
      }
    }
  }
}

// Counts the inputs of a run in windows, as its parts go by.
class Windows {
 public:
  explicit Windows(const Run& run) : run_(run) { times_.begin(0); }
  void over(double seconds, InputTimes::Part part) {
    Inputs seen = run_.inputs;
    seen.add(before_, -1);
    at_s_ += seconds;
    times_.add(uint64_t(at_s_ * 1e9), {.part = part, .inputs = seen});
    before_ = run_.inputs;
  }
  RunInputs told() const { return times_.of(std::vector<Window>{Window()}).inputs; }

 private:
  const Run& run_;
  InputTimes times_;
  Inputs before_;
  double at_s_ = 0;
};

// Between slices: 0.1 s after one, windows of 40 ms in two fifths of the time, 20 ms before one.
inline void between(const Server& server, Random& random, double seconds, Run& run,
                    Windows& windows) {
  using Part = InputTimes::Part;
  std::uniform_real_distribution<double> gap(0.5, 1.5);
  const auto pass = [&](double length, Part part) {
    length = std::min(length, seconds);
    if (length <= 0) return;
    requests(server, random, length, {1, server.activity(random), false}, run, nullptr);
    windows.over(length, part);
    seconds -= length;
  };
  pass(0.1, Part::kCounted);
  while (seconds > 0.02) {
    pass(std::min(0.06 * gap(random), seconds - 0.02), Part::kNot);
    pass(std::min(0.04, seconds - 0.02), Part::kSample);
  }
  pass(seconds, Part::kCounted);
}

inline Run simulate(const Server& server, Random& random) {
  Run run;
  run.calls.resize(server.items);
  Windows windows(run);
  const double period = server.slice_s / server.duty;
  std::uniform_real_distribution<double> part(0, 1);
  for (double at = 0; at < server.seconds; at += period) {
    Slice slice;
    for (size_t i = 0; i < server.items; ++i)
      slice.attached.push_back(part(random) < server.attached);
    slice.start_ns = uint64_t(at * 1e9);
    slice.end_ns = slice.start_ns + uint64_t(server.slice_s * 1e9);
    slice.slow_down = server.least_slow + (server.most_slow - server.least_slow) * part(random);
    between(server, random, period - server.slice_s, run, windows);
    const double first_s = server.first_part * server.slice_s;
    const double activity = server.activity(random);
    requests(server, random, first_s, {slice.slow_down, activity, true}, run, &slice);
    requests(server, random, server.slice_s - first_s, {slice.slow_down, activity, false}, run,
             &slice);
    windows.over(server.slice_s, InputTimes::Part::kCounted);
    run.slices.push_back(std::move(slice));
  }
  if (server.windows) run.inputs = windows.told();
  return run;
}

}  // namespace compmond::counts::servers
