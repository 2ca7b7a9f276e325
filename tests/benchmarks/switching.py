"""What it costs to go from one assignment to the next: within a process, within a world of eight ranks, from launch to
launch; and what ranks cost that have nothing to do. Usage: switching.py ACCEPT_FAULTY     Prints; judges nothing."""
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

program = sys.argv[1]


def run(nodes, *tests, watch=None):
    with tempfile.TemporaryDirectory(prefix="accept-switching-") as folder:
        out = pathlib.Path(folder) / "run"
        words = [program, "run", "--nodes", nodes, "--output", str(out), "--quiet",
                 *[w for t in tests for w in ("--test", f"faulty.{t}")]]
        head = subprocess.Popen(words, stdout=subprocess.DEVNULL)
        seen = watch(head) if watch else None
        head.wait()
        return [json.loads(line) for line in (out / "records.jsonl").read_text().splitlines()], seen


def gaps(records):
    """Milliseconds from the end of one body to the start of the next, of the same places."""
    by_places, found = {}, []
    for r in sorted(records, key=lambda r: r["start_offset"]):
        places = tuple(r["assignment"]["places"])
        if places in by_places:
            before = by_places[places]
            found.append((r["start_offset"] - before["start_offset"] - before["seconds"]) * 1e3)
        by_places[places] = r
    return found


def show(what, values, aim=""):
    ordered = sorted(values)
    print(f"{what:<58} median {statistics.median(ordered):6.2f} ms, 95 % within {ordered[int(len(ordered) * 0.95)]:6.2f} ms{aim}")


def ticks(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return int(fields[11]) + int(fields[12])


def watch_idle(head):
    """Share of a core that the least busy of three ranks takes while the other two are a pair."""
    least = []
    before = {}
    while head.poll() is None:
        now = {}
        for p in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                if b"ACCEPT_WORLD=1" in (p / "environ").read_bytes() and (p / "cmdline").read_bytes().startswith(program.encode()):
                    now[p.name] = ticks(p.name)
            except OSError:
                pass
        common = now.keys() & before.keys()
        if len(common) == 3:
            least.append(min(now[k] - before[k] for k in common) / os.sysconf("SC_CLK_TCK"))
        before = now
        time.sleep(1)
    return least


node, _ = run("local:1", "quick_node")
show("next assignment of the same process", gaps(node))
world, _ = run("local:8", "quick_pair")
show("next pair, world of 8 ranks, 4 pairs at once", gaps(world), " (aim 2 ms)")
both, _ = run("local:2", "quick_node", "quick_pair")
nodes = [r for r in both if len(r["assignment"]["places"]) == 1]
first = min(r["start_offset"] for r in both if len(r["assignment"]["places"]) == 2)
print(f"{'launch of a world of 2, from the last body before it':<58} {(first - max(r['start_offset'] + r['seconds'] for r in nodes)) * 1e3:13.0f} ms")
_, least = run("local:3", "pair_slow", watch=watch_idle)
if least:
    print(f"{'a rank that has nothing to do':<58} median {statistics.median(least) * 100:5.1f} % of a core (aim 2 %)")
