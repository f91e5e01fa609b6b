// Kernels that compute with buffers which were written before fully, partly or not at all:
// undefined_buffers CASE. check_undefined_test.py has the verdicts.
#include "one_device.h"

#include <cstdlib>
#include <functional>
#include <map>
#include <string>

namespace {

constexpr size_t count = 1024, bytes = count * sizeof(cl_int);
constexpr char source[] = R"(
kernel void number(global int *a) { a[get_global_id(0)] = get_global_id(0); }
kernel void take(global int *a, global int *b) { b[get_global_id(0)] = a[get_global_id(0)]; }
kernel void add_one(global int *a) { a[get_global_id(0)] += 1; }
kernel void one_more(const global int *a, global int *b) { b[get_global_id(0)] = a[get_global_id(0)] + 1; }
kernel void one_more_again(const global int *a, global int *b, global int *c, global int *none) {
  const size_t i = get_global_id(0);
  c[i] = none[i];
  b[i] = a[i] + 1;
}
)";
constexpr char source_of_version_3[] = R"(
kernel void draw(write_only image2d_t to, int width) {
  const int2 at = (int2)(get_global_id(0), get_global_id(1));
  if (at.x < width)
    write_imagei(to, at, (int4)(at, 1, 1));
}
kernel void look(read_only image2d_t from, global int *a) {
  a[get_global_id(0)] = read_imagei(from, (int2)(get_global_id(0) % 16, get_global_id(0) / 16)).x + 1;
}
kernel void filter(read_only image2d_t from, global int *a) {
  const sampler_t sampler = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR;
  a[get_global_id(0)] =
      (int)(read_imagef(from, sampler, (float2)(get_global_id(0) % 16, get_global_id(0) / 16) + 0.5f).x * 8);
}
kernel void beside(read_only image2d_t from, global int *a) {
  const sampler_t sampler = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
  a[get_global_id(0)] = read_imagei(from, sampler, (int2)(-1 - (int)get_global_id(0), 3)).x + 1;
}
kernel void again(read_only image2d_t from, write_only image2d_t to) {
  const int2 at = (int2)(get_global_id(0), get_global_id(1));
  write_imagei(to, at, read_imagei(from, at));
}
kernel void put(write_only pipe int to, int which) {
  int x;
  if ((get_global_id(0) + 1) & which)
    x = 3;
  write_pipe(to, &x);
}
kernel void get(read_only pipe int from, global int *a) {
  int x = 0;
  read_pipe(from, &x);
  a[get_global_id(0)] = x;
}
)";

struct Program : OneDevice {
  cl::CommandQueue queue{context, device};
  cl::Buffer a{context, CL_MEM_READ_WRITE, bytes}, b{context, CL_MEM_READ_WRITE, bytes};
  std::vector<cl_int> host = std::vector<cl_int>(count);

  Program() : OneDevice(source) {}
  void run(const char *name, std::vector<cl::Buffer> arguments, size_t size = count) {
    cl::Kernel kernel(program, name);
    for (cl_uint i = 0; i < arguments.size(); ++i)
      kernel.setArg(i, arguments[i]);
    queue.enqueueNDRangeKernel(kernel, 0, size, 64);
  }
  void add_one_to(cl_int *memory) {
    cl::Kernel kernel(program, "add_one");
    clSetKernelArgSVMPointer(kernel(), 0, memory);
    queue.enqueueNDRangeKernel(kernel, 0, count, 64);
    queue.finish();
  }
  void map(cl_map_flags flags) {
    queue.enqueueUnmapMemObject(a, queue.enqueueMapBuffer(a, CL_TRUE, flags, 0, bytes));
  }
  // Work-items write packets; bits of `which` select the work-items whose packets are defined.
  void through_pipe(cl_int which) {
    cl_int error = CL_SUCCESS;
    cl_mem pipe = clCreatePipe(context(), CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS, sizeof(cl_int),
                               count, nullptr, &error);
    cl::Program pipes(context, source_of_version_3);
    pipes.build("-cl-std=CL3.0");
    cl::Kernel put(pipes, "put"), get(pipes, "get");
    put.setArg(0, sizeof pipe, &pipe);
    put.setArg(1, which);
    get.setArg(0, sizeof pipe, &pipe);
    get.setArg(1, b);
    queue.enqueueNDRangeKernel(put, 0, count, 64);
    queue.enqueueNDRangeKernel(get, 0, count, 64);
    queue.finish();
    clReleaseMemObject(pipe);
  }
  // An image with rows of 16 texels, for kernels that write and read it.
  cl::Program drawing{context, source_of_version_3};
  cl::Image2D image(cl_channel_type type = CL_SIGNED_INT32, void *given = nullptr) {
    return cl::Image2D(context, given ? CL_MEM_COPY_HOST_PTR : CL_MEM_READ_WRITE,
                       cl::ImageFormat(CL_RGBA, type), 16, 16, 0, given);
  }
  void draw(const cl::Image2D &to, cl_int width) {
    drawing.build("-cl-std=CL3.0");
    cl::Kernel kernel(drawing, "draw");
    kernel.setArg(0, to);
    kernel.setArg(1, width);
    queue.enqueueNDRangeKernel(kernel, {}, {16, 16}, {16, 1});
  }
  void look(const cl::Image2D &from, const char *how = "look") {
    drawing.build("-cl-std=CL3.0");
    cl::Kernel kernel(drawing, how);
    kernel.setArg(0, from);
    kernel.setArg(1, b);
    queue.enqueueNDRangeKernel(kernel, {}, 256, 64);
  }
  void draw_again(const cl::Image2D &from, const cl::Image2D &to) {
    drawing.build("-cl-std=CL3.0");
    cl::Kernel kernel(drawing, "again");
    kernel.setArg(0, from);
    kernel.setArg(1, to);
    queue.enqueueNDRangeKernel(kernel, {}, {16, 16}, {16, 1});
  }
  cl::Buffer part(size_t begin, size_t size) {
    cl_buffer_region region{begin, size};
    return a.createSubBuffer(CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region);
  }
};

