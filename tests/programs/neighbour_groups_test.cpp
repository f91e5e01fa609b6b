// Work-groups that one call of the code may run together (join-work-groups): each must still have
// its own ids, its own local memory and its own sub-groups. Sizes at which the groups come out even
// and at which they do not, rows in two dimensions, offsets, and local memory that differs between
// groups beside some that does not.
#include "opencl_fixture.h"

#include <array>

using namespace lockstep::test;

namespace {

constexpr const char *source = R"(
kernel void rows(uint n, global const uint *a, global const uint *b, global uint *c, global uint *ids) {
  local uint panel[4][X], own[X + 1], first;
  const uint x = get_local_id(0), width = get_global_size(0);
  const uint column = get_global_id(0) - get_global_offset(0);
  const uint row = get_global_id(D) - get_global_offset(D);
  uint sum = 0;
  for (uint k = 0; k < n; k += 4) {
    own[X - x] = a[row * n + k + x % 4] + x;
    if (x == 0)
      first = row * k;
    for (uint i = 0; i < 4; ++i)
      panel[i][x] = b[(k + i) * width + column];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = 0; i < 4; ++i)
      sum += own[X - (x / 4 * 4 + i)] * panel[i][X - 1 - x] + first;
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
  unsigned dimension; // of the rows
};

class NeighbourGroups : public DeviceTest {
protected:
  void run(const Shape &shape, bool sub_groups);
};

void NeighbourGroups::run(const Shape &shape, bool sub_groups) {
  SCOPED_TRACE("local size " + std::to_string(shape.local) + ", " + std::to_string(shape.groups) +
               " x " + std::to_string(shape.rows) + " groups, rows in dimension " +
               std::to_string(shape.dimension));
  const cl_uint n = 12, width = cl_uint(shape.local * shape.groups), x_size = cl_uint(shape.local);
  std::vector<cl_uint> a(shape.rows * n), b(n * width);
  for (size_t i = 0; i != a.size(); ++i)
    a[i] = cl_uint(i * 2654435761u >> 7);
  for (size_t i = 0; i != b.size(); ++i)
    b[i] = cl_uint(i * 40503u ^ 77);
  Program program = build(source, ("-cl-std=CL3.0 -DX=" + std::to_string(shape.local) +
                                   " -DD=" + std::to_string(shape.dimension) +
                                   (sub_groups ? " -DSUB_GROUPS" : ""))
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
  std::array<size_t, 3> offset = {3, 5, 7}, global = {width, 1, 1}, local = {shape.local, 1, 1};
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

TEST_F(NeighbourGroups, KeepTheirIdsAndTheirLocalMemory) {
  for (unsigned dimension : {1u, 2u})
    for (size_t rows : {64, 32, 36, 14, 7})
      for (size_t local : {16, 64, 24})
        run({local, 2, rows, dimension}, false);
}

TEST_F(NeighbourGroups, KeepTheirSubGroups) {
  for (size_t rows : {64, 36, 7})
    for (size_t local : {16, 64})
      run({local, 3, rows, 1}, true);
}

// All groups store the same to local memory, but after they have read from it.
TEST_F(NeighbourGroups, ReadWhatTheirOwnGroupHasLeft) {
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

} // namespace
