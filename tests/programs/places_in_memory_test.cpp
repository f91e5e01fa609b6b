// Tests loads and stores at indices loaded from memory. The lanes' elements may be contiguous,
// close and ascending, or anywhere; each case has its own machine code. Other elements must not
// change.
#include "opencl_fixture.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <string>

using namespace lockstep::test;

namespace {

constexpr const char *source = R"(
kernel void move(global const INDEX *numbers, global const T *from, global T *to, global T *kept,
                 uint skipped, ulong middle) {
  const size_t i = get_global_id(0);
  const INDEX n = numbers[i];
  const T value = from[middle + n];
  kept[i] = value;
  if (i % 5 != skipped)
    (to + middle)[n] = value + (T)i;
}
)";

constexpr size_t items = 1024, lanes = 16, room = 4 * lanes; // elements for each 16 work-items

// Maps each of 16 work-items to its element: distinct indices below `room`.
using Pattern = std::function<size_t(size_t)>;
std::vector<std::pair<const char *, Pattern>> patterns() {
  std::vector<std::pair<const char *, Pattern>> all = {
      {"consecutive", [](size_t i) { return i + 3; }},
      {"stride 2", [](size_t i) { return 2 * i; }},
      {"stride 2, and 1 more at the end", [](size_t i) { return 2 * i + (i == 15); }},
      {"stride 2, and 2 more at the end", [](size_t i) { return 2 * i + 2 * (i == 15); }},
      {"stride 4", [](size_t i) { return 4 * i; }},
      {"descending", [](size_t i) { return 20 - i; }},
      {"the last two exchanged", [](size_t i) { return i < 14 ? i : 29 - i; }},
      {"a gap", [](size_t i) { return i + (i > 6) * 9; }},
      {"below the first", [](size_t i) { return i == 0   ? 10
                                                : i == 9 ? 0
                                                         : i + 10; }}};
  for (size_t distance : {1, 2, 4, 8})
    for (size_t high : {0, 1})
      all.emplace_back("pairs", [=](size_t i) {
        return i / distance * 2 * distance + i % distance + high * distance;
      });
  return all;
}

class PlacesInMemory : public DeviceTest {
protected:
  template <class Index, class T> void run(const char *options, int64_t middle);
  template <class Index, class T> void run_alike(const char *options, int64_t middle);
  template <class T> void run_regular(const char *options);
};

template <class Index, class T> void PlacesInMemory::run(const char *options, int64_t middle) {
  Program program = build(source, options);
  Kernel kernel = make_kernel(program, "move");
  const size_t elements = items / lanes * room;
  for (auto &[name, pattern] : patterns()) {
    SCOPED_TRACE(std::string(options) + ": " + name);
    std::vector<Index> numbers;
    for (size_t i = 0; i != items; ++i)
      numbers.push_back(Index(int64_t(i / lanes * room + pattern(i % lanes)) - middle));
    std::vector<T> from(elements), to(elements, T(7)), kept(items);
    std::iota(from.begin(), from.end(), T(100));
    Memory buffers[] = {make_buffer(items * sizeof(Index)), make_buffer(elements * sizeof(T)),
                        make_buffer(elements * sizeof(T)), make_buffer(items * sizeof(T))};
    write(buffers[0], numbers);
    write(buffers[1], from);
    write(buffers[2], to);
    for (cl_uint i = 0; i != 4; ++i) {
      cl_mem buffer = buffers[i];
      ASSERT_EQ(clSetKernelArg(kernel, i, sizeof buffer, &buffer), CL_SUCCESS);
    }
    const cl_uint skipped = 3;
    const cl_ulong offset = cl_ulong(middle);
    ASSERT_EQ(clSetKernelArg(kernel, 4, sizeof skipped, &skipped), CL_SUCCESS);
    ASSERT_EQ(clSetKernelArg(kernel, 5, sizeof offset, &offset), CL_SUCCESS);
    const size_t global = items, local = 64;
    ASSERT_EQ(
        clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &global, &local, 0, nullptr, nullptr),
        CL_SUCCESS);
    for (size_t i = 0; i != items; ++i) {
      const size_t place = size_t(int64_t(numbers[i]) + middle);
      kept[i] = from[place];
      if (i % 5 != skipped)
        to[place] = from[place] + T(i);
    }
    EXPECT_EQ(read<T>(buffers[3], items), kept);
    EXPECT_EQ(read<T>(buffers[2], elements), to);
  }
}

