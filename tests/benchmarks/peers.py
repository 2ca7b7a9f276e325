"""Ours beside the reference tools, alternating in one run: pairs, the first dropped, median of the ratios.
Usage: peers.py ACCEPT [--pairs 15] [--only hpcc,pingpong,write]     Prints; judges nothing.
Needs hpcc, netpipe-openmpi and fio (Debian packages)."""
import argparse
import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import tempfile

parser = argparse.ArgumentParser()
parser.add_argument("accept")
parser.add_argument("--pairs", type=int, default=15)
parser.add_argument("--only", default="hpcc,pingpong,write")
options = parser.parse_args()
accept = str(pathlib.Path(options.accept).resolve())
work = pathlib.Path(tempfile.mkdtemp(prefix="accept-peers-", dir="."))
root_mpi = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
cores = len(os.sched_getaffinity(0))


def run(words, **more):
    return subprocess.run(list(map(str, words)), check=True, capture_output=True, text=True, **more).stdout


def measure(test, *settings):
    """The one record of a measurement by hand."""
    folder = work / "ours"
    shutil.rmtree(folder, ignore_errors=True)
    run([accept, "measure", test, *settings, "--output", folder])
    return json.loads((folder / "records.jsonl").read_text().splitlines()[0])


def samples(record, metric):
    return next(m["samples"] for m in record["measurements"] if m["metric"] == metric)


def median(record, metric):
    """Measurements at hand never have more samples than are kept as they are, except very short ones."""
    s = samples(record, metric)
    return statistics.median(s["raw"]) if "raw" in s else s["mean"]


def observation(record, name):
    return next(o["value"] for o in record["observations"] if o["name"] == name)


def alternate(titles, ours, theirs, better):
    """One line per title: medians of both, and the median and range of the ratios of the pairs. `ours` and `theirs`
    return a figure per title."""
    pairs = []
    for i in range(options.pairs):
        # Who goes first changes, so that a drifting machine favours neither.
        if i % 2 == 0:
            one, two = ours(), theirs()
        else:
            two, one = theirs(), ours()
        pairs.append((one, two))
    for k, title in enumerate(titles):
        figures = [(a[k], b[k]) for a, b in pairs[1:]]
        ratios = sorted(a / b for a, b in figures)
        print(f"{title:<62} {statistics.median(a for a, _ in figures):>10.4g} {statistics.median(b for _, b in figures):>10.4g}"
              f"  ratio {statistics.median(ratios):.3f}  ({ratios[0]:.3f} to {ratios[-1]:.3f}, {len(ratios)} pairs, {better} is better)",
              flush=True)


def hpcc():
    """Figures of one run of HPC Challenge with one rank per core, each with one BLAS thread."""
    folder = work / "hpcc"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    text = pathlib.Path("/usr/share/doc/hpcc/examples/_hpccinf.txt").read_text()
    changes = {"Ns": "7000", "NBs": "128", "Ps": "1", "Qs": str(cores)}
    for key, value in changes.items():
        text = re.sub(rf"^\S+(\s+{key}\b)", rf"{value}\1", text, flags=re.M)
    (folder / "hpccinf.txt").write_text(text)
    run(["mpirun", "-n", cores, "--bind-to", "core", "hpcc"], cwd=folder,
        env={**root_mpi, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"})
    return dict(re.findall(r"^(\w+)=([-\d.e+]+)$", (folder / "hpccoutf.txt").read_text(), re.M))


def netpipe(message):
    """Half round trip in seconds: the best of NetPIPE's trials."""
    run(["mpirun", "-n", 2, "--bind-to", "core", "NPopenmpi", "-l", message, "-u", message, "-p", 0, "-o", work / "np.out"],
        env=root_mpi)
    return float((work / "np.out").read_text().split()[2])


def fio(size):
    """B/s of the same writes with one fsync at the end, into a fresh file."""
    out = run(["fio", "--name=peer", f"--filename={work}/fio.bin", "--rw=write", "--bs=4M", f"--size={size}",
               "--ioengine=psync", "--end_fsync=1", "--unlink=1", "--fallocate=none", "--output-format=json"])
    return json.loads(out)["jobs"][0]["write"]["bw_bytes"]


wanted = options.only.split(",")
try:
    print(f"{'':<62} {'ours':>10} {'reference':>10}")
    if "hpcc" in wanted:

        def our_host():
            return (median(measure("compute.memory_bandwidth", "kernel=triad"), "rate"),
                    median(measure("compute.cpu_gemm", "precision=fp64", "threads=all", "base_order=2268"), "rate"),
                    median(measure("compute.cpu_gemm", "precision=fp64", "threads=one", "base_order=2857"), "rate"))

        def their_host():
            figures = hpcc()
            return (float(figures["StarSTREAM_Triad"]) * 1e9 * cores, float(figures["StarDGEMM_Gflops"]) * 1e9 * cores,
                    float(figures["SingleDGEMM_Gflops"]) * 1e9)

        alternate(["STREAM triad, all cores (B/s), hpcc StarSTREAM", "DGEMM, all cores (FLOP/s), hpcc StarDGEMM",
                   "DGEMM, one core (FLOP/s), hpcc SingleDGEMM"],
                  our_host, their_host, "higher")
    if "pingpong" in wanted:
        for message in (8, 65536, 4 << 20):
            alternate([f"MPI half round trip {message} B (s), best of NetPIPE's and our samples"],
                      lambda m=message: (samples(measure("interconnect.mpi_ping_pong", f"message={m}"), "latency")["min"],),
                      lambda m=message: (netpipe(m),), "lower")
    if "write" in wanted:
        size = 256 << 20

        def written():
            record = measure("storage.checkpoint_save", f"shard={size}", "--target", str(work))
            return (size / (observation(record, "time in write (median)") + observation(record, "time in fsync (median)")),)

        alternate(["checkpoint write and fsync (B/s), fio with the same writes"], written, lambda: (fio(size),), "higher")
finally:
    shutil.rmtree(work, ignore_errors=True)
