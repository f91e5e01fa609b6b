// Launches on memory that is too small or was already released: memory_faults CASE.
// check_memory_test.py has the verdicts.
#include "one_device.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

namespace {

constexpr size_t count = 1024, bytes = count * sizeof(cl_int);
constexpr char source[] = R"(
kernel void number(global int *a) { a[get_global_id(0)] = get_global_id(0); }
kernel void number_next(global int *a) { a[get_global_id(0) + 1] = get_global_id(0); }
kernel void number_by_list(global ulong *list) { ((global int *)list[0])[get_global_id(0)] = 1; }
kernel void many(global int *a) {
  const size_t behind = get_global_id(0) + 1024;
  a[behind] = 1;
  a[behind + 1] = 1;
  a[behind + 2] = 1;
  a[behind + 3] = 1;
}
)";

struct Program : OneDevice {
  cl::CommandQueue queue{context, device};
  std::vector<cl::Event> events;

  Program() : OneDevice(source) {}

  void run(const char *name, const cl::Buffer &buffer) {
    cl::Kernel kernel(program, name);
    kernel.setArg(0, buffer);
    queue.enqueueNDRangeKernel(kernel, 0, count, 64);
  }
  void run_at(const char *name, void *pointer) {
    cl::Kernel kernel(program, name);
    clSetKernelArgSVMPointer(kernel(), 0, pointer);
    queue.enqueueNDRangeKernel(kernel, 0, count, 64);
  }
  const std::vector<cl::Event> &after(const cl::Event &event) {
    events = {event};
    return events;
  }
  void *svm(size_t size = bytes) {
    return clSVMAlloc(context(), CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER, size, 0);
  }
  cl::Buffer buffer(size_t size) { return {context, CL_MEM_READ_WRITE, size}; }
};

