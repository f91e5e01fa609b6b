// Tests samplers in all modes on images of all types, at random positions, at edges and far
// outside. The results equal the specification's formulas bit for bit.
#include "image_fixture.h"

#include <bit>
#include <cmath>
#include <cstring>

using namespace lockstep::test;

namespace {

constexpr size_t places = 2048;

constexpr cl_addressing_mode addressing_modes[] = {CL_ADDRESS_NONE, CL_ADDRESS_CLAMP_TO_EDGE,
                                                   CL_ADDRESS_CLAMP, CL_ADDRESS_REPEAT,
                                                   CL_ADDRESS_MIRRORED_REPEAT};

std::vector<Sampling> all_samplings() {
  std::vector<Sampling> all;
  for (bool normalized : {false, true})
    for (cl_addressing_mode addressing : addressing_modes)
      for (bool linear : {false, true})
        if (normalized ||
            (addressing != CL_ADDRESS_REPEAT && addressing != CL_ADDRESS_MIRRORED_REPEAT))
          all.push_back({normalized, addressing, linear});
  return all;
}

std::string literal(const Sampling &sampling) {
  std::string text =
      sampling.normalized ? "CLK_NORMALIZED_COORDS_TRUE" : "CLK_NORMALIZED_COORDS_FALSE";
  switch (sampling.addressing) {
  case CL_ADDRESS_CLAMP_TO_EDGE:
    text += " | CLK_ADDRESS_CLAMP_TO_EDGE";
    break;
  case CL_ADDRESS_CLAMP:
    text += " | CLK_ADDRESS_CLAMP";
    break;
  case CL_ADDRESS_REPEAT:
    text += " | CLK_ADDRESS_REPEAT";
    break;
  case CL_ADDRESS_MIRRORED_REPEAT:
    text += " | CLK_ADDRESS_MIRRORED_REPEAT";
    break;
  default:
    text += " | CLK_ADDRESS_NONE";
  }
  return text + (sampling.linear ? " | CLK_FILTER_LINEAR" : " | CLK_FILTER_NEAREST");
}

// A type of image, how kernels take its coordinates from four numbers, and its model.
struct Type {
  const char *name;
  cl_mem_object_type cl;
  const char *coordinates;
  int dimensions;
  bool layered;
};
constexpr Type types[] = {{"image1d_t", CL_MEM_OBJECT_IMAGE1D, "at.x", 1, false},
                          {"image1d_array_t", CL_MEM_OBJECT_IMAGE1D_ARRAY, "at.xy", 1, true},
                          {"image2d_t", CL_MEM_OBJECT_IMAGE2D, "at.xy", 2, false},
                          {"image2d_array_t", CL_MEM_OBJECT_IMAGE2D_ARRAY, "at", 2, true},
                          {"image3d_t", CL_MEM_OBJECT_IMAGE3D, "at", 3, false}};

constexpr const char *by_argument = R"(
  kernel void sample(read_only TYPE image, sampler_t sampler, global const float4 *places, global float4 *to) {
    float4 at = places[get_global_id(0)];
    to[get_global_id(0)] = read_imagef(image, sampler, COORDINATES);
  }
  kernel void sample_integer(read_only TYPE image, sampler_t sampler, global const int4 *places, global float4 *to) {
    int4 at = places[get_global_id(0)];
    to[get_global_id(0)] = read_imagef(image, sampler, COORDINATES);
  }
)";

class ImageSampling : public ImageTest {
protected:
  struct Made {
    Memory image;
    Texels texels;
  };

  Made make(const Type &type, const cl_image_format &cl) {
    const Format format(cl);
    Texels texels{type.dimensions, {7, 1, 1}, 1, type.layered, format.border_alpha(), {}};
    cl_image_desc desc = desc_of(type.cl, 7);
    if (type.dimensions >= 2)
      texels.size[1] = int(desc.image_height = 5);
    if (type.dimensions == 3)
      texels.size[2] = int(desc.image_depth = 3);
    if (type.layered)
      texels.layers = int(desc.image_array_size = 4);
    const size_t count = size_t(7 * texels.size[1] * texels.size[2] * texels.layers);
    std::vector<std::byte> content = random_bytes(count * format.bytes);
    if (cl.image_channel_data_type == CL_FLOAT) {
      std::uniform_real_distribution<float> value(-100, 100);
      for (size_t i = 0; i < content.size(); i += 4) {
        const float chosen = value(random_);
        std::memcpy(&content[i], &chosen, 4);
      }
    }
    for (size_t i = 0; i < count; ++i)
      texels.colors.push_back(format.color(&content[i * format.bytes]));
    return {make_image(cl, desc, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, content.data()),
            std::move(texels)};
  }

