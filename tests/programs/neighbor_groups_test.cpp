// Tests work-groups that one call of the kernel function may run together (coalesce-work-groups).
// Each group must keep its own IDs, local memory and sub-groups. Covers numbers of groups that
// divide evenly or not, rows in two dimensions, and offsets. Some of the local memory differs
// between groups, some does not. Vertically adjacent groups share the loads of their loops;
// horizontally adjacent groups form tiles with narrow rows. Groups that use only global IDs become
// one (coalesce-indistinct-groups).
#include "opencl_fixture.h"

#include <algorithm>
#include <array>
#include <string>

using namespace lockstep::test;

namespace {

constexpr const char *source = R"(
#ifdef ARGUMENTS
#define LOCAL(i, x) panel[(i) * X + (x)]
kernel void rows(uint n, global const uint *a, global const uint *b, global uint *c, global uint *ids,
                 local uint *panel, local uint *own) {
  local uint first;
#else
#define LOCAL(i, x) panel[i][x]
kernel void rows(uint n, global const uint *a, global const uint *b, global uint *c, global uint *ids) {
  local uint panel[4][X], own[X + 1], first;
#endif
  const uint x = get_local_id(C), width = get_global_size(C);
  const uint column = get_global_id(C) - get_global_offset(C);
  const uint row = get_global_id(D) - get_global_offset(D);
  uint sum = 0;
  for (uint k = 0; k < n; k += 4) {
    own[X - x] = a[row * n + k + x % 4] + x;
    if (x == 0)
      first = row * k;
    for (uint i = 0; i < 4; ++i)
      LOCAL(i, x) = b[(k + i) * width + column];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = 0; i < 4; ++i)
      sum += own[X - (x / 4 * 4 + i)] * LOCAL(i, X - 1 - x) + first;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[row * width + column] = sum;
  global uint *id = ids + (row * width + column) * 8;
  id[0] = get_group_id(D);
  id[1] = get_local_id(D);
  id[2] = get_num_groups(D);
  id[3] = get_local_size(D);
  id[4] = get_local_linear_id();
#ifdef SUB_GROUPS
  id[5] = get_sub_group_id() * get_max_sub_group_size() + get_sub_group_local_id();
  id[6] = get_max_sub_group_size() * 1000 + get_num_sub_groups();
  id[7] = sub_group_broadcast(row, 1) + sub_group_reduce_add(column);
#endif
}
)";

struct Shape {
  size_t local, groups, rows;
  unsigned dimension;     // dimension of the rows
  unsigned columns = 0;   // dimension of the work-items of a row
  bool arguments = false; // local memory is arguments of the kernel
};

class NeighborGroups : public DeviceTest {
protected:
  void run(const Shape &shape, bool sub_groups);
};

void NeighborGroups::run(const Shape &shape, bool sub_groups) {
  SCOPED_TRACE("local size " + std::to_string(shape.local) + ", " + std::to_string(shape.groups) +
               " x " + std::to_string(shape.rows) + " groups, rows in dimension " +
               std::to_string(shape.dimension) + ", columns in dimension " +
               std::to_string(shape.columns) + (shape.arguments ? ", arguments" : ""));
  const cl_uint n = 12, width = cl_uint(shape.local * shape.groups), x_size = cl_uint(shape.local);
  std::vector<cl_uint> a(shape.rows * n), b(n * width);
  for (size_t i = 0; i != a.size(); ++i)
    a[i] = cl_uint(i * 2654435761u >> 7);
  for (size_t i = 0; i != b.size(); ++i)
    b[i] = cl_uint(i * 40503u ^ 77);
  Program program =
      build(source, ("-cl-std=CL3.0 -DX=" + std::to_string(shape.local) + " -DD=" +
                     std::to_string(shape.dimension) + " -DC=" + std::to_string(shape.columns) +
                     (shape.arguments ? " -DARGUMENTS" : "") + (sub_groups ? " -DSUB_GROUPS" : ""))
                        .c_str());
  Kernel kernel = make_kernel(program, "rows");
  Memory buffers[] = {make_buffer(a.size() * 4), make_buffer(b.size() * 4),
                      make_buffer(shape.rows * width * 4), make_buffer(shape.rows * width * 32)};
  write(buffers[0], a);
  write(buffers[1], b);
  ASSERT_EQ(clSetKernelArg(kernel, 0, sizeof n, &n), CL_SUCCESS);
  for (cl_uint i = 0; i != 4; ++i) {
    cl_mem buffer = buffers[i];
    ASSERT_EQ(clSetKernelArg(kernel, i + 1, sizeof buffer, &buffer), CL_SUCCESS);
  }
  if (shape.arguments) {
    ASSERT_EQ(clSetKernelArg(kernel, 5, 4 * shape.local * sizeof(cl_uint), nullptr), CL_SUCCESS);
    ASSERT_EQ(clSetKernelArg(kernel, 6, (shape.local + 1) * sizeof(cl_uint), nullptr), CL_SUCCESS);
  }
  std::array<size_t, 3> offset = {3, 5, 7}, global = {1, 1, 1}, local = {1, 1, 1};
  global[shape.columns] = width;
  local[shape.columns] = shape.local;
  global[shape.dimension] = shape.rows;
  ASSERT_EQ(clEnqueueNDRangeKernel(queue_, kernel, 3, offset.data(), global.data(), local.data(), 0,
                                   nullptr, nullptr),
            CL_SUCCESS);
  auto c = read<cl_uint>(buffers[2], shape.rows * width);
  auto ids = read<cl_uint>(buffers[3], shape.rows * width * 8);
  for (cl_uint row = 0; row != shape.rows; ++row)
    for (cl_uint column = 0; column != width; ++column) {
      const cl_uint x = column % x_size, left = column - x;
      cl_uint sum = 0;
      for (cl_uint k = 0; k != n; k += 4)
        for (cl_uint i = 0; i != 4; ++i)
          sum += (a[row * n + k + i] + x / 4 * 4 + i) * b[(k + i) * width + left + x_size - 1 - x] +
                 row * k;
      ASSERT_EQ(c[row * width + column], sum) << "row " << row << ", column " << column;
      const cl_uint *id = &ids[(row * width + column) * 8];
      ASSERT_EQ(id[0], row);
      ASSERT_EQ(id[1], 0u);
      ASSERT_EQ(id[2], shape.rows);
      ASSERT_EQ(id[3], 1u);
      ASSERT_EQ(id[4], x);
      if (!sub_groups)
        continue;
      const cl_uint lanes = id[6] / 1000, first = left + x / lanes * lanes;
      cl_uint all = row;
      for (cl_uint lane = 0; lane != lanes && first - left + lane != x_size; ++lane)
        all += first + lane;
      ASSERT_EQ(id[5], x) << "row " << row << ", column " << column;
      ASSERT_EQ(id[6] % 1000, (x_size + lanes - 1) / lanes);
      ASSERT_EQ(id[7], all) << "row " << row << ", column " << column;
    }
}

TEST_F(NeighborGroups, KeepTheirIdsAndTheirLocalMemory) {
  for (unsigned dimension : {1u, 2u})
    for (size_t rows : {64, 32, 36, 14, 7})
      for (size_t local : {16, 64, 24})
        run({local, 2, rows, dimension}, false);
}

TEST_F(NeighborGroups, KeepTheirLocalArguments) {
  for (size_t rows : {64, 7})
    for (size_t local : {64, 24})
      run({local, 2, rows, 1, 0, /*arguments=*/true}, false);
  run({1024, 1, 64, 1, 0, /*arguments=*/true}, false); // eight copies would be 160 KiB
}

TEST_F(NeighborGroups, HaveRowsInDimension0) {
  for (unsigned columns : {1u, 2u})
    for (size_t rows : {64, 7})
      for (size_t local : {64, 24})
        run({local, 2, rows, 0, columns, /*arguments=*/columns == 1}, false);
  run({64, 2, 64, 0, 1}, true); // with sub-groups
}

TEST_F(NeighborGroups, KeepTheirSubGroups) {
  for (size_t rows : {64, 36, 7})
    for (size_t local : {16, 64})
      run({local, 3, rows, 1}, true);
}

// Tiles of X by Y elements with their left and upper neighbors; R is the dimension of the rows.
constexpr const char *tiles = R"(
kernel void tiles(global const uint *from, global uint *to, global uint *ids) {
  local uint tile[Y + 1][X + 1], corner;
  const uint x = get_local_id(0), y = get_local_id(R), width = get_global_size(0) + 1;
  const uint column = get_global_id(0) - get_global_offset(0), row = get_global_id(R) - get_global_offset(R);
  const uint at = (row + 1) * width + column + 1;
  tile[y + 1][x + 1] = from[at];
  if (x == 0)
    tile[y + 1][0] = from[at - 1];
  if (y == 0)
    tile[0][x + 1] = from[at - width];
  if (x == 0 && y == 0)
    corner = get_group_id(0) * 100 + get_group_id(R);
  barrier(CLK_LOCAL_MEM_FENCE);
  to[row * (width - 1) + column] = tile[y + 1][x] * 3 + tile[y][x + 1] * 5 + tile[Y - y][X - x] * 7 + corner;
  global uint *id = ids + (row * (width - 1) + column) * 4;
  id[0] = get_group_id(0) * 1000 + get_num_groups(0);
  id[1] = get_local_id(1) + 100 * get_local_id(2) + 10000 * get_local_size(1) + 1000000 * get_local_size(2);
  id[2] = get_local_linear_id();
  id[3] = get_sub_group_id() * get_max_sub_group_size() + get_sub_group_local_id();
}
)";

