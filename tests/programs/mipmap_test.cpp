// Tests mipmapped images (cl_khr_mipmap_image, cl_khr_mipmap_image_writes). Commands and kernels
// access each level as an image of its own. Samplers select and mix levels as the specification's
// formulas do, bit for bit.
#include "image_fixture.h"

#include <CL/cl_ext.h>

#include <bit>
#include <cmath>

using namespace lockstep::test;

namespace {

constexpr size_t places = 1024;

// A type of image. Kernels take coordinates from `at`, gradients from `dx` and `dy`, and integer
// coordinates from `place`.
struct Type {
  const char *name;
  cl_mem_object_type cl;
  const char *coordinates, *integers, *part_of_gradient;
  int dimensions;
  bool layered;
  size_t level_coordinate; // index of the level in an origin
};
constexpr Type types[] = {
    {"image1d_t", CL_MEM_OBJECT_IMAGE1D, "at.x", "place.x", ".x", 1, false, 1},
    {"image1d_array_t", CL_MEM_OBJECT_IMAGE1D_ARRAY, "at.xy", "place.xy", ".x", 1, true, 2},
    {"image2d_t", CL_MEM_OBJECT_IMAGE2D, "at.xy", "place.xy", ".xy", 2, false, 2},
    {"image2d_array_t", CL_MEM_OBJECT_IMAGE2D_ARRAY, "at", "place", ".xy", 2, true, 3},
    {"image3d_t", CL_MEM_OBJECT_IMAGE3D, "at", "place", "", 3, false, 3}};

constexpr const char *source = R"(
  kernel void by_lod(read_only TYPE image, sampler_t sampler, global const float4 *places, global float4 *to,
                     global const float *lods) {
    float4 at = places[get_global_id(0)];
    to[get_global_id(0)] = read_imagef(image, sampler, COORDINATES, lods[get_global_id(0)]);
  }
  kernel void by_gradient(read_only TYPE image, sampler_t sampler, global const float4 *places, global float4 *to,
                          global const float4 *x, global const float4 *y) {
    float4 at = places[get_global_id(0)], dx = x[get_global_id(0)], dy = y[get_global_id(0)];
    to[get_global_id(0)] = read_imagef(image, sampler, COORDINATES, dx PART, dy PART);
  }
  kernel void without(read_only TYPE image, sampler_t sampler, global const float4 *places, global float4 *to) {
    float4 at = places[get_global_id(0)];
    to[get_global_id(0)] = read_imagef(image, sampler, COORDINATES);
  }
  // An integer image: signed and unsigned.
  kernel void of_integers(read_only TYPE image, sampler_t sampler, global const float4 *places, global int4 *to,
                          global const float *lods) {
    float4 at = places[get_global_id(0)];
    to[get_global_id(0)] = read_imagei(image, sampler, COORDINATES, lods[get_global_id(0)]);
  }
  kernel void of_naturals(read_only TYPE image, sampler_t sampler, global const float4 *places, global uint4 *to,
                          global const float *lods) {
    float4 at = places[get_global_id(0)];
    to[get_global_id(0)] = read_imageui(image, sampler, COORDINATES, lods[get_global_id(0)]);
  }
  // The work-item's place is one of a box that is larger than any level.
  kernel void number(write_only TYPE image, int lod) {
    int4 place = (int4)(get_global_id(0), get_global_id(1), get_global_id(2), 0);
    write_imagef(image, INTEGERS, lod, (float4)(place.x, place.y, place.z, lod));
  }
  kernel void number_some(write_only TYPE image, int levels) {
    int4 place = (int4)(get_global_id(0), get_global_id(1), get_global_id(2), 0);
    int lod = (place.x + place.y) % (levels + 1); // one that there is not, too
    write_imagef(image, INTEGERS, lod, (float4)(place.x, place.y, place.z, lod));
  }
  kernel void ask(read_only TYPE image, global int *to) { to[0] = get_image_num_mip_levels(image); }
  kernel void ask_of_written(write_only TYPE image, global int *to) { to[0] = get_image_num_mip_levels(image); }
  kernel void ask_of_both(read_write TYPE image, global int *to) { to[0] = get_image_num_mip_levels(image); }
)";

struct LevelSampling {
  Sampling in_level;
  bool mixes;
  float least = 0, last = 1000;
};