  // Coordinates inside, at edges, in the middle of texels, and outside if the mode defines that.
  std::vector<std::array<float, 4>> coordinates(const Texels &texels, const Sampling &sampling) {
    std::vector<std::array<float, 4>> all(places);
    for (auto &at : all)
      for (int d = 0; d < 4; ++d) {
        const bool is_layer = texels.layered && d == texels.dimensions;
        const float size = is_layer ? float(texels.layers)
                           : d < 3  ? float(texels.size[size_t(d)])
                                    : 1;
        const float least = sampling.addressing == CL_ADDRESS_NONE ? 0.5f : -2 * size;
        const float most = sampling.addressing == CL_ADDRESS_NONE ? size - 0.5f : 3 * size;
        float value = std::uniform_real_distribution<float>(least, std::max(least, most))(random_);
        const unsigned how = random_() % 4;
        if (how == 0 && sampling.addressing != CL_ADDRESS_NONE)
          value = std::floor(value);
        else if (how == 1)
          value = std::min(std::floor(value) + 0.5f, std::max(least, most));
        else if (how == 2 && sampling.addressing != CL_ADDRESS_NONE && random_() % 8 == 0)
          value *= 1e6f;
        at[size_t(d)] = sampling.normalized && !is_layer ? value / size : value;
      }
    return all;
  }

  void compare(const std::vector<Color> &got, const std::vector<Color> &expected, const char *type,
               const std::string &what) {
    for (size_t i = 0; i < got.size(); ++i)
      for (size_t c = 0; c < 4; ++c)
        ASSERT_TRUE(std::bit_cast<uint32_t>(got[i][c]) == std::bit_cast<uint32_t>(expected[i][c]) ||
                    (std::isnan(got[i][c]) && std::isnan(expected[i][c])))
            << type << ", " << what << ", place " << i << ", component " << c << ": " << got[i][c]
            << " instead of " << expected[i][c];
  }

  Program build_for(const Type &type) {
    return build(
        by_argument,
        ("-DTYPE=" + std::string(type.name) + " -DCOORDINATES=" + type.coordinates).c_str());
  }
};

TEST_F(ImageSampling, ByFloatsGivesWhatTheFormulasGive) {
  for (const Type &type : types) {
    Program program = build_for(type);
    Kernel kernel = make_kernel(program, "sample");
    for (const cl_image_format format :
         {cl_image_format{CL_RGBA, CL_FLOAT}, {CL_R, CL_UNORM_INT8}, {CL_sRGBA, CL_UNORM_INT8}}) {
      const Made made = make(type, format);
      for (const Sampling &sampling : all_samplings()) {
        if (format.image_channel_order != CL_RGBA && sampling.addressing != CL_ADDRESS_CLAMP)
          continue; // these formats test borders and conversion before filtering
        auto at = coordinates(made.texels, sampling);
        Memory from = make_buffer(places * 16, CL_MEM_COPY_HOST_PTR, at.data());
        Memory to = make_buffer(places * 16);
        run(kernel, {places}, made.image, make_sampler(sampling), from, to);
        std::vector<Color> expected;
        for (const auto &place : at)
          expected.push_back(made.texels.sample(sampling, place));
        compare(read<Color>(to, places), expected, type.name, literal(sampling));
      }
    }
  }
}