TEST_F(NeighborGroups, KeepTheirTilesSideBySide) {
  constexpr cl_uint X = 16, Y = 4, down = 3;
  for (unsigned rows_in : {1u, 2u})
    for (cl_uint across : {1, 3, 4, 6, 8, 16}) {
      SCOPED_TRACE(std::to_string(across) + " groups, rows in dimension " +
                   std::to_string(rows_in));
      const cl_uint width = X * across, height = Y * down;
      std::vector<cl_uint> from((width + 1) * (height + 1));
      for (size_t i = 0; i != from.size(); ++i)
        from[i] = cl_uint(i * 2654435761u >> 9);
      Program program = build(tiles, rows_in == 1 ? "-cl-std=CL3.0 -DX=16 -DY=4 -DR=1"
                                                  : "-cl-std=CL3.0 -DX=16 -DY=4 -DR=2");
      Kernel kernel = make_kernel(program, "tiles");
      Memory in = make_buffer(from.size() * 4), out = make_buffer(width * height * 4),
             ids_out = make_buffer(width * height * 16);
      write(in, from);
      cl_mem buffers[] = {in, out, ids_out};
      for (cl_uint i = 0; i != 3; ++i)
        ASSERT_EQ(clSetKernelArg(kernel, i, sizeof(cl_mem), &buffers[i]), CL_SUCCESS);
      std::array<size_t, 3> offset = {3, 5, 7}, global = {width, 1, 1}, local = {X, 1, 1};
      global[rows_in] = height;
      local[rows_in] = Y;
      ASSERT_EQ(clEnqueueNDRangeKernel(queue_, kernel, 3, offset.data(), global.data(),
                                       local.data(), 0, nullptr, nullptr),
                CL_SUCCESS);
      auto to = read<cl_uint>(out, width * height);
      auto ids = read<cl_uint>(ids_out, width * height * 4);
      auto at = [&](cl_uint row, cl_uint column) { return from[row * (width + 1) + column]; };
      for (cl_uint row = 0; row != height; ++row)
        for (cl_uint column = 0; column != width; ++column) {
          const cl_uint x = column % X, y = row % Y, group = column / X;
          const cl_uint turned = at(row - y + Y - y, column - x + X - x);
          ASSERT_EQ(to[row * width + column], at(row + 1, column) * 3 + at(row, column + 1) * 5 +
                                                  turned * 7 + group * 100 + row / Y)
              << "row " << row << ", column " << column;
          const cl_uint *id = &ids[(row * width + column) * 4];
          ASSERT_EQ(id[0], group * 1000 + across);
          ASSERT_EQ(id[1], rows_in == 1 ? y + 10000 * Y + 1000000 : 100 * y + 10000 + 1000000 * Y);
          ASSERT_EQ(id[2], y * X + x);
          ASSERT_EQ(id[3], y * X + x);
        }
    }
}

