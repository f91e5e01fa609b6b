// Runs ViennaCL on Lockstep: BLAS levels 1 to 3, sparse products and iterative solvers, compared
// with the host. ViennaCL makes its kernels from templates, for each device and type.
#define VIENNACL_WITH_OPENCL
#define CL_TARGET_OPENCL_VERSION 120
#include "client.h"

#include <viennacl/compressed_matrix.hpp>
#include <viennacl/coordinate_matrix.hpp>
#include <viennacl/ell_matrix.hpp>
#include <viennacl/hyb_matrix.hpp>
#include <viennacl/linalg/bicgstab.hpp>
#include <viennacl/linalg/cg.hpp>
#include <viennacl/linalg/direct_solve.hpp>
#include <viennacl/linalg/gmres.hpp>
#include <viennacl/linalg/inner_prod.hpp>
#include <viennacl/linalg/lu.hpp>
#include <viennacl/linalg/norm_1.hpp>
#include <viennacl/linalg/norm_2.hpp>
#include <viennacl/linalg/norm_inf.hpp>
#include <viennacl/linalg/prod.hpp>
#include <viennacl/matrix.hpp>
#include <viennacl/vector.hpp>

#include <cmath>
#include <map>
#include <random>

using namespace lockstep::clients;

namespace {

template <class T> using Rows = std::vector<std::vector<T>>;
template <class T> using SparseRows = std::vector<std::map<unsigned int, T>>;

template <class T> class Suite {
public:
  Suite(Verdicts &verdicts, const char *type, double tolerance)
      : verdicts_(verdicts), type_(type), tolerance_(tolerance) {}

  void run() {
    for (size_t size : {1, 37, 128, 1000})
      vectors(size);
    for (size_t size : {16, 61, 128})
      dense(size);
    sparse(24);
  }

private:
  void check(const char *name, size_t size, const std::function<bool()> &is_right) {
    verdicts_.check(std::string(name) + " " + type_ + " " + std::to_string(size), is_right);
  }
  std::vector<T> numbers(size_t count) {
    std::uniform_real_distribution<T> number(T(-1), T(1));
    std::vector<T> all(count);
    for (T &n : all)
      n = number(random_);
    return all;
  }
  Rows<T> matrix(size_t rows, size_t columns) {
    Rows<T> all;
    for (size_t i = 0; i != rows; ++i)
      all.push_back(numbers(columns));
    return all;
  }
  viennacl::vector<T> on_device(const std::vector<T> &host) {
    viennacl::vector<T> device(host.size());
    viennacl::copy(host, device);
    return device;
  }
  template <class Layout> viennacl::matrix<T, Layout> on_device(const Rows<T> &host) {
    viennacl::matrix<T, Layout> device(host.size(), host[0].size());
    viennacl::copy(host, device);
    return device;
  }
  bool near(double a, double b, double scale) {
    return std::abs(a - b) <= tolerance_ * (scale + std::abs(b));
  }
  bool near(const viennacl::vector<T> &device, const std::vector<T> &expected, double scale) {
    std::vector<T> host(device.size());
    viennacl::copy(device, host);
    for (size_t i = 0; i != host.size(); ++i)
      if (!near(host[i], expected[i], scale))
        return false;
    return host.size() == expected.size();
  }
  template <class Matrix> bool near(const Matrix &device, const Rows<T> &expected, double scale) {
    Rows<T> host(device.size1(), std::vector<T>(device.size2()));
    viennacl::copy(device, host);
    for (size_t i = 0; i != host.size(); ++i)
      for (size_t j = 0; j != host[i].size(); ++j)
        if (!near(host[i][j], expected[i][j], scale))
          return false;
    return true;
  }

  void vectors(size_t size) {
    auto x = numbers(size), y = numbers(size);
    auto dx = on_device(x), dy = on_device(y);
    double dot = 0, one = 0, two = 0, most = 0;
    std::vector<T> sum(size);
    for (size_t i = 0; i != size; ++i) {
      dot += double(x[i]) * y[i];
      one += std::abs(x[i]);
      two += double(x[i]) * x[i];
      most = std::max(most, std::abs(double(x[i])));
      sum[i] = T(2.5) * x[i] - y[i] / T(3);
    }
    check("inner_prod", size,
          [&] { return near(T(viennacl::linalg::inner_prod(dx, dy)), dot, std::sqrt(two)); });
    check("norms", size, [&] {
      return near(T(viennacl::linalg::norm_1(dx)), one, 0) &&
             near(T(viennacl::linalg::norm_2(dx)), std::sqrt(two), 0) &&
             near(T(viennacl::linalg::norm_inf(dx)), most, 0);
    });
    check("a x - y / b", size, [&] {
      viennacl::vector<T> result = T(2.5) * dx - dy / T(3);
      return near(result, sum, 1);
    });
    check("exp of an element-wise product", size, [&] {
      viennacl::vector<T> result = viennacl::linalg::element_prod(dx, dy);
      result = viennacl::linalg::element_exp(result);
      std::vector<T> expected(size);
      for (size_t i = 0; i != size; ++i)
        expected[i] = std::exp(x[i] * y[i]);
      return near(result, expected, 1);
    });
  }

  Rows<T> product(const Rows<T> &a, const Rows<T> &b) {
    Rows<T> c(a.size(), std::vector<T>(b[0].size()));
    for (size_t i = 0; i != c.size(); ++i)
      for (size_t j = 0; j != c[i].size(); ++j) {
        double sum = 0;
        for (size_t k = 0; k != b.size(); ++k)
          sum += double(a[i][k]) * b[k][j];
        c[i][j] = T(sum);
      }
    return c;
  }
  Rows<T> transposed(const Rows<T> &a) {
    Rows<T> t(a[0].size(), std::vector<T>(a.size()));
    for (size_t i = 0; i != a.size(); ++i)
      for (size_t j = 0; j != a[i].size(); ++j)
        t[j][i] = a[i][j];
    return t;
  }

  void dense(size_t size) {
    using viennacl::trans;
    using viennacl::linalg::prod;
    const size_t other = size + 5;
    auto a = matrix(size, other), b = matrix(other, size);
    auto x = numbers(other);
    auto da = on_device<viennacl::row_major>(a), db = on_device<viennacl::row_major>(b);
    auto ca = on_device<viennacl::column_major>(a), cb = on_device<viennacl::column_major>(b);
    auto dx = on_device(x);
    const double scale = std::sqrt(double(size));
    auto column = [](const std::vector<T> &v) {
      Rows<T> rows;
      for (T n : v)
        rows.push_back({n});
      return rows;
    };
    auto expected_vector = transposed(product(a, column(x)))[0];
    check("matrix times vector", size, [&] {
      viennacl::vector<T> rows = prod(da, dx), columns = prod(ca, dx), turned = prod(trans(db), dx);
      return near(rows, expected_vector, scale) && near(columns, expected_vector, scale) &&
             near(turned, transposed(product(transposed(b), column(x)))[0], scale);
    });
    auto expected = product(a, b), both = product(transposed(b), transposed(a));
    check("matrix times matrix", size, [&] {
      viennacl::matrix<T> c = prod(da, db);
      return near(c, expected, scale);
    });
    check("transposed matrices' product", size, [&] {
      viennacl::matrix<T> c = prod(trans(db), trans(da));
      return near(c, both, scale);
    });
    check("column-major product", size, [&] {
      viennacl::matrix<T, viennacl::column_major> c = prod(ca, cb);
      return near(c, expected, scale);
    });
    check("LU", size, [&] {
      auto square = matrix(size, size);
      for (size_t i = 0; i != size; ++i)
        square[i][i] += T(size); // the solver does not pivot
      auto solution = numbers(size);
      auto right = on_device(transposed(product(square, column(solution)))[0]);
      auto device = on_device<viennacl::row_major>(square);
      viennacl::linalg::lu_factorize(device);
      viennacl::linalg::lu_substitute(device, right);
      return near(right, solution, 10);
    });
  }

  // The five-point stencil of a square grid, unsymmetric for the solvers that support it.
  SparseRows<T> star(unsigned side, T skew) {
    SparseRows<T> rows(side * side);
    for (unsigned i = 0; i != side * side; ++i) {
      rows[i][i] = T(4.5);
      if (i % side != 0)
        rows[i][i - 1] = T(-1) - skew;
      if (i % side != side - 1)
        rows[i][i + 1] = T(-1) + skew;
      if (i >= side)
        rows[i][i - side] = -1;
      if (i + side < side * side)
        rows[i][i + side] = -1;
    }
    return rows;
  }
  std::vector<T> product(const SparseRows<T> &a, const std::vector<T> &x) {
    std::vector<T> y(a.size());
    for (size_t i = 0; i != a.size(); ++i)
      for (auto [j, value] : a[i])
        y[i] += value * x[j];
    return y;
  }
  template <class Matrix>
  void sparse_product(const char *name, const SparseRows<T> &host, const std::vector<T> &x) {
    check(name, host.size(), [&] {
      Matrix device; // the copy sets its size
      viennacl::copy(host, device);
      viennacl::vector<T> y = viennacl::linalg::prod(device, on_device(x));
      return near(y, product(host, x), 1);
    });
  }

  void sparse(unsigned side) {
    auto host = star(side, 0), skewed = star(side, T(0.25));
    auto x = numbers(side * side);
    sparse_product<viennacl::compressed_matrix<T>>("compressed_matrix", skewed, x);
    sparse_product<viennacl::coordinate_matrix<T>>("coordinate_matrix", skewed, x);
    sparse_product<viennacl::ell_matrix<T>>("ell_matrix", skewed, x);
    sparse_product<viennacl::hyb_matrix<T>>("hyb_matrix", skewed, x);
    auto solves = [&](const char *name, const SparseRows<T> &rows, auto tag) {
      check(name, rows.size(), [&] {
        viennacl::compressed_matrix<T> device(rows.size(), rows.size());
        viennacl::copy(rows, device);
        viennacl::vector<T> right = on_device(product(rows, x));
        viennacl::vector<T> solution = viennacl::linalg::solve(device, right, tag);
        return near(solution, x, 100);
      });
    };
    const double residual = tolerance_ / 10;
    solves("conjugate gradients", host, viennacl::linalg::cg_tag(residual, 500));
    solves("BiCGStab", skewed, viennacl::linalg::bicgstab_tag(residual, 500));
    solves("GMRES", skewed, viennacl::linalg::gmres_tag(residual, 500, 30));
  }

  Verdicts &verdicts_;
  const char *type_;
  double tolerance_;
  std::mt19937 random_{11};
};

} // namespace

int main() {
  Device device;
  viennacl::ocl::setup_context(0, device.context, device.device, device.queue);
  viennacl::ocl::switch_context(0);
  Verdicts verdicts;
  Suite<float>(verdicts, "float", 1e-4).run();
  Suite<double>(verdicts, "double", 1e-10).run();
  return verdicts.report();
}
