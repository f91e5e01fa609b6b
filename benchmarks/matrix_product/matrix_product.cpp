// What fraction of the machine's fused-multiply-add peak does a matrix product reach, and how much
// does its formulation matter?
//
// Expectation: naive above 20 %, tiled above 40 % of the peak (limits/); the scalar versions within
// a factor of 1.5 of the explicit float4 version. Other CPU implementations pay for the barriers of
// the tiles, which gain on a GPU. Rivals: for the tiles, C++ with the same tiles, split by hand
// into loops at the barriers; for the others, plain loops in the order that vectorizes (row, k,
// column). `limit_matrix_product` is a hand-tuned library: OpenBLAS, where it is installed. It is
// also the rival of CLBlast, a third-party OpenCL library, which runs with its default parameters
// for an unknown device and with tuned ones.
#include "benchmarks/harness/data.h"
#include "benchmarks/harness/session.h"
#include "benchmarks/harness/threads.h"
#include "benchmarks/questions.h"

#include <algorithm>
#include <dlfcn.h>
#include <stdexcept>
#include <string>
#include <utility>

namespace lockstep::benchmarks {

namespace {

struct Data {
  uint32_t n;
  std::vector<float> a, b, c;
};

void plain_rows(Data &d, size_t begin, size_t end) {
  const size_t n = d.n;
  for (size_t row = begin; row < end; ++row) {
    float *c = &d.c[row * n];
    std::fill(c, c + n, 0.0f);
    for (size_t k = 0; k < n; ++k) {
      const float a = d.a[row * n + k];
      const float *b = &d.b[k * n];
      for (size_t column = 0; column < n; ++column)
        c[column] += a * b[column];
    }
  }
}

// Computes one work-group of `tiled`, 16 x 16.
void tile_of(Data &d, size_t group_x, size_t group_y) {
  constexpr size_t tile = 16;
  const size_t n = d.n, left = group_x * tile, top = group_y * tile;
  float a_tile[tile][tile], b_tile[tile][tile], sum[tile][tile] = {};
  for (size_t start = 0; start < n; start += tile) {
    for (size_t y = 0; y < tile; ++y)
      for (size_t x = 0; x < tile; ++x) {
        a_tile[y][x] = d.a[(top + y) * n + start + x];
        b_tile[y][x] = d.b[(start + y) * n + left + x];
      }
    for (size_t y = 0; y < tile; ++y)
      for (size_t i = 0; i < tile; ++i)
        for (size_t x = 0; x < tile; ++x)
          sum[y][x] += a_tile[y][i] * b_tile[i][x];
  }
  for (size_t y = 0; y < tile; ++y)
    for (size_t x = 0; x < tile; ++x)
      d.c[(top + y) * n + left + x] = sum[y][x];
}

// Checks some rows, in double.
bool verify(const Data &d) {
  const size_t n = d.n;
  for (size_t row = 0; row < n; row += std::max<size_t>(1, n / 16) + 1) {
    std::vector<double> expected(n);
    for (size_t k = 0; k < n; ++k)
      for (size_t column = 0; column < n; ++column)
        expected[column] += double(d.a[row * n + k]) * d.b[k * n + column];
    for (size_t column = 0; column < n; ++column)
      if (!near(d.c[row * n + column], expected[column], 1e-6 * double(n)))
        return false;
  }
  return true;
}

std::shared_ptr<Data> make_data(Scale scale) {
  auto d = std::make_shared<Data>();
  d->n = uint32_t(size(scale, 1024, 128));
  const size_t n = d->n;
  d->a = random_floats(n * n, -1, 1, 5);
  d->b = random_floats(n * n, -1, 1, 6);
  d->c.resize(n * n);
  return d;
}

double operations(const Data &d) {
  return 2.0 * d.n * d.n * d.n;
}

// Loaded only here: otherwise its threads would exist in every other benchmark.
class OpenBlas {
public:
  OpenBlas() {
    void *library = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
    if (!library)
      return;
    multiply_ = reinterpret_cast<Multiply>(dlsym(library, "cblas_sgemm"));
    if (auto set_threads =
            reinterpret_cast<void (*)(int)>(dlsym(library, "openblas_set_num_threads")))
      set_threads(int(std::thread::hardware_concurrency()));
  }
  bool is_there() const { return multiply_ != nullptr; }
  void multiply(Data &d) const {
    constexpr int row_major = 101, as_it_is = 111; // CBLAS_ORDER, CBLAS_TRANSPOSE
    const int n = int(d.n);
    multiply_(row_major, as_it_is, as_it_is, n, n, n, 1.0f, d.a.data(), n, d.b.data(), n, 0.0f,
              d.c.data(), n);
  }

private:
  using Multiply = void (*)(int, int, int, int, int, int, float, const float *, int, const float *,
                            int, float, float *, int);
  Multiply multiply_ = nullptr;
};

class ClBlast {
public:
  ClBlast() {
    if (void *library = dlopen("libclblast.so.1", RTLD_NOW | RTLD_LOCAL)) {
      multiply_ = reinterpret_cast<Multiply>(dlsym(library, "CLBlastSgemm"));
      override_ = reinterpret_cast<Override>(dlsym(library, "CLBlastOverrideParameters"));
    }
  }
  bool is_there() const { return multiply_ != nullptr; }
  void multiply(size_t n, const cl::Buffer &a, const cl::Buffer &b, const cl::Buffer &c,
                cl::CommandQueue &queue) const {
    constexpr int row_major = 101, as_it_is = 111; // CLBlastLayout, CLBlastTranspose
    const int status = multiply_(row_major, as_it_is, as_it_is, n, n, n, 1.0f, a(), 0, n, b(), 0, n,
                                 0.0f, c(), 0, n, &queue(), nullptr);
    if (status != 0)
      throw std::runtime_error("CLBlastSgemm returned " + std::to_string(status));
  }
  // The best of thirty parameter sets tried on an Intel Xeon with AVX-512: a vector is a row of 16
  // work-items, each with 16 sums, and both factors go through local memory.
  void tune(const cl::Device &device) const {
    constexpr int single_precision = 32; // CLBlastPrecision
    static const std::pair<const char *, size_t> parameters[] = {
        {"GEMMK", 0}, {"KREG", 1},   {"KWG", 32},   {"KWI", 2},  {"MDIMA", 16}, {"MDIMC", 16},
        {"MWG", 64},  {"NDIMB", 16}, {"NDIMC", 16}, {"NWG", 64}, {"SA", 1},     {"SB", 1},
        {"STRM", 1},  {"STRN", 1},   {"VWM", 1},    {"VWN", 1}};
    std::vector<const char *> names;
    std::vector<size_t> values;
    for (const auto &[name, value] : parameters) {
      names.push_back(name);
      values.push_back(value);
    }
    const int status =
        override_(device(), "Xgemm", single_precision, names.size(), names.data(), values.data());
    if (status != 0)
      throw std::runtime_error("CLBlastOverrideParameters returned " + std::to_string(status));
  }

private:
  using Override = int (*)(cl_device_id, const char *, int, size_t, const char **, const size_t *);
  using Multiply = int (*)(int, int, int, size_t, size_t, size_t, float, cl_mem, size_t, size_t,
                           cl_mem, size_t, size_t, float, cl_mem, size_t, size_t,
                           cl_command_queue *, cl_event *);
  Multiply multiply_ = nullptr;
  Override override_ = nullptr;
};

struct Shape {
  const char *kernel, *sycl;
  const char *options;
  size_t columns_per_item, rows_per_item, local_x, local_y;
  bool tiles_in_native;
};

Benchmark product(Scale scale, Shape shape) {
  auto d = make_data(scale);
  const size_t n = d->n;
  Benchmark b{.unit = "GFLOP/s", .amount = 1e-9 * operations(*d)};
  b.opencl = [=](Session &s) {
    cl::Kernel k = s.kernel("matrix_product/matrix_product.cl", shape.kernel, shape.options);
    s.arguments(k, d->n, s.input(d->a), s.input(d->b), s.output(d->c));
    cl::NDRange global(n / shape.columns_per_item, n / shape.rows_per_item);
    return [=, &s] { s.launch(k, global, cl::NDRange(shape.local_x, shape.local_y)); };
  };
  b.native = [=](Threads &t) -> std::function<void()> {
    if (!shape.tiles_in_native)
      return [=, &t] {
        t.share(n, 16, [&](size_t begin, size_t end) { plain_rows(*d, begin, end); });
      };
    return [=, &t] {
      t.share(n / 16, 1, [&](size_t begin, size_t end) {
        for (size_t y = begin; y < end; ++y)
          for (size_t x = 0; x < n / 16; ++x)
            tile_of(*d, x, y);
      });
    };
  };
  b.sycl = shape.sycl;
  b.sycl_data = {n,
                 {d->a.data(), d->b.data()},
                 {n * n * sizeof(float), n * n * sizeof(float)},
                 d->c.data(),
                 n * n * sizeof(float)};
  b.verify = [=] { return verify(*d); };
  return b;
}

} // namespace

Benchmark limit_matrix_product(Scale scale) {
  auto blas = std::make_shared<OpenBlas>();
  auto d = make_data(scale);
  Benchmark b{.unit = "GFLOP/s", .amount = 1e-9 * operations(*d)};
  if (blas->is_there())
    b.native = [=](Threads &) { return [=] { blas->multiply(*d); }; };
  b.verify = [=] { return verify(*d); };
  return b;
}

static Benchmark clblast_product(Scale scale, bool is_tuned) {
  auto d = make_data(scale);
  Benchmark b{.unit = "GFLOP/s", .amount = 1e-9 * operations(*d)};
  auto blas = std::make_shared<OpenBlas>();
  auto clblast = std::make_shared<ClBlast>();
  if (blas->is_there())
    b.native = [=](Threads &) { return [=] { blas->multiply(*d); }; };
  if (clblast->is_there())
    b.opencl = [=](Session &s) {
      cl::Buffer from_a = s.input(d->a), from_b = s.input(d->b), to = s.output(d->c);
      if (is_tuned)
        clblast->tune(s.device);
      return [=, &s] { clblast->multiply(d->n, from_a, from_b, to, s.queue); };
    };
  b.verify = [=] { return verify(*d); };
  return b;
}
Benchmark matrix_clblast(Scale scale) {
  return clblast_product(scale, false);
}
Benchmark matrix_clblast_tuned(Scale scale) {
  return clblast_product(scale, true);
}

Benchmark matrix_naive(Scale scale) {
  return product(scale, {"naive", "matrix_range", "", 1, 1, 16, 16, false});
}
Benchmark matrix_tile_16x16(Scale scale) {
  return product(scale, {"tiled", "matrix_tiles", "-DTILE_X=16 -DTILE_Y=16", 1, 1, 16, 16, true});
}
Benchmark matrix_hierarchical(Scale scale) { // rival: the same tiles
  return product(scale,
                 {"tiled", "matrix_hierarchical", "-DTILE_X=16 -DTILE_Y=16", 1, 1, 16, 16, true});
}
Benchmark matrix_tile_1x64(Scale scale) {
  return product(scale, {"tiled", "", "-DTILE_X=64 -DTILE_Y=1", 1, 1, 64, 1, false});
}
Benchmark matrix_register_tile(Scale scale) {
  return product(scale, {"register_tile", "", "", 4, 4, 16, 4, false});
}
Benchmark matrix_float16_rows(Scale scale) {
  return product(scale, {"float16_rows", "", "", 16, 4, 8, 4, false});
}
Benchmark matrix_sub_group_broadcast(Scale scale) {
  Benchmark b = product(scale, {"sub_group_broadcast_tile", "matrix_sub_groups",
                                "-cl-std=CL3.0 -DSUB_GROUPS", 1, 1, 64, 1, false});
  b.needs = {"__opencl_c_subgroups"};
  return b;
}

} // namespace lockstep::benchmarks
