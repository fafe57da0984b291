/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) OR Apache-2.0 */
/* clang-format off: kernel style, as the programs that include it */
#pragma once

#include "record/record.h"

/* A target that ended, or executes another program. */
struct cm_end {
	cm_u64 since_ns;  /* when it became a target */
	cm_u64 task;	  /* its last thread; not freed before this is complete */
	cm_u64 others_ns; /* CPU time that all others used */
	cm_u64 cpu_ns;	  /* that all used until then */
	cm_u32 complete;  /* none comes any more */
	cm_u32 padding;
};

CM_ASSERT(sizeof(struct cm_end) == 40);
