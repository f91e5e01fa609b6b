// Measures the cost of a suspension: nanoseconds per resumption of a sub-group that waits or is at
// a barrier, bytes of its frame, and milliseconds to compile the kernel in either form.
//
//   resumable_cost
#include "driver/round_robin.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>

using namespace lockstep::compiler;
using Clock = std::chrono::steady_clock;

namespace {

struct Case {
  const char *name, *source;
};

constexpr Case cases[] = {
    {"all lanes poll one flag", R"(
     kernel void k(volatile global int *flag, global int *value) {
       while (*flag == 0) ;
       value[get_global_id(0)] += 1;
     })"},
    {"the first item polls, barrier", R"(
     kernel void k(volatile global int *flag, global int *value) {
       if (get_local_id(0) == 0) while (*flag == 0) ;
       barrier(CLK_GLOBAL_MEM_FENCE);
       value[get_global_id(0)] += 1;
     })"},
    {"spin lock of each item", R"(
     kernel void k(volatile global int *lock, global int *value) {
       while (atomic_xchg(lock, 0) == 0) ;
       value[0] += 1;
       atomic_xchg(lock, 1);
     })"},
    {"16 live floats and a private array", R"(
     kernel void k(volatile global int *flag, global float *value) {
       size_t id = get_global_id(0);
       float mine[16];
       for (int i = 0; i < 16; ++i) mine[i] = value[id + i] * 3;
       while (*flag == 0) ;
       for (int i = 0; i < 16; ++i) value[id + i] = mine[(i * *flag) & 15];
     })"},
};

double milliseconds(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

struct Compiled {
  std::shared_ptr<ProgramCode> program;
  std::shared_ptr<const KernelCode> code;
  double milliseconds = 0;
};

Compiled compile(const char *source, WantedForm form) {
  CodeOptions options = code_options_of_process();
  options.form = form;
  std::string log;
  Compiled compiled;
  auto built = build_opencl_c(source, "-cl-std=CL3.0", log);
  if (!built)
    return compiled;
  auto module = std::make_shared<const KernelModule>(std::move(*built));
  for (int attempt = 0; attempt != 5; ++attempt) { // the best of five: other programs run as well
    auto program = ProgramCode::create(module, options);
    auto begin = Clock::now();
    auto code = (*program)->kernel("k", {{64, 1, 1}});
    double time = milliseconds(begin);
    if (!code)
      return compiled;
    if (!compiled.code || time < compiled.milliseconds)
      compiled = {*program, *code, time};
  }
  return compiled;
}

double nanoseconds_for_each_call(const KernelCode &code) {
  constexpr uint64_t rounds = 200000;
  static int flag;
  static float value[256];
  flag = 0;
  void *args[] = {&flag, value};
  RoundRobin launch(code, 1, 64, args, 0);
  launch.run(1000);
  uint64_t before = launch.calls;
  auto begin = Clock::now();
  launch.run(rounds);
  return milliseconds(begin) * 1e6 / static_cast<double>(launch.calls - before);
}

} // namespace

int main() {
  setenv("LOCKSTEP_CACHE", "0", 1);
  compile(cases[0].source, WantedForm::by_waits); // the first one loads libraries
  std::printf("%-36s %6s %12s %12s %14s %14s\n", "kernel", "width", "bytes/frame", "ns/resume",
              "ms resumable", "ms looped");
  for (const Case &each : cases) {
    Compiled resumable = compile(each.source, WantedForm::by_waits),
             looped = compile(each.source, WantedForm::looped);
    if (!resumable.code || !looped.code)
      return EXIT_FAILURE;
    std::printf(
        "%-36s %6u %12llu %12.1f %14.1f %14.1f\n", each.name, resumable.code->sub_group_size,
        static_cast<unsigned long long>(resumable.code->resumable.frame_size),
        nanoseconds_for_each_call(*resumable.code), resumable.milliseconds, looped.milliseconds);
  }
}
