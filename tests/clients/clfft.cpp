// Runs clFFT's transforms on Lockstep and compares each with a transform in double precision on the
// host. clFFT generates a kernel for each length, precision and layout: hundreds of kernels.
#include "client.h"

#include <clFFT.h>

#include <cmath>
#include <complex>
#include <numeric>
#include <random>

using namespace lockstep::clients;
using Number = std::complex<double>;

namespace {

struct Transform {
  std::vector<size_t> lengths; // the fastest dimension first
  clfftLayout in, out;
  bool in_place, twice_as_precise;
  clfftDirection direction;
  size_t batch;
};

const char *name_of(clfftLayout layout) {
  switch (layout) {
  case CLFFT_COMPLEX_INTERLEAVED:
    return "interleaved";
  case CLFFT_COMPLEX_PLANAR:
    return "planar";
  case CLFFT_HERMITIAN_INTERLEAVED:
    return "hermitian";
  case CLFFT_HERMITIAN_PLANAR:
    return "hermitian-planar";
  default:
    return "real";
  }
}

std::string name_of(const Transform &t) {
  std::string name;
  for (size_t length : t.lengths)
    name += (name.empty() ? "" : "x") + std::to_string(length);
  return name + (t.twice_as_precise ? " double " : " float ") + name_of(t.in) + " to " +
         name_of(t.out) + (t.in_place ? " in place" : "") +
         (t.direction == CLFFT_FORWARD ? " forward" : " backward") + ", batch of " +
         std::to_string(t.batch);
}

bool is_planar(clfftLayout layout) {
  return layout == CLFFT_COMPLEX_PLANAR || layout == CLFFT_HERMITIAN_PLANAR;
}
bool is_hermitian(clfftLayout layout) {
  return layout == CLFFT_HERMITIAN_INTERLEAVED || layout == CLFFT_HERMITIAN_PLANAR;
}

// Splits by the smallest factor of the length into sums of `factor` shorter transforms.
std::vector<Number> transform_line(const std::vector<Number> &in, double sign) {
  const size_t length = in.size();
  if (length == 1)
    return in;
  size_t factor = 2;
  while (length % factor != 0)
    ++factor;
  const size_t rest = length / factor;
  std::vector<std::vector<Number>> parts;
  for (size_t part = 0; part != factor; ++part) {
    std::vector<Number> every(rest);
    for (size_t i = 0; i != rest; ++i)
      every[i] = in[i * factor + part];
    parts.push_back(transform_line(every, sign));
  }
  std::vector<Number> out(length);
  for (size_t k = 0; k != length; ++k)
    for (size_t part = 0; part != factor; ++part)
      out[k] += std::polar(1.0, sign * 2 * M_PI * double(k * part % length) / double(length)) *
                parts[part][k % rest];
  return out;
}

// Transforms all dimensions of one batch, unscaled.
void transform(std::vector<Number> &data, const std::vector<size_t> &lengths, double sign) {
  size_t stride = 1;
  for (size_t length : lengths) {
    for (size_t start = 0; start != data.size(); ++start) {
      if (start / stride % length != 0)
        continue;
      std::vector<Number> line(length);
      for (size_t i = 0; i != length; ++i)
        line[i] = data[start + i * stride];
      line = transform_line(line, sign);
      for (size_t i = 0; i != length; ++i)
        data[start + i * stride] = line[i];
    }
    stride *= length;
  }
}

// The memory layout of one side of a transform: its rows may be padded, a hermitian row is cut.
struct Side {
  size_t row, padded_row, rows; // in elements
  bool complex, planar;
  size_t elements() const { return padded_row * rows; }
};

Side side_of(const Transform &t, clfftLayout layout) {
  const size_t length = t.lengths[0];
  const size_t rows =
      std::accumulate(t.lengths.begin() + 1, t.lengths.end(), t.batch, std::multiplies<size_t>());
  const bool real = layout == CLFFT_REAL;
  const size_t row = is_hermitian(layout) ? length / 2 + 1 : length;
  // In place, a row of reals has room for its half of the spectrum.
  const size_t padded = real && t.in_place ? 2 * (length / 2 + 1) : row;
  return {row, padded, rows, !real, is_planar(layout)};
}

template <class T> class Run {
public:
  Run(Device &device, const Transform &t) : device_(device), t_(t) {}

  // The largest error, relative to the root mean square of the expected values.
  double error() {
    make_numbers();
    std::vector<cl_mem> in =
        store(side_of(t_, t_.in), t_.direction == CLFFT_FORWARD ? time_ : spectrum_);
    std::vector<cl_mem> out =
        t_.in_place ? in : store(side_of(t_, t_.out), std::vector<Number>(time_.size()));
    enqueue(in, out);
    double error = compare(out);
    for (cl_mem memory : in)
      clReleaseMemObject(memory);
    if (!t_.in_place)
      for (cl_mem memory : out)
        clReleaseMemObject(memory);
    return error;
  }

private:
  size_t points() const {
    return std::accumulate(t_.lengths.begin(), t_.lengths.end(), size_t(1),
                           std::multiplies<size_t>());
  }

  void make_numbers() {
    std::mt19937 random(17);
    std::uniform_real_distribution<double> number(-1, 1);
    const bool real = t_.in == CLFFT_REAL || t_.out == CLFFT_REAL;
    for (size_t b = 0; b != t_.batch; ++b) {
      std::vector<Number> values(points());
      for (Number &value : values) {
        value = T(number(random));
        if (!real)
          value += Number(0, T(number(random)));
      }
      time_.insert(time_.end(), values.begin(), values.end());
      transform(values, t_.lengths, -1);
      for (Number &value : values)
        value = {T(value.real()), T(value.imag())};
      spectrum_.insert(spectrum_.end(), values.begin(), values.end());
    }
  }

  // Stores the first `row` elements of each row.
  std::vector<cl_mem> store(const Side &side, const std::vector<Number> &numbers) {
    std::vector<T> first(side.elements() * (side.complex && !side.planar ? 2 : 1)), second;
    if (side.planar)
      second.resize(side.elements());
    for (size_t r = 0; r != side.rows; ++r)
      for (size_t i = 0; i != side.row; ++i) {
        const Number n = numbers[r * t_.lengths[0] + i];
        const size_t at = r * side.padded_row + i;
        if (!side.complex || side.planar)
          first[at] = T(n.real());
        else
          first[2 * at] = T(n.real()), first[2 * at + 1] = T(n.imag());
        if (side.planar)
          second[at] = T(n.imag());
      }
    std::vector<cl_mem> memory{device_.buffer(first)};
    if (side.planar)
      memory.push_back(device_.buffer(second));
    return memory;
  }

  double compare(const std::vector<cl_mem> &memory) {
    const Side side = side_of(t_, t_.out);
    const auto &expected = t_.direction == CLFFT_FORWARD ? spectrum_ : time_;
    auto first =
        device_.read<T>(memory[0], side.elements() * (side.complex && !side.planar ? 2 : 1));
    std::vector<T> second;
    if (side.planar)
      second = device_.read<T>(memory[1], side.elements());
    double worst = 0, squares = 0;
    for (size_t r = 0; r != side.rows; ++r)
      for (size_t i = 0; i != side.row; ++i) {
        const size_t at = r * side.padded_row + i;
        Number got = !side.complex ? Number(first[at])
                     : side.planar ? Number(first[at], second[at])
                                   : Number(first[2 * at], first[2 * at + 1]);
        const Number wanted = expected[r * t_.lengths[0] + i];
        squares += std::norm(wanted);
        double difference = std::abs(got - wanted);
        worst = difference <= worst ? worst : difference; // keeps a NaN
      }
    return worst / std::sqrt(squares / double(side.rows * side.row));
  }

  void enqueue(std::vector<cl_mem> &in, std::vector<cl_mem> &out) {
    clfftPlanHandle plan;
    std::vector<size_t> lengths = t_.lengths;
    const auto dimensions = static_cast<clfftDim>(lengths.size());
    require(clfftCreateDefaultPlan(&plan, device_.context, dimensions, lengths.data()),
            "clfftCreateDefaultPlan");
    require(clfftSetPlanPrecision(plan, t_.twice_as_precise ? CLFFT_DOUBLE : CLFFT_SINGLE),
            "clfftSetPlanPrecision");
    require(clfftSetLayout(plan, t_.in, t_.out), "clfftSetLayout");
    require(clfftSetResultLocation(plan, t_.in_place ? CLFFT_INPLACE : CLFFT_OUTOFPLACE),
            "clfftSetResultLocation");
    require(clfftSetPlanBatchSize(plan, t_.batch), "clfftSetPlanBatchSize");
    set_strides(plan, side_of(t_, t_.in), clfftSetPlanInStride, 0);
    set_strides(plan, side_of(t_, t_.out), clfftSetPlanOutStride, 1);
    require(clfftBakePlan(plan, 1, &device_.queue, nullptr, nullptr), "clfftBakePlan");
    require(clfftEnqueueTransform(plan, t_.direction, 1, &device_.queue, 0, nullptr, nullptr,
                                  in.data(), out.data(), nullptr),
            "clfftEnqueueTransform");
    require(clFinish(device_.queue), "clFinish");
    clfftDestroyPlan(&plan);
  }

  void set_strides(clfftPlanHandle plan, const Side &side,
                   clfftStatus (*set)(clfftPlanHandle, const clfftDim, size_t *), int which) {
    std::vector<size_t> strides{1};
    size_t distance = side.padded_row;
    for (size_t d = 1; d != t_.lengths.size(); ++d) {
      strides.push_back(distance);
      distance *= t_.lengths[d];
    }
    require(set(plan, static_cast<clfftDim>(strides.size()), strides.data()), "strides");
    distances_[which] = distance;
    if (which == 1)
      require(clfftSetPlanDistance(plan, distances_[0], distances_[1]), "clfftSetPlanDistance");
  }

  Device &device_;
  const Transform &t_;
  std::vector<Number> time_, spectrum_;
  size_t distances_[2] = {};
};

std::vector<Transform> transforms() {
  std::vector<Transform> all;
  const auto complex = CLFFT_COMPLEX_INTERLEAVED, planar = CLFFT_COMPLEX_PLANAR;
  const auto half = CLFFT_HERMITIAN_INTERLEAVED, half_planar = CLFFT_HERMITIAN_PLANAR;
  const auto forward = CLFFT_FORWARD, backward = CLFFT_BACKWARD;
  // Every radix, products of them, one kernel and several, one transform per group and many.
  for (size_t length : {2,   4, 8,  16,  32,   64,  128,  256,  512,  1024, 2048, 4096, 8192, 65536,
                        3,   9, 27, 243, 2187, 5,   25,   625,  7,    49,   343,  11,   121,  13,
                        169, 6, 12, 60,  100,  360, 1000, 1001, 1155, 1920, 3000, 30030})
    all.push_back({{length}, complex, complex, false, false, forward, 3});
  for (size_t length : {8, 64, 100, 343, 1024, 3000, 8192})
    for (bool twice : {false, true}) {
      all.push_back({{length}, complex, complex, true, twice, backward, 5});
      all.push_back({{length}, planar, planar, length % 8 == 0, twice, forward, 2});
      all.push_back({{length}, planar, complex, false, twice, backward, 1});
      all.push_back({{length}, CLFFT_REAL, half, false, twice, forward, 3});
      all.push_back({{length}, half, CLFFT_REAL, false, twice, backward, 3});
    }
  for (size_t length : {16, 60, 1024}) {
    all.push_back({{length}, CLFFT_REAL, half, true, false, forward, 4});
    all.push_back({{length}, half, CLFFT_REAL, true, false, backward, 4});
    all.push_back({{length}, CLFFT_REAL, half_planar, false, false, forward, 4});
    all.push_back({{length}, half_planar, CLFFT_REAL, false, true, backward, 4});
  }
  using Lengths = std::vector<size_t>;
  for (const Lengths &lengths : {Lengths{64, 64},
                                 {128, 32},
                                 {60, 25},
                                 {512, 256},
                                 {16, 16, 16},
                                 {32, 8, 64},
                                 {12, 10, 14}}) {
    all.push_back({lengths, complex, complex, true, false, forward, 2});
    all.push_back({lengths, complex, planar, false, true, backward, 1});
    all.push_back({lengths, CLFFT_REAL, half, false, false, forward, 1});
    all.push_back({lengths, half, CLFFT_REAL, false, true, backward, 1});
  }
  return all;
}

} // namespace

int main() {
  Device device;
  clfftSetupData setup;
  require(clfftInitSetupData(&setup), "clfftInitSetupData");
  require(clfftSetup(&setup), "clfftSetup");
  Verdicts verdicts;
  for (const Transform &t : transforms())
    verdicts.check(name_of(t), [&] {
      double error =
          t.twice_as_precise ? Run<double>(device, t).error() : Run<float>(device, t).error();
      // The worst of many sums of log2(n) steps; a wrong transform is off by about one.
      return error < (t.twice_as_precise ? 1e-13 : 1e-5);
    });
  clfftTeardown();
  return verdicts.report();
}
