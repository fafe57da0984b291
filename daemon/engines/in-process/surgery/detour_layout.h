/* SPDX-License-Identifier: Apache-2.0 */
/* Where fields of DetourPlan (detour.cpp) are, for detour.S. */
#pragma once

#define DETOUR_COUNT 0
#define DETOUR_DONE 8
#define DETOUR_MASK 16
#define DETOUR_CALLS 24
#define DETOUR_CALL_BYTES 64
#define DETOUR_CALL_RESULT 56

/* From the plan to where %rsp was: it is below the red zone, and what is pushed below the plan. */
#define DETOUR_BELOW 1152
#define DETOUR_PUSHED 128
