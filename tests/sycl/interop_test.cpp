// Objects of SYCL as objects of OpenCL and the other way, without copies (SYCL 2020, appendix C).
#include <CL/cl.h>
#include <sycl/sycl.hpp>

#include "check.h"

#include <numeric>
#include <sstream>

namespace {

constexpr sycl::backend opencl = sycl::backend::opencl;

const char *const source = "kernel void scale(global int *data, int factor) {\n"
                           "  data[get_global_id(0)] *= factor;\n"
                           "}\n";

cl_program built(cl_context context) {
  cl_int error = CL_SUCCESS;
  cl_program program =
      clCreateProgramWithSource(context, 1, const_cast<const char **>(&source), nullptr, &error);
  EXPECT_EQ(error, CL_SUCCESS);
  EXPECT_EQ(clBuildProgram(program, 0, nullptr, "", nullptr, nullptr), CL_SUCCESS);
  return program;
}

TEST(native_objects_are_the_same_each_time) {
  sycl::queue queue;
  EXPECT(queue.get_backend() == opencl);
  std::ostringstream written;
  written << queue.get_backend();
  EXPECT(written.str() == "opencl");
  cl_platform_id platform = sycl::get_native<opencl>(queue.get_device().get_platform());
  char name[64] = "";
  EXPECT_EQ(clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof name, name, nullptr), CL_SUCCESS);
  EXPECT(std::string(name) == "Lockstep");
  cl_device_id device = sycl::get_native<opencl>(queue.get_device());
  cl_uint units = 0;
  clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, nullptr);
  EXPECT_EQ(units, queue.get_device().get_info<sycl::info::device::max_compute_units>());
  cl_context context = sycl::get_native<opencl>(queue.get_context());
  cl_command_queue commands = sycl::get_native<opencl>(queue);
  cl_context of_queue = nullptr;
  clGetCommandQueueInfo(commands, CL_QUEUE_CONTEXT, sizeof of_queue, &of_queue, nullptr);
  EXPECT(of_queue == context);
  EXPECT(sycl::get_native<opencl>(queue.get_context()) == context);
  EXPECT_EQ(clReleaseContext(context), CL_SUCCESS); // the second one
  EXPECT(sycl::make_device<opencl>(device) == queue.get_device());
  EXPECT(sycl::make_platform<opencl>(platform) == queue.get_device().get_platform());
  {
    const sycl::context from = sycl::make_context<opencl>(context);
    EXPECT(from.get_devices() == queue.get_context().get_devices());
    EXPECT(sycl::get_native<opencl>(from) == context);
    clReleaseContext(context);
  }
  clReleaseCommandQueue(commands);
  cl_uint references = 0;
  EXPECT_EQ(clGetContextInfo(context, CL_CONTEXT_REFERENCE_COUNT, sizeof references, &references,
                             nullptr),
            CL_SUCCESS);
  EXPECT_EQ(references, 2u); // ours and that of the SYCL context
  clReleaseContext(context);
}

// One queue in order, commands of both APIs: each reads what the one before wrote.
TEST(a_queue_and_its_native_have_one_order) {
  sycl::queue queue{sycl::property::queue::in_order()};
  constexpr int count = 256;
  int *data = sycl::malloc_shared<int>(count, queue);
  std::iota(data, data + count, 0);
  cl_command_queue commands = sycl::get_native<opencl>(queue);
  cl_context context = sycl::get_native<opencl>(queue.get_context());
  cl_program program = built(context);
  cl_kernel kernel = clCreateKernel(program, "scale", nullptr);
  const cl_int factor = 3;
  const size_t size = count;
  EXPECT_EQ(clSetKernelArgSVMPointer(kernel, 0, data), CL_SUCCESS);
  EXPECT_EQ(clSetKernelArg(kernel, 1, sizeof factor, &factor), CL_SUCCESS);
  for (int round = 0; round < 5; ++round) {
    queue.parallel_for(count, [=](sycl::item<1> item) { data[item] += 1; });
    EXPECT_EQ(
        clEnqueueNDRangeKernel(commands, kernel, 1, nullptr, &size, nullptr, 0, nullptr, nullptr),
        CL_SUCCESS);
  }
  queue.wait();
  for (int i = 0; i < count; ++i) {
    int wanted = i;
    for (int round = 0; round < 5; ++round)
      wanted = (wanted + 1) * 3;
    EXPECT_EQ(data[i], wanted);
  }
  clReleaseKernel(kernel);
  clReleaseProgram(program);
  clReleaseCommandQueue(commands);
  clReleaseContext(context);
  sycl::free(data, queue);
}

