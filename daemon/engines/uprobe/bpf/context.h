// SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) OR Apache-2.0
#pragma once

/*
 * What arguments of a call say: the trace and the session that it belongs to, what it hands to or
 * takes from another thread. Recorded right before the call's entry, so that whoever reads it knows
 * all about an execution when it begins.
 */
#include "cookie.h"
#include "slots.h"

/* A knob, set before loading: some operation names an argument. */
const volatile bool contexts = false;

static __noinline int append_context(struct cm_slot *slot, __u64 value, __u32 op, __u16 flags)
{
	append(slot, bpf_ktime_get_ns(), value, op, CM_CONTEXT, flags);
	return 0;
}

static __noinline int append_text(struct cm_slot *slot, __u64 from, __u32 op, __u16 flags)
{
	__u64 text[CM_TEXT_BYTES / 8 + 1] = {};
	/* Counts the 0 at its end; a text that fills all of `text` is longer than the limit. */
	long length = bpf_probe_read_user_str(text, sizeof(text), (const void *)from);
	bool more;
	int i;

	if (length < 0 || length > CM_TEXT_BYTES + 1)
		return append_context(slot, 0, op, flags | CM_CONTEXT_ABSENT);
	for (i = 0; i < CM_TEXT_BYTES / 8; i++) {
		more = length - 1 > 8 * (i + 1);
		append_context(slot, text[i], op, more ? flags | CM_CONTEXT_MORE : flags);
		if (!more)
			break;
	}
	return 0;
}

static __noinline int append_contexts(struct pt_regs *ctx, struct cm_slot *slot, __u64 cookie)
{
	/* By the System V ABI, from 1. The verifier takes no register from a place worked out. */
	__u64 arguments[CM_COOKIE_ARGUMENT + 1] = {0,	    ctx->di, ctx->si, ctx->dx,
						   ctx->cx, ctx->r8, ctx->r9, 0};
	__u64 sources = cookie >> CM_COOKIE_CONTEXT_SHIFT;
	__u32 kind, type, number;
	__u64 value;
	__u16 flags;

	for (kind = CM_TRACE_ID; kind <= CM_TAKE; kind++, sources >>= CM_COOKIE_CONTEXT_BITS) {
		number = sources & CM_COOKIE_ARGUMENT;
		if (!number)
			continue;
		type = (sources >> CM_COOKIE_TYPE_SHIFT) & 3;
		value = arguments[number];
		flags = kind | type << CM_CONTEXT_TYPE_SHIFT;
		if (type != CM_STRING)
			append_context(slot, type == CM_INT32 ? (__u64)(__s32)value : value,
				       CM_COOKIE_OP(cookie), flags);
		else if (value)
			append_text(slot, value, CM_COOKIE_OP(cookie), flags);
	}
	return 0;
}
