// A HIP program with a host side: kernels with shared memory, shuffles, atomics, constants and
// templates, streams and events. It compares all results with the host's.
//
// The last line is "N passed, M failed" (run.py).
#include <hip/hip_runtime.h>

#include <cmath>
#include <cstdio>
#include <numeric>
#include <vector>

namespace {

int passed = 0, failed = 0;

void expect(bool is_right, const char *name) {
  ++(is_right ? passed : failed);
  if (!is_right)
    std::printf("FAILED %s\n", name);
}

bool worked(hipError_t error) {
  if (error != hipSuccess)
    std::printf("%s\n", hipGetErrorString(error));
  return error == hipSuccess;
}

// Device memory with the values of a vector.
template <class T> class OnDevice {
public:
  explicit OnDevice(const std::vector<T> &values) : size_(values.size() * sizeof(T)) {
    expect(worked(hipMalloc(&data_, size_)), "hipMalloc");
    expect(worked(hipMemcpy(data_, values.data(), size_, hipMemcpyHostToDevice)), "to the device");
  }
  ~OnDevice() { expect(worked(hipFree(data_)), "hipFree"); }
  OnDevice(const OnDevice &) = delete;
  OnDevice &operator=(const OnDevice &) = delete;

  T *data() { return data_; }
  std::vector<T> values() {
    std::vector<T> result(size_ / sizeof(T));
    expect(worked(hipMemcpy(result.data(), data_, size_, hipMemcpyDeviceToHost)),
           "from the device");
    return result;
  }

private:
  size_t size_;
  T *data_ = nullptr;
};

std::vector<int> iota(int count) {
  std::vector<int> values(count);
  std::iota(values.begin(), values.end(), 0);
  return values;
}

template <class T> __global__ void add(const T *a, const T *b, T *sums, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    sums[i] = a[i] + b[i];
}

template <class T> void test_add(const char *name) {
  std::vector<T> a(1000), b(1000), sums(1000);
  for (int i = 0; i < 1000; ++i)
    sums[i] = (a[i] = T(i)) + (b[i] = T(3 * i + 1));
  OnDevice<T> x(a), y(b), z(a);
  add<<<16, 64>>>(x.data(), y.data(), z.data(), 1000);
  expect(z.values() == sums, name);
}

__global__ void reverse_blocks(const int *from, int *to) {
  extern __shared__ int tile[];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x] = from[i];
  __syncthreads();
  to[i] = tile[blockDim.x - 1 - threadIdx.x];
}

void test_dynamic_shared_memory() {
  std::vector<int> expected(512);
  for (int i = 0; i < 512; ++i)
    expected[i] = i / 128 * 128 + 127 - i % 128;
  OnDevice<int> from(iota(512)), to(iota(512));
  reverse_blocks<<<4, 128, 128 * sizeof(int)>>>(from.data(), to.data());
  expect(to.values() == expected, "dynamic shared memory");
}

__global__ void transpose(const int *from, int *to, int width) {
  __shared__ int tile[16][17];
  tile[threadIdx.y][threadIdx.x] =
      from[(blockIdx.y * 16 + threadIdx.y) * width + blockIdx.x * 16 + threadIdx.x];
  __syncthreads();
  to[(blockIdx.x * 16 + threadIdx.y) * width + blockIdx.y * 16 + threadIdx.x] =
      tile[threadIdx.x][threadIdx.y];
}

void test_two_dimensions() {
  std::vector<int> expected(64 * 64);
  for (int i = 0; i < 64 * 64; ++i)
    expected[i] = i % 64 * 64 + i / 64;
  OnDevice<int> from(iota(64 * 64)), to(iota(64 * 64));
  transpose<<<dim3(4, 4), dim3(16, 16)>>>(from.data(), to.data(), 64);
  expect(to.values() == expected, "two dimensions");
}

__global__ void sum_of_warps(const int *numbers, int *sums) {
  int sum = numbers[blockIdx.x * blockDim.x + threadIdx.x];
  for (int distance = warpSize / 2; distance > 0; distance /= 2)
    sum += __shfl_down(sum, distance);
  if (threadIdx.x % warpSize == 0)
    atomicAdd(&sums[blockIdx.x], sum);
}

void test_shuffles_and_atomics() {
  OnDevice<int> numbers(iota(512)), sums(std::vector<int>(4));
  sum_of_warps<<<4, 128>>>(numbers.data(), sums.data());
  const std::vector<int> expected = {8128, 24512, 40896, 57280};
  expect(sums.values() == expected, "shuffles and atomics");
}

__global__ void histogram(const int *numbers, unsigned *counts, float *total) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&counts[numbers[i] % 10], 1u);
  atomicAdd(total, 0.5f);
}