TEST_F(ImageSampling, ByIntegersGivesTexelsEdgesAndBorders) {
  for (const Type &type : types) {
    Program program = build_for(type);
    Kernel kernel = make_kernel(program, "sample_integer");
    for (const cl_image_format format :
         {cl_image_format{CL_RGBA, CL_FLOAT}, {CL_RG, CL_UNORM_INT16}, {CL_A, CL_HALF_FLOAT}}) {
      const Made made = make(type, format);
      for (cl_addressing_mode addressing :
           {CL_ADDRESS_NONE, CL_ADDRESS_CLAMP_TO_EDGE, CL_ADDRESS_CLAMP}) {
        const Sampling sampling{false, addressing, false};
        std::vector<std::array<int, 4>> at(places);
        for (auto &place : at)
          for (int d = 0; d < 4; ++d) {
            const bool is_layer = type.layered && d == type.dimensions;
            const int size = is_layer ? made.texels.layers
                             : d < 3  ? made.texels.size[size_t(d)]
                                      : 1;
            place[size_t(d)] = int(random_() % unsigned(size));
            if (addressing != CL_ADDRESS_NONE && random_() % 3 == 0)
              place[size_t(d)] = random_() % 8 == 0 ? int(random_()) : int(random_() % 21) - 7;
          }
        Memory from = make_buffer(places * 16, CL_MEM_COPY_HOST_PTR, at.data());
        Memory to = make_buffer(places * 16);
        run(kernel, {places}, made.image, make_sampler(sampling), from, to);
        std::vector<Color> expected;
        for (const auto &place : at)
          expected.push_back(made.texels.read(sampling, place));
        compare(read<Color>(to, places), expected, type.name, literal(sampling));
      }
    }
  }
}

// If neighboring work-items read neighboring texels, the reads take a fast path.
TEST_F(ImageSampling, OfNeighborsGivesTexelsEdgesAndBorders) {
  constexpr const char *source = R"(
    kernel void shifted(read_only image2d_t image, sampler_t sampler, global float4 *to, int dx, int dy) {
      int2 at = (int2)(get_global_id(0), get_global_id(1));
      to[at.y * get_global_size(0) + at.x] = read_imagef(image, sampler, at + (int2)(dx, dy));
    }
  )";
  constexpr int width = 67, height = 9;
  const cl_image_format cl{CL_RGBA, CL_UNORM_INT8};
  const Format format(cl);
  std::vector<std::byte> content = random_bytes(width * height * format.bytes);
  Texels texels{2, {width, height, 1}, 1, false, format.border_alpha(), {}};
  for (size_t i = 0; i < width * height; ++i)
    texels.colors.push_back(format.color(&content[i * format.bytes]));
  Memory image = make_image(cl, desc_of(CL_MEM_OBJECT_IMAGE2D, width, height),
                            CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, content.data());
  Program program = build(source);
  Kernel kernel = make_kernel(program, "shifted");
  Memory to = make_buffer(width * height * 16);
  for (cl_addressing_mode addressing : {CL_ADDRESS_CLAMP_TO_EDGE, CL_ADDRESS_CLAMP}) {
    const Sampling sampling{false, addressing, false};
    const Sampler sampler = make_sampler(sampling);
    for (auto [dx, dy] :
         {std::pair{0, 0}, {-1, -1}, {1, 0}, {3, 2}, {-70, 0}, {0, 100}, {20, -3}}) {
      EXPECT_EQ(clSetKernelArg(kernel, 3, sizeof dx, &dx), CL_SUCCESS);
      EXPECT_EQ(clSetKernelArg(kernel, 4, sizeof dy, &dy), CL_SUCCESS);
      run(kernel, {width, height}, image, sampler, to);
      std::vector<Color> expected;
      for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x)
          expected.push_back(texels.read(sampling, {x + dx, y + dy, 0, 0}));
      compare(read<Color>(to, width * height), expected, "image2d_t", literal(sampling));
    }
  }
}