// Implements the specification of levels. If two levels are equally near, the finer one is used, as
// in OpenGL.
Color sample(const std::vector<Texels> &levels, const LevelSampling &how,
             const std::array<float, 4> &at, double lod) {
  const auto coarsest = double(levels.size() - 1);
  if (!(lod >= how.least)) // also for NaN
    lod = how.least;
  lod = std::min(std::min(lod, double(how.last)), coarsest);
  lod = std::max(lod, 0.0);
  if (!how.mixes) {
    size_t level = 0;
    while (lod > double(level) + 0.5)
      ++level;
    return levels[level].sample(how.in_level, at);
  }
  const auto fine = size_t(lod);
  const float fraction = float(lod) - float(fine);
  const Color a = levels[fine].sample(how.in_level, at),
              b = levels[std::min(fine + 1, levels.size() - 1)].sample(how.in_level, at);
  Color mixed;
  for (size_t i = 0; i < 4; ++i) {
    volatile float first = (1 - fraction) * a[i], second = fraction * b[i]; // each rounded
    mixed[i] = first + second;
  }
  return mixed;
}

class Mipmaps : public ImageTest {
protected:
  struct Made {
    Type type;
    Format format;
    Memory image;
    std::vector<Texels> levels;
    std::vector<std::vector<std::byte>> contents;
  };

  static std::array<size_t, 3> extent(const Type &type, const Texels &texels) {
    std::array<size_t, 3> extent = {1, 1, 1};
    for (int d = 0; d < type.dimensions; ++d)
      extent[size_t(d)] = size_t(texels.size[size_t(d)]);
    if (type.layered)
      extent[size_t(type.dimensions)] = size_t(texels.layers);
    return extent;
  }

  Made make_empty(const Type &type, const cl_image_format &cl, cl_uint levels) {
    Made made{type, Format(cl), {}, {}, {}};
    cl_image_desc desc = desc_of(type.cl, 29);
    desc.num_mip_levels = levels;
    Texels texels{type.dimensions, {29, 1, 1}, 1, type.layered, made.format.border_alpha(), {}};
    if (type.dimensions >= 2)
      texels.size[1] = int(desc.image_height = 13);
    if (type.dimensions == 3)
      texels.size[2] = int(desc.image_depth = 6);
    if (type.layered)
      texels.layers = int(desc.image_array_size = 3);
    made.image = make_image(cl, desc);
    for (cl_uint i = 0; i < levels; ++i) {
      made.levels.push_back(texels);
      for (int &size : texels.size)
        size = std::max(1, size / 2);
    }
    return made;
  }

  // Writes the levels one by one.
  Made make(const Type &type, const cl_image_format &cl, cl_uint levels) {
    Made made = make_empty(type, cl, levels);
    for (size_t i = 0; i < levels; ++i) {
      Texels &texels = made.levels[i];
      const auto region = extent(type, texels);
      std::vector<std::byte> content(region[0] * region[1] * region[2] * made.format.bytes);
      if (cl.image_channel_data_type == CL_FLOAT) {
        for (size_t k = 0; k < content.size(); k += 4) {
          const float value = std::uniform_real_distribution<float>(-100, 100)(random_);
          std::memcpy(&content[k], &value, 4);
        }
      } else {
        content = random_bytes(content.size());
      }
      for (size_t k = 0; k < content.size(); k += made.format.bytes)
        texels.colors.push_back(made.format.color(&content[k]));
      size_t origin[4] = {};
      origin[type.level_coordinate] = i;
      EXPECT_EQ(clEnqueueWriteImage(queue_, made.image, CL_TRUE, origin, region.data(), 0, 0,
                                    content.data(), 0, nullptr, nullptr),
                CL_SUCCESS);
      made.contents.push_back(std::move(content));
    }
    return made;
  }

  std::vector<std::byte> read_level(const Made &made, size_t level) {
    const auto region = extent(made.type, made.levels[level]);
    std::vector<std::byte> got(region[0] * region[1] * region[2] * made.format.bytes);
    size_t origin[4] = {};
    origin[made.type.level_coordinate] = level;
    EXPECT_EQ(clEnqueueReadImage(queue_, made.image, CL_TRUE, origin, region.data(), 0, 0,
                                 got.data(), 0, nullptr, nullptr),
              CL_SUCCESS);
    return got;
  }