TEST_F(PlacesInMemory, NarrowUnsignedNumbers) {
  run<cl_uint, cl_uint>("-DINDEX=uint -DT=uint", 0);
  run<cl_uint, cl_float>("-DINDEX=uint -DT=float", 0);
  run<cl_uint, cl_ulong>("-DINDEX=uint -DT=ulong", 0);
  run<cl_uint, cl_ushort>("-DINDEX=uint -DT=ushort", 0);
}

TEST_F(PlacesInMemory, NumbersBelowZero) {
  run<cl_int, cl_uint>("-DINDEX=int -DT=uint", 1111);
  run<cl_int, cl_double>("-DINDEX=int -DT=double", 1111);
}

TEST_F(PlacesInMemory, WideNumbers) {
  run<cl_long, cl_float>("-DINDEX=long -DT=float", 1111);
  run<cl_ulong, cl_ulong>("-DINDEX=ulong -DT=ulong", 0);
}

// Bit operations and divisions of the ID by constants. The positions of a sub-group are known at
// compile time unless the global offset is not a multiple of the lanes.
template <class T> void PlacesInMemory::run_regular(const char *options) {
  Program program = build(R"(
kernel void regular(global const T *from, global T *to) {
  const INDEX i = get_global_id(0);
  global T *out = to + get_global_id(0) * 8;
  out[0] = from[i ^ 1];
  out[1] = from[i / 4];
  out[2] = from[i & 7];
  out[3] = from[i | 3];
  out[4] = from[(i ^ 6) + 2];
  out[5] = from[(i & ~1) - (i > 1)];
  out[6] = from[i / 64];
  out[7] = from[i ^ 8];
})",
                          options);
  Kernel kernel = make_kernel(program, "regular");
  constexpr size_t global = 256, elements = global + 64;
  std::vector<T> from(elements);
  for (size_t i = 0; i != elements; ++i)
    from[i] = T(i * 7 % 251);
  Memory source = make_buffer(elements * sizeof(T)), target = make_buffer(elements * 8 * sizeof(T));
  write(source, from);
  for (const size_t offset : {0, 1, 5, 16}) {
    SCOPED_TRACE(std::string(options) + ", offset " + std::to_string(offset));
    write(target, std::vector<T>(elements * 8));
    cl_mem buffers[] = {source, target};
    for (cl_uint i = 0; i != 2; ++i)
      ASSERT_EQ(clSetKernelArg(kernel, i, sizeof(cl_mem), &buffers[i]), CL_SUCCESS);
    const size_t local = 64;
    ASSERT_EQ(
        clEnqueueNDRangeKernel(queue_, kernel, 1, &offset, &global, &local, 0, nullptr, nullptr),
        CL_SUCCESS);
    std::vector<T> expected(elements * 8);
    for (size_t i = offset; i != offset + global; ++i) {
      const size_t places[] = {i ^ 1,  i / 4, i & 7, i | 3, (i ^ 6) + 2, (i & ~size_t(1)) - (i > 1),
                               i / 64, i ^ 8};
      for (size_t j = 0; j != 8; ++j)
        expected[i * 8 + j] = from[places[j]];
    }
    EXPECT_EQ(read<T>(target, expected.size()), expected);
  }
}

TEST_F(PlacesInMemory, RegularIndices) {
  run_regular<cl_uint>("-DINDEX=uint -DT=uint");
  run_regular<cl_float>("-DINDEX=int -DT=float");
  run_regular<cl_double>("-DINDEX=size_t -DT=double");
  run_regular<cl_ushort>("-DINDEX=uint -DT=ushort");
  run_regular<cl_uchar>("-DINDEX=size_t -DT=uchar");
}

