// SPDX-License-Identifier: Apache-2.0
#include "ui/link/client.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>

#include "base/thread.h"
#include "ui/link/connect.h"

namespace compmond::ui {
namespace {

constexpr size_t kLineBytes = 256u
                              << 20;  // no answer comes near; a stranger's stream might not end
constexpr int kGreetingMs = 5000;
constexpr int kRetryMs = 1000;

}  // namespace

Client::Client(Options options, std::function<void()> wake, Fd socket, Fd wake_read, Fd wake_write)
    : options_(std::move(options)),
      wake_(std::move(wake)),
      socket_(std::move(socket)),
      wake_read_(std::move(wake_read)),
      wake_write_(std::move(wake_write)) {}

Result<std::unique_ptr<Client>> Client::open(Options options, std::function<void()> wake) {
  Fd socket;
  if (options.fd >= 0) {
    socket.reset(options.fd);
    if (::fcntl(options.fd, F_SETFL, ::fcntl(options.fd, F_GETFL) | O_NONBLOCK) != 0)
      return fail_errno(Exit::kUsage, fmt::format("cannot use descriptor {}", options.fd), errno);
    ::fcntl(options.fd, F_SETFD, FD_CLOEXEC);
  } else {
    auto connected = connect_to(options.address);
    if (!connected) return Unexpected(std::move(connected.error()));
    socket = std::move(*connected);
  }
  int pipe[2];
  if (::pipe2(pipe, O_CLOEXEC | O_NONBLOCK) != 0)
    return fail_errno(Exit::kInternal, "cannot make a pipe", errno);
  std::unique_ptr<Client> client(
      new Client(std::move(options), std::move(wake), std::move(socket), Fd(pipe[0]), Fd(pipe[1])));
  if (auto greeted = client->greet(); !greeted) return Unexpected(std::move(greeted.error()));
  auto thread = start_thread("cannot talk to compmond", [raw = client.get()] { raw->run(); });
  if (!thread) return Unexpected(std::move(thread.error()));
  client->thread_ = std::move(*thread);
  return client;
}

Client::~Client() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  interrupt();
  if (thread_.joinable()) thread_.join();
}

bool Client::idle() const {
  const std::lock_guard lock(mutex_);
  return connected_ && !waiting_;
}

void Client::ask(const snapshot::ViewRequest& request) { post(to_line(request) + "\n"); }

void Client::control(const snapshot::ControlRequest& request) { post(to_line(request) + "\n"); }

void Client::post(std::string line) {
  {
    const std::lock_guard lock(mutex_);
    request_ = std::move(line);
    waiting_ = true;
  }
  interrupt();
}

std::vector<Client::Event> Client::events() {
  const std::lock_guard lock(mutex_);
  return std::exchange(events_, {});
}

void Client::interrupt() {
  const char byte = 0;
  (void)!::write(wake_write_.get(), &byte, 1);  // a full pipe has already woken it
}

void Client::push(Event event) {
  {
    const std::lock_guard lock(mutex_);
    if (event.hello) connected_ = true;
    if (event.answer || event.hello || event.lost) waiting_ = false;
    if (event.lost) {
      connected_ = false;
      request_.reset();
    }
    events_.push_back(std::move(event));
  }
  wake_();
}

Result<void> Client::send_all(std::string_view data) {
  while (!data.empty()) {
    const ssize_t sent = ::send(socket_.get(), data.data(), data.size(), MSG_NOSIGNAL);
    if (sent >= 0) {
      data.remove_prefix(size_t(sent));
    } else if (errno == EAGAIN) {
      pollfd poll{socket_.get(), POLLOUT, 0};
      if (::poll(&poll, 1, kGreetingMs) == 0)
        return fail(Exit::kNoInput, "the connection is stuck", "the daemon takes no request");
    } else if (errno != EINTR) {
      return fail_errno(Exit::kNoInput, "the connection broke", errno);
    }
  }
  return {};
}

