// SPDX-License-Identifier: Apache-2.0
// Where the sockets are, who may use them, and tokens.
#include <fcntl.h>
#include <sys/stat.h>

#include <fstream>
#include <optional>
#include <vector>

#include "hall.h"
#include "serve/peer.h"
#include "serve/run_folder.h"
#include "serve/token.h"
#include "support/sudo.h"

using namespace compmond;
using namespace compmond::serve;
using compmond::test::Sudo;

namespace {

mode_t mode_of(const std::string& path) {
  struct stat st {};
  return ::lstat(path.c_str(), &st) == 0 ? st.st_mode : 0;
}

void write(const std::string& path, const std::string& text) { std::ofstream(path) << text; }

// A socket at which nobody listens; closed, its name stays.
Fd leave_socket(const std::string& path, int type = SOCK_STREAM) {
  Fd dead(::socket(AF_UNIX, type, 0));
  sockaddr_un to{};
  to.sun_family = AF_UNIX;
  std::strcpy(to.sun_path, path.c_str());
  REQUIRE(::bind(dead.get(), reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0);
  return dead;
}

}  // namespace

TEST_CASE("listener: its socket has mode 0660 and goes with it") {
  TemporaryFolder folder;
  const std::string path = folder.path + "/a.sock";
  {
    const auto listener = Listener::open({path, "", ""});
    REQUIRE(listener);
    CHECK(listener->address() == path);
    CHECK(mode_of(path) == (S_IFSOCK | 0660));
  }
  CHECK(mode_of(path) == 0);
}

TEST_CASE("listener: takes the place of a dead socket, of nothing else") {
  TemporaryFolder folder;
  const std::string path = folder.path + "/a.sock";
  const auto code = [&] {
    const auto listener = Listener::open({path, "", ""});
    return listener ? Exit::kOk : listener.error().code;
  };
  leave_socket(path);
  const auto living = Listener::open({path, "", ""});
  REQUIRE(living);
  CHECK(code() == Exit::kCantCreate);
  CHECK(mode_of(path) != 0);
  const std::string other = folder.path + "/file";
  write(other, "precious");
  CHECK_FALSE(Listener::open({other, "", ""}));
  CHECK(std::filesystem::file_size(other) == 8);
  std::filesystem::create_symlink("/nowhere", folder.path + "/link");
  CHECK_FALSE(Listener::open({folder.path + "/link", "", ""}));
  CHECK_FALSE(Listener::open({folder.path + "/" + std::string(200, 'x'), "", ""}));
}

TEST_CASE("listener: leaves a socket alone that took its name meanwhile") {
  TemporaryFolder folder;
  const std::string path = folder.path + "/a.sock";
  {
    const auto listener = Listener::open({path, "", ""});
    REQUIRE(listener);
    std::filesystem::rename(path, folder.path + "/old");
    write(path, "another's");
  }
  CHECK(mode_of(path) != 0);
}

TEST_CASE("listener: an address beyond this host is known as that") {
  const auto any = Listener::open({"", "0.0.0.0", "0"});
  REQUIRE(any);
  CHECK(any->beyond_this_host());
  CHECK(any->address().find("0.0.0.0") == std::string::npos);
  const auto taken =
      Listener::open({"", "0.0.0.0", any->address().substr(any->address().rfind(':') + 1)});
  REQUIRE_FALSE(taken);
  CHECK(taken.error().code == Exit::kCantCreate);
}

TEST_CASE("run folder: is made, and sockets of dead processes are removed from it") {
  TemporaryFolder folder;
  const std::string place = folder.path + "/compmond";
  const auto path = own_socket_path_in(place);
  REQUIRE(path);
  CHECK(*path == place + "/" + std::to_string(::getpid()) + ".sock");
  CHECK(mode_of(place) == (S_IFDIR | 0755));
  for (const char* name : {"1.sock", "999999999.sock", "x.sock", "-3.sock", "12.txt"})
    leave_socket(place + "/" + name);
  REQUIRE(own_socket_path_in(place));
  CHECK(mode_of(place + "/999999999.sock") == 0);
  for (const char* name : {"1.sock", "x.sock", "-3.sock", "12.txt"})
    CHECK(mode_of(place + "/" + name) != 0);
}

TEST_CASE("run folder: what answers, or is not known to be dead, stays whatever its number") {
  TemporaryFolder folder;
  const std::string place = folder.path + "/compmond";
  REQUIRE(own_socket_path_in(place));
  const std::string living = place + "/999999999.sock";  // as of another pid namespace
  const auto listener = Listener::open({living, "", ""});
  REQUIRE(listener);
  write(place + "/999999998.sock", "no socket");
  const Fd other = leave_socket(place + "/999999997.sock", SOCK_DGRAM);  // not refused: EPROTOTYPE
  REQUIRE(own_socket_path_in(place));
  for (const char* name : {"999999999.sock", "999999998.sock", "999999997.sock"})
    CHECK(mode_of(place + "/" + name) != 0);
}

TEST_CASE(
    "run folder: instances of one number, as in several pid namespaces, have their own names") {
  TemporaryFolder folder;
  const std::string place = folder.path + "/compmond";
  const std::string pid = place + "/" + std::to_string(::getpid());
  std::vector<std::optional<Listener>> living;
  for (const std::string& name : {pid + ".sock", pid + "-2.sock", pid + "-3.sock"}) {
    const auto path = own_socket_path_in(place);
    REQUIRE(path);
    CHECK(*path == name);
    auto listener = Listener::open({*path, "", ""});
    REQUIRE(listener);
    living.emplace_back(std::move(*listener));
  }
  living[1].reset();
  CHECK(own_socket_path_in(place).value() == pid + "-2.sock");
  leave_socket(pid + "-2.sock");
  CHECK(own_socket_path_in(place).value() == pid + "-2.sock");  // nobody listens there
  leave_socket(place + "/999999999-2.sock");
  leave_socket(place + "/999999999-02.sock");  // none of ours
  REQUIRE(own_socket_path_in(place));
  CHECK(mode_of(place + "/999999999-2.sock") == 0);
  CHECK(mode_of(place + "/999999999-02.sock") != 0);
}
TEST_CASE("run folder: one that others may write to, or a link, is refused") {
  TemporaryFolder folder;
  const std::string place = folder.path + "/open";
  std::filesystem::create_directory(place);
  ::chmod(place.c_str(), 0777);
  const auto refused = own_socket_path_in(place);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == Exit::kCantCreate);
  ::chmod(place.c_str(), 0700);
  std::filesystem::create_symlink(place, folder.path + "/link");
  CHECK_FALSE(own_socket_path_in(folder.path + "/link"));
  CHECK(own_socket_path_in(place));
}