using Case = std::function<void(Program &)>;
const std::map<std::string, Case> cases = {
    // ---- right
    {"whole", [](Program &p) { p.run("number", p.buffer(bytes)); }},
    {"part",
     [](Program &p) {
       cl::Buffer all = p.buffer(2 * bytes);
       const cl_buffer_region second{bytes, bytes};
       p.run("number",
             all.createSubBuffer(CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &second));
     }},
    {"users_memory",
     [](Program &p) {
       std::vector<cl_int> own(count);
       p.run("number", {p.context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, bytes, own.data()});
       p.queue.finish();
     }},
    {"middle_of_svm",
     [](Program &p) {
       auto *memory = static_cast<char *>(p.svm(2 * bytes));
       p.run_at("number_next", memory + bytes - sizeof(cl_int));
       p.queue.finish();
       clSVMFree(p.context(), memory);
     }},
    {"by_list",
     [](Program &p) {
       void *memory = p.svm(), *list = p.svm(8);
       *static_cast<void **>(list) = memory;
       p.run_at("number_by_list", list);
       p.queue.finish();
       clSVMFree(p.context(), memory);
       clSVMFree(p.context(), list);
     }},
    {"released_before_it_runs", // the commands that use a memory object retain it
     [](Program &p) {
       cl::UserEvent begin(p.context);
       p.queue.enqueueBarrierWithWaitList(&p.after(begin));
       p.run("number", p.buffer(bytes));
       begin.setStatus(CL_COMPLETE);
     }},
    {"freed_by_command",
     [](Program &p) {
       void *memory = p.svm();
       p.run_at("number", memory);
       clEnqueueSVMFree(p.queue(), 1, &memory, nullptr, nullptr, 0, nullptr, nullptr);
       p.queue.finish();
     }},
    {"migrated_before_freed_by_command", // in a queue that does not wait for the free
     [](Program &p) {
       void *memory = p.svm();
       cl::UserEvent begin(p.context);
       p.queue.enqueueBarrierWithWaitList(&p.after(begin));
       clEnqueueSVMFree(p.queue(), 1, &memory, nullptr, nullptr, 0, nullptr, nullptr);
       cl::CommandQueue other(p.context, p.device);
       const void *pointers[] = {memory};
       clEnqueueSVMMigrateMem(other(), 1, pointers, nullptr, 0, 0, nullptr, nullptr);
       other.finish();
       p.run("number", p.buffer(bytes)); // so that something is checked
       begin.setStatus(CL_COMPLETE);
     }},
    {"memory_of_the_host", // fine-grained system memory of unknown size
     [](Program &p) {
       static cl_int own[count];
       p.run_at("number", own);
       p.queue.finish();
     }},
    // ---- wrong
    {"beyond_whole", [](Program &p) { p.run("number_next", p.buffer(bytes)); }},
    {"beyond_part",
     [](Program &p) {
       cl::Buffer all = p.buffer(2 * bytes);
       const cl_buffer_region first{0, bytes};
       p.run("number_next",
             all.createSubBuffer(CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &first));
       cl_int behind = 0;
       p.queue.enqueueFillBuffer(all, cl_int(7), bytes, sizeof(cl_int));
       p.queue.enqueueReadBuffer(all, CL_TRUE, bytes, sizeof behind, &behind);
       if (behind != 7)
         std::exit(9);
     }},
    {"beyond_svm",
     [](Program &p) {
       void *memory = p.svm();
       p.run_at("number_next", memory);
       p.queue.finish();
       clSVMFree(p.context(), memory);
     }},
    {"freed_before",
     [](Program &p) {
       void *memory = p.svm();
       cl::Kernel kernel(p.program, "number");
       clSetKernelArgSVMPointer(kernel(), 0, memory);
       clSVMFree(p.context(), memory);
       p.queue.enqueueNDRangeKernel(kernel, 0, count, 64);
     }},
    {"freed_before_by_list",
     [](Program &p) {
       void *memory = p.svm(), *list = p.svm(8);
       *static_cast<void **>(list) = memory;
       clSVMFree(p.context(), memory);
       p.run_at("number_by_list", list);
       p.queue.finish();
       clSVMFree(p.context(), list);
     }},
    {"freed_before_it_runs",
     [](Program &p) {
       void *memory = p.svm();
       cl::UserEvent begin(p.context);
       p.queue.enqueueBarrierWithWaitList(&p.after(begin));
       p.run_at("number", memory);
       clSVMFree(p.context(), memory);
       begin.setStatus(CL_COMPLETE);
     }},
    {"freed_before_it_is_filled",
     [](Program &p) {
       void *memory = p.svm();
       const cl_int one = 1;
       cl::UserEvent begin(p.context);
       p.queue.enqueueBarrierWithWaitList(&p.after(begin));
       clEnqueueSVMMemFill(p.queue(), memory, &one, sizeof one, bytes, 0, nullptr, nullptr);
       clSVMFree(p.context(), memory);
       begin.setStatus(CL_COMPLETE);
     }},
    {"freed_before_it_fails", // so it never runs
     [](Program &p) {
       void *memory = p.svm();
       cl::UserEvent begin(p.context);
       cl::Kernel kernel(p.program, "number");
       clSetKernelArgSVMPointer(kernel(), 0, memory);
       p.queue.enqueueNDRangeKernel(kernel, 0, count, 64, &p.after(begin));
       clSVMFree(p.context(), memory);
       begin.setStatus(-1);
     }},
    {"freed_by_command_before_it_is_read", // enqueued before the free, run after it
     [](Program &p) {
       void *memory = p.svm();
       static cl_int own[count];
       cl::UserEvent begin(p.context);
       p.queue.enqueueBarrierWithWaitList(&p.after(begin));
       clEnqueueSVMFree(p.queue(), 1, &memory, nullptr, nullptr, 0, nullptr, nullptr);
       clEnqueueSVMMemcpy(p.queue(), CL_FALSE, own, memory, bytes, 0, nullptr, nullptr);
       begin.setStatus(CL_COMPLETE);
     }},
    {"null_in_list",
     [](Program &p) {
       void *list = p.svm(8);
       *static_cast<void **>(list) = nullptr;
       p.run_at("number_by_list", list);
       p.queue.finish();
       clSVMFree(p.context(), list);
     }},
    // ---- ways to end the program that must keep the reports
    {"aborts",
     [](Program &p) {
       p.run("number_next", p.buffer(bytes));
       p.queue.finish();
       std::abort();
     }},
    {"crashes",
     [](Program &p) {
       p.run("number_next", p.buffer(bytes));
       p.queue.finish();
       std::raise(SIGSEGV);
     }},
    {"is_killed",
     [](Program &p) {
       p.run("number_next", p.buffer(bytes));
       p.queue.finish();
       std::raise(SIGKILL);
     }},
    {"waits_for_input",
     [](Program &p) {
       p.run("number_next", p.buffer(bytes));
       p.queue.finish();
       std::puts("found");
       std::fflush(stdout);
       std::getchar();
     }},
    {"exits_at_once",
     [](Program &p) {
       p.run("number_next", p.buffer(bytes));
       p.queue.finish();
       _exit(0);
     }},
    {"two_programs", // with the same locations, as neither has a name
     [](Program &p) {
       for (const char *other :
            {"kernel void one(global int *a) { a[get_global_id(0) + 1] = 1; }",
             "kernel void two(global int *b) { b[get_global_id(0) + 1] = 2; }",
             "kernel void one(global int *a) { a[get_global_id(0) + 1] = 1; }"}) {
         p.program = cl::Program(p.context, other, true);
         p.run(std::string(other).substr(12, 3).c_str(), p.buffer(bytes));
         p.queue.finish();
       }
     }},
    {"many", [](Program &p) { p.run("many", p.buffer(bytes)); }},
};

} // namespace

int main(int argc, char **argv) {
  if (argc == 2 && std::string(argv[1]) == "in_child") { // the parent never uses OpenCL
    const pid_t child = fork();
    if (child == 0) {
      Program program;
      cases.at("beyond_whole")(program);
      program.queue.finish();
      std::exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WEXITSTATUS(status);
  }
  return run_case(cases, argc, argv);
}