// The last groups have rows beyond the end: they store other values to local memory, or leave early.
constexpr const char *guards = R"(
kernel void steps(uint n, uint height, uint wide, global const uint *a, global const uint *b, global uint *c) {
  local uint panel[64], own[64];
  const uint x = get_local_id(0), column = get_global_id(0), row = get_global_id(1);
  uint sum = 0;
  for (uint k = 0; k < n; ++k) {
    panel[x] = 7 + k;
    if (row < height)
      panel[x] = b[k * get_global_size(0) + column];
    own[x] = row < height && k + x < n ? a[row * n + k + x] : 3;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = 0; i < 5; ++i)
      sum += panel[(x + i) % 64] * own[i];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (row < height && column < wide)
    c[row * get_global_size(0) + column] = sum;
}
kernel void product(uint n, uint height, uint wide, global const uint *a, global const uint *b, global uint *c) {
  const uint column = get_global_id(0), row = get_global_id(1);
  if (row >= height || column >= wide)
    return;
  uint sum = 5;
  for (uint k = 0; k < n; ++k)
    sum += a[row * n + k] * b[k * get_global_size(0) + column];
  c[row * get_global_size(0) + column] = sum;
}
kernel void product_with_barriers(uint n, uint height, uint wide, global const uint *a, global const uint *b, global uint *c) {
  local uint piece[64];
  const uint x = get_local_id(0), column = get_global_id(0), row = get_global_id(1);
  if (row >= height || row % 8 == wide)
    return;
  uint sum = 5;
  for (uint k = 0; k < n; k += 3) {
    piece[x] = x < 3 ? a[row * n + k + x] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = 0; i < 3; ++i)
      sum += piece[i] * b[(k + i) * get_global_size(0) + column];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[row * get_global_size(0) + column] += sum + get_group_id(1);
}
kernel void turned(uint n, uint height, uint wide, global const uint *a, global const uint *b, global uint *c) {
  const int column = get_global_id(0), row = get_global_id(1);
  const int rows = get_global_size(1), columns = get_global_size(0);
  if (column < (int)wide && row < (int)height)
    c[column * rows + row] = b[row % n * columns + column] + row;
}
kernel void turned_by_size_t(uint n, uint height, uint wide, global const uint *a, global const uint *b, global uint *c) {
  const size_t column = get_global_id(0), row = get_global_id(1);
  if (column < wide && row < height)
    c[column * get_global_size(1) + row] = b[row % n * get_global_size(0) + column] + row;
}
kernel void turned_in_columns(uint n, uint height, uint wide, global const uint *a, global const uint *b, global uint *c) {
  const int column = get_global_id(0), row = get_global_id(1);
  const int rows = get_global_size(1), columns = get_global_size(0);
  if (column >= (int)wide)
    return;
  c[column * rows + row] = row < (int)height ? b[row % n * columns + column] + row : 99;
}
)";

class NeighborGroupsWithGuards : public DeviceTest {
protected:
  static constexpr cl_uint n = 9, width = 128, rows = 64;
  std::vector<cl_uint> run(const char *name, cl_uint height, cl_uint wide, size_t local_rows);
  std::vector<cl_uint> a_ = std::vector<cl_uint>(rows * n), b_ = std::vector<cl_uint>(n * width);
};

