// SYCL objects as OpenCL objects and vice versa, without copies (SYCL 2020, appendix C).
#include <sycl/sycl.hpp>

#include "check.h"

#include <CL/cl.h>

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
  EXPECT_EQ(clReleaseContext(context), CL_SUCCESS); // the second reference
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
  EXPECT_EQ(references, 2u); // this test's and that of the SYCL context
  clReleaseContext(context);
}

// One in-order queue, commands of both APIs: each reads what the previous one wrote.
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

TEST(memory_of_opencl_is_an_argument) {
  namespace exp = sycl::ext::oneapi::experimental;
  sycl::queue queue;
  cl_context native = sycl::get_native<opencl>(queue.get_context());
  std::vector<int> values(64, 1);
  cl_mem memory =
      clCreateBuffer(native, CL_MEM_USE_HOST_PTR, 64 * sizeof(int), values.data(), nullptr);
  const auto bundle = exp::build(exp::create_kernel_bundle_from_source(
      queue.get_context(), exp::source_language::opencl,
      "kernel void add(global int *to, int by) { to[get_global_id(0)] += by; }"));
  const auto add = [&] {
    return queue.submit([&](sycl::handler &group) {
      group.set_args(memory, 3);
      group.parallel_for(sycl::range<1>(64), bundle.ext_oneapi_get_kernel("add"));
    });
  };
  add().wait();
  cl_command_queue commands = sycl::get_native<opencl>(queue);
  std::vector<int> read(64);
  EXPECT_EQ(clEnqueueReadBuffer(commands, memory, CL_TRUE, 0, 64 * sizeof(int), read.data(), 0,
                                nullptr, nullptr),
            CL_SUCCESS);
  clReleaseCommandQueue(commands);
  EXPECT_EQ(read[63], 4);
  add();
  clReleaseMemObject(memory); // the command retains it
  queue.wait();
  if (queue.get_device().is_cpu()) // which works on that memory
    EXPECT_EQ(values[63], 7);
  cl_mem image = nullptr;
  EXPECT_THROW(sycl::errc::invalid, "", queue.submit([&](sycl::handler &group) {
    group.set_args(image, 3);
    group.parallel_for(sycl::range<1>(64), bundle.ext_oneapi_get_kernel("add"));
  }));
  clReleaseContext(native);
}

cl_mem image_of(cl_context context, cl_mem_object_type type, size_t width, size_t height,
                std::vector<float> &texels) {
  const cl_image_format format = {CL_RGBA, CL_FLOAT};
  cl_image_desc desc{};
  desc.image_type = type;
  desc.image_width = width;
  desc.image_height = height;
  cl_int error = CL_SUCCESS;
  cl_mem made = clCreateImage(context, CL_MEM_COPY_HOST_PTR, &format, &desc, texels.data(), &error);
  EXPECT_EQ(error, CL_SUCCESS);
  return made;
}

// Kernels of SYCL read and write the texels of an OpenCL image, and the object can be queried
// again.
TEST(images_of_opencl_in_sycl) {
  sycl::queue queue;
  const sycl::context context = queue.get_context();
  cl_context native = sycl::get_native<opencl>(context);
  std::vector<float> texels(6 * 4 * 4);
  std::iota(texels.begin(), texels.end(), 0.0f);
  cl_mem memory = image_of(native, CL_MEM_OBJECT_IMAGE2D, 6, 4, texels);
  const sycl::image_sampler sampler{sycl::addressing_mode::clamp_to_edge,
                                    sycl::coordinate_normalization_mode::unnormalized,
                                    sycl::filtering_mode::nearest};
  std::vector<float> sampled(6 * 4);
  {
    auto image = sycl::make_unsampled_image<opencl, 2>(memory, context);
    EXPECT((image.get_range() == sycl::range<2>(6, 4)));
    EXPECT_EQ(image.byte_size(), texels.size() * sizeof(float));
    EXPECT_EQ(image.get_pitch()[0], 6 * 4 * sizeof(float));
    queue.submit([&](sycl::handler &group) {
      sycl::unsampled_image_accessor<sycl::float4, 2, sycl::access_mode::read_write> a(image,
                                                                                       group);
      group.parallel_for(sycl::range<2>(6, 4), [=](sycl::id<2> at) {
        const sycl::int2 place{int(at[0]), int(at[1])};
        a.write(place, a.read(place) + 1000.0f);
      });
    });
    const std::vector<cl_mem> again = sycl::get_native<opencl>(image);
    EXPECT(again.size() == 1 && again[0] == memory);
    clReleaseMemObject(again[0]);
    queue.wait();
    auto read = sycl::make_sampled_image<opencl, 2>(memory, context, sampler);
    sycl::buffer<float> results(sampled);
    queue.submit([&](sycl::handler &group) {
      sycl::sampled_image_accessor<sycl::float4, 2> a(read, group);
      sycl::accessor to(results, group, sycl::write_only);
      group.parallel_for(24, [=](sycl::item<1> item) {
        to[item] = a.read(sycl::float2(float(item % 6) + 0.5f, float(item / 6) + 0.5f)).w();
      });
    });
  }
  for (int i = 0; i < 24; ++i)
    EXPECT_EQ(sampled[i], float(i * 4 + 3 + 1000));
  clReleaseMemObject(memory);
  clReleaseContext(native);
}

