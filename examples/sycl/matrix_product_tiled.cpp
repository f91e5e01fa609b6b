// A matrix product whose work-groups share tiles of both matrices in local memory.
#include <sycl/sycl.hpp>

#include <cstdio>

constexpr std::size_t size = 256, tile = 16;

static void multiply(sycl::queue &queue, sycl::buffer<float, 2> &a, sycl::buffer<float, 2> &b,
                     sycl::buffer<float, 2> &product) {
  queue.submit([&](sycl::handler &group) {
    sycl::accessor left(a, group, sycl::read_only), right(b, group, sycl::read_only);
    sycl::accessor out(product, group, sycl::write_only, sycl::no_init);
    sycl::local_accessor<float, 2> rows({tile, tile}, group), columns({tile, tile}, group);
    group.parallel_for(sycl::nd_range<2>({size, size}, {tile, tile}), [=](sycl::nd_item<2> me) {
      const std::size_t row = me.get_local_id(0), column = me.get_local_id(1);
      float sum = 0;
      for (std::size_t at = 0; at < size; at += tile) {
        rows[row][column] = left[me.get_global_id(0)][at + column];
        columns[row][column] = right[at + row][me.get_global_id(1)];
        sycl::group_barrier(me.get_group());
        for (std::size_t k = 0; k < tile; ++k)
          sum += rows[row][k] * columns[k][column];
        sycl::group_barrier(me.get_group()); // keeps the tiles until all have read them
      }
      out[me.get_global_id()] = sum;
    });
  });
}

int main() {
  std::vector<float> a(size * size), b(size * size), product(size * size);
  for (std::size_t i = 0; i < size * size; ++i) {
    a[i] = static_cast<float>(i % 7);
    b[i] = static_cast<float>(i % 5);
  }
  {
    sycl::queue queue;
    sycl::buffer<float, 2> of_a(a.data(), {size, size}), of_b(b.data(), {size, size});
    sycl::buffer<float, 2> of_product(product.data(), {size, size});
    multiply(queue, of_a, of_b, of_product);
  }
  for (std::size_t i = 0; i < size; ++i)
    for (std::size_t j = 0; j < size; ++j) {
      float sum = 0;
      for (std::size_t k = 0; k < size; ++k)
        sum += a[i * size + k] * b[k * size + j];
      if (product[i * size + j] != sum) { // sums of small integers are exact
        std::printf("wrong at %zu, %zu: %g\n", i, j, static_cast<double>(product[i * size + j]));
        return 1;
      }
    }
  std::printf("the product of two matrices of %zu x %zu is right\n", size, size);
}
