"""Real processes on this machine: usage errors, faults, kills, storage trouble, strangers, whole runs."""
import collections
import json
import os
import pathlib
import pty
import pwd
import random
import re
import select
import shutil
import signal
import socket
import struct
import subprocess
import tempfile
import time
import unittest

BIN = pathlib.Path(os.environ["ACCEPT_BIN"])
SOURCE = pathlib.Path(os.environ["ACCEPT_SOURCE"])
ACCEPT, FAULTY = BIN / "accept", BIN / "accept_faulty"


def accept(*words, program=ACCEPT, **more):
    return subprocess.run([str(program), *map(str, words)], capture_output=True, text=True, timeout=550, **more)


def records(folder):
    lines = (folder / "records.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines]


def by_test(folder):
    return {r["assignment"]["test"]: r for r in records(folder)}


def passport(folder):
    """The passport, which must follow its schema and hold no number that is none."""
    import jsonschema
    text = (folder / "passport.json").read_text()
    parsed = json.loads(text, parse_constant=lambda c: (_ for _ in ()).throw(ValueError(c)))
    jsonschema.validate(parsed, json.loads((SOURCE / "docs/passport.schema.json").read_text()))
    return parsed


def our_processes():
    """Id and command line of every process that runs a program of this build."""
    found = []
    for p in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            words = (p / "cmdline").read_bytes().split(b"\0")
            if words[0].decode().startswith(str(BIN)) and p.name != str(os.getpid()):
                found.append((p.name, words))
        except (OSError, IndexError):
            pass
    return found


def wait_until_none(seconds=10):
    end = time.time() + seconds
    while time.time() < end:
        if not our_processes():
            return []
        time.sleep(0.05)
    return our_processes()


def mount_tmpfs(test, *options):
    where = test.folder / "mount"
    where.mkdir()
    done = subprocess.run(["mount", "-t", "tmpfs", *options, "tmpfs", str(where)], capture_output=True, text=True)
    if done.returncode != 0:
        test.skipTest(f"mounting is not allowed here: {done.stderr.strip()}")
    test.addCleanup(subprocess.run, ["umount", str(where)])
    return where


class WithFolder(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="accept-local-"))
        self.out = self.folder / "run"
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def assert_clean(self):
        self.assertEqual(wait_until_none(), [])
        self.assertEqual([p for p in self.folder.rglob("accept-scratch-*")], [])


