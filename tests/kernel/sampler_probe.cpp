// SPDX-License-Identifier: Apache-2.0
// Takes samples of processes until its stdin ends, and prints as JSON how many there were of what.
//   sampler_probe [--hz N] [--no-waits] [--no-forks] [--exe FILE] [--all] [--give-up] [--top N]
//   PID…
// --top: each stack's first frame is said to begin so many bytes above its stack pointer.
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <tuple>

#include "core/message.h"
#include "guard/rights.h"
#include "pipeline/sample_drain.h"
#include "sampler/cpu_times.h"
#include "sampler/sampler.h"

using namespace compmond;
using namespace compmond::sampling;

namespace {

// Knows where a thread is, and not who called.
class FirstFrame : public Unwinder {
 public:
  void add(const Image& image, const Fd& file) override { opened_[image.number] = file.valid(); }
  void name_code(uint32_t, ImageNumber, const Fd&) override {}  // it names nothing
  void map(uint32_t pid, const Mapping& mapping) override { maps_[pid][mapping.start] = mapping; }
  void fork(uint32_t parent, uint32_t child) override { maps_[child] = maps_[parent]; }
  void forget(uint32_t pid) override { maps_.erase(pid); }
  void walk(std::span<const RawSample> samples,
            const std::function<void(size_t, const Walked&)>& take) override {
    for (size_t i = 0; i < samples.size(); ++i) {
      stack_bytes += samples[i].stack.size();
      const uint64_t pc = samples[i].head->registers[16];
      const uint64_t rsp = samples[i].head->registers[7];
      Walked walked{.ended = Ended::kComplete,
                    .frames = {find(samples[i].head->pid, pc)},
                    .stack_top = top ? rsp + top : 0};
      same_stacks += is_memory(samples[i].head->pid, rsp, samples[i].stack);
      take(i, walked);
    }
  }
  bool opened(ImageNumber number) const {
    const auto found = opened_.find(number);
    return found != opened_.end() && found->second;
  }
  uint64_t stack_bytes = 0;
  uint64_t same_stacks = 0;  // that are in the target's memory still
  size_t top = 0;

 private:
  static bool is_memory(uint32_t pid, uint64_t address, std::span<const std::byte> stack) {
    std::vector<std::byte> now(stack.size());
    iovec to{now.data(), now.size()}, from{reinterpret_cast<void*>(address), now.size()};
    return ::process_vm_readv(pid_t(pid), &to, 1, &from, 1, 0) == ssize_t(now.size()) &&
           std::ranges::equal(now, stack);
  }
  Frame find(uint32_t pid, uint64_t pc) const {
    const auto of = maps_.find(pid);
    if (of == maps_.end()) return {UINT32_MAX, pc};
    auto next = of->second.upper_bound(pc);
    if (next == of->second.begin()) return {UINT32_MAX, pc};
    const Mapping& mapping = std::prev(next)->second;
    if (pc >= mapping.end) return {UINT32_MAX, pc};
    return {mapping.image, pc - mapping.start + mapping.offset};
  }
  std::map<uint32_t, std::map<uint64_t, Mapping>> maps_;
  std::map<ImageNumber, bool> opened_;
};

struct Sums {
  uint64_t count = 0, off_ns = 0, runnable_ns = 0, weight_ns = 0;
};

// What is printed.
struct Books : SampleSink {
  std::map<ImageNumber, std::string> images{{kNoImage, "[none]"}, {UINT32_MAX, "[unknown]"}};
  std::map<std::tuple<uint32_t, uint32_t, bool, ImageNumber, bool>, Sums> sums;
  std::map<uint32_t, uint64_t> cpu_ns;
  std::vector<Stretch> stretches;
  uint64_t late = 0;  // samples of a time that was said to be complete

