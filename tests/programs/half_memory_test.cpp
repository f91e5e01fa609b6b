// Tests all forms of vload_half and vstore_half (OpenCL C 6.15.7) with every half. The inputs also
// include the numbers next to each half and next to each midpoint, which show wrong rounding.
//
// A table of the values of all halves gives the expected results.
#include "half_numbers.h"
#include "opencl_fixture.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <random>

using namespace lockstep::test;

namespace {

constexpr uint16_t infinity = half_infinity, sign_bit = half_sign, untouched = 0xabcd;
constexpr size_t at_once = 48; // elements per work-item: some of every width
constexpr size_t forms = 12;   // scalar and five widths, each with and without alignment

template <class T> std::vector<T> inputs() {
  std::vector<T> all;
  auto around = [&](double number) {
    for (double one : {number, -number}) {
      all.push_back(T(one));
      all.push_back(std::nextafter(T(one), std::numeric_limits<T>::infinity()));
      all.push_back(std::nextafter(T(one), -std::numeric_limits<T>::infinity()));
    }
  };
  for (uint16_t half = 0; half != infinity; ++half) {
    around(size_of_half(half));
    around((size_of_half(half) + size_of_half(half + 1)) / 2);
  }
  using Limits = std::numeric_limits<T>;
  for (double one : {size_of_half(infinity), double(Limits::max()), double(Limits::min()),
                     double(Limits::denorm_min()), 0x1.08p-111, 1e-30, 1e30})
    around(one);
  // For double: numbers next to a midpoint, closer than a float can represent.
  for (uint16_t half = 0; half != infinity; half += 7)
    around(std::nextafter((size_of_half(half) + size_of_half(half + 1)) / 2, half % 2 ? 0 : 1e9));
  for (T one : {Limits::infinity(), -Limits::infinity(), Limits::quiet_NaN(), -Limits::quiet_NaN()})
    all.push_back(one);
  using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
  std::mt19937_64 random(1);
  for (int i = 0; i != 20000; ++i)
    all.push_back(std::bit_cast<T>(static_cast<Bits>(random())));
  while (all.size() % (at_once * 64) != 0)
    all.push_back(T(1));
  return all;
}

constexpr const char *source = R"(
#define JOIN(a, b) a##b
#define NAME(a, b) JOIN(a, b)
#define FORM(name, n) \
  for (int j = 0; j < 48 / n; ++j) \
    NAME(NAME(name, n), ROUNDING)(NAME(vload, n)(j, in), j + i * (48 / n), to); \
  to += all;

kernel void store_halves(global const T *in, global half *to, uint all) {
  const size_t i = get_global_id(0);
  in += i * 48;
  for (int j = 0; j < 48; ++j) NAME(vstore_half, ROUNDING)(in[j], i * 48 + j, to);
  to += all;
  to += all; // there is no vstorea_half of one
  FORM(vstore_half, 2) FORM(vstorea_half, 2)
  FORM(vstore_half, 3) FORM(vstorea_half, 3)
  FORM(vstore_half, 4) FORM(vstorea_half, 4)
  FORM(vstore_half, 8) FORM(vstorea_half, 8)
  FORM(vstore_half, 16) FORM(vstorea_half, 16)
}
)";

// Stores halves to every other address space and loads them again.
constexpr const char *memory_source = R"(
#define HALVES(space) (space half *)memory
#define THROUGH(space, n) { \
    space ushort *memory = space##_memory; \
    vstore_half##n(vload##n(0, in), 1, HALVES(space)); \
    vstore_half##n##_rtz(vload##n(0, in), 2, HALVES(space)); \
    vstorea_half##n##_rtp(vload##n(0, in), 3, HALVES(space)); \
    vstorea_half##n##_rtn(vload##n(0, in), 4, HALVES(space)); \
    vstore##n(vload_half##n(1, HALVES(space)), 0, out); out += n; \
    vstore##n(vload_half##n(2, HALVES(space)), 0, out); out += n; \
    vstore##n(vloada_half##n(3, HALVES(space)), 0, out); out += n; \
    vstore##n(vloada_half##n(4, HALVES(space)), 0, out); out += n; \
  }
#define THROUGH1(space) { \
    space ushort *memory = space##_memory; \
    vstore_half(in[0], 1, HALVES(space)); \
    vstore_half_rtz(in[0], 2, HALVES(space)); \
    vstore_half_rtp(in[0], 3, HALVES(space)); \
    vstore_half_rtn(in[0], 4, HALVES(space)); \
    *out++ = vload_half(1, HALVES(space)); \
    *out++ = vload_half(2, HALVES(space)); \
    *out++ = vload_half(3, HALVES(space)); \
    *out++ = vload_half(4, HALVES(space)); \
  }
