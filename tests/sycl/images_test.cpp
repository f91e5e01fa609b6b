// Images: accesses of kernels, host tasks and host accessors, compared with the bytes in memory and
// with the formulas of the specification in double.
#include <sycl/sycl.hpp>

#include "check.h"

#include <array>
#include <cmath>
#include <cstring>
#include <optional>

namespace {

using sycl::access_mode;
using sycl::image_format;

const sycl::image_sampler nearest_texel{sycl::addressing_mode::clamp,
                                        sycl::coordinate_normalization_mode::unnormalized,
                                        sycl::filtering_mode::nearest};

// An index of any dimension as the coordinates of a texel.
auto place(sycl::item<1> at) {
  return int(at[0]);
}
auto place(sycl::item<2> at) {
  return sycl::int2(int(at[0]), int(at[1]));
}
auto place(sycl::item<3> at) {
  return sycl::int4(int(at[0]), int(at[1]), int(at[2]), 0);
}
template <int D> int number(const sycl::item<D> &at) {
  int value = 0;
  for (int d = 0; d < D; ++d)
    value = value * 100 + int(at[d]);
  return value;
}

template <int D> void fill_and_double(sycl::range<D> size) {
  const std::size_t texels = size.size();
  std::vector<std::int32_t> memory(texels * 4, -1);
  sycl::queue queue;
  {
    sycl::unsampled_image<D> first(image_format::r32b32g32a32_sint, size);
    sycl::unsampled_image<D> second(memory.data(), image_format::r32b32g32a32_sint, size);
    queue.submit([&](sycl::handler &group) {
      auto to = first.template get_access<sycl::int4, access_mode::write>(group, sycl::no_init);
      group.parallel_for(size, [=](sycl::item<D> at) {
        to.write(place(at), sycl::int4(number(at), int(at[0]), int(at[D - 1]), -1));
      });
    });
    queue.submit([&](sycl::handler &group) { // reads what the first has written
      auto from = first.template get_access<const sycl::int4>(group);
      auto to = second.template get_access<sycl::int4, access_mode::write>(group);
      group.parallel_for(size,
                         [=](sycl::item<D> at) { to.write(place(at), 2 * from.read(place(at))); });
    });
  }
  // The first dimension is contiguous.
  for (std::size_t i = 0; i < texels; ++i) {
    std::size_t rest = i, at[3] = {0, 0, 0};
    for (int d = 0; d < D; rest /= size[d], ++d)
      at[d] = rest % size[d];
    int expected = 0;
    for (int d = 0; d < D; ++d)
      expected = expected * 100 + int(at[d]);
    EXPECT_EQ(memory[4 * i], 2 * expected);
    EXPECT_EQ(memory[4 * i + 1], int(2 * at[0]));
    EXPECT_EQ(memory[4 * i + 2], int(2 * at[D - 1]));
    EXPECT_EQ(memory[4 * i + 3], -2);
  }
}

TEST(kernels_write_and_read_texels) {
  fill_and_double<1>({57});
  fill_and_double<2>({33, 7});
  fill_and_double<3>({19, 5, 3});
}

// Texels of a row of bytes, read by a kernel and a host accessor; the kernel also writes them to
// another image.
template <class Texel>
std::vector<Texel> read_all(image_format format, std::vector<unsigned char> &bytes,
                            std::size_t texels) {
  std::vector<Texel> result(texels);
  std::vector<unsigned char> copied(bytes.size());
  sycl::queue queue;
  {
    sycl::unsampled_image<1> image(bytes.data(), format, sycl::range<1>(texels));
    sycl::unsampled_image<1> other(copied.data(), format, sycl::range<1>(texels));
    sycl::buffer<Texel> buffer(result.data(), sycl::range<1>(texels));
    queue.submit([&](sycl::handler &group) {
      auto from = image.get_access<Texel, access_mode::read>(group);
      auto copy = other.get_access<Texel, access_mode::write>(group);
      sycl::accessor to(buffer, group, sycl::write_only);
      group.parallel_for(sycl::range<1>(texels), [=](sycl::item<1> at) {
        to[at] = from.read(int(at));
        copy.write(int(at), from.read(int(at)));
      });
    });
    sycl::host_accessor kernels(buffer, sycl::read_only);
    auto host = image.get_host_access<Texel, access_mode::read>();
    for (std::size_t i = 0; i < texels; ++i)
      for (int c = 0; c < 4; ++c)
        EXPECT(host.read(int(i))[c] == kernels[i][c] || kernels[i][c] != kernels[i][c]);
  }
  EXPECT(copied == bytes);
  return result;
}

template <class Channel> std::vector<unsigned char> all_values(std::size_t texels) {
  std::vector<Channel> values(texels * 4);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = Channel(sizeof(Channel) == 1 ? i : i * 2654435761u >> 7);
  std::vector<unsigned char> bytes(values.size() * sizeof(Channel));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

template <class Channel, class Texel> void expect_channels(image_format format, double one) {
  const std::size_t texels = 64;
  std::vector<unsigned char> bytes = all_values<Channel>(texels);
  const std::vector<Texel> got = read_all<Texel>(format, bytes, texels);
  const bool swaps = format == image_format::b8g8r8a8_unorm;
  for (std::size_t i = 0; i < texels; ++i)
    for (int c = 0; c < 4; ++c) {
      const int in_memory = swaps && c < 3 ? 2 - c : c;
      Channel channel;
      std::memcpy(&channel, bytes.data() + (4 * i + in_memory) * sizeof channel, sizeof channel);
      using element = typename Texel::element_type;
      EXPECT_EQ(double(got[i][c]), double(element(double(channel) / one)));
    }
}

TEST(formats_hold_what_they_say) {
  using sycl::float4, sycl::int4, sycl::uint4;
  expect_channels<std::uint8_t, float4>(image_format::r8g8b8a8_unorm, 255);
  expect_channels<std::uint8_t, float4>(image_format::b8g8r8a8_unorm, 255);
  expect_channels<std::uint16_t, float4>(image_format::r16g16b16a16_unorm, 65535);
  expect_channels<std::int8_t, int4>(image_format::r8g8b8a8_sint, 1);
  expect_channels<std::int16_t, int4>(image_format::r16g16b16a16_sint, 1);
  expect_channels<std::int32_t, int4>(image_format::r32b32g32a32_sint, 1);
  expect_channels<std::uint8_t, uint4>(image_format::r8g8b8a8_uint, 1);
  expect_channels<std::uint16_t, uint4>(image_format::r16g16b16a16_uint, 1);
  expect_channels<std::uint32_t, uint4>(image_format::r32b32g32a32_uint, 1);
}

TEST(formats_of_floating_point) {
  std::vector<sycl::half> halves = {0.5f, -2.0f, 65504.0f, 0.0f, 1.0f, 3.0f, -0.25f, 1024.0f};
  std::vector<unsigned char> bytes(halves.size() * 2);
  std::memcpy(bytes.data(), halves.data(), bytes.size());
  const auto as_half = read_all<sycl::half4>(image_format::r16b16g16a16_sfloat, bytes, 2);
  const auto as_float = read_all<sycl::float4>(image_format::r16b16g16a16_sfloat, bytes, 2);
  for (int i = 0; i < 8; ++i) {
    EXPECT_EQ(float(as_half[i / 4][i % 4]), float(halves[i]));
    EXPECT_EQ(as_float[i / 4][i % 4], float(halves[i]));
  }
  const float floats[4] = {1e30f, -1e-30f, 0.1f, 7};
  bytes.resize(16);
  std::memcpy(bytes.data(), floats, 16);
  const auto read = read_all<sycl::float4>(image_format::r32g32b32a32_sfloat, bytes, 1);
  for (int c = 0; c < 4; ++c)
    EXPECT_EQ(read[0][c], floats[c]);
}

// ---- samplers

constexpr int width = 5, height = 4;

double texel_at(int x, int y) {
  return 10 * x + y * y;
}

// OpenCL C, "Image addressing and filtering", in one dimension: the texels and their weights.
struct Weights {
  int at[2];
  double weight[2];
};
Weights weights(const sycl::image_sampler &sampler, double s, int size) {
  const bool normalized = sampler.coordinate == sycl::coordinate_normalization_mode::normalized;
  double u = normalized ? s * size : s;
  if (sampler.addressing == sycl::addressing_mode::repeat)
    u = (s - std::floor(s)) * size;
  if (sampler.addressing == sycl::addressing_mode::mirrored_repeat)
    u = std::fabs(s - 2 * std::rint(0.5 * s)) * size;
  Weights result{};
  if (sampler.filtering == sycl::filtering_mode::nearest) {
    result = {{int(std::floor(u)), 0}, {1, 0}};
  } else {
    const int first = int(std::floor(u - 0.5));
    const double part = u - 0.5 - first;
    result = {{first, first + 1}, {1 - part, part}};
  }
  for (int &at : result.at) {
    if (sampler.addressing == sycl::addressing_mode::repeat)
      at = (at + size) % size;
    else if (sampler.addressing != sycl::addressing_mode::clamp)
      at = std::min(std::max(at, 0), size - 1);
  }
  return result;
}

double sampled(const sycl::image_sampler &sampler, double s, double t) {
  const Weights x = weights(sampler, s, width), y = weights(sampler, t, height);
  double sum = 0;
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j)
      if (x.at[i] >= 0 && x.at[i] < width && y.at[j] >= 0 && y.at[j] < height)
        sum += x.weight[i] * y.weight[j] * texel_at(x.at[i], y.at[j]);
  return sum; // outside is the border color, 0
}

void expect_samples(const sycl::image_sampler &sampler, double least, double step) {
  std::vector<float> memory(width * height * 4, 0.0f);
  for (int i = 0; i < width * height; ++i)
    memory[4 * i] = float(texel_at(i % width, i / width));
  constexpr int count = 23;
  std::vector<float> got(count * count), on_host(count * count);
  auto coordinate = [=](std::size_t i) { return float(least + step * double(i)); };
  {
    sycl::sampled_image<2> image(memory.data(), image_format::r32g32b32a32_sfloat, sampler,
                                 {width, height});
    sycl::buffer<float, 2> buffer(got.data(), {count, count});
    sycl::queue().submit([&](sycl::handler &group) {
      auto from = image.get_access<sycl::float4>(group);
      sycl::accessor to(buffer, group, sycl::write_only);
      group.parallel_for(sycl::range<2>(count, count), [=](sycl::item<2> at) {
        to[at] = from.read(sycl::float2(coordinate(at[1]), coordinate(at[0]))).x();
      });
    });
    auto host = image.get_host_access<sycl::float4>();
    for (std::size_t i = 0; i < got.size(); ++i)
      on_host[i] = host.read(sycl::float2(coordinate(i % count), coordinate(i / count))).x();
  }
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double expected = sampled(sampler, coordinate(i % count), coordinate(i / count));
    EXPECT(std::fabs(got[i] - expected) < 1e-3);
    EXPECT_EQ(on_host[i], got[i]);
  }
}

