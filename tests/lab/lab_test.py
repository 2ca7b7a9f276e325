"""Hosts of our own on one machine: namespaces with their own sshd and a real Slurm (tests/lab/hosts). Every fault of the
table is made for real, alone, under both launchers; the passport must name exactly the right host and blame no other, and
nothing may be left running or lying about. Skips, by name, where namespaces are forbidden or a program is missing."""
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import unittest

SOURCE = pathlib.Path(os.environ["ACCEPT_SOURCE"])
BUILT = pathlib.Path(os.environ["ACCEPT_BIN"])
HOSTS = SOURCE / "tests/lab/hosts"
STATE = pathlib.Path("/var/tmp/hosts-lab")
SSH_CONFIG = STATE / "ssh_config"
NAMES = ["h1", "h2", "h3", "h4"]
# Every host has a /tmp of its own, and in it a copy of the program of its own: each can be broken alone.
PROGRAM = pathlib.Path("/tmp/accept-lab")
FILES = ["accept", "accept_faulty", *[m for m in ("accept_openmpi.so", "accept_mpich.so") if (BUILT / m).exists()]]
TABLE = []


def hosts(*words, **more):
    return subprocess.run([str(HOSTS), *map(str, words)], capture_output=True, text=True, timeout=300, **more)


def seen_by(host, path):
    """Where a path under a host's /tmp lies on this machine."""
    return STATE / f"tmp-{host}" / pathlib.Path(path).relative_to("/tmp")


def install(host):
    folder = seen_by(host, PROGRAM)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for file in FILES:
        shutil.copy2(BUILT / file, folder)


def setUpModule():
    path = os.environ["PATH"] + ":/usr/sbin:/sbin"
    for program in ("ip", "sshd", "ssh-keygen", "nsenter", "mpirun", "slurmctld", "slurmd", "srun", "munged"):
        if not shutil.which(program, path=path):
            raise unittest.SkipTest(f"the lab needs {program}")
    if os.geteuid() != 0:
        raise unittest.SkipTest("the lab needs root to make namespaces")
    hosts("down")
    up = hosts("up", len(NAMES), "--slurm")
    unittest.addModuleCleanup(print_table)
    unittest.addModuleCleanup(hosts, "down")
    if up.returncode != 0:
        raise unittest.SkipTest(f"namespaces are not allowed here: {up.stderr.strip()[-200:]}")
    for host in ["ctl", *NAMES]:
        install(host)


def print_table():
    right = sum(row[3] for row in TABLE)
    print(f"\n{'launcher':9} {'fault':58} {'named':14} {'s':>6}")
    for launcher, fault, named, good, seconds in TABLE:
        print(f"{launcher:9} {fault:58} {named:14} {seconds:6.1f}{'' if good else '   WRONG'}")
    print(f"{right} of {len(TABLE)} faults named rightly, nobody else blamed\n")


def net_of(pid):
    try:
        return os.stat(f"/proc/{pid}/ns/net").st_ino
    except OSError:
        return None


