// The heat equation by MPI and OpenCL. MPI reads and writes the halo rows in a mapped buffer. All
// ranks start at once, so with an empty cache they compile the kernel at the same time.
//
//   heat_opencl [POINTS=512] [STEPS=100]
#define CL_TARGET_OPENCL_VERSION 300
#include "heat.h"

#include <CL/cl.h>

#include <cstdlib>

namespace {

constexpr const char *source = R"(
kernel void relax(global const float *from, global float *to, ulong n, ulong skip) {
  size_t i = (get_global_id(1) + skip + 1) * n + get_global_id(0) + 1;
  to[i] = 0.25f * ((from[i - n] + from[i + n]) + (from[i - 1] + from[i + 1]));
})";

void must(cl_int error, const char *what) {
  if (error == CL_SUCCESS)
    return;
  std::fprintf(stderr, "%s: %d\n", what, error);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

struct Device {
  cl_context context = nullptr;
  cl_command_queue queue = nullptr;
  cl_kernel kernel = nullptr;
};

Device make_device() {
  Device made;
  cl_platform_id platform;
  cl_device_id device;
  cl_int error;
  must(clGetPlatformIDs(1, &platform, nullptr), "clGetPlatformIDs");
  must(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr), "clGetDeviceIDs");
  made.context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &error);
  must(error, "clCreateContext");
  made.queue = clCreateCommandQueueWithProperties(made.context, device, nullptr, &error);
  must(error, "clCreateCommandQueueWithProperties");
  const cl_program program = clCreateProgramWithSource(
      made.context, 1, const_cast<const char **>(&source), nullptr, &error);
  must(error, "clCreateProgramWithSource");
  must(clBuildProgram(program, 1, &device, "", nullptr, nullptr), "clBuildProgram");
  made.kernel = clCreateKernel(program, "relax", &error);
  must(error, "clCreateKernel");
  clReleaseProgram(program);
  return made;
}

// Mapped, a buffer's memory is the program's, and MPI needs no copy.
void exchange_halo(const Device &device, cl_mem field, size_t n, size_t rows, int up, int down) {
  cl_int error;
  auto *memory = static_cast<float *>(
      clEnqueueMapBuffer(device.queue, field, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0,
                         (rows + 2) * n * sizeof(float), 0, nullptr, nullptr, &error));
  must(error, "clEnqueueMapBuffer");
  MPI_Sendrecv(memory + n, int(n), MPI_FLOAT, up, 1, memory + (rows + 1) * n, int(n), MPI_FLOAT,
               down, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Sendrecv(memory + rows * n, int(n), MPI_FLOAT, down, 0, memory, int(n), MPI_FLOAT, up, 0,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  must(clEnqueueUnmapMemObject(device.queue, field, memory, 0, nullptr, nullptr),
       "clEnqueueUnmapMemObject");
}

void relax(const Device &device, cl_mem from, cl_mem to, size_t n, size_t skip, size_t rows) {
  const cl_ulong width = n, first = skip;
  must(clSetKernelArg(device.kernel, 0, sizeof from, &from), "clSetKernelArg");
  must(clSetKernelArg(device.kernel, 1, sizeof to, &to), "clSetKernelArg");
  must(clSetKernelArg(device.kernel, 2, sizeof width, &width), "clSetKernelArg");
  must(clSetKernelArg(device.kernel, 3, sizeof first, &first), "clSetKernelArg");
  const size_t global[2] = {n - 2, rows};
  must(clEnqueueNDRangeKernel(device.queue, device.kernel, 2, nullptr, global, nullptr, 0, nullptr,
                              nullptr),
       "clEnqueueNDRangeKernel");
}

} // namespace

int main(int argc, char **argv) {
  int rank = 0, ranks = 1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const size_t n = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 512;
  const int steps = argc > 2 ? std::atoi(argv[2]) : 100;
  const size_t first = n * rank / ranks, rows = n * (rank + 1) / ranks - first;
  const int up = rank > 0 ? rank - 1 : MPI_PROC_NULL;
  const int down = rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL;
  // The edge of the plate is not computed.
  const size_t skip = first == 0 ? 1 : 0, computed = rows - skip - (first + rows == n ? 1 : 0);

  std::vector<float> field((rows + 2) * n);
  for (size_t i = 0; i < rows * n; ++i)
    field[n + i] = heat::initial(n, first + i / n, i % n);
  MPI_Barrier(MPI_COMM_WORLD);
  const Device device = make_device();
  cl_int error;
  const size_t bytes = field.size() * sizeof(float);
  cl_mem from = clCreateBuffer(device.context, CL_MEM_COPY_HOST_PTR, bytes, field.data(), &error);
  must(error, "clCreateBuffer");
  cl_mem to = clCreateBuffer(device.context, CL_MEM_COPY_HOST_PTR, bytes, field.data(), &error);
  must(error, "clCreateBuffer");
  const double begin = MPI_Wtime();
  for (int step = 0; step < steps; ++step) {
    exchange_halo(device, from, n, rows, up, down);
    relax(device, from, to, n, skip, computed);
    std::swap(from, to);
  }
  must(clEnqueueReadBuffer(device.queue, from, CL_TRUE, n * sizeof(float), rows * n * sizeof(float),
                           field.data(), 0, nullptr, nullptr),
       "clEnqueueReadBuffer");
  const double seconds = MPI_Wtime() - begin;
  field.resize(rows * n);
  const bool is_right = heat::report(field, n, steps, "OpenCL", seconds);
  clReleaseMemObject(from);
  clReleaseMemObject(to);
  clReleaseKernel(device.kernel);
  clReleaseCommandQueue(device.queue);
  clReleaseContext(device.context);
  MPI_Finalize();
  return is_right ? 0 : 1;
}