// One bounds check covers several reads and a write of a work-item; if a coordinate is outside,
// each access has its own check. A read whose coordinate depends on another read cannot be
// included.
TEST_F(ImageSampling, OfSeveralNeighborsGivesTexelsEdgesAndBorders) {
  constexpr const char *source = R"(
    kernel void around(read_only image2d_t image, sampler_t sampler, global float4 *to, write_only image2d_t copy,
                       int dx, int dy) {
      const int2 place = (int2)(get_global_id(0), get_global_id(1)), at = place + (int2)(dx, dy);
      const float4 left = read_imagef(image, sampler, at + (int2)(-1, 0));
      const float4 here = read_imagef(image, sampler, at);
      const float4 below = read_imagef(image, sampler, at + (int2)(2, 1));
      const float4 found = read_imagef(image, sampler, at + convert_int2_rtz(here.xy * 5));
      global float4 *mine = to + 4 * (place.y * get_global_size(0) + place.x);
      mine[0] = left;
      mine[1] = here;
      mine[2] = below;
      mine[3] = found;
      write_imagef(copy, at, left);
    }
  )";
  constexpr int width = 67, height = 9, copy_width = 50, copy_height = 7;
  const cl_image_format cl{CL_RGBA, CL_UNORM_INT8};
  const Format format(cl);
  std::vector<std::byte> content = random_bytes(width * height * format.bytes);
  Texels texels{2, {width, height, 1}, 1, false, format.border_alpha(), {}};
  for (size_t i = 0; i < width * height; ++i)
    texels.colors.push_back(format.color(&content[i * format.bytes]));
  Memory image = make_image(cl, desc_of(CL_MEM_OBJECT_IMAGE2D, width, height),
                            CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, content.data());
  Program program = build(source);
  Kernel kernel = make_kernel(program, "around");
  Memory to = make_buffer(width * height * 4 * 16);
  for (cl_addressing_mode addressing : {CL_ADDRESS_CLAMP_TO_EDGE, CL_ADDRESS_CLAMP}) {
    const Sampling sampling{false, addressing, false};
    const Sampler sampler = make_sampler(sampling);
    for (auto [dx, dy] :
         {std::pair{0, 0}, {-1, -1}, {1, 0}, {3, 2}, {-70, 0}, {0, 100}, {20, -3}}) {
      std::vector<std::byte> old = random_bytes(copy_width * copy_height * format.bytes);
      Memory copy = make_image(cl, desc_of(CL_MEM_OBJECT_IMAGE2D, copy_width, copy_height),
                               CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, old.data());
      EXPECT_EQ(clSetKernelArg(kernel, 4, sizeof dx, &dx), CL_SUCCESS);
      EXPECT_EQ(clSetKernelArg(kernel, 5, sizeof dy, &dy), CL_SUCCESS);
      run(kernel, {width, height}, image, sampler, to, copy);
      std::vector<Color> expected, written;
      for (int i = 0; i < copy_width * copy_height; ++i)
        written.push_back(format.color(&old[size_t(i) * format.bytes]));
      for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) {
          const int at[] = {x + dx, y + dy};
          const Color left = texels.read(sampling, {at[0] - 1, at[1], 0, 0});
          const Color here = texels.read(sampling, {at[0], at[1], 0, 0});
          expected.push_back(left);
          expected.push_back(here);
          expected.push_back(texels.read(sampling, {at[0] + 2, at[1] + 1, 0, 0}));
          expected.push_back(
              texels.read(sampling, {at[0] + int(here[0] * 5), at[1] + int(here[1] * 5), 0, 0}));
          if (at[0] >= 0 && at[0] < copy_width && at[1] >= 0 && at[1] < copy_height)
            written[size_t(at[1] * copy_width + at[0])] = left;
        }
      compare(read<Color>(to, width * height * 4), expected, "image2d_t", literal(sampling));
      std::vector<std::byte> now(old.size());
      const size_t origin[3] = {0, 0, 0}, region[3] = {copy_width, copy_height, 1};
      EXPECT_EQ(clEnqueueReadImage(queue_, copy, CL_TRUE, origin, region, 0, 0, now.data(), 0,
                                   nullptr, nullptr),
                CL_SUCCESS);
      std::vector<Color> got;
      for (size_t i = 0; i < written.size(); ++i)
        got.push_back(format.color(&now[i * format.bytes]));
      compare(got, written, "written image2d_t", literal(sampling));
    }
  }
}

// Samplers in the source: in the kernel, at program scope, and passed to a function.
TEST_F(ImageSampling, BySamplersOfTheSourceIsTheSame) {
  const std::vector<Sampling> samplings = all_samplings();
  std::string source = "float4 through(read_only image2d_t image, sampler_t sampler, float2 at) {\n"
                       "  return read_imagef(image, sampler, at);\n}\n";
  for (size_t i = 0; i < samplings.size(); ++i) {
    const std::string number = std::to_string(i), value = literal(samplings[i]);
    source += "constant sampler_t of_program" + number + " = " + value + ";\n" +
              "kernel void sample" + number +
              "(read_only image2d_t image, global const float4 *places, global float4 *to) {\n"
              "  const sampler_t of_kernel = " +
              value +
              ";\n"
              "  size_t i = get_global_id(0);\n"
              "  to[i] = i % 3 == 0 ? read_imagef(image, of_program" +
              number +
              ", places[i].xy)\n"
              "        : i % 3 == 1 ? read_imagef(image, of_kernel, places[i].xy)\n"
              "                     : through(image, of_kernel, places[i].xy);\n}\n";
  }
  Program program = build(source.c_str());
  const Made made = make(types[2], {CL_RGBA, CL_FLOAT});
  for (size_t i = 0; i < samplings.size(); ++i) {
    auto at = coordinates(made.texels, samplings[i]);
    Memory from = make_buffer(places * 16, CL_MEM_COPY_HOST_PTR, at.data());
    Memory to = make_buffer(places * 16);
    run(make_kernel(program, ("sample" + std::to_string(i)).c_str()), {places}, made.image, from,
        to);
    std::vector<Color> expected;
    for (const auto &place : at)
      expected.push_back(made.texels.sample(samplings[i], place));
    compare(read<Color>(to, places), expected, "image2d_t", literal(samplings[i]));
  }
}