TEST_CASE("guests: root, this user and who invoked sudo are admitted, nobody else") {
  const Sudo nobody("", "");
  const Guests own;
  CHECK(own.admits(0));
  CHECK(own.admits(::geteuid()));
  CHECK_FALSE(own.admits(4711));
  const Sudo sudo("4711", "4712");
  const Guests with_sudo;
  CHECK(with_sudo.admits(4711) == (::geteuid() == 0));
  CHECK_FALSE(with_sudo.admits(4712));
  CHECK_FALSE(own.admits(4711));  // as of its start
}

TEST_CASE("token: the first line of a file that its owner alone may read") {
  TemporaryFolder folder;
  const std::string path = folder.path + "/token";
  const auto code = [&](const std::string& text, mode_t mode = 0600) {
    write(path, text);
    ::chmod(path.c_str(), mode);
    const auto token = read_token(path);
    return token ? Exit::kOk : token.error().code;
  };
  CHECK(code("0123456789abcdef\nrest") == Exit::kOk);
  CHECK(*read_token(path) == "0123456789abcdef");
  CHECK(code("0123456789abcde\n") == Exit::kData);
  CHECK(code("0123456789 abcdef\n") == Exit::kData);
  CHECK(code(std::string(5000, 'x')) == Exit::kData);
  CHECK(code("0123456789abcdef", 0644) == Exit::kNoPermission);
  CHECK(read_token(folder.path + "/none").error().code == Exit::kNoInput);
  const auto one = new_token(), two = new_token();
  REQUIRE(one);
  CHECK(one->size() == 32);
  CHECK(*one != *two);
  CHECK(same_token(*one, *one));
  CHECK_FALSE(same_token(*one, *two));
  CHECK_FALSE(same_token(*one, one->substr(1)));
  CHECK_FALSE(same_token("", "x"));
}