// A 16-bit index wraps in the middle of a sub-group, as in a ring buffer.
TEST_F(PlacesInMemory, RingOfShortNumbers) {
  Program program = build(R"(
kernel void ring(global const int *from, global int *to, int rounds, uint start) {
  const size_t i = get_global_id(0), n = get_global_size(0);
  ushort place = i + start;
  short below = i + start;
  for (int j = 0; j < rounds; ++j) {
    to[2 * (j * n + i)] = from[place];
    to[2 * (j * n + i) + 1] = (from + 32768)[below];
    place += 7;
    below -= 9;
  }
})");
  Kernel kernel = make_kernel(program, "ring");
  std::vector<cl_int> from(65536);
  std::iota(from.begin(), from.end(), 0);
  constexpr cl_int rounds = 5;
  constexpr size_t global = 256;
  Memory source = make_buffer(from.size() * 4), target = make_buffer(rounds * global * 8);
  write(source, from);
  for (cl_uint start : {0U, 32700U, 65400U, 65535U}) {
    cl_mem buffers[] = {source, target};
    for (cl_uint i = 0; i != 2; ++i)
      ASSERT_EQ(clSetKernelArg(kernel, i, sizeof(cl_mem), &buffers[i]), CL_SUCCESS);
    ASSERT_EQ(clSetKernelArg(kernel, 2, sizeof rounds, &rounds), CL_SUCCESS);
    ASSERT_EQ(clSetKernelArg(kernel, 3, sizeof start, &start), CL_SUCCESS);
    ASSERT_EQ(
        clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &global, nullptr, 0, nullptr, nullptr),
        CL_SUCCESS);
    std::vector<cl_int> expected;
    for (cl_uint j = 0; j != rounds; ++j)
      for (cl_uint i = 0; i != global; ++i) {
        expected.push_back(cl_ushort(i + start + 7 * j));
        expected.push_back(32768 + cl_short(cl_ushort(i + start - 9 * j)));
      }
    EXPECT_EQ(read<cl_int>(target, expected.size()), expected) << start;
  }
}

// An unsigned index counts down from the work-item's ID. In lanes whose index has reached 0 the
// next index wraps, while the other lanes still store.
TEST_F(PlacesInMemory, CountedDownFromTheId) {
  Program program = build(R"(
kernel void counted(global int *to) {
  for (uint i = get_global_id(0); i > 0; --i)
    to[get_group_id(0) + i] = 1;
  for (uint i = get_global_id(0); i > 0; --i)
    to[127 + i] = 1;
})");
  Kernel kernel = make_kernel(program, "counted");
  constexpr size_t global = 64, local = 16, elements = 256;
  Memory target = make_buffer(elements * 4);
  write(target, std::vector<cl_int>(elements));
  cl_mem buffer = target;
  ASSERT_EQ(clSetKernelArg(kernel, 0, sizeof(cl_mem), &buffer), CL_SUCCESS);
  ASSERT_EQ(
      clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &global, &local, 0, nullptr, nullptr),
      CL_SUCCESS);
  std::vector<cl_int> expected(elements);
  for (size_t item = 0; item != global; ++item)
    for (size_t i = item; i > 0; --i)
      expected[item / local + i] = expected[127 + i] = 1;
  EXPECT_EQ(read<cl_int>(target, elements), expected);
}

