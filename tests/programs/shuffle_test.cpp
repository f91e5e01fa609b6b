// Tests shuffle and shuffle2 for every type and size (OpenCL C 6.15.14). Masks are constant, or
// have any values, of which only the lowest bits count.
#include "opencl_fixture.h"

#include <random>
#include <string>

namespace lockstep::test {
namespace {

constexpr size_t sizes[] = {2, 4, 8, 16}, items = 64, widest = 16;

// A value that is unique among the elements of x and y of that work-item.
template <class T> T element_of(size_t item, size_t place) {
  return T(item * 3 + place);
}

class Shuffle : public DeviceTest {
protected:
  // `places(item, i)` is the i-th element of the kernel's mask.
  template <class T, class Places>
  void check(const std::string &type, const std::string &mask_of, const std::string &body,
             const std::vector<T> &masks, Places places) {
    const std::string source = "kernel void k(global const " + type + " *in, global const " +
                               mask_of + " *masks, global " + type +
                               " *out) {\nsize_t i = get_global_id(0);\n" + body + "}";
    Program program = build(source.c_str());
    Kernel kernel = make_kernel(program, "k");
    std::vector<T> in(items * 2 * widest);
    for (size_t i = 0; i != in.size(); ++i)
      in[i] = element_of<T>(i / (2 * widest), i % (2 * widest));
    const size_t of_an_item = std::size(sizes) * std::size(sizes) * 2 * widest;
    Memory buffers[] = {make_buffer(in.size() * sizeof(T)), make_buffer(masks.size() * sizeof(T)),
                        make_buffer(items * of_an_item * sizeof(T))};
    write(buffers[0], in);
    write(buffers[1], masks);
    for (cl_uint i = 0; i != 3; ++i) {
      cl_mem buffer = buffers[i];
      EXPECT_EQ(clSetKernelArg(kernel, i, sizeof buffer, &buffer), CL_SUCCESS);
    }
    EXPECT_EQ(
        clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &items, nullptr, 0, nullptr, nullptr),
        CL_SUCCESS);
    const auto out = read<T>(buffers[2], items * of_an_item);
    for (size_t item = 0; item != items; ++item) {
      const T *at = &out[item * of_an_item];
      for (size_t m : sizes)
        for (size_t n : sizes)
          for (size_t sources : {1, 2})
            for (size_t i = 0; i != widest; ++i, ++at) {
              if (i >= n)
                continue;
              const size_t place = places(item, i) % (m * sources);
              // y begins behind the widest x
              const size_t there = place < m ? place : widest + place - m;
              ASSERT_EQ(*at, element_of<T>(item, there))
                  << type << n << " of " << sources << " of " << m << ", element " << i;
            }
    }
  }

  // Returns the source for all sizes; `mask(n)` returns the text of a mask.
  template <class Mask> std::string all_sizes(const std::string &type, Mask mask) {
    std::string body;
    size_t at = 0;
    for (size_t m : sizes)
      for (size_t n : sizes)
        for (const char *sources : {"(x", "2(x, y"}) {
          const std::string from = std::to_string(m), to = std::to_string(n);
          body += "{ " + type + from + " x = vload" + from + "(0, in + i * 32), y = vload" + from +
                  "(0, in + i * 32 + 16);\n  vstore" + to + "(shuffle" + sources + ", " + mask(n) +
                  "), 0, out + i * 512 + " + std::to_string(16 * at++) + "); }\n";
        }
    return body;
  }

  template <class T> void check_any_masks(const std::string &type, const std::string &mask_type) {
    std::mt19937 random(5);
    std::vector<T> masks(items * widest);
    for (T &each : masks)
      each = T(random());
    check<T>(
        type, mask_type,
        all_sizes(type,
                  [](size_t n) { return "vload" + std::to_string(n) + "(0, masks + i * 16)"; }),
        masks, [&](size_t item, size_t i) { return size_t(masks[item * widest + i]); });
  }

  template <class T>
  void check_masks_in_the_kernel(const std::string &type, const std::string &mask_type) {
    auto place = [](size_t i) { return i * 7 % 32; };
    check<T>(type, mask_type,
             all_sizes(type,
                       [&](size_t n) {
                         std::string text = "(" + mask_type + std::to_string(n) + ")(";
                         for (size_t i = 0; i != n; ++i)
                           text += (i == 0 ? "" : ", ") + std::to_string(place(i));
                         return text + ")";
                       }),
             std::vector<T>(widest), [&](size_t, size_t i) { return place(i); });
  }
};

TEST_F(Shuffle, ByMasksOfAnyValue) { // one type of each size
  check_any_masks<cl_uchar>("char", "uchar");
  check_any_masks<cl_ushort>("half", "ushort");
  check_any_masks<cl_uint>("float", "uint");
  check_any_masks<cl_ulong>("ulong", "ulong");
}

TEST_F(Shuffle, ByMasksInTheKernel) {
  check_masks_in_the_kernel<cl_uchar>("char", "uchar");
  check_masks_in_the_kernel<cl_uchar>("uchar", "uchar");
  check_masks_in_the_kernel<cl_ushort>("short", "ushort");
  check_masks_in_the_kernel<cl_ushort>("ushort", "ushort");
  check_masks_in_the_kernel<cl_ushort>("half", "ushort");
  check_masks_in_the_kernel<cl_uint>("int", "uint");
  check_masks_in_the_kernel<cl_uint>("uint", "uint");
  check_masks_in_the_kernel<cl_uint>("float", "uint");
  check_masks_in_the_kernel<cl_ulong>("long", "ulong");
  check_masks_in_the_kernel<cl_ulong>("ulong", "ulong");
  check_masks_in_the_kernel<cl_ulong>("double", "ulong");
}

} // namespace
} // namespace lockstep::test
