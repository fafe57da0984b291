// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "guard/zygote.h"
#include "sampling/unwinder.h"
#include "unwind/desk.h"
#include "unwind/serve.h"
#include "walk/address_space.h"

namespace compmond::unwind {

// Unwinds in a confined child, since files and stacks are other people's. A child that dies, or
// that does not get on for two seconds, is replaced by another one that is told everything again;
// the file that it was reading is not read for rows any more: what called its functions is guessed
// at best (walker.h). After kChildren of them all stacks are broken. One thread; any, after start.
class ChildUnwinder : public sampling::Unwinder {
 public:
  // How long a child is waited for, whatever it does.
  struct Patience {
    uint64_t still_ns = 2'000'000'000;    // without progress: it hangs
    uint64_t request_ns = 6'000'000'000;  // for all of one request, files read for the first time
                                          // included
  };
  using Serve = std::function<void(const Fd& channel, Desk& desk)>;

  // Before rights are given up, and before any thread. `serve` is what the child does.
  // Exit::kUnavailable.
  static Result<ChildUnwinder> start(const Serve& serve = unwind::serve,
                                     const Patience& patience = default_patience());
  ChildUnwinder(ChildUnwinder&&) = default;

  // Keeps a copy of the descriptor; a note says when there can be no more.
  void add(const sampling::Image& image, const Fd& file) override;
  void name_code(uint32_t pid, sampling::ImageNumber image, const Fd& perf_map) override;
  void map(uint32_t pid, const sampling::Mapping& mapping) override;
  void fork(uint32_t parent, uint32_t child) override;
  void forget(uint32_t pid) override;
  // Blocks for some seconds at most where something goes wrong.
  void walk(std::span<const sampling::RawSample> samples,
            const std::function<void(size_t index, const sampling::Walked& walked)>& take) override;

  // What went wrong since the last call, for people.
  std::vector<std::string> take_notes();

  static constexpr int kChildren = 8;  // each may cost some seconds

 private:
  // What may still be read of a file.
  enum class Trust : uint8_t { kRows, kSegments, kNothing };
  struct File {
    std::string path;
    Fd fd;
    Trust trust = Trust::kRows;
    int debug_files = 0;  // that were asked for
  };
  struct PerfMapFile {
    sampling::ImageNumber image = sampling::kNoImage;
    Fd fd;
    int reports = 0;
  };
  ChildUnwinder(guard::Zygote zygote, Desk desk, const Patience& patience)
      : zygote_(std::move(zygote)), desk_(std::move(desk)), patience_(patience) {}
  static Patience default_patience() { return {}; }

  bool usable() const { return channel_.valid(); }
  std::string begin_child();
  void tell(const std::string& message);
  bool flush();
  void hand_over(const Fd& file);
  void tell_file(sampling::ImageNumber number, const File& file);
  void tell_perf_map(uint32_t pid, const PerfMapFile& file);
  void tell_all();
  bool ask(size_t count);
  bool read_answer(size_t count);
  bool read_message(size_t most_bytes, uint64_t end_ns);
  bool open_debug_file();
  bool take_report();
  bool fill(size_t size, uint64_t end_ns);
  std::string blame();
  bool lose_child();

  guard::Zygote zygote_;
  Desk desk_;
  Patience patience_;
  Fd channel_;                            // of the child that there is
  bool listens_ = true;                   // it has taken all that it was told
  std::string outbox_;                    // what it has not been told yet
  std::string inbox_;                     // what came of its answer
  std::vector<sampling::Walked> walked_;  // its answer
  std::map<sampling::ImageNumber, File> files_;
  std::map<uint32_t, std::shared_ptr<PerfMapFile>> perf_maps_;  // by pid; a child has its parent's
  AddressSpaces spaces_;
  int lost_ = 0;  // children
  std::vector<std::string> notes_;
  bool too_many_mappings_ = false;  // was said
};

}  // namespace compmond::unwind
