// SPDX-License-Identifier: Apache-2.0
#include "uprobe/mender.h"

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "guard/child.h"
#include "guard/confine.h"
#include "uprobe/link.h"
#include "uprobe/way.h"

namespace compmond::uprobe {
namespace {

constexpr char kAllIsWell = 1;

// Of an image: wherever this engine may place something.
std::vector<uint64_t> places_in(const plan::Plan& plan, int image) {
  std::vector<uint64_t> out;
  for (const plan::PlannedOperation& op : plan.operations)
    for (const plan::Way& way : op.ways) {
      if (op.image != image || way.engine != kEngine || way.refused) continue;
      out.push_back(way.entry_offset);
      for (const plan::ExitPlace& exit : way.exits) out.push_back(exit.offset);
    }
  for (const plan::PlannedTransfer& transfer : plan.transfers)
    if (transfer.image == image && !way_of(transfer).refused)
      out.push_back(way_of(transfer).entry_offset);
  std::ranges::sort(out);
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

// One that the kernel refuses has the others refused with it.
void place_once(AttachKind kind, int program, const std::string& path,
                std::span<const uint64_t> offsets) {
  const Places places{{offsets.begin(), offsets.end()}, std::vector<uint64_t>(offsets.size())};
  std::vector<Fd> links;
  const bool done =
      kind == AttachKind::kPerSymbol
          ? link_per_symbol(program, path, places, false, ::getpid(), links)
          : link_multi(program, MultiType::kMulti, path, places, false, ::getpid()).valid();
  if (done || offsets.size() < 2) return;
  const size_t half = offsets.size() / 2;
  place_once(kind, program, path, offsets.first(half));
  place_once(kind, program, path, offsets.subspan(half));
}

[[noreturn]] void wait_and_mend(const Fd& channel, const plan::Plan& plan, AttachKind kind,
                                int program) {
  guard::become_helper("compmond-mend");
  std::vector<int> files{program};
  for (const plan::PlannedImage& image : plan.images)
    if (image.file) files.push_back(image.file->get());
  if (!guard::confine_mender(channel, files, kind == AttachKind::kPerSymbol).empty()) ::_exit(1);
  char word = 0;
  if (guard::receive_bytes(channel, &word, 1) && word == kAllIsWell) ::_exit(0);
  for (size_t i = 0; i < plan.images.size(); ++i)
    if (const auto offsets = places_in(plan, int(i)); !offsets.empty() && plan.images[i].file)
      place_once(kind, program, plan.images[i].file->proc_path(), offsets);
  ::_exit(0);
}

}  // namespace

Result<Mender> Mender::start(const plan::Plan& plan, AttachKind kind,
                             const ProbePrograms& programs) {
  auto child = guard::start_child(
      "cannot start a process that removes probes if this one is killed",
      [&](const Fd& channel) { wait_and_mend(channel, plan, kind, programs.entry_plain); });
  if (!child) return Unexpected(child.error());
  return Mender(std::move(*child));
}

Mender::~Mender() { guard::send_bytes(child_.channel(), {&kAllIsWell, 1}); }

}  // namespace compmond::uprobe