// N work-items for each row of a sparse matrix, in groups of one or two dimensions.
TEST_F(PlacesInMemory, OfRowsThatWorkItemsShare) {
  constexpr const char *rows_source = R"(
kernel void shared_rows(uint rows, global const int *begin, global const uint *column, global const int *x, global int *y) {
  local int sums[256];
#ifdef TWO_DIMENSIONS
  const uint lane = get_local_id(0), row = get_global_id(1), me = get_local_id(1) * N + lane;
#else
  const uint lane = get_local_id(0) % N, row = get_global_id(0) / N, me = get_local_id(0);
#endif
  int sum = 0;
  if (row < rows)
    for (int i = begin[row] + lane; i < begin[row + 1]; i += N)
      sum += x[column[i]] * (i + 1);
  sums[me] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (lane == 0 && row < rows) {
    for (uint i = 1; i < N; ++i)
      sum += sums[me + i];
    y[row] = sum;
  }
})";
  constexpr cl_uint rows = 500, elements = 3000;
  std::vector<cl_int> begin{0}, x(rows);
  std::vector<cl_uint> column(elements + 64);
  for (cl_uint row = 0; row != rows; ++row)
    begin.push_back(std::min<cl_int>(begin.back() + cl_int(row * 40503u >> 7) % 19, elements));
  for (size_t i = 0; i != column.size(); ++i)
    column[i] = cl_uint(i * 2654435761u >> 9) % rows;
  std::iota(x.begin(), x.end(), -100);
  std::vector<cl_int> expected(rows);
  for (cl_uint row = 0; row != rows; ++row)
    for (cl_int i = begin[row]; i < begin[row + 1]; ++i)
      expected[row] += x[column[i]] * (i + 1);
  Memory begins = make_buffer(begin.size() * 4), columns = make_buffer(column.size() * 4),
         in = make_buffer(rows * 4), out = make_buffer(rows * 4);
  write(begins, begin);
  write(columns, column);
  write(in, x);
  for (const size_t n : {2, 4, 8, 16})
    for (const bool is_plane : {false, true}) {
      Program program = build(
          rows_source, ((is_plane ? "-DTWO_DIMENSIONS -DN=" : "-DN=") + std::to_string(n)).c_str());
      Kernel kernel = make_kernel(program, "shared_rows");
      ASSERT_EQ(clSetKernelArg(kernel, 0, sizeof rows, &rows), CL_SUCCESS);
      cl_mem buffers[] = {begins, columns, in, out};
      for (cl_uint i = 0; i != 4; ++i)
        ASSERT_EQ(clSetKernelArg(kernel, i + 1, sizeof(cl_mem), &buffers[i]), CL_SUCCESS);
      for (const size_t rows_of_group : {4, 3, 16}) {
        SCOPED_TRACE(std::to_string(n) + " x " + std::to_string(rows_of_group) +
                     (is_plane ? ", two dimensions" : ""));
        const size_t height = (rows + rows_of_group - 1) / rows_of_group * rows_of_group;
        const size_t plane[] = {n, height}, group[] = {n, rows_of_group}, line = n * height,
                     piece = n * rows_of_group;
        write(out, std::vector<cl_int>(rows));
        ASSERT_EQ(clEnqueueNDRangeKernel(queue_, kernel, is_plane ? 2 : 1, nullptr,
                                         is_plane ? plane : &line, is_plane ? group : &piece, 0,
                                         nullptr, nullptr),
                  CL_SUCCESS);
        EXPECT_EQ(read<cl_int>(out, rows), expected);
      }
    }
}

// The offset in bytes of an id that wraps at 2^32, which LLVM computes by a mask. Only ids behind the
// end of the unsigned numbers pass the guard.
TEST_F(PlacesInMemory, BytesOfIdsThatWrap) {
  Program program = build(R"(
kernel void bytes(uint first, uint n, global const uchar *from, global uchar *to) {
  const uint i = (uint)get_global_id(0) + first, j = get_global_id(0);
  if (i < n && j < 200)
    *(global uint *)(to + (ulong)i * 4) = *(global const uint *)(from + (ulong)j * 8) + 3 * i;
})");
  Kernel kernel = make_kernel(program, "bytes");
  constexpr cl_uint global = 256, elements = 512;
  std::vector<cl_uint> from(elements);
  std::iota(from.begin(), from.end(), 5);
  for (const size_t local : {16, 64})
    for (const cl_uint first : {0u, 3u, 0xffffffffu, 0xfffffff0u, 0xffffff9bu, 0xffffff00u})
      for (const cl_uint n : {0u, 7u, 100u, 256u}) {
        SCOPED_TRACE(std::to_string(local) + ", first " + std::to_string(first) + ", n " +
                     std::to_string(n));
        Memory source = make_buffer(elements * 4), target = make_buffer(elements * 4);
        write(source, from);
        write(target, std::vector<cl_uint>(elements));
        cl_mem buffers[] = {source, target};
        const cl_uint numbers[] = {first, n};
        for (cl_uint i = 0; i != 2; ++i) {
          ASSERT_EQ(clSetKernelArg(kernel, i, sizeof(cl_uint), &numbers[i]), CL_SUCCESS);
          ASSERT_EQ(clSetKernelArg(kernel, i + 2, sizeof(cl_mem), &buffers[i]), CL_SUCCESS);
        }
        const size_t size = global;
        ASSERT_EQ(
            clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &size, &local, 0, nullptr, nullptr),
            CL_SUCCESS);
        std::vector<cl_uint> expected(elements);
        for (cl_uint j = 0; j != 200; ++j)
          if (const cl_uint i = j + first; i < n)
            expected[i] = from[2 * j] + 3 * i;
        EXPECT_EQ(read<cl_uint>(target, elements), expected);
      }
}

