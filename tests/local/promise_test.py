"""What was promised: drafting it, expecting from it, and judging runs by it."""
import json
import re
import unittest

from local_test import SOURCE, WithFolder, accept, passport

QUICK = ["--profile", "quick", "--test", "compute.memory_bandwidth", "--test", "interconnect.mpi_ping_pong"]


class Promise(WithFolder):
    def accept(self, *words, status=0):
        done = accept(*words, cwd=self.folder)
        self.assertEqual(done.returncode, status, done)
        return done.stdout

    def refused(self, *words):
        done = accept(*words, cwd=self.folder)
        self.assertEqual(done.returncode, 64, done)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        return done.stderr

    def init(self, change=lambda text: text):
        self.accept("init", "--launcher", "local", "--force")
        file = self.folder / "cluster.yaml"
        file.write_text(change(file.read_text()))
        return file

    def test_what_init_drafts_is_taken_unchanged(self):
        shown = self.accept("init", "--launcher", "local")
        self.assertIn("1 node(s) in 1 group(s)", shown)
        self.assertIn("is there already", self.refused("init", "--launcher", "local"))
        self.accept("expect")
        self.accept("run", "--launcher", "local", "--output", self.out, *QUICK)
        p = passport(self.out)
        self.assertEqual(p["cluster"]["promised"]["groups"][0]["count"], 1)
        self.assertEqual((self.out / "cluster.yaml").read_text(), (self.folder / "cluster.yaml").read_text())
        self.assertIn("cluster.yaml", p["provenance"]["digests"])
        self.assertEqual([f for f in p["findings"] if f["test"] == "machine.drift"], [])

    def test_less_than_promised_is_said_at_once_and_rejects(self):
        self.init(lambda text: re.sub(r"memory: \d+ MB", "memory: 4 TB", text))
        shown = self.accept("run", "--launcher", "local", "--output", self.out, *QUICK, status=1)
        self.assertRegex(shown, r"memory on \S+: [\d.]+ of 4000 GB promised")
        p = passport(self.out)
        drift = [f for f in p["findings"] if f["test"] == "machine.drift"]
        self.assertEqual([(f["metric"], f["verdict"]) for f in drift], [("memory", "fail")])
        self.assertEqual(drift[0]["culprits"], p["cluster"]["nodes"])

    def test_a_contract_that_is_not_met_rejects_an_old_run_too(self):
        self.init()
        self.accept("run", "--launcher", "local", "--output", self.out, *QUICK)
        file = self.folder / "strict.yaml"
        base = (self.folder / "cluster.yaml").read_text()
        file.write_text(base + 'contract:\n  "compute.memory_bandwidth.rate{kernel=copy}": ">= 900 TB/s"\n')
        self.accept("judge", self.out, "--topology", file, status=1)
        failed = [f for f in passport(self.out)["findings"] if f["verdict"] == "fail"]
        self.assertTrue(failed)
        for f in failed:
            self.assertEqual(f["point"]["kernel"], "copy")
            self.assertEqual(f["reference"]["authority"], "contract")
            self.assertIn("= contract, compute.memory_bandwidth.rate", f["reference"]["derivation"])
        file.write_text(base + 'contract:\n  "interconnect.nccl_all_reduce.busbw{nodes=all}": ">= 1 GB/s"\n')
        shown = self.accept("judge", self.out, "--topology", file, status=2)  # not measured is not met
        self.assertIn("judged by another promise or catalogue than the run took along", shown)
        self.assertNotIn("another promise", self.accept("judge", self.out))
        self.assertTrue(passport(self.out)["verdict"].startswith("ACCEPTED"))
        # Neither does an edit in the run's own folder pass for what it took along.
        (self.out / "cluster.yaml").write_text(base + "spare_nodes: 3\n")
        self.assertIn("another promise", self.accept("judge", self.out))

    def test_one_figure_of_the_catalogue_changes_the_verdict_of_an_old_run(self):
        self.accept("run", "--launcher", "local", "--output", self.out, "--profile", "quick", "--test", "compute.cpu_gemm")
        before = passport(self.out)
        self.assertTrue(before["verdict"].startswith("ACCEPTED"), before["verdict"])
        cpu = before["nodes"][0]["cpu"]
        own = self.folder / "catalogue"
        own.mkdir()
        row = ("this-one: {vendor: %s, family: %d, models: %d .. %d, fp64_per_cycle: {value: %s, source: calc}}\n"
               % (cpu["vendor"], cpu["family"], cpu["model_number"], cpu["model_number"], "%s"))
        (own / "cpus.yaml").write_text(row % "0.001")
        self.accept("judge", self.out, "--catalogue", own, status=2)
        after = passport(self.out)
        self.assertEqual(after["verdict"], "INCOMPLETE")
        self.assertEqual(after["provenance"]["catalogue"], "replaced in part")
        self.assertIn("catalogue/cpus.yaml", after["provenance"]["digests"])
        for page in ("passport.html", "passport.md"):
            self.assertRegex((self.out / page).read_text(), "catalogue is not the program.{1,5}s own")
        self.assertIn("better than is physically possible", json.dumps(after["findings"]))
        (own / "cpus.yaml").write_text(row % "1 .. x")
        self.assertIn("cpus.yaml:1: this-one.fp64_per_cycle.value", self.refused("judge", self.out, "--catalogue", own))

    def test_expectations_are_shown_with_their_derivation(self):
        names = re.search(r"one of: ([\w, -]+)", re.sub(r"\s+", " ", self.accept("expect", "--help"))).group(1)
        presets = [n.strip() for n in names.split(",")]
        self.assertGreaterEqual(len(presets), 7)
        for name in ("start", "business", "enterprise", "inference", "team", "hpc-ml", "atlas-800t-a2"):
            text = self.accept("expect", "--preset", name)
            self.assertIn("How they come about:", text)
            self.assertGreaterEqual(text.count("source:"), 5, name)
            parsed = json.loads(self.accept("expect", "--preset", name, "--json"))
            self.assertGreater(len(parsed["figures"]), 10, name)
            for figure in parsed["figures"]:
                self.assertTrue(figure["reference"]["derivation"] and figure["reference"]["source"], figure)
        text = self.accept("expect", "--node", "dgx-h200", "--nodes", 16, "--fabric", "ndr")
        self.assertIn("all 16 nodes", text)
        self.assertIn("interconnect.nccl_all_reduce.busbw 8 GiB", text)

    def test_the_schema_for_editors_is_what_the_program_reads(self):
        import jsonschema
        import yaml
        schema = json.loads((SOURCE / "docs/cluster.schema.json").read_text())
        jsonschema.Draft202012Validator.check_schema(schema)
        follows = jsonschema.Draft202012Validator(schema).is_valid
        texts = [file.read_text() for file in (SOURCE / "reports/cluster/preset").glob("*.yaml")]
        self.assertEqual(len(texts), 7)
        texts.append(re.search(r"```yaml\n(.*?)```", (SOURCE / "docs/cluster.md").read_text(), re.S).group(1))
        for text in texts:
            jsonschema.validate(yaml.safe_load(text), schema)
        self.assertFalse(follows({**yaml.safe_load(texts[0]), "grups": {}}))
        self.assertFalse(follows({**yaml.safe_load(texts[0]), "spare_nodes": "two"}))
        # The example has every key there is, and the program reads it.
        (self.folder / "all.yaml").write_text(texts[-1])
        self.assertIn("aurora-west", self.accept("expect", "--topology", "all.yaml"))
        reader = "".join((SOURCE / f"reports/cluster/{f}.cpp").read_text() for f in ("cluster_file", "policy"))
        read = set(re.findall(r'"(\w+)"', " ".join(re.findall(r"only\(\{(.*?)\}\)", reader, re.S))))
        written = set(re.findall(r"([\w]+):", re.sub(r"#.*", "", texts[-1])))
        self.assertEqual(read - written - {"count"}, set())
        told = set(re.findall(r'"(\w+)": \{', json.dumps(schema)))
        self.assertEqual(read - told, set())
        # Everything that can be found has a name that a policy may use.
        sources = [*(SOURCE / "reports/verdict").glob("*.cpp"), SOURCE / "suites/core/record.h"]
        code = "".join(file.read_text() for file in sources)
        found = set(re.findall(r'"((?:machine|rule)\.[\w-]+)"', code)) | {
            "rule." + name for name in re.findall(r'rule\(\s*"([\w-]+)"', code)}
        known = set(re.findall(r'"((?:machine|rule)\.[\w-]+)"', (SOURCE / "reports/cluster/policy.cpp").read_text()))
        self.assertEqual(found, known)
        # Models by the names of the catalogue.
        models = lambda file: list(yaml.safe_load((SOURCE / f"reports/reference/catalogue/{file}.yaml").read_text()))
        defs = schema["$defs"]
        self.assertEqual(defs["group"]["properties"]["server"]["enum"], models("servers"))
        self.assertEqual(defs["group"]["properties"]["gpus"]["properties"]["model"]["enum"], models("gpus"))
        self.assertEqual(defs["storage"]["properties"]["class"]["enum"], models("storage"))
        self.assertLessEqual(set(models("fabrics")), set(defs["fabric"]["properties"]["name"]["enum"]))

    def test_presets_become_files_that_are_read(self):
        self.accept("init", "--preset", "enterprise", "--output", "mine.yaml")
        self.accept("expect", "--topology", "mine.yaml")
        self.assertIn("cluster.yaml here", self.refused("expect"))

    def test_mistakes_are_one_line_with_file_line_and_key(self):
        bad = self.folder / "bad.yaml"
        bad.write_text("format: accept.cluster/1\nname: c\ngroups:\n  g:\n    nodes: n1\n    sever: DGX-H100\n")
        for words in (["run", "--topology", bad], ["plan", "--topology", bad], ["expect", "--topology", bad]):
            self.assertIn("bad.yaml:6: groups.g.sever: unknown key; did you mean server?", self.refused(*words))
        for policy, said in (("required: [comptue]", "there is nothing called 'comptue'"),
                             ("severity: {rule.spar-node: fail}", "did you mean rule.spare-node?"),
                             ("tolerance: {machine.drift: 3 %}", "there is nothing called 'machine.drift'")):
            bad.write_text("format: accept.cluster/1\nname: c\ngroups: {g: {nodes: n1}}\npolicy: {%s}\n" % policy)
            self.assertRegex(self.refused("expect", "--topology", bad), "bad.yaml:4: policy\\..*" + re.escape(said))
        self.assertIn("can't read", self.refused("expect", "--topology", "none.yaml"))
        self.assertIn("can't read", self.refused("expect", "--topology", "."))
        self.assertIn("larger than 16 MiB", self.refused("expect", "--topology", "/dev/zero"))
        self.assertIn("did you mean enterprise?", self.refused("expect", "--preset", "enterprice"))
        self.assertIn("did you mean DGX-H200?", self.refused("expect", "--node", "DGX-H20"))
        self.assertIn("is no folder", self.refused("expect", "--preset", "start", "--catalogue", "none"))
        self.assertIn("need --node", self.refused("expect", "--nodes", 4))


if __name__ == "__main__":
    unittest.main()