TEST(images_wait_for_the_event_that_they_are_made_with) {
  sycl::queue queue;
  const sycl::context context = queue.get_context();
  cl_context native = sycl::get_native<opencl>(context);
  std::vector<float> texels(3 * 4, 2.0f);
  cl_mem memory = image_of(native, CL_MEM_OBJECT_IMAGE1D, 3, 0, texels);
  cl_event gate = clCreateUserEvent(native, nullptr);
  auto image = sycl::make_unsampled_image<opencl>(
      memory, context, sycl::make_event<opencl>({gate}, queue.get_context()));
  const sycl::event done = queue.submit([&](sycl::handler &group) {
    sycl::unsampled_image_accessor<sycl::float4, 1, sycl::access_mode::write> a(image, group);
    group.parallel_for(3, [=](sycl::id<1> at) { a.write(int(at), sycl::float4(7.0f)); });
  });
  EXPECT(done.get_info<sycl::info::event::command_execution_status>() !=
         sycl::info::event_command_status::complete);
  clSetUserEventStatus(gate, CL_COMPLETE);
  EXPECT_EQ(image.get_host_access<sycl::float4>().read(2).x(), 7.0f);
  clReleaseEvent(gate);
  clReleaseMemObject(memory);
  clReleaseContext(native);
}

// SYCL images as OpenCL objects: clGetImageInfo, and texels that a host task reads with OpenCL.
TEST(images_of_sycl_in_opencl) {
  sycl::queue queue;
  cl_context native = sycl::get_native<opencl>(queue.get_context());
  sycl::unsampled_image<2> image(sycl::image_format::r32g32b32a32_sfloat, {5, 3});
  const std::vector<cl_mem> memory = sycl::get_native<opencl>(image);
  EXPECT_EQ(memory.size(), 1u);
  cl_image_format format{};
  size_t width = 0, height = 0, depth = 1;
  clGetImageInfo(memory[0], CL_IMAGE_FORMAT, sizeof format, &format, nullptr);
  clGetImageInfo(memory[0], CL_IMAGE_WIDTH, sizeof width, &width, nullptr);
  clGetImageInfo(memory[0], CL_IMAGE_HEIGHT, sizeof height, &height, nullptr);
  clGetImageInfo(memory[0], CL_IMAGE_DEPTH, sizeof depth, &depth, nullptr);
  EXPECT(format.image_channel_order == CL_RGBA && format.image_channel_data_type == CL_FLOAT);
  EXPECT(width == 5 && height == 3 && depth == 0);
  queue.submit([&](sycl::handler &group) {
    sycl::unsampled_image_accessor<sycl::float4, 2, sycl::access_mode::write> a(image, group);
    group.parallel_for(sycl::range<2>(5, 3), [=](sycl::id<2> at) {
      a.write(sycl::int2(int(at[0]), int(at[1])), sycl::float4(float(at[0] * 10 + at[1])));
    });
  });
  float texel[4] = {};
  queue.submit([&](sycl::handler &group) {
    sycl::unsampled_image_accessor<sycl::float4, 2, sycl::access_mode::read> a(image, group);
    group.host_task([=, &texel](sycl::interop_handle handle) {
      cl_mem of_accessor = handle.get_native_mem<opencl>(a)[0];
      EXPECT(of_accessor == memory[0]);
      cl_command_queue own =
          clCreateCommandQueueWithProperties(handle.get_native_context<opencl>(),
                                             handle.get_native_device<opencl>(), nullptr, nullptr);
      const size_t origin[3] = {4, 2, 0}, region[3] = {1, 1, 1};
      EXPECT_EQ(clEnqueueReadImage(own, of_accessor, CL_TRUE, origin, region, 0, 0, texel, 0,
                                   nullptr, nullptr),
                CL_SUCCESS);
      clReleaseCommandQueue(own);
    });
  });
  queue.wait();
  EXPECT_EQ(texel[3], 42.0f);
  clReleaseMemObject(memory[0]);

  const std::vector<float> constant(4 * 4, 1.0f);
  sycl::sampled_image<1> read(constant.data(), sycl::image_format::r32g32b32a32_sfloat,
                              sycl::image_sampler{sycl::addressing_mode::none,
                                                  sycl::coordinate_normalization_mode::unnormalized,
                                                  sycl::filtering_mode::nearest},
                              4);
  const std::vector<cl_mem> only_read = sycl::get_native<opencl>(read);
  cl_mem_flags flags = 0;
  clGetMemObjectInfo(only_read[0], CL_MEM_FLAGS, sizeof flags, &flags, nullptr);
  EXPECT_EQ(flags & CL_MEM_READ_ONLY, cl_mem_flags(CL_MEM_READ_ONLY));
  clReleaseMemObject(only_read[0]);
  clReleaseContext(native);
}

