"""Compares OpenCV's functions on UMat, which run on OpenCL, with the same functions on arrays, which run on the CPU.

Run by run.py. The last line counts: `N passed, N failed`.
"""

import sys

import cv2
import numpy

numpy.random.seed(7)
HEIGHT, WIDTH = 240, 322  # no multiples of a work-group
SMOOTH = cv2.GaussianBlur(numpy.random.randint(0, 256, (HEIGHT, WIDTH, 3), numpy.uint8), (9, 9), 2)
GRAY = cv2.cvtColor(SMOOTH, cv2.COLOR_BGR2GRAY)
NOISE = numpy.random.randint(0, 256, (HEIGHT, WIDTH), numpy.uint8)
REAL = numpy.random.rand(HEIGHT, WIDTH).astype(numpy.float32)
OTHER = numpy.random.rand(HEIGHT, WIDTH).astype(numpy.float32) + 0.5
SQUARE = numpy.random.rand(96, 96).astype(numpy.float32)
KERNEL = numpy.ones((5, 3), numpy.uint8)
MAP_X, MAP_Y = numpy.meshgrid(numpy.linspace(2, WIDTH - 5, WIDTH, dtype=numpy.float32),
                              numpy.linspace(3, HEIGHT - 9, HEIGHT, dtype=numpy.float32))
AFFINE = numpy.array([[0.9, 0.1, 3], [-0.1, 1.05, 5]], numpy.float32)
PERSPECTIVE = numpy.array([[0.9, 0.1, 3], [-0.1, 1.05, 5], [1e-4, 2e-4, 1]], numpy.float32)
EXACT, ROUNDED, FLOAT = 0, 1, 1e-4  # the largest difference, of FLOAT relative to the largest value


