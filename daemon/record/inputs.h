/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) OR Apache-2.0 */
/* clang-format off: kernel style, as the programs that include it */
#pragma once

#include "record/record.h"

/*
 * Inputs of a thread: by descriptor and by size, as strata.h has them. As the argument of a record
 * the descriptor's is in the low byte, the size's above it.
 */
#define CM_STRATA 64
#define CM_INPUT_SIZE_SHIFT 8
#define CM_INPUT_KNOWN (1u << 31) /* in a thread's state: there was one */
#define CM_EARLIER 1		  /* a flag of CM_INPUT: the last one before the slice */

/* Of one CPU since the program began. */
struct cm_inputs {
	cm_u64 calls;	 /* of the system that were looked at, by whomever */
	cm_u64 receives; /* likewise: of targets from sockets, also of nothing */
	cm_u64 others;	 /* receives of all other processes */
	cm_u64 received; /* inputs from sockets, but while these alone are counted */
	cm_u64 descriptor[CM_STRATA];
	cm_u64 size[CM_STRATA];
};
