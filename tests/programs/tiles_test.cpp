// Accesses whose lanes are one row apart, and whose consecutive rows of work-items are one element
// apart, form tiles that are transposed in registers. Tests transposes by stores and by loads with
// every element size and with offsets. Work-groups have as many rows as lanes, more, fewer, or one.
// The surrounding memory must not change.
#include "opencl_fixture.h"

#include <string>

using namespace lockstep::test;

namespace {

constexpr const char *source = R"(
kernel void by_stores(ulong n, global const T *from, global T *to) {
  const size_t x = get_global_id(0), y = get_global_id(1);
  to[x * n + y] = from[y * n + x];
}
kernel void by_loads(ulong n, global const T *from, global T *to) {
  const size_t x = get_global_id(0), y = get_global_id(1);
  to[y * n + x] = from[x * n + y];
}
kernel void both(ulong n, global const T *from, global T *to) {
  const size_t x = get_global_id(0), y = get_global_id(1);
  to[x * n + y] = from[x * n + y] + (T)y;
}
kernel void wide(ulong n, global const T *from, global T *to) { // rows lie in dimension 2
  const size_t x = get_global_id(0), z = get_global_id(2);
  to[x * n + z] = from[z * n + x];
}
)";

struct Shape {
  size_t x, y; // the local size
};

class Tiles : public DeviceTest {
protected:
  template <class T> void try_all(const std::string &type) {
    Program program = build(source, ("-cl-std=CL3.0 -DT=" + type).c_str());
    for (Shape shape : {Shape{16, 16}, {32, 4}, {16, 32}, {16, 1}, {48, 8}})
      for (const char *name : {"by_stores", "by_loads", "both", "wide"})
        run<T>(program, name, shape);
  }

  template <class T> void run(cl_program program, const std::string &name, Shape shape) {
    SCOPED_TRACE(name + ", " + std::to_string(shape.x) + " x " + std::to_string(shape.y));
    const cl_ulong n = 131; // rows have no alignment
    std::vector<T> from(n * n), old(n * n);
    for (size_t i = 0; i < from.size(); ++i) {
      from[i] = T(i * 2654435761u >> 5);
      old[i] = T(i + 77);
    }
    Memory in = make_buffer(from.size() * sizeof(T)), out = make_buffer(old.size() * sizeof(T));
    write(in, from);
    write(out, old);
    Kernel kernel = make_kernel(program, name.c_str());
    cl_mem memories[] = {in, out};
    ASSERT_EQ(clSetKernelArg(kernel, 0, sizeof n, &n), CL_SUCCESS);
    ASSERT_EQ(clSetKernelArg(kernel, 1, sizeof(cl_mem), &memories[0]), CL_SUCCESS);
    ASSERT_EQ(clSetKernelArg(kernel, 2, sizeof(cl_mem), &memories[1]), CL_SUCCESS);
    const unsigned rows = name == "wide" ? 2 : 1;
    size_t offset[3] = {3, 0, 0}, global[3] = {96, 1, 1}, local[3] = {shape.x, 1, 1};
    offset[rows] = 5;
    global[rows] = 64;
    local[rows] = shape.y;
    ASSERT_EQ(clEnqueueNDRangeKernel(queue_, kernel, 3, offset, global, local, 0, nullptr, nullptr),
              CL_SUCCESS);
    std::vector<T> expected = old;
    for (size_t y = 5; y < 69; ++y)
      for (size_t x = 3; x < 99; ++x)
        if (name == "by_loads")
          expected[y * n + x] = from[x * n + y];
        else if (name == "both")
          expected[x * n + y] = T(from[x * n + y] + T(y));
        else
          expected[x * n + y] = from[y * n + x];
    EXPECT_EQ(read<T>(out, old.size()), expected);
  }
};

TEST_F(Tiles, OfBytes) {
  try_all<cl_uchar>("uchar");
}
TEST_F(Tiles, OfShortIntegers) {
  try_all<cl_short>("short");
}
TEST_F(Tiles, OfFloats) {
  try_all<cl_float>("float");
}
TEST_F(Tiles, OfDoubles) {
  try_all<cl_double>("double");
}

} // namespace