def table():
    """(name, largest difference, function, its images)"""
    yield "add", EXACT, lambda a, b: cv2.add(a, b), (NOISE, GRAY)
    yield "subtract", EXACT, lambda a, b: cv2.subtract(a, b), (NOISE, GRAY)
    yield "absdiff", EXACT, lambda a, b: cv2.absdiff(a, b), (NOISE, GRAY)
    yield "multiply", FLOAT, lambda a, b: cv2.multiply(a, b, scale=1.5), (REAL, OTHER)
    yield "divide", FLOAT, lambda a, b: cv2.divide(a, b), (REAL, OTHER)
    yield "addWeighted", ROUNDED, lambda a, b: cv2.addWeighted(a, 0.3, b, 0.6, 4), (NOISE, GRAY)
    yield "scaleAdd", FLOAT, lambda a, b: cv2.scaleAdd(a, 2.5, b), (REAL, OTHER)
    yield "bitwise_and", EXACT, lambda a, b: cv2.bitwise_and(a, b), (NOISE, GRAY)
    yield "bitwise_xor", EXACT, lambda a, b: cv2.bitwise_xor(a, b), (NOISE, GRAY)
    yield "bitwise_not", EXACT, lambda a: cv2.bitwise_not(a), (NOISE,)
    yield "min", EXACT, lambda a, b: cv2.min(a, b), (NOISE, GRAY)
    yield "max", EXACT, lambda a, b: cv2.max(a, b), (REAL, OTHER)
    yield "compare", EXACT, lambda a, b: cv2.compare(a, b, cv2.CMP_GE), (NOISE, GRAY)
    yield "inRange", EXACT, lambda a: cv2.inRange(a, (90, 90, 90), (150, 140, 160)), (SMOOTH,)
    yield "exp", FLOAT, lambda a: cv2.exp(a), (REAL,)
    yield "log", FLOAT, lambda a: cv2.log(a), (OTHER,)
    yield "sqrt", FLOAT, lambda a: cv2.sqrt(a), (REAL,)
    yield "pow", FLOAT, lambda a: cv2.pow(a, 2.3), (OTHER,)
    yield "magnitude", FLOAT, lambda a, b: cv2.magnitude(a, b), (REAL, OTHER)
    yield "phase", 1e-3, lambda a, b: cv2.phase(a, b), (REAL, OTHER)
    yield "cartToPolar", 1e-3, lambda a, b: cv2.cartToPolar(a, b)[0], (REAL, OTHER)
    yield "polarToCart", 1e-3, lambda a, b: cv2.polarToCart(a, b)[1], (REAL, OTHER)
    yield "normalize", FLOAT, lambda a: cv2.normalize(a, None, 0, 200, cv2.NORM_MINMAX), (REAL,)
    yield "convertScaleAbs", ROUNDED, lambda a: cv2.convertScaleAbs(a, alpha=0.7, beta=3), (NOISE,)
    yield "LUT", EXACT, lambda a: cv2.LUT(a, numpy.arange(256, dtype=numpy.uint8)[::-1].copy()), (NOISE,)
    yield "flip", EXACT, lambda a: cv2.flip(a, -1), (SMOOTH,)
    yield "transpose", EXACT, lambda a: cv2.transpose(a), (SMOOTH,)
    yield "merge", EXACT, lambda a, b: cv2.merge([a, b]), (NOISE, GRAY)
    yield "split", EXACT, lambda a: cv2.split(a)[1], (SMOOTH,)
    yield "copyMakeBorder", EXACT, lambda a: cv2.copyMakeBorder(a, 3, 5, 7, 2, cv2.BORDER_REFLECT), (SMOOTH,)
    yield "repeat", EXACT, lambda a: cv2.repeat(a, 2, 3), (NOISE,)
    yield "gemm", FLOAT, lambda a, b: cv2.gemm(a, b, 1.5, None, 0), (SQUARE, SQUARE.T.copy())
    yield "mulTransposed", FLOAT, lambda a: cv2.mulTransposed(a, True), (SQUARE,)
    yield "dft", FLOAT, lambda a: cv2.dft(a, flags=cv2.DFT_COMPLEX_OUTPUT), (REAL,)
    yield "reduce", FLOAT, lambda a: cv2.reduce(a, 0, cv2.REDUCE_SUM, dtype=cv2.CV_32F), (REAL,)
    yield "sum", FLOAT, lambda a: cv2.sumElems(a), (SMOOTH,)
    yield "norm", FLOAT, lambda a: cv2.norm(a, cv2.NORM_L2), (REAL,)
    yield "meanStdDev", FLOAT, lambda a: numpy.hstack([to_array(part) for part in cv2.meanStdDev(a)]), (SMOOTH,)
    yield "minMaxLoc", EXACT, lambda a: cv2.minMaxLoc(a)[:2], (REAL,)
    yield "countNonZero", EXACT, lambda a: cv2.countNonZero(a), (NOISE,)
    for code in ("BGR2GRAY", "BGR2YCrCb", "BGR2YUV", "BGR2HSV", "BGR2HLS", "BGR2XYZ", "BGR2RGBA", "BGR2Lab", "BGR2Luv"):
        yield code, 2 if code in ("BGR2Lab", "BGR2Luv") else ROUNDED, lambda a, code=code: cv2.cvtColor(
            a, getattr(cv2, f"COLOR_{code}")), (SMOOTH,)
    yield "blur", ROUNDED, lambda a: cv2.blur(a, (5, 7)), (NOISE,)
    yield "boxFilter", FLOAT, lambda a: cv2.boxFilter(a, cv2.CV_32F, (3, 5)), (REAL,)
    yield "GaussianBlur", ROUNDED, lambda a: cv2.GaussianBlur(a, (7, 7), 1.5), (NOISE,)
    yield "medianBlur", EXACT, lambda a: cv2.medianBlur(a, 5), (NOISE,)
    yield "bilateralFilter", ROUNDED, lambda a: cv2.bilateralFilter(a, 7, 40, 5), (GRAY,)
    yield "filter2D", FLOAT, lambda a: cv2.filter2D(a, -1, OTHER[:5, :5]), (REAL,)
    yield "sepFilter2D", FLOAT, lambda a: cv2.sepFilter2D(a, -1, OTHER[0, :5], OTHER[1, :3]), (REAL,)
    yield "Sobel", FLOAT, lambda a: cv2.Sobel(a, cv2.CV_32F, 1, 0), (REAL,)
    yield "Scharr", FLOAT, lambda a: cv2.Scharr(a, cv2.CV_32F, 0, 1), (REAL,)
    yield "Laplacian", FLOAT, lambda a: cv2.Laplacian(a, cv2.CV_32F, ksize=3), (REAL,)
    yield "erode", EXACT, lambda a: cv2.erode(a, KERNEL), (NOISE,)
    yield "dilate", EXACT, lambda a: cv2.dilate(a, KERNEL, iterations=2), (NOISE,)
    yield "morphologyEx", EXACT, lambda a: cv2.morphologyEx(a, cv2.MORPH_TOPHAT, KERNEL), (NOISE,)
    yield "threshold", EXACT, lambda a: cv2.threshold(a, 100, 200, cv2.THRESH_BINARY_INV)[1], (NOISE,)
    yield "Canny", EXACT, lambda a: cv2.Canny(a, 40, 90), (GRAY,)
    yield "cornerHarris", FLOAT, lambda a: cv2.cornerHarris(a, 3, 3, 0.04), (REAL,)
    yield "cornerMinEigenVal", 1e-3, lambda a: cv2.cornerMinEigenVal(a, 3), (REAL,)
    yield "resize", ROUNDED, lambda a: cv2.resize(a, (501, 117), interpolation=cv2.INTER_LINEAR), (GRAY,)
    yield "resize down", ROUNDED, lambda a: cv2.resize(a, (161, 120), interpolation=cv2.INTER_AREA), (GRAY,)
    yield "remap", 2, lambda a: cv2.remap(a, MAP_X, MAP_Y, cv2.INTER_LINEAR), (GRAY,)
    yield "warpAffine", 2, lambda a: cv2.warpAffine(a, AFFINE, (WIDTH, HEIGHT)), (GRAY,)
    yield "warpPerspective", 8, lambda a: cv2.warpPerspective(a, PERSPECTIVE, (WIDTH, HEIGHT)), (GRAY,)
    yield "pyrDown", ROUNDED, lambda a: cv2.pyrDown(a), (GRAY,)
    yield "pyrUp", ROUNDED, lambda a: cv2.pyrUp(a), (GRAY,)
    yield "integral", EXACT, lambda a: cv2.integral(a), (NOISE,)
    yield "calcHist", EXACT, lambda a: cv2.calcHist([a], [0], None, [256], [0, 256]), (NOISE,)
    yield "equalizeHist", ROUNDED, lambda a: cv2.equalizeHist(a), (GRAY,)
    yield "CLAHE", ROUNDED, lambda a: cv2.createCLAHE(3.0, (8, 8)).apply(a), (GRAY,)
    yield "accumulateWeighted", FLOAT, accumulate, (REAL, OTHER)
    for method in ("SQDIFF", "CCORR", "CCORR_NORMED", "CCOEFF_NORMED"):
        yield f"matchTemplate {method}", 1e-3, lambda a, b, method=method: cv2.matchTemplate(
            a, b, getattr(cv2, f"TM_{method}")), (REAL, REAL[50:66, 90:113].copy())
    yield "fastNlMeansDenoising", 2, lambda a: cv2.fastNlMeansDenoising(a, None, 5, 5, 11), (GRAY,)


def accumulate(image, into):
    into = cv2.UMat(into) if isinstance(image, cv2.UMat) else into.copy()
    cv2.accumulateWeighted(image, into, 0.3)
    return into


def to_array(value):
    return numpy.asarray(value.get() if isinstance(value, cv2.UMat) else value, dtype=numpy.float64)


def main():
    device = cv2.ocl.Device.getDefault()
    if not cv2.ocl.useOpenCL():
        print("OpenCV has no OpenCL device")
        return 1
    print(f"device: {device.name()}, {device.vendorName()}")
    passed = failed = 0
    for name, most, function, images in table():
        try:
            wanted = to_array(function(*images))
            got = to_array(function(*map(cv2.UMat, images)))
            difference = numpy.abs(got.reshape(wanted.shape) - wanted).max()
            right = difference <= (most if isinstance(most, int) else most * max(1.0, numpy.abs(wanted).max()))
        except (cv2.error, ValueError) as error:
            difference, right = str(error).strip(), False
        passed += bool(right)
        failed += not right
        print(f"{'ok    ' if right else 'FAILED'} {name}: largest difference {difference}", flush=True)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
