// Tests products of matrices and kernels like them in work-groups of many shapes: with neighbors in
// any dimension, with and without local memory, and with groups that a launch numbers in rows
// (choose-lane-dimension, choose-sub-group-size, groups-in-rows).
#include "opencl_fixture.h"

#include <algorithm>
#include <array>
#include <string>

using namespace lockstep::test;

namespace {

class MatrixProducts : public DeviceTest {};

// Work-items that are neighbors in dimension 1 or 2 access neighbors in memory.
constexpr const char *rows_first = R"(
kernel void product(uint n, global const uint *a, global const uint *b, global uint *c, global uint *ids) {
  local uint shared[256];
  const uint row = get_global_id(0) - get_global_offset(0), column = get_global_id(C) - get_global_offset(C);
  const uint width = get_global_size(C);
  uint sum = 0;
  for (uint k = 0; k < n; ++k)
    sum += a[row * n + k] * b[k * width + column];
  const uint me = get_local_linear_id();
  shared[me] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  c[row * width + column] = shared[get_local_size(0) * get_local_size(C) - 1 - me];
  global uint *id = ids + (row * width + column) * 4;
  id[0] = get_local_id(0) * 1000 + get_local_id(C);
  id[1] = get_group_id(0) * 1000 + get_group_id(C);
  id[2] = get_local_linear_id() * 1000 + get_num_groups(C) * 100 + get_num_groups(0);
  id[3] = get_global_linear_id();
}
)";

TEST_F(MatrixProducts, HaveRowsFirst) {
  constexpr cl_uint n = 7, width = 64, rows = 32;
  std::vector<cl_uint> a(rows * n), b(n * width);
  for (size_t i = 0; i != a.size(); ++i)
    a[i] = cl_uint(i * 2654435761u >> 7);
  for (size_t i = 0; i != b.size(); ++i)
    b[i] = cl_uint(i * 40503u ^ 77);
  std::vector<cl_uint> product(rows * width);
  for (cl_uint row = 0; row != rows; ++row)
    for (cl_uint column = 0; column != width; ++column)
      for (cl_uint k = 0; k != n; ++k)
        product[row * width + column] += a[row * n + k] * b[k * width + column];
  for (unsigned columns : {1u, 2u})
    for (const auto [local_rows, local_columns] :
         std::vector<std::array<cl_uint, 2>>{{16, 16}, {8, 8}, {32, 4}, {1, 64}, {2, 64}}) {
      SCOPED_TRACE("local size " + std::to_string(local_rows) + " x " +
                   std::to_string(local_columns) + ", columns in dimension " +
                   std::to_string(columns));
      Program program =
          build(rows_first, columns == 1 ? "-cl-std=CL3.0 -DC=1" : "-cl-std=CL3.0 -DC=2");
      Kernel kernel = make_kernel(program, "product");
      Memory in_a = make_buffer(a.size() * 4), in_b = make_buffer(b.size() * 4),
             out = make_buffer(rows * width * 4), ids_out = make_buffer(rows * width * 16);
      write(in_a, a);
      write(in_b, b);
      ASSERT_EQ(clSetKernelArg(kernel, 0, sizeof n, &n), CL_SUCCESS);
      cl_mem buffers[] = {in_a, in_b, out, ids_out};
      for (cl_uint i = 0; i != 4; ++i)
        ASSERT_EQ(clSetKernelArg(kernel, i + 1, sizeof(cl_mem), &buffers[i]), CL_SUCCESS);
      std::array<size_t, 3> offset = {3, 5, 7}, global = {rows, 1, 1}, local = {local_rows, 1, 1};
      global[columns] = width;
      local[columns] = local_columns;
      ASSERT_EQ(clEnqueueNDRangeKernel(queue_, kernel, 3, offset.data(), global.data(),
                                       local.data(), 0, nullptr, nullptr),
                CL_SUCCESS);
      auto c = read<cl_uint>(out, rows * width);
      auto ids = read<cl_uint>(ids_out, rows * width * 4);
      for (cl_uint row = 0; row != rows; ++row)
        for (cl_uint column = 0; column != width; ++column) {
          const cl_uint y = row % local_rows, x = column % local_columns;
          const cl_uint other_row = row - y + local_rows - 1 - y,
                        other_column = column - x + local_columns - 1 - x;
          ASSERT_EQ(c[row * width + column], product[other_row * width + other_column])
              << "row " << row << ", column " << column;
          const cl_uint *id = &ids[(row * width + column) * 4];
          ASSERT_EQ(id[0], y * 1000 + x);
          ASSERT_EQ(id[1], row / local_rows * 1000 + column / local_columns);
          ASSERT_EQ(id[2],
                    (x * local_rows + y) * 1000 + width / local_columns * 100 + rows / local_rows);
          ASSERT_EQ(id[3], column * rows + row);
        }
    }
}

