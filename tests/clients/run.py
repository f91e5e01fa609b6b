"""Runs programs that other people wrote for OpenCL on the platform Lockstep of a build, and prints a table of verdicts.

    /usr/bin/python3 tests/clients/run.py [--build build/release] [--jobs N] [--check[=KINDS]] [CLIENT...]

Runs the clients that are named, else all but piglit, chipstar and those of opencl_sources.py and sycl_sources.py. Each client
checks its own results, or a program of ours in this folder compares them with the host. `make clients` installs them first
(scripts/install_dependencies.sh --clients). The last line sums up: `N passed, N failed`; exit code 1 if anything failed. What
a client printed is in <build>/clients/<client>.log, with the kinds that were looked for behind the client's name.

pyopencl's tests are among the examples of Debian's package of its documentation, which is unpacked, not installed, since
systems may be set up to leave documentation out. PYOPENCL_TESTS may name the folder `test` of its sources instead, of the
version that is installed.

With `--check` all of them run under `lockstep check`, for KINDS (what `--only` takes) or races and barriers. Findings that are
true are in known_findings/<library>.txt beside this file, with the reason; any other is printed and fails the run. They are in
<build>/clients/<client>.KINDS.findings, one in a line. Lines of known findings of these kinds that nothing was met of are told.

Not a part of `make test`: these are 350 MB of packages more and some minutes. What they have found has a test of its own
in tests/programs.
"""

import argparse
import collections
import concurrent.futures
import dataclasses
import hashlib
import hmac
import itertools
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree
import zlib

import chipstar
import opencl_applications
import opencl_sources
import sycl_sources

ROOT = pathlib.Path(__file__).resolve().parents[2]
KNOWN_FINDINGS = pathlib.Path(__file__).resolve().parent / "known_findings"
KINDS = ("races", "barriers", "commands", "memory", "undefined", "strict")
KIND_OF = {"race": "races", "async-copy": "races", "divergence": "barriers", "deadlock": "barriers", "commands": "commands",
           "out-of-bounds": "memory", "use-after-release": "memory", "undefined": "undefined"}  # of findings
PYTHON = "/usr/bin/python3"  # Debian's, which has Debian's pyopencl and OpenMM


@dataclasses.dataclass
class Verdict:
    passed: int = 0
    failed: int = 0
    note: str = ""  # why something is missing or wrong


def known_findings_of(client):
    return KNOWN_FINDINGS / f"{client.removesuffix('_client')}.txt"  # of its library


