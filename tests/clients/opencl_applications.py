"""OpenCL applications of Debian: ffmpeg, OpenCV, silx, darktable, GEGL and others. Each is compared with its own CPU path,
with numpy or with Python's library.

Rows of run.py. `make clients` installs the packages (scripts/install_dependencies.sh --clients).
"""

import hashlib
import pathlib
import re
import shutil
import struct

PYTHON = "/usr/bin/python3"
HERE = pathlib.Path(__file__).resolve().parent
WIDTH, HEIGHT, FRAMES, BORDER = 320, 240, 3, 32

MATRIX = ":".join(["-2 -1 0 -1 1 1 0 1 2"] * 4)
FADE = "xfade{}=transition={}:duration=0.6:offset=0"
# Pixel format, filter, largest difference between OpenCL and CPU. The pictures are compared without a border, where the two
# extend the picture differently. colorkey, nlmeans and unsharp differ on every platform; deshake accesses
# memory outside of its buffers (docs/conformance.md).
FFMPEG = [("gray", "avgblur{}=3", 1), ("yuv420p", "boxblur{}=2:1", 0), ("gray", f"convolution{{}}={MATRIX}", 0),
          ("yuv420p", "dilation{}", 0), ("yuv420p", "erosion{}", 0), ("yuv420p", "pad{}=400:300:20:30:black", 0),
          ("yuv420p", "prewitt{}", 1), ("yuv420p", "roberts{}", 1), ("yuv420p", "sobel{}", 1),
          ("yuv420p", "transpose{}=clock", 0), ("yuv420p", "overlay{}=40:20", 0),
          ("yuv444p", FADE.format("{}", "fade"), 1), ("yuv444p", FADE.format("{}", "wipeleft"), 1)]


def ffmpeg_frames(runner, pixels, chain, on_opencl):
    """The frames of one filter, as bytes; None if ffmpeg fails."""
    inputs = 2 if chain.startswith(("overlay", "xfade")) else 1
    device = ["-init_hw_device", "opencl=d:0.0", "-filter_hw_device", "d"] if on_opencl else []
    sources = ["-f", "lavfi", "-i", f"testsrc2=size={WIDTH}x{HEIGHT}:rate=5:duration=2",
               "-f", "lavfi", "-i", f"mandelbrot=size={WIDTH}x{HEIGHT}:rate=5"][:4 * inputs]
    graph = "".join(f"[{i}:v]format={pixels}{',hwupload' if on_opencl else ''}[v{i}];" for i in range(inputs))
    graph += "".join(f"[v{i}]" for i in range(inputs)) + chain.format("_opencl" if on_opencl else "")
    size = (HEIGHT, WIDTH) if chain.startswith("transpose") else (WIDTH, HEIGHT)
    graph += (f"{',hwdownload' if on_opencl else ''},format={pixels},"
              f"crop={size[0] - 2 * BORDER}:{size[1] - 2 * BORDER}:{BORDER}:{BORDER}")
    target = runner.folder / f"{'opencl' if on_opencl else 'cpu'}.raw"
    target.unlink(missing_ok=True)
    code, _ = runner.run(["ffmpeg", "-hide_banner", "-loglevel", "error", "-nostdin", *device, *sources, "-filter_complex", graph,
                          "-frames:v", FRAMES, "-f", "rawvideo", target])
    return target.read_bytes() if code == 0 and target.exists() else None


def ffmpeg(runner, verdict):
    if not shutil.which("ffmpeg"):
        verdict.note = "not installed: ffmpeg"
        return verdict
    wrong = []
    for pixels, chain, most in FFMPEG:
        wanted, got = ffmpeg_frames(runner, pixels, chain, False), ffmpeg_frames(runner, pixels, chain, True)
        right = wanted and got and len(wanted) == len(got) and max(abs(a - b) for a, b in zip(wanted, got)) <= most
        verdict.passed += bool(right)
        verdict.failed += not right
        wrong += [] if right else [chain.format("_opencl").split("=")[0]]
    verdict.note = "; ".join(wrong)
    return verdict