TEST(samplers_find_their_texels) {
  using mode = sycl::addressing_mode;
  using filter = sycl::filtering_mode;
  const auto unnormalized = sycl::coordinate_normalization_mode::unnormalized;
  const auto normalized = sycl::coordinate_normalization_mode::normalized;
  expect_samples({mode::clamp, unnormalized, filter::nearest}, -3.13, 0.47);
  expect_samples({mode::clamp_to_edge, unnormalized, filter::linear}, -3.13, 0.47);
  expect_samples({mode::clamp, normalized, filter::linear}, -0.6, 0.093);
  expect_samples({mode::repeat, normalized, filter::nearest}, -1.61, 0.137);
  expect_samples({mode::repeat, normalized, filter::linear}, -1.61, 0.137);
  expect_samples({mode::mirrored_repeat, normalized, filter::linear}, -1.61, 0.137);
  expect_samples({mode::none, unnormalized, filter::nearest}, 0.03, 0.17);
}

// A launch searches the bytes of a function object for descriptors. Padding may contain stale stack
// data that only looks like one; it must not change adjacent members.
TEST(what_looks_like_an_accessor_is_left_alone) {
  std::vector<float> memory(4, 1.0f);
  sycl::sampled_image<1> image(memory.data(), image_format::r32g32b32a32_sfloat, nearest_texel,
                               sycl::range<1>(1));
  using accessor = sycl::sampled_image_accessor<sycl::float4, 1, sycl::image_target::device>;
  constexpr std::size_t count = sizeof(accessor) / sizeof(std::uint64_t);
  std::vector<std::uint64_t> got(count);
  float texel = 0;
  {
    sycl::buffer<std::uint64_t> buffer(got);
    sycl::buffer<float> texels(&texel, 1);
    sycl::queue().submit([&](sycl::handler &group) {
      const accessor from(image, group);
      std::uint64_t words[count];
      std::memcpy(words, static_cast<const void *>(&from), sizeof words);
      std::array<std::uint64_t, 2 * count> pairs{};
      for (std::size_t i = 0; i < count; ++i) {
        pairs[2 * i] = words[i];
        pairs[2 * i + 1] = 1000 + i;
      }
      sycl::accessor to(buffer, group);
      sycl::accessor texel_to(texels, group);
      group.single_task([=] {
        for (std::size_t i = 0; i < count; ++i)
          to[i] = pairs[2 * i + 1];
        texel_to[0] = from.read(0.5f).x();
      });
    });
  }
  EXPECT_EQ(texel, 1.0f);
  for (std::size_t i = 0; i < count; ++i)
    EXPECT_EQ(got[i], 1000 + i);
}