constexpr const char *matrix_source = R"(
kernel void global_product(uint n, uint width, global const T *a, global const T *b, global T *c) {
  const uint column = get_global_id(C) - get_global_offset(C), row = get_global_id(1 - C) - get_global_offset(1 - C);
  T sum = 1;
  for (uint k = 0; k < n; ++k)
    sum += VALUE(a[row * n + k] * b[k * width + column]);
  c[row * width + column] = sum;
}
kernel void local_product(uint n, uint width, global const T *a, global const T *b, global T *c) {
  local T of_a[Y][DEEP], of_b[DEEP][X];
  const uint x = get_local_id(C), y = get_local_id(1 - C);
  const uint column = get_global_id(C) - get_global_offset(C), row = get_global_id(1 - C) - get_global_offset(1 - C);
  T sum = 1;
  for (uint start = 0; start < n; start += DEEP) {
    for (uint k = x; k < DEEP; k += X)
      of_a[y][k] = a[row * n + start + k];
    for (uint k = y; k < DEEP; k += Y)
      of_b[k][x] = b[(start + k) * width + column];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = 0; k < DEEP; ++k)
      sum += VALUE(of_a[y][k] * of_b[k][x]);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[row * width + column] = sum;
}
)";

// Blocks of registers of sums of products: rows run at once, and two sub-groups of columns are one.
// With a width of 320, rows of work-items take turns after blocks of 256 products; with 1024, rows of
// the right factor are pages apart, and blocks have 128.
class RowsByColumns : public MatrixProducts, public testing::WithParamInterface<cl_uint> {};
INSTANTIATE_TEST_SUITE_P(Widths, RowsByColumns, testing::Values(192, 320, 1024));

TEST_P(RowsByColumns, AreMultiplied) {
  const cl_uint width = GetParam(), n = width == 192 ? 48 : 624, height = 64;
  std::vector<cl_int> a(height * n), b(n * width);
  for (size_t i = 0; i != a.size(); ++i)
    a[i] = cl_int(i * 2654435761u >> 28 & 15) - 7;
  for (size_t i = 0; i != b.size(); ++i)
    b[i] = cl_int(i * 40503u >> 5 & 15) - 8;
  std::vector<cl_int> product(height * width);
  for (size_t at = 0; at != product.size(); ++at)
    for (size_t k = 0; k != n; ++k)
      product[at] += a[at / width * n + k] * b[k * width + at % width];
  auto check = [&]<typename T>(T, const std::string &macros, const char *name, size_t x, size_t y,
                               int factor, bool swaps = false) {
    SCOPED_TRACE(name + (" " + macros));
    Program program = build(matrix_source, macros.c_str());
    Kernel kernel = make_kernel(program, name);
    Memory from_a = make_buffer(a.size() * sizeof(T)), from_b = make_buffer(b.size() * sizeof(T)),
           to = make_buffer(product.size() * sizeof(T));
    write(from_a, std::vector<T>(a.begin(), a.end()));
    write(from_b, std::vector<T>(b.begin(), b.end()));
    cl_mem buffers[] = {from_a, from_b, to};
    ASSERT_EQ(clSetKernelArg(kernel, 0, sizeof n, &n), CL_SUCCESS);
    ASSERT_EQ(clSetKernelArg(kernel, 1, sizeof width, &width), CL_SUCCESS);
    for (cl_uint i = 0; i != 3; ++i)
      ASSERT_EQ(clSetKernelArg(kernel, i + 2, sizeof(cl_mem), &buffers[i]), CL_SUCCESS);
    size_t offset[] = {3, 5}, global[] = {width, height}, local[] = {x, y};
    if (swaps)
      for (size_t *sizes : {offset, global, local})
        std::swap(sizes[0], sizes[1]);
    ASSERT_EQ(clEnqueueNDRangeKernel(queue_, kernel, 2, offset, global, local, 0, nullptr, nullptr),
              CL_SUCCESS);
    const auto got = read<T>(to, product.size());
    for (size_t at = 0; at != product.size(); ++at)
      ASSERT_EQ(got[at], T(factor * product[at] + 1)) << at;
  };
  for (const char *name : {"global_product", "local_product"})
    for (const auto [x, y] : {std::pair{16, 16}, {8, 8}, {64, 1}, {32, 8}, {4, 16}, {16, 2}}) {
      const std::string shape = " -DC=0 -DX=" + std::to_string(x) + " -DY=" + std::to_string(y) +
                                " -DDEEP=" + std::to_string(y == 1 ? 48 : 16);
      check(cl_float(), "-DT=float -DVALUE(v)=(v)" + shape, name, x, y, 1);
      check(cl_int(), "-DT=int -DVALUE(v)=((v)*3)" + shape, name, x, y, 3);
      check(cl_float(), "-DT=float -DVALUE(v)=(v) -DC=1" + shape.substr(6), name, x, y, 1, true);
      if (x == 16)
        check(cl_double(), "-DT=double -DVALUE(v)=(v)" + shape, name, x, y, 1);
    }
}

