// SPDX-License-Identifier: Apache-2.0
// bench_slices PID[,PID…] IMAGE BUDGET OUT SYMBOL…: observes functions of running processes in
// slices that take that part of their CPU time, from a line on stdin to the next one, of which it
// says "begun" and "ended". Then writes what it saw to OUT (tests/unit/counts/data/README.md), and
// prints how often each function was called, as far as that tells.
#include <poll.h>

#include <chrono>
#include <fstream>
#include <map>
#include <sstream>
#include <thread>

#include "attach.h"
#include "base/clock.h"
#include "counts/collector.h"
#include "counts/counts.h"
#include "counts/slow_down.h"
#include "slicing/slice_planner.h"
#include "uprobe/kernel.h"
#include "uprobe/link.h"
#include "uprobe_sites/finder.h"

namespace {

using namespace compmond;
using namespace compmond::bench;
using namespace compmond::counts;

constexpr double kCostNs = 1000;          // of a call, before any was seen
constexpr double kLostPerSliceNs = 5e6;   // by attaching and detaching
constexpr uint64_t kFirstNs = 5'000'000;  // of a slice

struct Asked {
  std::vector<pid_t> pids;
  std::string image, out;
  double budget = 0;
  std::vector<std::string> symbols;
};

uint64_t cpu_ns(pid_t pid) {
  clockid_t clock;
  timespec time{};
  if (::clock_getcpuclockid(pid, &clock) != 0 || ::clock_gettime(clock, &time) != 0) return 0;
  return uint64_t(time.tv_sec) * 1'000'000'000 + uint64_t(time.tv_nsec);
}

bool told_within(uint64_t ns) {
  pollfd in{STDIN_FILENO, POLLIN, 0};
  char byte;
  if (::poll(&in, 1, int(ns / 1'000'000)) <= 0) return false;
  while (::read(STDIN_FILENO, &byte, 1) > 0 && byte != '\n') {
  }
  return true;
}

// Events of a slice to the collector; who calls whom by stack pointers.
class Intake : public record::EventSink {
 public:
  Intake(Collector& collector, size_t items, std::map<std::pair<Item, Item>, uint64_t>& calls)
      : calls_of(items), collector_(collector), calls_(calls) {}
  void on_thread(record::ThreadId thread, const record::ThreadInfo& info) override {
    pid_of[thread] = pid_t(info.pid);
  }
  void on_events(record::ThreadId thread, std::span<const record::Event> events) override {
    for (const record::Event& event : events) {
      if (event.kind == record::EventKind::kEntry) entry(thread, event);
      if (event.kind == record::EventKind::kExit) leave(thread, event);
      if (event.kind == record::EventKind::kLoss) die("records were lost");
      if (event.kind != record::EventKind::kInput) continue;
      const Stratum stratum{record::input_descriptor(event.arg), record::input_size(event.arg)};
      if (event.flags & record::kEarlier)
        collector_.on_earlier(thread, stratum);
      else
        collector_.on_input(thread, event.time_ns, stratum);
    }
  }

  std::vector<uint64_t> calls_of;                              // per item
  std::map<record::ThreadId, std::vector<uint64_t>> calls_in;  // likewise, per thread
  inline static std::map<record::ThreadId, pid_t> pid_of;      // told once, in whichever slice

 private:
  void entry(record::ThreadId thread, const record::Event& event) {
    auto& stack = stacks_[thread];
    while (!stack.empty() && stack.back().first <= event.sp) stack.pop_back();
    if (!stack.empty()) ++calls_[{stack.back().second, event.op}];
    stack.emplace_back(event.sp, event.op);
    collector_.on_call(thread, event.time_ns, event.op);
    ++calls_of[event.op];
    calls_in[thread].resize(calls_of.size());
    ++calls_in[thread][event.op];
  }
  void leave(record::ThreadId thread, const record::Event& event) {
    auto& stack = stacks_[thread];
    while (!stack.empty() && stack.back().first <= event.sp) stack.pop_back();
  }

