// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/window.h"
#include "protocol/protocol.h"
#include "protocol/view.h"
#include "ui/model/selection.h"
#include "ui/model/settings.h"
#include "ui/model/view_id.h"

// Everything that views read, and all that they may change: intents go back as plain changes of the
// selection, the window, the settings or the wishes. One thread. Times are ns of the daemon's
// clock.
namespace compmond::ui {

// The connection to the daemon.
struct Link {
  enum class State { kConnecting, kConnected, kLost } state = State::kConnecting;
  std::string address;  // for people
  std::string reason;   // why not connected; else what the daemon refused; may be empty
  bool parted = false;  // the daemon said so before it went
};

constexpr uint64_t kUsualWindow = 5'000'000'000;  // ns

// The window that figures are about. It follows now until it is touched.
struct ChosenWindow {
  bool live = true;
  uint64_t length_ns = kUsualWindow;  // chosen for while it is live, and live again
  uint64_t start_ns = 0, end_ns = 0;  // while not
};

// What colours and bars show, on its way to the newest snapshot's, there in about 150 ms. Digits
// are never on their way: two places would show two figures.
struct Eased {
  double hotness = 0;
};

struct Search {
  bool open = false;
  std::string text;
  size_t hit = 0;           // the marked one of those found
  bool accept = false;      // it was chosen by the keyboard
  bool has_keys = false;    // its field takes what is typed; that takes some frames
  std::string typed_early;  // before that
};

struct Toast {
  std::string text;
  bool bad = false;
  double since_s = 0;
};

// One-time actions; the app does them and sets them back.
struct Wishes {
  std::optional<snapshot::ControlRequest> control;  // of the daemon
  bool snapshot = false, picture = false;           // S, P
  std::optional<ViewId> view;                       // to switch to
  std::string list;                                 // of the top bar, to open; see menus.h
  bool quit = false;
};

struct Model {
  Link link;
  snapshot::Hello hello;
  snapshot::RunState run;
  // The newest of each that was answered; they may belong to different answers.
  std::optional<snapshot::Snapshot> snapshot;
  std::optional<snapshot::StripView> strip;
  std::optional<snapshot::ExecutionsView> executions;
  std::optional<snapshot::DetailsView> details;
  std::optional<snapshot::AnalysisView> analysis;
  uint64_t generation = 0;  // grows with each answer that was taken in

  double clock_s = 0;       // of the screen, for animation
  double heard_s = 0;       // clock_s when `run` arrived
  double heard_wall_s = 0;  // the same on the wall clock, seconds since 1970; 0: nothing did
  double changed_s = 0;     // clock_s when eased figures last had a new aim

  std::unordered_map<std::string, Eased> eased;    // by path
  std::unordered_map<std::string, uint32_t> hues;  // of components, see component_hues()
  // Connections that calls or samples took in some window that was answered of this run, by paths.
  std::set<std::pair<std::string, std::string>> taken;
  std::vector<std::string>
      short_names;  // of components, as the map writes them: to tell them apart
  std::unordered_map<std::string, std::string> names;  // of components, by path: see name_of()

  Selection selection;
  TraceChoice chosen;
  TraceFilter traces;
  ChosenWindow window;
  Settings settings;
  Search search;
  bool filter_open = false;  // its bar is there although everything counts
  Wishes wishes;
  std::optional<Toast> toast;

  const snapshot::Component* component(std::string_view path) const;
  // What is written for a component where nothing around it says where it belongs: as much of its
  // path, from the end, as no other one has.
  std::string name_of(std::string_view path) const;
  const Eased& eased_of(const std::string& path) const;  // zeros when unknown
  // Nothing arrives any more: all that is shown stands as the last answer told it.
  bool frozen() const { return link.state == Link::State::kLost; }
  // Figures go on by themselves.
  bool moves() const { return run.live && link.state == Link::State::kConnected; }
  // Now in the observed program, advanced by the screen's clock between answers while live.
  uint64_t now_ns() const;
  // Up to when figures are known: now, or where they rest on samples, what these tell by now.
  uint64_t known_ns() const;
  // Of the window while it is live: as chosen, else as long as figures need.
  uint64_t live_length_ns() const;
  // The window as it is meant to be shown now; while it is live it ends at known_ns().
  Window interval() const;
  // What the newest snapshot's figures are of: its window, as far as it is known.
  Window figures_interval() const;
  // Whether `text` of the search is part of the name, ignoring case; true for an empty search.
  bool found(std::string_view name) const;
};

// The window. Each keeps it inside [run.start_ns, now], of a replay inside the whole log, and no
// shorter than 1 us.
void go_live(Model& model);
void pause(Model& model);                                           // where it is now
void set_window(Model& model, uint64_t start_ns, uint64_t end_ns);  // pauses
void shift_window(Model& model, double windows);                    // by its length; pauses
void scale_window(Model& model, double factor);                     // around its end while live

// Takes an answer in: newest values, aims of the eased figures, windows kept in range.
void take(Model& model, snapshot::View&& view);
// Moves eased figures on by `seconds`; whether any is still on its way.
bool ease(Model& model, double seconds);
void say(Model& model, std::string text, bool bad = false);  // shows a toast

}  // namespace compmond::ui
