// Accesses whose lanes are one row apart, and whose consecutive rows of work-items are one element
// apart, form tiles that are transposed in registers. Tests transposes by stores and by loads with
// every element size, with offsets and with narrow indices. Work-groups have as many rows as lanes,
// more, fewer, or one. The surrounding memory must not change.
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
kernel void by_ints(ulong n, global const T *from, global T *to) {
  const int x = get_global_id(0), y = get_global_id(1), row = n;
  to[x * row + y] = from[y * row + x];
}
kernel void by_uints(ulong n, global const T *from, global T *to) {
  const uint x = get_global_id(0), y = get_global_id(1), row = n;
  to[y + x * row] = from[x + y * row];
}
kernel void by_loads_of_ints(ulong n, global const T *from, global T *to) {
  const int x = get_global_id(0), y = get_global_id(1), row = n;
  to[y * row + x] = from[x * row + y];
}
// Odd rows come along another edge, and their addresses are 128 elements further: seen[64].
kernel void diverging(ulong n, global const T *from, global T *to, global int *seen) {
  const size_t x = get_global_id(0), y = get_global_id(1);
  size_t more = 0;
  if (y & 1) {
    seen[y] = 1;
    more = seen[64];
  }
  to[x * n + y + more] = from[y * n + x];
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
        if (name.starts_with("by_loads"))
          expected[y * n + x] = from[x * n + y];
        else if (name == "both")
          expected[x * n + y] = T(from[x * n + y] + T(y));
        else
          expected[x * n + y] = from[y * n + x];
    EXPECT_EQ(read<T>(out, old.size()), expected);
  }
};

TEST_F(Tiles, ByNarrowIndices) {
  Program program = build(source, "-cl-std=CL3.0 -DT=float");
  for (const char *name : {"by_ints", "by_uints", "by_loads_of_ints"})
    run<cl_float>(program, name, {16, 16});
}

TEST_F(Tiles, RowsThatDiverge) {
  Program program = build(source, "-cl-std=CL3.0 -DT=int");
  const cl_ulong n = 256, rows = 64, columns = 32;
  std::vector<cl_int> from(n * rows), expected(n * columns, -1);
  for (size_t i = 0; i < from.size(); ++i)
    from[i] = cl_int(i);
  for (size_t y = 0; y < rows; ++y)
    for (size_t x = 0; x < columns; ++x)
      expected[x * n + y + (y % 2) * 128] = from[y * n + x];
  Memory in = make_buffer(from.size() * sizeof(cl_int)),
         out = make_buffer(expected.size() * sizeof(cl_int)),
         seen = make_buffer((rows + 1) * sizeof(cl_int));
  write(in, from);
  write(out, std::vector<cl_int>(expected.size(), -1));
  write(seen, std::vector<cl_int>(rows + 1, 128));
  Kernel kernel = make_kernel(program, "diverging");
  cl_mem memories[] = {in, out, seen};
  ASSERT_EQ(clSetKernelArg(kernel, 0, sizeof n, &n), CL_SUCCESS);
  for (cl_uint i = 0; i < 3; ++i)
    ASSERT_EQ(clSetKernelArg(kernel, i + 1, sizeof(cl_mem), &memories[i]), CL_SUCCESS);
  const size_t global[] = {columns, rows}, local[] = {16, 16};
  ASSERT_EQ(clEnqueueNDRangeKernel(queue_, kernel, 2, nullptr, global, local, 0, nullptr, nullptr),
            CL_SUCCESS);
  EXPECT_EQ(read<cl_int>(out, expected.size()), expected);
}

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