std::vector<cl_uint> NeighborGroupsWithGuards::run(const char *name, cl_uint height, cl_uint wide,
                                                   size_t local_rows) {
  for (size_t i = 0; i != a_.size(); ++i)
    a_[i] = cl_uint(i * 2654435761u >> 7);
  for (size_t i = 0; i != b_.size(); ++i)
    b_[i] = cl_uint(i * 40503u ^ 77);
  Kernel kernel = make_kernel(build(guards), name);
  Memory a = make_buffer(a_.size() * 4), b = make_buffer(b_.size() * 4),
         c = make_buffer(rows * width * 4);
  write(a, a_);
  write(b, b_);
  write(c, std::vector<cl_uint>(rows * width, 99));
  const cl_uint numbers[] = {n, height, wide};
  for (cl_uint i = 0; i != 3; ++i)
    EXPECT_EQ(clSetKernelArg(kernel, i, sizeof(cl_uint), &numbers[i]), CL_SUCCESS);
  cl_mem buffers[] = {a, b, c};
  for (cl_uint i = 0; i != 3; ++i)
    EXPECT_EQ(clSetKernelArg(kernel, i + 3, sizeof(cl_mem), &buffers[i]), CL_SUCCESS);
  const size_t global[] = {width, rows}, local[] = {size_t(local_rows == 16 ? 16 : 64), local_rows};
  EXPECT_EQ(clEnqueueNDRangeKernel(queue_, kernel, 2, nullptr, global, local, 0, nullptr, nullptr),
            CL_SUCCESS);
  return read<cl_uint>(c, rows * width);
}

TEST_F(NeighborGroupsWithGuards, StoreTheirOwnValues) {
  for (cl_uint height : {64, 61, 8, 3})
    for (cl_uint wide : {128, 100}) {
      const auto c = run("steps", height, wide, 1);
      for (cl_uint row = 0; row != rows; ++row)
        for (cl_uint column = 0; column != width; ++column) {
          cl_uint sum = 0;
          for (cl_uint k = 0; k != n; ++k)
            for (cl_uint i = 0; i != 5; ++i)
              sum += b_[k * width + column / 64 * 64 + (column + i) % 64] *
                     (k + i < n ? a_[row * n + k + i] : 3);
          ASSERT_EQ(c[row * width + column], row < height && column < wide ? sum : 99)
              << "row " << row << " of " << height << ", column " << column << " of " << wide;
        }
    }
}

TEST_F(NeighborGroupsWithGuards, LeaveEarly) {
  for (size_t local_rows : {1, 8})
    for (cl_uint height : {64, 61, 8, 3})
      for (cl_uint wide : {128, 100, 64}) {
        const auto c = run("product", height, wide, local_rows);
        for (cl_uint row = 0; row != rows; ++row)
          for (cl_uint column = 0; column != width; ++column) {
            cl_uint sum = 5;
            for (cl_uint k = 0; k != n; ++k)
              sum += a_[row * n + k] * b_[k * width + column];
            ASSERT_EQ(c[row * width + column], row < height && column < wide ? sum : 99)
                << "row " << row << " of " << height << ", column " << column << " of " << wide;
          }
      }
}

// The groups that leave are the last ones, or others, or all.
TEST_F(NeighborGroupsWithGuards, LeaveBeforeTheBarriersOfOthers) {
  for (cl_uint height : {64, 61, 8, 3, 0})
    for (cl_uint leaves : {8, 0, 3}) {
      const auto c = run("product_with_barriers", height, leaves, 1);
      for (cl_uint row = 0; row != rows; ++row)
        for (cl_uint column = 0; column != width; ++column) {
          cl_uint sum = 99 + 5 + row;
          for (cl_uint k = 0; k != n; ++k)
            sum += a_[row * n + k] * b_[k * width + column];
          ASSERT_EQ(c[row * width + column], row < height && row % 8 != leaves ? sum : 99)
              << "row " << row << " of " << height << ", column " << column;
        }
    }
}

// Groups of which all work-items pass a guard run without it. The ids may wrap within a group.
TEST_F(NeighborGroupsWithGuards, PassAsAWhole) {
  constexpr cl_uint items = 512, m = 3000;
  Program program = build(R"(
kernel void strided(uint first, uint n, uint m, global const uint *a, global uint *c) {
  const uint x = (uint)get_global_id(0) + first;
  if (x < n) {
    uint sum = 7;
    for (size_t i = get_global_id(0); i < m; i += get_global_size(0))
      sum += a[i];
    c[get_global_id(0)] = sum;
  }
}
kernel void signed_indices(int first, int n, uint m, global const uint *a, global uint *c) {
  const int x = (int)get_global_id(0) + first;
  if (x >= n || get_global_id(0) >= 400)
    return;
  uint sum = 7;
  for (size_t i = get_global_id(0); i < m; i += get_global_size(0))
    sum += a[i];
  c[get_global_id(0)] = sum;
})");
  std::vector<cl_uint> a(m);
  for (size_t i = 0; i != m; ++i)
    a[i] = cl_uint(i * 2654435761u >> 7);
  for (bool is_signed : {false, true})
    for (cl_uint first : {0u, 5u, 0xffffff00u, 0xffffff10u, 0xfffffe05u})
      for (cl_uint n : {0u, 3u, 64u, 100u, 512u, 0x7fffffffu, 0xffffff20u, 0xffffffffu}) {
        SCOPED_TRACE((is_signed ? "signed, first " : "first ") + std::to_string(first) + ", n " +
                     std::to_string(n));
        Kernel kernel = make_kernel(program, is_signed ? "signed_indices" : "strided");
        Memory in = make_buffer(m * 4), out = make_buffer(items * 4);
        write(in, a);
        write(out, std::vector<cl_uint>(items, 99));
        const cl_uint numbers[] = {first, n, m};
        for (cl_uint i = 0; i != 3; ++i)
          ASSERT_EQ(clSetKernelArg(kernel, i, sizeof(cl_uint), &numbers[i]), CL_SUCCESS);
        cl_mem buffers[] = {in, out};
        for (cl_uint i = 0; i != 2; ++i)
          ASSERT_EQ(clSetKernelArg(kernel, i + 3, sizeof(cl_mem), &buffers[i]), CL_SUCCESS);
        const size_t global = items, local = 64;
        ASSERT_EQ(clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &global, &local, 0, nullptr,
                                         nullptr),
                  CL_SUCCESS);
        const auto c = read<cl_uint>(out, items);
        for (cl_uint item = 0; item != items; ++item) {
          const cl_uint x = item + first;
          const bool passes = is_signed ? cl_int(x) < cl_int(n) && item < 400 : x < n;
          cl_uint sum = 7;
          for (cl_uint i = item; i < m; i += items)
            sum += a[i];
          ASSERT_EQ(c[item], passes ? sum : 99) << "work-item " << item;
        }
      }
}