  Collector& collector_;
  std::map<std::pair<Item, Item>, uint64_t>& calls_;
  std::map<record::ThreadId, std::vector<std::pair<uint64_t, Item>>> stacks_;
};

class Bench {
 public:
  explicit Bench(Asked asked)
      : asked_(std::move(asked)),
        loads_({std::vector<double>(asked_.symbols.size(), kCostNs),
                std::vector<double>(asked_.symbols.size(), kCostNs)}),
        planner_(loads_, {.lost_per_slice_ns = kLostPerSliceNs,
                          .operations = asked_.symbols.size(),
                          .seed = monotonic_ns()}) {
    const elf::Image image = open_image(asked_.image);
    uprobe::SiteFinder finder(image, false);
    for (const std::string& name : asked_.symbols)
      offsets_.push_back(
          value(image.file_offset(value(finder.find(symbol(image, name))).entry.vaddr)));
    kernel_ = value(
        uprobe::Kernel::load({.targets = {}, .operations = asked_.symbols.size(), .inputs = true}));
    for (const pid_t pid : asked_.pids)
      if (auto added = kernel_->add(pid); !added) die(added.error().text());
    counter_ = value(kernel_->count_inputs());
    kernel_->set_recording(engine::Recording::kOn);
  }

  void run() {
    fmt::print("ready\n");
    std::fflush(stdout);
    told_within(3'600'000'000'000);
    const engine::Inputs before = counter_->read();
    fmt::print("begun\n");
    std::fflush(stdout);
    const std::vector<bool> all(asked_.symbols.size(), true);
    const run::SlicePlanner::Neighbours none(asked_.symbols.size());
    for (auto next = planner_.next(all, none, asked_.budget); !told_within(next.gap_ns);
         next = planner_.next(all, none, asked_.budget))
      slice(next);
    const engine::Inputs after = counter_->read();
    fmt::print("ended\n");
    for (size_t h = 0; h < kStrata; ++h) {
      inputs_.descriptor[h] = double(after.descriptor[h] - before.descriptor[h]);
      inputs_.size[h] = double(after.size[h] - before.size[h]);
    }
    write();
    tell(after);
  }

 private:
  void slice(const run::SlicePlanner::Slice& plan) {
    uprobe::Places places;
    std::vector<bool> attached(asked_.symbols.size());
    for (size_t i = 0; i < attached.size(); ++i)
      if (plan.attach[i]) {
        attached[i] = true;
        places.offsets.push_back(offsets_[i]);
        places.cookies.push_back(i);
      }
    if (places.offsets.empty()) return;
    Fd link =
        uprobe::link_multi(kernel_->programs().session, uprobe::MultiType::kSession, asked_.image,
                           places, false, asked_.pids.size() == 1 ? asked_.pids[0] : 0);
    if (!link.valid()) die("cannot attach");
    drop();
    std::vector<uint64_t> cpu;
    for (const pid_t pid : asked_.pids) cpu.push_back(cpu_ns(pid));
    const uint64_t start_ns = monotonic_ns();
    kernel_->set_slice(++number_);
    Collector collector(start_ns, start_ns + kFirstNs, attached);
    Intake intake(collector, attached.size(), callers_);
    while (monotonic_ns() < start_ns + plan.length_ns) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      while (kernel_->drain(intake) >= record::EventSource::kDrainEvents) {
      }
    }
    kernel_->set_recording(engine::Recording::kPaused);
    kernel_->set_slice(0);
    const uint64_t end_ns = monotonic_ns();
    while (kernel_->drain(intake) > 0) {
    }
    link = Fd();
    learn(intake, attached, cpu, collector, end_ns);
    kernel_->set_recording(engine::Recording::kOn);
  }

  // What came between two slices.
  void drop() {
    Collector nothing(0, 0, {});
    std::map<std::pair<Item, Item>, uint64_t> none;
    Intake intake(nothing, asked_.symbols.size(), none);
    while (kernel_->drain(intake) > 0) {
    }
  }