  Sampler make_level_sampler(const LevelSampling &how) {
    const cl_sampler_properties list[] = {
        CL_SAMPLER_NORMALIZED_COORDS,
        how.in_level.normalized,
        CL_SAMPLER_ADDRESSING_MODE,
        how.in_level.addressing,
        CL_SAMPLER_FILTER_MODE,
        cl_sampler_properties(how.in_level.linear ? CL_FILTER_LINEAR : CL_FILTER_NEAREST),
        CL_SAMPLER_MIP_FILTER_MODE_KHR,
        cl_sampler_properties(how.mixes ? CL_FILTER_LINEAR : CL_FILTER_NEAREST),
        CL_SAMPLER_LOD_MIN_KHR,
        std::bit_cast<cl_uint>(how.least),
        CL_SAMPLER_LOD_MAX_KHR,
        std::bit_cast<cl_uint>(how.last),
        0};
    cl_int status = 1;
    Sampler sampler(clCreateSamplerWithProperties(context_, list, &status));
    EXPECT_EQ(status, CL_SUCCESS);
    return sampler;
  }

  std::vector<std::array<float, 4>> coordinates(const Type &type) {
    std::vector<std::array<float, 4>> all(places);
    for (auto &at : all)
      for (size_t d = 0; d < 4; ++d)
        at[d] = type.layered && int(d) == type.dimensions
                    ? float(random_() % 5) - 0.75f
                    : std::uniform_real_distribution<float>(-0.75f, 1.75f)(random_);
    return all;
  }

  // Includes values between two levels, beyond both ends, and NaN.
  std::vector<float> levels_of_detail(size_t levels) {
    std::vector<float> all(places);
    for (size_t i = 0; i < places; ++i) {
      all[i] = std::uniform_real_distribution<float>(-1, float(levels) + 1)(random_);
      if (i % 4 == 0)
        all[i] = std::floor(all[i] * 2) / 2;
    }
    all[0] = NAN;
    all[1] = INFINITY;
    all[2] = -INFINITY;
    return all;
  }

  template <class Values> Memory buffer_of(Values &values) {
    return make_buffer(values.size() * sizeof values[0], CL_MEM_COPY_HOST_PTR, values.data());
  }

  Program build_for(const Type &type) {
    return build(source, ("-cl-std=CL3.0 -DTYPE=" + std::string(type.name) +
                          " -DCOORDINATES=" + type.coordinates + " -DINTEGERS=" + type.integers +
                          " -DPART=" + type.part_of_gradient)
                             .c_str());
  }

  static std::string described(const Type &type, const LevelSampling &how, size_t place) {
    return std::string(type.name) + (how.in_level.linear ? ", linear" : ", nearest") +
           (how.mixes ? ", mixed" : "") + ", place " + std::to_string(place);
  }
};

TEST_F(Mipmaps, ByLodGivesWhatTheFormulasGive) {
  for (const Type &type : types) {
    Program program = build_for(type);
    Kernel kernel = make_kernel(program, "by_lod");
    for (const cl_image_format format :
         {cl_image_format{CL_RGBA, CL_FLOAT}, {CL_R, CL_UNORM_INT8}}) {
      const Made made = make(type, format, type.dimensions == 1 ? 5 : 4);
      for (unsigned choice = 0; choice < 8; ++choice) {
        LevelSampling how{
            {true, cl_addressing_mode(choice % 4 < 2 ? CL_ADDRESS_REPEAT : CL_ADDRESS_CLAMP),
             (choice & 1) != 0},
            (choice & 2) != 0};
        if (choice >= 4) {
          how.least = 0.75f;
          how.last = 2.125f;
        }
        auto at = coordinates(type);
        auto lods = levels_of_detail(made.levels.size());
        Memory from = buffer_of(at), lod = buffer_of(lods), to = make_buffer(places * 16);
        run(kernel, {places}, made.image, make_level_sampler(how), from, to, lod);
        const auto got = read<Color>(to, places);
        for (size_t i = 0; i < places; ++i)
          ASSERT_EQ(got[i], sample(made.levels, how, at[i], double(lods[i])))
              << described(type, how, i) << ", lod " << lods[i];
      }
    }
  }
}

