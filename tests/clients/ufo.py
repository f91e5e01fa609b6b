"""Filters of UFO, a framework for tomography, on OpenCL, against numpy.

    /usr/bin/python3 tests/clients/ufo.py

Prints a line for each filter whose result is wrong, and the last line `N passed, N failed`. A row of run.py.
"""

import pathlib
import subprocess
import sys
import tempfile

import numpy

WIDTH, HEIGHT = 96, 64
ANGLES, RADIUS, CENTER = 180, 20, (12, -8)  # of the disk in the sinogram


def ufo(folder, picture, chain, width=None):
    """The result of a chain of filters as an array of float with rows of `width`; None if it fails."""
    given, result = folder / "in.raw", folder / "out.raw"
    result.unlink(missing_ok=True)
    picture.astype(numpy.float32).tofile(given)
    height, columns = picture.shape
    read = ["read", f"path={given}", f"raw-width={columns}", f"raw-height={height}", "raw-bitdepth=32"]
    done = subprocess.run(["ufo-launch", "-q", *read, "!", *chain.split(), "!", "write", f"filename={result}"],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode or not result.exists():
        print(done.stdout)
        return None
    return numpy.fromfile(result, numpy.float32).reshape(-1, width or columns)


def complex_of(picture):
    return picture[:, 0::2] + 1j * picture[:, 1::2]


def blurred(picture, size, sigma):
    """By a Gaussian along rows and columns, whose last weight UFO leaves out. Right away from the border."""
    weights = numpy.exp(-((numpy.arange(size) - size // 2) ** 2) / (2 * sigma ** 2))
    weights = (weights / weights.sum())[:-1]
    for axis in (0, 1):
        picture = sum(weight * numpy.roll(picture, size // 2 - i, axis) for i, weight in enumerate(weights))
    return picture


def median(picture):
    windows = numpy.lib.stride_tricks.sliding_window_view(picture, (3, 3))
    return numpy.median(windows, axis=(2, 3))


def sinogram():
    """The lengths of rays through a disk, for angles from 0 to pi."""
    angles = numpy.pi * numpy.arange(ANGLES)[:, None] / ANGLES
    shift = numpy.arange(WIDTH)[None, :] - WIDTH / 2 - (CENTER[0] * numpy.cos(angles) + CENTER[1] * numpy.sin(angles))
    return 2 * numpy.sqrt(numpy.maximum(RADIUS ** 2 - shift ** 2, 0))


def is_disk(slice_of_body):
    """Whether the reconstruction is 1 in a disk of the radius, anywhere, and 0 around it."""
    if slice_of_body is None or slice_of_body.shape != (WIDTH, WIDTH):
        return False
    inside = slice_of_body > slice_of_body.max() / 2
    rows, columns = numpy.nonzero(inside)
    center = (rows.mean(), columns.mean())
    y, x = numpy.mgrid[:WIDTH, :WIDTH]
    distance = numpy.hypot(y - center[0], x - center[1])
    level = slice_of_body[distance < RADIUS - 4].mean()
    return (abs(inside.sum() / (numpy.pi * RADIUS ** 2) - 1) < 0.05 and
            abs(slice_of_body[distance < RADIUS - 4] - level).max() < 0.15 * level and
            abs(slice_of_body[(distance > RADIUS + 4) & (distance < 30)]).max() < 0.2 * level)


def main():
    folder = pathlib.Path(tempfile.mkdtemp())
    picture = numpy.random.default_rng(3).random((HEIGHT, WIDTH)).astype(numpy.float32)
    padded = numpy.pad(picture, ((0, 0), (0, 128 - WIDTH)))
    rows = picture.astype(float)
    inner = numpy.s_[8:-8, 8:-8]

    # Filters, width of the result, a function of the result, what it must be.
    checks = [
        ("flip", WIDTH, lambda got: got, picture[:, ::-1]),
        ("flip direction=vertical", WIDTH, lambda got: got, picture[::-1]),
        ("transpose", HEIGHT, lambda got: got, picture.T),
        ("crop x=8 y=4 width=32 height=16", 32, lambda got: got, picture[4:20, 8:40]),
        ("clip min=0.2 max=0.7", WIDTH, lambda got: got, picture.clip(0.2, 0.7)),
        ("binarize threshold=0.5", WIDTH, lambda got: got, (picture >= 0.5) * 1.0),
        ("calculate expression='sqrt(v)'", WIDTH, lambda got: got, numpy.sqrt(rows)),
        ("gradient", WIDTH, lambda got: got[:, 1:-1], (rows[:, 2:] - rows[:, :-2]) / 2),
        ("gradient direction=vertical", WIDTH, lambda got: got[1:-1], (rows[2:] - rows[:-2]) / 2),
        ("median-filter size=3", WIDTH, lambda got: got[1:-1, 1:-1], median(rows)),
        ("bin size=2", WIDTH // 2, lambda got: got, rows.reshape(HEIGHT // 2, 2, WIDTH // 2, 2).sum((1, 3))),
        ("measure metric=mean axis=-1", 1, lambda got: got, numpy.array([[rows.mean()]])),
        ("measure metric=std axis=-1", 1, lambda got: got, numpy.array([[rows.std()]])),
        ("measure metric=max axis=-1", 1, lambda got: got, numpy.array([[rows.max()]])),
        ("rescale factor=2 interpolation=nearest", 2 * WIDTH, lambda got: got, rows.repeat(2, 0).repeat(2, 1)),
        ("pad x=8 y=4 width=112 height=72 addressing-mode=clamp_to_edge", 112, lambda got: got,
         numpy.pad(rows, ((4, 4), (8, 8)), "edge")),
        ("fft dimensions=1", 256, complex_of, numpy.fft.fft(padded)),
        ("fft dimensions=2", 256, complex_of, numpy.fft.fft2(padded)),
        (f"fft dimensions=1 ! ifft dimensions=1 crop-width={WIDTH}", WIDTH, lambda got: got * 128, rows),  # clFFT divides, and UFO again
        ("fft dimensions=2 ! power-spectrum", 128, lambda got: got, abs(numpy.fft.fft2(padded)) ** 2),
        ("blur size=13 sigma=2", WIDTH, lambda got: got[inner], blurred(rows, 13, 2)[inner]),
    ]
    passed, failed = 0, 0
    for chain, width, part, wanted in checks:
        got = ufo(folder, picture, chain, width)
        got = part(got) if got is not None else None
        is_whole = got is not None and got.shape == wanted.shape
        error = abs(got - wanted).max() / abs(wanted).max() if is_whole else 1
        right = error < 1e-5
        passed, failed = passed + right, failed + (not right)
        if not right:
            print(f"FAILED {chain}: {error:.3g}")
    chain = f"fft dimensions=1 ! filter ! ifft dimensions=1 crop-width={WIDTH} ! backproject axis-pos={WIDTH / 2}"
    got = ufo(folder, sinogram(), chain)
    if is_disk(got):
        passed += 1
    else:
        failed += 1
        print(f"FAILED {chain}")
    print(f"{passed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
