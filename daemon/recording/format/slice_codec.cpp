// SPDX-License-Identifier: Apache-2.0
#include "log_format/slice_codec.h"

#include <algorithm>
#include <map>
#include <utility>

#include "archive/reader.h"
#include "archive/writer.h"
#include "log_format/slice_json.h"

namespace compmond::recording {
namespace {

using counts::Cell;
using counts::Cells;
using counts::kStrata;
using counts::Strata;
using Part = counts::InputTimes::Part;

constexpr const char* kNoSlices = "not a chunk of slices";
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

std::optional<uint64_t> written_count(std::optional<double> count) {
  return count ? std::optional(uint64_t(*count)) : std::nullopt;
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

std::vector<uint32_t> written_operations(const std::vector<bool>& which) {
  std::vector<uint32_t> out;
  for (uint32_t i = 0; i < which.size(); ++i)
    if (which[i]) out.push_back(i);
  return out;
}

std::vector<written::Singles> written_singles(const singles::Seen& seen) {
  std::map<uint32_t, written::Singles> out;
  for (const singles::Single& single : seen.singles) {
    written::Singles& to = out[single.operation];
    to.times.insert(to.times.end(),
                    {single.thread, single.start_ns, single.duration_ns, single.probes_ns});
    to.weights.push_back(single.weight);
    to.outermost.push_back(single.outermost);
  }
  for (const auto& [operation, edges] : seen.edges) {
    out[operation].cut = edges.cut;
    out[operation].orphans = edges.orphans;
  }
  std::vector<written::Singles> list;
  for (auto& [operation, singles] : out) {
    singles.op = operation;
    list.push_back(std::move(singles));
  }
  return list;
}

written::Step written_step(const SliceBlock::Inputs& inputs) {
  const counts::InputTimes::Seen& seen = inputs.seen;
  return {.inputs = written::Inputs{inputs.since_ns, inputs.until_ns, inputs.begins,
                                    uint32_t(seen.part), seen.slowed, written_count(seen.received),
                                    written_strata(seen.inputs.descriptor),
                                    written_strata(seen.inputs.size)},
          .slice = {}};
}

written::Step written_step(const SliceBlock::Taken& taken) {
  const counts::Slice& slice = taken.slice;
  written::Slice out;
  out.start_ns = slice.start_ns;
  out.end_ns = slice.end_ns;
  out.slow_down = slice.slow_down;
  out.attached = written_operations(slice.attached);
  out.seen = written_operations(slice.seen);
  out.inputs = written_cells(slice.inputs);
  for (const auto& [item, cells] : slice.calls) out.calls.push_back({item, written_cells(cells)});
  for (const auto& [pair, cells] : slice.edges)
    out.edges.push_back({pair.first, pair.second, written_cells(cells)});
  out.singles = written_singles(taken.singles);
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

  std::vector<bool> operations(const std::vector<uint32_t>& from) {
    std::vector<bool> out(operations_);
    for (const uint32_t i : from)
      if (fine(i < operations_)) out[i] = true;
    return out;
  }

  void add(const written::Singles& from, singles::Seen& to) {
    const size_t count = from.weights.size();
    if (!fine(from.op < operations_ && count <= singles::kPerSlice &&
              from.times.size() == 4 * count && from.outermost.size() == count))
      return;
    for (size_t i = 0; i < count; ++i) {
      const uint64_t* time = &from.times[4 * i];
      const uint64_t left_ns = to.slice.end_ns - std::min(to.slice.end_ns, time[1]);
      if (!fine(time[0] <= UINT32_MAX && time[1] >= to.slice.start_ns && time[2] <= left_ns &&
                time[3] <= time[2] && from.weights[i] >= 1))
        return;
      to.singles.push_back({from.op, uint32_t(time[0]), time[1], time[2], time[3], from.weights[i],
                            from.outermost[i] != 0});
    }
    if (from.cut + from.orphans > 0) to.edges[from.op] = {from.cut, from.orphans};
  }

  SliceBlock::Inputs inputs(const written::Inputs& from) {
    check_times(from.since_ns, from.until_ns);
    fine(from.part <= uint32_t(Part::kNot) && from.slowed >= 0 && from.slowed <= 1);
    fine(from.received.value_or(0) <= kMostInputs);
    SliceBlock::Inputs out{from.since_ns, from.until_ns, from.begins, {}};
    out.seen = {Part(from.part), {strata(from.descriptor), strata(from.size)}, from.slowed, {}};
    if (from.received) out.seen.received = double(*from.received);
    return out;
  }

  SliceBlock::Taken taken(const written::Slice& from) {
    check_times(from.start_ns, from.end_ns);
    SliceBlock::Taken out;
    counts::Slice& slice = out.slice;
    slice.start_ns = from.start_ns;
    slice.end_ns = from.end_ns;
    fine(from.slow_down >= 1);
    slice.slow_down = from.slow_down;
    slice.attached = operations(from.attached);
    slice.seen = operations(from.seen);
    slice.inputs = cells(from.inputs);
    for (const written::Calls& calls : from.calls)
      if (fine(slice.has(calls.op))) slice.calls[calls.op] = cells(calls.cells);
    for (const written::Edge& edge : from.edges)
      if (fine(slice.saw(edge.from) && slice.saw(edge.op)))
        slice.edges[{edge.from, edge.op}] = cells(edge.cells);
    out.singles.slice = {slice.start_ns, slice.end_ns};
    out.singles.slow_down = slice.slow_down;
    for (const written::Singles& singles : from.singles) add(singles, out.singles);
    std::ranges::stable_sort(out.singles.singles, {}, &singles::Single::start_ns);
    return out;
  }

  const ChunkHead& head_;
  size_t operations_;
  bool wrong_ = false;
};

Unexpected malformed(std::string why) {
  return fail(Exit::kData, kNoSlices, std::move(why), "The rest of the log can be read.");
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
  archive::Document document{kNoSlices, "The rest of the log can be read.", false, {}};
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