// The longer gradient, in elements of the finest level, has the length 2^lod. The logarithm may
// have an error, so the test skips lods near the boundary between two levels, and allows a
// tolerance for mixed colors.
TEST_F(Mipmaps, ByGradientGivesWhatTheFormulasGive) {
  for (const Type &type : types) {
    Program program = build_for(type);
    Kernel kernel = make_kernel(program, "by_gradient");
    const Made made = make(type, {CL_RGBA, CL_FLOAT}, 4);
    for (bool mixes : {false, true}) {
      const LevelSampling how{{true, CL_ADDRESS_CLAMP_TO_EDGE, true}, mixes};
      auto at = coordinates(type);
      std::vector<std::array<float, 4>> gradients[2];
      for (auto &gradient : gradients) {
        gradient.resize(places);
        for (auto &one : gradient) {
          const float scale = std::exp2(std::uniform_real_distribution<float>(-8, 1)(random_));
          for (float &component : one)
            component = scale * std::uniform_real_distribution<float>(-1, 1)(random_);
        }
      }
      gradients[0][0] = gradients[1][0] = {0, 0, 0, 0};
      Memory from = buffer_of(at), x = buffer_of(gradients[0]), y = buffer_of(gradients[1]),
             to = make_buffer(places * 16);
      run(kernel, {places}, made.image, make_level_sampler(how), from, to, x, y);
      const auto got = read<Color>(to, places);
      size_t compared = 0, levels_seen[4] = {};
      for (size_t i = 0; i < places; ++i) {
        double longest = 0;
        for (const auto &gradient : gradients) {
          double square = 0;
          for (size_t d = 0; d < size_t(type.dimensions); ++d)
            square += std::pow(double(gradient[i][d]) * made.levels[0].size[d], 2);
          longest = std::max(longest, std::sqrt(square));
        }
        const double lod = std::log2(longest);
        const double from_choice = std::fabs(lod - std::floor(lod) - 0.5);
        if (!mixes && lod > 0 && from_choice < 1e-4)
          continue;
        ++compared;
        ++levels_seen[size_t(std::clamp(std::rint(lod), 0.0, 3.0))];
        const Color expected = sample(made.levels, how, at[i], lod);
        for (size_t c = 0; c < 4; ++c)
          ASSERT_NEAR(got[i][c], expected[c], mixes ? 1e-3 : 0.0)
              << described(type, how, i) << ", lod " << lod;
      }
      EXPECT_GT(compared, places * 9 / 10);
      for (size_t seen : levels_seen)
        EXPECT_GT(seen, places / 50) << type.name;
    }
  }
}

TEST_F(Mipmaps, IntegersComeFromTheNearestLevel) {
  for (const Type &type : types) {
    Program program = build_for(type);
    for (bool is_signed : {false, true}) {
      Kernel kernel = make_kernel(program, is_signed ? "of_integers" : "of_naturals");
      const Made made = make(
          type, {CL_RGBA, is_signed ? cl_channel_type(CL_SIGNED_INT16) : CL_UNSIGNED_INT16}, 4);
      // The numbers are small enough for the model's floats to be exact.
      std::vector<Texels> levels = made.levels;
      for (size_t l = 0; l < levels.size(); ++l)
        for (size_t k = 0; k < levels[l].colors.size(); ++k) {
          const Integers numbers = made.format.integers(&made.contents[l][k * made.format.bytes]);
          for (size_t c = 0; c < 4; ++c)
            levels[l].colors[k][c] = float(numbers[c]);
        }
      const LevelSampling how{{true, CL_ADDRESS_REPEAT, false}, false};
      auto at = coordinates(type);
      auto lods = levels_of_detail(levels.size());
      Memory from = buffer_of(at), lod = buffer_of(lods), to = make_buffer(places * 16);
      run(kernel, {places}, made.image, make_level_sampler(how), from, to, lod);
      const auto got = read<std::array<cl_int, 4>>(to, places);
      for (size_t i = 0; i < places; ++i) {
        const Color expected = sample(levels, how, at[i], double(lods[i]));
        for (size_t c = 0; c < 4; ++c)
          ASSERT_EQ(float(got[i][c]), expected[c]) << described(type, how, i);
      }
    }
  }
}

