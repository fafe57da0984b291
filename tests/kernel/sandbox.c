/* SPDX-License-Identifier: Apache-2.0 */
/* sandbox PID: traces a program as a sandbox does: a thread that makes a system call which the sandbox does not know, or one of the
 * kernel's for probes, ends the whole program by SIGKILL. Says "ready" when it holds the program, and ends with it. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>

static int is_unknown(unsigned long number)
{
	return (number >= 335 && number < 424) || number > 470; /* uretprobe is 335, uprobe 336 */
}

int main(int argc, char **argv)
{
	const long options = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL;
	const pid_t pid = argc > 1 ? (pid_t)atoi(argv[1]) : 0;

	if (pid <= 0 || ptrace(PTRACE_SEIZE, pid, NULL, options) != 0 ||
	    ptrace(PTRACE_INTERRUPT, pid, NULL, NULL) != 0) {
		perror("sandbox");
		return 1;
	}
	for (int ready = 0;; ready = 1) {
		struct user_regs_struct registers;
		int status, signal = 0;
		const pid_t thread = waitpid(-1, &status, __WALL);

		if (thread < 0)
			return errno == ECHILD ? 0 : 1;
		if (!WIFSTOPPED(status))
			continue;
		if (!ready) {
			puts("ready");
			fflush(stdout);
		}
		if (WSTOPSIG(status) == (SIGTRAP | 0x80)) {
			if (ptrace(PTRACE_GETREGS, thread, NULL, &registers) == 0 && is_unknown(registers.orig_rax))
				kill(pid, SIGKILL);
		} else if (status >> 16 == 0) {
			signal = WSTOPSIG(status);
		}
		ptrace(PTRACE_SYSCALL, thread, NULL, signal);
	}
}
