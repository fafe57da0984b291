# SPDX-License-Identifier: Apache-2.0
"""The played daemon's analyses of its traces: call tree, dependency graph, Markov chain.

A trace is a list of executions (component, start, end, real, caller, ess) by start, as fake_daemon.tree() makes them."""

SLOT = 50_000_000  # ns; fake_daemon.SLOT
LONGEST = 20  # slots; no trace lasts longer


def traces(program, tree, start, end, first_ns):
    """Those that began and ended in the window, and how many of those that began did not end in it."""
    whole, unfinished = [], 0
    if program.options.silent:
        return whole, unfinished
    for slot in range(max(0, (start - first_ns) // SLOT - LONGEST), (end - first_ns) // SLOT + 1):
        executions = tree(program, slot)
        if not executions or executions[0][1] + first_ns < start or executions[0][1] + first_ns >= end:
            continue
        if executions[0][2] + first_ns <= end:
            whole.append(executions)
        else:
            unfinished += 1
    return whole, unfinished


def callers(trace):
    """Per execution the index of its caller; -1: outside."""
    stack, out = [], []
    for execution in trace:
        del stack[execution[5]:]
        out.append(stack[-1] if stack else -1)
        stack.append(len(out) - 1)
    return out


def messages(trace):
    """(from, to, call) as components, in their order; -1: outside."""
    out, open_calls = [], []

    def returns(depth):
        while len(open_calls) > depth:
            callee = open_calls.pop()
            out.append((callee, open_calls[-1] if open_calls else -1, False))

    for execution in trace:
        returns(execution[5])
        out.append((open_calls[-1] if open_calls else -1, execution[0], True))
        open_calls.append(execution[0])
    returns(0)
    return out


def call_tree(all_traces, limit):
    nodes, place = [{"parent": -1, "operation": -1, "count": len(all_traces), "raw_ns": 0, "real_ns": 0}], {}
    for trace in all_traces:
        numbers = []
        for execution, caller in zip(trace, callers(trace)):
            parent = numbers[caller] if caller >= 0 else 0
            key = (parent, execution[0])
            if key not in place:
                place[key] = len(nodes)
                nodes.append({"parent": parent, "operation": execution[0], "count": 0, "raw_ns": 0, "real_ns": 0})
            node = nodes[place[key]]
            numbers.append(place[key])
            node["count"] += 1
            node["raw_ns"] += execution[2] - execution[1]
            node["real_ns"] += max(0, execution[3])
            if caller < 0:
                nodes[0]["raw_ns"] += execution[2] - execution[1]
    return {"nodes": nodes[:limit], "left_out": max(0, len(nodes) - limit)}


def dependencies(all_traces):
    raw = {}
    for trace in all_traces:
        for execution, caller in zip(trace, callers(trace)):
            edge = (trace[caller][0] if caller >= 0 else -1, execution[0])
            raw.setdefault(edge, []).append(execution[2] - execution[1])
    return {"graph_edges": [{"from": a, "to": b, "count": len(times), "min_ns": min(times),
                             "mean_ns": sum(times) // len(times), "max_ns": max(times)}
                            for (a, b), times in sorted(raw.items())]}


def markov(all_traces):
    states, counts = {}, {}
    for trace in all_traces:
        before = None
        for message in messages(trace):
            now = states.setdefault(message, len(states))
            if before is not None:
                counts[before, now] = counts.get((before, now), 0) + 1
            before = now
    followed = {}
    for (a, _), count in counts.items():
        followed[a] = followed.get(a, 0) + count
    return {"states": [{"from": a, "to": b, "call": call} for a, b, call in states],
            "transitions": [{"from": a, "to": b, "probability": count / followed[a], "count": count}
                            for (a, b), count in sorted(counts.items())]}


def answer(program, tree, names, asked, start, end, first_ns):
    """`names`: (component, operation) per component. None: a report that this daemon does not play."""
    report, level = asked["report"], asked.get("level") or "component"
    if report not in ("call-tree", "dependency-graph", "markov"):
        return None
    whole, unfinished = traces(program, tree, start, end, first_ns)
    if asked.get("trace") is not None:
        whole = whole[-1:]
    out = {"report": report, "level": level, "start_ns": start, "end_ns": end, "traces": len(whole),
           "executions": sum(map(len, whole)), "broken": 0 if program.options.healthy else 3, "unfinished": unfinished,
           "left_out": 0, "partial": False, "analysed_since_ns": 0}
    if report == "call-tree":
        out |= {"operations": [{"component": c, "name": o} for c, o in names], **call_tree(whole, asked.get("limit", 1000))}
    else:
        seen = sorted({execution[0] for trace in whole for execution in trace})
        place = {component: i for i, component in enumerate(seen)}
        whole = [[(place[e[0]], *e[1:]) for e in trace] for trace in whole]
        out["graph_nodes"] = [{"component": names[i][0], "operation": names[i][1] if level == "operation" else ""} for i in seen]
        out |= dependencies(whole) if report == "dependency-graph" else markov(whole)
    return out