TEST(events_of_both) {
  sycl::queue queue;
  cl_context context = sycl::get_native<opencl>(queue.get_context());
  int *value = sycl::malloc_shared<int>(1, queue);
  *value = 0;
  cl_event gate = clCreateUserEvent(context, nullptr);
  const sycl::event opened = sycl::make_event<opencl>({gate}, queue.get_context());
  const std::vector<cl_event> same = sycl::get_native<opencl>(opened);
  EXPECT(same.size() == 1 && same[0] == gate);
  clReleaseEvent(same[0]);
  const sycl::event done = queue.submit([&](sycl::handler &group) {
    group.depends_on(opened);
    group.single_task([=] { *value = 7; });
  });
  const std::vector<cl_event> natives = sycl::get_native<opencl>(done);
  EXPECT_EQ(natives.size(), 1u);
  EXPECT_EQ(*value, 0);
  clSetUserEventStatus(gate, CL_COMPLETE);
  EXPECT_EQ(clWaitForEvents(1, natives.data()), CL_SUCCESS);
  EXPECT_EQ(*value, 7);
  clReleaseEvent(natives[0]);
  clReleaseEvent(gate);
  clReleaseContext(context);
  sycl::free(value, queue);
}

TEST(memory_is_shared) {
  sycl::queue queue;
  const sycl::context context = queue.get_context();
  cl_context native = sycl::get_native<opencl>(context);
  std::vector<int> values(64);
  std::iota(values.begin(), values.end(), 0);
  cl_mem memory =
      clCreateBuffer(native, CL_MEM_COPY_HOST_PTR, 64 * sizeof(int), values.data(), nullptr);
  {
    sycl::buffer<int> buffer = sycl::make_buffer<opencl, int>(memory, context);
    EXPECT_EQ(buffer.size(), 64u);
    queue.submit([&](sycl::handler &group) {
      sycl::accessor a(buffer, group);
      group.parallel_for(64, [=](sycl::item<1> item) { a[item] += 100; });
    });
    const std::vector<cl_mem> again = sycl::get_native<opencl>(buffer);
    EXPECT(again.size() == 1 && again[0] == memory);
    clReleaseMemObject(again[0]);
    sycl::host_accessor result(buffer);
    for (int i = 0; i < 64; ++i)
      EXPECT_EQ(result[i], i + 100);
  }
  cl_command_queue commands = sycl::get_native<opencl>(queue);
  std::vector<int> read(64);
  EXPECT_EQ(clEnqueueReadBuffer(commands, memory, CL_TRUE, 0, 64 * sizeof(int), read.data(), 0,
                                nullptr, nullptr),
            CL_SUCCESS);
  EXPECT_EQ(read[63], 163);
  clReleaseCommandQueue(commands);
  EXPECT_EQ(clReleaseMemObject(memory), CL_SUCCESS);
  clReleaseContext(native);
}

// OpenCL C on the accessors' memory, from inside a host task.
TEST(interop_handles_in_host_tasks) {
  std::vector<int> values(32, 5), other(32);
  {
    sycl::queue queue;
    cl_context context = sycl::get_native<opencl>(queue.get_context());
    cl_program program = built(context);
    sycl::buffer<int> buffer(values), not_required(other);
    sycl::accessor elsewhere(not_required);
    queue.submit([&](sycl::handler &group) {
      sycl::accessor a(buffer, group);
      group.parallel_for(32, [=](sycl::item<1> item) { a[item] += int(item); });
    });
    queue.submit([&](sycl::handler &group) {
      sycl::accessor a(buffer, group, sycl::read_write);
      group.host_task([=](sycl::interop_handle handle) {
        cl_mem memory = handle.get_native_mem<opencl>(a)[0];
        EXPECT_THROW(sycl::errc::invalid, "not one of the host task's",
                     handle.get_native_mem<opencl>(elsewhere));
        cl_command_queue own = clCreateCommandQueueWithProperties(
            handle.get_native_context<opencl>(), handle.get_native_device<opencl>(), nullptr,
            nullptr);
        cl_kernel kernel = clCreateKernel(program, "scale", nullptr);
        const cl_int factor = 10;
        const size_t size = 32;
        clSetKernelArg(kernel, 0, sizeof memory, &memory);
        clSetKernelArg(kernel, 1, sizeof factor, &factor);
        EXPECT_EQ(
            clEnqueueNDRangeKernel(own, kernel, 1, nullptr, &size, nullptr, 0, nullptr, nullptr),
            CL_SUCCESS);
        clFinish(own);
        clReleaseKernel(kernel);
        clReleaseCommandQueue(own);
        EXPECT(handle.get_native_queue<opencl>() != nullptr);
      });
    });
    queue.submit([&](sycl::handler &group) {
      sycl::accessor a(buffer, group);
      group.parallel_for(32, [=](sycl::item<1> item) { a[item] += 1; });
    });
    queue.wait();
    clReleaseProgram(program);
    clReleaseContext(context);
  }
  for (int i = 0; i < 32; ++i)
    EXPECT_EQ(values[i], (5 + i) * 10 + 1);
}

