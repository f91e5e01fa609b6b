// Each work-item reads along its own row; the compiler loads rows as vectors and transposes them in
// registers (transpose-columns). Tests every element size and any number of iterations. Rows have
// any alignment, reach the end of the buffer, or differ in length. Kernels read two rows at once,
// read in some work-items only, or compute sums that depend on the order. Also tests rows that are
// written: an iteration may read what an earlier one wrote, also without a loop.
#include "opencl_fixture.h"

#include <algorithm>
#include <string>

using namespace lockstep::test;

namespace {

constexpr const char *source = R"(
kernel void each(int pitch, int first, int n, global const T *from, global T *to) {
  const int row = get_global_id(0);
  T sum = (T)row;
  for (int i = first; i < n; ++i)
    sum = sum * (T)3 + from[row * pitch + i];
  to[row] = sum;
}
kernel void two(int pitch, int first, int n, global const T *from, global T *to) {
  const size_t row = get_global_id(0), other = get_global_size(0) - 1 - row;
  T sum = (T)row;
  for (long i = first; i < n; ++i)
    sum = sum * (T)3 + from[row * pitch + i] * from[other * pitch + i];
  to[row] = sum;
}
kernel void some(int pitch, int first, int n, global const T *from, global T *to) {
  const int row = get_global_id(0);
  if (row % 3 == 1)
    return;
  T sum = (T)row;
  for (int i = first; i < n; ++i)
    sum = sum * (T)3 + from[row * pitch + i];
  to[row] = sum;
}
kernel void ragged(int pitch, int first, int n, global const T *from, global T *to) {
  const int row = get_global_id(0);
  T sum = (T)row;
  for (int i = first; i < n - row % 5; ++i)
    sum = sum * (T)3 + from[row * pitch + i];
  to[row] = sum;
}
kernel void without_sign(int pitch, int first, int n, global const T *from, global T *to) {
  const uint row = get_global_id(0), width = pitch;
  T sum = (T)row;
  for (uint i = first; i < (uint)n; ++i)
    sum = sum * (T)3 + from[row * width + i];
  to[row] = sum;
}

kernel void moved(int pitch, int n, int by, global T *numbers) {
  const int row = get_global_id(0);
  global const T *from = numbers + 32;
  global T *to = numbers + 32 + by;
  T sum = (T)row;
  for (int i = 0; i < n; ++i) {
    sum = sum * (T)3 + from[row * pitch + i];
    to[row * pitch + i] = sum;
  }
}
kernel void moved_13(int pitch, int n, int by, global T *numbers) {
  const int row = get_global_id(0);
  global const T *from = numbers + 32;
  global T *to = numbers + 32 + by;
  T sum = (T)row;
  for (int i = 0; i < 13; ++i) {
    sum = sum * (T)3 + from[row * pitch + i];
    to[row * pitch + i] = sum;
  }
}
kernel void reversed_27(int pitch, int n, int by, global T *numbers) {
  const int row = get_global_id(0);
  T values[27];
  for (int i = 0; i < 27; ++i)
    values[i] = numbers[32 + row * pitch + i];
  for (int i = 0; i < 27; ++i)
    numbers[32 + by + row * pitch + i] = values[26 - i];
  numbers[31 + row * pitch] = numbers[33 + row * pitch];
}
kernel void read_again(int pitch, int n, int by, global T *numbers) {
  const int row = get_global_id(0);
  T sum = (T)row;
  for (int i = 0; i < n; ++i) {
    numbers[row * pitch + i + 32] = numbers[row * pitch + i + 32] + sum;
    sum = (sum + (T)5) * (T)3 + numbers[row * pitch + 32 + i];
  }
  numbers[row * pitch + 31] = sum;
}
kernel void moved_twice(int pitch, int n, int by, global T *numbers) {
  const uint row = get_global_id(0), width = pitch;
  global const T *from = numbers + 32;
  global T *to = numbers + 32 + by;
  for (uint i = 0; i < (uint)n; ++i) {
    const T value = from[row * width + i];
    to[row * width + i] = value + (T)1;
    numbers[row * width + i] = value * (T)2;
  }
}
)";

class TransposedColumns : public DeviceTest {
protected:
  template <class T> void try_all(const std::string &type) {
    Program program = build(source, ("-cl-std=CL3.0 -DT=" + type).c_str());
    for (const char *name : {"each", "two", "some", "ragged", "without_sign"})
      for (size_t local : {16, 64, 24})
        for (int n : {0, 1, 7, 8, 15, 16, 17, 32, 33, 63, 67})
          for (int first : {0, 3})
            run<T>(program, name, local, first, n);
    for (const char *name : {"moved", "moved_twice", "read_again"})
      for (int n : {5, 16, 50})
        for (int by : {-32, -17, -16, -15, -8, -1, 0, 1, 2, 7, 8, 15, 16, 17, 32})
          move<T>(program, name, n, by);
    for (int by : {-32, -13, -12, -8, -4, -1, 0, 1, 5, 12, 13, 27}) {
      move<T>(program, "moved_13", 13, by);
      move<T>(program, "reversed_27", 27, by);
    }
  }