#define EACH(space) THROUGH1(space) THROUGH(space, 2) THROUGH(space, 3) THROUGH(space, 4) \
  THROUGH(space, 8) THROUGH(space, 16)

kernel void through_memory(global const float *in, global float *out) {
  local ushort all_local[80 * 16] __attribute__((aligned(32)));
  private ushort private_memory[80] __attribute__((aligned(32)));
  local ushort *local_memory = all_local + 80 * get_local_id(0);
  const size_t i = get_global_id(0);
  in += i * 16;
  out += i * 3 * 4 * 34;
  EACH(local)
  EACH(private)
#ifdef __opencl_c_generic_address_space
  generic ushort *generic_memory = i % 2 ? (generic ushort *)local_memory : private_memory;
  EACH(generic)
#endif
}
)";

constexpr const char *load_source = R"(
#define FORM(name, n) \
  for (int j = 0; j < 48 / n; ++j) \
    vstore##n(name##n(j + i * (48 / n), in), j + i * (48 / n), to); \
  to += all;
#define KERNEL(space) \
kernel void load_halves_##space(space const half *in, global float *to, uint all) { \
  const size_t i = get_global_id(0); \
  for (int j = 0; j < 48; ++j) to[i * 48 + j] = vload_half(i * 48 + j, in); \
  to += all; \
  to += all; /* there is no vloada_half of one */ \
  FORM(vload_half, 2) FORM(vloada_half, 2) \
  FORM(vload_half, 3) FORM(vloada_half, 3) \
  FORM(vload_half, 4) FORM(vloada_half, 4) \
  FORM(vload_half, 8) FORM(vloada_half, 8) \
  FORM(vload_half, 16) FORM(vloada_half, 16) \
}
KERNEL(global)
KERNEL(constant)
)";

constexpr const char *form_names[forms] = {"1", "aligned 1", "2", "aligned 2", "3",  "aligned 3",
                                           "4", "aligned 4", "8", "aligned 8", "16", "aligned 16"};
constexpr size_t unused = 1;
constexpr size_t aligned_3 = 5; // its vectors of 3 have a stride of 4

class HalfMemory : public DeviceTest {
protected:
  void launch(cl_kernel kernel, cl_mem one, cl_mem other, size_t items, size_t local,
              std::optional<cl_uint> number = std::nullopt) {
    ASSERT_EQ(clSetKernelArg(kernel, 0, sizeof one, &one), CL_SUCCESS);
    ASSERT_EQ(clSetKernelArg(kernel, 1, sizeof other, &other), CL_SUCCESS);
    if (number) {
      ASSERT_EQ(clSetKernelArg(kernel, 2, sizeof *number, &*number), CL_SUCCESS);
    }
    ASSERT_EQ(
        clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &items, &local, 0, nullptr, nullptr),
        CL_SUCCESS);
  }

  template <class T> void store(const char *type) {
    const std::vector<T> in = inputs<T>();
    Memory from = make_buffer(in.size() * sizeof(T));
    write(from, in);
    for (auto [suffix, rounding] : {std::pair{"", Rounding::nearest},
                                    {"_rte", Rounding::nearest},
                                    {"_rtz", Rounding::to_zero},
                                    {"_rtp", Rounding::up},
                                    {"_rtn", Rounding::down}}) {
      SCOPED_TRACE(std::string(type) + suffix);
      store_rounded(in, from, std::string("-DT=") + type + " -DROUNDING=" + suffix, rounding);
    }
  }

  template <class T>
  void store_rounded(const std::vector<T> &in, cl_mem from, const std::string &options,
                     Rounding rounding) {
    const size_t room = in.size() / 3 * 4;
    std::vector<uint16_t> expected(in.size());
    for (size_t i = 0; i != in.size(); ++i)
      expected[i] = std::isnan(in[i]) ? untouched : halves_.rounded(double(in[i]), rounding);
    Memory to = make_buffer(forms * room * 2);
    write(to, std::vector<uint16_t>(forms * room, untouched));
    Program program = build(source, options.c_str());
    launch(make_kernel(program, "store_halves"), from, to, in.size() / at_once, 64, cl_uint(room));
    const std::vector<uint16_t> got = read<uint16_t>(to, forms * room);
    // Gaps and the end of a row are untouched.
    std::vector<uint16_t> row = expected, row_of_aligned_3(room, untouched);
    row.resize(room, untouched);
    for (size_t i = 0; i != in.size(); ++i)
      row_of_aligned_3[i / 3 * 4 + i % 3] = expected[i];
    size_t first_nan = 0;
    while (!std::isnan(in[first_nan]))
      ++first_nan;
    for (size_t form = 0; form != forms; ++form)
      if (form != unused)
        compare(form, in, first_nan, &got[form * room], form == aligned_3 ? row_of_aligned_3 : row);
  }

  // Compares many elements at a time where none is a NaN, which may be any NaN.
  template <class T>
  void compare(size_t form, const std::vector<T> &in, size_t first_nan, const uint16_t *got,
               const std::vector<uint16_t> &row) {
    constexpr size_t many = 64;
    size_t wrong = 0;
    for (size_t place = 0; place != row.size(); ++place) {
      if (place % many == 0 && place + many <= first_nan &&
          std::memcmp(got + place, &row[place], many * sizeof *got) == 0) {
        place += many - 1;
        continue;
      }
      const uint16_t one = got[place];
      const size_t i = form == aligned_3 ? place / 4 * 3 + place % 4 : place;
      const bool is_gap = form == aligned_3 ? place % 4 == 3 : place >= in.size();
      const bool is_right = is_gap              ? one == untouched
                            : std::isnan(in[i]) ? (one & ~sign_bit) > infinity && one != untouched
                                                : one == row[place];
      if (!is_right && wrong++ < 3)
        ADD_FAILURE() << "width " << form_names[form] << ", " << (is_gap ? 0.0 : double(in[i]))
                      << std::hex << ": got " << one;
    }
    EXPECT_EQ(wrong, 0u) << "width " << form_names[form];
  }

  Halves halves_;
};

