// SPDX-License-Identifier: Apache-2.0
#include "bpf_engine/load_error.h"

#include <bpf/libbpf.h>

#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <utility>

namespace compmond::bpf_engine
{
namespace
{

constexpr size_t kLogBytes = 1 << 20;  // the verifier tells every step of a program that it refuses
constexpr size_t kLineBytes = 1 << 16; // libbpf gives the end of it in one piece, cut to its size

thread_local std::string libbpf_log;

int keep(enum libbpf_print_level level, const char *format, va_list args)
{
	if (level > LIBBPF_WARN)
		return 0;
	std::string line(kLineBytes, '\0');
	const int length = ::vsnprintf(line.data(), line.size(), format, args);
	line.resize(length < 0 ? 0 : std::min(size_t(length), line.size() - 1));
	if (libbpf_log.size() + line.size() <= kLogBytes)
		libbpf_log += line;
	return 0;
}

std::string line_at(const std::string &text, size_t within)
{
	const size_t before = within ? text.rfind('\n', within - 1) : std::string::npos;
	const size_t begin = before == std::string::npos ? 0 : before + 1;
	return text.substr(begin, text.find('\n', begin) - begin);
}

} // namespace

void listen_to_libbpf()
{
	libbpf_set_print(keep);
	libbpf_log.clear();
}

std::string reason_in(const std::string &log)
{
	constexpr size_t kLongest = 200; // of each of the two
	std::string out = line_at(log, 0).substr(0, kLongest);
	const size_t sum = log.find("\nprocessed "); // the verifier's account, behind its last word
	if (sum != std::string::npos && sum > 0)
		out += "; " + line_at(log, sum).substr(0, kLongest);
	return out;
}

Unexpected load_error(std::string what, int err, std::string next)
{
	if (err == EPERM)
		return fail_errno(
			Exit::kNoPermission, std::move(what), err,
			"Run as root (sudo), or give the program CAP_BPF and CAP_PERFMON.");
	if (err == EMFILE || err == ENFILE)
		return fail_errno(Exit::kUnavailable, std::move(what), err);
	const std::string reason = reason_in(libbpf_log);
	return fail(Exit::kUnavailable, std::move(what),
		    std::strerror(err) + (reason.empty() ? "" : " (" + reason + ")"),
		    std::move(next));
}

} // namespace compmond::bpf_engine
