// SPDX-License-Identifier: Apache-2.0
#include "log_format/slice_codec.h"

#include <algorithm>
#include <utility>

#include "archive/reader.h"
#include "archive/shape.h"
#include "archive/writer.h"

namespace compmond::recording {
namespace {

// The JSON, as plain values.
namespace written {

struct Inputs {
  uint64_t since_ns = 0, until_ns = 0;
  bool begins = false;
  uint32_t part = 0;
  double slowed = 0;
  std::vector<uint64_t> descriptor, size;  // of each stratum with inputs: its number, how many
};

struct Calls {
  uint32_t op = 0;
  std::vector<uint32_t> cells;  // of each: descriptor, size, flags, how many; ascending
};

struct Callers {
  uint32_t from = 0, op = 0;
  uint64_t calls = 0;
};

struct Slice {
  uint64_t start_ns = 0, end_ns = 0;
  double slow_down = 1;
  std::vector<uint32_t> attached;  // operations, ascending
  std::vector<uint32_t> inputs;    // as cells
  std::vector<Calls> calls;
  std::vector<Callers> callers;
};

struct Step {
  std::optional<Inputs> inputs;
  std::optional<Slice> slice;
};

struct Block {
  std::vector<Step> steps;
};

template <class A>
void shape(A& a, archive::As<Inputs> auto& v) {
  a("since_ns", v.since_ns);
  a("until_ns", v.until_ns);
  a("begins", v.begins);
  a("part", v.part);
  a("slowed", v.slowed);
  a("descriptor", v.descriptor);
  a("size", v.size);
}

template <class A>
void shape(A& a, archive::As<Calls> auto& v) {
  a("op", v.op);
  a("cells", v.cells);
}

template <class A>
void shape(A& a, archive::As<Callers> auto& v) {
  a("from", v.from);
  a("op", v.op);
  a("calls", v.calls);
}

template <class A>
void shape(A& a, archive::As<Slice> auto& v) {
  a("start_ns", v.start_ns);
  a("end_ns", v.end_ns);
  a("slow_down", v.slow_down);
  a("attached", v.attached);
  a("inputs", v.inputs);
  a("calls", v.calls);
  a.maybe("callers", v.callers);
}

template <class A>
void shape(A& a, archive::As<Step> auto& v) {
  a.if_any("inputs", v.inputs);
  a.if_any("slice", v.slice);
}

template <class A>
void shape(A& a, archive::As<Block> auto& v) {
  a("steps", v.steps);
}

}  // namespace written

using counts::Cell;
using counts::Cells;
using counts::kStrata;
using counts::Strata;
using Part = counts::InputTimes::Part;

constexpr const char* kWhat = "not a chunk of slices";
constexpr uint32_t kFirst = 1, kComplete = 2, kCarried = 4;  // flags of a cell
constexpr uint64_t kMostInputs = uint64_t(1) << 53;          // of a stratum: exact in a double

void find_times(const SliceBlock& block, ChunkHead& head) {
  head.min_ns = UINT64_MAX;
  head.max_ns = 0;
  for (const SliceBlock::Step& step : block.steps) {
    const auto* inputs = std::get_if<SliceBlock::Inputs>(&step);
    head.min_ns = std::min(
        head.min_ns, inputs ? inputs->since_ns : std::get<SliceBlock::Taken>(step).slice.start_ns);
    head.max_ns = std::max(head.max_ns, time_of(step));
  }
  head.min_ns = std::min(head.min_ns, head.max_ns);
}

std::vector<uint64_t> written_strata(const Strata& strata) {
  std::vector<uint64_t> out;
  for (size_t h = 0; h < kStrata; ++h)
    if (strata[h] > 0) out.insert(out.end(), {h, uint64_t(strata[h])});
  return out;
}

std::vector<uint32_t> written_cells(const Cells& cells) {
  std::vector<uint32_t> out;
  for (const auto& [cell, count] : cells)
    out.insert(out.end(), {cell.stratum.descriptor, cell.stratum.size,
                           (cell.first ? kFirst : 0) | (cell.complete ? kComplete : 0) |
                               (cell.carried ? kCarried : 0),
                           count});
  return out;
}

written::Step written_step(const SliceBlock::Inputs& inputs) {
  const counts::InputTimes::Seen& seen = inputs.seen;
  return {.inputs =
              written::Inputs{inputs.since_ns, inputs.until_ns, inputs.begins, uint32_t(seen.part),
                              seen.slowed, written_strata(seen.inputs.descriptor),
                              written_strata(seen.inputs.size)},
          .slice = {}};
}

written::Step written_step(const SliceBlock::Taken& taken) {
  const counts::Slice& slice = taken.slice;
  written::Slice out;
  out.start_ns = slice.start_ns;
  out.end_ns = slice.end_ns;
  out.slow_down = slice.slow_down;
  for (uint32_t i = 0; i < slice.attached.size(); ++i)
    if (slice.attached[i]) out.attached.push_back(i);
  out.inputs = written_cells(slice.inputs);
  for (const auto& [item, cells] : slice.calls) out.calls.push_back({item, written_cells(cells)});
  for (const auto& [pair, calls] : taken.callers)
    out.callers.push_back({pair.first, pair.second, calls});
  return {.inputs = {}, .slice = std::move(out)};
}

// Back again; `wrong` once something is out of range.
class Reading {
 public:
  Reading(const ChunkHead& head, size_t operations) : head_(head), operations_(operations) {}
  bool wrong() const { return wrong_; }