TEST_F(Mipmaps, WithoutLodTheFinestLevelIsMeant) {
  for (const Type &type : types) {
    Program program = build_for(type);
    Kernel kernel = make_kernel(program, "without");
    const Made made = make(type, {CL_RGBA, CL_FLOAT}, 3);
    const LevelSampling how{{true, CL_ADDRESS_REPEAT, true}, true, 1, 2};
    auto at = coordinates(type);
    Memory from = buffer_of(at), to = make_buffer(places * 16);
    run(kernel, {places}, made.image, make_level_sampler(how), from, to);
    const auto got = read<Color>(to, places);
    for (size_t i = 0; i < places; ++i)
      ASSERT_EQ(got[i], made.levels[0].sample(how.in_level, at[i])) << described(type, how, i);
  }
}

// The global size is larger than the level: writes outside have no effect.
TEST_F(Mipmaps, KernelsWriteTheLevelThatTheyName) {
  for (const Type &type : types) {
    Program program = build_for(type);
    for (bool one_level : {true, false}) {
      Kernel kernel = make_kernel(program, one_level ? "number" : "number_some");
      const Made made = make_empty(type, {CL_RGBA, CL_FLOAT}, 4);
      const Color untouched = {-1, -2, -3, -4};
      for (size_t i = 0; i < 4; ++i) {
        size_t origin[4] = {};
        origin[type.level_coordinate] = i;
        EXPECT_EQ(clEnqueueFillImage(queue_, made.image, untouched.data(), origin,
                                     extent(type, made.levels[i]).data(), 0, nullptr, nullptr),
                  CL_SUCCESS);
      }
      const cl_int lod = one_level ? 2 : 4;
      EXPECT_EQ(clSetKernelArg(kernel, 1, sizeof lod, &lod), CL_SUCCESS);
      run(kernel, {35, 17, 8}, made.image);
      for (size_t i = 0; i < 4; ++i) {
        const auto size = extent(type, made.levels[i]);
        const auto bytes = read_level(made, i);
        std::vector<Color> got(bytes.size() / sizeof(Color));
        std::memcpy(got.data(), bytes.data(), bytes.size());
        for (size_t k = 0; k < got.size(); ++k) {
          const size_t x = k % size[0], y = k / size[0] % size[1], z = k / size[0] / size[1];
          const bool one_dimension = type.cl == CL_MEM_OBJECT_IMAGE1D;
          const bool two_dimensions =
              type.cl == CL_MEM_OBJECT_IMAGE2D || type.cl == CL_MEM_OBJECT_IMAGE1D_ARRAY;
          // Work-items differ in coordinates that the type does not have, so only x, or x and y,
          // are determined.
          const bool is_written = one_level ? i == 2 : (x + y) % 5 == i;
          if (one_dimension && !one_level)
            continue; // the last writer's y selects the level
          if (!is_written) {
            ASSERT_EQ(got[k], untouched) << type.name << ", level " << i << ", element " << k;
            continue;
          }
          ASSERT_EQ(got[k][0], float(x)) << type.name;
          ASSERT_EQ(got[k][3], float(i)) << type.name;
          if (!one_dimension)
            ASSERT_EQ(got[k][1], float(y)) << type.name;
          if (!one_dimension && !two_dimensions)
            ASSERT_EQ(got[k][2], float(z)) << type.name;
        }
      }
    }
  }
}

