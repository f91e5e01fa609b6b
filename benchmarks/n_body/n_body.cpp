// Does an inner loop over uniform data, with a reciprocal square root, use the lanes?
//
// Expectation: at least 8 times the width-1 version on AVX-512, and within a factor of 1.3 of a C++
// loop that was interchanged so that its compiler sees the lanes. Each pair counts as 20
// operations.
#include "benchmarks/harness/data.h"
#include "benchmarks/harness/session.h"
#include "benchmarks/harness/threads.h"
#include "benchmarks/questions.h"

namespace lockstep::benchmarks {

namespace {

struct Data {
  std::vector<float> bodies, result; // four numbers each
};
constexpr float softening = 1e-3f;

// Computes sixteen bodies at a time: the lanes are the inner loop.
void sixteen(Data &d, size_t first) {
  constexpr size_t lanes = 16;
  float mx[lanes], my[lanes], mz[lanes], x[lanes] = {}, y[lanes] = {}, z[lanes] = {};
  for (size_t l = 0; l < lanes; ++l) {
    mx[l] = d.bodies[4 * (first + l)];
    my[l] = d.bodies[4 * (first + l) + 1];
    mz[l] = d.bodies[4 * (first + l) + 2];
  }
  for (size_t i = 0; i < d.bodies.size(); i += 4)
    for (size_t l = 0; l < lanes; ++l) {
      const float dx = d.bodies[i] - mx[l], dy = d.bodies[i + 1] - my[l],
                  dz = d.bodies[i + 2] - mz[l];
      const float inverse = 1.0f / std::sqrt(dx * dx + dy * dy + dz * dz + softening);
      const float strength = d.bodies[i + 3] * inverse * inverse * inverse;
      x[l] += strength * dx;
      y[l] += strength * dy;
      z[l] += strength * dz;
    }
  for (size_t l = 0; l < lanes; ++l) {
    float *to = &d.result[4 * (first + l)];
    to[0] = x[l], to[1] = y[l], to[2] = z[l], to[3] = 0;
  }
}

bool verify(const Data &d) {
  const size_t n = d.bodies.size() / 4;
  for (size_t me = 0; me < n; me += 97) {
    double sum[3] = {};
    for (size_t i = 0; i < n; ++i) {
      double delta[3], square = softening;
      for (int axis = 0; axis < 3; ++axis) {
        delta[axis] = double(d.bodies[4 * i + axis]) - d.bodies[4 * me + axis];
        square += delta[axis] * delta[axis];
      }
      for (int axis = 0; axis < 3; ++axis)
        sum[axis] += d.bodies[4 * i + 3] * delta[axis] / (square * std::sqrt(square));
    }
    for (int axis = 0; axis < 3; ++axis)
      if (!near(d.result[4 * me + axis], sum[axis], 1e-3 * double(n)))
        return false;
  }
  return true;
}

} // namespace

Benchmark n_body(Scale scale) {
  auto d = std::make_shared<Data>();
  const size_t n = size(scale, 16384, 512);
  d->bodies = random_floats(4 * n, 0, 1, 10);
  d->result.resize(4 * n);
  Benchmark b{.unit = "GFLOP/s", .amount = 20e-9 * double(n) * double(n)};
  b.opencl = [=](Session &s) {
    cl::Kernel k = s.kernel("n_body/n_body.cl", "accelerations");
    s.arguments(k, cl_uint(n), softening, s.input(d->bodies), s.output(d->result));
    return [=, &s] { s.launch(k, n, 64); };
  };
  b.native = [=](Threads &t) {
    return [=, &t] {
      t.share(n / 16, 4, [&](size_t begin, size_t end) {
        for (size_t i = begin; i < end; ++i)
          sixteen(*d, 16 * i);
      });
    };
  };
  b.verify = [=] { return verify(*d); };
  return b;
}

} // namespace lockstep::benchmarks
