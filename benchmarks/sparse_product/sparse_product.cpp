// With rows of unequal length and loads from any address: do gathers pay, and what do idle lanes
// cost?
//
// Rival: plain C++, one row after the other. GB/s count the matrix once and the vectors once.
#include "benchmarks/harness/data.h"
#include "benchmarks/harness/session.h"
#include "benchmarks/harness/threads.h"
#include "benchmarks/questions.h"

namespace lockstep::benchmarks {

namespace {

struct Data {
  std::vector<uint32_t> row_start, column;
  std::vector<float> value, x, y;
};

std::shared_ptr<Data> make_data(size_t rows) {
  auto d = std::make_shared<Data>();
  d->row_start.push_back(0);
  for (size_t row = 0; row < rows; ++row) {
    const uint64_t random = scramble(row);
    const size_t entries = 1 + random % 63;
    // Near the diagonal, as in most matrices that come from a grid.
    for (size_t i = 0; i < entries; ++i)
      d->column.push_back(uint32_t((row + rows + scramble(row * 64 + i) % 8192 - 4096) % rows));
    d->row_start.push_back(uint32_t(d->column.size()));
  }
  d->value = random_floats(d->column.size(), -1, 1, 14);
  d->x = random_floats(rows, -1, 1, 15);
  d->y.resize(rows);
  return d;
}

} // namespace

Benchmark sparse_product(Scale scale) {
  auto d = make_data(size(scale, 1 << 19, 1 << 12));
  const size_t rows = d->y.size();
  Benchmark b{.unit = "GB/s",
              .amount = 1e-9 * (8.0 * double(d->value.size()) + 12.0 * double(rows))};
  b.opencl = [=](Session &s) {
    cl::Kernel k = s.kernel("sparse_product/sparse_product.cl", "csr");
    s.arguments(k, s.input(d->row_start), s.input(d->column), s.input(d->value), s.input(d->x),
                s.output(d->y));
    return [=, &s] { s.launch(k, rows, 64); };
  };
  b.native = [=](Threads &t) {
    return [=, &t] {
      t.share(rows, 4096, [&](size_t begin, size_t end) {
        for (size_t row = begin; row < end; ++row) {
          float sum = 0;
          for (uint32_t i = d->row_start[row]; i < d->row_start[row + 1]; ++i)
            sum += d->value[i] * d->x[d->column[i]];
          d->y[row] = sum;
        }
      });
    };
  };
  b.verify = [=] {
    for (size_t row = 0; row < rows; ++row) {
      double sum = 0;
      for (uint32_t i = d->row_start[row]; i < d->row_start[row + 1]; ++i)
        sum += double(d->value[i]) * d->x[d->column[i]];
      if (!near(d->y[row], sum, 1e-4))
        return false;
    }
    return true;
  };
  return b;
}

} // namespace lockstep::benchmarks