TEST_F(Mipmaps, QueriesTellTheLevels) {
  for (const Type &type : types) {
    Program program = build_for(type);
    for (cl_uint levels : {0u, 1u, 4u}) {
      const Made made = make_empty(type, {CL_R, CL_UNORM_INT8}, std::max(1u, levels));
      cl_image_desc desc = desc_of(type.cl, 29, 13, 6, 3);
      desc.num_mip_levels = levels;
      Memory image = make_image({CL_R, CL_UNORM_INT8}, desc);
      cl_uint told = 99;
      EXPECT_EQ(clGetImageInfo(image, CL_IMAGE_NUM_MIP_LEVELS, sizeof told, &told, nullptr),
                CL_SUCCESS);
      EXPECT_EQ(told, levels);
      for (const char *name : {"ask", "ask_of_written", "ask_of_both"}) {
        Memory to = make_buffer(4);
        run(make_kernel(program, name), {1}, image, to);
        EXPECT_EQ(read<cl_int>(to, 1)[0], cl_int(std::max(1u, levels))) << type.name << name;
      }
    }
  }
  const Sampler sampler = make_level_sampler({{true, CL_ADDRESS_CLAMP, true}, true, 0.5f, 3.25f});
  cl_filter_mode mode = 0;
  cl_float least = 0, last = 0;
  EXPECT_EQ(clGetSamplerInfo(sampler, CL_SAMPLER_MIP_FILTER_MODE_KHR, sizeof mode, &mode, nullptr),
            CL_SUCCESS);
  EXPECT_EQ(clGetSamplerInfo(sampler, CL_SAMPLER_LOD_MIN_KHR, sizeof least, &least, nullptr),
            CL_SUCCESS);
  EXPECT_EQ(clGetSamplerInfo(sampler, CL_SAMPLER_LOD_MAX_KHR, sizeof last, &last, nullptr),
            CL_SUCCESS);
  EXPECT_EQ(mode, cl_filter_mode(CL_FILTER_LINEAR));
  EXPECT_EQ(least, 0.5f);
  EXPECT_EQ(last, 3.25f);
  Sampler plain = make_sampler({true, CL_ADDRESS_CLAMP, true});
  EXPECT_EQ(clGetSamplerInfo(plain, CL_SAMPLER_LOD_MAX_KHR, sizeof last, &last, nullptr),
            CL_SUCCESS);
  EXPECT_EQ(last, MAXFLOAT);
}

// Commands on one level leave the others unchanged. The test reads a part of each level, copies it
// to another level and through a buffer, fills it and maps it. It then compares the whole image.
TEST_F(Mipmaps, CommandsWorkOnTheLevelOfTheirOrigin) {
  for (const Type &type : types) {
    const cl_image_format format{CL_RGBA, CL_UNSIGNED_INT16};
    Made made = make(type, format, 3);
    const size_t bytes = made.format.bytes;
    auto at = [&](size_t level, size_t x) {
      std::array<size_t, 4> origin{x, 0, 0, 0};
      origin[type.level_coordinate] = level;
      return origin;
    };
    const size_t one_row[3] = {3, 1, 1};
    // Copies elements 5 to 7 of level 0's first row to level 2, from element 2 on.
    EXPECT_EQ(clEnqueueCopyImage(queue_, made.image, made.image, at(0, 5).data(), at(2, 2).data(),
                                 one_row, 0, nullptr, nullptr),
              CL_SUCCESS);
    std::memcpy(&made.contents[2][2 * bytes], &made.contents[0][5 * bytes], 3 * bytes);
    // Copies from level 1 through a buffer to level 0.
    Memory buffer = make_buffer(3 * bytes);
    EXPECT_EQ(clEnqueueCopyImageToBuffer(queue_, made.image, buffer, at(1, 4).data(), one_row, 0, 0,
                                         nullptr, nullptr),
              CL_SUCCESS);
    EXPECT_EQ(clEnqueueCopyBufferToImage(queue_, buffer, made.image, 0, at(0, 20).data(), one_row,
                                         0, nullptr, nullptr),
              CL_SUCCESS);
    std::memcpy(&made.contents[0][20 * bytes], &made.contents[1][4 * bytes], 3 * bytes);
    const cl_uint color[4] = {1, 2, 3, 4};
    EXPECT_EQ(clEnqueueFillImage(queue_, made.image, color, at(1, 8).data(), one_row, 0, nullptr,
                                 nullptr),
              CL_SUCCESS);
    for (size_t k = 8; k < 11; ++k)
      for (size_t c = 0; c < 4; ++c) {
        const auto value = cl_ushort(c + 1);
        std::memcpy(&made.contents[1][k * bytes + c * 2], &value, 2);
      }
    const auto region = extent(type, made.levels[2]);
    size_t row = 0, slice = 0;
    cl_int status = 1;
    auto *mapped = static_cast<std::byte *>(
        clEnqueueMapImage(queue_, made.image, CL_TRUE, CL_MAP_WRITE, at(2, 0).data(), region.data(),
                          &row, &slice, 0, nullptr, nullptr, &status));
    ASSERT_EQ(status, CL_SUCCESS);
    EXPECT_EQ(row, region[0] * bytes);
    const bool has_slices = type.layered || type.dimensions == 3;
    EXPECT_EQ(slice, !has_slices ? 0 : type.dimensions == 1 ? row : row * region[1]);
    mapped[bytes] = std::byte(123);
    EXPECT_EQ(clEnqueueUnmapMemObject(queue_, made.image, mapped, 0, nullptr, nullptr), CL_SUCCESS);
    made.contents[2][bytes] = std::byte(123);
    for (size_t level = 0; level < 3; ++level)
      EXPECT_EQ(read_level(made, level), made.contents[level]) << type.name << ", level " << level;
  }
}

