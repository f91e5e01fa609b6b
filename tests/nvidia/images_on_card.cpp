#include "tests/nvidia/images_on_card.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

namespace {

// Products and sums of the program may become one instruction with another result, so the kernels
// whose results are compared have none.
const char *const source = R"(
  constant sampler_t edge = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE |
                            CLK_FILTER_NEAREST;
  kernel void blur(read_only image2d_t from, write_only image2d_t to) {
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    float4 sum = 0;
    for (int y = -1; y <= 1; ++y)
      for (int x = -1; x <= 1; ++x)
        sum += read_imagef(from, edge, at + (int2)(x, y));
    write_imagef(to, at, sum * (1 / 9.0f));
  }
  // The same for rows of texels in a buffer.
  kernel void blur_buffer(global const uchar4 *from, global uchar4 *to) {
    int x = get_global_id(0), y = get_global_id(1), w = get_global_size(0), h = get_global_size(1);
    float4 sum = 0;
    for (int j = -1; j <= 1; ++j)
      for (int i = -1; i <= 1; ++i)
        sum += convert_float4(from[clamp(y + j, 0, h - 1) * w + clamp(x + i, 0, w - 1)]) *
               (1 / 255.0f);
    to[y * w + x] = convert_uchar4_sat_rte(sum * (1 / 9.0f) * 255);
  }
  kernel void sample(read_only image2d_t from, sampler_t sampler, global const float2 *at,
                     global float *to) {
    size_t i = get_global_id(0);
    to[i] = read_imagef(from, sampler, at[i]).x;
  }
  // Layers of an array, and what the same work-item has written before.
  kernel void shift(read_write image2d_array_t image) {
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    for (int layer = 1; layer < (int)get_image_array_size(image); ++layer) {
      atomic_work_item_fence(CLK_IMAGE_MEM_FENCE, memory_order_acq_rel, memory_scope_work_item);
      write_imagei(image, (int4)(at, layer, 0),
                   read_imagei(image, (int4)(at, layer - 1, 0)) + layer);
    }
  })";

void check(cl_int status, const char *what) {
  if (status == CL_SUCCESS)
    return;
  std::printf("FAILED: %s: error %d\n", what, status);
  std::exit(1);
}

bool report(const char *what, bool is_right) {
  std::printf("%-7s %s\n", is_right ? "ok" : "FAILED", what);
  return is_right;
}

struct Texel {
  std::array<unsigned char, 4> c;
  bool operator==(const Texel &) const = default;
};

class Images {
public:
  Images(cl_context context, cl_command_queue card, cl_command_queue other)
      : context_(context), queues_{card, other} {
    cl_int status = 0;
    program_ =
        clCreateProgramWithSource(context, 1, const_cast<const char **>(&source), nullptr, &status);
    check(status, "clCreateProgramWithSource");
    check(clBuildProgram(program_, 0, nullptr, "-cl-std=CL3.0", nullptr, nullptr),
          "clBuildProgram");
  }

  template <class T>
  cl_mem make_image(cl_image_format format, size_t width, size_t height,
                    const std::vector<T> &texels, size_t layers = 0) {
    cl_image_desc desc{};
    desc.image_type = layers ? CL_MEM_OBJECT_IMAGE2D_ARRAY : CL_MEM_OBJECT_IMAGE2D;
    desc.image_width = width;
    desc.image_height = height;
    desc.image_array_size = layers;
    cl_int status = 0;
    cl_mem image = clCreateImage(context_, CL_MEM_COPY_HOST_PTR, &format, &desc,
                                 const_cast<T *>(texels.data()), &status);
    check(status, "clCreateImage");
    return image;
  }
  template <class T> cl_mem make_buffer(const std::vector<T> &values) {
    cl_int status = 0;
    cl_mem buffer = clCreateBuffer(context_, CL_MEM_COPY_HOST_PTR, values.size() * sizeof(T),
                                   const_cast<T *>(values.data()), &status);
    check(status, "clCreateBuffer");
    return buffer;
  }
  template <class... Arguments> cl_kernel kernel(const char *name, Arguments... arguments) {
    cl_int status = 0;
    cl_kernel made = clCreateKernel(program_, name, &status);
    check(status, "clCreateKernel");
    cl_uint index = 0;
    (check(clSetKernelArg(made, index++, sizeof arguments, &arguments), "clSetKernelArg"), ...);
    return made;
  }
  void run(int queue, cl_kernel kernel, size_t width, size_t height) {
    const size_t items[] = {width, height};
    check(clEnqueueNDRangeKernel(queues_[queue], kernel, 2, nullptr, items, nullptr, 0, nullptr,
                                 nullptr),
          "clEnqueueNDRangeKernel");
  }
  void finish(int queue) { check(clFinish(queues_[queue]), "clFinish"); }
  template <class T>
  std::vector<T> read(int queue, cl_mem image, size_t width, size_t height, size_t layers = 1) {
    std::vector<T> texels(width * height * layers);
    const size_t origin[3] = {}, region[] = {width, height, layers};
    check(clEnqueueReadImage(queues_[queue], image, CL_TRUE, origin, region, 0, 0, texels.data(), 0,
                             nullptr, nullptr),
          "clEnqueueReadImage");
    return texels;
  }
  double milliseconds(cl_kernel kernel, size_t width, size_t height) {
    constexpr int launches = 20;
    run(0, kernel, width, height);
    finish(0);
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < launches; ++i)
      run(0, kernel, width, height);
    finish(0);
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin)
               .count() /
           launches;
  }
  cl_context context() const { return context_; }
  cl_command_queue card() const { return queues_[0]; }

