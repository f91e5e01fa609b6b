// Kernels read fine-grained shared virtual memory, which the program writes in whole, partly or
// not at all, at any time: shared_undefined CASE. check_undefined_test.py has the verdicts.
#include "one_device.h"

#include <atomic>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <thread>

namespace {

constexpr size_t count = 1024, bytes = count * sizeof(cl_int);
constexpr char source[] = R"(
kernel void add_one(global int *a) { a[get_global_id(0)] += 1; }
kernel void number(global int *a) { a[get_global_id(0)] = get_global_id(0); }
kernel void count_in(global int *a) { atomic_inc(a); }
kernel void take(global int *a, global int *b) { b[get_global_id(0)] = a[get_global_id(0)]; }
kernel void branch(global int *a, global int *b) {
  if (a[get_global_id(0)] > 3)
    b[get_global_id(0)] = 1;
}
kernel void from_anywhere(global int *a, global int *b) {
  const int i = get_global_id(0);
  b[i] = a[i * 7 % 1024] + 1;
}
kernel void bytes_of(global uchar *a, global int *b) { b[get_global_id(0)] = a[get_global_id(0) * 3] + 1; }
kernel void vectors_of(global float *a, global float *b) {
  const int i = get_global_id(0);
  const float3 v = vload3(i % 256, a);
  b[i] = v.x + v.y + v.z;
}
kernel void tile(global int *a, global int *b) {
  local int one[64];
  const int group = get_group_id(0), me = get_local_id(0);
  event_t e = async_work_group_copy(one, a + group * 64, 64, 0);
  wait_group_events(1, &e);
  b[get_global_id(0)] = one[63 - me] + 1;
}
kernel void tile_apart(global int *a, global int *b) {
  local int one[64];
  const int group = get_group_id(0), me = get_local_id(0);
  event_t e = async_work_group_strided_copy(one, a + group % 8 * 128, 64, 2, 0);
  wait_group_events(1, &e);
  b[get_global_id(0)] = one[63 - me] + 1;
}
kernel void wait_for(global int *a, global atomic_int *flag, global int *b) {
  const int i = get_global_id(0);
  if (a[0] == 5)
    b[0] = a[i] + 1;
  while (atomic_load_explicit(flag, memory_order_acquire, memory_scope_all_svm_devices) == 0)
    ;
  b[i] = a[16 + i] + 1;
}
)";

struct Program : OneDevice {
  cl::CommandQueue queue{context, device};
  std::vector<cl_int *> memories;
  cl_int *a = memory(bytes), *b = memory(bytes);

  Program() : OneDevice("kernel void none() {}") {
    program = cl::Program(context, source);
    program.build("-cl-std=CL3.0");
  }
  ~Program() {
    queue.finish();
    for (cl_int *each : memories)
      clSVMFree(context(), each);
  }
  cl_int *memory(size_t size) {
    auto *made = static_cast<cl_int *>(
        clSVMAlloc(context(), CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER, size, 0));
    memories.push_back(made);
    return made;
  }
  void run(const char *name, std::vector<cl_int *> arguments, size_t size = count) {
    cl::Kernel kernel(program, name);
    for (cl_uint i = 0; i < arguments.size(); ++i)
      clSetKernelArgSVMPointer(kernel(), i, arguments[i]);
    queue.enqueueNDRangeKernel(kernel, 0, size, std::min<size_t>(size, 64));
  }
  void copy(cl_int *to, const cl_int *from) {
    clEnqueueSVMMemcpy(queue(), CL_TRUE, to, from, bytes, 0, nullptr, nullptr);
  }
  void write(size_t first = 0, size_t step = 1) {
    for (size_t i = first; i < count; i += step)
      a[i] = cl_int(i);
  }
  // The program writes the data that the kernel waits for, and then the flag.
  void write_meanwhile(size_t size) {
    cl_int *flag = memory(sizeof(cl_int));
    *flag = 0;
    a[0] = 1;
    run("wait_for", {a, flag, b}, 256);
    queue.flush();
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    for (size_t i = 16; i != 16 + size; ++i)
      a[i] = cl_int(i);
    std::atomic_ref(*flag).store(1, std::memory_order_release);
    queue.finish();
  }
};

