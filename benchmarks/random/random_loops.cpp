// Runs random loops (random_loops.py) as OpenCL kernels and as C++, alternately, and compares the
// results. One thread each: LOCKSTEP_THREADS=1.
//
//   random_loops LOOPS LIBRARY.so...
//
// LOOPS is a text file with a line for each loop: its name, storage type, items in x and y, local
// size in x and y (0: the platform chooses), the width of a row for `w`, and its OpenCL C file. Each
// library has the loops as functions, compiled by another compiler. A line of JSON is printed for
// each loop: the least microseconds of ours and of the fastest library, in processor time, their
// ratio, and whether the results are equal. The least, because other programs of the machine only
// add to a time.
#include "benchmarks/harness/data.h"
#include "benchmarks/harness/session.h"

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <dlfcn.h>
#include <fstream>
#include <numeric>
#include <sstream>
#include <stdexcept>
#include <string>

namespace {

using namespace lockstep::benchmarks;

// As in generate.py.
constexpr size_t item_count = 1 << 16, row = 16, padding = 1 << 13;
constexpr size_t elements = item_count * row + padding;

struct Loop {
  std::string name, type, file;
  size_t across = 0, down = 0, local_x = 0, local_y = 0;
  cl_uint width = 0;
};

using Function = void(size_t, size_t, const void *, const void *, const cl_uint *, void *, cl_uint,
                      cl_uint);

// Processor time of all threads. Under load, the worker thread begins late, and C++ would gain.
double processor_seconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return double(time.tv_sec) + 1e-9 * double(time.tv_nsec);
}

double seconds(const std::function<void()> &call) {
  const double start = processor_seconds();
  call();
  return processor_seconds() - start;
}

template <class T> std::vector<T> random_data(uint64_t seed) {
  std::vector<T> data(elements);
  for (size_t i = 0; i < elements; ++i) {
    const uint64_t bits = scramble(i + (seed << 40));
    if constexpr (std::is_floating_point_v<T>)
      data[i] = T(int64_t(bits >> 40) - (1 << 23)) / T(1 << 21); // -4 to 4
    else
      data[i] = T(bits);
  }
  return data;
}

std::vector<cl_uint> permutation() {
  std::vector<cl_uint> index(item_count + padding);
  std::iota(index.begin(), index.begin() + item_count, 0u);
  for (size_t i = item_count - 1; i > 0; --i)
    std::swap(index[i], index[scramble(i) % (i + 1)]);
  return index;
}

// Rounding differs: contraction, and the error of functions. Integers are equal.
template <class T> bool same(const std::vector<T> &ours, const std::vector<T> &theirs) {
  if constexpr (!std::is_floating_point_v<T>)
    return ours == theirs;
  for (size_t i = 0; i < ours.size(); ++i) {
    const double x = double(ours[i]), y = double(theirs[i]);
    const bool is_equal = x == y || (std::isnan(x) && std::isnan(y));
    if (!is_equal && !(std::abs(x - y) <= 1e-3 * (std::abs(y) + 1)))
      return false;
  }
  return true;
}

