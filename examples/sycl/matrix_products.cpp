// One matrix product in four forms:
// 1. A plain range.
// 2. An nd_range whose groups share tiles in local memory.
// 3. The tiles in a hierarchical kernel.
// 4. Sub-groups whose work-items broadcast the elements that they have loaded.
#include <sycl/sycl.hpp>

#include "example.hpp"

constexpr std::size_t tile = 16, wide = 64;

struct Matrices {
  std::size_t n;
  const float *a, *b; // row-major
  float *product;
};

// A work-item for each element; the runtime chooses their arrangement.
static void by_range(sycl::queue &queue, Matrices m) {
  queue.parallel_for(sycl::range(m.n, m.n), [=](sycl::id<2> me) {
    float sum = 0;
    for (std::size_t k = 0; k < m.n; ++k)
      sum += m.a[me[0] * m.n + k] * m.b[k * m.n + me[1]];
    m.product[me[0] * m.n + me[1]] = sum;
  });
}

// The work-items of a group load a tile of each matrix together, and each uses all of it.
static void by_tiles(sycl::queue &queue, Matrices m) {
  queue.submit([&](sycl::handler &group) {
    sycl::local_accessor<float, 2> rows({tile, tile}, group), columns({tile, tile}, group);
    group.parallel_for(sycl::nd_range<2>({m.n, m.n}, {tile, tile}), [=](sycl::nd_item<2> me) {
      const std::size_t i = me.get_local_id(0), j = me.get_local_id(1);
      const std::size_t row = me.get_global_id(0), column = me.get_global_id(1);
      float sum = 0;
      for (std::size_t at = 0; at < m.n; at += tile) {
        rows[i][j] = m.a[row * m.n + at + j];
        columns[i][j] = m.b[(at + i) * m.n + column];
        sycl::group_barrier(me.get_group());
        for (std::size_t k = 0; k < tile; ++k)
          sum += rows[i][k] * columns[k][j];
        sycl::group_barrier(me.get_group()); // keeps the tiles until all have read them
      }
      m.product[row * m.n + column] = sum;
    });
  });
}

// Work-group code that contains work-item code. The tiles are variables of the group, and barriers
// are implicit.
static void by_hierarchy(sycl::queue &queue, Matrices m) {
  queue.submit([&](sycl::handler &group) {
    group.parallel_for_work_group(
        sycl::range(m.n / tile, m.n / tile), sycl::range(tile, tile), [=](sycl::group<2> all) {
          float rows[tile][tile], columns[tile][tile];
          sycl::private_memory<float, 2> sum(all);
          for (std::size_t at = 0; at < m.n; at += tile) {
            all.parallel_for_work_item([&](sycl::h_item<2> me) {
              const std::size_t i = me.get_local_id(0), j = me.get_local_id(1);
              rows[i][j] = m.a[me.get_global_id(0) * m.n + at + j];
              columns[i][j] = m.b[(at + i) * m.n + me.get_global_id(1)];
            });
            all.parallel_for_work_item([&](sycl::h_item<2> me) {
              for (std::size_t k = 0; k < tile; ++k)
                sum(me) += rows[me.get_local_id(0)][k] * columns[k][me.get_local_id(1)];
            });
          }
          all.parallel_for_work_item([&](sycl::h_item<2> me) {
            m.product[me.get_global_id(0) * m.n + me.get_global_id(1)] = sum(me);
          });
        });
  });
}

// Each work-item of a sub-group loads one element of a row of a, and broadcasts it to the others.
static void by_sub_groups(sycl::queue &queue, Matrices m) {
  queue.parallel_for(sycl::nd_range<2>({m.n, m.n}, {1, wide}), [=](sycl::nd_item<2> me) {
    const sycl::sub_group lanes = me.get_sub_group();
    const std::size_t row = me.get_global_id(0), column = me.get_global_id(1);
    const std::size_t width = lanes.get_local_linear_range(), lane = lanes.get_local_linear_id();
    float sum = 0;
    for (std::size_t at = 0; at < m.n; at += width) {
      const float mine = m.a[row * m.n + at + lane];
      for (std::size_t k = 0; k < width; ++k)
        sum += sycl::group_broadcast(lanes, mine, k) * m.b[(at + k) * m.n + column];
    }
    m.product[row * m.n + column] = sum;
  });
}

// Sums of products of small integers are exact in any order, so one loop over k for a whole row
// suffices as reference.
static bool is_right(const Matrices &m) {
  std::vector<float> row(m.n);
  for (std::size_t i = 0; i < m.n; ++i) {
    std::fill(row.begin(), row.end(), 0.0f);
    for (std::size_t k = 0; k < m.n; ++k)
      for (std::size_t j = 0; j < m.n; ++j)
        row[j] += m.a[i * m.n + k] * m.b[k * m.n + j];
    if (!std::equal(row.begin(), row.end(), m.product + i * m.n))
      return false;
  }
  return true;
}

int main(int argc, char **argv) {
  const std::size_t n = example::size(argc, argv, 1024, 128);
  sycl::queue queue;
  float *a = sycl::malloc_shared<float>(n * n, queue),
        *b = sycl::malloc_shared<float>(n * n, queue);
  float *product = sycl::malloc_shared<float>(n * n, queue);
  for (std::size_t i = 0; i < n * n; ++i) {
    a[i] = static_cast<float>(i % 7);
    b[i] = static_cast<float>(i % 5);
  }
  const auto row = [&](const char *what, auto multiply) {
    std::fill(product, product + n * n, -1.0f);
    const double seconds = example::seconds(queue, [&] { multiply(queue, {n, a, b, product}); });
    const double size = static_cast<double>(n);
    example::row(what, is_right({n, a, b, product}), seconds, 2e-9 * size * size * size, "GFLOP/s");
  };
  row("matrix product, range", by_range);
  row("matrix product, nd_range and local tiles", by_tiles);
  row("matrix product, hierarchical", by_hierarchy);
  row("matrix product, sub-group broadcast", by_sub_groups);
  for (float *memory : {a, b, product})
    sycl::free(memory, queue);
  return example::exit_code();
}