TEST_F(NeighborGroupsWithGuards, StoreTheirColumns) {
  for (const char *name : {"turned", "turned_by_size_t", "turned_in_columns"})
    for (size_t local_rows : {1, 4, 16})
      for (cl_uint height : {64, 61, 5})
        for (cl_uint wide : {128, 100, 64}) {
          const auto c = run(name, height, wide, local_rows);
          for (cl_uint row = 0; row != rows; ++row)
            for (cl_uint column = 0; column != width; ++column)
              ASSERT_EQ(c[column * rows + row],
                        row < height && column < wide ? b_[row % n * width + column] + row : 99)
                  << name << ": row " << row << " of " << height << ", column " << column << " of "
                  << wide;
        }
}

// All groups store the same values to local memory, but only after they have read from it.
TEST_F(NeighborGroups, ReadWhatTheirOwnGroupHasLeft) {
  Program program = build(R"(
kernel void counted(uint n, global const uint *b, global uint *out) {
  local uint mine[128];
  const uint x = get_local_id(0);
  mine[2 * x] = 5;
  mine[2 * x + 1] = 6;
  barrier(CLK_LOCAL_MEM_FENCE);
  uint sum = mine[2 * x + n % 2];
  for (uint k = 0; k < n; ++k) {
    mine[2 * x + 1 % ((k & 63) + 1)] = 0;
    sum += b[k * 9];
  }
  out[get_group_id(1) * 64 + x] = sum;
})");
  Kernel kernel = make_kernel(program, "counted");
  std::vector<cl_uint> b(9 * 17);
  for (size_t i = 0; i != b.size(); ++i)
    b[i] = cl_uint(i * 31);
  cl_uint n = 17, sum = 6;
  for (cl_uint k = 0; k != n; ++k)
    sum += b[k * 9];
  for (size_t rows : {8, 64}) {
    Memory in = make_buffer(b.size() * 4), out = make_buffer(rows * 64 * 4);
    write(in, b);
    cl_mem buffers[] = {in, out};
    ASSERT_EQ(clSetKernelArg(kernel, 0, sizeof n, &n), CL_SUCCESS);
    for (cl_uint i = 0; i != 2; ++i)
      ASSERT_EQ(clSetKernelArg(kernel, i + 1, sizeof(cl_mem), &buffers[i]), CL_SUCCESS);
    const size_t global[] = {64, rows}, local[] = {64, 1};
    ASSERT_EQ(
        clEnqueueNDRangeKernel(queue_, kernel, 2, nullptr, global, local, 0, nullptr, nullptr),
        CL_SUCCESS);
    EXPECT_EQ(read<cl_uint>(out, rows * 64), std::vector<cl_uint>(rows * 64, sum)) << rows;
  }
}

constexpr const char *global_ids_source = R"(
kernel void global_ids(uint n, global const uint *values, global uint *sums, global uint *groups) {
  const size_t id = get_global_id(0) - get_global_offset(0), width = get_global_size(0);
  const size_t place = (get_global_id(1) - get_global_offset(1)) * width + id;
  uint sum = 0;
  for (size_t i = id; i < n; i += width)
    sum += values[i];
  sums[place] = sum * 3 + get_global_id(0) + get_global_id(1);
#ifdef GROUPS
  groups[place] = get_group_id(0) * 1000 + get_local_id(0);
#else
  groups[place] = get_num_groups(0) * 1000 + get_local_size(0);
#endif
}
)";

TEST_F(NeighborGroups, HaveTheirGlobalIdsInWideGroups) {
  const cl_uint n = 5003;
  std::vector<cl_uint> values(n);
  for (cl_uint i = 0; i != n; ++i)
    values[i] = i * 2654435761u >> 9;
  Memory input = make_buffer(n * 4);
  write(input, values);
  for (const bool asks_for_groups : {false, true}) {
    Program program = build(global_ids_source, asks_for_groups ? "-DGROUPS" : "");
    Kernel kernel = make_kernel(program, "global_ids");
    for (const size_t local : {1, 2, 3, 16, 48, 64, 128})
      for (const std::array<size_t, 2> groups : {std::array<size_t, 2>{64, 1}, {32, 2}, {7, 1}}) {
        SCOPED_TRACE("local size " + std::to_string(local) + ", " + std::to_string(groups[0]) +
                     " x " + std::to_string(groups[1]) + " groups");
        const size_t width = local * groups[0], items = width * groups[1];
        Memory sums = make_buffer(items * 4), seen = make_buffer(items * 4);
        ASSERT_EQ(clSetKernelArg(kernel, 0, sizeof n, &n), CL_SUCCESS);
        for (cl_uint i = 0; i != 3; ++i) {
          cl_mem buffer = i == 0 ? input : i == 1 ? sums : seen;
          ASSERT_EQ(clSetKernelArg(kernel, i + 1, sizeof buffer, &buffer), CL_SUCCESS);
        }
        const size_t offset[] = {3, 5}, global[] = {width, groups[1]}, sizes[] = {local, 1};
        ASSERT_EQ(
            clEnqueueNDRangeKernel(queue_, kernel, 2, offset, global, sizes, 0, nullptr, nullptr),
            CL_SUCCESS);
        const auto got = read<cl_uint>(sums, items), got_groups = read<cl_uint>(seen, items);
        for (size_t place = 0; place != items; ++place) {
          const size_t id = place % width;
          cl_uint sum = 0;
          for (size_t i = id; i < n; i += width)
            sum += values[i];
          ASSERT_EQ(got[place], cl_uint(sum * 3 + id + 3 + place / width + 5)) << place;
          ASSERT_EQ(got_groups[place],
                    asks_for_groups ? id / local * 1000 + id % local : groups[0] * 1000 + local)
              << place;
        }
      }
  }
}

