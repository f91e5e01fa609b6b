// What does a sampler that filters pixels of four bytes cost, compared with the same by hand?
//
// Expectation: no more: the addresses are the same, and only the conversion of the pixels remains.
#include "benchmarks/harness/data.h"
#include "benchmarks/harness/session.h"
#include "benchmarks/harness/threads.h"
#include "benchmarks/questions.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

namespace lockstep::benchmarks {

namespace {

using Pixel = std::array<uint8_t, 4>;

struct Data {
  int n, m; // both are square
  std::vector<Pixel> from, to;

  const Pixel &at(int x, int y) const {
    return from[size_t(std::clamp(y, 0, n - 1)) * size_t(n) + size_t(std::clamp(x, 0, n - 1))];
  }
};

template <class Real> struct Place {
  int first;
  Real part;
  Place(int i, const Data &d) {
    const Real place = (Real(i) + Real(0.5)) * (Real(d.n) / Real(d.m)) - Real(0.5);
    first = int(std::floor(place));
    part = place - std::floor(place);
  }
};

template <class Real> Real between(const Data &d, Place<Real> x, Place<Real> y, size_t channel) {
  auto channel_at = [&](int i, int j) { return Real(d.at(x.first + i, y.first + j)[channel]); };
  const Real above = channel_at(0, 0) + (channel_at(1, 0) - channel_at(0, 0)) * x.part;
  const Real below = channel_at(0, 1) + (channel_at(1, 1) - channel_at(0, 1)) * x.part;
  return above + (below - above) * y.part;
}

void row(Data &d, int j) {
  const Place<float> y(j, d);
  for (int i = 0; i < d.m; ++i) {
    const Place<float> x(i, d);
    for (size_t channel = 0; channel < 4; ++channel)
      d.to[size_t(j) * size_t(d.m) + size_t(i)][channel] =
          uint8_t(between(d, x, y, channel) + 0.5f);
  }
}

// Computes in double and accepts a difference of one: at a tie between two numbers, float rounding
// decides.
bool is_right(const Data &d) {
  for (int j = 0; j < d.m; ++j)
    for (int i = 0; i < d.m; ++i)
      for (size_t channel = 0; channel < 4; ++channel) {
        const double expected = between(d, Place<double>(i, d), Place<double>(j, d), channel);
        if (std::fabs(expected - d.to[size_t(j) * size_t(d.m) + size_t(i)][channel]) > 0.6)
          return false;
      }
  return true;
}

using Prepare = std::function<cl::Kernel(Session &, Data &)>;

Benchmark resize(Scale scale, const Prepare &prepare, std::vector<std::string> needs) {
  auto d = std::make_shared<Data>();
  d->n = int(size(scale, 2048, 200));
  d->m = int(size(scale, 3000, 290));
  d->from.resize(size_t(d->n) * size_t(d->n));
  d->to.resize(size_t(d->m) * size_t(d->m));
  for (size_t i = 0; i < d->from.size(); ++i)
    for (size_t channel = 0; channel < 4; ++channel)
      d->from[i][channel] = uint8_t(scramble(4 * i + channel));
  const auto m = size_t(d->m);
  Benchmark b{.unit = "Gpixel/s", .amount = 1e-9 * double(m * m)};
  b.opencl = [=](Session &s) {
    cl::Kernel k = prepare(s, *d);
    return [=, &s] { s.launch(k, cl::NDRange(m, m), cl::NullRange); };
  };
  b.native = [=](Threads &t) {
    return [=, &t] {
      t.split(m, [&](size_t begin, size_t end) {
        for (size_t j = begin; j < end; ++j)
          row(*d, int(j));
      });
    };
  };
  b.verify = [=] { return is_right(*d); };
  b.needs = std::move(needs);
  return b;
}

} // namespace

Benchmark resize_buffer(Scale scale) {
  const auto prepare = [](Session &s, Data &d) {
    cl::Kernel k = s.kernel("resize/resize.cl", "resize_buffer");
    s.arguments(k, s.input(d.from), cl_int(d.n), s.output(d.to), cl_int(d.m));
    return k;
  };
  return resize(scale, prepare, {});
}

Benchmark resize_image(Scale scale) {
  const auto prepare = [](Session &s, Data &d) {
    cl::Kernel k = s.kernel("resize/resize_image.cl", "resize_image");
    const cl::ImageFormat color(CL_RGBA, CL_UNORM_INT8);
    const auto n = size_t(d.n), m = size_t(d.m);
    s.arguments(k, s.input_image(color, n, n, d.from), s.output_image(color, m, m, d.to));
    return k;
  };
  return resize(scale, prepare, {"__opencl_c_images"});
}

} // namespace lockstep::benchmarks
