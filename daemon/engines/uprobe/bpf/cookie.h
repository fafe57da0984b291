/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) OR Apache-2.0 */
/* clang-format off: kernel style, as the programs that include it */
#pragma once

/*
 * The cookie of a probe: the operation's id, what it costs the target (for guard.h; saturates; at an
 * entry a whole call, at a conditional jump that is not taken the probe there), and CM_COOKIE_*
 * above.
 */
#define CM_COOKIE_OP_BITS 20
#define CM_COOKIE_OP(cookie) ((cm_u32)((cookie) & ((1u << CM_COOKIE_OP_BITS) - 1)))
#define CM_COOKIE_COST_BITS 12
#define CM_COOKIE_COST_UNIT_NS 16
#define CM_COOKIE_ENTRY_ONLY (1ull << 32)
/* At a conditional jump, which is an exit only when it is taken: its x86 condition code, 0 to 15. */
#define CM_COOKIE_CONDITIONAL (1ull << 33)
#define CM_COOKIE_CONDITION_SHIFT 34
/* At an exit that is a jump to another function with probes. */
#define CM_COOKIE_JUMP (1ull << 39)
/* At an exit whose probe costs less than one at a return. */
#define CM_COOKIE_CHEAP (1ull << 38)
/* At a transfer of control: its number in the low half, its enum cm_transfer. */
#define CM_COOKIE_TRANSFER_SHIFT 32
/*
 * At an entry: for each enum cm_context_kind five bits, the lowest first. Three say which argument
 * (1 to 6, 0: none), two its type.
 */
#define CM_COOKIE_CONTEXT_SHIFT 40
#define CM_COOKIE_CONTEXT_BITS 5
#define CM_COOKIE_ARGUMENT 7
#define CM_COOKIE_TYPE_SHIFT 3