def processes(host, pattern, world=False):
    """Processes of a host whose command line fits; with `world`, only those that MPI has started."""
    inode = os.stat(f"/run/netns/lab{host[1:] if host != 'ctl' else 'ctl'}").st_ino
    found = []
    for p in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            words = (p / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            if re.search(pattern, words) and net_of(p.name) == inode and "bash -c" not in words and (
                    not world or b"ACCEPT_WORLD=1" in (p / "environ").read_bytes()):
                found.append(int(p.name))
        except OSError:
            pass
    return found


def workers(host, world=False):
    # The process itself, not the ssh or srun that has its words too.
    return [p for p in processes(host, r"^\S*accept\S* worker --run", world)]


def wait_for(condition, seconds, what):
    end = time.time() + seconds
    while time.time() < end:
        got = condition()
        if got:
            return got
        time.sleep(0.05)
    raise AssertionError(f"{what} did not happen within {seconds} s")


class Cluster:
    """The fault table; a class per launcher says how a run is started."""
    launcher = ""
    words = []

    def setUp(self):
        # Not under /tmp: the head has one of its own.
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="accept-lab-", dir="/var/tmp"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.out = self.folder / "run"
        self.wait_until_idle()

    def wait_until_idle(self):
        self.asked_again = time.time()
        wait_for(self.all_idle, 200, "all hosts idle in Slurm")

    def all_idle(self):
        states = hosts("run", "ctl", "sinfo", "-h", "-N", "-o", "%T").stdout.split()
        if any(s.startswith("drain") for s in states):  # Slurm refuses while a job of the node is ending
            hosts("run", "ctl", "scontrol", "update", "NodeName=h[1-4]", "State=RESUME")
        if any(s.endswith("*") for s in states) and time.time() > self.asked_again + 10:
            self.asked_again = time.time()  # after a cut port Slurm looks again in its own time only: after 100 s
            hosts("run", "ctl", "scontrol", "reconfigure")
        return states == ["idle"] * 4

    def start(self, *words, program="accept_faulty", **more):
        self.began = time.time()
        return subprocess.Popen([str(HOSTS), "run", "ctl", str(PROGRAM / program), "run", *self.words, *map(str, words)],
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **more)

    def chosen(self, *names, out=None):
        return ["--output", out or self.out, *[w for n in names for w in ("--test", f"faulty.{n}")]]

    def finish(self, head, status):
        text, _ = head.communicate(timeout=240)
        self.assertEqual(head.returncode, status, text)
        self.seconds = time.time() - self.began
        self.said = text
        return json.loads((self.out / "passport.json").read_text()) if (self.out / "passport.json").exists() else None

    def assert_named(self, fault, passport, *places):
        named = sorted({c["place"] for c in passport["culprits"]})
        TABLE.append((self.launcher, fault, ", ".join(named) or "nobody", named == sorted(places), self.seconds))
        self.assertEqual(named, sorted(places), json.dumps(passport["culprits"], indent=1) + self.said)

    def assert_nothing_left(self):
        def left():
            found = []
            for host in ["ctl", *NAMES]:
                found += [(host, p, pathlib.Path(f"/proc/{p}/cmdline").read_bytes())
                          for p in processes(host, r"accept-lab|orted|accept-program|mpirun")]
                # A step that Slurm had to kill may lose its PMIx folder: Slurm's own, not ours.
                found += [(host, str(f)) for f in (STATE / f"tmp-{host}").iterdir()
                          if f.name != PROGRAM.name and not f.name.startswith("spmix_appdir_")]
            found += [("job", j) for j in hosts("run", "ctl", "squeue", "-h", "-o", "%i %N").stdout.splitlines()]
            return found
        end = time.time() + 45
        while left() and time.time() < end:
            time.sleep(0.2)
        kept = left()
        for thing in kept:  # each test answers for itself alone
            if str(thing[1]).startswith(str(STATE)):
                shutil.rmtree(thing[1], ignore_errors=True)
        self.assertEqual(kept, [])

    def heal(self, host):
        hosts("heal", host)
        if self.launcher == "slurm":  # Slurm asks a node it has lost only every few minutes
            for state in ("DOWN", "RESUME"):
                hosts("run", "ctl", "scontrol", "update", f"NodeName={host}", f"State={state}", "Reason=cut")

    def trouble_of(self, passport, place):
        return {c["place"]: c["trouble"] for c in passport["culprits"]}[place]

    def while_running(self, tests, fault, status=2):
        """Starts a run, makes a fault once the world is at work, and sees the run end."""
        head = self.start(*self.chosen(*tests))
        wait_for(lambda: all(workers(h, world=True) for h in NAMES) or head.poll() is not None, 60, "a world")
        time.sleep(1.5)
        fault()
        return self.finish(head, status)

    # -- the healthy cluster -------------------------------------------------------------------------------------------
    def test_healthy_nodes_pairs_and_the_cluster_again_and_again(self):
        for i in range(int(os.environ.get("ACCEPT_LAB_REPEAT", "4"))):
            self.out = self.folder / f"run{i}"
            p = self.finish(self.start(*self.chosen("a_good_one", "pair_good")), 0)
            self.assertEqual(p["verdict"].split()[0], "ACCEPTED")
            self.assertEqual([n["name"] for n in p["nodes"]], NAMES)
            self.assertEqual([n["hostname"] for n in p["nodes"]], NAMES)
            self.assertEqual({n["condition"]["subnet"] for n in p["nodes"]}, {"10.90.0.0/24"})
            self.assertEqual(p["coverage"]["outcomes"], {"ok": 4 + 6})
            self.assertEqual(p["culprits"], [])
        self.assert_nothing_left()
        self.assert_named("none (healthy, the last of ten)", p)

    def test_the_real_program_between_hosts(self):
        head = self.start("--profile", "quick", "--suite", "interconnect", "--output", self.out, program="accept")
        p = self.finish(head, 0)
        self.assertEqual(set(p["coverage"]["outcomes"]), {"ok"})
        self.assertEqual(p["culprits"], [])
        self.assert_nothing_left()

    def test_worlds_of_mpich_too(self):
        if "accept_mpich.so" not in FILES or not shutil.which("mpiexec.hydra"):
            self.skipTest("MPICH is not installed")
        head = self.start(*self.chosen("pair_good", "cluster_long"), "--mpi", "mpich", "--profile", "quick")
        p = self.finish(head, 0)
        self.assertEqual(p["coverage"]["outcomes"], {"ok": 6 + 1})
        self.assertTrue(all(n["condition"]["mpi"].startswith("MPICH") for n in p["nodes"]), p["nodes"][0]["condition"])
        self.assert_nothing_left()

    # -- before the start ----------------------------------------------------------------------------------------------
    def test_port_cut_before_the_start(self):
        hosts("cut", "h3")
        self.addCleanup(self.heal, "h3")
        p = self.finish(self.start(*self.chosen("a_good_one", "pair_good")), 2)
        self.assert_named("port cut before the start", p, "h3")
        self.assertIn(self.trouble_of(p, "h3"), ("unreachable", "slow to answer"))
        self.assertEqual(p["coverage"]["outcomes"], {"ok": 3 + 3})
        self.heal("h3")
        self.assert_nothing_left()

    def test_program_missing_on_one_host(self):
        shutil.rmtree(seen_by("h2", PROGRAM))
        self.addCleanup(install, "h2")
        p = self.finish(self.start(*self.chosen("a_good_one", "pair_good")), 2)
        self.assert_named("program missing on one host", p, "h2")
        self.assertEqual(self.trouble_of(p, "h2"), "no such command")

    def test_another_build_on_one_host(self):
        with open(seen_by("h4", PROGRAM) / "accept_faulty", "ab") as f:
            f.write(b"another build")
        self.addCleanup(install, "h4")
        p = self.finish(self.start(*self.chosen("a_good_one", "pair_good")), 2)
        self.assert_named("another build on one host", p, "h4")
        self.assertEqual(self.trouble_of(p, "h4"), "another build")

    def test_clock_an_hour_off(self):
        library = STATE / "faked_clock.so"
        shutil.copy2(BUILT.parent / "lying/liblying_clock.so", library)
        here = seen_by("h3", PROGRAM)
        (here / "accept_faulty").rename(here / "real")
        (here / "accept_faulty").write_text(f'#!/bin/sh\nLD_PRELOAD={library} exec {PROGRAM}/real "$@"\n')
        (here / "accept_faulty").chmod(0o755)
        self.addCleanup(install, "h3")
        p = self.finish(self.start(*self.chosen("a_good_one", "pair_good")), 1)
        self.assert_named("clock an hour off", p, "h3")
        self.assertIn("fail: clock on h3", self.said.split("[")[0], "it must be said before anything is measured")

    # -- in the middle -------------------------------------------------------------------------------------------------
    def test_port_cut_in_the_middle_of_an_all_reduce(self):
        head = self.start("--profile", "quick", "--test", "interconnect.mpi_all_reduce", "--output", self.out,
                          program="accept")
        wait_for(lambda: all(workers(h, world=True) for h in NAMES), 60, "a world")
        time.sleep(1)
        hosts("cut", "h3")
        self.addCleanup(self.heal, "h3")
        p = self.finish(head, 2)
        self.assert_named("port cut in the middle of an all-reduce", p, "h3")
        self.assertTrue(any(f["measured"] and f["where"] == ["h1", "h2", "h4"] for f in p["findings"]),
                        "the others must be measured together")
        self.heal("h3")
        self.assert_nothing_left()

    def stop(self, host):
        for pid in workers(host, world=True):
            os.kill(pid, signal.SIGSTOP)
            self.addCleanup(subprocess.run, ["kill", "-KILL", str(pid)], capture_output=True)

    def test_process_stopped_in_a_pair(self):
        p = self.while_running(["pair_long"], lambda: self.stop("h2"))
        self.assert_named("process stopped in a pair", p, "h2")
        self.assertEqual(self.trouble_of(p, "h2"), "silent")
        self.assertEqual(p["coverage"]["outcomes"], {"ok": 5, "timed_out": 1}, "all other pairs are measured")
        self.assert_nothing_left()

    def test_process_stopped_in_a_collective(self):
        p = self.while_running(["cluster_long"], lambda: self.stop("h4"))
        self.assert_named("process stopped in a collective", p, "h4")
        self.assertEqual(self.trouble_of(p, "h4"), "silent")
        self.assert_nothing_left()

    def test_a_collective_that_hangs_is_narrowed_down(self):
        p = self.finish(self.start(*self.chosen("cluster_stuck")), 2)
        self.assert_named("collective hangs with one node, nobody to blame", p, "h3")
        self.assertIn("h3 is bad with partners that are good elsewhere, and the other 3 are good without",
                      p["culprits"][0]["reason"])
        self.assertEqual(p["collectives"][0]["found"], [{"kind": "nodes", "here": ["h3"], "there": []}])
        self.assert_nothing_left()

    def test_process_killed_in_a_collective(self):
        p = self.while_running(["cluster_long"], lambda: os.kill(workers("h2", world=True)[0], signal.SIGKILL))
        self.assert_named("process killed in a collective", p, "h2")
        self.assertEqual(self.trouble_of(p, "h2"), "died")
        self.assert_nothing_left()

    def test_two_faults_at_once(self):
        def fault():
            self.stop("h4")
            hosts("cut", "h2")
            self.addCleanup(self.heal, "h2")
        p = self.while_running(["cluster_long"], fault)
        self.assert_named("one host cut off and a process stopped on another", p, "h2", "h4")
        self.heal("h2")
        self.assert_nothing_left()

    def test_a_crashing_rank_is_named_with_its_host(self):
        head = self.start(*self.chosen("pair_crash"), "--exclude", "h[3-4]")
        p = self.finish(head, 2)
        self.assert_named("a rank that crashes in a pair", p, "h2")
        self.assertIn("Segmentation fault", p["culprits"][0]["reason"])

    def test_output_folder_full(self):
        where = self.folder / "small"
        where.mkdir()
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=250k", "tmpfs", where], check=True)
        self.addCleanup(subprocess.run, ["umount", where])
        self.out = where / "run"
        head = self.start(*self.chosen("many"))
        wait_for(lambda: (self.out / "records.jsonl").exists() and (self.out / "records.jsonl").stat().st_size > 0, 60,
                 "a record")
        # The head's mounts are its own: what is written here is seen there, the file system is the same.
        with open(where / "filler", "wb") as f:
            try:
                f.write(b"x" * 400_000)
            except OSError:
                pass
        text, _ = head.communicate(timeout=120)
        self.seconds = time.time() - self.began
        self.assertEqual(head.returncode, 70, text)
        self.assertIn("No space left on device", text)
        TABLE.append((self.launcher, "output folder full", "the folder", "records.jsonl" in text, self.seconds))
        self.assert_nothing_left()

    def test_head_killed_and_resumed(self):
        head = self.start(*self.chosen("a_good_one", "pair_long"))
        wait_for(lambda: all(workers(h, world=True) for h in NAMES), 60, "a world")
        time.sleep(3)
        self.stop("h3")  # what can't notice that its head is gone
        # The youngest: in an allocation of its own an older one stands between it and salloc.
        os.kill(max(processes("ctl", r"^\S*accept_faulty run")), signal.SIGKILL)
        head.communicate(timeout=60)
        self.assertNotIn(head.returncode, (0, 1, 2), "a killed head has no verdict")
        before = len((self.out / "records.jsonl").read_text().splitlines())
        self.began = time.time()
        resumed = subprocess.Popen([str(HOSTS), "run", "ctl", str(PROGRAM / "accept_faulty"), "run", "--resume", str(self.out)]
                                   if self.launcher == "ssh" else
                                   [str(HOSTS), "run", "ctl", "salloc", "-N4", "--no-kill", "-Q", str(PROGRAM / "accept_faulty"),
                                    "run", "--resume", str(self.out)],
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        p = self.finish(resumed, 0)
        ids = [json.loads(line)["id"] for line in (self.out / "records.jsonl").read_text().splitlines()
               if json.loads(line)["outcome"] == "ok"]
        self.assertEqual(len(ids), len(set(ids)), "none twice")
        self.assertEqual(p["coverage"]["outcomes"], {"ok": 10})
        self.assertGreater(before, 0)
        self.assert_named("head killed with -9, then resumed", p)
        self.assert_nothing_left()

    def test_ctrl_c_keeps_what_was_measured_and_leaves_nothing(self):
        head = self.start(*self.chosen("a_good_one", "pair_long"), start_new_session=True)
        wait_for(lambda: all(workers(h, world=True) for h in NAMES), 60, "a world")
        time.sleep(1)
        os.killpg(head.pid, signal.SIGINT)
        text, _ = head.communicate(timeout=60)
        self.assertIn("accept run --resume", text)
        self.assertTrue((self.out / "records.jsonl").read_text())
        self.assert_nothing_left()

    def test_a_stranger_on_the_heads_port(self):
        head = self.start(*self.chosen("node_long", "pair_good"))
        wait_for(lambda: all(workers(h) for h in NAMES), 60, "workers")
        port = wait_for(lambda: re.findall(r"10\.90\.0\.254:(\d+).*accept_faulty",
                                           hosts("run", "ctl", "ss", "-Hltnp").stdout), 20, "the head's port")[0]
        for word in ("GET / HTTP/1.1\\r\\n\\r\\n", "\\xff" * 40, ""):
            hosts("run", "h1", "bash", "-c", f"exec 3<>/dev/tcp/10.90.0.254/{port}; printf '{word}' >&3; sleep 0.3")
        p = self.finish(head, 0)
        self.assertIn("dropped a connection", (self.out / "logs/head.log").read_text())
        self.assert_named("a stranger connects to the head's port", p)

    # -- slowness: the slow one is named, and nobody else -----------------------------------------------------------------
    def test_a_slow_port_is_named(self):
        hosts("slow", "h3", "300mbit")
        self.addCleanup(hosts, "fast", "h3")
        # One pair at a time: two that wait for each other by asking need the cores to themselves.
        head = self.start("--exclude", "h4", "--profile", "quick", "--test", "interconnect.mpi_ping_pong",
                          "--output", self.out, program="accept")
        p = self.finish(head, 1)
        found = [f for f in p["findings"] if f["test"] == "machine.pairs" and f["verdict"] == "fail"]
        self.assertTrue(any("Measured again" in f["reason"] for f in found), found)
        self.assert_named("port capped at 300 Mbit/s", p, "h3")

    def test_a_throttled_cpu_is_named(self):
        if hosts("throttle", "h2", 20).returncode != 0:
            self.skipTest("control groups (version 1) can't be made here")
        self.addCleanup(hosts, "unthrottle", "h2")
        head = self.start("--exclude", "h4", "--profile", "quick", "--test", "compute.memory_bandwidth",
                          "--output", self.out, program="accept")
        text, _ = head.communicate(timeout=900)  # a fifth of a core has large arrays to fill, twice
        self.said, self.seconds = text, time.time() - self.began
        p = json.loads((self.out / "passport.json").read_text())
        self.assertEqual(p["verdict"], "REJECTED", text)
        self.assertTrue(any(f["test"] == "machine.fleet" and f["where"] == ["h2"] for f in p["findings"]), text)
        self.assertTrue(any(f["test"] == "machine.quota" and f["where"] == ["h2"] for f in p["findings"]), "and said")
        self.assert_named("CPU throttled to a fifth of a core", p, "h2")

    # -- getting there ---------------------------------------------------------------------------------------------------
    def test_push_brings_the_program_and_takes_it_away(self):
        for host in NAMES:
            shutil.rmtree(seen_by(host, PROGRAM))
            self.addCleanup(install, host)
        p = self.finish(self.start(*self.chosen("a_good_one", "pair_good"), "--push"), 0)
        self.assertEqual(p["coverage"]["outcomes"], {"ok": 4 + 6})
        self.assert_nothing_left()

    def test_a_launch_ended_by_force_does_not_take_the_pushed_program_along(self):
        for host in NAMES:
            shutil.rmtree(seen_by(host, PROGRAM))
            self.addCleanup(install, host)
        head = self.start(*self.chosen("cluster_long", "pair_good"), "--push")
        wait_for(lambda: all(workers(h, world=True) for h in NAMES), 60, "a world")
        time.sleep(1.5)
        wait_for(lambda: workers("h2", world=True), 10, "a worker")
        os.kill(workers("h2", world=True)[0], signal.SIGKILL)
        p = self.finish(head, 2)
        self.assert_named("process killed, the program pushed", p, "h2")
        self.assertEqual((p["coverage"]["pairs"]["measured"], p["coverage"]["pairs"]["possible"]), (6, 6))
        self.assert_nothing_left()

    def test_a_node_that_cant_reach_the_head_back_says_so_in_seconds(self):
        hosts("run", "ctl", "ip", "addr", "add", "10.91.0.1/32", "dev", "lo")
        self.addCleanup(hosts, "run", "ctl", "ip", "addr", "del", "10.91.0.1/32", "dev", "lo")
        head = self.start(*self.chosen("a_good_one"), "--head-address", "10.91.0.1")
        text, _ = head.communicate(timeout=100)
        self.assertEqual(head.returncode, 70, text)
        self.assertIn("can't connect back to the head at 10.91.0.1", text)
        self.assertLess(time.time() - self.began, 40)

    # -- what was promised ---------------------------------------------------------------------------------------------
    def init(self, *more):
        file = self.folder / "cluster.yaml"
        done = hosts("run", "ctl", PROGRAM / "accept", "init", *self.words, "--output", file, *more)
        self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
        # These hosts are as they should be; what this machine is busy with is another matter.
        self.assertNotRegex(done.stdout.split(" group(s)\n")[1], r"(?m)^(fail|remark):")
        return file, done.stdout

    def test_what_init_drafts_is_taken_unchanged(self):
        file, _ = self.init()
        text = file.read_text()
        self.assertRegex(text, r"(?m)^    nodes: h\[1-4\]$")
        self.assertIn("control: {device: eth0}", text)
        self.assertIn(f"kind: {self.launcher}", text)
        p = self.finish(self.start(*self.chosen("a_good_one", "pair_good"), "--topology", file), 0)
        self.assertEqual(p["verdict"].split()[0], "ACCEPTED")
        self.assertEqual([(g["name"], g["count"]) for g in p["cluster"]["promised"]["groups"]], [("nodes", 4)])
        self.assertEqual([f for f in p["findings"] if f["test"] in ("machine.drift", "machine.coverage", "rule.build")], [])
        self.assertEqual((self.out / "cluster.yaml").read_text(), text)
        # One host has less than was promised: it alone is named.
        file.write_text(text.replace("nodes: h[1-4]\n", "nodes: h[1-3]\n")
                        .replace("groups:\n", "groups:\n  other: {nodes: h4, memory: 100 TB}\n"))
        shutil.rmtree(self.out)
        p = self.finish(self.start(*self.chosen("a_good_one"), "--topology", file), 1)
        self.assert_named("less memory than promised", p, "h4")

    def test_plan_shows_the_way(self):
        words = [w for w in self.words]
        result = hosts("run", "ctl", PROGRAM / "accept", "plan", *words, "--profile", "quick")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("10.90.0.254 (br0, 10.90.0.0/24)", result.stdout)


class OverSsh(Cluster, unittest.TestCase):
    launcher = "ssh"
    words = ["--launcher", "ssh", "--nodes", "h[1-4]", "--ssh-config", str(SSH_CONFIG)]

    def test_a_host_whose_ssh_refuses(self):
        hosts("sshd", "h2", "stop")
        self.addCleanup(hosts, "sshd", "h2", "start")
        p = self.finish(self.start(*self.chosen("a_good_one", "pair_good")), 2)
        self.assert_named("sshd refuses one host", p, "h2")
        self.assertEqual(self.trouble_of(p, "h2"), "ssh refused")
        self.assertIn("Connection refused", p["culprits"][0]["reason"])
        self.assertEqual([n["name"] for n in p["nodes"]], ["h1", "h3", "h4"])
        # Mended, and resumed: the host takes part after all.
        hosts("sshd", "h2", "start")
        self.began = time.time()
        head = subprocess.Popen([str(HOSTS), "run", "ctl", str(PROGRAM / "accept_faulty"), "run", "--resume", str(self.out)],
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        p = self.finish(head, 0)
        self.assertEqual(p["coverage"]["outcomes"], {"ok": 4 + 6})


    def test_a_host_that_does_not_answer_is_promised_all_the_same(self):
        hosts("sshd", "h3", "stop")
        self.addCleanup(hosts, "sshd", "h3", "start")
        file, said = self.init()
        self.assertIn("not answered: h3", said)
        self.assertRegex(file.read_text(), r"nodes: h\[1-4\]  # guess: h3 did not answer")


class OverSlurm(Cluster, unittest.TestCase):
    launcher = "slurm"
    words = ["--nodes", "all"]

    def test_drained_is_left_alone_and_listed(self):
        hosts("run", "ctl", "scontrol", "update", "NodeName=h3", "State=DRAIN", "Reason=fan")
        p = self.finish(self.start(*self.chosen("a_good_one", "pair_good")), 2)
        self.assert_named("host drained in Slurm", p, "h3")
        self.assertEqual(self.trouble_of(p, "h3"), "left alone")
        self.assertIn("drained (fan)", p["culprits"][0]["reason"])
        self.assertEqual(p["coverage"]["outcomes"], {"ok": 3 + 3})

    def resume(self, nodes):
        self.began = time.time()
        return subprocess.Popen([str(HOSTS), "run", "ctl", "salloc", "-N", str(nodes), "--no-kill", "-Q",
                                 str(PROGRAM / "accept_faulty"), "run", "--resume", str(self.out)],
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def test_a_host_drained_before_a_resume_is_left_alone_and_taken_back_when_it_returns(self):
        head = self.start(*self.chosen("a_good_one", "pair_long"))
        wait_for(lambda: all(workers(h, world=True) for h in NAMES), 60, "a world")
        os.kill(max(processes("ctl", r"^\S*accept_faulty run")), signal.SIGKILL)
        head.communicate(timeout=60)
        self.wait_until_idle()
        hosts("run", "ctl", "scontrol", "update", "NodeName=h3", "State=DRAIN", "Reason=fan")
        p = self.finish(self.resume(3), 2)
        self.assert_named("host drained before a resume", p, "h3")
        self.assertEqual(p["coverage"]["pairs"]["measured"], 3)
        self.wait_until_idle()
        p = self.finish(self.resume(4), 0)
        self.assertEqual(p["coverage"]["outcomes"], {"ok": 4 + 6})
        self.assertEqual(p["culprits"], [])

    def test_draining_inside_an_allocation_only_when_told(self):
        script = self.folder / "job"
        for flag, ok in (("", {"ok": 3 + 3}), ("--include-drained", {"ok": 4 + 6})):
            out = self.folder / f"run{flag}"
            script.write_text("#!/bin/sh\nscontrol update NodeName=h3 State=DRAIN Reason=fan\n"
                              f"{PROGRAM}/accept_faulty run --nodes all --test faulty.a_good_one --test faulty.pair_good "
                              f"--output {out} {flag}\ntrue\n")
            script.chmod(0o755)
            hosts("run", "ctl", "salloc", "-N4", "--no-kill", "-Q", script)
            self.wait_until_idle()
            p = json.loads((out / "passport.json").read_text())
            self.assertEqual(p["coverage"]["outcomes"], ok)

    def test_the_sbatch_example_of_the_guide(self):
        text = (SOURCE / "docs/operating.md").read_text()
        script = re.search(r"```bash\n(#!/bin/bash\n#SBATCH.*?)```", text, re.S).group(1)
        script = script.replace("/opt/accept/accept", str(PROGRAM / "accept_faulty --test".split()[0]))
        script = script.replace("--profile standard", "--test faulty.a_good_one --test faulty.pair_good")
        file = self.folder / "job.sh"
        file.write_text(script.replace("$HOME", str(self.folder)))
        done = hosts("run", "ctl", "sbatch", "--wait", "-N4", "--chdir", self.folder, file)
        self.assertEqual(done.returncode, 0, done.stderr + "".join(f.read_text() for f in self.folder.glob("*.out")))
        passports = list(self.folder.rglob("passport.json"))
        self.assertEqual(len(passports), 1)
        self.assertEqual(json.loads(passports[0].read_text())["coverage"]["outcomes"], {"ok": 4 + 6})

    def test_an_unreachable_scheduler_is_one_clear_line(self):
        conf = STATE / "slurm/slurm.conf"
        text = conf.read_text()
        conf.write_text(text.replace("ctl(10.90.0.254)", "ctl(10.90.0.253)") + "SlurmctldTimeout=10\nMessageTimeout=3\n")
        self.addCleanup(conf.write_text, text)
        result = hosts("run", "ctl", PROGRAM / "accept_faulty", "run", *self.words, *self.chosen("a_good_one"))
        self.assertEqual(result.returncode, 64, result.stdout + result.stderr)
        self.assertIn("Slurm doesn't answer", result.stderr)
        self.assertEqual(result.stderr.count("\n"), 1)


if __name__ == "__main__":
    unittest.main()