// Tiles of straight-line code, which run row by row.
TEST_F(NeighborGroups, HaveTheirGlobalIdsInRowsOfTiles) {
  Program program = build(R"(
kernel void blur(uint pitch, global const uint *from, global uint *to) {
  const size_t at = (get_global_id(1) + get_global_id(2) * 64 + 1) * pitch + get_global_id(0) + 1;
  to[at] = from[at - 1] + from[at + 1] + from[at - pitch] * 3 + from[at + pitch] * 5 + get_global_id(1);
})");
  Kernel kernel = make_kernel(program, "blur");
  for (const std::array<size_t, 3> local :
       {std::array<size_t, 3>{16, 16, 1}, {64, 4, 1}, {5, 2, 1}, {32, 2, 4}, {8, 1, 2}})
    for (const size_t columns : {64, 7}) {
      const std::array<size_t, 3> offset = {2, 4, 0}, global = {local[0] * columns, 32, 8};
      SCOPED_TRACE(std::to_string(local[0]) + "x" + std::to_string(local[1]) + "x" +
                   std::to_string(local[2]) + ", " + std::to_string(columns) + " columns");
      const cl_uint pitch = cl_uint(global[0] + offset[0] + 2);
      std::vector<cl_uint> from(pitch * (64 * 8 + 40)), expected(from.size());
      for (size_t i = 0; i != from.size(); ++i)
        from[i] = cl_uint(i * 2654435761u >> 11);
      for (size_t z = 0; z != global[2]; ++z)
        for (size_t y = offset[1]; y != offset[1] + global[1]; ++y)
          for (size_t x = offset[0]; x != offset[0] + global[0]; ++x) {
            const size_t at = (y + z * 64 + 1) * pitch + x + 1;
            expected[at] = cl_uint(from[at - 1] + from[at + 1] + from[at - pitch] * 3 +
                                   from[at + pitch] * 5 + y);
          }
      Memory input = make_buffer(from.size() * 4), output = make_buffer(from.size() * 4);
      write(input, from);
      write(output, std::vector<cl_uint>(from.size()));
      ASSERT_EQ(clSetKernelArg(kernel, 0, sizeof pitch, &pitch), CL_SUCCESS);
      for (cl_uint i = 0; i != 2; ++i) {
        cl_mem buffer = i == 0 ? input : output;
        ASSERT_EQ(clSetKernelArg(kernel, i + 1, sizeof buffer, &buffer), CL_SUCCESS);
      }
      ASSERT_EQ(clEnqueueNDRangeKernel(queue_, kernel, 3, offset.data(), global.data(),
                                       local.data(), 0, nullptr, nullptr),
                CL_SUCCESS);
      EXPECT_EQ(read<cl_uint>(output, from.size()), expected);
    }
}

