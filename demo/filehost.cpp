// SPDX-License-Identifier: Apache-2.0
// A file host with ten components that serves generated requests until it is told to stop. What
// request number i asks for depends on the seed and i alone, so a run with --requests is the same
// every time, whichever thread serves it. With --background 1 a thread of its own stores uploads,
// after the request was answered.
#include <pthread.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <random>
#include <string>
#include <thread>

#include "filehost/http_server.h"
#include "options.h"

namespace {

using Clock = std::chrono::steady_clock;

std::atomic<bool> stopping{false};
static_assert(std::atomic<bool>::is_always_lock_free);  // the signal handler writes it

fh::Duration log_normal(std::mt19937_64& random, std::chrono::microseconds median, double spread) {
  const double factor = std::exp(std::normal_distribution<double>(0, spread)(random));
  return std::chrono::duration_cast<fh::Duration>(median * factor);
}

fh::Request make_request(uint64_t seed, uint64_t number) {
  std::mt19937_64 random(seed * 0x9e3779b97f4a7c15 + number);
  const auto pick = [&](uint64_t below) { return random() % below; };

  fh::Request request;
  const uint64_t kind = pick(100);
  request.kind = kind < 30   ? fh::Kind::kUpload
                 : kind < 80 ? fh::Kind::kDownload
                             : fh::Kind::kListing;
  request.user = (pick(4) == 0 ? "guest" : "user") + std::to_string(pick(50));
  request.path = (pick(4) == 0 ? "/private/" : "/public/") + std::to_string(pick(1000));
  request.network = log_normal(random, std::chrono::microseconds(4000), 0.6);
  request.disk = log_normal(random, std::chrono::microseconds(2500), 0.9);
  if (request.kind == fh::Kind::kListing) {
    request.path += "/";
    request.size = static_cast<uint32_t>(5 + pick(60));
    return request;
  }
  request.path += pick(3) == 0 ? ".png" : ".txt";
  request.size = static_cast<uint32_t>(16 * 1024 + pick(512 * 1024));
  if (request.kind == fh::Kind::kUpload) {
    request.content.assign(request.size, static_cast<uint8_t>(number));
  }
  return request;
}

struct Tally {
  std::array<std::atomic<uint64_t>, 3> by_kind{};
  std::atomic<uint64_t> denied{0};
};

struct Load {
  uint64_t requests = 0;  // 0: endless
  uint64_t seed = 0;
  double per_second_and_thread = 0;
};

// One worker: takes the next number, serves that request, and keeps to its share of the rate.
void serve(fh::HTTPServer& server, const Load& load, std::atomic<uint64_t>& next, Tally& tally) {
  std::mt19937_64 random(next.load() + load.seed);
  std::exponential_distribution<double> pause(load.per_second_and_thread);
  Clock::time_point due = Clock::now();
  while (!stopping) {
    const uint64_t number = next++;
    if (load.requests != 0 && number >= load.requests) break;
    due +=
        std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(pause(random)));
    std::this_thread::sleep_until(due);
    if (Clock::now() > due + std::chrono::seconds(1)) due = Clock::now();  // overloaded: let go
    const fh::Request request = make_request(load.seed, number);
    const fh::Reply reply = server.handle(request);
    ++tally.by_kind[static_cast<size_t>(request.kind)];
    if (reply.status == 403) ++tally.denied;
  }
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = Options::parse(
      argc, argv,
      {{"--requests", 0}, {"--threads", 4}, {"--rate", 40}, {"--seed", 1}, {"--background", 0}});
  const auto threads = static_cast<int>(std::fmax(1, options.get("--threads")));
  const double rate = std::fmax(0.1, options.get("--rate"));
  const Load load{static_cast<uint64_t>(options.get("--requests")),
                  static_cast<uint64_t>(options.get("--seed")), rate / threads};

  std::signal(SIGINT, [](int) { stopping = true; });
  std::signal(SIGTERM, [](int) { stopping = true; });
  std::printf("filehost: pid %d, %d threads, %g requests/s\n", static_cast<int>(getpid()), threads,
              rate);
  std::fflush(stdout);
  options.wait_if_asked();

  fh::AccessControl access;
  fh::PluginManager plugins;
  fh::FSWriter writer;
  fh::FileEncrypter encrypter(&writer);
  fh::FileReader reader;
  fh::FileDecrypter decrypter(reader);
  fh::FileHandler files(&encrypter, &decrypter, &access);
  fh::UploadManager uploads(access, plugins, files);
  if (options.get("--background") != 0) uploads.store_in_background();
  fh::DirReader folders;
  fh::HTTPServer server(uploads, files, folders);

  std::atomic<uint64_t> next{0};
  Tally tally;
  {
    std::vector<std::jthread> workers;
    for (int i = 0; i < threads; ++i) {
      workers.emplace_back([&] { serve(server, load, next, tally); });
      const std::string name = "worker-" + std::to_string(i);
      pthread_setname_np(workers.back().native_handle(), name.c_str());
    }
  }
  std::printf("served %llu uploads, %llu downloads, %llu listings; denied %llu\n",
              static_cast<unsigned long long>(tally.by_kind[0]),
              static_cast<unsigned long long>(tally.by_kind[1]),
              static_cast<unsigned long long>(tally.by_kind[2]),
              static_cast<unsigned long long>(tally.denied));
}
