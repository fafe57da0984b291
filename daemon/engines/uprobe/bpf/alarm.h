/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) OR Apache-2.0 */
/* clang-format off: kernel style, as the programs that include it */
#pragma once

#include "record/record.h"

/* Probes have taken more than half of a thread's time since then. */
struct cm_alarm {
	cm_u64 since_ns;
	cm_u64 cost_ns, ran_ns; /* in the last part of that: by costs as measured at start, of so much */
};

CM_ASSERT(sizeof(struct cm_alarm) == 24);
