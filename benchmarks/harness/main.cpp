// Runs one benchmark with one contender in one process and prints a line of JSON. run.py runs the
// whole set.
//
//   bench --list
//   bench --name stream_triad --platform Lockstep [--samples 7] [--small]
//   bench --name stream_triad --native
//   bench --name matrix_naive --sycl
//   bench --name sobel_image --platform Lockstep --processor-time
//                                   CPU seconds of all threads in place of wall-clock time
//   bench --name build_small_kernel --platform Lockstep --once
//                                   one call, whose result is checked: for the time of the process
//
// Method: the first call is timed separately, because it compiles for its local size and touches
// memory for the first time. A second call warms up. Then each sample has as many calls as take 20
// ms. Finally the outputs are overwritten, one more call runs, and its result is checked.
#include "benchmarks/harness/session.h"
#include "benchmarks/harness/threads.h"

#include <nlohmann/json.hpp>

#include <cstdio>
#include <cstring>
#include <ctime>
#include <dlfcn.h>
#include <stdexcept>
#include <sys/resource.h>

namespace {

using namespace lockstep::benchmarks;
using Json = nlohmann::ordered_json;

struct Options {
  std::string name, platform = "Lockstep";
  bool list = false, native = false, sycl = false, processor_time = false, once = false;
  int samples = 7;
  Scale scale = Scale::full;
};

Options parse(int argc, char **argv) {
  Options o;
  for (int i = 1; i < argc; ++i) {
    auto is = [&](const char *option) { return !std::strcmp(argv[i], option); };
    const bool more = i + 1 < argc;
    if (is("--list"))
      o.list = true;
    else if (is("--native"))
      o.native = true;
    else if (is("--sycl"))
      o.sycl = true;
    else if (is("--small"))
      o.scale = Scale::small;
    else if (is("--processor-time"))
      o.processor_time = true;
    else if (is("--once"))
      o.once = true;
    else if (is("--name") && more)
      o.name = argv[++i];
    else if (is("--platform") && more)
      o.platform = argv[++i];
    else if (is("--samples") && more)
      o.samples = std::stoi(argv[++i]);
    else
      throw std::runtime_error(std::string("unknown option ") + argv[i]);
  }
  if (o.once && (o.native || o.sycl))
    throw std::runtime_error("--once is only for --platform");
  return o;
}

// `of_processor`: the CPU time of this process's threads, for a machine that also runs other work.
double now(bool of_processor) {
  timespec time{};
  clock_gettime(of_processor ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &time);
  return double(time.tv_sec) + 1e-9 * double(time.tv_nsec);
}

double peak_memory_mb() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return double(usage.ru_maxrss) / 1024;
}

// `call` includes the wait for its end; `start_call` need not.
Json measure(const Options &o, const std::function<void()> &start_call,
             const std::function<void()> &wait) {
  auto calls = [&](int n) {
    const double start = now(o.processor_time);
    for (int i = 0; i < n; ++i)
      start_call();
    wait();
    return now(o.processor_time) - start;
  };
  Json result;
  result["first_ms"] = calls(1) * 1e3;
  const double enough = o.scale == Scale::full ? 0.02 : 0.001;
  const int n = int(std::min(10000.0, enough / std::max(calls(1), 1e-7))) + 1;
  Json seconds = Json::array();
  for (int i = 0; i < o.samples; ++i)
    seconds.push_back(calls(n) / n);
  result["seconds"] = seconds;
  return result;
}

Json run_opencl(const Options &o, const Benchmark &benchmark) {
  if (!benchmark.opencl)
    return {{"skipped", "nothing to compare with"}};
  Session session(o.platform);
  if (std::string missing = session.missing(benchmark.needs); !missing.empty())
    return {{"skipped", "needs " + missing}};
  std::function<void()> call = benchmark.opencl(session);
  Json result;
  if (!o.once)
    result = measure(o, call, [&] { session.queue.finish(); });
  result["build_ms"] = session.build_milliseconds();
  session.clear_outputs();
  call();
  session.queue.finish();
  session.fetch_outputs();
  result["verified"] = benchmark.verify();
  return result;
}

Json run_native(const Options &o, const Benchmark &benchmark) {
  if (!benchmark.native)
    return {{"skipped", "nothing to compare with"}};
  Threads threads;
  std::function<void()> call = benchmark.native(threads);
  Json result = measure(o, call, [] {});
  result["verified"] = benchmark.verify();
  return result;
}

Json run_sycl(const Options &o, const Benchmark &benchmark) {
  if (benchmark.sycl.empty())
    return {{"skipped", "nothing to compare with"}};
  void *library = dlopen(BENCHMARK_SYCL_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  if (!library)
    throw std::runtime_error(dlerror());
  auto *make = reinterpret_cast<decltype(&lockstep_benchmark_form)>(
      dlsym(library, "lockstep_benchmark_form"));
  std::unique_ptr<SyclForm> form(make ? make(benchmark.sycl.c_str(), &benchmark.sycl_data)
                                      : nullptr);
  if (!form)
    throw std::runtime_error("sycl/forms.cpp has no " + benchmark.sycl);
  Json result = measure(o, [&] { form->start(); }, [&] { form->wait(); });
  form->clear_outputs();
  form->start();
  form->wait();
  form->fetch_outputs();
  result["verified"] = benchmark.verify();
  return result;
}

int list() {
  for (const Row &row : table())
    std::printf("%s\t%s\n", row.name, row.question);
  return 0;
}

int run(const Options &o) {
  for (const Row &row : table()) {
    if (row.name != o.name)
      continue;
    Benchmark benchmark = row.make(o.scale);
    Json result = o.native ? run_native(o, benchmark)
                  : o.sycl ? run_sycl(o, benchmark)
                           : run_opencl(o, benchmark);
    result["unit"] = benchmark.unit;
    result["amount"] = benchmark.amount;
    result["peak_mb"] = peak_memory_mb();
    result["measure"] = benchmark.measure == Measure::rate ? "rate" : "time";
    std::printf("%s\n", result.dump().c_str());
    return 0;
  }
  throw std::runtime_error("no benchmark is named '" + o.name + "'; --list lists them");
}

} // namespace

int main(int argc, char **argv) {
  try {
    Options o = parse(argc, argv);
    return o.list ? list() : run(o);
  } catch (const cl::BuildError &error) {
    std::fprintf(stderr, "bench: %s failed with %d\n", error.what(), error.err());
    for (const auto &[device, log] : error.getBuildLog())
      std::fprintf(stderr, "%s\n", log.c_str());
  } catch (const cl::Error &error) {
    std::fprintf(stderr, "bench: %s failed with %d\n", error.what(), error.err());
  } catch (const std::exception &error) {
    std::fprintf(stderr, "bench: %s\n", error.what());
  }
  return 2;
}
