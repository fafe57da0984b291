// SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) OR Apache-2.0
/*
 * Entry and exit probes: each hit appends one record to the slot of its thread, an entry also what
 * its arguments say (context.h). Thread lifecycle (lifecycle.h) is part of the same object, as both
 * write to the same slots.
 */
#include "cookie.h"
#include "threads.h"
#include "context.h"
#include "guard.h"
#include "input_programs.h"
#include "lifecycle.h"
#include "strangers.h"

/* A knob, set before loading: an observed function may end in a jump to another one. */
const volatile bool tail_calls = false;

char LICENSE[] SEC("license") = "Dual BSD/GPL";

extern bool bpf_session_is_return(void) __ksym __weak;
extern void *bpf_rdonly_cast(const void *obj, __u32 btf_id) __ksym __weak;

/*
 * Where return probes of this process return to; 0 while it has none yet. Kept in the slot's own
 * word.
 */
static __noinline __u64 find_trampoline(struct cm_slot *slot)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct xol_area *area = BPF_CORE_READ(task, mm, uprobes_state.xol_area);

	if (area)
		slot->own_word = BPF_CORE_READ(area, vaddr);
	return slot->own_word;
}

/*
 * How many return probes are open at stack pointers of that hash: in the slot's own bytes. Stack
 * pointers at entry are 16 bytes apart.
 */
static __always_inline cm_u8 *open_at(struct cm_slot *slot, __u64 sp)
{
	return &slot->own_bytes[(sp >> 4) & (CM_OWN_BYTES - 1)];
}

/*
 * A tail call has the stack pointer of its caller, whose return probe is open. So where none is
 * open at this stack pointer (or at one of the same hash), reading the target's stack is spared.
 * Return probes that never fire, as after a longjmp, leave a count too high, which only costs the
 * reading; one that stands at 255 stays there.
 */
static __always_inline __u16 tail_call_flag(struct cm_slot *slot, __u64 sp)
{
	__u64 trampoline = slot->own_word;
	__u64 caller = 0;

	if (!*open_at(slot, sp))
		return 0;
	if (!trampoline) {
		trampoline = find_trampoline(slot);
		if (!trampoline)
			return 0;
	}
	if (bpf_probe_read_user(&caller, sizeof(caller), (void *)sp))
		return 0;
	return caller == trampoline ? CM_TAIL_CALL : 0;
}

static __always_inline int entry(struct pt_regs *ctx, struct task_struct *task, __u64 cookie,
				 __u16 flags)
{
	struct cm_slot *slot;
	cm_u8 *open;
	__u64 now;

	if (recording != CM_ON)
		return 1;
	slot = slot_of_current(task);
	if (!slot) {
		count_stranger(task, CM_COOKIE_OP(cookie));
		return 1;
	}
	begin_slice(slot, task);
	if (tail_calls) {
		flags |= tail_call_flag(slot, ctx->sp);
		open = open_at(slot, ctx->sp);
		if ((flags & CM_LIMITED_EXIT) && *open < 255)
			*open += 1;
	}
	if (contexts && cookie >> CM_COOKIE_CONTEXT_SHIFT)
		append_contexts(ctx, slot, cookie);
	now = bpf_ktime_get_ns();
	guard(slot, task, cookie, now);
	append(slot, now, ctx->sp, CM_COOKIE_OP(cookie), CM_ENTRY, flags);
	return 0;
}

/* `entry_sp`: the stack pointer at the function's entry. */
static __always_inline void leave(__u64 entry_sp, struct task_struct *task, __u64 cookie,
				  __u16 flags, bool return_probe)
{
	__u64 now = bpf_ktime_get_ns();
	struct cm_slot *slot;
	cm_u8 *open;

	if (recording != CM_ON)
		return;
	slot = slot_of_current(task);
	if (!slot)
		return;
	if (tail_calls && return_probe) {
		open = open_at(slot, entry_sp);
		if (*open > 0 && *open < 255)
			*open -= 1;
	}
	append(slot, now, entry_sp, CM_COOKIE_OP(cookie), CM_EXIT, flags);
}

/*
 * Whether a session program runs at a return, and the cookie of its probe: read from where the
 * kernel keeps them, at half the cost of its two functions for it.
 */
static __always_inline bool session_is_return(struct pt_regs *ctx, struct task_struct *task,
					      __u64 *cookie)
{
	struct bpf_uprobe_multi_run_ctx *run;

	if (!bpf_rdonly_cast || !bpf_core_field_exists(struct bpf_uprobe_multi_run_ctx, uprobe) ||
	    !bpf_core_field_exists(struct bpf_uprobe_multi_run_ctx, session_ctx) ||
	    !bpf_core_field_exists(struct bpf_session_run_ctx, is_return) ||
	    !bpf_core_field_exists(struct bpf_uprobe, cookie) ||
	    !bpf_core_field_exists(struct task_struct, bpf_ctx)) {
		*cookie = bpf_get_attach_cookie(ctx);
		return bpf_session_is_return();
	}
	/* Cast, the verifier does not ask how far what it points to is trusted: see probed.h. */
	task = bpf_rdonly_cast(task, bpf_core_type_id_kernel(struct task_struct));
	run = bpf_rdonly_cast(task->bpf_ctx,
			      bpf_core_type_id_kernel(struct bpf_uprobe_multi_run_ctx));
	*cookie = run->uprobe->cookie;
	return run->session_ctx.is_return;
}

