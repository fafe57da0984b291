// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <vector>

#include "counts/counts.h"

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
};

struct Run {
  std::vector<Slice> slices;
  RunInputs inputs;
  std::vector<double> calls;  // the truth, per item
};

inline void requests(const Server& server, Random& random, double seconds, double slow_down,
                     bool first, Run& run, Slice* slice) {
  std::vector<double> calls(server.items);
  for (size_t c = 0; c < server.clients.size(); ++c) {
    const Client& client = server.clients[c];
    const double rate = client.per_second / std::pow(slow_down, client.patience);
    const int n = std::poisson_distribution<int>(rate * seconds)(random);
    Cell cell{.stratum = client.stratum, .first = first, .complete = true};
    run.inputs.descriptor[client.stratum.descriptor] += n;
    run.inputs.size[client.stratum.size] += n;
    for (int i = 0; i < n; ++i) {
      cell.complete = i + 1 < n;  // the last one's next is outside
      if (slice) ++slice->inputs[cell];
      std::ranges::fill(calls, 0);
      server.serve(random, c, slow_down, first, calls);
      for (size_t item = 0; item < server.items; ++item) {
        run.calls[item] += calls[item];
        if (slice && slice->has(Item(item)) && calls[item] > 0)
          slice->calls[Item(item)][cell] += uint32_t(calls[item]);
      }
    }
  }
}

inline Run simulate(const Server& server, Random& random) {
  Run run;
  run.calls.resize(server.items);
  const double period = server.slice_s / server.duty;
  std::uniform_real_distribution<double> part(0, 1);
  for (double at = 0; at < server.seconds; at += period) {
    Slice slice;
    for (size_t i = 0; i < server.items; ++i)
      slice.attached.push_back(part(random) < server.attached);
    slice.start_ns = uint64_t(at * 1e9);
    slice.end_ns = slice.start_ns + uint64_t(server.slice_s * 1e9);
    slice.slow_down = server.least_slow + (server.most_slow - server.least_slow) * part(random);
    requests(server, random, period - server.slice_s, 1, false, run, nullptr);
    const double first_s = server.first_part * server.slice_s;
    requests(server, random, first_s, slice.slow_down, true, run, &slice);
    requests(server, random, server.slice_s - first_s, slice.slow_down, false, run, &slice);
    run.slices.push_back(std::move(slice));
  }
  return run;
}

struct Coverage {
  int told = 0, held = 0, far = 0, of = 0;
  double error = 0, half = 0;
  void add(const Count& count, double truth) {
    ++of;
    if (!count.told()) return;
    const Bounds b = bounds(count.value, count.variance);
    ++told;
    held += b.low <= truth && truth <= b.high;
    far += std::abs(count.value - truth) > 0.1 * truth;
    error += std::abs(count.value / truth - 1);
    half += (b.high - b.low) / 2 / truth;
  }
  double share() const { return told > 0 ? double(held) / told : 0; }
  double half_width() const { return half / std::max(told, 1); }
  std::string text() const {
    return std::to_string(held) + " of " + std::to_string(told) + " told of " + std::to_string(of) +
           ", mean error " + std::to_string(error / std::max(told, 1)) + ", half-width " +
           std::to_string(half_width()) + ", wrong by a tenth " + std::to_string(far);
  }
};

inline Coverage cover(const Server& server, size_t item, int runs, uint64_t seed) {
  Random random(seed);
  Coverage out;
  for (int i = 0; i < runs; ++i) {
    const Run run = simulate(server, random);
    out.add(count(run.slices, run.inputs, server.items, {})[item], run.calls[item]);
  }
  return out;
}

}  // namespace compmond::counts::servers