class Usage(WithFolder):
    def assert_refused(self, *words, says, program=ACCEPT):
        before = set(self.folder.rglob("*"))
        result = accept(*words, program=program, cwd=self.folder)
        self.assertEqual(result.returncode, 64, result)
        self.assertEqual(result.stdout, "")
        self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
        self.assertIn(says, result.stderr)
        self.assertEqual(set(self.folder.rglob("*")), before, "something was made")

    def test_each_mistake_is_one_clear_line(self):
        (self.folder / "full").mkdir()
        (self.folder / "full" / "mine").write_text("precious")
        (self.folder / "file").write_text("")
        for words, says in [
            (["rnu"], "did you mean run?"),
            (["run", "--profle", "quick"], "did you mean --profile?"),
            (["run", "--profile", "quik"], "did you mean quick?"),
            (["run", "--test", "compute.cpu_gem"], "did you mean compute.cpu_gemm?"),
            (["run", "--suite", "computer"], "did you mean compute?"),
            (["run", "--nodes", "local:0"], "whole number from 1"),
            (["run", "--nodes", "local:x"], "whole number from 1"),
            (["run", "--nodes", "local:99999999999999999999"], "whole number from 1"),
            (["run", "--nodes", "n1;rm -rf /"], "is no host name"),
            (["run", "--nodes", "no-such-host.invalid"], "unknown host"),
            (["run", "--nodes", "n1,n1"], "twice"),
            (["run", "--nodes", "n[3-1]"], "backwards"),
            (["run", "--nodes", "n[1-99999999999999999999]"], "is no number"),
            (["run", "--nodes", "-oProxyCommand=id"], "is no host name"),
            (["run", "--nodes", "@no-such-file"], "can't read the host file"),
            (["run", "--nodes", "@full"], "can't read the host file"),
            (["run", "--nodes", "@file"], "names no host"),
            (["run", "--nodes", "@/usr/bin/env"], "no host name at the beginning"),
            (["run", "--nodes", "n1,n2", "--exclude", "n3"], "isn't among the nodes"),
            (["run", "--nodes", "n1", "--exclude", "n1"], "every node is excluded"),
            (["run", "--launcher", "slrum"], "did you mean slurm?"),
            (["run", "--launcher", "slurm"], "there is no Slurm here"),
            (["run", "--launcher", "ssh"], "needs --nodes"),
            (["run", "--launcher", "local", "--nodes", "n1"], "is not this machine"),
            (["run", "--mpi", "opnmpi"], "did you mean openmpi?"),
            (["run", "--nodes", "localhost", "--launcher", "ssh"], "this machine itself"),
            (["run", "--nodes", "192.0.2.1", "--head-address", "192.0.2.7"], "no interface of this machine"),
            (["run", "--nodes", "192.0.2.1", "--head-address", "here"], "is no IPv4 address"),
            (["run", "--nodes", "192.0.2.1", "--ssh-config", "a b"], "blanks"),
            (["run", "--nodes", "192.0.2.1", "--ssh-config", "nowhere"], "no such file"),
            (["run", "--simulate", "dead=n1"], "--launcher simulated"),
            (["run", "--launcher", "simulated", "--nodes", "n[1-3]", "--simulate", "ded=n1"], "did you mean dead?"),
            (["run", "--launcher", "simulated", "--nodes", "n[1-3]", "--simulate", "dead=n4"], "there is no node n4"),
            (["run", "--nodes", ""], "names no node"),
            (["run", "--output", "full"], "isn't empty"),
            (["run", "--output", "file"], "file"),
            (["run", "--output", "/proc/no/where"], "can't make"),
            (["run", "--resume", "full"], "no run folder"),
            (["run", "--resume", "nowhere"], "no run folder"),
            (["run", "--resume", "full", "--profile", "quick"], "keeps the options"),
            (["judge", "full"], "no run folder"),
            (["report", "full"], "no run folder"),
            (["measure", "compute.cpu_gemm", "base_order=-5"], "can't be -5"),
            (["measure", "compute.cpu_gemm", "base_order=5 s"], "wrong dimension"),
            (["measure", "compute.cpu_gemm", "base_oder=5"], "did you mean base_order?"),
            (["measure", "compute.cpu_gemm", "threads=three"], "one of one, all"),
            (["measure", "storage.checkpoint_save", "shard=1e300 B"], "can't be"),
            (["list", "compute.cpu_gem"], "did you mean compute.cpu_gemm?"),
            ([], "a command is needed"),
        ]:
            with self.subTest(words=words):
                self.assert_refused(*words, says=says)
        self.assertEqual((self.folder / "full" / "mine").read_text(), "precious")

    def test_nothing_is_executed_for_names_that_are_none(self):
        tools = self.folder / "tools"
        tools.mkdir()
        for name in ("ssh", "scp", "mpirun", "srun", "salloc", "sinfo", "sh", "rm"):
            (tools / name).write_text(f"#!/bin/bash\n[ $0 = {tools}/sinfo ] && exit 127\n"
                                      f"[ \"$1\" = --version ] || echo $0 >> {self.folder}/executed\n")
            (tools / name).chmod(0o755)
        hostfile = self.folder / "hosts"
        for name in ("n1;touch executed", "$(touch executed)", "`touch executed`", "n1 -oProxyCommand=x", "a|b", "a&b",
                     "../n1", "n1\nn2", "-n1", "\u00e9\u00e9", "n1'", 'n1"', "n1\\", "n1\tn2"):
            hostfile.write_text(name.split(" -o")[0] + "\n" if " -o" not in name else "-oProxyCommand=x\n")
            for nodes in (name, "@" + str(hostfile)):
                if nodes.startswith("@") and name in ("n1\nn2", "n1\tn2"):
                    continue  # a host file of two hosts, and one with a word behind its name
                with self.subTest(nodes=nodes):
                    result = accept("run", "--nodes", nodes, cwd=self.folder,
                                    env={**os.environ, "PATH": f"{tools}:/usr/bin:/bin"})
                    self.assertEqual(result.returncode, 64, result)
                    self.assertFalse((self.folder / "executed").exists())

    def test_host_files_as_people_write_them(self):
        hostfile = self.folder / "hosts"
        hostfile.write_bytes(b"# the left rack\r\nn1 slots=8\r\n\r\n  n2:4 # spare\r\nn3\tslots=2 max_slots=4\nn4")
        result = accept("plan", "--launcher", "simulated", "--nodes", f"@{hostfile},n[07-08]", "--exclude", "n2",
                        "--test", "compute.cpu_gemm", "--profile", "quick")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual({line.split()[-1] for line in result.stdout.splitlines() if "compute." in line},
                         {"n1", "n3", "n4", "n07", "n08"})

    def test_help_fits_a_screen_and_names_every_command(self):
        text = accept("--help").stdout
        self.assertLess(text.count("\n"), 24)
        self.assertLessEqual(max(map(len, text.splitlines())), 120)
        for command in ("run", "plan", "list", "probe", "measure", "judge", "report"):
            self.assertIn(f"  {command} ", text)
            self.assertEqual(accept(command, "--help").returncode, 0)

    def test_list_defines_every_figure(self):
        names = [line.split()[0] for line in accept("list").stdout.splitlines() if re.match(r"\w+\.\w+ ", line)]
        self.assertGreaterEqual(len(names), 6)
        for name in names:
            text = accept("list", name).stdout
            for part in ("formula", "parameters", "metrics", "sampling"):
                self.assertIn(part, text)

    def test_plan_measures_nothing_and_names_everything(self):
        result = accept("plan", "--nodes", "local:3", "--profile", "quick", cwd=self.folder)
        self.assertEqual(result.returncode, 0)
        self.assertIn("local1 + local2 + local3", result.stdout)
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_probe_invents_nothing(self):
        node = json.loads(accept("probe", "--json").stdout)
        self.assertEqual(node["boot_id"], pathlib.Path("/proc/sys/kernel/random/boot_id").read_text().strip())
        total = int(re.search(r"MemTotal:\s+(\d+)", pathlib.Path("/proc/meminfo").read_text()).group(1)) * 1024
        self.assertEqual(node["memory_bytes"], total)
        self.assertEqual(len(node["cpu"]["usable"]), node["cpu"]["cores"])


