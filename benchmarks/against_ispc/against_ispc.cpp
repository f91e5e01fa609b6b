// Compares ISPC's example programs with the same algorithms in OpenCL C (programs.cl) on one core.
// The two run alternately.
//
// No part of ISPC belongs to this project: a shared library of its examples is built separately and
// loaded here.
//
//   for p in mandelbrot/mandelbrot options/options stencil/stencil noise/noise sort/sort \
//            volume_rendering/volume rt/rt; do
//     ispc --target=avx512icl-x16 -O3 --pic $ISPC/examples/cpu/$p.ispc -o $(basename $p).o; done
//   c++ -shared *.o -o examples.so
//   cmake --build build/release --target against_ispc
//   LOCKSTEP_THREADS=1 OCL_ICD_VENDORS=build/release/vendors taskset -c 1 \
//     build/release/benchmarks/against_ispc ./examples.so $ISPC/examples/cpu
//
// The second argument is the folder of the volume and the scene; without it those two programs are
// skipped. A third argument selects a single program.
//
// Each line has the milliseconds of both (the minimum of up to 15 iterations) and the median of the
// per-iteration ratios. The results are compared.
#include "benchmarks/harness/data.h"
#include "benchmarks/harness/session.h"

#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <numeric>
#include <string>

// Functions that ISPC's code calls to start tasks (its manual, "Task Parallelism: Runtime
// Requirements"). With one core, tasks run one after the other.
extern "C" {
__attribute__((visibility("default"))) void *ISPCAlloc(void **handle, int64_t size,
                                                       int32_t alignment);
__attribute__((visibility("default"))) void ISPCLaunch(void **handle, void *function, void *data,
                                                       int x, int y, int z);
__attribute__((visibility("default"))) void ISPCSync(void *handle);
}

void *ISPCAlloc(void **handle, int64_t size, int32_t alignment) {
  auto *blocks = static_cast<std::vector<void *> *>(*handle);
  if (!blocks)
    *handle = blocks = new std::vector<void *>;
  const auto rounded =
      (size_t(size) + size_t(alignment) - 1) / size_t(alignment) * size_t(alignment);
  blocks->push_back(std::aligned_alloc(size_t(alignment), rounded));
  return blocks->back();
}

void ISPCLaunch(void **, void *function, void *data, int x, int y, int z) {
  using Task = void (*)(void *, int, int, int, int, int, int, int, int, int, int);
  for (int k = 0; k < z; ++k)
    for (int j = 0; j < y; ++j)
      for (int i = 0; i < x; ++i)
        reinterpret_cast<Task>(function)(data, 0, 1, (k * y + j) * x + i, x * y * z, i, j, k, x, y,
                                         z);
}

void ISPCSync(void *handle) {
  auto *blocks = static_cast<std::vector<void *> *>(handle);
  if (!blocks)
    return;
  for (void *block : *blocks)
    std::free(block);
  delete blocks;
}

