// SPDX-License-Identifier: Apache-2.0
#include "guard/zygote.h"

#include <doctest/doctest.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <thread>

#include "guard/child.h"

using namespace compmond;
using guard::Zygote;

namespace {

// Answers each byte with the next one, but for those at which it dies or hangs.
void serve(const Fd& channel) {
  iovec bytes{};
  unsigned char byte = 0;
  bytes = {&byte, 1};
  msghdr message{};
  message.msg_iov = &bytes;
  message.msg_iovlen = 1;
  while (::recvmsg(channel.get(), &message, 0) == 1) {
    if (byte == 'd') std::abort();
    if (byte == 'f') (void)::fork();
    for (volatile bool on = byte == 'h'; on;) {
    }
    ++byte;
    (void)::sendto(channel.get(), &byte, 1, MSG_NOSIGNAL, nullptr, 0);
  }
}

Zygote started() {
  guard::ConfinedLimits limits;
  limits.cpu_seconds = guard::ConfinedLimits::kEndless;
  auto out = Zygote::start("test-zygote", serve, limits);
  if (!out) FAIL(out.error().text());
  return std::move(*out);
}

int answer(const Fd& channel, unsigned char byte) {
  if (::send(channel.get(), &byte, 1, MSG_NOSIGNAL) != 1) return -1;
  return ::recv(channel.get(), &byte, 1, 0) == 1 ? byte : -1;
}

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream out;
  out << file.rdbuf();
  return out.str();
}

pid_t maker_of(const Fd& channel) {
  ucred peer{};
  socklen_t size = sizeof peer;
  ::getsockopt(channel.get(), SOL_SOCKET, SO_PEERCRED, &peer, &size);
  return peer.pid;
}

}  // namespace

TEST_CASE("zygote: a child serves, and each further one takes its place") {
  Zygote zygote = started();
  auto first = zygote.next();
  REQUIRE(first.channel.valid());
  CHECK(first.before.empty());
  CHECK(answer(first.channel, 1) == 2);
  CHECK(answer(first.channel, 7) == 8);
  auto second = zygote.next();
  CHECK(second.before.find("SIGKILL") != std::string::npos);
  CHECK(answer(second.channel, 1) == 2);
  CHECK(answer(first.channel, 1) == -1);
}

TEST_CASE("zygote: how a child died is told, and one that hangs is ended") {
  Zygote zygote = started();
  auto child = zygote.next();
  CHECK(answer(child.channel, 'd') == -1);
  child = zygote.next();
  CHECK(child.before.find("SIGABRT") != std::string::npos);
  CHECK(answer(child.channel, 'f') == -1);
  child = zygote.next();
  CHECK(child.before.find("SIGSYS") != std::string::npos);
  const unsigned char hang = 'h';
  CHECK(::send(child.channel.get(), &hang, 1, 0) == 1);
  child = zygote.next();
  CHECK(answer(child.channel, 1) == 2);
}

TEST_CASE("zygote: a Ctrl-C at the terminal ends neither it nor its children") {
  Zygote zygote = started();
  const auto child = zygote.next();
  REQUIRE(answer(child.channel, 1) == 2);
  const pid_t maker = maker_of(child.channel);
  const std::string childs =
      text_of("/proc/" + std::to_string(maker) + "/task/" + std::to_string(maker) + "/children");
  for (const pid_t pid : {maker, pid_t(std::stoi(childs))})
    for (const int signal : {SIGINT, SIGQUIT, SIGHUP, SIGTSTP}) CHECK(::kill(pid, signal) == 0);
  CHECK(answer(child.channel, 3) == 4);
}

TEST_CASE("zygote: it makes children while this process has threads") {
  Zygote zygote = started();
  std::thread([&] { CHECK(answer(zygote.next().channel, 1) == 2); }).join();
}

TEST_CASE("zygote: neither it nor its children have rights, or can be looked into") {
  Zygote zygote = started();
  const auto child = zygote.next();
  REQUIRE(answer(child.channel, 1) == 2);
  const std::string maker = std::to_string(maker_of(child.channel));
  const std::string childs = text_of("/proc/" + maker + "/task/" + maker + "/children");
  for (const std::string& pid : {maker, childs.substr(0, childs.find(' '))}) {
    const std::string status = text_of("/proc/" + pid + "/status");
    for (const char* line : {"CapPrm:\t0000000000000000\n", "CapEff:\t0000000000000000\n",
                             "NoNewPrivs:\t1\n", pid == maker ? "Seccomp:" : "Seccomp:\t2\n"})
      CHECK(status.find(line) != std::string::npos);
    if (::geteuid() != 0) continue;
    CHECK(status.find("Uid:\t65534\t65534\t65534\t65534\n") != std::string::npos);
    struct stat owner {};
    REQUIRE(::stat(("/proc/" + pid + "/mem").c_str(), &owner) == 0);
    CHECK(owner.st_uid == 0);  // not dumpable: its own user may not
  }
}
