// Edges of a picture, from an image and from a buffer.
//
// What it teaches: a sampler defines the pixels beyond the edge of an image, so the kernel on the
// image has no special case for the edge. On a CPU an image is ordinary memory and read_imagef is
// ordinary code; it should not cost more than the kernel on the buffer.
//
// Checked against: the filter in plain C++. The last bit of a gray value may differ, because sqrt
// and the division by 255 may round differently.
#include "example.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>

namespace {

struct Picture {
  int width, height;
  std::vector<uint8_t> grey;
  float at(int x, int y) const {
    return float(grey[size_t(std::clamp(y, 0, height - 1)) * size_t(width) +
                      size_t(std::clamp(x, 0, width - 1))]) /
           255;
  }
};

uint8_t edge(const Picture &picture, int x, int y) {
  auto grey = [&](int dx, int dy) { return picture.at(x + dx, y + dy); };
  const float across =
      grey(1, -1) - grey(-1, -1) + 2 * (grey(1, 0) - grey(-1, 0)) + grey(1, 1) - grey(-1, 1);
  const float down =
      grey(-1, 1) - grey(-1, -1) + 2 * (grey(0, 1) - grey(0, -1)) + grey(1, 1) - grey(1, -1);
  const float size = std::sqrt(across * across + down * down) / 4;
  return uint8_t(std::nearbyint(std::min(size, 1.0f) * 255));
}

bool verify(const Picture &picture, const std::vector<uint8_t> &edges) {
  for (int y = 0; y < picture.height; ++y)
    for (int x = 0; x < picture.width; ++x)
      if (std::abs(int(edges[size_t(y) * size_t(picture.width) + size_t(x)]) -
                   int(edge(picture, x, y))) > 1)
        return false;
  return true;
}

} // namespace

int main(int argc, char **argv) {
  return example::run(argc, argv, [](example::Example &e) {
    if (!e.device.getInfo<CL_DEVICE_IMAGE_SUPPORT>()) {
      e.skip("edges of a picture, image", "no images");
      return;
    }
    Picture picture{int(e.size(4096, 200)), int(e.size(2048, 70)), {}};
    picture.grey.resize(size_t(picture.width) * size_t(picture.height));
    std::mt19937 random(3);
    for (uint8_t &grey : picture.grey)
      grey = uint8_t(random());
    const size_t pixels = picture.grey.size();
    const cl::NDRange all(size_t(picture.width), size_t(picture.height));
    const cl::Program program = e.build("sobel_image.cl");

    const cl::ImageFormat format(CL_R, CL_UNORM_INT8);
    cl::Image2D from(e.context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, format, all[0], all[1], 0,
                     picture.grey.data());
    cl::Image2D to(e.context, CL_MEM_WRITE_ONLY, format, all[0], all[1]);
    cl::Kernel on_image(program, "sobel_image");
    on_image.setArg(0, from);
    on_image.setArg(1, to);
    double seconds = e.seconds([&] { e.queue.enqueueNDRangeKernel(on_image, cl::NullRange, all); });
    std::vector<uint8_t> edges(pixels);
    e.queue.enqueueReadImage(to, CL_TRUE, {0, 0, 0}, {all[0], all[1], 1}, 0, 0, edges.data());
    e.row("edges of a picture, image", verify(picture, edges), seconds, double(pixels) * 1e-9,
          "Gpixel/s");

    cl::Buffer bytes = example::buffer_of(e, picture.grey);
    cl::Buffer result(e.context, CL_MEM_WRITE_ONLY, pixels);
    cl::Kernel on_buffer(program, "sobel_buffer");
    on_buffer.setArg(0, bytes);
    on_buffer.setArg(1, result);
    on_buffer.setArg(2, picture.width);
    on_buffer.setArg(3, picture.height);
    seconds = e.seconds([&] { e.queue.enqueueNDRangeKernel(on_buffer, cl::NullRange, all); });
    e.row("edges of a picture, buffer", verify(picture, example::read<uint8_t>(e, result, pixels)),
          seconds, double(pixels) * 1e-9, "Gpixel/s");
  });
}
