/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) OR Apache-2.0 */
/* clang-format off: kernel style, as the programs that include it */
#pragma once

#include "record/record.h"

/* Probes have taken more than half of a thread's time since then. */
struct cm_alarm {
	cm_u64 since_ns;
};

CM_ASSERT(sizeof(struct cm_alarm) == 8);