void test_contended_atomics() {
  OnDevice<int> numbers(iota(1000));
  OnDevice<unsigned> counts(std::vector<unsigned>(10));
  OnDevice<float> total(std::vector<float>(1));
  histogram<<<10, 100>>>(numbers.data(), counts.data(), total.data());
  expect(counts.values() == std::vector<unsigned>(10, 100), "atomics of integers");
  expect(total.values()[0] == 500, "atomics of float");
}

__constant__ int factors[4];
__device__ int counter = 40;

__global__ void use_variables(int *numbers) {
  numbers[threadIdx.x] *= factors[threadIdx.x % 4];
  atomicAdd(&counter, 1);
}

void test_variables() {
  const int given[4] = {1, 10, 100, 1000};
  expect(worked(hipMemcpyToSymbol(HIP_SYMBOL(factors), given, sizeof given)), "to a symbol");
  OnDevice<int> numbers(iota(8));
  use_variables<<<1, 8>>>(numbers.data());
  expect(numbers.values() == std::vector<int>{0, 10, 200, 3000, 4, 50, 600, 7000}, "__constant__");
  int count = 0;
  expect(worked(hipMemcpyFromSymbol(&count, HIP_SYMBOL(counter), sizeof count)), "from a symbol");
  expect(count == 48, "__device__");
}

__global__ void maths(const float *numbers, float *results) {
  const float x = numbers[threadIdx.x];
  results[threadIdx.x] = sqrtf(x) + sinf(x) * expf(-x) + fmaf(x, x, 1.0f) + __popc(threadIdx.x);
}

void test_maths() {
  std::vector<float> numbers(64);
  for (int i = 0; i < 64; ++i)
    numbers[i] = 0.25f * i;
  OnDevice<float> in(numbers), out(numbers);
  maths<<<1, 64>>>(in.data(), out.data());
  const std::vector<float> results = out.values();
  bool is_near = true;
  for (int i = 0; i < 64; ++i) {
    const double x = numbers[i], expected = std::sqrt(x) + std::sin(x) * std::exp(-x) + x * x + 1 +
                                            __builtin_popcount(i);
    is_near &= std::abs(results[i] - expected) <= 1e-5 * expected;
  }
  expect(is_near, "maths");
}

__global__ void twice(int *numbers) {
  numbers[threadIdx.x] *= 2;
}

void test_memory_of_both() {
  for (const bool is_managed : {false, true}) {
    int *numbers = nullptr;
    const size_t size = 64 * sizeof(int);
    expect(worked(is_managed ? hipMallocManaged(&numbers, size)
                             : hipHostMalloc(&numbers, size, hipHostMallocDefault)),
           is_managed ? "hipMallocManaged" : "hipHostMalloc");
    if (!numbers)
      continue;
    std::iota(numbers, numbers + 64, 0);
    twice<<<1, 64>>>(numbers);
    expect(worked(hipDeviceSynchronize()), "hipDeviceSynchronize");
    bool is_twice = true;
    for (int i = 0; i < 64; ++i)
      is_twice &= numbers[i] == 2 * i;
    expect(is_twice, "memory of host and device");
    expect(worked(is_managed ? hipFree(numbers) : hipHostFree(numbers)), "hipFree");
  }
}

void test_streams_and_events() {
  hipStream_t streams[2];
  hipEvent_t done;
  for (hipStream_t &stream : streams)
    expect(worked(hipStreamCreate(&stream)), "hipStreamCreate");
  expect(worked(hipEventCreate(&done)), "hipEventCreate");
  OnDevice<int> numbers(iota(64));
  for (int i = 0; i < 5; ++i) {
    twice<<<1, 64, 0, streams[i % 2]>>>(numbers.data());
    expect(worked(hipEventRecord(done, streams[i % 2])), "hipEventRecord");
    expect(worked(hipStreamWaitEvent(streams[(i + 1) % 2], done, 0)), "hipStreamWaitEvent");
  }
  expect(worked(hipEventSynchronize(done)), "hipEventSynchronize");
  std::vector<int> expected = iota(64);
  for (int &number : expected)
    number *= 32;
  expect(numbers.values() == expected, "streams in an order");
  for (hipStream_t &stream : streams)
    expect(worked(hipStreamDestroy(stream)), "hipStreamDestroy");
  expect(worked(hipEventDestroy(done)), "hipEventDestroy");
}

} // namespace

int main() {
  hipDeviceProp_t properties;
  expect(worked(hipGetDeviceProperties(&properties, 0)), "hipGetDeviceProperties");
  std::printf("device: %s\n", properties.name);
  test_add<float>("add of float");
  test_add<double>("add of double");
  test_add<long>("add of long");
  test_dynamic_shared_memory();
  test_two_dimensions();
  test_shuffles_and_atomics();
  test_contended_atomics();
  test_variables();
  test_maths();
  test_memory_of_both();
  test_streams_and_events();
  expect(worked(hipDeviceSynchronize()), "hipDeviceSynchronize");
  std::printf("%d passed, %d failed\n", passed, failed);
  return failed != 0;
}