// The result is undefined, but the read must stay inside the image.
TEST_F(ImageSampling, WhereThereIsNoPlaceStaysInside) {
  Program program = build_for(types[2]);
  Kernel kernel = make_kernel(program, "sample");
  const Made made = make(types[2], {CL_RGBA, CL_FLOAT});
  const float odd[] = {NAN, INFINITY, -INFINITY, 3e38f, -3e38f, 1e-40f};
  std::vector<std::array<float, 4>> at;
  for (float x : odd)
    for (float y : odd)
      at.push_back({x, y, 0, 0});
  Memory from = make_buffer(at.size() * 16, CL_MEM_COPY_HOST_PTR, at.data());
  Memory to = make_buffer(at.size() * 16);
  for (const Sampling &sampling : all_samplings()) {
    run(kernel, {at.size()}, made.image, make_sampler(sampling), from, to);
    if (sampling.linear)
      continue;
    for (const Color &color : read<Color>(to, at.size())) {
      bool is_texel = color == Color{0, 0, 0, 0};
      for (const Color &texel : made.texels.colors)
        is_texel |= color == texel;
      EXPECT_TRUE(is_texel) << literal(sampling);
    }
  }
}

// read_imagei and read_imageui with float coordinates return the nearest texel unchanged.
TEST_F(ImageSampling, OfIntegersIsTheNearest) {
  constexpr const char *source = R"(
    kernel void of_int(read_only image3d_t image, sampler_t sampler, global const float4 *places, global int4 *to) {
      to[get_global_id(0)] = read_imagei(image, sampler, places[get_global_id(0)]);
    }
    kernel void of_uint(read_only image3d_t image, sampler_t sampler, global const float4 *places, global uint4 *to) {
      to[get_global_id(0)] = read_imageui(image, sampler, places[get_global_id(0)]);
    }
  )";
  Program program = build(source);
  for (const cl_image_format cl :
       {cl_image_format{CL_RG, CL_SIGNED_INT16}, {CL_RGBA, CL_UNSIGNED_INT8}}) {
    const Format format(cl);
    std::vector<std::byte> content = random_bytes(7 * 5 * 3 * format.bytes);
    // The model stores texel numbers; 0 is the border.
    Texels numbers{3, {7, 5, 3}, 1, false, 0, {}};
    for (int i = 0; i < 7 * 5 * 3; ++i)
      numbers.colors.push_back({float(i + 1), 0, 0, 0});
    Memory image = make_image(cl, desc_of(CL_MEM_OBJECT_IMAGE3D, 7, 5, 3),
                              CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, content.data());
    Kernel kernel =
        make_kernel(program, format.kind == Kind::signed_integer ? "of_int" : "of_uint");
    for (const Sampling &sampling : all_samplings()) {
      if (sampling.linear)
        continue;
      auto at = coordinates(numbers, sampling);
      Memory from = make_buffer(places * 16, CL_MEM_COPY_HOST_PTR, at.data());
      Memory to = make_buffer(places * 16);
      run(kernel, {places}, image, make_sampler(sampling), from, to);
      const auto got = read<std::array<cl_int, 4>>(to, places);
      for (size_t i = 0; i < places; ++i) {
        const auto number = size_t(numbers.sample(sampling, at[i])[0]);
        Integers expected{0, 0, 0, int64_t(format.border_alpha())};
        if (number != 0)
          expected = format.integers(&content[(number - 1) * format.bytes]);
        for (size_t c = 0; c < 4; ++c)
          ASSERT_EQ(uint32_t(got[i][c]), uint32_t(expected[c]))
              << literal(sampling) << ", place " << i;
      }
    }
  }
}

} // namespace