class Faults(WithFolder):
    def run_faulty(self, *tests, status):
        words = [w for t in tests for w in ("--test", f"faulty.{t}")]
        result = accept("run", "--output", self.out, *words, program=FAULTY)
        self.assertEqual(result.returncode, status, result.stdout + result.stderr)
        self.assert_clean()
        return by_test(self.out)

    def test_every_way_a_body_goes_wrong_is_a_record_and_the_run_goes_on(self):
        got = self.run_faulty("a_good_one", "throws", "throws_int", "wrong_result", "skips", "crashes", "leaves",
                              "hangs", "measures_nothing", "z_last_good_one", status=1)
        expected = {
            "a_good_one": ("ok", ""), "throws": ("error", "the disk is upside down"),
            "throws_int": ("error", "no exception"), "wrong_result": ("failed", "2 + 2 was 5"),
            "skips": ("skipped", "libfancy.so: cannot open"), "crashes": ("error", "signal 11 (Segmentation fault)"),
            "leaves": ("error", "exited with status 7"),
            "hangs": ("timed_out", "waiting for a device that never answers"),
            "measures_nothing": ("ok", ""), "z_last_good_one": ("ok", ""),
        }
        for name, (outcome, says) in expected.items():
            with self.subTest(name):
                self.assertEqual(got[f"faulty.{name}"]["outcome"], outcome, got[f"faulty.{name}"]["reason"])
                self.assertIn(says, got[f"faulty.{name}"]["reason"])
        p = passport(self.out)
        self.assertEqual(p["verdict"], "REJECTED")
        verdicts = {f["test"]: f["verdict"] for f in p["findings"]}
        self.assertEqual(verdicts["faulty.wrong_result"], "fail")
        self.assertEqual(verdicts["faulty.crashes"], "inconclusive")
        self.assertEqual(verdicts["faulty.skips"], "not_run")
        self.assertEqual(verdicts["faulty.measures_nothing"], "not_run", "an ok without a figure is no pass")
        self.assertEqual(len(records(self.out)), len(expected), "each exactly once")

    def test_in_a_pair_the_right_rank_is_named_and_the_others_go_on(self):
        got = self.run_faulty("pair_*", status=1)
        host = socket.gethostname()
        self.assertEqual(got["faulty.pair_good"]["outcome"], "ok")
        self.assertEqual((got["faulty.pair_crash"]["outcome"], got["faulty.pair_crash"]["culprits"]),
                         ("error", [f"{host} rank 1"]))
        self.assertIn("Segmentation fault", got["faulty.pair_crash"]["reason"])
        self.assertEqual((got["faulty.pair_hang"]["outcome"], got["faulty.pair_hang"]["culprits"]),
                         ("timed_out", [f"{host} rank 1"]), "rank 0 only waits for it")
        self.assertIn("rank 1: stuck", got["faulty.pair_hang"]["reason"])
        self.assertEqual((got["faulty.pair_throw"]["outcome"], got["faulty.pair_throw"]["culprits"]),
                         ("error", [f"{host} rank 1"]))
        self.assertIn("no queue pair left", got["faulty.pair_throw"]["reason"])
        self.assertEqual(got["faulty.pair_wrong"]["outcome"], "failed")
        self.assertIn("rank 1: a corrupt byte", got["faulty.pair_wrong"]["reason"])

    def test_a_skipped_required_test_is_not_accepted(self):
        self.run_faulty("a_good_one", "skips", status=2)
        self.assertEqual(passport(self.out)["verdict"], "INCOMPLETE")

    def test_without_mpirun_mpi_tests_are_not_run_and_the_rest_is(self):
        path = self.folder / "path"
        path.mkdir()
        result = accept("run", "--output", self.out, "--test", "faulty.a_good_one", "--test", "faulty.pair_good",
                        program=FAULTY, env={**os.environ, "PATH": str(path)})
        self.assertEqual(result.returncode, 2, result.stdout)
        got = by_test(self.out)
        self.assertEqual(got["faulty.a_good_one"]["outcome"], "ok")
        self.assertEqual(got["faulty.pair_good"]["outcome"], "skipped")
        self.assertIn("mpirun", got["faulty.pair_good"]["reason"])

    def test_an_mpirun_that_starts_singletons_is_an_error(self):
        fake = self.folder / "mpirun"
        fake.write_text('#!/bin/sh\nshift $(($# - 4))\n"$@" & "$@" & wait\n')
        fake.chmod(0o755)
        result = accept("run", "--output", self.out, "--test", "faulty.pair_good", program=FAULTY,
                        env={**os.environ, "PATH": f"{self.folder}:{os.environ['PATH']}"})
        self.assertEqual(result.returncode, 2, result.stdout)
        self.assertIn("a world of 1", by_test(self.out)["faulty.pair_good"]["reason"])

    def test_a_killed_mpirun_blames_no_rank_and_its_work_is_run_again(self):
        head = subprocess.Popen([str(FAULTY), "run", "--output", str(self.out), "--test", "faulty.pair_slow"],
                                stdout=subprocess.PIPE, text=True)
        killed = False
        while not killed and head.poll() is None:
            for p in pathlib.Path("/proc").glob("[0-9]*"):
                try:
                    words = (p / "cmdline").read_bytes().split(b"\0")
                    parent = int((p / "stat").read_text().rsplit(")", 1)[1].split()[1])
                    children = (p / "task" / p.name / "children").read_text().split()
                except OSError:
                    continue
                if words[0] == b"mpirun" and parent == head.pid and len(children) == 2:
                    time.sleep(1)
                    os.kill(int(p.name), signal.SIGKILL)
                    killed = True
        head.communicate(timeout=60)
        self.assertTrue(killed)
        self.assertEqual(head.returncode, 0)
        got = records(self.out)
        self.assertEqual([r["outcome"] for r in got], ["interrupted", "ok"])
        self.assertEqual(got[0]["culprits"], [])
        self.assertIn("killed by signal 9", got[0]["reason"])

    def test_one_crashing_pair_costs_the_others_nothing(self):
        result = accept("run", "--nodes", "local:4", "--output", self.out, "--test", "faulty.pair_first_crashes",
                        program=FAULTY)
        self.assertEqual(result.returncode, 2, result.stdout)
        final = {tuple(r["assignment"]["places"]) + (r["assignment"]["point"]["step"],): r
                 for r in records(self.out) if r["outcome"] != "interrupted"}
        self.assertEqual(len(final), 6 * 6)
        for (a, b, _), r in final.items():
            self.assertEqual(r["outcome"], "error" if (a, b) == ("local1", "local2") else "ok", r)

    def test_a_full_output_folder_ends_the_run_with_the_cause_and_can_be_resumed(self):
        where = mount_tmpfs(self, "-o", "size=200k")
        out = where / "run"
        filler = where / "filler"
        head = subprocess.Popen([str(FAULTY), "run", "--output", str(out), "--test", "faulty.many"],
                                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        while head.poll() is None and (not (out / "records.jsonl").exists() or not records(out)):
            time.sleep(0.01)
        with open(filler, "wb") as f:
            try:
                f.write(b"x" * 300_000)
            except OSError:
                pass
        _, words = head.communicate(timeout=60)
        self.assertEqual(head.returncode, 70, words)
        self.assertIn("records.jsonl: No space left on device", words)
        self.assertEqual(wait_until_none(), [])
        filler.unlink()
        self.assertEqual(accept("run", "--resume", out, program=FAULTY).returncode, 0)
        self.assertEqual(set(collections.Counter(r["id"] for r in records(out)).values()), {1})
        self.assertEqual(len(records(out)), 40)

    def test_closed_standard_output_spoils_nothing(self):
        subprocess.run(["sh", "-c", f'exec "{FAULTY}" run --output "{self.out}" --test faulty.a_good_one >&- 2>&- <&-'])
        self.assertEqual([r["outcome"] for r in records(self.out)], ["ok"])
        self.assertTrue(passport(self.out)["verdict"].startswith("ACCEPTED"))

    def test_judging_again_needs_the_files_alone_and_says_so(self):
        self.run_faulty("a_good_one", status=0)
        first = passport(self.out)
        self.assertEqual(accept("judge", self.out).returncode, 0, "another program knows none of these tests")
        second = passport(self.out)
        self.assertFalse(first["provenance"]["rejudged"])
        self.assertTrue(second["provenance"]["rejudged"])
        self.assertEqual(first["findings"], second["findings"])
        for form, sign in (("md", "# Cluster passport"), ("html", "<!doctype html>"), ("json", "{")):
            self.assertTrue(accept("report", self.out, "--format", form).stdout.startswith(sign))
        (self.out / "records.jsonl").write_text("")
        self.assertEqual(accept("judge", self.out).returncode, 2, "without records nothing is accepted")


class Lies(WithFolder):
    """A library or a disk that gives wrong results: the test fails, its figure is dropped, and the machine is rejected."""

    def run_with(self, *tests, program=ACCEPT, **environment):
        words = [w for t in tests for w in ("--test", t)]
        result = accept("run", "--profile", "quick", "--output", self.out, *words, program=program,
                        env={**os.environ, **environment})
        self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
        p = passport(self.out)
        self.assertEqual(p["verdict"], "REJECTED")
        for r in records(self.out):
            self.assertEqual(r["outcome"], "failed", r)
            self.assertEqual(r["measurements"], [])
        return p, records(self.out)

    def test_one_wrong_element_of_a_product(self):
        libraries = self.folder / "lib"
        libraries.mkdir()
        shutil.copy2(BIN.parent / "lying" / "liblying_blas.so", libraries / "libopenblas.so.0")
        p, got = self.run_with("compute.cpu_gemm", LD_LIBRARY_PATH=str(libraries))
        self.assertEqual(len(got), 8)
        for r in got:
            self.assertIn("wrong product", r["reason"])
        self.assertEqual({c["place"] for c in p["culprits"]}, {socket.gethostname()})

    def test_a_wrong_sum_and_a_wrong_byte_of_mpi(self):
        program = self.folder / "bin"
        program.mkdir()
        shutil.copy2(ACCEPT, program)
        shutil.copy2(BIN.parent / "lying" / "liblying_mpi.so", program / "accept_openmpi.so")
        _, got = self.run_with("interconnect.*", program=program / "accept")
        for r in got:
            if "reduce" in r["assignment"]["test"]:
                self.assertRegex(r["reason"], r"^\S+ rank 1: wrong sum")
            else:
                self.assertIn("received other bytes", r["reason"])

    def test_one_flipped_bit_of_a_checkpoint(self):
        _, got = self.run_with("storage.*", LD_PRELOAD=str(BIN.parent / "lying" / "liblying_disk.so"))
        self.assertEqual({r["assignment"]["test"]: "differs" in r["reason"] for r in got},
                         {"storage.checkpoint_save": True, "storage.checkpoint_restore": True})
        self.assert_clean()


class Kill(WithFolder):
    def start(self, *words):
        return subprocess.Popen([str(FAULTY), "run", *map(str, words)], stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, text=True)

    def test_head_killed_at_ten_random_moments_then_every_id_is_done_once(self):
        rng = random.Random(5)
        words = ["--output", self.out, "--test", "faulty.many"]
        for kill in range(10):
            head = self.start(*words)
            time.sleep(rng.uniform(0.05, 0.7))
            head.send_signal(signal.SIGKILL)
            head.communicate()
            self.assertEqual(wait_until_none(), [], "workers must go with their head")
            if (self.out / "run.json").exists():
                words = ["--resume", self.out]
            else:
                shutil.rmtree(self.out, ignore_errors=True)
            if kill % 3 == 2 and (self.out / "records.jsonl").exists():  # and the last line torn
                with open(self.out / "records.jsonl", "ab") as f:
                    f.write(b'{"id": "torn')
        self.assertEqual(accept("run", *words, program=FAULTY).returncode, 0)
        count = collections.Counter(r["id"] for r in records(self.out))
        self.assertEqual(len(count), 40)
        self.assertEqual(set(count.values()), {1})
        self.assertEqual(passport(self.out)["coverage"]["outcomes"], {"ok": 40})
        self.assert_clean()

    def test_worker_killed_costs_only_what_it_was_doing(self):
        head = self.start("--output", self.out, "--test", "faulty.many")
        killed, pauses = 0, [0.5, 0.02, 0.5]  # the second hits the next worker before its first word, or soon after
        while killed < 3 and head.poll() is None:
            time.sleep(pauses[killed])
            workers = [pid for pid, words in our_processes() if b"worker" in words]
            if workers and (self.out / "plan.jsonl").exists():  # at work, no longer asked what its machine is made of
                os.kill(int(workers[0]), signal.SIGKILL)
                killed += 1
        head.communicate(timeout=60)
        self.assertGreater(killed, 0)
        # A worker killed before its first word leaves the record of a failed start besides.
        got = [r for r in records(self.out) if r["assignment"]["test"] == "faulty.many"]
        self.assertEqual(len({r["id"] for r in got}), 40)
        lost = [r for r in got if r["outcome"] != "ok"]
        self.assertEqual(head.returncode, 2 if lost else 0)
        self.assertLessEqual(len(lost), 3)
        for r in lost:
            self.assertIn("Killed", r["reason"])
        final = collections.Counter(r["id"] for r in got if r["outcome"] != "interrupted")
        self.assertEqual(set(final.values()), {1})

    def test_mpirun_killed_before_its_ranks_have_said_a_word_is_started_again(self):
        mpirun = self.folder / "mpirun"
        # The first mpirun is killed at once.
        mpirun.write_text(f'#!/bin/sh\nmkdir {self.folder}/once 2>/dev/null && kill -9 $$\nexec /usr/bin/mpirun "$@"\n')
        mpirun.chmod(0o755)
        result = accept("run", "--output", self.out, "--test", "faulty.pair_good", program=FAULTY,
                        env={**os.environ, "PATH": f"{self.folder}:{os.environ['PATH']}"})
        self.assertTrue((self.folder / "once").exists())
        self.assertEqual(result.returncode, 0, result.stdout)
        self.assertEqual([r["outcome"] for r in records(self.out)], ["ok"])

    def test_ctrl_c_keeps_records_ends_children_and_says_how_to_go_on(self):
        head = self.start("--output", self.out, "--test", "faulty.many")
        while head.poll() is None and (not (self.out / "records.jsonl").exists() or len(records(self.out)) < 3):
            time.sleep(0.01)
        head.send_signal(signal.SIGINT)
        text, _ = head.communicate(timeout=10)
        self.assertEqual(head.returncode, 130)
        self.assertIn(f"accept run --resume {self.out}", text)
        done = len(records(self.out))
        self.assertGreater(done, 0)
        self.assert_clean()
        self.assertEqual(accept("run", "--resume", self.out, program=FAULTY).returncode, 0)
        self.assertEqual(len(records(self.out)), 40)


class KillMany(WithFolder):
    """Two hundred kills of head and worker, with records of 20 kB on their way: nothing is lost, nothing is there twice."""

    def test_two_hundred_random_kills(self):
        rng = random.Random(11)
        words = ["--output", self.out, "--test", "faulty.big"]
        kills = collections.Counter()
        while sum(kills.values()) < 200:
            head = subprocess.Popen([str(FAULTY), "run", "--quiet", *map(str, words)], stdout=subprocess.DEVNULL,
                                    stderr=subprocess.PIPE)
            time.sleep(rng.uniform(0.05, 0.25))
            while head.poll() is None:
                victims = [(pid, "worker") for pid, w in our_processes() if b"worker" in w] + [(str(head.pid), "head")]
                pid, kind = rng.choice(victims)
                try:
                    os.kill(int(pid), signal.SIGKILL)
                    kills[kind] += 1
                except ProcessLookupError:
                    pass
                if kind == "head":
                    break
                time.sleep(rng.choice((0.05, 0.05, 1.0)))
            _, said = head.communicate()
            self.assertIn(head.returncode, (-9, 0, 2), said)
            if (self.out / "plan.jsonl").exists():
                words = ["--resume", self.out]
            else:
                shutil.rmtree(self.out, ignore_errors=True)
        self.assertEqual(wait_until_none(), [])
        accept("run", "--quiet", *words, program=FAULTY)
        got = records(self.out)
        final = collections.Counter(r["id"] for r in got if r["outcome"] != "interrupted" and "faulty" in r["id"])
        self.assertEqual(len(final), 1500)
        self.assertEqual(set(final.values()), {1}, "none twice")
        lost = [r for r in got if r["outcome"] == "error"]
        self.assertLessEqual(len(lost), kills["worker"], "only what was being done is lost")
        whole = [r for r in got if r["outcome"] == "ok" and "faulty" in r["id"]]
        self.assertTrue(all(len(r["observations"][0]["value"]) == 20_000 for r in whole))
        print(f"\n{dict(kills)} killed; {len(lost)} assignments lost, {len(whole)} whole")


class Storage(WithFolder):
    """The target folder is small, read-only, missing or no disk; what is in it stays untouched."""

    def run_storage(self, target, status):
        result = accept("run", "--profile", "quick", "--suite", "storage", "--test", "storage.checkpoint_*", "--output",
                        self.out, "--target", target)
        self.assertEqual(result.returncode, status, result.stdout + result.stderr)
        passport(self.out)
        self.assert_clean()
        return by_test(self.out)

    def mount(self, *options):
        return mount_tmpfs(self, *options)

    def disk(self, megabytes):
        """An ext4 file system of that size on a loop device."""
        image, where = self.folder / "disk", self.folder / "mount"
        where.mkdir()
        with open(image, "wb") as f:
            f.truncate(megabytes << 20)
        for words in (["mkfs.ext4", "-q", "-m", "0", str(image)], ["mount", "-o", "loop", str(image), str(where)]):
            try:
                done = subprocess.run(words, capture_output=True, text=True)
            except FileNotFoundError as e:
                self.skipTest(str(e))
            if done.returncode != 0:
                self.skipTest(f"loop devices are not allowed here: {done.stderr.strip()}")
        self.addCleanup(subprocess.run, ["umount", str(where)])
        return where

    def test_missing(self):
        got = self.run_storage(self.folder / "nowhere", 2)
        for r in got.values():
            self.assertEqual(r["outcome"], "skipped")
            self.assertIn("No such file or directory", r["reason"])

    def test_read_only(self):
        where = self.mount()
        (where / "mine").write_text("precious")
        subprocess.run(["mount", "-o", "remount,ro", str(where)], check=True)
        for r in self.run_storage(where, 2).values():
            self.assertEqual(r["outcome"], "skipped")
            self.assertIn("Read-only file system", r["reason"])
        self.assertEqual([p.name for p in where.iterdir()], ["mine"])

    def test_too_small(self):
        where = self.disk(64)
        (where / "mine").write_text("precious")
        for r in self.run_storage(where, 2).values():
            self.assertEqual(r["outcome"], "skipped")
            self.assertIn("no space left", r["reason"])
        self.assertEqual((where / "mine").read_text(), "precious")
        self.assertEqual(sorted(p.name for p in where.iterdir()), ["lost+found", "mine"])

    def test_memory_is_not_taken_for_a_disk(self):
        where = self.mount("-o", "size=2g")
        got = self.run_storage(where, 2)
        for r in got.values():
            self.assertEqual(r["outcome"], "skipped")
            self.assertIn("tmpfs keeps files in memory", r["reason"])

    def test_filled_up_in_the_middle(self):
        where = self.disk(700)
        filler = subprocess.Popen(["sh", "-c", f"sleep 0.6; head -c 690M /dev/zero > {where}/filler"],
                                  stderr=subprocess.DEVNULL)
        got = accept("measure", "storage.checkpoint_save", "--output", self.out, "--target", where)
        filler.wait()
        record = by_test(self.out)["storage.checkpoint_save"]
        if record["outcome"] == "ok":
            self.skipTest("the file system was filled too late to be in the way")
        self.assertIn(record["outcome"], ("failed", "skipped"))
        self.assertIn("o space left", record["reason"])
        self.assertEqual(sorted(p.name for p in where.iterdir()), ["filler", "lost+found"], got.stdout)


class Connection(WithFolder):
    def test_strangers_are_dropped_and_hold_nothing_up(self):
        head = subprocess.Popen([str(FAULTY), "run", "--output", str(self.out), "--test", "faulty.many"],
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        port = None
        while port is None and head.poll() is None:
            listing = subprocess.run(["cat", f"/proc/{head.pid}/net/tcp"], capture_output=True, text=True).stdout
            inodes = {os.readlink(f) for f in map(str, pathlib.Path(f"/proc/{head.pid}/fd").glob("*")) if os.path.islink(f)}
            for line in listing.splitlines()[1:]:
                words = line.split()
                if words[3] == "0A" and f"socket:[{words[9]}]" in inodes:
                    port = int(words[1].split(":")[1], 16)
        held = [socket.create_connection(("127.0.0.1", port)) for _ in range(20)]  # says nothing, stays
        hello = json.dumps({"hello": {"token": "guess", "launch": 1, "rank": 0, "size": 1, "build": "x"}}).encode()
        for message in (b"GET / HTTP/1.0\r\n\r\n", b"\xff" * 4000, struct.pack("<I", 3) + b"{}x",
                        struct.pack("<I", len(hello)) + hello, struct.pack("<I", 2) + b"[]"):
            with socket.create_connection(("127.0.0.1", port)) as s:
                s.sendall(message)
        head.communicate(timeout=60)
        self.assertEqual(head.returncode, 0)
        self.assertEqual(passport(self.out)["coverage"]["outcomes"], {"ok": 40})
        notes = (self.out / "logs" / "head.log").read_text()
        self.assertIn("wrong token", notes)
        self.assertGreaterEqual(notes.count("dropped"), 5)
        for s in held:
            s.close()

    def test_the_token_is_on_no_command_line(self):
        head = subprocess.Popen([str(FAULTY), "run", "--output", str(self.out), "--test", "faulty.pair_good"],
                                stdout=subprocess.DEVNULL)
        seen, token = [], None
        while head.poll() is None:
            for p in pathlib.Path("/proc").glob("[0-9]*"):
                try:
                    seen.append((p / "cmdline").read_bytes())
                    found = re.search(rb"ACCEPT_TOKEN=(\w+)", (p / "environ").read_bytes())
                    token = found.group(1) if found else token
                except OSError:
                    pass
        self.assertIsNotNone(token)
        self.assertFalse([line for line in seen if token in line])


class Terminal(WithFolder):
    def run_on_terminal(self, columns, resize=None, environment=None):
        main, other = pty.openpty()
        size = struct.pack("HHHH", 24, columns, 0, 0)
        import fcntl
        import termios
        fcntl.ioctl(other, termios.TIOCSWINSZ, size)
        head = subprocess.Popen([str(FAULTY), "run", "--output", str(self.out), "--test", "faulty.many"], stdout=other,
                                env={**os.environ, "TERM": "xterm", **(environment or {})})
        os.close(other)
        text, start = b"", time.time()
        while True:
            ready, _, _ = select.select([main], [], [], 0.2)
            if resize and time.time() - start > 1:
                fcntl.ioctl(main, termios.TIOCSWINSZ, struct.pack("HHHH", 24, resize, 0, 0))
                resize = None
            if ready:
                try:
                    text += os.read(main, 65536)
                except OSError:
                    break
            elif head.poll() is not None:
                break
        head.wait()
        os.close(main)
        return text.decode()

    def test_live_view_redraws_in_place_and_fits_the_width(self):
        text = self.run_on_terminal(100, resize=60)
        self.assertIn("\033[", text)
        self.assertIn("worst  nothing so far", text)
        self.assertIn("left", text)
        # What was noticed before the run (a busy machine) stays as it is; the terminal breaks it.
        live = [line for line in re.split(r"\r?\n|\033\[\d*[AJ]|\r", text.split("ACCEPTED")[0])
                if not line.startswith("remark: ")]
        self.assertLessEqual(max(map(len, live)), 100)
        self.assertIn("\033[1;32mACCEPTED", text)

    def test_no_color_is_honoured(self):
        text = self.run_on_terminal(80, environment={"NO_COLOR": "1"})
        self.assertNotIn("\033[1;", text)

    def test_elsewhere_one_plain_line_per_assignment(self):
        result = accept("run", "--output", self.out, "--test", "faulty.many", program=FAULTY)
        self.assertEqual(len(re.findall(r"^\[ ?\d+/40\] ok faulty\.many", result.stdout, re.M)), 40)
        self.assertNotIn("\033", result.stdout)

    def test_quiet_prints_the_verdict_alone(self):
        result = accept("run", "--quiet", "--output", self.out, "--test", "faulty.a_good_one", program=FAULTY)
        self.assertIn(result.stdout, ("ACCEPTED\n", "ACCEPTED WITH REMARKS\n"))  # where something else keeps it busy


class OrdinaryUser(WithFolder):
    def test_runs_without_root(self):
        if os.geteuid() != 0:
            self.skipTest("not root: every other test shows it already")
        nobody = pwd.getpwnam("nobody")
        # The program may lie in a folder that others can't enter.
        program = self.folder / "bin"
        shutil.copytree(BIN, program)
        os.chmod(self.folder, 0o777)
        result = subprocess.run([str(program / "accept"), "run", "--profile", "quick", "--output", str(self.out),
                                 "--test", "storage.checkpoint_save", "--test", "interconnect.mpi_all_reduce"],
                                capture_output=True, text=True, user=nobody.pw_uid, group=nobody.pw_gid, extra_groups=[],
                                env={"PATH": os.environ["PATH"], "HOME": str(self.folder)}, cwd=self.folder)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        passport(self.out)


class WholeRun(WithFolder):
    def check(self, nodes, count):
        result = accept("run", "--nodes", nodes, "--profile", "quick", "--output", self.out)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        p = passport(self.out)
        print(result.stdout[-700:])
        self.assertTrue(p["verdict"].startswith("ACCEPTED"))
        self.assertEqual(len(p["nodes"]), count)
        measured = {f["test"] for f in p["findings"] if f["measured"]}
        self.assertEqual(measured, {d["name"] for d in p["definitions"]})
        self.assertEqual(len(measured), 6)
        for f in p["findings"]:
            if f["measured"]:
                self.assertLessEqual(f["measured"]["low"], f["measured"]["value"])
                self.assertLessEqual(f["measured"]["value"], f["measured"]["high"])
        for form in ("html", "md"):
            self.assertGreater((self.out / f"passport.{form}").stat().st_size, 3000)
        self.assert_clean()
        self.assertFalse((self.out / "target").exists())

    def test_this_machine(self):
        self.check("all", 1)

    def test_four_ranks_that_stand_for_nodes(self):
        self.check("local:4", 4)


if __name__ == "__main__":
    unittest.main()
