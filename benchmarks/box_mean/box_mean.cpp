// What do strided async copies cost without a copy engine?
//
// Expectation: within a factor of 1.3 of plain C++ that reads the integral image directly, because
// on a CPU the copy is one more pass over data in the L1 cache.
#include "benchmarks/harness/data.h"
#include "benchmarks/harness/session.h"
#include "benchmarks/harness/threads.h"
#include "benchmarks/questions.h"

namespace lockstep::benchmarks {

namespace {

constexpr uint32_t channels = 3, radius = 4, box = 2 * radius + 1, columns = 256;

struct Data {
  uint32_t width, height, pitch;
  std::vector<uint32_t> integral;
  std::vector<float> mean;

  // Reads the integral image directly.
  float at(size_t x, size_t y, size_t c) const {
    auto sum = [&](size_t i, size_t j) { return integral[(j * pitch + i) * channels + c]; };
    return float((sum(x + box, y + box) - sum(x, y + box)) - (sum(x + box, y) - sum(x, y))) *
           (1.0f / (box * box));
  }
};

std::shared_ptr<Data> make_data(Scale scale) {
  auto d = std::make_shared<Data>();
  d->width = uint32_t(size(scale, 4096, 512));
  d->height = uint32_t(size(scale, 2048, 64));
  d->pitch = d->width + box;
  const size_t lines = d->height + box;
  d->integral.resize(d->pitch * lines * channels);
  for (size_t y = 1; y < lines; ++y)
    for (size_t c = 0; c < channels; ++c) {
      uint32_t row = 0;
      for (size_t x = 1; x < d->pitch; ++x) {
        const size_t i = (y * d->pitch + x) * channels + c;
        row += scramble(i) & 255;
        d->integral[i] = row + d->integral[i - size_t(d->pitch) * channels];
      }
    }
  d->mean.resize(size_t(d->width) * d->height * channels);
  return d;
}

} // namespace

Benchmark box_mean(Scale scale) {
  auto d = make_data(scale);
  Benchmark b{.unit = "Gitem/s", .amount = 1e-9 * double(d->mean.size())};
  b.opencl = [=](Session &s) {
    cl::Kernel k = s.kernel("box_mean/box_mean.cl", "box_mean");
    s.arguments(k, s.input(d->integral), d->pitch, channels, radius, columns, s.output(d->mean),
                d->width, cl::Local(2 * (columns + box) * sizeof(cl_uint)),
                cl::Local(columns * sizeof(float)));
    cl::NDRange global(d->width / columns * 64, channels, d->height);
    return [=, &s] { s.launch(k, global, cl::NDRange(64, 1, 1)); };
  };
  b.native = [=](Threads &t) {
    return [=, &t] {
      t.share(d->height, 8, [&](size_t begin, size_t end) {
        for (size_t y = begin; y < end; ++y)
          for (size_t i = 0; i < size_t(d->width) * channels; ++i) {
            const uint32_t *top = &d->integral[y * d->pitch * channels + i];
            const uint32_t *bottom = top + size_t(box) * d->pitch * channels;
            d->mean[y * d->width * channels + i] =
                float((bottom[box * channels] - bottom[0]) - (top[box * channels] - top[0])) *
                (1.0f / (box * box));
          }
      });
    };
  };
  b.verify = [=] {
    for (size_t i = 0; i < d->mean.size(); i += 7)
      if (!near(d->mean[i], d->at(i / channels % d->width, i / channels / d->width, i % channels),
                1e-4))
        return false;
    return true;
  };
  return b;
}

} // namespace lockstep::benchmarks