// Several accesses whose indices differ by a uniform value: the address pattern of the first one
// serves the others. They occur under other conditions, in loops, and on both sides of a uniform
// branch.
constexpr const char *alike_source = R"(
kernel void alike(global const INDEX *numbers, global const T *from, global T *to, global T *above, global T *below,
                  global T *twice, INDEX up, INDEX down, uint skipped, ulong middle) {
  const size_t i = get_global_id(0);
  const INDEX n = numbers[i];
  from += middle; to += middle; above += middle; below += middle; twice += middle;
  const bool is_stored = i % 5 != skipped;
  T sum = 0;
  if (up != 24)
    sum = from[n];
  if (is_stored)
    to[n] = from[n + up] + sum;
  for (INDEX round = 0; round < 3; ++round) {
    sum += from[n + up + round] + 2 * from[n - down + round];
    if (is_stored)
      above[n + up + round] = sum;
    if (i % 3 != 0)
      below[n - down + round] = sum + 1;
  }
  if (is_stored) {
    const T kept = twice[n], other = twice[n + up];
    if (kept < other) {
      twice[n] = other;
      twice[n + up] = kept;
    }
  }
}
)";

template <class Index, class T>
void PlacesInMemory::run_alike(const char *options, int64_t middle) {
  Program program = build(alike_source, options);
  Kernel kernel = make_kernel(program, "alike");
  const size_t elements = items / lanes * room + 2 * room;
  for (auto &[name, pattern] : patterns())
    for (const int64_t up : {1, 2, 4, 8, 24, 64}) {
      SCOPED_TRACE(std::string(options) + ": " + name + ", " + std::to_string(up));
      const int64_t down = 17;
      std::vector<Index> numbers;
      for (size_t i = 0; i != items; ++i)
        numbers.push_back(Index(int64_t(i / lanes * room + room + pattern(i % lanes)) - middle));
      std::vector<T> from(elements), twice(elements), to(elements, T(7)), above = to, below = to;
      for (size_t i = 0; i != elements; ++i) {
        from[i] = T(i * 7 % 1000);
        twice[i] = T(i * 2654435761U % 1024);
      }
      Memory buffers[] = {make_buffer(items * sizeof(Index)), make_buffer(elements * sizeof(T)),
                          make_buffer(elements * sizeof(T)),  make_buffer(elements * sizeof(T)),
                          make_buffer(elements * sizeof(T)),  make_buffer(elements * sizeof(T))};
      write(buffers[0], numbers);
      write(buffers[1], from);
      write(buffers[2], to);
      write(buffers[3], above);
      write(buffers[4], below);
      write(buffers[5], twice);
      for (cl_uint i = 0; i != 6; ++i) {
        cl_mem buffer = buffers[i];
        ASSERT_EQ(clSetKernelArg(kernel, i, sizeof buffer, &buffer), CL_SUCCESS);
      }
      const Index more = Index(up), less = Index(down);
      const cl_uint skipped = 3;
      const cl_ulong offset = cl_ulong(middle);
      ASSERT_EQ(clSetKernelArg(kernel, 6, sizeof more, &more), CL_SUCCESS);
      ASSERT_EQ(clSetKernelArg(kernel, 7, sizeof less, &less), CL_SUCCESS);
      ASSERT_EQ(clSetKernelArg(kernel, 8, sizeof skipped, &skipped), CL_SUCCESS);
      ASSERT_EQ(clSetKernelArg(kernel, 9, sizeof offset, &offset), CL_SUCCESS);
      const size_t global = items, local = 64;
      ASSERT_EQ(
          clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &global, &local, 0, nullptr, nullptr),
          CL_SUCCESS);
      // If several work-items store to one element of `above`, `below` or `twice`, any store may be
      // the last one, so the test skips that element.
      std::vector<int> writers_above(elements), writers_below(elements), users(elements);
      for (size_t i = 0; i != items; ++i) {
        const auto n = size_t(int64_t(numbers[i]) + middle);
        const bool is_stored = i % 5 != skipped;
        T sum = up != 24 ? from[n] : T(0);
        if (is_stored)
          to[n] = T(from[n + size_t(up)] + sum);
        for (size_t round = 0; round != 3; ++round) {
          const size_t high = n + size_t(up) + round, low = n - size_t(down) + round;
          sum = T(sum + from[high] + 2 * from[low]);
          if (is_stored) {
            above[high] = sum;
            ++writers_above[high];
          }
          if (i % 3 != 0) {
            below[low] = T(sum + 1);
            ++writers_below[low];
          }
        }
        if (is_stored) {
          ++users[n];
          ++users[n + size_t(up)];
        }
      }
      // The result of chained exchanges depends on their order.
      std::vector<bool> is_sure(elements, true);
      for (size_t i = 0; i != items; ++i) {
        const auto n = size_t(int64_t(numbers[i]) + middle);
        if (i % 5 == skipped)
          continue;
        if (users[n] != 1 || users[n + size_t(up)] != 1)
          is_sure[n] = is_sure[n + size_t(up)] = false;
        else if (twice[n] < twice[n + size_t(up)])
          std::swap(twice[n], twice[n + size_t(up)]);
      }
      auto got_above = read<T>(buffers[3], elements), got_below = read<T>(buffers[4], elements),
           got_twice = read<T>(buffers[5], elements);
      for (size_t i = 0; i != elements; ++i) {
        got_above[i] = writers_above[i] > 1 ? above[i] : got_above[i];
        got_below[i] = writers_below[i] > 1 ? below[i] : got_below[i];
        got_twice[i] = is_sure[i] ? got_twice[i] : twice[i];
      }
      EXPECT_EQ(read<T>(buffers[2], elements), to);
      EXPECT_EQ(got_above, above);
      EXPECT_EQ(got_below, below);
      EXPECT_EQ(got_twice, twice);
    }
}