TEST(kernels_and_programs) {
  sycl::queue queue;
  const sycl::context context = queue.get_context();
  cl_context native = sycl::get_native<opencl>(context);
  cl_program program = built(native);
  cl_kernel cl_scale = clCreateKernel(program, "scale", nullptr);
  const sycl::kernel scale = sycl::make_kernel<opencl>(cl_scale, context);
  EXPECT_EQ(scale.get_info<sycl::info::kernel::num_args>(), 2u);
  cl_kernel again = sycl::get_native<opencl>(scale);
  EXPECT(again == cl_scale);
  clReleaseKernel(again);
  clReleaseKernel(cl_scale); // the SYCL object keeps it

  cl_program unbuilt =
      clCreateProgramWithSource(native, 1, const_cast<const char **>(&source), nullptr, nullptr);
  auto input = sycl::make_kernel_bundle<opencl, sycl::bundle_state::input>(unbuilt, context);
  auto executable = sycl::build(input);
  auto direct = sycl::make_kernel_bundle<opencl, sycl::bundle_state::executable>(program, context);
  const std::vector<cl_program> natives = sycl::get_native<opencl>(direct);
  EXPECT(natives.size() == 1 && natives[0] == program);
  clReleaseProgram(natives[0]);
  clReleaseProgram(program);
  clReleaseProgram(unbuilt);

  int *data = sycl::malloc_shared<int>(8, queue);
  std::iota(data, data + 8, 1);
  for (const sycl::kernel &one :
       {scale, executable.ext_oneapi_get_kernel("scale"), direct.ext_oneapi_get_kernel("scale")})
    queue
        .submit([&](sycl::handler &group) {
          group.set_args(data, 2);
          group.parallel_for(sycl::range<1>(8), one);
        })
        .wait();
  for (int i = 0; i < 8; ++i)
    EXPECT_EQ(data[i], (i + 1) * 8);
  EXPECT_THROW(sycl::errc::invalid, "no cl_kernel",
               sycl::make_kernel<opencl>(reinterpret_cast<cl_kernel>(program), context));
  clReleaseContext(native);
  sycl::free(data, queue);
}

