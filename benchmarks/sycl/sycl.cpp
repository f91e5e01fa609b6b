// Does SYCL cost the same as OpenCL C and plain C++?
//
// In addition to the SYCL versions of other questions (matrix products, sums, chains), it measures:
// a reduction by the library, a chain of kernels ordered only by their accessors, copies and fills
// of USM, and the compile time of a small program for host and device. Expectation: products within
// 5 % of OpenCL C, sums at the speed of plain C++, a kernel of a chain under 3 us, memory at the
// machine's limits, 1.5 s for the program.
#include "benchmarks/harness/data.h"
#include "benchmarks/harness/session.h"
#include "benchmarks/harness/threads.h"
#include "benchmarks/questions.h"

#include <algorithm>
#include <cstring>

namespace lockstep::benchmarks {

namespace {

struct Data {
  std::vector<int32_t> in, out;
};
std::shared_ptr<Data> make_data(Scale scale) {
  auto d = std::make_shared<Data>();
  d->in = random_ints(size(scale, size_t(1) << 26, 1 << 18), 3);
  d->out.resize(d->in.size());
  return d;
}
size_t bytes_of(const Data &d) {
  return d.in.size() * sizeof(int32_t);
}

} // namespace

Benchmark sum_reduction(Scale scale) {
  auto d = make_data(scale);
  d->out.resize(1);
  Benchmark b{.unit = "GB/s", .amount = 1e-9 * double(bytes_of(*d))};
  b.native = [=](Threads &t) {
    return [=, &t] {
      std::vector<uint32_t> sums(t.count());
      t.split(sums.size(), [&](size_t begin, size_t end) {
        for (size_t piece = begin; piece < end; ++piece)
          for (size_t i = d->in.size() * piece / sums.size();
               i < d->in.size() * (piece + 1) / sums.size(); ++i)
            sums[piece] += uint32_t(d->in[i]);
      });
      uint32_t sum = 0;
      for (uint32_t one : sums)
        sum += one;
      d->out[0] = int32_t(sum);
    };
  };
  b.sycl = "sum_reduction";
  b.sycl_data = {d->in.size(), {d->in.data()}, {bytes_of(*d)}, d->out.data(), sizeof(int32_t)};
  b.verify = [=] {
    uint32_t sum = 0;
    for (int32_t value : d->in)
      sum += uint32_t(value);
    return d->out[0] == int32_t(sum);
  };
  return b;
}

Benchmark launch_chain_by_accessors(Scale) {
  constexpr uint32_t length = 1000;
  auto count = std::make_shared<std::vector<uint32_t>>(1);
  Benchmark b{.unit = "us", .amount = length, .measure = Measure::time};
  b.sycl = "chain_by_accessors";
  b.sycl_data = {length, {}, {}, count->data(), sizeof(uint32_t)};
  b.verify = [=] { return count->front() == length; };
  return b;
}

Benchmark memory_copy(Scale scale) {
  auto d = make_data(scale);
  const size_t bytes = bytes_of(*d);
  Benchmark b{.unit = "GB/s", .amount = 2e-9 * double(bytes)};
  b.opencl = [=](Session &s) {
    cl::Buffer in = s.input(d->in), out = s.output(d->out);
    return [=, &s] { s.queue.enqueueCopyBuffer(in, out, 0, 0, bytes); };
  };
  b.native = [=](Threads &t) {
    return [=, &t] {
      t.split(d->in.size(), [&](size_t begin, size_t end) {
        std::memcpy(&d->out[begin], &d->in[begin], (end - begin) * sizeof(int32_t));
      });
    };
  };
  b.sycl = "memory_copy";
  b.sycl_data = {bytes, {d->in.data()}, {bytes}, d->out.data(), bytes};
  b.verify = [=] { return d->out == d->in; };
  return b;
}

Benchmark memory_fill(Scale scale) {
  constexpr int32_t pattern = 0x5ca1ab1e;
  auto d = make_data(scale);
  const size_t bytes = bytes_of(*d);
  Benchmark b{.unit = "GB/s", .amount = 1e-9 * double(bytes)};
  b.opencl = [=](Session &s) {
    cl::Buffer out = s.output(d->out);
    return [=, &s] { s.queue.enqueueFillBuffer(out, pattern, 0, bytes); };
  };
  b.native = [=](Threads &t) {
    return [=, &t] {
      t.split(d->out.size(), [&](size_t begin, size_t end) {
        std::fill(d->out.begin() + ptrdiff_t(begin), d->out.begin() + ptrdiff_t(end), pattern);
      });
    };
  };
  b.sycl = "memory_fill";
  b.sycl_data = {bytes, {}, {}, d->out.data(), bytes};
  b.verify = [=] {
    return std::all_of(d->out.begin(), d->out.end(), [](int32_t one) { return one == pattern; });
  };
  return b;
}

Benchmark compile_small_program(Scale scale) {
  auto status = std::make_shared<std::vector<int32_t>>(1);
  constexpr double milliseconds = 1e3;
  Benchmark b{.unit = "ms", .amount = milliseconds, .measure = Measure::time};
  if (scale == Scale::full) // ten runs of a second each are long for a test
    b.sycl = "compile_small_program";
  b.sycl_data = {1, {}, {}, status->data(), sizeof(int32_t)};
  b.verify = [=] { return status->front() == 0; };
  return b;
}

} // namespace lockstep::benchmarks