  SliceBlock::Step step(const written::Step& from) {
    if (from.inputs.has_value() == from.slice.has_value()) wrong_ = true;
    if (from.slice) return taken(*from.slice);
    return from.inputs ? inputs(*from.inputs) : SliceBlock::Inputs{};
  }

 private:
  bool fine(bool good) { return good || (wrong_ = true, false); }
  void check_times(uint64_t from_ns, uint64_t to_ns) {
    fine(from_ns >= head_.min_ns && from_ns < to_ns && to_ns <= head_.max_ns);
  }

  Strata strata(const std::vector<uint64_t>& from) {
    Strata out{};
    if (!fine(from.size() % 2 == 0)) return out;
    for (size_t i = 0; i < from.size(); i += 2)
      if (fine(from[i] < kStrata && from[i + 1] <= kMostInputs)) out[from[i]] = double(from[i + 1]);
    return out;
  }

  // Ascending, so that there are no more than there can be, and adding them takes no time.
  Cells cells(const std::vector<uint32_t>& from) {
    Cells out;
    if (!fine(from.size() % 4 == 0)) return out;
    std::optional<Cell> last;
    for (size_t i = 0; i < from.size(); i += 4) {
      const uint32_t flags = from[i + 2];
      if (!fine(from[i] < kStrata && from[i + 1] < kStrata && flags < 2 * kCarried)) break;
      const Cell cell{.stratum = {uint8_t(from[i]), uint8_t(from[i + 1])},
                      .first = (flags & kFirst) != 0,
                      .complete = (flags & kComplete) != 0,
                      .carried = (flags & kCarried) != 0};
      if (!fine(!last || last->key() < cell.key())) break;
      out[cell] = from[i + 3];
      last = cell;
    }
    return out;
  }

  SliceBlock::Inputs inputs(const written::Inputs& from) {
    check_times(from.since_ns, from.until_ns);
    fine(from.part <= uint32_t(Part::kNot) && from.slowed >= 0 && from.slowed <= 1);
    return {from.since_ns,
            from.until_ns,
            from.begins,
            {Part(from.part), {strata(from.descriptor), strata(from.size)}, from.slowed}};
  }

  SliceBlock::Taken taken(const written::Slice& from) {
    check_times(from.start_ns, from.end_ns);
    SliceBlock::Taken out;
    counts::Slice& slice = out.slice;
    slice.start_ns = from.start_ns;
    slice.end_ns = from.end_ns;
    fine(from.slow_down >= 1);
    slice.slow_down = from.slow_down;
    slice.attached.resize(operations_);
    for (const uint32_t i : from.attached)
      if (fine(i < operations_)) slice.attached[i] = true;
    slice.inputs = cells(from.inputs);
    for (const written::Calls& calls : from.calls)
      if (fine(slice.has(calls.op))) slice.calls[calls.op] = cells(calls.cells);
    for (const written::Callers& callers : from.callers)
      if (fine(callers.from < operations_ && callers.op < operations_))
        out.callers[{callers.from, callers.op}] = callers.calls;
    return out;
  }

  const ChunkHead& head_;
  size_t operations_;
  bool wrong_ = false;
};

Unexpected malformed(std::string why) {
  return fail(Exit::kData, kWhat, std::move(why), "The rest of the log can be read.");
}

}  // namespace

std::string encode(const SliceBlock& block, ChunkHead& head) {
  written::Block out;
  for (const SliceBlock::Step& step : block.steps)
    out.steps.push_back(std::visit([](const auto& one) { return written_step(one); }, step));
  head.type = ChunkType::kSlices;
  head.events = uint32_t(block.steps.size());
  head.first_event = block.first_step;
  find_times(block, head);
  return archive::written(JsonLayout::kCompact,
                          [&](archive::Writer& writer) { shape(writer, out); });
}

Result<SliceBlock> decode_slices(const ChunkHead& head, std::string_view payload,
                                 size_t operations) {
  const archive::ParsedJson json(payload);
  if (!json.is_object()) return malformed("no JSON object where one belongs");
  written::Block from;
  archive::Document document{kWhat, "The rest of the log can be read.", false, {}};
  archive::Reader reader(json, document);
  shape(reader, from);
  if (document.error) return Unexpected(std::move(*document.error));
  if (from.steps.size() != head.events || from.steps.size() > kMaxSliceSteps)
    return malformed("it does not have as many steps as it says");
  SliceBlock out;
  out.first_step = head.first_event;
  Reading reading(head, operations);
  for (const written::Step& step : from.steps) out.steps.push_back(reading.step(step));
  if (reading.wrong()) return malformed("a number in it is out of range");
  return out;
}

}  // namespace compmond::recording
