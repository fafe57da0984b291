// SPDX-License-Identifier: Apache-2.0
#include "logs.h"

#include <vector>

#include "json_texts.h"
#include "log_format/codec.h"
#include "log_format/sample_codec.h"
#include "log_format/slice_codec.h"
#include "recording/log_file.h"

namespace compmond::fuzz {
namespace {

using recording::ChunkHead;
using recording::ChunkType;

constexpr uint64_t kStart = 1'000'000'000;
constexpr size_t kChunks = 64;                // more take long and tell nothing new
constexpr size_t kPayloadBytes = 256u << 10;  // likewise

struct Chunk {
  ChunkHead head;
  std::string payload;
};

std::vector<Chunk> chunks_of(std::string_view log) {
  std::vector<Chunk> out;
  while (out.size() < kChunks) {
    const size_t at = log.find(recording::kChunkMagic);
    if (at == log.npos) break;
    log.remove_prefix(at);
    const auto head = recording::parse_head(log);
    if (!head || head->raw > kPayloadBytes) {
      log.remove_prefix(1);
      continue;
    }
    log.remove_prefix(recording::kHeadBytes);
    auto payload = recording::unseal(*head, log.substr(0, head->stored));
    if (payload) out.push_back({*head, std::move(*payload)});
  }
  std::erase_if(out, [](const Chunk& one) { return one.head.type == ChunkType::kIndex; });
  return out;
}

std::string sealed(std::vector<Chunk> chunks, bool with_index) {
  std::string out;
  std::vector<recording::ChunkPlace> places;
  for (Chunk& chunk : chunks) {
    const uint64_t at = out.size();
    out += recording::seal(chunk.head, chunk.payload);
    places.push_back({at, chunk.head});
  }
  return with_index ? out + recording::log_end(places, out.size()) : out;
}

void change_head(ChunkHead& head, Dice& dice) {
  switch (dice.below(5)) {
    case 0:
      head.events = uint32_t(dice.number(head.events)) % (recording::kMaxEvents + 1);
      return;
    case 1:
      head.first_event = dice.number(head.first_event);
      return;
    case 2:
      head.min_ns = dice.number(head.min_ns);
      return;
    case 3:
      head.max_ns = dice.number(head.max_ns);
      return;
    default:
      head.type = ChunkType(dice.below(8));
  }
}

void change_payload(Chunk& chunk, Dice& dice) {
  const bool text = chunk.head.type == ChunkType::kHeader || chunk.head.type == ChunkType::kState ||
                    chunk.head.type == ChunkType::kSlices;
  if (text && !dice.one_in(8)) {
    if (auto changed = mutated_json(chunk.payload, dice); !changed.empty())
      chunk.payload = std::move(changed);
  } else {
    chunk.payload = mutated(chunk.payload);
  }
}

recording::Header header() {
  recording::Header out;
  out.run = "0123456789abcdef";
  out.spec_text = R"({"schema":"compmond.spec/1","name":"a","components":[{"name":"A"}]})";
  out.components = {{"A", -1}, {"A/B", 0}};
  out.connections = {{0, 1}};
  for (int i = 0; i < 2; ++i) {
    recording::Operation& op = out.operations.emplace_back();
    op.component = i;
    op.name = op.symbol = "f";
    op.interface = "in";
    op.exit_mode = "return-probe";
    op.code = {{256, 256}};
    op.next_ways.emplace_back().exit_mode = "ret-sites";
  }
  out.transfers.push_back({"throw", "_Unwind_RaiseException", "/lib/a", "uprobe", "push", 3});
  out.engines = {{"uprobe", "session", true}};
  out.samples_hz = 99;
  out.start_ns = out.begin_ns = out.state.as_of_ns = kStart;
  out.state.targets.push_back({100, "/bin/a", "", 5, true});
  recording::State::Change& change = out.state.changes.emplace_back();
  change.away = {{kStart, kStart + 5}};
  out.state.busy.spans = {{kStart, kStart + 5}};
  out.state.too_hot = {1};
  out.state.was_too_hot_until_ns = {0, kStart};
  out.state.slices_stopped = true;
  out.state.corrections.push_back({"uprobe", "push", "return-probe", 0.5});
  return out;
}

Chunk events() {
  using record::EventKind;
  recording::Block block;
  uint64_t time_ns = kStart;
  for (uint32_t thread = 0; thread < 2; ++thread) {
    block.threads.push_back({thread, {100, 100 + thread, 5, "worker"}});
    block.steps.push_back({recording::Block::Call::kThread, thread, 0, 0});
    block.steps.push_back({recording::Block::Call::kEvents, thread, 8, 0});
    for (const auto& [kind, op] :
         std::initializer_list<std::pair<EventKind, uint32_t>>{{EventKind::kContext, 0},
                                                               {EventKind::kEntry, 0},
                                                               {EventKind::kEntry, 1},
                                                               {EventKind::kStayed, 1},
                                                               {EventKind::kExit, 1},
                                                               {EventKind::kTransfer, 0},
                                                               {EventKind::kLoss, 0},
                                                               {EventKind::kThreadExit, 0}}) {
      record::Event& event = block.events.emplace_back();
      event.time_ns = time_ns += 100;
      event.kind = kind;
      event.op = op;
      event.sp = op == 0 ? 0x7000 : 0x6f00;
    }
  }
  block.steps.push_back({recording::Block::Call::kInterrupt, 0, 0, time_ns});
  Chunk out;
  out.payload = recording::encode(block, out.head);
  return out;
}

Chunk samples() {
  recording::SampleBlock block;
  block.images.push_back({sampling::kFirstFile, "/bin/a", 1, 2, "ab"});
  block.functions.push_back({sampling::kFirstFile, 256, 512, "f"});
  block.calls = {{recording::SampleBlock::kNoCall, {sampling::kFirstFile, 300}},
                 {0, {sampling::kFirstFile, 400}}};
  for (uint32_t i = 0; i < 4; ++i) {
    auto& [sample, innermost] = block.samples.emplace_back();
    sample.kind = i < 2 ? sampling::Sample::Kind::kOnCpu : sampling::Sample::Kind::kOffCpu;
    sample.pid = sample.tid = 100;
    sample.time_ns = kStart + 1000 * i;
    innermost = i % 2;
  }
  auto& [stretch, after] = block.stretches.emplace_back();
  stretch.start_ns = kStart;
  stretch.end_ns = kStart + 10'000;
  stretch.hz = 99;
  stretch.processes = {{100, 5000}};
  after = 4;
  Chunk out;
  out.payload = recording::encode(block, out.head);
  return out;
}

Chunk slices() {
  recording::SliceBlock block;
  recording::SliceBlock::Inputs inputs{kStart, kStart + 10'000, true, {}};
  inputs.seen.inputs.descriptor[3] = inputs.seen.inputs.size[4] = 20;
  recording::SliceBlock::Taken taken;
  taken.slice.start_ns = kStart + 1000;
  taken.slice.end_ns = kStart + 2000;
  taken.slice.attached = {true, true};
  taken.slice.inputs[{.stratum = {3, 4}, .complete = true}] = 5;
  taken.slice.calls[0][{.stratum = {3, 4}, .first = true}] = 7;
  taken.slice.calls[1][{.carried = true}] = 1;
  taken.slice.seen = {true, true};
  taken.slice.edges[{0, 1}][{}] = 1;
  taken.singles.singles = {{0, 1, taken.slice.start_ns, 1, 0, 1.0, true}};
  block.steps = {inputs, taken};
  Chunk out;
  out.payload = recording::encode(block, out.head);
  return out;
}

Chunk text_chunk(ChunkType type, std::string json) {
  ChunkHead head;
  head.type = type;
  head.min_ns = head.max_ns = kStart + 20'000;
  return {head, std::move(json)};
}

}  // namespace

std::string sound_log() {
  recording::State state = header().state;
  state.ended = true;
  state.as_of_ns = kStart + 20'000;
  state.events = 16;
  state.samples = 4;
  return sealed({text_chunk(ChunkType::kHeader, to_json(header())), events(), samples(), slices(),
                 text_chunk(ChunkType::kState, to_json(state))},
                true);
}

std::string mutated_log(std::string_view log, Dice& dice) {
  std::vector<Chunk> chunks = chunks_of(log);
  if (chunks.empty()) return {};
  for (size_t changes = 1 + dice.below(3); changes > 0; --changes) {
    Chunk& chunk = dice.of(chunks);
    if (dice.one_in(3)) {
      change_head(chunk.head, dice);
    } else if (!dice.one_in(4)) {
      change_payload(chunk, dice);
    } else if (dice.one_in(3) && chunks.size() > 1) {
      chunks.erase(chunks.begin() + ptrdiff_t(dice.below(chunks.size())));
    } else if (dice.one_in(2)) {
      std::swap(chunk, dice.of(chunks));
    } else {
      const Chunk copy = chunk;
      chunks.insert(chunks.begin() + ptrdiff_t(dice.below(chunks.size())), copy);
    }
  }
  return sealed(std::move(chunks), dice.one_in(2));
}

}  // namespace compmond::fuzz