def opencv(runner, verdict):
    """Functions on UMat, against the same on arrays (opencv.py)."""
    if runner.run([PYTHON, "-c", "import cv2"])[0]:
        verdict.note = "not installed: python3-opencv"
        return verdict
    runner.environment.update(OPENCV_OPENCL_DEVICE="Lockstep::", OPENCV_OPENCL_CACHE_ENABLE="0",
                              LOCKSTEP_TRACE=str(runner.folder / "trace.json"))
    code, output = runner.run([PYTHON, HERE / "opencv.py"])
    counts = re.search(r"^(\d+) passed, (\d+) failed$", output, re.M)
    trace = runner.folder / "trace.json"
    kernels = set(re.findall(r'"compile (\w+)"', trace.read_text())) if trace.exists() else set()
    if not counts or len(kernels) < 40:  # OpenCV takes its CPU path where OpenCL fails
        verdict.failed, verdict.note = 1, f"exit code {code}, {len(kernels)} kernels"
        return verdict
    verdict.passed, verdict.failed = int(counts[1]), int(counts[2])
    verdict.note = "; ".join(re.findall(r"^FAILED ([\w ]+)", output, re.M)[:5])
    return verdict


def ufo(runner, verdict):
    """Filters of tomography, against numpy (ufo.py)."""
    if not shutil.which("ufo-launch"):
        verdict.note = "not installed: libufo-bin ufo-filters"
        return verdict
    runner.environment["UFO_DEVICE_TYPE"] = "cpu"
    code, output = runner.run([PYTHON, HERE / "ufo.py"])
    counts = re.search(r"^(\d+) passed, (\d+) failed$", output, re.M)
    verdict.passed, verdict.failed = map(int, counts.groups()) if counts else (0, 1)
    verdict.note = "; ".join(re.findall(r"^FAILED (.{0,40})", output, re.M)[:5]) if counts else f"exit code {code}"
    return verdict


# Dual-tree complex wavelets of pictures of several sizes, forward and back.
DTCWT = """
import numpy, dtcwt.numpy, dtcwt.opencl
right = 0
for shape, levels in (((96, 128), 4), ((64, 64), 3), ((50, 70), 2), ((256, 192), 5)):
    picture = numpy.random.default_rng(1).random(shape).astype(numpy.float32)
    wanted, got = (module.Transform2d().forward(picture, nlevels=levels) for module in (dtcwt.numpy, dtcwt.opencl))
    back = dtcwt.opencl.Transform2d().inverse(got)
    pairs = [(wanted.lowpass, got.lowpass), (picture, back), *zip(wanted.highpasses, got.highpasses)]
    right += all(first.shape == second.shape and abs(first - second).max() < 1e-4 for first, second in pairs)
print(right, "right")
"""


def dtcwt(runner, verdict):
    """Wavelets, against the same module's numpy."""
    if runner.run([PYTHON, "-c", "import dtcwt, pyopencl"])[0]:
        verdict.note = "not installed: python3-dtcwt"
        return verdict
    code, output = runner.run([PYTHON, "-c", DTCWT])
    counted = re.search(r"^(\d+) right$", output, re.M)
    verdict.passed = int(counted[1]) if counted else 0
    verdict.failed = 4 - verdict.passed
    verdict.note = f"exit code {code}" if verdict.failed else ""
    return verdict


def hcxkeys(runner, verdict):
    """Keys of wireless networks, against hashlib: PBKDF2 with 4096 iterations of HMAC-SHA1."""
    if not shutil.which("wlangenpmkocl"):
        verdict.note = "not installed: hcxkeys"
        return verdict
    words, keys = [f"password{i}" for i in range(300)], runner.folder / "keys"
    (runner.folder / "words").write_text("\n".join(words) + "\n")
    code, _ = runner.run(["wlangenpmkocl", "-e", "network", "-i", runner.folder / "words", "-A", keys])
    got = dict(reversed(line.split(":")) for line in keys.read_text().split()) if keys.exists() else {}
    for word in words:
        right = got.get(word) == hashlib.pbkdf2_hmac("sha1", word.encode(), b"network", 4096, 32).hex()
        verdict.passed += right
        verdict.failed += not right
    verdict.note = f"exit code {code}" if verdict.failed else ""
    return verdict