// ---- memory

TEST(rows_and_slices_have_pitches) {
  constexpr std::size_t row = 6 * 4, slice = 5 * row;
  std::vector<unsigned char> memory(2 * slice, 0xee);
  {
    sycl::unsampled_image<3> image(memory.data(), image_format::r8g8b8a8_uint, {3, 4, 2},
                                   {row, slice});
    EXPECT_EQ(image.get_pitch()[0], row);
    EXPECT_EQ(image.get_pitch()[1], slice);
    EXPECT_EQ(image.size(), 24u);
    EXPECT_EQ(image.byte_size(), 2 * slice);
    sycl::queue().submit([&](sycl::handler &group) {
      auto to = image.get_access<sycl::uint4, access_mode::write>(group);
      group.parallel_for(sycl::range<3>(3, 4, 2), [=](sycl::item<3> at) {
        to.write(place(at), sycl::uint4(unsigned(number(at) % 199)));
      });
    });
  }
  for (std::size_t i = 0; i < memory.size(); ++i) {
    const std::size_t x = i % row / 4, y = i % slice / row, z = i / slice;
    const bool inside = x < 3 && y < 4;
    EXPECT_EQ(int(memory[i]), int(inside ? (x * 10000 + y * 100 + z) % 199 : 0xee));
  }
}

