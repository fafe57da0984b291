// SPDX-License-Identifier: Apache-2.0
#include "commands/control.h"

#include <dirent.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "base/out.h"
#include "connection/connect.h"
#include "connection/peer.h"
#include "core/message.h"
#include "text/clean.h"
#include "text/nearest.h"
#include "text/numbers.h"

namespace compmond::commands {
namespace {

using snapshot::Action;

constexpr int kPatienceMs = 60'000;  // a snapshot may take its time

std::vector<std::string> run_folders() {
  std::vector<std::string> out{"/run/compmond"};
  if (const char* own = std::getenv("XDG_RUNTIME_DIR"); own && *own)
    out.push_back(std::string(own) + "/compmond");
  return out;
}

// The ids of what runs here, as far as this user may see.
std::vector<std::string> running() {
  constexpr std::string_view kEnding = ".sock";
  std::vector<std::string> out;
  for (const std::string& folder : run_folders()) {
    const std::unique_ptr<DIR, int (*)(DIR*)> dir(::opendir(folder.c_str()), ::closedir);
    while (const dirent* entry = dir ? ::readdir(dir.get()) : nullptr)
      if (const std::string_view name = entry->d_name; name.ends_with(kEnding))
        out.emplace_back(name.substr(0, name.size() - kEnding.size()));
  }
  std::ranges::sort(out);
  return out;
}

Result<std::string> address_of(const std::string& run) {
  const bool is_id = !run.empty() && run.find_first_not_of("0123456789") == std::string::npos;
  if (!is_id) return run;
  for (const std::string& folder : run_folders())
    if (const std::string path = fmt::format("{}/{}.sock", folder, run);
        ::access(path.c_str(), F_OK) == 0)
      return path;
  const std::vector<std::string> others = running();
  return fail(Exit::kNoInput, fmt::format("no compmond runs as process {}", run),
              "it is compmond's own process id that is asked for, not that of what it observes",
              others.empty() ? "None runs here that this user may see; it says its address when it "
                               "starts: window: compmond-ui --connect …"
                             : fmt::format("These run: {}.", text::listed(others)));
}

Result<snapshot::ControlRequest> request_of(const ControlOptions& options) {
  snapshot::ControlRequest out;
  out.id = 1;
  out.action = Word<Action>(options.action);
  const auto wrong = [&](const char* why) -> Unexpected {
    return fail(Exit::kUsage, fmt::format("cannot {}", options.action), why,
                "See compmond control --help.");
  };
  if (out.action == Action::kEnable || out.action == Action::kDisable) {
    if (options.what.empty())
      return wrong("a component, an operation, or a pattern of such names is to follow");
    out.target = options.what;
    return out;
  }
  if (out.action == Action::kSeek && options.what.empty())
    return wrong("seconds after the run's start are to follow");
  if (options.what.empty()) return out;
  if (out.action != Action::kSeek && out.action != Action::kPlay && out.action != Action::kStep)
    return wrong("nothing is to follow");
  const bool fastest = out.action == Action::kPlay && options.what == "max";
  out.value = fastest ? 0 : text::parse_number(options.what);
  if (!out.value) return wrong("what follows is to be a number");
  return out;
}

Result<std::string> ask(Peer& daemon, const snapshot::ControlRequest& request) {
  if (auto sent = daemon.send(snapshot::to_line(request)); !sent) return Unexpected(sent.error());
  const auto line = daemon.read_line(kPatienceMs);
  if (!line) return Unexpected(line.error());
  if (!*line)
    return fail(
        Exit::kNoInput, "compmond does not answer",
        fmt::format("there was nothing within {} s; it may still do it", kPatienceMs / 1000));
  const auto answer = snapshot::answer_from_line(**line);
  if (!answer) return Unexpected(answer.error());
  if (answer->refusal) return fail(Exit::kData, "compmond refuses", answer->refusal->error);
  if (!answer->control)
    return fail(Exit::kData, "compmond answers something else",
                "both ends must be of the same version");
  if (!answer->control->error.empty())
    return fail(Exit::kData, fmt::format("'{}' was not done", request.action.text()),
                answer->control->error);
  return answer->control->done;
}

Result<std::string> control(const ControlOptions& options) {
  const auto request = request_of(options);
  if (!request) return Unexpected(request.error());
  const auto address = address_of(options.run);
  if (!address) return Unexpected(address.error());
  auto socket = connect_to(*address);
  if (!socket) return Unexpected(socket.error());
  Peer daemon(std::move(*socket), *address);
  const auto hello = daemon.greet(options.token);
  if (!hello) return Unexpected(hello.error());
  if (!hello->control)
    return fail(Exit::kNoPermission, fmt::format("cannot {}", options.action),
                "this connection may look, not control",
                "Use the socket in /run/compmond, as root or as who started compmond.");
  return ask(daemon, *request);
}

}  // namespace

int control_command(const ControlOptions& options) {
  const auto done = control(options);
  if (!done) return report(done.error());
  print("{}\n", text::clean(*done));
  return 0;
}

}  // namespace compmond::commands
