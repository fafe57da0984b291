// SPDX-License-Identifier: Apache-2.0
#include "serve/token.h"

#include <sys/random.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "base/safe_file.h"

namespace compmond::serve {

Result<std::string> new_token() {
  std::array<unsigned char, 16> bytes;
  if (::getrandom(bytes.data(), bytes.size(), 0) != ssize_t(bytes.size()))
    return fail_errno(Exit::kUnavailable, "cannot make a token", errno,
                      "Give one: --listen-token-file FILE.");
  std::string out;
  for (const unsigned char byte : bytes) out += fmt::format("{:02x}", byte);
  return out;
}

Result<std::string> read_token(const std::string& path) {
  constexpr size_t kLeast = 16, kMost = 4096;
  auto text = read_file(path, kMost + 1);
  if (!text) return text;
  const std::string what = fmt::format("cannot use the token in '{}'", path);
  struct stat st {};
  if (::stat(path.c_str(), &st) != 0) return fail_errno(Exit::kNoInput, what, errno);
  if ((st.st_mode & 077) != 0)
    return fail(Exit::kNoPermission, what, "others than its owner have rights to the file",
                fmt::format("chmod 600 '{}'", path));
  std::string token = text->substr(0, text->find_first_of("\r\n"));
  const bool printable = std::ranges::all_of(token, [](char c) { return c > ' ' && c < 127; });
  if (token.size() < kLeast || !printable)
    return fail(Exit::kData, what,
                "its first line is not 16 or more printable characters without blanks",
                "Make one: openssl rand -hex 16");
  return token;
}

bool same_token(std::string_view a, std::string_view b) {
  unsigned different = a.size() != b.size();
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    different |= unsigned(static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i]));
  return different == 0;
}

}  // namespace compmond::serve
