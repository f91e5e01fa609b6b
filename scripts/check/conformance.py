#!/usr/bin/python3
"""Compares docs/conformance.md with the library: conformance.py [--build build/release]. Exit code 1 on a difference.

The tables of the page are what is checked, in both directions: an entry point, query, extension or feature that is
missing in the page is a finding as much as one that the page promises and the library does not have. The library is
asked through the ICD loader, as any program would; only look-up by name goes to it directly.
"""

import argparse
import ctypes
import os
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "conformance.md"
ENTRY_POINTS = ROOT / "src" / "api" / "opencl" / "entry_points.def"
HEADERS = [pathlib.Path("/usr/include/CL") / name for name in ("cl.h", "cl_ext.h", "cl_gl.h")]
# Functions that give their code through errcode_ret: the number of arguments before it.
BEFORE_ERRCODE = {
    "clCreateImage": 5, "clCreateImageWithProperties": 6, "clCreateImage2D": 7, "clCreateImage3D": 9,
    "clCreateSampler": 4, "clCreateSamplerWithProperties": 2, "clCreatePipe": 5, "clEnqueueMapImage": 11,
    "clCreateProgramWithIL": 3, "clCreateProgramWithBuiltInKernels": 4, "clCreateFromGLBuffer": 3,
    "clCreateFromGLTexture": 5, "clCreateFromGLTexture2D": 5, "clCreateFromGLTexture3D": 5,
    "clCreateFromGLRenderbuffer": 3,
}


def constants():
    """Numbers of the CL_* names: decimal, hexadecimal, or (1 << n)."""
    number = r"-?(?:0x)?[0-9A-Fa-f]+"
    define = re.compile(rf"^#define\s+(CL_\w+)\s+\(?({number})(?:\s*<<\s*(\d+))?\)?\s*(?:/\*.*)?$", re.MULTILINE)
    return {name: int(value, 0) << int(shift or 0)
            for header in HEADERS for name, value, shift in define.findall(header.read_text())}


def tables():
    """The tables of the page by the heading above them: lists of rows, a row being its cells without backquotes."""
    result, heading = {}, None
    for line in PAGE.read_text().splitlines():
        if line.startswith("#"):
            heading = line.lstrip("# ").strip()
        elif line.startswith("|") and not re.match(r"^\|[-| :]+\|$", line):
            result.setdefault(heading, []).append([cell.strip().replace("`", "") for cell in line.strip("|").split("|")])
    return {heading: rows[1:] for heading, rows in result.items()}  # without the head row


class Device:
    """The first device of the platform Lockstep, asked through the loader."""

    def __init__(self, build):
        os.environ["OCL_ICD_VENDORS"] = str(build / "vendors")
        self.cl = ctypes.CDLL("libOpenCL.so.1")
        # The loader answers for some names itself, so look-up by name asks the library.
        library = ctypes.CDLL((build / "vendors" / "lockstep.icd").read_text().strip())
        self.address_of = library.clGetExtensionFunctionAddress
        self.address_of.restype = ctypes.c_void_p
        for function in ("clCreateContext", "clCreateCommandQueueWithProperties", "clCreateBuffer",
                         "clCreateProgramWithSource"):
            getattr(self.cl, function).restype = ctypes.c_void_p
        platform, device = ctypes.c_void_p(), ctypes.c_void_p()
        if self.cl.clGetPlatformIDs(1, ctypes.byref(platform), None) != 0:
            sys.exit(f"conformance: no platform in {build}/vendors; build the target liblockstep first")
        self.cl.clGetDeviceIDs(platform, ctypes.c_ulong(0xFFFFFFFF), 1, ctypes.byref(device), None)
        self.platform, self.device = platform, device
        self.context = ctypes.c_void_p(self.cl.clCreateContext(None, 1, ctypes.byref(device), None, None, None))
        self.queue = ctypes.c_void_p(self.cl.clCreateCommandQueueWithProperties(self.context, device, None, None))
        self.buffer = ctypes.c_void_p(
            self.cl.clCreateBuffer(self.context, ctypes.c_ulong(1), ctypes.c_size_t(64), None, None))
        text = (ctypes.c_char_p * 1)(b"kernel void k(void) {}")
        self.program = ctypes.c_void_p(self.cl.clCreateProgramWithSource(self.context, 1, text, None, None))
        if self.cl.clBuildProgram(self.program, 0, None, None, None, None) != 0:
            sys.exit("conformance: an empty kernel does not build")
        self.kernel = ctypes.c_void_p()
        self.cl.clCreateKernelsInProgram(self.program, 1, ctypes.byref(self.kernel), None)

    def query(self, name):
        """The bytes that clGetDeviceInfo gives, or None."""
        size = ctypes.c_size_t()
        if self.cl.clGetDeviceInfo(self.device, name, ctypes.c_size_t(0), None, ctypes.byref(size)) != 0:
            return None
        value = ctypes.create_string_buffer(max(size.value, 1))
        self.cl.clGetDeviceInfo(self.device, name, size, value, None)
        return value.raw[: size.value]

    def named_versions(self, name):
        """cl_name_version[] as {name: "major.minor.patch"}."""
        value, result = self.query(name), {}
        for at in range(0, len(value), 68):
            version = int.from_bytes(value[at : at + 4], "little")
            text = value[at + 4 : at + 68].split(b"\0")[0].decode()
            number = f"{version >> 22}.{version >> 12 & 0x3FF}.{version & 0xFFF}"
            result.setdefault(text, []).append(number)
        return result

    def address(self, name):
        return self.address_of(name.encode())

    def refusal(self, name):
        """What a function answers that is given a valid first handle and otherwise zeros."""
        first = self.buffer if name in ("clGetImageInfo", "clGetPipeInfo", "clGetGLObjectInfo", "clGetGLTextureInfo") \
            else self.queue if name.startswith("clEnqueue") or name == "clSetCommandQueueProperty" \
            else self.kernel if "Kernel" in name and not name.startswith("clCreateProgram") \
            else self.program if name.startswith("clSetProgram") \
            else self.context
        arguments = [first] + [ctypes.c_void_p(0)] * 11
        function = ctypes.CFUNCTYPE(ctypes.c_void_p, *[ctypes.c_void_p] * 12)(self.address(name))
        code = ctypes.c_int(0)
        if name in BEFORE_ERRCODE:
            if BEFORE_ERRCODE[name] == 11:
                arguments[11] = ctypes.cast(ctypes.byref(code), ctypes.c_void_p)
            else:
                arguments[BEFORE_ERRCODE[name]] = ctypes.cast(ctypes.byref(code), ctypes.c_void_p)
            if function(*arguments):
                return "a handle"
            return code.value
        result = function(*arguments) or 0
        return "null" if name == "clSVMAlloc" and result == 0 else ctypes.c_int(result & 0xFFFFFFFF).value