TEST_F(Mipmaps, TheExtensionIsReportedAndUsableInOpenCLC12) {
  const std::string extensions = [&] {
    std::string text(1 << 14, '\0');
    EXPECT_EQ(clGetDeviceInfo(device_, CL_DEVICE_EXTENSIONS, text.size(), text.data(), nullptr),
              CL_SUCCESS);
    return " " + std::string(text.c_str()) + " ";
  }();
  for (const char *name : {" cl_khr_mipmap_image ", " cl_khr_mipmap_image_writes "})
    EXPECT_NE(extensions.find(name), std::string::npos) << name;
  for (const char *version : {"-cl-std=CL1.2", "-cl-std=CL2.0"})
    build("#if !defined(cl_khr_mipmap_image) || !defined(cl_khr_mipmap_image_writes)\n"
          "#error\n#endif\n"
          "kernel void k(read_only image2d_t from, sampler_t s, write_only image2d_t to) {"
          " write_imagef(to, (int2)(0), 1, read_imagef(from, s, (float2)(0), 1.0f)); }",
          version);
}

// A sampler in the source uses the nearest level, without limits; also for depth images.
TEST_F(Mipmaps, SamplersOfTheSourceHaveTheDefaults) {
  Program program = build(R"(
    constant sampler_t sampler = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
    kernel void level(read_only image2d_t image, global float *to) {
      to[get_global_id(0)] = read_imagef(image, sampler, (float2)(0.5f), get_global_id(0) * 0.25f).x;
    }
    kernel void depth(read_only image2d_depth_t image, global float *to) {
      to[get_global_id(0)] = read_imagef(image, sampler, (float2)(0.5f), get_global_id(0) * 0.25f) +
                             10 * read_imagef(image, sampler, (float2)(0.5f), (float2)(0.25f, 0), (float2)(0.125f));
    }
  )",
                          "-cl-std=CL3.0");
  cl_image_desc desc = desc_of(CL_MEM_OBJECT_IMAGE2D, 16, 16);
  desc.num_mip_levels = 5;
  Memory image = make_image({CL_R, CL_FLOAT}, desc), to = make_buffer(24 * 4);
  for (size_t level = 0; level < 5; ++level) {
    const size_t origin[3] = {0, 0, level},
                 region[3] = {size_t(16) >> level, size_t(16) >> level, 1};
    const float color[4] = {float(level), 0, 0, 0};
    EXPECT_EQ(clEnqueueFillImage(queue_, image, color, origin, region, 0, nullptr, nullptr),
              CL_SUCCESS);
  }
  run(make_kernel(program, "level"), {24}, image, to);
  const auto got = read<float>(to, 24);
  for (size_t i = 0; i < 24; ++i) // 0, 0.25 and 0.5 are nearest to level 0
    EXPECT_EQ(got[i], std::min(4.0f, std::ceil(float(i) * 0.25f - 0.5f))) << i;
  for (cl_uint levels : {1u, 5u}) {
    desc.num_mip_levels = levels;
    Memory deep = make_image({CL_DEPTH, CL_FLOAT}, desc);
    for (size_t level = 0; level < levels; ++level) {
      const size_t origin[3] = {0, 0, level},
                   region[3] = {size_t(16) >> level, size_t(16) >> level, 1};
      const auto depth = float(level);
      EXPECT_EQ(clEnqueueFillImage(queue_, deep, &depth, origin, region, 0, nullptr, nullptr),
                CL_SUCCESS);
    }
    run(make_kernel(program, "depth"), {24}, deep, to);
    const auto depths = read<float>(to, 24);
    for (size_t i = 0; i < 24; ++i) { // a quarter of 16 texels: level 2
      const float by_lod = levels == 1 ? 0 : std::min(4.0f, std::ceil(float(i) * 0.25f - 0.5f));
      EXPECT_EQ(depths[i], by_lod + (levels == 1 ? 0 : 20)) << i;
    }
  }
}

} // namespace
