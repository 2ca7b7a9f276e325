"""The layers hold, and what only one file may do only that file does. Usage: layering_test.py SOURCE"""
import pathlib
import re
import sys

source = pathlib.Path(sys.argv[1])

# What each folder may include, besides itself and outside libraries.
allowed = {
    "suites/core": [],
    "suites/vendor": ["suites/core"],
    "suites/inventory": ["suites/core", "suites/vendor"],
    "suites/compute": ["suites/core", "suites/vendor", "suites/inventory"],
    "suites/interconnect": ["suites/core", "suites/vendor", "suites/inventory"],
    "suites/storage": ["suites/core", "suites/vendor", "suites/inventory"],
    "reports": ["suites/core"],
    "runner": ["suites/core", "suites/vendor", "suites/inventory", "reports"],
    "runner/plan": ["suites/core"],
}

# pattern -> the only files (or folders) where it may occur
only_in = {
    r"\bdlopen\s*\(": ["suites/vendor/library.cpp"],
    r"#include <mpi\.h>": ["suites/vendor/mpi/module.cpp"],
    r"\b(posix_spawnp?|fork|vfork|execv\w*|popen|system)\s*\(": ["runner/launch/process.cpp"],
    r"#include <benchmark/benchmark\.h>": ["suites/compute/host_kernel.cpp"],
    r"#include <hwloc\.h>": ["suites/inventory/processor.cpp"],
    r"#include <yaml-cpp/": ["reports/yaml.cpp"],
    r"#include <(CLI/CLI)\.hpp>": ["runner/cli/"],
    r"(fmt::print\(|\bprintf\s*\(|\bputs\s*\(|std::cout|std::cerr)": ["runner/cli/"],
    r"(?<![.\w])(exit|abort|quick_exit)\s*\(": [],
    r"\b_exit\s*\(": ["runner/worker/link.cpp"],
}


def layer_of(path):
    return max((layer for layer in allowed if path.startswith(layer + "/")), key=len, default=None)


def without_comments(text):
    return re.sub(r"//[^\n]*", "", re.sub(r'"(\\.|[^"\\\n])*"', lambda m: m.group(0) if "/" in m.group(0) else '""', text))


def complaints_about(path, text):
    layer = layer_of(path)
    if layer is None:
        yield f"{path}: belongs to no layer"
        return
    for included in re.findall(r'#include "([^"]+)"', text):
        target = layer_of(included)
        if target != layer and target not in allowed[layer] and not (
                layer == "runner" and target == "runner/plan"):
            yield f"{path}: {layer} must not include {included}"
    code = without_comments(text)
    for pattern, places in only_in.items():
        if re.search(pattern, code) and not any(path == p or (p.endswith("/") and path.startswith(p)) for p in places):
            yield f"{path}: {pattern} belongs into {places or 'no file'}"
    if path.startswith("runner/") and re.search(r'"(compute|interconnect|storage)\.\w+"', re.sub(r"//[^\n]*", "", text)):
        yield f"{path}: the runner names a test"


def files():
    for top in ("suites", "reports", "runner"):
        for file in sorted((source / top).rglob("*")):
            if file.suffix in (".cpp", ".h", ".cu"):
                yield str(file.relative_to(source)), file.read_text()


# The rules must be able to say no.
must_complain = [
    ("suites/core/x.cpp", '#include "suites/vendor/blas.h"'),
    ("suites/compute/x.cpp", '#include "suites/storage/shard.h"'),
    ("reports/x.cpp", '#include "runner/session.h"'),
    ("reports/x.cpp", '#include "suites/inventory/probe.h"'),
    ("runner/plan/x.cpp", '#include "runner/launch/head.h"'),
    ("suites/compute/x.cpp", "dlopen(name, 0);"),
    ("suites/compute/x.cpp", 'fmt::print("x");'),
    ("runner/launch/x.cpp", "popen(line);"),
    ("runner/plan/x.cpp", 'if (name == "compute.cpu_gemm")'),
    ("elsewhere/x.cpp", ""),
]
for path, text in must_complain:
    assert list(complaints_about(path, text)), f"no complaint about {path}: {text}"

found = [c for path, text in files() for c in complaints_about(path, text)]
assert len(list(files())) > 50, "hardly any source was found"
print("\n".join(found) or "the layers hold")
sys.exit(bool(found))