std::string read_file(const std::string &name) {
  std::ifstream file(name);
  if (!file)
    throw std::runtime_error("cannot read " + name);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

template <class T>
void compare(const Loop &loop, Session &s, const std::vector<Function *> &functions) {
  static const std::vector<T> a = random_data<T>(1), b = random_data<T>(2);
  static const std::vector<cl_uint> index = permutation();
  std::vector<T> ours(2 * item_count), theirs(2 * item_count);
  cl::Program program(s.context, read_file(loop.file));
  program.build(s.device, "-cl-std=CL3.0");
  cl::Kernel kernel(program, loop.name.c_str());
  s.arguments(kernel, s.input(a), s.input(b), s.input(index), s.output(ours), cl_uint(row),
              loop.width);
  const cl::NDRange global =
      loop.down > 1 ? cl::NDRange(loop.across, loop.down) : cl::NDRange(loop.across);
  const cl::NDRange local = !loop.local_x   ? cl::NullRange
                            : loop.down > 1 ? cl::NDRange(loop.local_x, loop.local_y)
                                            : cl::NDRange(loop.local_x);
  auto run = [&] {
    s.launch(kernel, global, local);
    s.queue.finish();
  };
  auto run_native = [&](Function *function) {
    function(loop.across, loop.down, a.data(), b.data(), index.data(), theirs.data(), cl_uint(row),
             loop.width);
  };
  s.clear_outputs();
  run();
  s.fetch_outputs();
  bool equal = true;
  size_t fastest = 0;
  std::vector<double> least;
  for (Function *function : functions) {
    std::memset(static_cast<void *>(theirs.data()), 0xcc, theirs.size() * sizeof(T));
    run_native(function);
    equal = equal && same(ours, theirs);
    least.push_back(1e9);
    for (int i = 0; i < 3; ++i)
      least.back() = std::min(least.back(), seconds([&] { run_native(function); }));
    if (least.back() < least[fastest])
      fastest = least.size() - 1;
  }
  // Several launches before a wait, so that the wait does not count.
  const int calls = 1 + int(5e-4 / least[fastest]);
  auto run_all = [&] {
    for (int i = 0; i < calls; ++i)
      s.launch(kernel, global, local);
    s.queue.finish();
  };
  auto run_all_native = [&] {
    for (int i = 0; i < calls; ++i)
      run_native(functions[fastest]);
  };
  double ours_least = 1e9, theirs_least = 1e9, spent = 0;
  run_all();
  for (int i = 0; i < 101 && (i < 9 || spent < 0.08); ++i) {
    const double mine = seconds(run_all), other = seconds(run_all_native);
    ours_least = std::min(ours_least, mine / calls);
    theirs_least = std::min(theirs_least, other / calls);
    spent += mine + other;
  }
  std::printf(
      "{\"name\": \"%s\", \"ours\": %.2f, \"cpp\": %.2f, \"fastest\": %zu, \"ratio\": %.4f, "
      "\"equal\": %s}\n",
      loop.name.c_str(), 1e6 * ours_least, 1e6 * theirs_least, fastest, theirs_least / ours_least,
      equal ? "true" : "false");
  std::fflush(stdout);
}

void compare_one(const Loop &loop, const std::vector<Function *> &functions) {
  Session s("Lockstep");
  if (loop.type == "float")
    compare<float>(loop, s, functions);
  else if (loop.type == "double")
    compare<double>(loop, s, functions);
  else if (loop.type == "uint")
    compare<uint32_t>(loop, s, functions);
  else if (loop.type == "ushort")
    compare<uint16_t>(loop, s, functions);
  else if (loop.type == "uchar")
    compare<uint8_t>(loop, s, functions);
  else if (loop.type == "ulong")
    compare<uint64_t>(loop, s, functions);
  else
    throw std::runtime_error("no loop has the type " + loop.type);
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: random_loops LOOPS LIBRARY.so...\n");
    return 2;
  }
  try {
    std::vector<void *> libraries;
    for (int i = 2; i < argc; ++i) {
      libraries.push_back(dlopen(argv[i], RTLD_NOW | RTLD_LOCAL));
      if (!libraries.back())
        throw std::runtime_error(dlerror());
    }
    std::ifstream list(argv[1]);
    for (Loop loop; list >> loop.name >> loop.type >> loop.across >> loop.down >> loop.local_x >>
                    loop.local_y >> loop.width >> loop.file;) {
      std::vector<Function *> functions;
      for (void *library : libraries) {
        functions.push_back(reinterpret_cast<Function *>(dlsym(library, loop.name.c_str())));
        if (!functions.back())
          throw std::runtime_error(dlerror());
      }
      compare_one(loop, functions);
    }
  } catch (const cl::BuildError &error) {
    for (const auto &[device, log] : error.getBuildLog())
      std::fprintf(stderr, "%s\n", log.c_str());
    return 2;
  } catch (const std::exception &error) {
    std::fprintf(stderr, "random_loops: %s\n", error.what());
    return 2;
  }
}