def pytest(package, modules, chosen="", **variables):
    """A row that runs the tests of installed modules of Python; `chosen` is an expression of their names."""
    def function(runner, verdict):
        runner.environment.update(QT_QPA_PLATFORM="offscreen", **variables)
        if runner.run([PYTHON, "-c", f"import {', '.join(modules)}, pytest"])[0]:
            verdict.note = f"not installed: {package} python3-pytest"
            return verdict
        code, output = runner.run([PYTHON, "-m", "pytest", "-q", "-p", "no:cacheprovider",
                                     *(["-k", chosen] if chosen else []), "--pyargs", *modules], seconds=3000)
        for what in ("passed", "failed"):
            if count := re.search(rf"(\d+) {what}", output):
                setattr(verdict, what, int(count[1]))
        verdict.failed += 1 if code and not verdict.failed else 0
        verdict.note = "; ".join(re.findall(r"^FAILED \S*::(\S+)", output, re.M)[:5])
        return verdict
    return function


GPYFFT = ["gpyfft", "batched", "callback", "gpyfftlib"]

# Its kernel corrections4 reads a buffer of variances that nothing has written (docs/upstream/pyfai.md).
PYFAI_CHOSEN = "not integrate_ng"

# Of libgpuarray's tests in Python. test_blas needs a library of BLAS.
PYGPU = ["elemwise", "basic", "operations", "reduction", "gpu_ndarray", "tools"]

# Models of small-angle scattering. Those of one structure factor, and those that are written in Python, have no kernel.
SASMODELS = ["sphere", "cylinder", "core_shell_sphere", "ellipsoid", "lamellar", "parallelepiped", "fractal", "flexible_cylinder",
             "dab", "vesicle", "triaxial_ellipsoid", "bcc_paracrystal", "capped_cylinder", "pearl_necklace", "core_shell_bicelle",
             "elliptical_cylinder", "hollow_cylinder", "superball", "stacked_disks", "star_polymer"]


def sasmodels(runner, verdict):
    """Its model tests, each of which compares with numbers of its own."""
    if runner.run([PYTHON, "-c", "import sasmodels, pyopencl"])[0]:
        verdict.note = "not installed: python3-sasmodels"
        return verdict
    wrong = []
    for model in SASMODELS:
        code, output = runner.run([PYTHON, "-m", "sasmodels.model_test", "-v", "-e", "opencl", model])
        right = code == 0 and f"test_{model}_opencl" in output and output.rstrip().endswith("OK")
        verdict.passed += right
        verdict.failed += not right
        wrong += [] if right else [model]
    verdict.note = "; ".join(wrong)
    return verdict


# Operation with its parameters, and the largest difference between OpenCL and CPU, of 255. gaussian-blur-selective,
# motion-blur-circular, noise-reduction and oilify differ by more, and the pictures are PoCL's within 0.3. c2g is random.
GEGL = [("bilateral-filter blur-radius=3", 1), ("bloom", 1), ("box-blur radius=5", 1),
        ("brightness-contrast contrast=1.4 brightness=0.1", 1),
        ("color-exchange from-color=black to-color=red red-threshold=0.2", 1), ("color-temperature intended-temperature=4000", 1),
        ("dropshadow", 1), ("edge-laplace", 1), ("exposure exposure=0.7 black-level=0.02", 1), ("high-pass", 1),
        ("hue-chroma hue=40 chroma=10", 1), ("invert-linear", 1), ("levels in-low=0.1 in-high=0.8", 1), ("mono-mixer red=0.5", 1),
        ("motion-blur-linear length=12 angle=30", 1), ("noise-hsv", 1), ("noise-hurl", 1), ("pixelize size-x=7 size-y=5", 1),
        ("posterize levels=5", 1), ("red-eye-removal threshold=0.3", 1), ("alien-map", 1)]