TEST_F(HalfMemory, StoresFloats) {
  store<float>("float");
}

TEST_F(HalfMemory, StoresDoubles) {
  store<double>("double");
}

TEST_F(HalfMemory, LoadsEveryHalf) {
  constexpr size_t all = 65568, room = all / 3 * 4; // a multiple of 48
  std::vector<uint16_t> in(room);
  for (size_t i = 0; i != room; ++i)
    in[i] = static_cast<uint16_t>(i);
  Memory from = make_buffer(room * 2), to = make_buffer(forms * all * 4);
  write(from, in);
  Program program = build(load_source);
  for (const char *name : {"load_halves_global", "load_halves_constant"}) {
    launch(make_kernel(program, name), from, to, all / at_once, 2, cl_uint(all));
    const std::vector<float> got = read<float>(to, forms * all);
    for (size_t form = 0; form != forms; ++form)
      for (size_t i = 0; form != unused && i != all; ++i) {
        const uint16_t half = in[form == aligned_3 ? i / 3 * 4 + i % 3 : i];
        const uint16_t magnitude = half & ~sign_bit;
        const float size = magnitude == infinity ? std::numeric_limits<float>::infinity()
                                                 : float(size_of_half(magnitude));
        const float one = got[form * all + i];
        if (magnitude > infinity)
          ASSERT_TRUE(std::isnan(one)) << name << ", " << form_names[form] << ", " << half;
        else
          ASSERT_EQ(std::bit_cast<uint32_t>(one),
                    std::bit_cast<uint32_t>(half & sign_bit ? -size : size))
              << name << ", " << form_names[form] << ", " << half;
      }
  }
}

TEST_F(HalfMemory, OtherKindsOfMemory) {
  constexpr size_t items = 256, widths[] = {1, 2, 3, 4, 8, 16}, each = 4 * 34;
  std::vector<float> in;
  std::mt19937 random(3);
  std::uniform_real_distribution<float> fraction(-1, 1);
  for (size_t i = 0; i != items * 16; ++i)
    in.push_back(std::ldexp(fraction(random), int(i % 50) - 30));
  Memory from = make_buffer(in.size() * 4), to = make_buffer(items * 3 * each * 4);
  write(from, in);
  Program program = build(memory_source, "-cl-std=CL3.0");
  launch(make_kernel(program, "through_memory"), from, to, items, 16);
  const std::vector<float> got = read<float>(to, items * 3 * each);
  size_t place = 0;
  for (size_t i = 0; i != items; ++i)
    for (int space = 0; space != 3; ++space)
      for (size_t width : widths)
        for (Rounding rounding :
             {Rounding::nearest, Rounding::to_zero, Rounding::up, Rounding::down})
          for (size_t j = 0; j != width; ++j, ++place) {
            const uint16_t half = halves_.rounded(in[i * 16 + j], rounding);
            const double size = size_of_half(half & ~sign_bit);
            ASSERT_EQ(got[place], half == infinity || half == (infinity | sign_bit)
                                      ? (half & sign_bit ? -INFINITY : INFINITY)
                                      : float(half & sign_bit ? -size : size))
                << "work-item " << i << ", memory " << space << ", width " << width;
          }
}

} // namespace
