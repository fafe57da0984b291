// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/fd.h"

// Samples: what threads of observed processes did at single moments. A kind of evidence beside the
// events of engine/: they say where time goes, and know no calls. Nothing here holds a byte of a
// target's stack, only places in code.
namespace compmond::sampling {

// Images are numbered in the order in which they are met; a number is never reused in a run.
using ImageNumber = uint32_t;
constexpr ImageNumber kKernel = 0;   // its address is the kernel's own
constexpr ImageNumber kNoImage = 1;  // memory of the process that belongs to no file
constexpr ImageNumber kVdso = 2;     // the kernel's code that every process maps
constexpr ImageNumber kFirstFile = 3;

// A file that processes execute code from.
struct Image {
  ImageNumber number = 0;
  std::string path;                     // as its process sees it
  uint64_t device = 0, inode = 0;       // makedev form; 0: not known
  std::string build_id;                 // lowercase hex, or empty
  std::shared_ptr<const Fd> file = {};  // null: it could not be opened, or there is none
};

// A place in code. Of a caller it is within the call: one before the return address.
struct Frame {
  ImageNumber image = kNoImage;
  uint64_t vaddr = 0;  // as in the file, before relocation; as in memory where there is no file
  bool operator==(const Frame&) const = default;
};

// Code around frames. A function that is split, by the compiler or around another one, has several
// such with one name; those of one image with one name are the same function.
struct Function {
  ImageNumber image = kNoImage;
  uint64_t start = 0, end = 0;  // as Frame::vaddr
  std::string name;  // as people write it, of a cold part that of its function; empty: the file has
                     // no symbol there, only call frame information
};

enum class Ended : uint8_t {
  kComplete,   // at the thread's first function
  kTruncated,  // more of the stack exists than was copied: callers are missing
  kBroken,     // nobody knows how to go on: likewise
};

struct Sample {
  enum class Kind : uint8_t { kOnCpu, kOffCpu };
  Kind kind = Kind::kOnCpu;
  Ended ended = Ended::kComplete;
  bool in_kernel = false;  // on CPU: the kernel worked for it
  bool in_probe = false;   // on CPU: for a probe, whosever (Stretch::sees_probes)
  uint32_t pid = 0, tid = 0;
  uint64_t time_ns = 0;  // CLOCK_MONOTONIC; off CPU: when the thread came back
  // Off CPU: how long it was away, how much of that it waited for a CPU (preempted or woken), and
  // the time that it stands for: off_ns, or more where only some of such waits are taken.
  uint64_t off_ns = 0, runnable_ns = 0, weight_ns = 0;
  std::span<const Frame> frames;  // innermost first; borrowed for the call; the kernel's is not one
};

// A part of the run's time in which samples were taken at one rate. Parts follow each other without
// gaps, each at most some seconds long.
struct Stretch {
  uint64_t start_ns = 0, end_ns = 0;
  double hz = 0;                   // on-CPU samples per second and busy CPU; 0: none were taken
  bool off_cpu = false;            // whether waiting times were sampled all the while
  bool sees_probes = false;        // whether samples tell that the kernel worked for a probe
  uint64_t off_cpu_period_ns = 0;  // waits at least that long are all taken; shorter ones stand
                                   // for it
  struct ProcessTime {
    uint32_t pid = 0;
    uint64_t cpu_ns = 0;  // CPU time that it used meanwhile, exactly
  };
  std::vector<ProcessTime> processes;  // those that used any
  uint64_t lost = 0;                   // samples that had no room on their way
};

// Where samples go. One thread.
class SampleSink {
 public:
  virtual ~SampleSink() = default;
  virtual void on_image(const Image& image) = 0;  // before the first frame in it
  // Before the first frame in it, if it is known; again where it was told before already.
  virtual void on_function(const Function& function) = 0;
  virtual void on_sample(const Sample& sample) = 0;
  virtual void on_stretch(const Stretch& stretch) = 0;  // after all samples of its time
};

// Where samples come from: the kernel, a replayed log, a list in a test.
class SampleSource {
 public:
  virtual ~SampleSource() = default;
  // Hands over what is there. To be called some ten times a second, or as rest() says, always on
  // one thread.
  virtual void drain(SampleSink& sink) = 0;
  // For how long nothing is late or lost without drain(), unless one of `news` becomes readable.
  struct Rest {
    uint64_t ns = 0;
    std::span<const int> news = {};  // borrowed from the source
  };
  virtual Rest rest() { return {}; }  // after drain(), on its thread
  // CPU time that taking samples has cost their targets so far. Any thread.
  virtual uint64_t cost_ns() const { return 0; }
};

}  // namespace compmond::sampling
