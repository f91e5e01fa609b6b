// How fast is a loop that each work-item leaves at a different time?
//
// Expectation: at least 8 times the width-1 version on AVX-512. Only iterations that an item needs
// are counted, so idle lanes lower the result. Rival: C++ with the lanes as the inner loop and a
// mask, because no compiler vectorizes the plain loop. Check: contraction may change rounding, and
// near the edge of the set that changes the count. So the sum of all counts must agree within 0.1
// %, and 99 % of the pixels exactly.
#include "benchmarks/harness/data.h"
#include "benchmarks/harness/session.h"
#include "benchmarks/harness/threads.h"
#include "benchmarks/questions.h"

#include <numeric>

namespace lockstep::benchmarks {

namespace {

constexpr uint32_t most = 256;
constexpr float left_edge = -2.0f, top_edge = -1.25f;

struct Data {
  size_t width, height;
  float step;
  std::vector<uint32_t> rounds, expected;
};

uint32_t rounds_at(float x, float y) {
  float a = 0, b = 0;
  uint32_t i = 0;
  while (i < most && a * a + b * b <= 4.0f) {
    const float next = a * a - b * b + x;
    b = 2.0f * a * b + y;
    a = next;
    ++i;
  }
  return i;
}

void sixteen(Data &d, size_t row, size_t column) {
  constexpr size_t lanes = 16;
  float a[lanes] = {}, b[lanes] = {}, x[lanes];
  uint32_t count[lanes] = {};
  const float y = top_edge + float(row) * d.step;
  for (size_t l = 0; l < lanes; ++l)
    x[l] = left_edge + float(column + l) * d.step;
  for (uint32_t i = 0; i < most; ++i) {
    uint32_t alive = 0;
    for (size_t l = 0; l < lanes; ++l) {
      const uint32_t inside = a[l] * a[l] + b[l] * b[l] <= 4.0f;
      const float next = a[l] * a[l] - b[l] * b[l] + x[l];
      b[l] = inside ? 2.0f * a[l] * b[l] + y : b[l];
      a[l] = inside ? next : a[l];
      count[l] += inside;
      alive |= inside;
    }
    if (!alive)
      break;
  }
  for (size_t l = 0; l < lanes; ++l)
    d.rounds[row * d.width + column + l] = count[l];
}

bool verify(const Data &d) {
  const auto sum = [](const std::vector<uint32_t> &v) {
    return std::accumulate(v.begin(), v.end(), 0.0);
  };
  size_t same = 0;
  for (size_t i = 0; i < d.rounds.size(); ++i)
    same += d.rounds[i] == d.expected[i];
  return near(sum(d.rounds) / sum(d.expected), 1, 1e-3) &&
         double(same) >= 0.99 * double(d.rounds.size());
}

} // namespace

Benchmark mandelbrot(Scale scale) {
  auto d = std::make_shared<Data>();
  d->width = size(scale, 2048, 128);
  d->height = size(scale, 2048, 128);
  d->step = 2.5f / float(d->width);
  d->rounds.resize(d->width * d->height);
  d->expected.resize(d->rounds.size());
  for (size_t i = 0; i < d->rounds.size(); ++i)
    d->expected[i] = rounds_at(left_edge + float(i % d->width) * d->step,
                               top_edge + float(i / d->width) * d->step);
  const double all = std::accumulate(d->expected.begin(), d->expected.end(), 0.0);
  Benchmark b{.unit = "Giter/s", .amount = 1e-9 * all};
  b.opencl = [=](Session &s) {
    cl::Kernel k = s.kernel("mandelbrot/mandelbrot.cl", "mandelbrot");
    s.arguments(k, most, left_edge, top_edge, d->step, s.output(d->rounds));
    return [=, &s] { s.launch(k, cl::NDRange(d->width, d->height), cl::NDRange(64, 1)); };
  };
  b.native = [=](Threads &t) {
    return [=, &t] {
      t.share(d->height, 4, [&](size_t begin, size_t end) {
        for (size_t row = begin; row < end; ++row)
          for (size_t column = 0; column < d->width; column += 16)
            sixteen(*d, row, column);
      });
    };
  };
  b.verify = [=] { return verify(*d); };
  return b;
}

} // namespace lockstep::benchmarks
