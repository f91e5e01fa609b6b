// A program in plain C: its global symbol scope contains neither libm nor libgcc_s. Kernels can
// still call functions of these libraries for operations for which the processor has no
// instruction.
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

enum { items = 64 };

static const char *source =
    "kernel void divide(global const ulong *a, global const ulong *b, global ulong *out) {\n"
    "  const size_t i = get_global_id(0);\n"
    "  const unsigned _BitInt(128) x = (unsigned _BitInt(128))a[i] << 50 | b[i];\n"
    "  const unsigned _BitInt(128) y = (unsigned _BitInt(128))b[i] << 3 | 5;\n"
    "  out[i] = (ulong)(x / y) + (ulong)(x % y);\n"
    "}\n"
    "kernel void multiply(global const ulong *a, global const ulong *b, global ulong *out) {\n"
    "  const size_t i = get_global_id(0);\n"
    "  const double x = (double)(a[i] >> 40), y = (double)(b[i] >> 40);\n"
    "  out[i] = (ulong)fma(x, y, -trunc(x / 3)) + (ulong)(fmod(x, 10.0) * 2);\n"
    "}\n";

static int failures;

static void expect(int holds, const char *what) {
  if (!holds) {
    printf("failed: %s\n", what);
    ++failures;
  }
}

static cl_device_id find_device(void) {
  cl_platform_id platforms[16];
  cl_uint count = 0;
  clGetPlatformIDs(16, platforms, &count);
  for (cl_uint i = 0; i < count && i < 16; ++i) {
    char name[64] = "";
    cl_device_id device = NULL;
    clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof name, name, NULL);
    if (strcmp(name, "Lockstep") == 0 &&
        clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1, &device, NULL) == CL_SUCCESS)
      return device;
  }
  return NULL;
}

static void run(cl_context context, cl_command_queue queue, cl_program program, const char *name,
                const cl_ulong *a, const cl_ulong *b, const cl_ulong *expected) {
  cl_mem buffers[3];
  cl_ulong out[items];
  const size_t global = items;
  cl_kernel kernel = clCreateKernel(program, name, NULL);
  for (cl_uint i = 0; i < 3; ++i) {
    buffers[i] = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof out, NULL, NULL);
    clSetKernelArg(kernel, i, sizeof(cl_mem), &buffers[i]);
  }
  clEnqueueWriteBuffer(queue, buffers[0], CL_TRUE, 0, sizeof out, a, 0, NULL, NULL);
  clEnqueueWriteBuffer(queue, buffers[1], CL_TRUE, 0, sizeof out, b, 0, NULL, NULL);
  expect(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL) == CL_SUCCESS,
         name);
  memset(out, 0, sizeof out);
  clEnqueueReadBuffer(queue, buffers[2], CL_TRUE, 0, sizeof out, out, 0, NULL, NULL);
  expect(memcmp(out, expected, sizeof out) == 0, name);
  for (cl_uint i = 0; i < 3; ++i)
    clReleaseMemObject(buffers[i]);
  clReleaseKernel(kernel);
}

int main(void) {
  cl_ulong a[items], b[items], quotients[items], products[items];
  cl_ulong number = 1;
  for (int i = 0; i < items; ++i) {
    a[i] = number = number * 6364136223846793005U + 1442695040888963407U;
    b[i] = number = number * 6364136223846793005U + 1442695040888963407U;
    const unsigned __int128 x = (unsigned __int128)a[i] << 50 | b[i];
    const unsigned __int128 y = (unsigned __int128)b[i] << 3 | 5;
    quotients[i] = (cl_ulong)(x / y) + (cl_ulong)(x % y);
    const cl_ulong high = a[i] >> 40, other = b[i] >> 40; // exact in double
    products[i] = high * other - high / 3 + high % 10 * 2;
  }

  expect(dlsym(RTLD_DEFAULT, "fma") == NULL, "libm is there before, so this shows nothing");
  expect(dlsym(RTLD_DEFAULT, "__udivti3") == NULL, "libgcc_s is there before");
  cl_device_id device = find_device();
  expect(device != NULL, "no platform Lockstep; is OCL_ICD_VENDORS set?");
  if (!device)
    return 1;
  cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
  cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, NULL);
  cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
  expect(clBuildProgram(program, 1, &device, "-cl-std=CL3.0", NULL, NULL) == CL_SUCCESS, "build");
  run(context, queue, program, "divide", a, b, quotients);
  run(context, queue, program, "multiply", a, b, products);
  clReleaseProgram(program);
  clReleaseCommandQueue(queue);
  clReleaseContext(context);
  return failures != 0;
}
