"""Whole runs on simulated clusters: what is wrong with them is what the passport says, and nothing else."""
import json
import unittest

import jsonschema

from local_test import SOURCE, WithFolder, accept, passport

TOPOLOGY = """format: accept.cluster/1
name: rehearsal
groups:
  compute:
    nodes: n[01-16]
    cpus: {sockets: 2, cores: 64}
    memory: 1 TB
    rails: {count: 2, rate: 400 Gbit/s}
fabric:
  name: infiniband-ndr
  shape: fat-tree
  leaves: {leaf1: "n[01-04]", leaf2: "n[05-08]", leaf3: "n[09-12]", leaf4: "n[13-16]"}
"""
NOISE = "noise: {sample: 0.01, run: 0.005, node: 0.01, rack: 0.002}\n"

# What is wrong: status, whom the passport blames, what is on some line of it.
FAULTS = {
    "[]": (0, [], ""),
    "[{slow: n03, to: 0.85}]": (1, ["n03"], "below what is usual among 16 nodes of group compute"),
    "[{gpu: n03, to: 0.8}]": (1, ["n03"], "compute.cpu_gemm rate"),
    "[{nic: n11, to: 0.7}]": (1, ["n11"], "n11 to all others"),
    "[{link: [n03, n09], to: 0.6}]": (1, ["link n03 - n09"], "the way between n03 and n09"),
    "[{leaf: leaf2, to: 0.7}]": (1, ["leaf leaf2"], "leaf leaf2 on its way up"),
    "[{leaves: [leaf2, leaf4], to: 0.7}]": (1, ["leaves leaf2 - leaf4"], "the way between leaves leaf2 and leaf4"),
    "[{dead: n05}]": (2, ["n05"], "Connection timed out"),
    "[{slow: n11, hangs: true, tests: '*all_reduce'}]": (2, ["n11"], "the other 15 are good without"),
    "[{link: [n03, n07], hangs: true, tests: '*all_reduce'}]": (2, ["link n03 - n07"], "each good with others"),
    "[{leaf: leaf2, hangs: true, tests: '*all_reduce'}]": (2, ["leaf leaf2"], "good among themselves"),
    "[{corrupt: n11, tests: '*all_reduce'}]": (1, ["n11"], "wrong result"),
    "[{slow: 'n[01,04,06,09,11,14]', to: 0.8, firmware: 28.39}]": (0, [], "not homogeneous"),
    "[{slow: all, to: 0.8}]": (0, [], ""),
}


class Simulated(WithFolder):
    def run_with(self, faults):
        (self.folder / "cluster.yaml").write_text(TOPOLOGY)
        (self.folder / "faults.yaml").write_text(NOISE + "faults: " + faults)
        out = self.folder / str(len(list(self.folder.iterdir())))
        done = accept("run", "--launcher", "simulated", "--topology", self.folder / "cluster.yaml", "--faults",
                      self.folder / "faults.yaml", "--output", out)
        return done, passport(out), out

    def test_what_is_wrong_is_named_and_nothing_else(self):
        for faults, (status, blamed, words) in FAULTS.items():
            with self.subTest(faults):
                done, found, out = self.run_with(faults)
                self.assertEqual(done.returncode, status, done.stdout[-3000:])
                self.assertIn("SIMULATED", done.stdout)
                self.assertEqual([c["place"] for c in found["culprits"]], blamed)
                self.assertIn(words, " ".join(f["reason"] + f["metric"] for f in found["findings"]))

    def repeated(self, number, faults, *words):
        """A run of the same cluster, its noise anew; three repetitions."""
        (self.folder / "cluster.yaml").write_text(TOPOLOGY)
        (self.folder / "faults.yaml").write_text(f"run: {number}\n{NOISE}faults: {faults}")
        out = self.folder / f"run{number}"
        done = accept("run", "--launcher", "simulated", "--topology", self.folder / "cluster.yaml", "--faults",
                      self.folder / "faults.yaml", "--repeat", "3", "--output", out, *words)
        return done, out

    def compared(self, before, after, status):
        done = accept("compare", before, after)
        self.assertEqual(done.returncode, status, done)
        found = json.loads((after / "comparison.json").read_text())
        jsonschema.validate(found, json.loads((SOURCE / "docs/comparison.schema.json").read_text()))
        self.assertEqual(accept("compare", before, after, "--format", "md").stdout, (after / "comparison.md").read_text())
        return found, done.stdout

    def test_before_and_after_an_update(self):
        _, before = self.repeated(1, "[]")
        _, same = self.repeated(2, "[]")
        found, _ = self.compared(before, same, 0)
        self.assertEqual(found["verdict"], "NO REGRESSION")
        updated = "[{slow: 'n[02,06,10]', to: 0.85, firmware: 28.50}, {link: [n03, n07], to: 0.7}]"
        done, after = self.repeated(3, updated, "--baseline", before)
        self.assertEqual(done.returncode, 1, done)
        self.assertIn("REGRESSED (SIMULATED)", done.stdout)
        found, words = self.compared(before, after, 1)
        moved = {tuple(c["where"]) for g in found["figures"] for c in g["moved"] if c["move"] == "regressed"}
        nodes = {w[0] for w in moved if len(w) == 1}
        self.assertEqual(nodes, {"n02", "n06", "n10"})
        self.assertIn(("n03", "n07"), moved)
        self.assertFalse([w for w in moved if len(w) == 2 and w != ("n03", "n07") and not set(w) & nodes], moved)
        changed = [i for i in found["inventory"] if i["after"] == "28.50"]
        self.assertTrue(changed)
        for i in changed:
            self.assertEqual((i["nodes"], i["regressed"]), (["n02", "n06", "n10"], 3))
        found, _ = self.compared(after, before, 0)  # the other way round it is an improvement
        self.assertTrue([c for g in found["figures"] for c in g["moved"] if c["move"] == "improved"])

    def test_what_can_not_be_compared_is_said(self):
        _, before = self.repeated(1, "[]")
        _, gone = self.repeated(2, "[{dead: n05}]")
        found, _ = self.compared(before, gone, 2)
        self.assertIn("nodes took no part after", [m["why"] for m in found["not_compared"]])
        for words, part in (([before, self.folder], "run.json"), ([before], "after is required"),
                            ([before, gone, "--format", "pdf"], "known are json, md, html")):
            done = accept("compare", *words)
            self.assertEqual(done.returncode, 64, done)
            self.assertIn(part, done.stderr)
        done = accept("run", "--launcher", "simulated", "--nodes", "n[1-3]", "--baseline", self.folder)
        self.assertEqual(done.returncode, 64, done)

    def test_mistakes_are_one_line_with_the_place(self):
        for faults, words in (("[{slow: n99}]", "--faults:2: faults"), ("[{leaf: leaf9}]", "did you mean"),
                              ("[{slo: n01}]", "did you mean slow?")):
            (self.folder / "cluster.yaml").write_text(TOPOLOGY)
            (self.folder / "faults.yaml").write_text(NOISE + "faults: " + faults)
            done = accept("run", "--launcher", "simulated", "--topology", self.folder / "cluster.yaml", "--faults",
                          self.folder / "faults.yaml", "--output", self.folder / "run")
            self.assertEqual(done.returncode, 64, done)
            self.assertIn(words, done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)


if __name__ == "__main__":
    unittest.main()