class Runner:
    """Runs commands for one client: on this build, with caches of its own and an end."""

    def __init__(self, name, build, kinds=None):
        self.name, self.build = name, build
        called = f"{name}.{kinds}" if kinds else name  # so that runs with other kinds disturb nothing
        self.folder = build / "clients" / called
        shutil.rmtree(self.folder, ignore_errors=True)
        (self.folder / "home").mkdir(parents=True)
        self.log = build / "clients" / f"{called}.log"
        self.log.write_text("")
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith("LOCKSTEP_")}
        self.environment.update(
            LOCKSTEP_NVIDIA="0", OCL_ICD_VENDORS=str(build / "vendors"), HOME=str(self.folder / "home"),
            XDG_CACHE_HOME=str(self.folder / "home"), XDG_DATA_HOME=str(self.folder / "home"), PYOPENCL_NO_CACHE="1",
            PYOPENCL_TEST="Lockstep", PYOPENCL_COMPILER_OUTPUT="0", OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
        self.findings = build / "clients" / f"{called}.findings"
        self.findings.unlink(missing_ok=True)
        if kinds:
            self.environment.update(LOCKSTEP_CHECK=kinds, LOCKSTEP_CHECK_JSON=str(self.findings))
        self.known = known_findings_of(name)
        self.kinds = kinds.split(",") if kinds and self.known.exists() else []
        if self.kinds:
            self.environment.update(LOCKSTEP_CHECK_SUPPRESS=str(self.known))

    def what_was_found(self):
        """A line for each finding that is not known."""
        lines = self.findings.read_text().splitlines() if self.findings.exists() else []
        found = [finding for finding in map(json.loads, lines) if finding.get("kind") and not finding["note"]]
        return [f"{finding['kind']} in '{finding['kernel']}': {finding['headline']}: " +
                ", ".join(f"{place['file']}:{place['line']}" for place in finding["places"]) for finding in found]

    def what_was_not_met(self):
        """Each known finding, of the kinds that were looked for, of which every process has said that it met none: file, line,
        text."""
        log = self.log.read_text() if self.kinds else ""
        processes = len(re.findall(r"lockstep check: (?:nothing|\d+ findings?)\b", log))
        told = re.findall(r"lockstep check: line (\d+) of the suppressions has suppressed nothing", log)
        lines = enumerate(self.known.read_text().splitlines() if self.kinds else [], 1)
        return [(self.known.name, number, line) for number, line in lines
                if KIND_OF.get(line.split(" ")[0]) in self.kinds and told.count(str(number)) == processes]

    def run(self, command, seconds=1200, folder=None):
        """Exit code and output; a command that takes too long has the exit code 124. `seconds` are those of the processors,
        so that a busy machine ends nobody early; who waits instead of working is ended after five times as long."""
        command = [str(word) for word in command]
        limited = ["prlimit", f"--cpu={seconds}:{seconds + 60}", *command]
        try:
            done = subprocess.run(limited, env=self.environment, cwd=folder or self.folder, timeout=5 * seconds,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            code, output = done.returncode, done.stdout.decode(errors="replace")
            code = 124 if code == -signal.SIGXCPU else code
        except subprocess.TimeoutExpired as late:
            code, output = 124, (late.stdout or b"").decode(errors="replace")
        with self.log.open("a") as log:
            log.write(f"$ {' '.join(command)}\n{output}\n(exit code {code})\n")
        return code, output


def installed(*programs):
    missing = [program for program in programs if not shutil.which(program)]
    return f"not installed: {' '.join(missing)}" if missing else ""


def program_of_ours(runner):
    """Its last line counts its verdicts."""
    program = runner.build / "bin" / f"{runner.name}_client"
    if not program.exists():
        return Verdict(note="not built: its library is not installed")
    code, output = runner.run([program], seconds=3000)
    counts = re.search(r"^(\d+) passed, (\d+) failed$", output, re.M)
    if not counts:
        return Verdict(failed=1, note=f"exit code {code}")
    wrong = re.findall(r"^FAILED (.*)$", output, re.M)
    return Verdict(int(counts.group(1)), int(counts.group(2)), "; ".join(wrong[:3]))


def one_of_each(runner, checks):
    """`checks`: name, command, what says that its exit code and output are right."""
    verdict, wrong = Verdict(), []
    for name, command, is_right in checks:
        code, output = runner.run(command)
        if is_right(code, output):
            verdict.passed += 1
        else:
            verdict.failed += 1
            wrong.append(f"{name} (exit code {code})")
    verdict.note = "; ".join(wrong)
    return verdict


# Of CLBlast 1.5.3, not of the platform: the kernels of batches read factors as float where the host wrote half, and the
# reference of iHAMAX turns an index into a half. (Ours are right: tests/programs/half_*_test.cpp, and the other half routines.)
CLBLAST_FAULTS = {"HAXPYBATCHED", "HGEMMBATCHED", "iHAMAX"}


def clblast(runner):
    """Each tester compares its routine, in all layouts and precisions, with the reference BLAS."""
    testers = sorted(pathlib.Path("/usr/bin").glob("clblast_test_*"))
    verdict, wrong = Verdict(note="" if testers else "not installed: clblast-tests"), []
    for tester in testers:
        code, output = runner.run([tester, "-platform", 0, "-device", 0], seconds=10800)  # minutes, for most
        ended = "Completed all test-cases" in output
        routines = re.split(r"Starting tests for the \S*?'(\w+)'", output)  # what comes before, then name and output of each
        counts = [0, 0]
        for name, text in zip(routines[1::2], routines[2::2]):
            for i, what in enumerate(("passed", "failed")):
                if name not in CLBLAST_FAULTS or what == "passed":
                    counts[i] += sum(map(int, re.findall(rf"(\d+) test\(s\) {what}", text)))
        not_ours = any(name in CLBLAST_FAULTS for name in routines[1::2])
        verdict.passed += counts[0]
        verdict.failed += counts[1]
        if not ended or (code and not not_ours) or counts[1] or not counts[0]:
            verdict.failed += 0 if counts[1] else 1
            wrong.append(f"{tester.name} (exit code {code})")
    verdict.note = verdict.note or "; ".join(wrong)
    return verdict


def clfft_client(runner):
    """clFFT's own client looks whether the transform of ones is an impulse."""
    if note := installed("clFFT-client"):
        return Verdict(note=note)
    shapes = [["-x", n] for n in (64, 1000, 4096, 65536)] + [["-x", 64, "-y", 32], ["-x", 16, "-y", 12, "-z", 20]]
    kinds = [[], ["-o"], ["--double"], ["--inv"], ["--inLayout", 2, "--outLayout", 2], ["-b", 7]]
    return one_of_each(runner, [
        (" ".join(map(str, shape + kind)), ["clFFT-client", "-c", *shape, *kind],
         lambda code, output: code == 0 and "PASS" in output and "FAIL" not in output)
        for shape in shapes for kind in kinds])


def clpeak(runner):
    """It verifies nothing; that every figure is there and above nothing is what can be said."""
    if note := installed("clpeak"):
        return Verdict(note=note)
    tests = ["--global-bandwidth", "--compute-sp", "--compute-dp", "--compute-integer", "--transfer-bandwidth",
             "--kernel-latency"]
    return one_of_each(runner, [
        (test, ["clpeak", "-p", 0, test],
         lambda code, output: code == 0 and "Lockstep" in output and "rror" not in output and
         re.search(r": [1-9]|: 0\.\d*[1-9]", output) is not None) for test in tests])


def digest(name):
    return lambda word: hashlib.new(name, word.encode()).hexdigest()


# Mode of hashcat, and a hash of the word: computed here, or where that takes more than a line, known (1800, sha512crypt: by
# glibc's crypt).
WORD = "lockstep7"
SALT = b"salt1234"


def salted(name):
    return lambda word: hashlib.new(name, word.encode() + SALT).hexdigest() + ":" + SALT.decode()


def keyed(name):
    return lambda word: hmac.new(word.encode(), SALT, name).hexdigest() + ":" + SALT.decode()


def stretched(name):
    return lambda word: f"{name}:1000:c2FsdA==:" + base64(hashlib.pbkdf2_hmac(name, word.encode(), b"salt", 1000))


HASHES = [
    (0, digest("md5")), (100, digest("sha1")), (1400, digest("sha256")), (1700, digest("sha512")),
    (10800, digest("sha384")), (1300, digest("sha224")), (17300, digest("sha3_224")), (17400, digest("sha3_256")),
    (17500, digest("sha3_384")), (17600, digest("sha3_512")), (6000, digest("ripemd160")),
    (600, lambda word: "$BLAKE2$" + hashlib.blake2b(word.encode()).hexdigest()),
    (300, lambda word: hashlib.sha1(hashlib.sha1(word.encode()).digest()).hexdigest()),
    (11500, lambda word: f"{zlib.crc32(word.encode()):08x}:00000000"),
    (10, salted("md5")), (110, salted("sha1")), (1410, salted("sha256")), (1710, salted("sha512")),
    (50, keyed("md5")), (150, keyed("sha1")), (1450, keyed("sha256")), (1750, keyed("sha512")),
    (11900, stretched("md5")), (12000, stretched("sha1")), (10900, stretched("sha256")), (12100, stretched("sha512")),
    (8900, lambda word: "SCRYPT:1024:1:1:c2FsdA==:" + base64(hashlib.scrypt(word.encode(), salt=b"salt", n=1024, r=1, p=1,
                                                                           dklen=32))),
    (1800, lambda word: "$6$saltsalt$S9cNhO2f6tngC.1hgR8jxm3q2gGNQs1oRq5T0QuWG7oVZiS.NGFax69OE5dAJK5SSixDa85OyYys35CA7QDj80"),
    (3200, lambda word: "$2a$05$LhayLxezLhK1LhWvKxCyLOj0j1u.Kj0jZ0pEmm134uzrQlFvQJLF6"),
]
KNOWN_WORDS = {3200: "hashcat"}  # hashcat's own example


def base64(data):
    import base64 as encoder
    return encoder.b64encode(data).decode()


def hashcat(runner):
    """A known word among a thousand is found again by its hash."""
    if note := installed("hashcat"):
        return Verdict(note=note)
    checks = []
    for mode, hash_of in HASHES:
        word = KNOWN_WORDS.get(mode, WORD)
        few = mode in (1800, 3200, 8900)  # slow on purpose
        file = runner.folder / f"words{mode}"
        file.write_text("\n".join([f"word{i}" for i in range(5 if few else 1000)] + [word]) + "\n")
        target = hash_of(word)
        checks.append((f"mode {mode}",
                       ["hashcat", "--potfile-disable", "--quiet", "-D1", "-m", mode, target, file],
                       lambda code, output, found=f"{target}:{word}": code == 0 and found in output))
    return one_of_each(runner, checks)


def openmm(runner):
    """The forces on 8867 atoms, compared with OpenMM's reference platform. (It ended in heap corruption once, and that was
    ours: loads through `restrict` pointers crossed barriers, see compiler/regions/forget_restrict.h.)"""
    code, output = runner.run([PYTHON, "-c", "import openmm"])
    if code:
        return Verdict(note="not installed: python3-simtk")
    code, output = runner.run([PYTHON, "-m", "openmm.testInstallation"])
    if "OpenCL" not in output:
        return Verdict(note="not installed: libopenmm-plugins")
    difference = re.search(r"Reference vs. OpenCL: ([0-9.e+-]+)", output)
    right = code == 0 and difference and float(difference.group(1)) < 1e-4
    return Verdict(int(bool(right)), int(not right), "" if right else f"exit code {code}")


def pyopencl_tests(runner):
    """The folder of pyopencl's tests, of the installed version: $PYOPENCL_TESTS, or out of Debian's package."""
    if named := os.environ.get("PYOPENCL_TESTS"):
        return pathlib.Path(named)
    code, version = runner.run(["dpkg-query", "-W", "-f=${Version}", "python3-pyopencl"])
    if code:
        return None
    unpacked = runner.build / "clients" / f"pyopencl-{version.strip()}"
    tests = unpacked / "usr/share/doc/python-pyopencl-doc/examples"
    if not list(tests.glob("test_*.py")):
        runner.run(["apt-get", "download", f"python-pyopencl-doc={version.strip()}"])
        for package in runner.folder.glob("python-pyopencl-doc_*.deb"):
            runner.run(["dpkg-deb", "-x", package, unpacked])
    if tests.is_dir():
        (tests / "empty-header.h").touch()  # that one includes; it is no example, so the package has it not
    return tests if list(tests.glob("test_*.py")) else None


def pyopencl(runner):
    tests = pyopencl_tests(runner)
    if not tests:
        return Verdict(note="not run: python3-pyopencl is not installed, or `apt-get download python-pyopencl-doc` fails here; "
                            "PYOPENCL_TESTS may name the folder `test` of the same version of its sources")
    verdict, wrong = Verdict(), []
    for file in sorted(tests.glob("test_*.py")):  # each in a process of its own: one may crash
        report = runner.folder / f"{file.stem}.xml"
        code, _ = runner.run([PYTHON, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--junit-xml={report}", file.name],
                             seconds=3000, folder=tests)
        if not report.exists():
            verdict.failed += 1
            wrong.append(f"{file.stem} (exit code {code})")
            continue
        for case in xml.etree.ElementTree.parse(report).getroot().iter("testcase"):
            if case.find("failure") is not None or case.find("error") is not None:
                verdict.failed += 1
                wrong.append(case.get("name").split("[")[0])
            elif case.find("skipped") is None:
                verdict.passed += 1
    verdict.note = "; ".join(wrong[:5])
    return verdict


def piglit(runner):
    """Its tests of OpenCL C: a file each, which says what to expect."""
    program = pathlib.Path("/usr/lib/x86_64-linux-gnu/piglit/bin/cl-program-tester")
    if not program.exists():
        return Verdict(note="not installed: piglit")
    not_ours = {"include-directories.cl",  # Debian's package lacks what it includes
                "amdgcn-f32-inline-immediates.cl"}  # -cl-denorms-are-zero permits to flush; it wants it
    folder = program.parents[1]
    verdict, wrong = Verdict(), []
    for file in sorted(folder.glob("**/cl/*/**/*.cl")):
        _, output = runner.run([program, file], folder=folder)
        result = re.findall(r'PIGLIT: {"result": "(\w+)"', output)[-1:]
        if result == ["pass"]:
            verdict.passed += 1
        elif result != ["skip"] and file.name not in not_ours:
            verdict.failed += 1
            wrong.append(file.name)
    verdict.note = "; ".join(wrong[:5])
    return verdict


def chipstar_programs(runner):
    """HIP programs with a host side. `$CHIPSTAR` is the folder that chipstar.py has made."""
    return chipstar.run(runner, Verdict())


def with_verdict(function):
    return lambda runner: function(runner, Verdict())


BY_NAME_ONLY = {"chipstar", *opencl_sources.CLIENTS, *sycl_sources.CLIENTS,  # not from Debian
                "piglit"}    # 2 GB, and a quarter of an hour
CLIENTS = {
    "pyopencl": ("its tests", pyopencl),
    "boost_compute": ("algorithms against std", program_of_ours),
    "viennacl": ("BLAS, sparse, solvers", program_of_ours),
    "clfft": ("transforms against our own", program_of_ours),
    "clfft_client": ("its client", clfft_client),
    "clblast": ("its testers", clblast),
    "hashcat": ("known hashes", hashcat),
    "openmm": ("its installation test", openmm),
    "clpeak": ("its figures", clpeak),
    "piglit": ("its tests of OpenCL C", piglit),
    "chipstar": ("HIP programs", chipstar_programs),
    **{name: (what, with_verdict(function)) for group in (opencl_applications, opencl_sources, sycl_sources)
       for name, (what, function) in group.CLIENTS.items()},
}


def run_client(name, build, kinds=None):
    begin = time.monotonic()
    runner = Runner(name, build, kinds)
    try:
        verdict = CLIENTS[name][1](runner)
    except Exception as mistake:  # of ours, or of what a client printed
        verdict = Verdict(failed=1, note=repr(mistake))
    return verdict, list(dict.fromkeys(runner.what_was_found())), runner.what_was_not_met(), time.monotonic() - begin


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=ROOT / "build" / "release", type=pathlib.Path)
    parser.add_argument("--jobs", default=2, type=int, help="clients at a time")
    parser.add_argument("--check", nargs="?", const="races,barriers", metavar="KINDS", help="under `lockstep check`")
    parser.add_argument("clients", nargs="*", metavar="CLIENT", help=" ".join(CLIENTS))
    arguments = parser.parse_args()
    if unknown := [name for name in arguments.clients if name not in CLIENTS]:
        parser.error(f"no client {' '.join(unknown)}; there are {' '.join(CLIENTS)}")
    if unknown := set((arguments.check or "").split(",")) - {"", *KINDS}:  # `--check clpeak` would look for nothing
        parser.error(f"--check: {', '.join(sorted(unknown))} is none of {' '.join(KINDS)}; clients stand behind `--check=KINDS`")
    build = arguments.build.resolve()
    total, not_met = Verdict(), []
    print(f"{'client':14} {'what':28} {'passed':>7} {'failed':>7} {'seconds':>8}", flush=True)
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        chosen = arguments.clients or [name for name in CLIENTS if name not in BY_NAME_ONLY]
        runs = pool.map(lambda name: run_client(name, build, arguments.check), chosen)
        for name, (verdict, found, not_met_here, seconds) in zip(chosen, runs):
            print(f"{name:14} {CLIENTS[name][0]:28} {verdict.passed:7} {verdict.failed:7} {seconds:8.1f}"
                  f"{'  ' + verdict.note if verdict.note else ''}", flush=True)
            print("".join(f"    {line}\n" for line in found), end="", flush=True)
            not_met.append(not_met_here)
            total.passed += verdict.passed
            total.failed += verdict.failed + len(found)
    users = collections.Counter(known_findings_of(name).name for name in chosen)  # two clients may be of one library
    for (file, number, line), count in collections.Counter(itertools.chain(*not_met)).items():
        if count == users[file]:
            print(f"{KNOWN_FINDINGS.name}/{file}:{number}: not met by what was run: {line}")
    print(f"{total.passed} passed, {total.failed} failed")
    return 1 if total.failed or not total.passed else 0


if __name__ == "__main__":
    sys.exit(main())