private:
  const cl_context context_;
  const cl_command_queue queues_[2];
  cl_program program_ = nullptr;
};

std::vector<Texel> random_texels(size_t count) {
  std::mt19937 random(7);
  std::vector<Texel> texels(count);
  for (Texel &texel : texels)
    for (unsigned char &channel : texel.c)
      channel = (unsigned char)random();
  return texels;
}

std::vector<Texel> blurred(const std::vector<Texel> &from, size_t width, size_t height) {
  std::vector<Texel> to(from.size());
  const auto clamped = [](size_t at, int by, size_t size) {
    return size_t(std::clamp<long>(long(at) + by, 0, long(size) - 1));
  };
  for (size_t y = 0; y < height; ++y)
    for (size_t x = 0; x < width; ++x)
      for (int c = 0; c < 4; ++c) {
        float sum = 0;
        for (int j = -1; j <= 1; ++j)
          for (int i = -1; i <= 1; ++i)
            sum += from[clamped(y, j, height) * width + clamped(x, i, width)].c[c] / 255.0f;
        to[y * width + x].c[c] = (unsigned char)std::nearbyint(sum * (1 / 9.0f) * 255.0f);
      }
  return to;
}

constexpr cl_image_format four_bytes = {CL_RGBA, CL_UNORM_INT8};

// The card, the other device and the card again blur an image.
bool blur_on_both(Images &images) {
  constexpr size_t width = 641, height = 383;
  std::vector<Texel> expected = random_texels(width * height);
  cl_mem a = images.make_image(four_bytes, width, height, expected);
  cl_mem b = images.make_image(four_bytes, width, height, expected);
  for (const int turn : {0, 1, 0}) {
    images.run(turn, images.kernel("blur", a, b), width, height);
    images.finish(turn);
    expected = blurred(expected, width, height);
    std::swap(a, b);
  }
  return report("an image blurred by the card and the CPU in turns",
                images.read<Texel>(0, a, width, height) == expected);
}

// Two texels of a row, between which a coordinate lies, and the fraction. -1: outside.
struct Between {
  long first, second;
  float fraction;
};

Between between(float s, long size, cl_addressing_mode mode) {
  float u;
  if (mode == CL_ADDRESS_REPEAT)
    u = (s - std::floor(s)) * float(size) - 0.5f;
  else if (mode == CL_ADDRESS_MIRRORED_REPEAT)
    u = std::fabs(s - 2.0f * std::nearbyint(0.5f * s)) * float(size) - 0.5f;
  else
    u = s * float(size) - 0.5f;
  const float first = std::floor(u);
  long i = long(first), j = i + 1;
  const auto bounded = [&](long at) {
    if (mode == CL_ADDRESS_REPEAT)
      return (at + size) % size;
    if (mode == CL_ADDRESS_CLAMP)
      return at < 0 || at >= size ? -1 : at;
    return std::clamp<long>(at, 0, size - 1);
  };
  return {bounded(i), bounded(j), u - first};
}

