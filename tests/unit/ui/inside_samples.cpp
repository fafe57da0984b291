// SPDX-License-Identifier: Apache-2.0
#include "inside_samples.h"

#include <utility>

namespace compmond::ui {
namespace {

using snapshot::Inside;
using snapshot::Spent;
using snapshot::Whose;

constexpr uint64_t kStart = 1'000'000'000'000, kSecond = 1'000'000'000;
constexpr double kMs = 1e6;

snapshot::Estimate about(double ms) { return {ms * kMs, 0.9 * ms * kMs, 1.1 * ms * kMs}; }

Spent spent(double cpu_ms, double waiting_ms, uint64_t samples) {
  return {about(cpu_ms), about(waiting_ms), about(cpu_ms + waiting_ms), samples};
}

Inside::Node node(int32_t parent, int32_t function, double own_cpu_ms, double own_waiting_ms,
                  double cpu_ms, double waiting_ms, uint64_t samples) {
  return {parent,       function,         own_cpu_ms * kMs, own_waiting_ms * kMs,
          cpu_ms * kMs, waiting_ms * kMs, samples};
}

}  // namespace

snapshot::AnalysisView inside_of_encrypter() {
  snapshot::AnalysisView out;
  out.report = snapshot::Report::kInside;
  out.start_ns = kStart + 17 * kSecond;
  out.end_ns = kStart + 22 * kSecond;
  Inside& inside = out.content.emplace<Inside>();
  inside.total = spent(1400, 600, 400);
  const std::string program = "/usr/bin/filehost", crypto = "/usr/lib/libcrypto.so.3";
  inside.functions = {
      {"aes_gcm_update", crypto, 0x1a40, Whose::kLibrary, spent(900, 0, 200), spent(900, 0, 200)},
      {"", "", {}, Whose::kKernel, spent(100, 600, 140), spent(100, 600, 140)},
      {"fh::FileEncrypter::encrypt(char const*, unsigned long)", program, 0x4010, Whose::kOwn,
       spent(300, 0, 47), spent(1390, 600, 397)},
      {"", crypto, 0x2b00, Whose::kLibrary, spent(90, 0, 10), spent(990, 0, 210)},
      {"fh::FileEncrypter::log()",
       program,
       0x4200,
       Whose::kOwn,
       {{10 * kMs, 2 * kMs, 30 * kMs}, {}, {10 * kMs, 2 * kMs, 30 * kMs}, 3},
       {{10 * kMs, 2 * kMs, 30 * kMs}, {}, {10 * kMs, 2 * kMs, 30 * kMs}, 3}},
      {"fh::UploadManager::store(int)", program, 0x5000, Whose::kOwn, {}, {}},
      {"", "", {}, Whose::kMissing, {}, {}},
  };
  inside.callees = {node(-1, -1, 0, 0, 1400, 600, 400),  node(0, 2, 300, 0, 1390, 600, 397),
                    node(0, 4, 10, 0, 10, 0, 3),         node(1, 3, 90, 0, 990, 0, 210),
                    node(1, 1, 100, 600, 100, 600, 140), node(3, 0, 900, 0, 900, 0, 200)};
  inside.callers = {node(-1, -1, 0, 0, 1400, 600, 400), node(0, 5, 0, 0, 1300, 550, 370),
                    node(0, 6, 0, 0, 100, 50, 30)};
  inside.taken = 1204;
  inside.off_cpu_share = 1;
  inside.all_cpu_ns = 2.4e9;
  return out;
}

void feed_inside(Stage& stage, snapshot::AnalysisView answer, snapshot::View view) {
  feed(stage, view);  // what is asked for is known then
  view.analysis = std::move(answer);
  feed(stage, std::move(view));
}

}  // namespace compmond::ui