  void learn(const Intake& intake, const std::vector<bool>& attached,
             const std::vector<uint64_t>& cpu, Collector& collector, uint64_t end_ns) {
    run::Loads::Seen seen{.cpu_ns = 0,
                          .attached = attached,
                          .calls = intake.calls_of,
                          .worst_per_s = std::vector<double>(attached.size())};
    std::map<pid_t, ThreadLoad> threads;
    for (size_t i = 0; i < cpu.size(); ++i) {
      threads[asked_.pids[i]].cpu_ns = double(cpu_ns(asked_.pids[i]) - cpu[i]);
      seen.cpu_ns += threads[asked_.pids[i]].cpu_ns;
    }
    for (const auto& [thread, calls] : intake.calls_in) {
      ThreadLoad& load = threads[Intake::pid_of[thread]];
      for (size_t i = 0; i < calls.size(); ++i) {
        load.probes_ns += double(calls[i]) * loads_.cost_ns(i, plan::See::kCalls);
        if (load.cpu_ns > 0.1 * seen.cpu_ns)
          seen.worst_per_s[i] = std::max(seen.worst_per_s[i], double(calls[i]) / load.cpu_ns * 1e9);
      }
    }
    std::vector<ThreadLoad> all;
    for (const auto& [pid, load] : threads) all.push_back(load);
    slices_.push_back(collector.end(end_ns, slow_down(all)));
    loads_.add(std::move(seen));
  }

  std::vector<Caller> callers() const {
    std::map<Item, double> all;
    for (const auto& [pair, calls] : callers_) all[pair.second] += double(calls);
    std::vector<Caller> out;
    for (const auto& [pair, calls] : callers_)
      out.push_back({pair.first, pair.second, double(calls) / all[pair.second]});
    return out;
  }

  void write() const {
    std::ofstream out(asked_.out);
    out << "items";
    for (const std::string& name : asked_.symbols) out << ' ' << name;
    out << "\ninputs";
    for (size_t h = 0; h < kStrata; ++h)
      if (inputs_.descriptor[h] > 0) out << ' ' << h << ':' << uint64_t(inputs_.descriptor[h]);
    for (size_t h = 0; h < kStrata; ++h)
      if (inputs_.size[h] > 0) out << ' ' << kStrata + h << ':' << uint64_t(inputs_.size[h]);
    out << "\ncallers";
    for (const auto& [pair, calls] : callers_)
      out << ' ' << pair.first << ':' << pair.second << ':' << calls;
    for (const Slice& slice : slices_) {
      out << "\nslice " << slice.start_ns << ' ' << slice.end_ns << ' ' << slice.slow_down << ' ';
      for (const bool attached : slice.attached) out << int(attached);
      out << "\nin" << cells(slice.inputs);
      for (const auto& [item, calls] : slice.calls) out << '\n' << item << cells(calls);
    }
    out << '\n';
  }
  static std::string cells(const Cells& of) {
    std::string out;
    for (const auto& [cell, count] : of)
      out += fmt::format(" {}:{}:{}:{}", cell.stratum.descriptor, cell.stratum.size,
                         cell.first + 2 * cell.complete + 4 * cell.carried, count);
    return out;
  }

  void tell(const engine::Inputs& inputs) const {
    const auto told = rates(slices_, inputs_, asked_.symbols.size(), callers());
    for (size_t i = 0; i < told.size(); ++i) {
      const Count& count = told[i].count;
      const Bounds b = bounds(count.value, count.variance);
      fmt::print("{} {:.0f} {:.0f} {:.0f} {} {}\n", asked_.symbols[i], count.value, b.low, b.high,
                 count.seen, count.told() ? "" : reason(count));
    }
    fmt::print("# {} slices, a probe costs {:.0f} ns, a system call {:.0f} ns more, {} missed\n",
               slices_.size(), loads_.cost_ns(0, plan::See::kCalls), inputs.call_ns, inputs.missed);
    std::string slowed;
    for (const Slice& slice : slices_) slowed += fmt::format(" {:.2f}", slice.slow_down);
    fmt::print("#{}\n", slowed);
  }

  Asked asked_;
  run::Loads loads_;
  run::SlicePlanner planner_;
  std::vector<uint64_t> offsets_;
  std::unique_ptr<uprobe::Kernel> kernel_;
  std::unique_ptr<uprobe::InputCounter> counter_;  // before the kernel it goes
  uint32_t number_ = 0;
  std::vector<Slice> slices_;
  std::map<std::pair<Item, Item>, uint64_t> callers_;
  RunInputs inputs_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 6) die("usage: bench_slices PID[,PID…] IMAGE BUDGET OUT SYMBOL…");
  Asked asked;
  std::istringstream pids(argv[1]);
  for (std::string pid; std::getline(pids, pid, ',');) asked.pids.push_back(std::stoi(pid));
  asked.image = argv[2];
  asked.budget = std::stod(argv[3]);
  asked.out = argv[4];
  asked.symbols.assign(argv + 5, argv + argc);
  Bench(std::move(asked)).run();
}
