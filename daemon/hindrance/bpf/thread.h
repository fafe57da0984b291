/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) OR Apache-2.0 */
#pragma once

/* A thread whose system calls somebody else may take; what the program tells compmond. */
struct cm_hindered {
	int pid;		 /* of its process */
	int tracer;		 /* process; 0: none */
	unsigned int dispatched; /* to itself: PR_SET_SYSCALL_USER_DISPATCH */
	unsigned int filtered;	 /* by seccomp, where that is asked for */
};