TEST_F(PlacesInMemory, OfSeveralAccessesThatLieAlike) {
  run_alike<cl_uint, cl_uint>("-DINDEX=uint -DT=uint", 0);
  run_alike<cl_int, cl_float>("-DINDEX=int -DT=float", 1111);
  run_alike<cl_long, cl_ulong>("-DINDEX=long -DT=ulong", 1111);
  run_alike<cl_ushort, cl_int>("-DINDEX=ushort -DT=int", 0);
}

// Compares pointers with a common base across lanes, and stores through them. LLVM's InstCombine
// miscompiled this.
TEST_F(PlacesInMemory, ComparedAddresses) {
  for (const char *options : {"", "-cl-opt-disable"}) {
    Program program = build(R"(
typedef struct { ulong m0; int m1; } T;
kernel void compared(global int *out, int n) {
  local T b[2][64];
  const int l = get_local_id(0);
  local T *p = &b[n & 1][l], *q = &b[1][l];
  p->m0 = l; q->m1 = l; p->m1 = 7;
  out[get_global_id(0)] = (p == q) + (p <= q) * 2 + (p < q) * 4 + (p != q) * 8 + ((ulong)p >= (ulong)q) * 16;
  out[get_global_size(0) + get_global_id(0)] = q - p;
})",
                            options);
    Kernel kernel = make_kernel(program, "compared");
    constexpr size_t global = 128, local = 64;
    Memory target = make_buffer(2 * global * 4);
    for (cl_int n : {0, 1}) {
      cl_mem buffer = target;
      ASSERT_EQ(clSetKernelArg(kernel, 0, sizeof(cl_mem), &buffer), CL_SUCCESS);
      ASSERT_EQ(clSetKernelArg(kernel, 1, sizeof n, &n), CL_SUCCESS);
      ASSERT_EQ(
          clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &global, &local, 0, nullptr, nullptr),
          CL_SUCCESS);
      std::vector<cl_int> expected(2 * global, n ? 0 : local);
      std::fill_n(expected.begin(), global, n ? 1 + 2 + 16 : 2 + 4 + 8);
      EXPECT_EQ(read<cl_int>(target, 2 * global), expected) << options;
    }
  }
}