using Case = std::function<void(Program &)>;
const std::map<std::string, Case> cases = {
    // ---- right
    {"written",
     [](Program &p) {
       p.write();
       p.run("add_one", {p.a});
     }},
    {"written_and_branch",
     [](Program &p) {
       p.write();
       p.run("branch", {p.a, p.b});
     }},
    {"written_with_zeros",
     [](Program &p) {
       std::memset(p.a, 0, bytes);
       p.run("add_one", {p.a});
     }},
    {"written_anywhere",
     [](Program &p) {
       p.write();
       p.run("from_anywhere", {p.a, p.b});
     }},
    {"written_bytes",
     [](Program &p) {
       p.write();
       p.run("bytes_of", {p.a, p.b});
     }},
    {"written_vectors",
     [](Program &p) {
       p.write();
       p.run("vectors_of", {p.a, p.b});
     }},
    {"written_tiles",
     [](Program &p) {
       p.write();
       p.run("tile", {p.a, p.b});
     }},
    {"written_tiles_apart",
     [](Program &p) {
       p.write(0, 2);
       p.run("tile_apart", {p.a, p.b});
     }},
    {"written_meanwhile", [](Program &p) { p.write_meanwhile(256); }},
    {"written_later",
     [](Program &p) {
       p.run("take", {p.a, p.b});
       p.queue.finish();
       p.write();
       p.run("add_one", {p.a});
     }},
    {"written_half",
     [](Program &p) {
       p.write(count / 2);
       p.run("add_one", {p.a + count / 2}, count / 2);
     }},
    {"filled",
     [](Program &p) {
       const cl_int one = 1;
       clEnqueueSVMMemFill(p.queue(), p.a, &one, sizeof one, bytes, 0, nullptr, nullptr);
       p.run("add_one", {p.a});
     }},
    {"by_kernel",
     [](Program &p) {
       p.run("number", {p.a});
       p.run("add_one", {p.a});
     }},
    {"copied",
     [](Program &p) {
       p.write();
       p.copy(p.b, p.a);
       p.run("add_one", {p.b});
     }},
    {"copied_by_kernel",
     [](Program &p) {
       p.write();
       p.run("take", {p.a, p.b});
       p.run("add_one", {p.b});
     }},
    {"copied_in_vain", [](Program &p) { p.run("take", {p.a, p.b}); }},
    {"counted",
     [](Program &p) {
       cl_int *counter = p.memory(sizeof(cl_int));
       *counter = 0;
       p.run("count_in", {counter});
     }},
    {"buffer_of_it",
     [](Program &p) {
       p.write();
       cl::Buffer buffer(p.context, CL_MEM_USE_HOST_PTR, bytes, p.a);
       cl::Kernel kernel(p.program, "add_one");
       kernel.setArg(0, buffer);
       p.queue.enqueueNDRangeKernel(kernel, 0, count, 64);
       p.queue.finish();
     }},

    // ---- wrong
    {"never_written", [](Program &p) { p.run("add_one", {p.a}); }},
    {"branch_never_written", [](Program &p) { p.run("branch", {p.a, p.b}); }},
    {"other_half",
     [](Program &p) {
       p.write(count / 2);
       p.run("add_one", {p.a}, count / 2);
     }},
    {"each_other",
     [](Program &p) {
       p.write(0, 2);
       p.run("from_anywhere", {p.a, p.b});
     }},
    {"all_but_two",
     [](Program &p) {
       p.write(2);
       p.run("add_one", {p.a});
     }},
    {"bytes_never_written", [](Program &p) { p.run("bytes_of", {p.a, p.b}); }},
    {"vectors_each_other",
     [](Program &p) {
       p.write(1, 2);
       p.run("vectors_of", {p.a, p.b});
     }},
    {"tiles_never_written", [](Program &p) { p.run("tile", {p.a, p.b}); }},
    {"tiles_apart_other",
     [](Program &p) {
       p.write(1, 2);
       p.run("tile_apart", {p.a, p.b});
     }},
    {"half_meanwhile", [](Program &p) { p.write_meanwhile(128); }},
    {"half_copied",
     [](Program &p) {
       p.write(count / 2);
       p.copy(p.b, p.a);
       p.run("add_one", {p.b});
     }},
    {"counted_never_written", [](Program &p) { p.run("count_in", {p.memory(sizeof(cl_int))}); }},
    {"one_of_few",
     [](Program &p) {
       cl_int *few = p.memory(4 * sizeof(cl_int));
       few[0] = few[1] = few[3] = 1;
       p.run("add_one", {few}, 4);
     }},
    {"buffer_never_written",
     [](Program &p) {
       cl::Buffer buffer(p.context, CL_MEM_USE_HOST_PTR, bytes, p.a);
       cl::Kernel kernel(p.program, "add_one");
       kernel.setArg(0, buffer);
       p.queue.enqueueNDRangeKernel(kernel, 0, count, 64);
       p.queue.finish();
     }},
};

} // namespace

int main(int argc, char **argv) {
  return run_case(cases, argc, argv);
}
