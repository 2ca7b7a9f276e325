"""Hosts of our own on one machine: namespaces with their own sshd (tests/lab/hosts). Skips, by name, where namespaces
are forbidden or a needed program is missing."""
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

# The hosts have a /tmp of their own each, and see the rest of this machine's files: the program is put where they see it.
BIN = pathlib.Path(tempfile.mkdtemp(prefix="accept-lab-bin-", dir="/var/tmp"))
SOURCE = pathlib.Path(os.environ["ACCEPT_SOURCE"])
HOSTS = SOURCE / "tests/lab/hosts"
FAULTY = BIN / "accept_faulty"
NAMES = ["h1", "h2", "h3", "h4"]


def hosts(*words, **more):
    return subprocess.run([str(HOSTS), *map(str, words)], capture_output=True, text=True, timeout=300, **more)


def setUpModule():
    unittest.addModuleCleanup(shutil.rmtree, BIN, ignore_errors=True)
    for file in ("accept", "accept_faulty", "accept_openmpi.so"):
        shutil.copy2(pathlib.Path(os.environ["ACCEPT_BIN"]) / file, BIN)
    for program in ("ip", "sshd", "ssh-keygen", "nsenter", "mpirun"):
        if not shutil.which(program, path=os.environ["PATH"] + ":/usr/sbin:/sbin"):
            raise unittest.SkipTest(f"the lab needs {program}")
    if os.geteuid() != 0:
        raise unittest.SkipTest("the lab needs root to make namespaces")
    hosts("down")
    up = hosts("up", len(NAMES))
    if up.returncode != 0:
        hosts("down")
        raise unittest.SkipTest(f"namespaces are not allowed here: {up.stderr.strip()[-200:]}")
    unittest.addModuleCleanup(hosts, "down")


class OverSsh(unittest.TestCase):
    def setUp(self):
        # Not under /tmp: every host has one of its own.
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="accept-lab-", dir="/var/tmp"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.out = self.folder / "run"

    def run_faulty(self, *tests, nodes="h[1-4]", status=0):
        words = [w for t in tests for w in ("--test", f"faulty.{t}")]
        result = hosts("run", "ctl", FAULTY, "run", "--nodes", nodes, "--ssh-config", "/var/tmp/hosts-lab/ssh_config",
                       "--output", self.out, *words)
        self.assertEqual(result.returncode, status, result.stdout + result.stderr)
        return json.loads((self.out / "passport.json").read_text())

    def assert_blamed(self, passport, *places):
        self.assertEqual(sorted({c["place"] for c in passport["culprits"]}), sorted(places))

    def test_nodes_pairs_and_the_cluster_over_ssh(self):
        p = self.run_faulty("a_good_one", "pair_good")
        self.assertEqual(p["verdict"].split()[0], "ACCEPTED")
        self.assertEqual([n["name"] for n in p["nodes"]], NAMES)
        self.assertEqual([n["hostname"] for n in p["nodes"]], NAMES)
        self.assertEqual(p["coverage"]["outcomes"], {"ok": 4 + 6})
        self.assert_blamed(p)

    def test_real_mpi_between_hosts(self):
        result = hosts("run", "ctl", BIN / "accept", "run", "--nodes", "h[1-3]", "--ssh-config",
                       "/var/tmp/hosts-lab/ssh_config", "--profile", "quick", "--suite", "interconnect", "--output", self.out)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        p = json.loads((self.out / "passport.json").read_text())
        self.assertEqual(set(p["coverage"]["outcomes"]), {"ok"})

    def test_a_host_whose_ssh_refuses_is_named_and_the_rest_is_measured(self):
        pid = int(pathlib.Path("/var/tmp/hosts-lab/sshd2.pid").read_text())
        os.kill(pid, 15)
        self.addCleanup(hosts, "run", "h2", "/usr/sbin/sshd", "-h", "/var/tmp/hosts-lab/hostkey", "-o",
                        "AuthorizedKeysFile=/var/tmp/hosts-lab/authorized", "-o", "StrictModes=no", "-o", "UsePAM=no", "-o",
                        "PermitRootLogin=yes", "-o", "PidFile=/var/tmp/hosts-lab/sshd2.pid")
        p = self.run_faulty("a_good_one", "pair_good", status=2)
        self.assertEqual(p["verdict"], "INCOMPLETE")
        self.assert_blamed(p, "h2")
        self.assertIn("Connection refused", p["culprits"][0]["reason"])
        self.assertEqual([n["name"] for n in p["nodes"]], ["h1", "h3", "h4"])

    def test_a_host_that_is_cut_off_is_named_within_seconds(self):
        hosts("cut", "h3")
        self.addCleanup(hosts, "heal", "h3")
        p = self.run_faulty("a_good_one", status=2)
        self.assert_blamed(p, "h3")
        self.assertLess(p["coverage"]["seconds"], 40)

    def test_a_crashing_rank_is_named_with_its_host(self):
        p = self.run_faulty("pair_crash", nodes="h[1-2]", status=2)
        self.assert_blamed(p, "h2 rank 1")
        self.assertIn("Segmentation fault", p["culprits"][0]["reason"])


if __name__ == "__main__":
    unittest.main()
