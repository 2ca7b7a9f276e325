"""How long a person waits for `accept --help` and `accept list`. Usage: startup.py ACCEPT     Prints; judges nothing."""
import statistics
import subprocess
import sys
import time

for words in (["--help"], ["list"], ["list", "compute.cpu_gemm"]):
    times = []
    for _ in range(40):
        begin = time.perf_counter()
        subprocess.run([sys.argv[1], *words], check=True, stdout=subprocess.DEVNULL)
        times.append(time.perf_counter() - begin)
    print(f"accept {' '.join(words):<24} median {statistics.median(times) * 1e3:.1f} ms, most {max(times) * 1e3:.1f} ms (aim 20 ms)")