bool sample_linearly(Images &images) {
  constexpr long width = 37, height = 21;
  constexpr size_t count = 1 << 16;
  std::mt19937 random(3);
  std::uniform_real_distribution<float> value(-4, 4), place(-1.5f, 2.5f);
  std::vector<float> texels(width * height), result(count);
  std::vector<std::array<float, 2>> at(count);
  for (float &texel : texels)
    texel = value(random);
  for (auto &coordinates : at)
    coordinates = {place(random), place(random)};
  cl_mem from = images.make_image({CL_R, CL_FLOAT}, width, height, texels);
  cl_mem places = images.make_buffer(at), to = images.make_buffer(result);
  bool is_right = true;
  for (const cl_addressing_mode mode : {CL_ADDRESS_CLAMP, CL_ADDRESS_CLAMP_TO_EDGE,
                                        CL_ADDRESS_REPEAT, CL_ADDRESS_MIRRORED_REPEAT}) {
    cl_int status = 0;
    const cl_sampler_properties properties[] = {CL_SAMPLER_ADDRESSING_MODE, mode,
                                                CL_SAMPLER_FILTER_MODE, CL_FILTER_LINEAR, 0};
    cl_sampler sampler = clCreateSamplerWithProperties(images.context(), properties, &status);
    check(status, "clCreateSamplerWithProperties");
    images.run(0, images.kernel("sample", from, sampler, places, to), count, 1);
    check(clEnqueueReadBuffer(images.card(), to, CL_TRUE, 0, count * sizeof(float), result.data(),
                              0, nullptr, nullptr),
          "clEnqueueReadBuffer");
    size_t wrong = 0;
    for (size_t i = 0; i < count; ++i) {
      const Between u = between(at[i][0], width, mode), v = between(at[i][1], height, mode);
      const auto texel = [&](long x, long y) {
        return x < 0 || y < 0 ? 0.0f : texels[size_t(y * width + x)];
      };
      const float a = u.fraction, b = v.fraction;
      const float expected =
          (1 - a) * (1 - b) * texel(u.first, v.first) + a * (1 - b) * texel(u.second, v.first) +
          (1 - a) * b * texel(u.first, v.second) + a * b * texel(u.second, v.second);
      wrong += expected != result[i];
    }
    if (wrong)
      std::printf("        addressing mode %#x: %zu of %zu samples are wrong\n", mode, wrong,
                  count);
    is_right &= wrong == 0;
  }
  return report("linear samples with four addressing modes", is_right);
}

bool shift_layers(Images &images) {
  constexpr size_t width = 50, height = 30, layers = 6;
  std::vector<std::array<cl_short, 2>> texels(width * height * layers), expected;
  for (size_t i = 0; i < width * height; ++i)
    texels[i] = {cl_short(i), cl_short(-int(i))};
  cl_mem image = images.make_image({CL_RG, CL_SIGNED_INT16}, width, height, texels, layers);
  images.run(0, images.kernel("shift", image), width, height);
  expected = texels;
  for (size_t layer = 1; layer < layers; ++layer)
    for (size_t i = 0; i < width * height; ++i)
      for (int c : {0, 1})
        expected[layer * width * height + i][c] =
            cl_short(expected[(layer - 1) * width * height + i][c] + int(layer));
  return report("an image that a kernel reads and writes",
                images.read<std::array<cl_short, 2>>(0, image, width, height, layers) == expected);
}

void time_images(Images &images) {
  constexpr size_t size = 4096;
  const std::vector<Texel> texels = random_texels(size * size);
  cl_mem from = images.make_image(four_bytes, size, size, texels);
  cl_mem to = images.make_image(four_bytes, size, size, texels);
  const double of_images = images.milliseconds(images.kernel("blur", from, to), size, size);
  cl_mem values = images.make_buffer(texels), result = images.make_buffer(texels);
  const double of_buffers =
      images.milliseconds(images.kernel("blur_buffer", values, result), size, size);
  std::printf("        4096 x 4096 texels of four bytes blurred: image %.3f ms, buffer %.3f ms\n",
              of_images, of_buffers);
}

} // namespace

bool check_images(cl_context context, cl_command_queue card, cl_command_queue other) {
  Images images(context, card, other);
  bool is_right = blur_on_both(images);
  is_right = sample_linearly(images) && is_right;
  is_right = shift_layers(images) && is_right;
  time_images(images);
  return is_right;
}