// Loops over elements of rows and columns: short rows of work-items become long ones, and four rows
// become eight. X is the dimension of columns.
TEST_F(NeighborGroups, HaveTheirGlobalIdsInLoops) {
  constexpr const char *loops = R"(
kernel void window(uint n, global const uint *a, global const uint *b, global uint *c) {
  const uint x = get_global_id(X), y = get_global_id(1 - X), width = get_global_size(X);
  uint sum = get_global_id(2);
  for (uint j = 0; j < n; ++j)
    for (uint i = 0; i < n; ++i)
      sum += a[(y + j) * (width + n) + x + i] * b[j * n + i];
  c[(get_global_id(2) * get_global_size(1 - X) + y) * width + x] = sum;
}
kernel void product(uint n, global const uint *a, global const uint *b, global uint *c) {
  const size_t x = get_global_id(X), y = get_global_id(1 - X), width = get_global_size(X);
  uint sum = get_global_id(2);
  for (uint k = 0; k < n; ++k)
    sum += b[y * n + k] * a[k * width + x];
  c[(get_global_id(2) * get_global_size(1 - X) + y) * width + x] = sum;
})";
  constexpr cl_uint n = 5;
  Program programs[] = {build(loops, "-DX=0"), build(loops, "-DX=1")};
  for (const std::array<size_t, 3> local : {std::array<size_t, 3>{4, 4, 1},
                                            {8, 8, 1},
                                            {1, 256, 1},
                                            {64, 4, 1},
                                            {16, 4, 1},
                                            {256, 1, 1},
                                            {2, 8, 2},
                                            {20, 4, 1},
                                            {12, 8, 1},
                                            {6, 2, 1}})
    for (const auto &[columns, is_swapped] :
         {std::pair{16, false}, {9, false}, {16, true}, {9, true}}) {
      const std::array<size_t, 3> global = {local[0] == 256 ? 512 : local[0] * columns, 256, 2};
      SCOPED_TRACE(std::to_string(local[0]) + "x" + std::to_string(local[1]) + "x" +
                   std::to_string(local[2]) + ", " + std::to_string(columns) + " columns" +
                   (is_swapped ? ", swapped" : ""));
      const auto width = cl_uint(global[is_swapped]), height = cl_uint(global[!is_swapped]);
      std::vector<cl_uint> a((height + n) * (width + n)), b(height * n);
      for (size_t i = 0; i != a.size(); ++i)
        a[i] = cl_uint(i * 2654435761u >> 11);
      for (size_t i = 0; i != b.size(); ++i)
        b[i] = cl_uint(i * 40503u ^ 77);
      Memory a_in = make_buffer(a.size() * 4), b_in = make_buffer(b.size() * 4),
             out = make_buffer(size_t{width} * height * 8);
      write(a_in, a);
      write(b_in, b);
      for (const bool is_product : {false, true}) {
        Kernel kernel = make_kernel(programs[is_swapped], is_product ? "product" : "window");
        ASSERT_EQ(clSetKernelArg(kernel, 0, sizeof n, &n), CL_SUCCESS);
        cl_mem buffers[] = {a_in, b_in, out};
        for (cl_uint i = 0; i != 3; ++i)
          ASSERT_EQ(clSetKernelArg(kernel, i + 1, sizeof(cl_mem), &buffers[i]), CL_SUCCESS);
        ASSERT_EQ(clEnqueueNDRangeKernel(queue_, kernel, 3, nullptr, global.data(), local.data(), 0,
                                         nullptr, nullptr),
                  CL_SUCCESS);
        const auto c = read<cl_uint>(out, size_t{width} * height * 2);
        for (cl_uint at = 0; at != c.size(); ++at) {
          const cl_uint x = at % width, y = at / width % height;
          cl_uint sum = at / width / height;
          for (cl_uint k = 0; k != n; ++k)
            if (is_product)
              sum += b[y * n + k] * a[k * width + x];
            else
              for (cl_uint i = 0; i != n; ++i)
                sum += a[(y + k) * (width + n) + x + i] * b[k * n + i];
          ASSERT_EQ(c[at], sum) << (is_product ? "product, " : "window, ") << x << ", " << y;
        }
      }
    }
}

// Launches whose groups do not fill all calls for several groups, also with groups at the edges.
TEST_F(NeighborGroups, LeaveGroupsOver) {
  constexpr const char *source = R"(
kernel void straight(global const uint *a, global uint *c) {
  const size_t at = get_global_id(1) * get_global_size(0) + get_global_id(0);
  c[at] = a[at] * 3 + 1;
}
kernel void sums(global const uint *a, global uint *c) {
  const size_t x = get_global_id(0), y = get_global_id(1), width = get_global_size(0);
  uint sum = 0;
  for (uint k = 0; k < 12; ++k)
    sum += a[y * width + k] * a[k * width + x];
  c[y * width + x] = sum;
}
kernel void tiles(global const uint *a, global uint *c, local uint *piece) {
  local uint tile[512];
  const size_t x = get_global_id(0), y = get_global_id(1), width = get_global_size(0);
  const size_t l = get_local_linear_id();
  uint sum = get_group_id(0) + 1000 * get_group_id(1);
  for (uint k = 0; k < 3; ++k) {
    tile[l] = a[y * width + x] + k;
    piece[l] = l * k;
    barrier(CLK_LOCAL_MEM_FENCE);
    const size_t row = get_local_id(1) * get_local_size(0);
    sum += tile[row] * 3 + tile[row + get_local_size(0) - 1] + piece[row];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[y * width + x] = sum;
})";
  Program program = build(source, "-cl-std=CL3.0");
  using Size = std::array<size_t, 2>;
  for (const auto &[local, global] : {std::pair{Size{8, 8}, Size{296, 248}},
                                      {Size{64, 4}, Size{323, 245}},
                                      {Size{16, 4}, Size{275, 245}},
                                      {Size{111, 1}, Size{999, 99}},
                                      {Size{20, 20}, Size{340, 260}},
                                      {Size{1, 64}, Size{333, 320}},
                                      {Size{5, 5}, Size{305, 295}},
                                      {Size{200, 2}, Size{600, 130}},
                                      {Size{256, 1}, Size{1000, 67}}}) {
    SCOPED_TRACE(std::to_string(local[0]) + "x" + std::to_string(local[1]) + " of " +
                 std::to_string(global[0]) + "x" + std::to_string(global[1]));
    const size_t width = global[0];
    std::vector<cl_uint> a(global[0] * global[1]);
    for (size_t i = 0; i != a.size(); ++i)
      a[i] = cl_uint(i * 2654435761u >> 11);
    Memory in = make_buffer(a.size() * 4), out = make_buffer(a.size() * 4);
    write(in, a);
    for (const std::string name : {"straight", "sums", "tiles"}) {
      write(out, std::vector<cl_uint>(a.size(), 99));
      Kernel kernel = make_kernel(program, name.c_str());
      cl_mem buffers[] = {in, out};
      for (cl_uint i = 0; i != 2; ++i)
        ASSERT_EQ(clSetKernelArg(kernel, i, sizeof(cl_mem), &buffers[i]), CL_SUCCESS);
      if (name == "tiles") {
        ASSERT_EQ(clSetKernelArg(kernel, 2, local[0] * local[1] * 4, nullptr), CL_SUCCESS);
      }
      ASSERT_EQ(clEnqueueNDRangeKernel(queue_, kernel, 2, nullptr, global.data(), local.data(), 0,
                                       nullptr, nullptr),
                CL_SUCCESS);
      const auto c = read<cl_uint>(out, a.size());
      for (size_t at = 0; at != a.size(); ++at) {
        const size_t x = at % width, y = at / width, begin = x / local[0] * local[0],
                     size = std::min(local[0], width - begin);
        cl_uint expected = a[at] * 3 + 1;
        if (name == "sums") {
          expected = 0;
          for (size_t k = 0; k != 12; ++k)
            expected += a[y * width + k] * a[k * width + x];
        } else if (name == "tiles") {
          expected = cl_uint(x / local[0] + 1000 * (y / local[1]));
          for (cl_uint k = 0; k != 3; ++k)
            expected += (a[y * width + begin] + k) * 3 + a[y * width + begin + size - 1] + k +
                        cl_uint(y % local[1] * size) * k;
        }
        ASSERT_EQ(c[at], expected) << name << ", " << x << ", " << y;
      }
    }
  }
}