  template <class T> void move(cl_program program, const std::string &name, int n, int by) {
    SCOPED_TRACE(name + ", " + std::to_string(n) + " by " + std::to_string(by));
    constexpr size_t rows = 64;
    const cl_int pitch = 131; // rows do not overlap
    std::vector<T> expected(rows * pitch + 64);
    for (size_t i = 0; i < expected.size(); ++i)
      expected[i] = T((i * 2654435761u >> 7) % 5);
    Memory numbers = make_buffer(expected.size() * sizeof(T));
    write(numbers, expected);
    Kernel kernel = make_kernel(program, name.c_str());
    const cl_int arguments[] = {pitch, n, by};
    for (cl_uint i = 0; i != 3; ++i)
      ASSERT_EQ(clSetKernelArg(kernel, i, sizeof(cl_int), &arguments[i]), CL_SUCCESS);
    cl_mem memory = numbers;
    ASSERT_EQ(clSetKernelArg(kernel, 3, sizeof memory, &memory), CL_SUCCESS);
    const size_t global = rows, local = 32;
    ASSERT_EQ(
        clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &global, &local, 0, nullptr, nullptr),
        CL_SUCCESS);
    for (size_t row = 0; row < rows; ++row) {
      T sum = T(row);
      if (name == "reversed_27") {
        const auto first = expected.begin() + ptrdiff_t(row * pitch + 32);
        std::vector<T> values(first, first + n);
        std::reverse_copy(values.begin(), values.end(), first + by);
        expected[row * pitch + 31] = expected[row * pitch + 33];
        continue;
      }
      for (int i = 0; i < n; ++i) {
        const size_t at = row * pitch + i;
        const T value = expected[at + 32], before = sum;
        sum = T(sum * T(3) + value);
        if (name == "read_again") {
          sum = before;
          expected[at + 32] = T(value + sum);
          sum = T((sum + T(5)) * T(3) + expected[at + 32]);
        } else if (name.starts_with("moved") && name != "moved_twice") {
          expected[at + 32 + by] = sum;
        } else {
          expected[at + 32 + by] = T(value + T(1));
          expected[at] = T(value * T(2));
        }
      }
      if (name == "read_again")
        expected[row * pitch + 31] = sum;
    }
    EXPECT_EQ(read<T>(numbers, expected.size()), expected);
  }

  template <class T>
  void run(cl_program program, const std::string &name, size_t local, int first, int n) {
    SCOPED_TRACE(name + ", groups of " + std::to_string(local) + ", from " + std::to_string(first) +
                 " to " + std::to_string(n));
    constexpr size_t rows = 192;
    const cl_int pitch = 67; // rows have no alignment
    std::vector<T> from(rows * pitch), old(rows);
    for (size_t i = 0; i < from.size(); ++i)
      from[i] = T((i * 2654435761u >> 7) % 5);
    for (size_t i = 0; i < rows; ++i)
      old[i] = T(i % 11);
    Memory in = make_buffer(from.size() * sizeof(T)), out = make_buffer(old.size() * sizeof(T));
    write(in, from);
    write(out, old);
    Kernel kernel = make_kernel(program, name.c_str());
    cl_mem memories[] = {in, out};
    const cl_int numbers[] = {pitch, first, n};
    for (cl_uint i = 0; i != 3; ++i)
      ASSERT_EQ(clSetKernelArg(kernel, i, sizeof(cl_int), &numbers[i]), CL_SUCCESS);
    for (cl_uint i = 0; i != 2; ++i)
      ASSERT_EQ(clSetKernelArg(kernel, 3 + i, sizeof(cl_mem), &memories[i]), CL_SUCCESS);
    const size_t global = rows;
    ASSERT_EQ(
        clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &global, &local, 0, nullptr, nullptr),
        CL_SUCCESS);
    std::vector<T> expected = old;
    for (size_t row = 0; row < rows; ++row) {
      if (name == "some" && row % 3 == 1)
        continue;
      T sum = T(row);
      const int end = name == "ragged" ? n - int(row % 5) : n;
      for (int i = first; i < end; ++i)
        sum = T(sum * T(3) + T(from[row * pitch + i] *
                               (name == "two" ? from[(rows - 1 - row) * pitch + i] : T(1))));
      expected[row] = sum;
    }
    EXPECT_EQ(read<T>(out, old.size()), expected);
  }
};

TEST_F(TransposedColumns, OfBytes) {
  try_all<cl_uchar>("uchar");
}
TEST_F(TransposedColumns, OfShortIntegers) {
  try_all<cl_ushort>("ushort");
}
TEST_F(TransposedColumns, OfIntegers) {
  try_all<cl_uint>("uint");
}
TEST_F(TransposedColumns, OfLongIntegers) {
  try_all<cl_ulong>("ulong");
}

} // namespace