// A position that is a quotient and a remainder of a linear id (split-linear-ids). Rows may be whole
// numbers of sub-groups, or of work-groups, or neither.
constexpr const char *linear_ids = R"(
kernel void plain(T w, T h, T end, global const uint *from, global uint *to) {
  const T i = get_global_id(0), x = i % w, y = i / w % h, z = i / (w * h);
  if (i < end && x + 1 < w && y != 1)
    to[(z * h + y) * w + x] = from[y * w + x + 1] * 3 + from[y] + (uint)z;
}
kernel void with_barrier(T w, T h, T end, global const uint *from, global uint *to) {
  const T i = get_global_id(0), x = i % w, y = i / w;
  local uint row[256];
  row[get_local_id(0)] = i < end ? from[x] + from[y % h] : 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (i < end)
    to[i] = row[get_local_id(0) ^ 1] * 5 + (uint)y;
}
kernel void strided(T w, T h, T end, global const uint *from, global uint *to) {
  for (T i = get_global_id(0); i < end; i += get_global_size(0)) {
    const T x = i % w, y = i / w;
    to[i] = from[x] * 7 + from[y % h];
  }
}
)";

TEST_F(PlacesInMemory, QuotientsOfLinearIds) {
  constexpr size_t size = 4096;
  std::vector<cl_uint> from(size);
  for (size_t i = 0; i != size; ++i)
    from[i] = cl_uint(i * 2654435761u >> 9);
  Memory input = make_buffer(size * 4), output = make_buffer(size * 4);
  write(input, from);
  for (const std::string type : {"int", "uint", "long", "ulong"}) {
    Program program = build(linear_ids, ("-DT=" + type).c_str());
    for (const char *name : {"plain", "with_barrier", "strided"}) {
      Kernel kernel = make_kernel(program, name);
      const bool is_strided = name == std::string("strided");
      for (const size_t w : {1, 7, 16, 30, 48, 64, 256, 1024})
        for (const size_t offset : {0, 16, 5, 256}) {
          const size_t local = w == 30 ? 48 : 64, h = 4, end = 4000 - offset % 256;
          const size_t global = is_strided ? local * 8 : 4032 / local * local - 768;
          SCOPED_TRACE(name + (" of " + type) + ": " + std::to_string(w) + " columns, offset " +
                       std::to_string(offset));
          const cl_ulong numbers[] = {w, h, end};
          for (cl_uint i = 0; i != 3; ++i)
            ASSERT_EQ(clSetKernelArg(kernel, i, type.find("long") == std::string::npos ? 4 : 8,
                                     &numbers[i]),
                      CL_SUCCESS);
          for (cl_uint i = 0; i != 2; ++i) {
            cl_mem buffer = i == 0 ? input : output;
            ASSERT_EQ(clSetKernelArg(kernel, i + 3, sizeof buffer, &buffer), CL_SUCCESS);
          }
          write(output, std::vector<cl_uint>(size));
          ASSERT_EQ(clEnqueueNDRangeKernel(queue_, kernel, 1, &offset, &global, &local, 0, nullptr,
                                           nullptr),
                    CL_SUCCESS);
          std::vector<cl_uint> expected(size);
          for (size_t i = offset; i < (is_strided ? end : std::min(end, offset + global)); ++i) {
            const size_t x = i % w, y = i / w, other = ((i - offset) ^ 1) + offset;
            if (is_strided)
              expected[i] = from[x] * 7 + from[y % h];
            else if (name == std::string("with_barrier"))
              expected[i] =
                  (other < end ? from[other % w] + from[other / w % h] : 0) * 5 + cl_uint(y);
            else if (x + 1 < w && y % h != 1)
              expected[i] = from[y % h * w + x + 1] * 3 + from[y % h] + cl_uint(i / (w * h));
          }
          ASSERT_EQ(read<cl_uint>(output, size), expected);
        }
    }
  }
}

} // namespace
