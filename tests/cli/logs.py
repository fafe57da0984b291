# SPDX-License-Identifier: Apache-2.0
"""Writes small logs in Kieker's text format."""

import itertools

EPOCH = 1_700_000_000_000_000_000  # ns: some day in 2023
METADATA = "kieker.common.record.misc.KiekerMetadataRecord"
EXECUTION = "kieker.common.record.controlflow.OperationExecutionRecord"


class Call:
    """One execution: `of` is a signature, `ns` its own time, before and between and after its calls."""

    def __init__(self, of, ns, *calls, host="web"):
        self.of, self.ns, self.calls, self.host = of, ns, calls, host


def executions(call, trace, start=EPOCH, session="<no-session-id>"):
    """Records of one trace in the order of their ends: (signature, session, trace, start, end, host, eoi, ess)."""
    eois, out = itertools.count(), []

    def walk(call, at, ess):
        eoi, own = next(eois), call.ns // (len(call.calls) + 1)
        end = at
        for callee in call.calls:
            end = walk(callee, end + own, ess + 1)
        end += call.ns - own * len(call.calls)
        out.append((call.of, session, trace, at, end, call.host, eoi, ess))
        return end

    walk(call, start, 0)
    return out


def write(folder, records, host="web", file="kieker-1.dat", lines=()):
    """A log of these execution records, followed by lines as they are. Returns the folder."""
    folder.mkdir(exist_ok=True)
    (folder / "kieker.map").write_text(f"$0={METADATA}\n$1={EXECUTION}\n")
    text = [f"$0;{EPOCH};1.9;KIEKER;{host};1;false;0;NANOSECONDS;1"]
    text += [f"$1;{record[4]};" + ";".join(map(str, record)) for record in records]
    (folder / file).write_text("\n".join([*text, *lines]) + "\n")
    return folder


SHOP = "public {} shop.{}.{}"


def order(pay_ns=3_000_000, refused=False):
    """A customer orders something: three components on two hosts."""
    def web(what, ns, *calls):
        return Call(SHOP.format("void", "web", what), ns, *calls)

    def store(what, ns, *calls):
        return Call(SHOP.format("boolean", "store", what), ns, *calls, host="db")
    pay = web("Payment.pay(long)", pay_ns, store("Accounts.debit(long, int)", 1_200_000))
    steps = [web("Basket.items()", 200_000), store("Stock.reserve(java.util.List)", 700_000)]
    if not refused:
        steps += [pay, web("Basket.clear()", 80_000)]
    return web("Shop.order(shop.web.Request)", 900_000, *steps)


def shop(traces=8):
    """Traces of the shop, every fourth one refused."""
    out = []
    for i in range(traces):
        out += executions(order(3_000_000 + 100_000 * i, refused=i % 4 == 3), i + 1, EPOCH + i * 10_000_000)
    return out