// Rows of work-items that are no whole number of sub-groups, also in groups at the edges.
TEST_F(NeighborGroups, RowsOfAnyLength) {
  constexpr const char *rows = R"(
kernel void tiles(global const uint *a, global uint *c) {
  local uint tile[1024];
  const size_t x = get_global_id(0), y = get_global_id(1), width = get_global_size(0);
  const size_t l = get_local_id(0), row = get_local_id(1) * get_local_size(0);
  tile[row + l] = a[y * width + x];
  barrier(CLK_LOCAL_MEM_FENCE);
  uint sum = get_local_linear_id() * 7 + get_local_size(0);
  for (uint i = 0; i < get_local_size(0); ++i)
    sum += tile[row + i] * (i + 1);
  barrier(CLK_LOCAL_MEM_FENCE);
  tile[row + get_local_size(0) - 1 - l] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  c[y * width + x] = tile[row + l] + sum;
}
kernel void accesses(global const uint *a, global uint *c) {
  const size_t x = get_global_id(0), y = get_global_id(1), width = get_global_size(0);
  if (a[y * width + x] % 5 == 0)
    return;
  uint sum = 0;
  for (uint i = 0; i <= y % 3; ++i)
    sum += a[i * width + x] + a[y * width];
  c[y * width + x] = sum;
})";
  Program program = build(rows, "-cl-std=CL3.0");
  using Size = std::array<size_t, 2>;
  for (const auto &[local, global] : {std::pair{Size{20, 20}, Size{60, 40}},
                                      {Size{24, 8}, Size{96, 16}},
                                      {Size{12, 12}, Size{48, 24}},
                                      {Size{40, 3}, Size{80, 48}},
                                      {Size{250, 2}, Size{500, 16}},
                                      {Size{200, 1}, Size{400, 64}},
                                      {Size{17, 5}, Size{68, 20}},
                                      {Size{5, 5}, Size{25, 20}},
                                      {Size{16, 16}, Size{75, 53}},
                                      {Size{20, 20}, Size{71, 50}},
                                      {Size{256, 1}, Size{300, 64}},
                                      {Size{64, 4}, Size{65, 9}}}) {
    SCOPED_TRACE(std::to_string(local[0]) + "x" + std::to_string(local[1]) + " of " +
                 std::to_string(global[0]) + "x" + std::to_string(global[1]));
    const size_t width = global[0];
    std::vector<cl_uint> a(global[0] * global[1]);
    for (size_t i = 0; i != a.size(); ++i)
      a[i] = cl_uint(i * 2654435761u >> 11);
    Memory in = make_buffer(a.size() * 4), out = make_buffer(a.size() * 4);
    write(in, a);
    for (const bool has_barriers : {false, true}) {
      write(out, std::vector<cl_uint>(a.size(), 99));
      Kernel kernel = make_kernel(program, has_barriers ? "tiles" : "accesses");
      cl_mem buffers[] = {in, out};
      for (cl_uint i = 0; i != 2; ++i)
        ASSERT_EQ(clSetKernelArg(kernel, i, sizeof(cl_mem), &buffers[i]), CL_SUCCESS);
      ASSERT_EQ(clEnqueueNDRangeKernel(queue_, kernel, 2, nullptr, global.data(), local.data(), 0,
                                       nullptr, nullptr),
                CL_SUCCESS);
      const auto c = read<cl_uint>(out, a.size());
      for (size_t at = 0; at != a.size(); ++at) {
        const size_t x = at % width, y = at / width;
        cl_uint expected = 99;
        if (has_barriers) {
          const size_t begin = x / local[0] * local[0], l = x - begin,
                       size = std::min(local[0], width - begin);
          cl_uint dot = 0;
          for (size_t i = 0; i != size; ++i)
            dot += a[y * width + begin + i] * cl_uint(i + 1);
          auto sum_of = [&](size_t id) {
            return cl_uint((y % local[1] * size + id) * 7 + size) + dot;
          };
          expected = sum_of(l) + sum_of(size - 1 - l);
        } else if (a[at] % 5 != 0) {
          expected = 0;
          for (size_t i = 0; i <= y % 3; ++i)
            expected += a[i * width + x] + a[y * width];
        }
        ASSERT_EQ(c[at], expected) << (has_barriers ? "tiles, " : "accesses, ") << x << ", " << y;
      }
    }
  }
}

} // namespace