def entry_points():
    text = ENTRY_POINTS.read_text()
    listed = {kind: re.findall(rf"^{kind}\((\w+)", text, re.MULTILINE)
              for kind in ("ENTRY_POINT", "EXTENSION", "NO_ENTRY_POINT")}
    return listed["ENTRY_POINT"] + listed["EXTENSION"], listed["NO_ENTRY_POINT"]


def check_entry_points(rows, device, numbers):
    there, missing = entry_points()
    documented = {}
    for names, status, answer, _ in rows:
        for name in re.findall(r"\w+", names):
            if name in documented:
                yield f"{name} stands in two rows"
            documented[name] = (status, answer)
    for name in sorted(set(there + missing) ^ set(documented)):
        yield f"{name} stands only in {'the page' if name in documented else 'entry_points.def'}"
    for name, (status, answer) in documented.items():
        has_address = device.address(name) is not None
        if has_address != (name in there):
            yield f"{name}: entry_points.def and the library differ"
        if status == "none" and has_address:
            yield f"{name}: the page says that there is none, but there is"
        if status in ("yes", "refused") and not has_address:
            yield f"{name}: the page says '{status}', but the library does not have it"
        if status == "refused" and has_address:
            got = device.refusal(name)
            expected = numbers.get(answer, answer)
            if got != expected:
                yield f"{name}: answers {got}, the page says {answer} ({expected})"
        if status not in ("yes", "refused", "none"):
            yield f"{name}: status '{status}' is none of yes, refused, none"


def check_queries(rows, device, numbers):
    for area, status, query, _ in rows:
        name, _, expected = (part.strip() for part in query.partition("="))
        value = device.query(numbers[name])
        if value is None:
            yield f"{area}: {name} is not a query of the device"
            continue
        got = int.from_bytes(value, "little")
        if expected:
            wanted = sum(numbers[word] if word in numbers else int(word, 0) for word in re.split(r"\s*\+\s*", expected))
            if got != wanted:
                yield f"{area}: {name} is {got}, the page says {expected} ({wanted})"
        if (got != 0) != (status in ("yes", "partial")):
            yield f"{area}: the page says '{status}', but {name} is {got}"


def check_names(rows, got, what):
    """Rows `name | status | version | reason` against {name: [version]}."""
    documented = {(name, version) for name, status, version, _ in rows if status == "yes"}
    refused = {name for name, status, _, _ in rows if status == "no"}
    reported = {(name, version) for name, versions in got.items() for version in versions}
    for name, version in sorted(documented - reported):
        yield f"{what} {name} {version}: in the page, not reported"
    for name, version in sorted(reported - documented):
        yield f"{what} {name} {version}: reported, not in the page"
    for name in sorted(refused & set(got)):
        yield f"{what} {name}: the page says no, but it is reported"


def check_tests(page):
    for path in re.findall(r"\]\(\.\./(tests/[\w/.]+)\)", page):
        if not (ROOT / path).exists():
            yield f"{path} is named in the page but does not exist"


def findings(build):
    device, numbers, page = Device(build), constants(), tables()
    yield from check_entry_points(page["Entry points"], device, numbers)
    yield from check_queries(page["Features of the device"], device, numbers)
    yield from check_names(page["Extensions"], device.named_versions(numbers["CL_DEVICE_EXTENSIONS_WITH_VERSION"]),
                           "extension")
    yield from check_names(page["Features of OpenCL C 3.0"],
                           device.named_versions(numbers["CL_DEVICE_OPENCL_C_FEATURES"]), "feature")
    yield from check_names(page["Versions of OpenCL C"],
                           device.named_versions(numbers["CL_DEVICE_OPENCL_C_ALL_VERSIONS"]), "version")
    yield from check_tests(PAGE.read_text())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "release", help="build tree")
    differences = list(findings(parser.parse_args().build.resolve()))
    for sentence in differences:
        print(f"conformance: {sentence}")
    print(f"conformance: {len(differences) or 'no'} difference{'s' if len(differences) != 1 else ''} between "
          "docs/conformance.md and the library")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
