"""Every header compiles alone. Usage: headers_test.py SOURCE compile_commands.json"""
import concurrent.futures
import json
import os
import pathlib
import shlex
import subprocess
import sys

source = pathlib.Path(sys.argv[1])
commands = {pathlib.Path(c["file"]).name: c["command"] for c in json.loads(pathlib.Path(sys.argv[2]).read_text())}
# Any file of the runner is compiled with every include path there is.
words = shlex.split(commands["main.cpp"])
start = next(i for i, w in enumerate(words) if w.endswith(("c++", "g++", "clang++")) or "c++" in pathlib.Path(w).name)
compiler = words[start]
flags = [w for i, w in enumerate(words) if w.startswith(("-I", "-D", "-std=")) or words[i - 1] == "-isystem" or w == "-isystem"]


def compile_alone(header):
    result = subprocess.run([compiler, *flags, "-fsyntax-only", "-x", "c++", str(header)], capture_output=True, text=True)
    return "" if result.returncode == 0 else f"{header}\n{result.stderr[:2000]}"


headers = [h for top in ("suites", "reports", "runner") for h in sorted((source / top).rglob("*.h"))]
assert len(headers) > 20
with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
    bad = [b for b in pool.map(compile_alone, headers) if b]
print("\n".join(bad) or f"{len(headers)} headers compile alone")
sys.exit(bool(bad))
