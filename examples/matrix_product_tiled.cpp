// Matrix product with tiles in local memory.
//
// What it teaches: local memory as a cache that the program fills, and the two barriers of each
// iteration. A plain kernel reads each element of a n times and each element of b m times from
// global memory. Tiles of 16 x 16 divide that by 16. The first barrier makes the data available
// before their use. The second one is often forgotten: without it, a fast work-item overwrites the
// tile that a slow one still reads.
//
// No size is a multiple of the tile, so every edge is tested.
//
// Checked against: plain C++ in double, in another loop order, with a bound on the error of k float
// additions.
#include "example.h"

#include <cmath>

namespace {

constexpr uint32_t tile = 16;

bool verify(uint32_t m, uint32_t n, uint32_t k, const std::vector<float> &a,
            const std::vector<float> &b, const std::vector<float> &c) {
  // Checks about 50 rows of a large matrix; all rows of a small one.
  for (uint32_t row = 0; row < m; row += std::max(1u, m / 50)) {
    std::vector<double> expected(n), magnitude(n);
    for (uint32_t i = 0; i < k; ++i)
      for (uint32_t column = 0; column < n; ++column) {
        double product = double(a[row * size_t(k) + i]) * b[i * size_t(n) + column];
        expected[column] += product;
        magnitude[column] += std::abs(product);
      }
    for (uint32_t column = 0; column < n; ++column)
      if (!(std::abs(c[row * size_t(n) + column] - expected[column]) <=
            magnitude[column] * k * 0x1p-24))
        return false;
  }
  return true;
}

} // namespace

int main(int argc, char **argv) {
  return example::run(argc, argv, [](example::Example &e) {
    const uint32_t m = e.size(701, 37), n = e.size(515, 50), k = e.size(1003, 21);
    std::mt19937 random(4);
    std::uniform_real_distribution<float> around_zero(-1, 1);
    std::vector<float> a(size_t(m) * k), b(size_t(k) * n);
    for (std::vector<float> *matrix : {&a, &b})
      for (float &value : *matrix)
        value = around_zero(random);

    cl::Kernel kernel(e.build("matrix_product_tiled.cl", "-DTILE=" + std::to_string(tile)),
                      "matrix_product");
    cl::Buffer a_buffer = example::buffer_of(e, a), b_buffer = example::buffer_of(e, b);
    cl::Buffer c_buffer(e.context, CL_MEM_WRITE_ONLY, size_t(m) * n * sizeof(float));
    kernel.setArg(0, m);
    kernel.setArg(1, n);
    kernel.setArg(2, k);
    kernel.setArg(3, a_buffer);
    kernel.setArg(4, b_buffer);
    kernel.setArg(5, c_buffer);
    cl::NDRange global(example::round_up(n, tile), example::round_up(m, tile));
    double seconds = e.seconds([&] {
      e.queue.enqueueNDRangeKernel(kernel, cl::NullRange, global, cl::NDRange(tile, tile));
    });
    bool verified = verify(m, n, k, a, b, example::read<float>(e, c_buffer, size_t(m) * n));
    e.row("matrix product, 16x16 tiles", verified, seconds, 2e-9 * m * n * k, "GFLOP/s");
  });
}