using Case = std::function<void(Program &)>;
const std::map<std::string, Case> cases = {
    // ---- right
    {"given",
     [](Program &p) {
       p.run("add_one", {cl::Buffer(p.context, CL_MEM_COPY_HOST_PTR, bytes, p.host.data())});
     }},
    {"written",
     [](Program &p) {
       p.queue.enqueueWriteBuffer(p.a, CL_FALSE, 0, bytes, p.host.data());
       p.run("add_one", {p.a});
     }},
    {"image_given", [](Program &p) { p.look(p.image(CL_SIGNED_INT32, p.host.data())); }},
    {"image_filled",
     [](Program &p) {
       const cl::Image2D image = p.image(CL_UNORM_INT8);
       p.queue.enqueueFillImage(image, cl_float4{{1, 1, 1, 1}}, {0, 0, 0}, {16, 16, 1});
       p.look(image, "filter");
     }},
    {"image_written",
     [](Program &p) {
       const cl::Image2D image = p.image();
       p.queue.enqueueWriteImage(image, CL_FALSE, {0, 0, 0}, {16, 16, 1}, 0, 0, p.host.data());
       p.look(image);
     }},
    {"image_mapped",
     [](Program &p) {
       const cl::Image2D image = p.image();
       size_t pitch = 0;
       void *mapped = p.queue.enqueueMapImage(image, CL_TRUE, CL_MAP_WRITE, {0, 0, 0}, {16, 16, 1},
                                              &pitch, nullptr);
       p.queue.enqueueUnmapMemObject(image, mapped);
       p.look(image);
     }},
    {"image_drawn",
     [](Program &p) {
       const cl::Image2D image = p.image();
       p.draw(image, 16);
       p.look(image);
     }},
    {"image_copied",
     [](Program &p) {
       const cl::Image2D one = p.image(), other = p.image();
       p.draw(one, 16);
       p.queue.enqueueCopyImage(one, other, {0, 0, 0}, {0, 0, 0}, {16, 16, 1});
       p.look(other);
     }},
    {"image_beside", [](Program &p) { p.look(p.image(), "beside"); }},
    {"image_copied_in_vain", [](Program &p) { p.draw_again(p.image(), p.image()); }},
    {"image_never_drawn", [](Program &p) { p.look(p.image()); }},
    {"image_never_drawn_filtered", [](Program &p) { p.look(p.image(CL_UNORM_INT8), "filter"); }},
    {"image_half_drawn",
     [](Program &p) {
       const cl::Image2D image = p.image();
       p.draw(image, 15);
       p.look(image);
     }},
    {"image_copied_by_kernel",
     [](Program &p) {
       const cl::Image2D one = p.image(), other = p.image();
       p.draw(one, 15);
       p.draw_again(one, other);
       p.look(other);
     }},
    {"image_copied_by_command",
     [](Program &p) {
       const cl::Image2D one = p.image(), other = p.image();
       p.draw(one, 15);
       p.queue.enqueueCopyImage(one, other, {0, 0, 0}, {0, 0, 0}, {16, 16, 1});
       p.look(other);
     }},
    {"through_pipe",
     [](Program &p) {
       p.through_pipe(-1);
       p.run("add_one", {p.b});
     }},
    {"through_pipe_in_vain", [](Program &p) { p.through_pipe(1); }},
    {"through_pipe_half",
     [](Program &p) {
       p.through_pipe(1);
       p.run("add_one", {p.b});
     }},
    {"filled",
     [](Program &p) {
       p.queue.enqueueFillBuffer(p.a, cl_int(1), 0, bytes);
       p.run("add_one", {p.a});
     }},
    {"mapped",
     [](Program &p) {
       p.map(CL_MAP_WRITE);
       p.run("add_one", {p.a});
     }},
    {"by_kernel",
     [](Program &p) {
       p.run("number", {p.a});
       p.run("take", {p.a, p.b});
       p.run("add_one", {p.b});
     }},
    {"copied",
     [](Program &p) {
       p.run("number", {p.a});
       p.queue.enqueueCopyBuffer(p.a, p.b, 0, 0, bytes);
       p.run("add_one", {p.b});
     }},
    {"half",
     [](Program &p) {
       p.queue.enqueueFillBuffer(p.a, cl_int(1), 0, bytes / 2);
       p.run("add_one", {p.a}, count / 2);
     }},
    {"part",
     [](Program &p) {
       p.run("number", {p.part(bytes / 2, bytes / 2)}, count / 2);
       p.run("add_one", {p.part(bytes / 2, bytes / 4)}, count / 4);
     }},
    {"rows",
     [](Program &p) {
       for (size_t x : {0, 32})
         p.queue.enqueueWriteBufferRect(p.a, CL_FALSE, {x, 0, 0}, {0, 0, 0}, {32, bytes / 64, 1},
                                        64, 0, 0, 0, p.host.data());
       p.run("add_one", {p.a});
     }},
    {"copied_in_vain", [](Program &p) { p.run("take", {p.a, p.b}); }},

    {"copied_as_rows",
     [](Program &p) {
       p.run("number", {p.a});
       p.queue.enqueueCopyBufferRect(p.a, p.b, {0, 0, 0}, {0, 0, 0}, {32, bytes / 32, 1}, 32, 0, 32,
                                     0);
       p.run("add_one", {p.b});
     }},
    {"svm_filled",
     [](Program &p) {
       auto *memory = static_cast<cl_int *>(clSVMAlloc(p.context(), CL_MEM_READ_WRITE, bytes, 0));
       const cl_int one = 1;
       clEnqueueSVMMemFill(p.queue(), memory, &one, sizeof one, bytes, 0, nullptr, nullptr);
       p.add_one_to(memory);
       clSVMFree(p.context(), memory);
     }},
    {"svm_mapped",
     [](Program &p) {
       auto *memory = static_cast<cl_int *>(clSVMAlloc(p.context(), CL_MEM_READ_WRITE, bytes, 0));
       clEnqueueSVMMap(p.queue(), CL_TRUE, CL_MAP_WRITE, memory, bytes, 0, nullptr, nullptr);
       clEnqueueSVMUnmap(p.queue(), memory, 0, nullptr, nullptr);
       p.add_one_to(memory);
       clSVMFree(p.context(), memory);
     }},
    {"read_twice",
     [](Program &p) {
       cl::Buffer data(p.context, CL_MEM_COPY_HOST_PTR, bytes, p.host.data());
       p.run("one_more", {data, p.a});
       p.run("one_more", {data, p.b});
       p.run("add_one", {p.b});
     }},
    {"read_where_written",
     [](Program &p) {
       p.queue.enqueueFillBuffer(p.a, cl_int(1), 0, bytes / 2);
       p.run("one_more", {p.a, p.b}, count / 2);
     }},
    {"read_when_written",
     [](Program &p) { // differs from the content when it was enqueued
       p.queue.enqueueWriteBuffer(p.a, CL_FALSE, 0, bytes, p.host.data());
       p.run("one_more", {p.a, p.b});
     }},
    {"copied_over_by_commands",
     [](Program &p) {
       p.queue.enqueueCopyBuffer(p.b, p.a, 0, 0, bytes);
       p.queue.enqueueWriteBuffer(p.a, CL_FALSE, 0, bytes, p.host.data());
       p.run("add_one", {p.a});
     }},

    // ---- wrong
    {"never_written", [](Program &p) { p.run("add_one", {p.a}); }},
    {"half_only",
     [](Program &p) {
       p.queue.enqueueFillBuffer(p.a, cl_int(1), 0, bytes / 2);
       p.run("add_one", {p.a});
     }},
    {"rows_with_gaps",
     [](Program &p) {
       p.queue.enqueueWriteBufferRect(p.a, CL_FALSE, {0, 0, 0}, {0, 0, 0}, {32, bytes / 64, 1}, 64,
                                      0, 0, 0, p.host.data());
       p.run("add_one", {p.a});
     }},
    {"mapped_for_reading",
     [](Program &p) {
       p.map(CL_MAP_READ);
       p.run("add_one", {p.a});
     }},
    {"other_part",
     [](Program &p) {
       p.run("number", {p.part(bytes / 2, bytes / 2)}, count / 2);
       p.run("add_one", {p.part(0, bytes / 2)}, count / 2);
     }},
    {"copied_by_kernel",
     [](Program &p) {
       p.run("take", {p.a, p.b});
       p.run("add_one", {p.b});
     }},
    {"copied_by_command",
     [](Program &p) {
       p.queue.enqueueCopyBuffer(p.a, p.b, 0, 0, bytes);
       p.run("add_one", {p.b});
     }},
    {"copied_by_command_over_data",
     [](Program &p) {
       cl::Buffer data(p.context, CL_MEM_COPY_HOST_PTR, bytes, p.host.data());
       p.queue.enqueueCopyBuffer(p.a, data, 0, bytes / 2, 4);
       p.run("add_one", {data});
     }},
    {"copied_by_kernel_over_data",
     [](Program &p) {
       cl::Buffer data(p.context, CL_MEM_COPY_HOST_PTR, bytes, p.host.data());
       p.run("take", {p.a, data});
       p.run("add_one", {data});
     }},
    {"copied_as_rows_with_gaps",
     [](Program &p) {
       p.run("number", {p.a}, count / 2);
       p.queue.enqueueCopyBufferRect(p.a, p.b, {0, 0, 0}, {0, 0, 0}, {32, bytes / 32, 1}, 32, 0, 32,
                                     0);
       p.run("add_one", {p.b});
     }},
    {"read_never_written", [](Program &p) { p.run("one_more", {p.a, p.b}); }},
    {"read_before_written",
     [](Program &p) {
       p.run("one_more", {p.a, p.b});
       p.queue.enqueueWriteBuffer(p.a, CL_FALSE, 0, bytes, p.host.data());
       p.run("one_more", {p.a, p.b});
     }},
    {"read_half_written",
     [](Program &p) {
       p.queue.enqueueFillBuffer(p.a, cl_int(1), 0, bytes / 2);
       p.run("one_more", {p.a, p.b});
     }},
    {"read_when_copied_over_by_command",
     [](Program &p) {
       cl::Buffer data(p.context, CL_MEM_COPY_HOST_PTR, bytes, p.host.data());
       p.run("one_more", {data, p.b});
       p.queue.enqueueCopyBuffer(p.a, data, 0, bytes / 2, 4);
       p.run("one_more", {data, p.b});
     }},
    {"read_when_copied_over_by_kernel",
     [](Program &p) {
       cl::Buffer data(p.context, CL_MEM_COPY_HOST_PTR, bytes, p.host.data());
       p.run("one_more", {data, p.b});
       p.run("take", {p.a, data});
       p.run("one_more", {data, p.b});
     }},
    {"read_while_copied_over",
     [](Program &p) {
       cl::Buffer data(p.context, CL_MEM_COPY_HOST_PTR, bytes, p.host.data());
       p.run("one_more_again", {data, p.b, data, p.a});
     }},
    {"svm_never_written",
     [](Program &p) {
       auto *memory = static_cast<cl_int *>(clSVMAlloc(p.context(), CL_MEM_READ_WRITE, bytes, 0));
       p.add_one_to(memory);
       clSVMFree(p.context(), memory);
     }},
    {"svm_half_copied",
     [](Program &p) {
       auto *memory = static_cast<cl_int *>(clSVMAlloc(p.context(), CL_MEM_READ_WRITE, bytes, 0));
       clEnqueueSVMMemcpy(p.queue(), CL_TRUE, memory, p.host.data(), bytes / 2, 0, nullptr,
                          nullptr);
       p.add_one_to(memory);
       clSVMFree(p.context(), memory);
     }},
};

} // namespace

int main(int argc, char **argv) {
  return run_case(cases, argc, argv);
}
