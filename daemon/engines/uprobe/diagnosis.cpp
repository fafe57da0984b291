// SPDX-License-Identifier: Apache-2.0
#include "uprobe/diagnosis.h"

#include <fmt/format.h>

#include <utility>

#include "bpf_engine/needs.h"
#include "uprobe/attach_kind.h"
#include "uprobe/calibration.h"
#include "uprobe_sites/site.h"

namespace compmond::uprobe {
namespace {

const char* needs(AttachKind kind) {
  switch (kind) {
    case AttachKind::kSession:
      return "needs kernel 6.13";
    case AttachKind::kMulti:
      return "needs kernel 6.6";
    case AttachKind::kPerSymbol:
      break;
  }
  return "needs CAP_SYS_ADMIN and /sys mounted";
}

}  // namespace

engine::Diagnosis diagnose() {
  using engine::Verdict;
  engine::Diagnosis out;
  if (!bpf_engine::check_needs(out)) return out;
  for (const AttachKind kind : kAttachKinds) {
    auto tried = calibrate(kind);
    const std::string what = fmt::format("attach: {}", to_text(kind));
    if (!tried) {
      if (!out.works()) out.outcome = tried.error().code;
      const Verdict verdict = out.works() ? Verdict::kNote : Verdict::kBad;
      out.findings.push_back({verdict, what, tried.error().why, needs(kind)});
      continue;
    }
    out.findings.push_back(
        {Verdict::kGood, what, out.works() ? "works (not needed)" : "works: this one is used"});
    if (!out.works()) out.costs = std::move(tried->costs);
    out.outcome = Exit::kOk;
  }
  out.sites = all_words<SiteKind>();
  return out;
}

}  // namespace compmond::uprobe