  void on_image(const Image& image) override { images[image.number] = image.path; }
  void on_function(const Function&) override {}
  void on_sample(const Sample& sample) override {
    if (!stretches.empty() && sample.time_ns < stretches.back().end_ns) ++late;
    const bool off = sample.kind == Sample::Kind::kOffCpu;
    Sums& sum = sums[{sample.pid, sample.tid, off, sample.frames[0].image, sample.in_kernel}];
    sum.count += 1;
    sum.off_ns += sample.off_ns;
    sum.runnable_ns += sample.runnable_ns;
    sum.weight_ns += sample.weight_ns;
  }
  void on_stretch(const Stretch& stretch) override {
    for (const auto& process : stretch.processes) cpu_ns[process.pid] += process.cpu_ns;
    stretches.push_back(stretch);
  }
};

// The sampler, and how often it was drained.
struct Counted : SampleSource {
  explicit Counted(SampleSource& of) : source(of) {}
  void drain(SampleSink& sink) override {
    ++drains;
    source.drain(sink);
  }
  Rest rest() override { return source.rest(); }
  SampleSource& source;
  uint64_t drains = 0;
};

template <class List, class Text>
std::string joined(const List& list, const Text& text) {
  std::string out;
  for (const auto& one : list) out += (out.empty() ? "" : ",\n  ") + text(one);
  return "[" + out + "]";
}

void print_all(const Books& books, const FirstFrame& unwinder,
               const std::vector<sampler::Sampler::Move>& arrivals, const sampler::Sampler& sampler,
               uint64_t drains) {
  const auto sample = [&](const auto& one) {
    const auto& [pid, tid, off, image, in_kernel] = one.first;
    const Sums& s = one.second;
    return fmt::format(R"({{"pid":{},"tid":{},"off":{},"image":"{}","in_kernel":{},"count":{},)"
                       R"("off_ns":{},"runnable_ns":{},"weight_ns":{}}})",
                       pid, tid, off,
                       books.images.contains(image) ? books.images.at(image) : "[untold]",
                       in_kernel, s.count, s.off_ns, s.runnable_ns, s.weight_ns);
  };
  const auto image = [&](const auto& one) {
    return fmt::format(R"({{"path":"{}","opened":{}}})", one.second, unwinder.opened(one.first));
  };
  const auto stretch = [&](const Stretch& one) {
    return fmt::format(
        R"({{"start_ns":{},"end_ns":{},"hz":{:.3f},"off_cpu":{},"period_ns":{},"lost":{}}})",
        one.start_ns, one.end_ns, one.hz, one.off_cpu, one.off_cpu_period_ns, one.lost);
  };
  const auto arrival = [&](const auto& one) {
    return fmt::format(R"({{"pid":{},"parent":{}}})", one.pid, one.parent);
  };
  const auto cpu = [&](const auto& one) {
    return fmt::format(R"({{"pid":{},"cpu_ns":{}}})", one.first, one.second);
  };
  const auto note = [&](const std::string& one) { return fmt::format(R"("{}")", one); };
  fmt::print(
      "{{\"samples\":{},\n\"images\":{},\n\"stretches\":{},\n\"arrivals\":{},\n\"cpu\":{},\n"
      "\"notes\":{},\n\"targets\":{},\n\"drains\":{},\"late\":{},\"stack_bytes\":{},\"same_"
      "stacks\":{},\"own_cpu_"
      "ns\":{}}}\n",
      joined(books.sums, sample), joined(books.images, image), joined(books.stretches, stretch),
      joined(arrivals, arrival), joined(books.cpu_ns, cpu), joined(sampler.notes(), note),
      joined(sampler.all(), [](pid_t pid) { return std::to_string(pid); }), drains, books.late,
      unwinder.stack_bytes, unwinder.same_stacks, sampler::process_cpu_ns(::getpid()).value_or(0));
}

struct Arguments {
  sampler::Sampler::Options options;
  std::vector<pid_t> pids;
  bool give_up = false;
  size_t top = 0;
};

Arguments read_arguments(int argc, char** argv) {
  Arguments out;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    struct stat st {};
    if (word == "--hz") {
      out.options.hz = std::atof(argv[++i]);
    } else if (word == "--top") {
      out.top = size_t(std::atol(argv[++i]));
    } else if (word == "--no-waits") {
      out.options.off_cpu = false;
    } else if (word == "--no-forks") {
      out.options.targets.follow_forks = false;
    } else if (word == "--all") {
      out.options.targets.all_of_exe = true;
    } else if (word == "--give-up") {
      out.give_up = true;
    } else if (word == "--exe" && ::stat(argv[++i], &st) == 0) {
      out.options.targets.programs = {{st.st_ino, uint32_t(st.st_dev)}};
    } else {
      out.pids.push_back(std::atoi(word.c_str()));
    }
  }
  return out;
}

Result<void> run(const Arguments& arguments) {
  FirstFrame unwinder;
  unwinder.top = arguments.top;
  Books books;
  auto opened = sampler::Sampler::open(arguments.options, unwinder);
  if (!opened) return Unexpected(opened.error());
  sampler::Sampler& sampler = **opened;
  for (const pid_t pid : arguments.pids)
    if (auto added = sampler.add(pid); !added) return added;
  if (arguments.give_up)
    if (auto given = guard::give_up_rights({}); !given) return given;
  sampler.set_recording(engine::Recording::kOn);
  Counted source(sampler);
  pipeline::SampleDrain drain(source, books);
  drain.start();
  fmt::print("ready\n");
  std::fflush(stdout);
  for (char byte = 0; ::read(STDIN_FILENO, &byte, 1) == 1;) {
  }
  sampler.set_recording(engine::Recording::kOff);
  drain.stop();
  auto arrivals = sampler.take_moves();
  std::erase_if(arrivals, [](const auto& move) { return move.left; });
  print_all(books, unwinder, arrivals, sampler, source.drains);
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  const auto done = run(read_arguments(argc, argv));
  return done ? 0 : report(done.error());
}