def gegl_picture(runner, operation, on_opencl):
    """The samples of the picture, of 16 bits, and the kernels that ran."""
    target, trace = runner.folder / "out.ppm", runner.folder / "trace.json"
    for file in (target, trace):
        file.unlink(missing_ok=True)
    name, *parameters = operation.split()
    runner.environment.update(GEGL_USE_OPENCL="cpu" if on_opencl else "no", LOCKSTEP_TRACE=str(trace))
    runner.run(["gegl", runner.folder / "in.png", "-o", target, "--", f"gegl:{name}", *parameters])
    kernels = re.findall(r'"compile (\w+)"', trace.read_text()) if trace.exists() else []
    picture = target.read_bytes() if target.exists() else b"65535\n"
    samples = picture[picture.index(b"65535\n") + 6:]
    return struct.unpack(f">{len(samples) // 2}H", samples), kernels


def gegl(runner, verdict):
    """Operations of GEGL, GIMP's engine, against its CPU path."""
    if not shutil.which("gegl") or not shutil.which("ffmpeg"):
        verdict.note = "not installed: gegl ffmpeg"
        return verdict
    runner.run(["ffmpeg", "-loglevel", "error", "-f", "lavfi", "-i", f"mandelbrot=size={WIDTH}x{HEIGHT}", "-frames:v", 1,
                runner.folder / "in.png"])
    wrong = []
    for operation, most in GEGL:
        (wanted, _), (got, kernels) = gegl_picture(runner, operation, False), gegl_picture(runner, operation, True)
        difference = max(map(abs, map(int.__sub__, wanted, got)), default=65536) if len(wanted) == len(got) else 65536
        right = kernels and difference <= 257 * most
        verdict.passed += bool(right)
        verdict.failed += not right
        wrong += [] if right else [f"{operation.split()[0]} ({f'differs by {difference / 257:.1f}' if kernels else 'not on OpenCL'})"]
    verdict.note = "; ".join(wrong)
    return verdict


# Examples of mandelbulber2, and the smallest ratio of signal to noise between OpenCL and its CPU path, in dB. OpenCL computes
# with float, the CPU with double, so that points at the rim of a fractal can differ.
MANDELBULBER = {"IFS_001": 30, "bristorbrot001": 30, "aexion001": 30}


def mandelbulber_picture(runner, name, on_opencl):
    """Its samples, and the kernels that ran."""
    target, trace, raw = runner.folder / "out.png", runner.folder / "trace.json", runner.folder / "out.raw"
    for file in (target, trace, raw):
        file.unlink(missing_ok=True)
    runner.environment.update(QT_QPA_PLATFORM="offscreen", LOCKSTEP_TRACE=str(trace))
    settings = f"opencl_enabled={int(on_opencl)}#opencl_device_type=2#opencl_mode=3#opencl_use_fast_relaxed_math=0"
    runner.run(["mandelbulber2", "-n", "-C", "-r", "80x60", "-f", "png", "-o", target, "-O", settings,
                f"/usr/share/mandelbulber2/examples/{name}.fract"])
    runner.run(["ffmpeg", "-loglevel", "error", "-i", target, "-pix_fmt", "rgb24", "-f", "rawvideo", raw])
    kernels = re.findall(r'"compile (\w+)"', trace.read_text()) if trace.exists() else []
    return raw.read_bytes() if raw.exists() else b"", kernels


def mandelbulber2(runner, verdict):
    """Pictures of fractals in three dimensions, against its CPU path."""
    if not shutil.which("mandelbulber2") or not shutil.which("ffmpeg"):
        verdict.note = "not installed: mandelbulber2 ffmpeg"
        return verdict
    import numpy
    notes = []
    for name, least in MANDELBULBER.items():
        (wanted, _), (got, kernels) = mandelbulber_picture(runner, name, False), mandelbulber_picture(runner, name, True)
        first, second = (numpy.frombuffer(picture, "u1").astype(float) for picture in (wanted, got))
        is_whole = len(first) == len(second) == 3 * 80 * 60 and first.std() > 10
        decibels = 10 * numpy.log10(255 ** 2 / max(((first - second) ** 2).mean(), 1e-9)) if is_whole else 0
        right = bool(kernels) and decibels >= least
        verdict.passed += right
        verdict.failed += not right
        notes += [] if right else [f"{name} ({format(decibels, '.1f') + ' dB' if kernels else 'not on OpenCL'})"]
    verdict.note = "; ".join(notes)
    return verdict