TEST(bundles_of_programs_and_kernels) {
  sycl::queue queue;
  const sycl::context context = queue.get_context();
  const std::vector<sycl::device> devices = context.get_devices();
  cl_context native = sycl::get_native<opencl>(context);
  cl_program program = built(native);
  const char *const of_shift = "kernel void shift(global int *data, int by) {\n"
                               "  data[get_global_id(0)] += by;\n"
                               "}\n";
  cl_program compiled =
      clCreateProgramWithSource(native, 1, const_cast<const char **>(&of_shift), nullptr, nullptr);
  EXPECT_EQ(clCompileProgram(compiled, 0, nullptr, "", 0, nullptr, nullptr, nullptr, nullptr),
            CL_SUCCESS);
  EXPECT_THROW(sycl::errc::invalid, "already built",
               sycl::make_kernel_bundle<opencl, sycl::bundle_state::input>(program, context));
  EXPECT_THROW(sycl::errc::invalid, "already built",
               sycl::make_kernel_bundle<opencl, sycl::bundle_state::object>(program, context));
  EXPECT_THROW(sycl::errc::invalid, "already compiled",
               sycl::make_kernel_bundle<opencl, sycl::bundle_state::input>(compiled, context));

  const auto both = sycl::opencl::create_bundle<sycl::bundle_state::executable>(
      context, devices, std::vector<cl_program>{program, compiled});
  const auto object = sycl::opencl::create_bundle<sycl::bundle_state::object>(
      context, devices, std::vector<cl_program>{compiled});
  cl_kernel cl_scale = clCreateKernel(program, "scale", nullptr);
  EXPECT_EQ(sycl::opencl::get_reference_count(cl_scale), 1u);
  const auto of_kernels =
      sycl::opencl::create_bundle(context, devices, std::vector<cl_kernel>{cl_scale});
  int *data = sycl::malloc_shared<int>(8, queue);
  std::iota(data, data + 8, 1);
  for (const sycl::kernel &one :
       {both.ext_oneapi_get_kernel("scale"), both.ext_oneapi_get_kernel("shift"),
        sycl::link(object).ext_oneapi_get_kernel("shift"),
        of_kernels.ext_oneapi_get_kernel("scale")})
    queue
        .submit([&](sycl::handler &group) {
          group.set_args(data, 3);
          group.parallel_for(sycl::range<1>(8), one);
        })
        .wait();
  for (int i = 0; i < 8; ++i)
    EXPECT_EQ(data[i], ((i + 1) * 3 + 6) * 3);
  sycl::free(data, queue);
  clReleaseKernel(cl_scale);
  clReleaseProgram(compiled);
  clReleaseProgram(program);
  clReleaseContext(native);
}

TEST(opencl_s_own_queries) {
  const sycl::device device = sycl::queue().get_device();
  EXPECT(sycl::opencl::has_extension(device, "cl_khr_fp64"));
  EXPECT(sycl::opencl::has_extension(device.get_platform(), "cl_khr_icd"));
  EXPECT(!sycl::opencl::has_extension(device, "cl_khr"));
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wdeprecated-declarations"
  EXPECT(device.has_extension("cl_khr_int64_base_atomics")); // as programs of SYCL 1.2.1 ask
  EXPECT(device.get_platform().has_extension("cl_khr_int64_base_atomics"));
#pragma clang diagnostic pop
  cl_context context = sycl::get_native<opencl>(sycl::context(device));
  EXPECT_EQ(sycl::opencl::get_reference_count(context), 1u);
  clRetainContext(context);
  EXPECT_EQ(sycl::opencl::get_reference_count(context), 2u);
  clReleaseContext(context);
  clReleaseContext(context);
  int none = 0;
  EXPECT_THROW(sycl::errc::invalid, "references are counted",
               sycl::opencl::get_reference_count(&none));
  try {
    sycl::nd_range<1> range(7, 2);
    sycl::queue().parallel_for(range, [](sycl::nd_item<1>) {});
    EXPECT(false);
  } catch (sycl::exception &error) {
    EXPECT_EQ(sycl::opencl::get_error_code(error), CL_SUCCESS);
  }
}

// A kernel in C++, launched by OpenCL: its one argument is the bytes of its function object.
TEST(kernels_of_the_program_in_opencl) {
  struct Fill {
    int *out;
    void operator()(sycl::item<1> item) const { out[item] = int(item) * 3; }
  };
  sycl::queue queue;
  int *out = sycl::malloc_shared<int>(16, queue);
  queue.parallel_for<class FillName>(16, Fill{out}).wait();
  std::fill_n(out, 16, 0);
  auto bundle =
      sycl::get_kernel_bundle<class FillName, sycl::bundle_state::executable>(queue.get_context());
  cl_kernel kernel = sycl::get_native<opencl>(bundle.get_kernel<class FillName>());
  cl_command_queue commands = sycl::get_native<opencl>(queue);
  const Fill argument{out};
  EXPECT_EQ(clSetKernelArg(kernel, 0, sizeof argument, &argument), CL_SUCCESS);
  const size_t size = 16;
  EXPECT_EQ(
      clEnqueueNDRangeKernel(commands, kernel, 1, nullptr, &size, nullptr, 0, nullptr, nullptr),
      CL_SUCCESS);
  clFinish(commands);
  for (int i = 0; i < 16; ++i)
    EXPECT_EQ(out[i], i * 3);
  EXPECT_EQ(sycl::get_native<opencl>(bundle).size(), 1u);
  clReleaseKernel(kernel);
  clReleaseCommandQueue(commands);
  sycl::free(out, queue);
}

} // namespace