/* Entry and return in one program, kernels >= 6.13. */
SEC("kprobe")
int on_session(struct pt_regs *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	__u64 cookie;

	if (session_is_return(ctx, task, &cookie)) {
		leave(ctx->sp - 8, task, cookie, 0, true);
		return 0;
	}
	if (entry(ctx, task, cookie, CM_LIMITED_EXIT))
		return 1; /* not observed: no return probe either */
	return 0;
}

/* The same as two programs, kernels >= 6.6, or one perf event per symbol. */
SEC("kprobe")
int on_entry(struct pt_regs *ctx)
{
	entry(ctx, bpf_get_current_task_btf(), bpf_get_attach_cookie(ctx), CM_LIMITED_EXIT);
	return 0;
}

SEC("kprobe")
int on_return(struct pt_regs *ctx)
{
	leave(ctx->sp - 8, bpf_get_current_task_btf(), bpf_get_attach_cookie(ctx), 0, true);
	return 0;
}

/* Exit modes ret-sites and entry-only: the entry, and the instructions that leave the function. */
SEC("kprobe")
int on_entry_plain(struct pt_regs *ctx)
{
	__u64 cookie = bpf_get_attach_cookie(ctx);

	entry(ctx, bpf_get_current_task_btf(), cookie,
	      cookie & CM_COOKIE_ENTRY_ONLY ? CM_ENTRY_ONLY : 0);
	return 0;
}

/* Whether a conditional jump with this condition code is about to be taken. */
static __always_inline bool holds(__u32 condition, __u64 flags)
{
	const bool carry = flags & 0x1, parity = flags & 0x4, zero = flags & 0x40;
	const bool sign = flags & 0x80, overflow = flags & 0x800;
	bool value;

	switch (condition >> 1) {
	case 0:
		value = overflow;
		break;
	case 1:
		value = carry;
		break;
	case 2:
		value = zero;
		break;
	case 3:
		value = carry || zero;
		break;
	case 4:
		value = sign;
		break;
	case 5:
		value = parity;
		break;
	case 6:
		value = sign != overflow;
		break;
	default:
		value = zero || sign != overflow;
		break;
	}
	return value != (condition & 1); /* each odd code is the opposite of the one before */
}

/* Nothing is left, but the trap is paid. A thread that was in no observed call yet has no slot. */
static __always_inline void stay(struct pt_regs *ctx, __u64 cookie)
{
	struct task_struct *task = bpf_get_current_task_btf();
	__u64 now = bpf_ktime_get_ns();
	struct thread_state *state;
	struct cm_slot *slot;

	if (recording != CM_ON)
		return;
	slot = known_slot(task, &state);
	if (!slot)
		return;
	guard(slot, task, cookie, now);
	append(slot, now, ctx->sp, CM_COOKIE_OP(cookie), CM_STAYED, 0);
}

SEC("kprobe")
int on_exit_site(struct pt_regs *ctx)
{
	__u64 cookie = bpf_get_attach_cookie(ctx);

	if ((cookie & CM_COOKIE_CONDITIONAL) &&
	    !holds((cookie >> CM_COOKIE_CONDITION_SHIFT) & 15, ctx->flags)) {
		stay(ctx, cookie);
		return 0;
	}
	leave(ctx->sp, bpf_get_current_task_btf(), cookie,
	      (cookie & CM_COOKIE_CHEAP ? CM_CHEAP_EXIT : 0) |
		      (cookie & CM_COOKIE_JUMP ? CM_JUMP_EXIT : 0),
	      false);
	return 0;
}

/*
 * Where control goes elsewhere without a return: an exception, a longjmp. Tells nothing of threads
 * that were in no observed call yet, which have no slot; but where others see calls, too, of all.
 */
SEC("kprobe")
int on_transfer(struct pt_regs *ctx)
{
	__u64 now = bpf_ktime_get_ns();
	__u64 cookie = bpf_get_attach_cookie(ctx);
	struct thread_state *state;
	struct cm_slot *slot;

	if (recording != CM_ON)
		return 0;
	if (tell_all && target_of(bpf_get_current_task_btf()->tgid))
		slot_of_current(bpf_get_current_task_btf());
	slot = known_slot(bpf_get_current_task_btf(), &state);
	if (slot)
		append(slot, now, ctx->sp, (__u32)cookie, CM_TRANSFER,
		       cookie >> CM_COOKIE_TRANSFER_SHIFT);
	return 0;
}