def network_of_leela(file):
    """A small network with random weights, in Leela Zero's text format: 32 filters, one residual block."""
    import random
    random.seed(7)
    filters = 32

    def normal(count, deviation):
        return " ".join(f"{random.gauss(0, deviation):.5f}" for _ in range(count))

    def convolution(outputs, inputs, size):
        variances = " ".join(f"{random.uniform(0.5, 1.5):.5f}" for _ in range(outputs))
        return [normal(outputs * inputs * size * size, (2 / (inputs * size * size)) ** 0.5), normal(outputs, 0.1),
                normal(outputs, 0.1), variances]

    lines = ["1", *convolution(filters, 18, 3), *convolution(filters, filters, 3), *convolution(filters, filters, 3)]
    lines += [*convolution(2, filters, 1), normal(361 * 2 * 362, 0.05), normal(362, 0.05)]
    lines += [*convolution(1, filters, 1), normal(361 * 256, 0.05), normal(256, 0.05), normal(256, 0.05), normal(1, 0.05)]
    file.write_text("\n".join(lines) + "\n")


def leela_zero(runner, verdict):
    """What its network says of a few positions of Go, against the same on its CPU path. Its tuner checks each variant of the
    matrix product by itself."""
    program = shutil.which("leelaz") or "/usr/games/leelaz"
    if not pathlib.Path(program).exists():
        verdict.note = "not installed: leela-zero"
        return verdict
    network, moves = runner.folder / "network.txt", runner.folder / "moves.gtp"
    network_of_leela(network)
    moves.write_text("heatmap\nplay b Q16\nplay w D4\nheatmap\nplay b Q3\nplay w D16\nplay b C14\nheatmap\nquit\n")
    said = []
    for options in ("--gpu 0 --precision single", "--gpu 0 --precision half", "--cpu-only"):
        _, output = runner.run(["sh", "-c", f"{program} -g -w {network} --noponder -t 1 {options} <{moves} 2>&1"], seconds=3000)
        heat = [int(number) for line in re.findall(r"^((?: +\d+){19}) *$", output, re.M) for number in line.split()]
        said.append(heat + [int(1000 * float(rate)) for rate in re.findall(r"^winrate: ([\d.]+)", output, re.M)])
    wrong = []
    for precision, got in zip(("single", "half"), said):  # in thousandths, rounded
        right = len(got) == len(said[-1]) == 3 * 362 and all(abs(a - b) <= 1 for a, b in zip(got, said[-1]))
        verdict.passed += right
        verdict.failed += not right
        wrong += [] if right else [precision]
    verdict.note = "; ".join(wrong)
    return verdict


# Modules of darktable with their version and parameters, as in its XMP files. bloom and soften are not among them: they
# reach 36 and 37 dB, and the cause was not examined.
DARKTABLE = {"sharpen": (1, struct.pack("<3f", 3, 1.5, 0.5)), "highpass": (1, struct.pack("<2f", 40, 60)),
             "vibrance": (2, struct.pack("<f", 60)), "velvia": (2, struct.pack("<2f", 60, 0.8)),
             "relight": (1, struct.pack("<3f", 0.6, 0.2, 4)), "colisa": (1, struct.pack("<3f", 0.3, 0.2, -0.2)),
             "monochrome": (2, struct.pack("<4f", 10, -20, 2, 0.3)), "nlmeans": (2, struct.pack("<4f", 2, 50, 0.6, 0.8))}
XMP = """<?xml version="1.0" encoding="UTF-8"?>
<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
<rdf:Description rdf:about="" xmlns:darktable="http://darktable.sf.net/" darktable:xmp_version="4" darktable:raw_params="0"
 darktable:auto_presets_applied="1" darktable:history_end="1" darktable:iop_order_version="2"><darktable:history><rdf:Seq>
<rdf:li darktable:num="0" darktable:operation="{name}" darktable:enabled="1" darktable:modversion="{version}"
 darktable:params="{parameters}" darktable:multi_name="" darktable:multi_priority="0" darktable:blendop_version="11"
 darktable:blendop_params="gz11eJxjYGBgkGAAgRNODESDBnsIHll8ANNSGQM="/>
</rdf:Seq></darktable:history></rdf:Description></rdf:RDF></x:xmpmeta>
"""