TEST(contents_go_where_they_are_sent) {
  std::vector<float> own(8, 1.0f), final(8, 0.0f);
  auto shared = std::make_shared<std::array<float, 8>>();
  auto write = [](auto &image, float value) {
    auto host = image.template get_host_access<sycl::float4>();
    host.write(1, sycl::float4(value));
    EXPECT_EQ(host.read(1).z(), value);
  };
  const auto format = image_format::r32g32b32a32_sfloat;
  {
    sycl::unsampled_image<> image(own.data(), format, {2});
    image.set_write_back(false);
    write(image, 2);
  }
  EXPECT_EQ(own[4], 1.0f);
  {
    sycl::unsampled_image<> image(own.data(), format, {2});
    image.set_final_data(final.begin());
    write(image, 3);
  }
  EXPECT_EQ(own[4], 1.0f);
  EXPECT_EQ(final[4], 3.0f);
  EXPECT_EQ(final[0], 1.0f);
  {
    sycl::unsampled_image<> image(std::shared_ptr<void>(shared, shared->data()), format, {2});
    write(image, 4);
    sycl::unsampled_image<> none(format, {2});
    none.set_final_data(std::weak_ptr<std::array<float, 8>>(shared));
    none.set_final_data(nullptr);
    write(none, 5);
  }
  EXPECT_EQ((*shared)[4], 4.0f);
  std::mutex mutex;
  {
    sycl::unsampled_image<> image(own.data(), format, {2}, sycl::property::image::use_mutex(mutex));
    EXPECT(image.has_property<sycl::property::image::use_mutex>());
    write(image, 6);
  }
  EXPECT_EQ(own[4], 6.0f);
}

