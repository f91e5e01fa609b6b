// Narrow types: do 8-bit data use the full register width, or is every pixel an int?
//
// Images: what does it cost to read and write pixels through a sampler and a format, with a bounds
// check for each? Expectation: near the buffer, which has a frame in place of bounds checks.
//
// GB/s count each pixel once in and once out.
#include "benchmarks/harness/data.h"
#include "benchmarks/harness/session.h"
#include "benchmarks/harness/threads.h"
#include "benchmarks/questions.h"

#include <algorithm>
#include <cstdlib>

namespace lockstep::benchmarks {

namespace {

struct Data {
  uint32_t n, pitch;
  std::vector<uint8_t> from, to;
};

// The same computation as in the kernel.
void row(const uint8_t *up, const uint8_t *here, const uint8_t *down, uint8_t *to, size_t n) {
  for (size_t x = 1; x <= n; ++x) {
    const int dx =
        (up[x + 1] + 2 * here[x + 1] + down[x + 1]) - (up[x - 1] + 2 * here[x - 1] + down[x - 1]);
    const int dy = (down[x - 1] + 2 * down[x] + down[x + 1]) - (up[x - 1] + 2 * up[x] + up[x + 1]);
    to[x] = uint8_t(std::min(std::abs(dx) + std::abs(dy), 255));
  }
}

// The expected value, from the two masks.
int expected(const Data &d, size_t x, size_t y) {
  static const int mask[3][3] = {{-1, 0, 1}, {-2, 0, 2}, {-1, 0, 1}};
  int dx = 0, dy = 0;
  for (int j = 0; j < 3; ++j)
    for (int i = 0; i < 3; ++i) {
      const int pixel = d.from[(y + size_t(j)) * d.pitch + x + size_t(i)];
      dx += mask[j][i] * pixel;
      dy += mask[i][j] * pixel;
    }
  return std::min(std::abs(dx) + std::abs(dy), 255);
}

} // namespace

namespace {

using Prepare = std::function<cl::Kernel(Session &, Data &)>;

Benchmark sobel(Scale scale, const Prepare &prepare, std::vector<std::string> needs) {
  auto d = std::make_shared<Data>();
  d->n = uint32_t(size(scale, 4096, 256));
  d->pitch = d->n + 2;
  const size_t n = d->n, pitch = d->pitch;
  d->from.resize(pitch * pitch);
  for (size_t i = 0; i < d->from.size(); ++i)
    d->from[i] = uint8_t(scramble(i));
  d->to.resize(d->from.size());
  Benchmark b{.unit = "GB/s", .amount = 2e-9 * double(n * n)};
  b.opencl = [=](Session &s) {
    cl::Kernel k = prepare(s, *d);
    return [=, &s] { s.launch(k, cl::NDRange(n, n), cl::NDRange(64, 4)); };
  };
  b.native = [=](Threads &t) {
    return [=, &t] {
      t.split(n, [&](size_t begin, size_t end) {
        for (size_t y = begin; y < end; ++y)
          row(&d->from[y * pitch], &d->from[(y + 1) * pitch], &d->from[(y + 2) * pitch],
              &d->to[(y + 1) * pitch], n);
      });
    };
  };
  b.verify = [=] {
    for (size_t y = 0; y < n; ++y)
      for (size_t x = 0; x < n; ++x)
        if (d->to[(y + 1) * pitch + x + 1] != expected(*d, x, y))
          return false;
    return true;
  };
  b.needs = std::move(needs);
  return b;
}

} // namespace

Benchmark sobel(Scale scale) {
  const auto prepare = [](Session &s, Data &d) {
    cl::Kernel k = s.kernel("sobel/sobel.cl", "sobel");
    s.arguments(k, d.pitch, s.input(d.from), s.output(d.to));
    return k;
  };
  return sobel(scale, prepare, {});
}

Benchmark sobel_image(Scale scale) {
  const auto prepare = [](Session &s, Data &d) {
    cl::Kernel k = s.kernel("sobel/sobel_image.cl", "sobel_image");
    const cl::ImageFormat grey(CL_R, CL_UNSIGNED_INT8);
    s.arguments(k, s.input_image(grey, d.pitch, d.pitch, d.from),
                s.output_image(grey, d.pitch, d.pitch, d.to));
    return k;
  };
  return sobel(scale, prepare, {"__opencl_c_images"});
}

} // namespace lockstep::benchmarks