TEST(image_accessors_are_arguments_of_opencl_c) {
  sycl::queue queue;
  auto bundle = sycl::ext::oneapi::experimental::build(
      sycl::ext::oneapi::experimental::create_kernel_bundle_from_source(
          queue.get_context(), sycl::ext::oneapi::experimental::source_language::opencl,
          "kernel void shade(write_only image2d_t to, read_only image2d_t from, sampler_t how) {\n"
          "  int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
          "  write_imagef(to, at, 2 * read_imagef(from, how, convert_float2(at) * 0.5f));\n"
          "}\n"));
  const sycl::kernel shade = bundle.ext_oneapi_get_kernel("shade");
  std::vector<float> texels(2 * 2 * 4);
  std::iota(texels.begin(), texels.end(), 0.0f);
  sycl::sampled_image<2> from(texels.data(), sycl::image_format::r32g32b32a32_sfloat,
                              sycl::image_sampler{sycl::addressing_mode::clamp_to_edge,
                                                  sycl::coordinate_normalization_mode::unnormalized,
                                                  sycl::filtering_mode::nearest},
                              {2, 2});
  sycl::unsampled_image<2> to(sycl::image_format::r32g32b32a32_sfloat, {4, 4});
  sycl::unsampled_image<1> row(sycl::image_format::r32g32b32a32_sfloat, {4});
  queue.submit([&](sycl::handler &group) {
    sycl::unsampled_image_accessor<sycl::float4, 2, sycl::access_mode::write> a(to, group);
    sycl::sampled_image_accessor<sycl::float4, 2> b(from, group);
    group.set_args(a, b, b);
    group.parallel_for(sycl::range<2>(4, 4), shade);
  });
  auto result = to.get_host_access<sycl::float4, sycl::access_mode::read>();
  for (int y = 0; y < 4; ++y)
    for (int x = 0; x < 4; ++x)
      EXPECT_EQ(result.read(sycl::int2(x, y)).y(),
                2 * texels[std::size_t((y / 2 * 2 + x / 2) * 4 + 1)]);
  const auto launch = [&](auto &of, auto mode, const auto &third) {
    queue.submit([&](sycl::handler &group) {
      constexpr int dimensions = std::decay_t<decltype(of)>::dimensions;
      sycl::unsampled_image_accessor<sycl::float4, dimensions, mode> a(of, group);
      sycl::sampled_image_accessor<sycl::float4, 2> b(from, group);
      if constexpr (std::is_same_v<std::decay_t<decltype(third)>, int>)
        group.set_args(a, b, third);
      else
        group.set_args(a, b, a);
      group.parallel_for(sycl::range<2>(4, 4), shade);
    });
  };
  const std::integral_constant<sycl::access_mode, sycl::access_mode::write> write{};
  EXPECT_THROW(sycl::errc::kernel_argument, "is not an accessor", launch(to, write, 5));
  EXPECT_THROW(sycl::errc::kernel_argument, "image1d_t", launch(row, write, nullptr));
}

TEST(wrong_images_of_opencl_are_refused) {
  sycl::queue queue;
  const sycl::context context = queue.get_context();
  cl_context native = sycl::get_native<opencl>(context);
  std::vector<float> texels(2 * 2 * 4);
  cl_mem image = image_of(native, CL_MEM_OBJECT_IMAGE2D, 2, 2, texels);
  cl_mem buffer = clCreateBuffer(native, 0, 64, nullptr, nullptr);
  {
    const auto kept = sycl::make_unsampled_image<opencl, 2>(image, context);
  }
  EXPECT_EQ(sycl::opencl::get_reference_count(image), 1u);
  using sycl::errc;
  EXPECT_THROW(errc::invalid, "a buffer", sycl::make_unsampled_image<opencl, 2>(buffer, context));
  EXPECT_THROW(errc::invalid, "an image", sycl::make_buffer<opencl, float>(image, context));
  EXPECT_THROW(errc::invalid, "of 3 dimensions",
               sycl::make_unsampled_image<opencl, 3>(image, context));
  EXPECT_THROW(errc::invalid, "another context",
               sycl::make_unsampled_image<opencl, 2>(image, sycl::context()));
  clReleaseMemObject(buffer);
  clReleaseMemObject(image);
  clReleaseContext(native);
}

// A host task runs OpenCL C on the memory of accessors.
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
  clReleaseKernel(cl_scale); // the SYCL object retains it

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
  EXPECT_THROW(sycl::errc::invalid, "not a cl_kernel",
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
  EXPECT(device.get_backend_info<sycl::info::device::version>() ==
         device.get_info<sycl::info::device::version>());
  EXPECT(sycl::opencl::has_extension(device, "cl_khr_fp64"));
  EXPECT(sycl::opencl::has_extension(device.get_platform(), "cl_khr_icd"));
  EXPECT(!sycl::opencl::has_extension(device, "cl_khr"));
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wdeprecated-declarations"
  EXPECT(device.has_extension("cl_khr_int64_base_atomics")); // programs for SYCL 1.2.1 check this
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

// OpenCL launches a C++ kernel: its one argument is the bytes of its function object.
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