Result<std::optional<std::string>> Client::read_line(int timeout_ms) {
  for (;;) {
    const size_t end = received_.find('\n', scanned_);
    if (end != std::string::npos) {
      std::string line = received_.substr(0, end);
      received_.erase(0, end + 1);
      scanned_ = 0;
      return line;
    }
    scanned_ = received_.size();
    if (received_.size() > kLineBytes)
      return fail(Exit::kData, "the connection was given up", "its lines do not end");
    pollfd polls[2] = {{socket_.get(), POLLIN, 0}, {wake_read_.get(), POLLIN, 0}};
    const int ready = ::poll(polls, 2, timeout_ms);
    if (ready < 0 && errno == EINTR) continue;
    if (polls[1].revents != 0) {
      forget_wakes();
      return std::optional<std::string>();
    }
    if (ready == 0) return std::optional<std::string>();
    const size_t before = received_.size();
    received_.resize(before + (256u << 10));
    const ssize_t got =
        ::recv(socket_.get(), received_.data() + before, received_.size() - before, 0);
    received_.resize(before + size_t(std::max<ssize_t>(0, got)));
    if (got == 0)
      return fail(Exit::kNoInput, "the connection ended", "compmond has ended or hung up");
    if (got < 0 && errno != EAGAIN && errno != EINTR)
      return fail_errno(Exit::kNoInput, "the connection broke", errno);
  }
}

Result<void> Client::greet() {
  received_.clear();
  scanned_ = 0;
  if (!options_.token.empty())
    if (auto sent = send_all(snapshot::to_line(snapshot::TokenRequest{0, options_.token}) + "\n");
        !sent)
      return sent;
  auto line = read_line(kGreetingMs);
  if (!line) return Unexpected(std::move(line.error()));
  const std::string who = options_.address.empty() ? "the daemon" : options_.address;
  if (!*line)
    return fail(Exit::kData, fmt::format("{} does not answer", who),
                "there was no greeting within 5 s", "Is it compmond that listens there?");
  auto answer = snapshot::answer_from_line(**line);
  if (!answer) return Unexpected(std::move(answer.error()));
  if (answer->refusal)
    return fail(Exit::kNoPermission, fmt::format("{} refuses", who), answer->refusal->error);
  if (!answer->hello)
    return fail(Exit::kData, fmt::format("{} does not greet", who),
                "its first line is something else", "Both ends must be of the same version.");
  push({.hello = std::move(answer->hello), .answer = {}, .lost = {}});
  return {};
}

Client::Lost Client::converse() {
  std::optional<std::string> broken;   // the way there: what it said before may be here
  std::optional<std::string> parting;  // what it said last
  for (;;) {
    std::optional<std::string> request;
    {
      const std::lock_guard lock(mutex_);
      if (ending_) return {};
      request = std::exchange(request_, {});
    }
    if (request && !broken && !parting)
      if (auto sent = send_all(*request); !sent) broken = sent.error().text();
    if (broken) forget_wakes();  // what is there is read at once
    auto line = read_line(broken ? 0 : -1);
    if (parting && !line) return {*parting, true};
    if (broken && (!line || !*line)) return {parting.value_or(*broken), parting.has_value()};
    if (!line) return {line.error().text()};
    if (!*line) continue;
    auto answer = snapshot::answer_from_line(**line);
    if (!answer) return {answer.error().text()};
    if (answer->refusal && answer->refusal->ends)
      parting = answer->refusal->error;
    else
      push({.hello = {}, .answer = std::move(*answer), .lost = {}});
  }
}

void Client::forget_wakes() {
  char drain[64];
  while (::read(wake_read_.get(), drain, sizeof drain) > 0) {
  }
}

// One who asked meanwhile wakes it once, and does not cut every later pause short.
bool Client::wait_before_retry() {
  pollfd poll{wake_read_.get(), POLLIN, 0};
  ::poll(&poll, 1, kRetryMs);
  forget_wakes();
  const std::lock_guard lock(mutex_);
  return !ending_;
}

void Client::run() {
  for (;;) {
    Lost lost = converse();
    socket_.reset();
    push({.hello = {}, .answer = {}, .lost = std::move(lost)});
    do {
      if (!can_reconnect() || !wait_before_retry()) return;
      if (auto socket = connect_to(options_.address)) socket_ = std::move(*socket);
    } while (!socket_.valid() || !greet());
  }
}

}  // namespace compmond::ui