def darktable_picture(runner, edit, on_opencl):
    """The exported picture as bytes, and darktable's output."""
    target = runner.folder / f"{edit.stem}-{'opencl' if on_opencl else 'cpu'}.ppm"
    core = ["--conf", "opencl=TRUE", "-d", "opencl", "-d", "perf"] if on_opencl else ["--disable-opencl"]
    _, output = runner.run(["darktable-cli", runner.folder / "in.png", edit, target, "--core", "--configdir",
                            runner.folder / ("opencl" if on_opencl else "cpu"), "--library", ":memory:", *core])
    return target.read_bytes() if target.exists() else b"", output


def darktable(runner, verdict):
    """One module in each edit, against the same edit on the CPU: at least 50 dB. A CPU as an OpenCL device is switched off in
    its configuration at first; the eighth number of the device's line is the switch."""
    if not shutil.which("darktable-cli") or not shutil.which("ffmpeg"):
        verdict.note = "not installed: darktable ffmpeg"
        return verdict
    import numpy
    runner.run(["ffmpeg", "-loglevel", "error", "-f", "lavfi", "-i", "mandelbrot=size=640x480", "-frames:v", 1,
                runner.folder / "in.png"])
    wrong = []
    for name, (version, parameters) in DARKTABLE.items():
        edit = runner.folder / f"{name}.xmp"
        edit.write_text(XMP.format(name=name, version=version, parameters=parameters.hex()))
        settings = runner.folder / "opencl" / "darktablerc"
        if not settings.exists():
            darktable_picture(runner, edit, True)
            text = re.sub(r"^(cldevice_v4_\w+=(?:\S+ ){7})1", r"\g<1>0", settings.read_text(), flags=re.M)
            settings.write_text(text)
        (wanted, _), (got, output) = darktable_picture(runner, edit, False), darktable_picture(runner, edit, True)
        on_gpu = re.search(r"processed `[^']+' on GPU", output) is not None
        samples = 3 * 640 * 480  # of 16 bits, behind a short head
        first, second = (numpy.frombuffer(picture[-2 * samples:], ">u2").astype(float) for picture in (wanted, got))
        error = ((first - second) ** 2).mean() / 65535 ** 2 if len(first) == len(second) == samples else 1
        right = on_gpu and error <= 1e-5
        verdict.passed += bool(right)
        verdict.failed += not right
        wrong += [] if right else [f"{name} ({'error ' + format(error, '.3g') if on_gpu else 'not on OpenCL'})"]
    verdict.note = "; ".join(wrong)
    return verdict


CLIENTS = {"ffmpeg": ("filters against the CPU's", ffmpeg), "opencv": ("UMat against arrays", opencv),
           "silx": ("its tests", pytest("python3-silx", ["silx.opencl"], SILX_OPENCL="True")),
           "pyfai": ("its tests", pytest("python3-pyfai", ["pyFAI.opencl.test"], PYFAI_CHOSEN)),
           "pygpu": ("its tests", pytest("python3-pygpu", [f"pygpu.tests.test_{name}" for name in PYGPU], DEVICE="opencl0:0")),
           "gpyfft": ("its tests", pytest("python3-gpyfft", [f"gpyfft.test.test_{name}" for name in GPYFFT], PYOPENCL_CTX="0")),
           "compyle": ("its tests", pytest("python3-compyle", ["compyle.tests"], "opencl", PYOPENCL_CTX="0")),
           "dtcwt": ("wavelets against numpy", dtcwt), "ufo": ("filters against numpy", ufo), "hcxkeys": ("keys against hashlib", hcxkeys),
           "sasmodels": ("its tests", sasmodels), "gegl": ("operations against the CPU's", gegl),
           "mandelbulber2": ("fractals against the CPU's", mandelbulber2),
           "leela_zero": ("its network on the CPU", leela_zero), "darktable": ("edits against the CPU's", darktable)}
