// SPDX-License-Identifier: Apache-2.0
#include "commands/suggest_runs.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/clock.h"
#include "base/fd.h"
#include "base/safe_file.h"
#include "commands/attach.h"
#include "core/process_status.h"
#include "core/progress.h"
#include "replay/logged_samples.h"
#include "suggest/samples.h"
#include "text/match.h"

namespace compmond::commands {
namespace {

constexpr int kSignalled = 128;  // what shells add to the signal that ended a program
constexpr size_t kSaidBytes = 64u << 10, kSnapshotBytes = 64u << 20;

// A spec of one function, as a run needs one: samples are of all.
std::string any_function(const suggest::Program& program) {
  const suggest::Function& function = program.functions.front();
  return suggest::spec_of_one(function.symbol, program.images[function.image]);
}

// What a run said before it ended, without what to do next: that is about a run.
std::string said_in(const std::string& path) {
  const auto text = read_file(path, kSaidBytes);
  std::string out;
  for (size_t at = 0; text && at < text->size();) {
    const size_t end = std::min(text->find('\n', at), text->size());
    std::string_view line = std::string_view(*text).substr(at, end - at);
    at = end + 1;
    constexpr std::string_view kBy = "compmond: ";
    if (line.starts_with(kBy)) line.remove_prefix(kBy.size());
    if (!line.empty() && !line.starts_with(' '))
      out += (out.empty() ? "" : " ") + std::string(line);
  }
  return out;
}

sigset_t stops() {
  sigset_t out;
  ::sigemptyset(&out);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::sigaddset(&out, signal);
  return out;
}

// One that came within so many ms; 0: none.
int stop_within(long ms) {
  const sigset_t some = stops();
  const timespec time{0, ms * 1'000'000};
  return std::max(0, ::sigtimedwait(&some, nullptr, &time));
}

[[noreturn]] void be_a_run(const run::AttachOptions& options, const std::string& said,
                           const sigset_t& before) {
  ::prctl(PR_SET_PDEATHSIG, SIGTERM, 0, 0, 0);
  ::sigprocmask(SIG_SETMASK, &before, nullptr);
  const int out = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  const int messages = ::open(said.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (out < 0 || messages < 0 || ::dup2(out, STDOUT_FILENO) < 0 ||
      ::dup2(messages, STDERR_FILENO) < 0)
    ::_exit(int(Exit::kInternal));
  const int code = attach_command(options);
  std::fflush(nullptr);
  ::_exit(code);
}

}  // namespace

Result<SuggestRuns> SuggestRuns::open(const prepare::TargetOptions& target, double seconds) {
  std::error_code error;
  std::string folder = std::filesystem::temp_directory_path(error).string() + "/compmond-XXXXXX";
  if (error || !::mkdtemp(folder.data()))
    return fail_errno(Exit::kCantCreate, "cannot make a temporary folder", errno);
  return SuggestRuns(target, seconds, std::move(folder));
}

SuggestRuns::SuggestRuns(prepare::TargetOptions target, double seconds, std::string folder)
    : target_(std::move(target)), seconds_(seconds), folder_(std::move(folder)) {
  const sigset_t some = stops();
  ::sigprocmask(SIG_BLOCK, &some, &before_);
}

SuggestRuns::SuggestRuns(SuggestRuns&& other) noexcept
    : target_(std::move(other.target_)),
      seconds_(other.seconds_),
      folder_(std::exchange(other.folder_, {})),
      before_(other.before_) {}

SuggestRuns::~SuggestRuns() {
  if (folder_.empty()) return;
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
  ::sigprocmask(SIG_SETMASK, &before_, nullptr);
}

// As of waitpid; of a signal 128 and its number instead, when the child is gone.
int SuggestRuns::end_of(pid_t child, const char* doing) const {
  constexpr uint64_t kPatienceNs = 10'000'000'000;  // with what is told to end
  constexpr long kLookMs = 50;
  Progress progress(doing);
  const uint64_t begin_ns = monotonic_ns();
  uint64_t told_ns = 0;
  int status = 0, signal = 0;
  while (::waitpid(child, &status, WNOHANG) == 0) {
    const uint64_t now = monotonic_ns();
    if (const int one = stop_within(kLookMs); one != 0 && signal == 0) {
      signal = one;
      told_ns = now;
      ::kill(child, SIGTERM);
    }
    if (signal != 0 && now - told_ns > kPatienceNs) ::kill(child, SIGKILL);
    progress.update(std::min(0.99, double(now - begin_ns) / 1e9 / (seconds_ + 1)));
  }
  if (signal == 0) signal = stop_within(0);  // the child may have had it, too
  return signal != 0 ? (kSignalled + signal) << 8 : status;
}

bool was_stopped(const Error& error) { return int(error.code) > kSignalled; }

Result<void> SuggestRuns::run(const Files& files, const std::string& engine,
                              const char* doing) const {
  run::AttachOptions options;
  options.target = target_;
  options.planning.specs = {{files.spec, {}}};
  options.planning.engines.choice = engine;
  options.record_path = files.log;
  options.front.serve.headless = true;
  options.front.always_serve = false;
  options.front.duration_s = seconds_;
  options.front.snapshot_path = files.snapshot;
  const std::string said = path("said");
  const pid_t child = ::fork();
  if (child < 0) return fail_errno(Exit::kUnavailable, "cannot start a run", errno);
  if (child == 0) be_a_run(options, said, before_);
  const int status = end_of(child, doing);
  if (status == 0) return {};
  if (WIFEXITED(status) && WEXITSTATUS(status) > kSignalled)
    return fail(Exit(WEXITSTATUS(status)), fmt::format("stopped while {}", doing),
                "a signal asked for it", "Nothing was written.");
  const std::string why = said_in(said);
  return fail(Exit(WIFEXITED(status) ? WEXITSTATUS(status) : int(Exit::kInternal)),
              fmt::format("{} failed", doing), why.empty() ? status_text(status) : why);
}

Result<suggest::Evidence> SuggestRuns::sample(const suggest::Program& program) const {
  const Files files{path("one.json"), path("samples.log"), {}};
  if (auto done = write_file_whole(files.spec, any_function(program)); !done)
    return Unexpected(done.error());
  if (auto done = run(files, "sampling", "taking samples"); !done) return Unexpected(done.error());
  const auto inside = replay::inside_of_log(files.log, {});
  if (!inside) return Unexpected(inside.error());
  const double window_s = double(inside->view.end_ns - inside->view.start_ns) / 1e9;
  return suggest::evidence_of(program, *inside->view.as<snapshot::Inside>(),
                              std::min(seconds_, window_s));
}

Result<snapshot::Snapshot> SuggestRuns::count(const std::string& spec_text) const {
  const Files files{path("draft.json"), {}, path("counts.json")};
  if (auto done = write_file_whole(files.spec, spec_text); !done) return Unexpected(done.error());
  if (auto done = run(files, "auto", "counting calls"); !done) return Unexpected(done.error());
  const auto text = read_file(files.snapshot, kSnapshotBytes);
  if (!text) return Unexpected(text.error());
  return snapshot::from_json(*text);
}

}  // namespace compmond::commands