// Groups of one dimension whose ids are divided, so that a launch may number them in rows
// (groups-in-rows). The kernel must not observe that.
constexpr const char *divided_ids = R"(
struct Size { uint other, n; };
void record(global uint *ids) {
  global uint *own = ids + get_global_id(0) * 6;
  own[0] = get_group_id(0);
  own[1] = get_group_id(1);
  own[2] = get_num_groups(0);
  own[3] = get_num_groups(1);
  own[4] = get_global_id(0);
  own[5] = get_global_size(0);
}
void multiply(uint n, uint row, uint column, local uint *piece, global const uint *from, global uint *to) {
  uint sum = 0;
  for (uint start = 0; start < 128; start += 64) {
    piece[get_local_id(0)] = from[row * 128 + start + get_local_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = 0; k < 64; ++k)
      sum += piece[k] * from[(start + k) * n + column];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  to[row * n + column] = sum;
}
kernel void product(uint n, struct Size size, global const uint *from, global uint *to, global uint *ids) {
  local uint piece[64];
  record(ids);
  multiply(n, get_global_id(0) / n, get_global_id(0) % n, piece, from, to);
}
kernel void of_struct(uint n, struct Size size, global const uint *from, global uint *to, global uint *ids) {
  local uint piece[64];
  const int i = get_global_id(0), w = size.n;
  record(ids);
  multiply(n, i / w, i % w, piece, from, to);
}
kernel void of_tiles(uint n, struct Size size, global const uint *from, global uint *to, global uint *ids) {
  local uint piece[64];
  const int tiles = n / get_local_size(0), group = get_group_id(0);
  record(ids);
  multiply(n, group / tiles, group % tiles * get_local_size(0) + get_local_id(0), piece, from, to);
}
kernel void transpose(uint n, struct Size size, global const uint *from, global uint *to, global uint *ids) {
  const uint i = get_global_id(0), x = i % n, y = i / n;
  to[x * (get_global_size(0) / n) + y] = from[i % 4096];
  record(ids);
}
)";

TEST_F(MatrixProducts, MayBeNumberedInRows) {
  constexpr size_t local = 64;
  std::vector<cl_uint> from(128 * 320);
  for (size_t i = 0; i != from.size(); ++i)
    from[i] = cl_uint(i * 2654435761u >> 17);
  Memory input = make_buffer(from.size() * 4);
  write(input, from);
  Program program = build(divided_ids);
  for (const std::string name : {"product", "of_struct", "of_tiles", "transpose"}) {
    Kernel kernel = make_kernel(program, name.c_str());
    for (const cl_uint n : {256u, 64u, 320u, 160u})
      for (const size_t rows : {64, 62}) {
        if (name == "of_tiles" && n == 160)
          continue;
        SCOPED_TRACE(name + ", " + std::to_string(rows) + " rows of " + std::to_string(n));
        const size_t items = n * rows;
        const cl_uint size[] = {7, n};
        Memory output = make_buffer(items * 4), ids = make_buffer(items * 24);
        ASSERT_EQ(clSetKernelArg(kernel, 0, sizeof n, &n), CL_SUCCESS);
        ASSERT_EQ(clSetKernelArg(kernel, 1, sizeof size, size), CL_SUCCESS);
        for (cl_uint i = 0; i != 3; ++i) {
          cl_mem buffer = i == 0 ? input : i == 1 ? output : ids;
          ASSERT_EQ(clSetKernelArg(kernel, i + 2, sizeof buffer, &buffer), CL_SUCCESS);
        }
        ASSERT_EQ(
            clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &items, &local, 0, nullptr, nullptr),
            CL_SUCCESS);
        const auto got = read<cl_uint>(output, items), got_ids = read<cl_uint>(ids, items * 6);
        for (size_t i = 0; i != items; ++i) {
          const size_t x = i % n, y = i / n;
          cl_uint expected = 0;
          for (size_t k = 0; k != 128; ++k)
            expected += from[y * 128 + k] * from[k * n + x];
          if (name == "transpose")
            ASSERT_EQ(got[x * rows + y], from[i % 4096]) << i;
          else if (n != 160) // a group is in one row
            ASSERT_EQ(got[i], expected) << i;
          const cl_uint own[] = {cl_uint(i / local), 0, cl_uint(items / local), 1, cl_uint(i),
                                 cl_uint(items)};
          ASSERT_TRUE(std::equal(own, own + 6, &got_ids[i * 6])) << i;
        }
      }
  }
}

} // namespace