namespace {

using namespace lockstep::benchmarks;

class Examples {
public:
  explicit Examples(const char *file) : library_(dlopen(file, RTLD_NOW)) {
    if (!library_)
      throw std::runtime_error(dlerror());
  }
  template <class Function> Function *find(const char *name) const {
    auto *found = reinterpret_cast<Function *>(dlsym(library_, name));
    if (!found)
      throw std::runtime_error(dlerror());
    return found;
  }

private:
  void *library_;
};

double milliseconds(const std::function<void()> &call) {
  const auto start = std::chrono::steady_clock::now();
  call();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
      .count();
}

// `ours` enqueues the OpenCL version.
void compare(const char *name, Session &s, const std::function<void()> &ours,
             const std::function<void()> &theirs, const std::function<bool()> &is_same) {
  constexpr int most_rounds = 15, least_rounds = 3;
  constexpr double enough = 4000; // milliseconds
  auto run = [&] {
    ours();
    s.queue.finish();
  };
  run();
  theirs();
  std::vector<double> mine, other, ratios;
  double spent = 0;
  for (int round = 0; round < most_rounds && (round < least_rounds || spent < enough); ++round) {
    mine.push_back(milliseconds(run));
    other.push_back(milliseconds(theirs));
    ratios.push_back(other.back() / mine.back());
    spent += mine.back() + other.back();
  }
  const size_t rounds = ratios.size();
  s.fetch_outputs();
  std::sort(ratios.begin(), ratios.end());
  std::printf("%-22s %9.3f ms  ISPC %9.3f ms  %5.2f times as fast (quartiles %.2f, %.2f)  %s\n",
              name, *std::min_element(mine.begin(), mine.end()),
              *std::min_element(other.begin(), other.end()), ratios[rounds / 2], ratios[rounds / 4],
              ratios[rounds * 3 / 4], is_same() ? "" : "DIFFERENT");
}

bool all_near(const std::vector<float> &a, const std::vector<float> &b, double tolerance) {
  return std::equal(a.begin(), a.end(), b.begin(),
                    [&](float x, float y) { return near(x, y, tolerance); });
}

constexpr const char *source = "against_ispc/programs.cl";

void mandelbrot(Session &s, const Examples &examples) {
  constexpr int width = 1536, height = 1024, most = 256;
  std::vector<int32_t> ours(width * height), theirs(width * height);
  auto *function =
      examples.find<void(float, float, float, float, int, int, int, int *)>("mandelbrot_ispc");
  cl::Kernel k = s.kernel(source, "mandelbrot", "-cl-std=CL3.0");
  s.arguments(k, -2.0f, -1.0f, 3.0f / width, 2.0f / height, most, s.output(ours));
  compare(
      "mandelbrot", s, [&] { s.launch(k, cl::NDRange(width, height), cl::NDRange(64, 1)); },
      [&] { function(-2, -1, 1, 1, width, height, most, theirs.data()); },
      [&] { // rounding decides pixels at the border of the set
        size_t different = 0;
        for (size_t i = 0; i < ours.size(); ++i)
          different += ours[i] != theirs[i];
        return different * 200 < ours.size();
      });
}

void options(Session &s, const Examples &examples, const char *kernel, const char *name, size_t n,
             double tolerance, bool is_relaxed) {
  const auto spot = random_floats(n, 5, 30, 1), strike = random_floats(n, 1, 100, 2),
             years = random_floats(n, 0.25f, 10, 3), rate = random_floats(n, 0.01f, 0.05f, 4),
             volatility = random_floats(n, 0.1f, 0.4f, 5);
  std::vector<float> ours(n), theirs(n);
  auto *function = examples.find<void(const float *, const float *, const float *, const float *,
                                      const float *, float *, int)>(name);
  cl::Kernel k = s.kernel(source, kernel,
                          is_relaxed ? "-cl-std=CL3.0 -cl-fast-relaxed-math" : "-cl-std=CL3.0");
  s.arguments(k, s.input(spot), s.input(strike), s.input(years), s.input(rate), s.input(volatility),
              s.output(ours));
  compare((std::string(kernel) + (is_relaxed ? ", relaxed" : "")).c_str(), s,
          [&] { s.launch(k, n, 128); },
          [&] {
            function(spot.data(), strike.data(), years.data(), rate.data(), volatility.data(),
                     theirs.data(), int(n));
          },
          [&] { return all_near(ours, theirs, tolerance); });
}

void stencil(Session &s, const Examples &examples) {
  constexpr int n = 256, border = 3, inside = n - 2 * border, steps = 6;
  const std::vector<float> speed = random_floats(size_t(n) * n * n, 0, 0.2f, 6),
                           first = random_floats(size_t(n) * n * n, -1, 1, 7);
  std::vector<float> even = first, odd(first.size(), 0.0f), theirs_even = even, theirs_odd = odd;
  const float c[4] = {0.5f, -0.25f, 0.125f, -0.0625f};
  auto *function =
      examples.find<void(int, int, int, int, int, int, int, int, int, int, int, const float *,
                         const float *, float *, float *)>("loop_stencil_ispc");
  cl::Kernel k = s.kernel(source, "stencil", "-cl-std=CL3.0");
  cl::Buffer speeds = s.input(speed), evens = s.output(even), odds = s.output(odd);
  s.arguments(k, cl_float4{{c[0], c[1], c[2], c[3]}}, speeds, evens, odds, cl_int(n),
              cl_int(n * n));
  auto begin = [&] { // the same start each time, or values would grow without limit
    s.queue.enqueueWriteBuffer(evens, CL_TRUE, 0, first.size() * sizeof(float), first.data());
    s.queue.enqueueFillBuffer(odds, 0.0f, 0, first.size() * sizeof(float));
    s.queue.finish();
    theirs_even = first;
    std::fill(theirs_odd.begin(), theirs_odd.end(), 0.0f);
  };
  begin();
  compare(
      "stencil", s,
      [&] {
        for (int step = 0; step < steps; ++step) {
          k.setArg(2, step % 2 ? odds : evens);
          k.setArg(3, step % 2 ? evens : odds);
          s.queue.enqueueNDRangeKernel(k, cl::NullRange, cl::NDRange(inside, inside, inside));
        }
      },
      [&] {
        function(0, steps, border, n - border, border, n - border, border, n - border, n, n, n, c,
                 speed.data(), theirs_even.data(), theirs_odd.data());
      },
      [&] { // after one iteration of steps from the same start
        begin();
        for (int step = 0; step < 2; ++step) {
          k.setArg(2, step % 2 ? odds : evens);
          k.setArg(3, step % 2 ? evens : odds);
          s.queue.enqueueNDRangeKernel(k, cl::NullRange, cl::NDRange(inside, inside, inside));
        }
        s.queue.finish();
        s.fetch_outputs();
        function(0, 2, border, n - border, border, n - border, border, n - border, n, n, n, c,
                 speed.data(), theirs_even.data(), theirs_odd.data());
        return all_near(even, theirs_even, 1e-4) && all_near(odd, theirs_odd, 1e-4);
      });
}

void noise(Session &s, const Examples &examples) {
  constexpr int width = 768, height = 768;
  std::vector<int32_t> order(512);
  std::iota(order.begin(), order.begin() + 256, 0);
  for (size_t i = 255; i > 0; --i)
    std::swap(order[i], order[scramble(i) % (i + 1)]);
  std::copy(order.begin(), order.begin() + 256, order.begin() + 256);
  std::vector<float> ours(width * height), theirs(width * height);
  auto *function = examples.find<void(float, float, float, float, int, int, float *)>("noise_ispc");
  cl::Kernel k = s.kernel(source, "turbulence", "-cl-std=CL3.0");
  s.arguments(k, s.input(order), -10.0f, -10.0f, 20.0f / width, 20.0f / height, s.output(ours));
  compare(
      "noise", s, [&] { s.launch(k, cl::NDRange(width, height), cl::NDRange(64, 1)); },
      [&] { function(-10, -10, 10, 10, width, height, theirs.data()); },
      [&] { // our own permutation: only statistics are equal
        auto mean = [](const std::vector<float> &values) {
          return std::accumulate(values.begin(), values.end(), 0.0) / double(values.size());
        };
        return near(float(mean(ours)), mean(theirs), 0.05 * mean(theirs));
      });
}

void sort(Session &s, const Examples &examples) {
  constexpr cl_int n = 1 << 20, items = 64, counters = 256 * items;
  std::vector<uint32_t> keys(n), ours(n), theirs(n);
  for (size_t i = 0; i < keys.size(); ++i)
    keys[i] = uint32_t(scramble(i));
  std::vector<int32_t> places(n), their_places(n);
  auto *function = examples.find<void(int, uint32_t *, int32_t *, int)>("sort_ispc");
  auto kernel = [&](const char *name) { return s.kernel(source, name, "-cl-std=CL3.0"); };
  cl::Kernel pack = kernel("sort_pack"), count = kernel("sort_count"), sum = kernel("sort_sum"),
             move = kernel("sort_move"), unpack = kernel("sort_unpack");
  cl::Buffer from = s.input(keys), pairs[2] = {s.scratch(size_t(n) * 8), s.scratch(size_t(n) * 8)},
             counts = s.scratch(counters * sizeof(cl_int));
  s.arguments(pack, from, pairs[0]);
  s.arguments(sum, counts, counters);
  s.arguments(unpack, pairs[0], s.output(ours), s.output(places));
  compare(
      "sort", s,
      [&] {
        s.launch(pack, n, 256);
        for (cl_int pass = 0; pass < 4; ++pass) {
          s.arguments(count, pairs[pass % 2], n, pass * 8, counts);
          s.arguments(move, pairs[pass % 2], n, pass * 8, counts, pairs[1 - pass % 2]);
          s.launch(count, items, 16);
          s.launch(sum, 256, 256);
          s.launch(move, items, 16);
        }
        s.launch(unpack, n, 256);
      },
      [&] {
        theirs = keys; // sorted in place; the copy takes a hundredth of the time
        function(n, theirs.data(), their_places.data(), 1);
      },
      [&] {
        return ours == theirs && places == their_places && std::is_sorted(ours.begin(), ours.end());
      });
}

// ---- pictures

constexpr const char *rays_source = "against_ispc/rays.cl";

// As ISPC's programs expect it: two matrices of 4 x 4.
struct Camera {
  int width = 0, height = 0;
  std::vector<float> camera = std::vector<float>(16), world = std::vector<float>(16);
};

template <class T> void read(std::ifstream &file, T *to, size_t count = 1) {
  if (!file.read(reinterpret_cast<char *>(to), std::streamsize(count * sizeof(T))))
    throw std::runtime_error("a file of the scene is missing or too short");
}

using Matrix = const float (*)[4];
Matrix matrix(const std::vector<float> &values) {
  return reinterpret_cast<Matrix>(values.data());
}

void volume(Session &s, const Examples &examples, const std::string &folder, bool is_relaxed) {
  Camera c;
  std::ifstream camera(folder + "/camera.dat"), data(folder + "/density_lowres.vol");
  camera >> c.width >> c.height;
  for (std::vector<float> *values : {&c.camera, &c.world})
    for (float &value : *values)
      camera >> value;
  cl_int4 size{};
  data >> size.s[0] >> size.s[1] >> size.s[2];
  std::vector<float> densities(size_t(size.s[0] * size.s[1] * size.s[2]));
  for (float &density : densities)
    data >> density;
  if (!camera || !data)
    throw std::runtime_error(folder + " has no volume");
  const auto pixels = size_t(c.width * c.height);
  std::vector<float> ours(pixels), theirs(pixels);
  auto *function =
      examples.find<void(const float *, const int *, Matrix, Matrix, int, int, float *)>(
          "volume_ispc");
  cl::Kernel k = s.kernel(rays_source, "volume",
                          is_relaxed ? "-cl-std=CL3.0 -cl-fast-relaxed-math" : "-cl-std=CL3.0");
  s.arguments(k, s.input(densities), size, s.input(c.camera), s.input(c.world), c.width,
              s.output(ours));
  compare(
      is_relaxed ? "volume, relaxed" : "volume", s, [&] { s.launch(k, pixels, 64); },
      [&] {
        function(densities.data(), size.s, matrix(c.camera), matrix(c.world), c.width, c.height,
                 theirs.data());
      },
      [&] { return all_near(ours, theirs, 2e-3); });
}

// As in the files, except triangles, which have three coordinates for each corner there.
struct Node {
  float bounds[6];
  uint32_t offset;
  uint8_t triangles, axis;
  uint16_t unused;
};
struct Triangle {
  float corners[3][4];
  int32_t id, unused[3];
};

void rays(Session &s, const Examples &examples, const std::string &scene, bool is_relaxed) {
  Camera c;
  std::ifstream camera(scene + ".camera", std::ios::binary), tree(scene + ".bvh", std::ios::binary);
  int size[2];
  read(camera, size, 2);
  read(camera, c.world.data(), 16);
  read(camera, c.camera.data(), 16);
  uint32_t count = 0;
  read(tree, &count);
  std::vector<Node> nodes(count);
  read(tree, nodes.data(), count);
  read(tree, &count);
  std::vector<Triangle> triangles(count);
  for (uint32_t i = 0; i < count; ++i) {
    for (auto &corner : triangles[i].corners)
      read(tree, corner, 3);
    triangles[i].id = int32_t(i + 1);
  }
  c.width = size[0] / 4 * 4;
  c.height = size[1] / 4 * 4;
  const auto pixels = size_t(c.width * c.height);
  std::vector<float> depths(pixels), their_depths(pixels);
  std::vector<int32_t> ids(pixels), their_ids(pixels);
  auto *function = examples.find<void(int, int, int, int, Matrix, Matrix, float *, int32_t *,
                                      const Node *, const Triangle *)>("raytrace_ispc");
  cl::Kernel k = s.kernel(rays_source, "rays",
                          is_relaxed ? "-cl-std=CL3.0 -cl-fast-relaxed-math" : "-cl-std=CL3.0");
  s.arguments(k, s.input(nodes), s.input(triangles), s.input(c.camera), s.input(c.world), c.width,
              float(size[0]) / float(c.width), float(size[1]) / float(c.height), s.output(depths),
              s.output(ids));
  compare(
      is_relaxed ? "rays, relaxed" : "rays", s, [&] { s.launch(k, pixels, 64); },
      [&] {
        function(c.width, c.height, size[0], size[1], matrix(c.camera), matrix(c.world),
                 their_depths.data(), their_ids.data(), nodes.data(), triangles.data());
      },
      [&] { // rounding decides at the edges of triangles
        size_t different = 0;
        for (size_t i = 0; i < pixels; ++i)
          different +=
              ids[i] != their_ids[i] || !near(depths[i], their_depths[i], 1e-3 * their_depths[i]);
        return different * 200 < pixels;
      });
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 2 || argc > 4) {
    std::fprintf(
        stderr, "usage: against_ispc EXAMPLES.so [$ISPC/examples/cpu [PROGRAM]]   (see the head of "
                "against_ispc.cpp)\n");
    return 2;
  }
  try {
    Examples examples(argv[1]);
    const std::string data = argc > 2 ? argv[2] : "", only = argc > 3 ? argv[3] : "";
    auto each = [&](const char *program, auto &&compare_one) {
      if (!only.empty() && only != program)
        return;
      Session session("Lockstep"); // each with memory of its own
      compare_one(session);
    };
    each("mandelbrot", [&](Session &s) { mandelbrot(s, examples); });
    for (bool is_relaxed : {false, true}) { // as exact as OpenCL requires, and as ISPC's own math
      each("options", [&](Session &s) {
        options(s, examples, "black_scholes", "black_scholes_ispc", 1 << 20, 1e-3, is_relaxed);
      });
      each("options", [&](Session &s) {
        options(s, examples, "binomial", "binomial_put_ispc", 1 << 14, 1e-2, is_relaxed);
      });
    }
    each("stencil", [&](Session &s) { stencil(s, examples); });
    each("noise", [&](Session &s) { noise(s, examples); });
    each("sort", [&](Session &s) { sort(s, examples); });
    for (bool is_relaxed : {false, true}) {
      if (data.empty())
        break;
      each("volume",
           [&](Session &s) { volume(s, examples, data + "/volume_rendering", is_relaxed); });
      each("rays", [&](Session &s) { rays(s, examples, data + "/rt/teapot", is_relaxed); });
    }
  } catch (const cl::BuildError &error) {
    for (const auto &[device, log] : error.getBuildLog())
      std::fprintf(stderr, "%s\n", log.c_str());
    return 2;
  } catch (const std::exception &error) {
    std::fprintf(stderr, "against_ispc: %s\n", error.what());
    return 2;
  }
}
