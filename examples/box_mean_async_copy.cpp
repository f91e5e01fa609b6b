// Box mean of an RGB image, from its integral image, by strided asynchronous copies.
//
// What it teaches: async_work_group_strided_copy and the synchronization that it needs. The kernel
// has three numbered synchronization points:
// 1. A wait for the copy in.
// 2. A barrier between the work-items' use of local memory and the copies that read or overwrite
//    it.
// 3. A wait for the copy out.
// None of them can replace another: wait_group_events orders a copy before the work-items, a
// barrier orders the work-items before a copy.
//
// The last row of the table runs the kernel without barrier 2. That program is wrong. Whether a
// device shows it is luck; the row's note reports the outcome. (The kernel stays within its memory,
// so wrong numbers are the only possible damage.)
//
// Checked against: the sum of each box taken directly from the image, pixel by pixel, without the
// integral image.
#include "example.h"

#include <cmath>

namespace {

struct Image {
  uint32_t width, height, channels, radius;
  std::vector<uint8_t> pixels;

  // Returns 0 outside: at the edges, the mean is that of an image in a black frame.
  uint32_t at(int64_t x, int64_t y, uint32_t channel) const {
    bool inside = x >= 0 && y >= 0 && x < width && y < height;
    return inside ? pixels[(y * width + x) * channels + channel] : 0;
  }
};

// Entry (x, y) is the sum of the framed image left of x and above y; the frame is `radius` wide.
std::vector<uint32_t> integral_image(const Image &image, uint32_t pitch) {
  const uint32_t lines = image.height + 2 * image.radius + 1;
  std::vector<uint32_t> sums(size_t(pitch) * lines * image.channels);
  for (uint32_t c = 0; c < image.channels; ++c)
    for (uint32_t y = 1; y < lines; ++y) {
      uint32_t line = 0;
      for (uint32_t x = 1; x < pitch; ++x) {
        line += image.at(int64_t(x) - 1 - image.radius, int64_t(y) - 1 - image.radius, c);
        sums[(size_t(y) * pitch + x) * image.channels + c] =
            sums[(size_t(y - 1) * pitch + x) * image.channels + c] + line;
      }
    }
  return sums;
}

// Compares about 20,000 pixels, including corners and edges; for a small image, all pixels.
bool verify(const Image &image, const std::vector<float> &mean) {
  const int64_t r = image.radius, step = std::max<int64_t>(1, mean.size() / 20'000);
  for (int64_t i = 0; i < int64_t(mean.size()); i += i + step < int64_t(mean.size()) ? step : 1) {
    int64_t c = i % image.channels, x = i / image.channels % image.width,
            y = i / image.channels / image.width;
    uint32_t sum = 0;
    for (int64_t dy = -r; dy <= r; ++dy)
      for (int64_t dx = -r; dx <= r; ++dx)
        sum += image.at(x + dx, y + dy, c);
    double expected = double(sum) / ((2 * r + 1) * (2 * r + 1));
    if (!(std::abs(mean[i] - expected) <= 1e-4))
      return false;
  }
  return true;
}

} // namespace

int main(int argc, char **argv) {
  return example::run(argc, argv, [](example::Example &e) {
    const uint32_t columns = 256, rows = 16; // per work-group
    Image image{uint32_t(e.size(2048, 512)), uint32_t(e.size(1024, 64)), 3, 4, {}};
    std::mt19937 random(3);
    image.pixels.resize(size_t(image.width) * image.height * image.channels);
    for (uint8_t &pixel : image.pixels)
      pixel = random();

    const uint32_t pitch = image.width + 2 * image.radius + 1;
    std::vector<uint32_t> sums = integral_image(image, pitch);
    cl::Buffer integral = example::buffer_of(e, sums);
    cl::Buffer mean(e.context, CL_MEM_WRITE_ONLY, image.pixels.size() * sizeof(float));

    auto run = [&](const char *options, double &seconds) {
      cl::Kernel kernel(e.build("box_mean_async_copy.cl", options), "box_mean");
      uint32_t arguments[] = {pitch, image.channels, image.radius, columns, rows};
      kernel.setArg(0, integral);
      for (int i = 0; i < 5; ++i)
        kernel.setArg(1 + i, arguments[i]);
      kernel.setArg(6, mean);
      kernel.setArg(7, image.width);
      kernel.setArg(8, cl::Local(4 * (columns + 2 * image.radius + 1) * sizeof(cl_uint)));
      kernel.setArg(9, cl::Local(columns * sizeof(float)));
      cl::NDRange global(image.width / columns * 64, image.channels, image.height / rows);
      seconds = e.seconds([&] {
        e.queue.enqueueNDRangeKernel(kernel, cl::NullRange, global, cl::NDRange(64, 1, 1));
      });
      return verify(image, example::read<float>(e, mean, image.pixels.size()));
    };

    double seconds;
    bool verified = run("", seconds);
    e.row("box mean, async copies", verified, seconds, image.pixels.size() * 1e-9, "Gitem/s");
    bool lucky = run("-DLEAVE_OUT=2", seconds);
    e.skip("box mean without its barrier (wrong on purpose)",
           lucky ? "right here, by luck" : "wrong here, as it should be");
  });
}