TEST(host_tasks_read_and_write) {
  sycl::unsampled_image<2> image(image_format::r16g16b16a16_uint, {4, 3});
  sycl::queue queue;
  queue.submit([&](sycl::handler &group) {
    auto to = image.get_access<sycl::uint4, access_mode::write, sycl::image_target::host_task>(
        group, sycl::no_init);
    group.host_task([=] {
      for (int i = 0; i < 12; ++i)
        to.write(sycl::int2(i % 4, i / 4), sycl::uint4(unsigned(i)));
    });
  });
  unsigned sum = 0;
  {
    sycl::buffer<unsigned> buffer(&sum, 1);
    queue.submit([&](sycl::handler &group) {
      auto from = image.get_access<sycl::uint4, access_mode::read>(group);
      sycl::accessor to(buffer, group);
      group.single_task([=] {
        for (int y = -1; y < 4; ++y) // outside is 0
          for (int x = -1; x < 5; ++x)
            if (x >= 0 && x < 4 && y >= 0 && y < 3)
              to[0] += from.read(sycl::int2(x, y)).y();
      });
    });
  }
  EXPECT_EQ(sum, 66u);
}

TEST(accessors_are_values) {
  sycl::unsampled_image<1> image(image_format::r32b32g32a32_uint, {3}), other = image;
  EXPECT(image == other);
  EXPECT_EQ(std::hash<sycl::unsampled_image<1>>()(image),
            std::hash<sycl::unsampled_image<1>>()(other));
  auto host = image.get_host_access<const sycl::uint4>();
  sycl::host_unsampled_image_accessor<sycl::uint4, 1, access_mode::read> same = host;
  EXPECT_EQ(same.size(), 3u);
  const auto copy = host;
  EXPECT(host == copy);
}

TEST(devices_have_images) {
  const sycl::device device;
  EXPECT(device.has(sycl::aspect::image));
  EXPECT(sycl::any_device_has_v<sycl::aspect::image>);
  EXPECT(device.get_info<sycl::info::device::image_support>());
  EXPECT(device.get_info<sycl::info::device::image3d_max_depth>() >= 2048);
}

// ---- mistakes

TEST(wrong_images_are_refused) {
  using sycl::errc;
  const auto format = image_format::r8g8b8a8_unorm;
  EXPECT_THROW(errc::invalid, "0 elements", sycl::unsampled_image<2>(format, {4, 0}));
  EXPECT_THROW(errc::invalid, "elements, not from 1", sycl::unsampled_image<1>(format, {1 << 20}));
  EXPECT_THROW(errc::invalid, "pitch", sycl::unsampled_image<2>(format, {4, 4}, {8}));
  EXPECT_THROW(errc::invalid, "pitch", sycl::unsampled_image<2>(format, {4, 4}, {18}));
  EXPECT_THROW(errc::invalid, "image_format",
               sycl::unsampled_image<1>(static_cast<image_format>(99), {4}));
}

TEST(an_accessor_belongs_to_its_command_group) {
  sycl::sampled_image<1> image(nullptr, image_format::r8g8b8a8_unorm, nearest_texel, {4});
  sycl::queue queue;
  using accessor = sycl::sampled_image_accessor<sycl::float4, 1>;
  std::optional<accessor> kept;
  queue.submit([&](sycl::handler &group) { kept.emplace(image, group); });
  EXPECT_THROW(sycl::errc::kernel_argument, "accessor", queue.submit([&](sycl::handler &group) {
    group.single_task([from = *kept] { (void)from.read(0.0f); });
  }));
  EXPECT_THROW(sycl::errc::invalid, "no_init", queue.submit([&](sycl::handler &group) {
    sycl::unsampled_image<1> other(image_format::r8g8b8a8_unorm, {4});
    (void)other.get_access<sycl::float4, access_mode::read>(group, sycl::no_init);
  }));
}

} // namespace
