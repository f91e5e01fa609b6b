// Runs kernels as programs write them (idiom.h), each in a random spelling, and compares what they
// write with the host's own loops.
//
//   fuzz_idioms [--platform NAME] [--seed N] [--count N | --seconds N] [--only IDIOM] [--show]
//
// --show prints each source. The environment chooses width and form of the compiled kernel
// (LOCKSTEP_SUB_GROUP_SIZE, LOCKSTEP_FORM, LOCKSTEP_LANES). Work-groups wait for each other only on
// Lockstep.
#include "idiom.h"

#define CL_HPP_ENABLE_EXCEPTIONS
#define CL_HPP_TARGET_OPENCL_VERSION 300
#define CL_HPP_MINIMUM_OPENCL_VERSION 200
#include <CL/opencl.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string_view>

namespace lockstep::fuzz::idioms {

namespace {

struct Options {
  std::string platform = "Lockstep", only;
  uint64_t seed = 1, count = 100;
  double seconds = 0;
  bool shows = false;
};

Options parse(int argc, char **argv) {
  Options o;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    const bool has_value = i + 1 < argc;
    if (argument == "--show")
      o.shows = true;
    else if (argument == "--platform" && has_value)
      o.platform = argv[++i];
    else if (argument == "--only" && has_value)
      o.only = argv[++i];
    else if (argument == "--seed" && has_value)
      o.seed = std::strtoull(argv[++i], nullptr, 0);
    else if (argument == "--count" && has_value)
      o.count = std::strtoull(argv[++i], nullptr, 0);
    else if (argument == "--seconds" && has_value)
      o.seconds = std::strtod(argv[++i], nullptr);
    else
      throw std::runtime_error("'" + std::string(argument) +
                               "' is none of --platform NAME, --seed N, --count N, --seconds N, "
                               "--only IDIOM, --show");
  }
  return o;
}

cl::Device find_device(const std::string &name) {
  std::vector<cl::Platform> platforms;
  cl::Platform::get(&platforms);
  for (const cl::Platform &platform : platforms) {
    if (platform.getInfo<CL_PLATFORM_NAME>().find(name) == std::string::npos)
      continue;
    std::vector<cl::Device> devices;
    platform.getDevices(CL_DEVICE_TYPE_ALL, &devices);
    return devices.at(0);
  }
  throw std::runtime_error("no OpenCL platform is named '" + name + "'");
}

// ---- numbers in memory

std::vector<unsigned char> packed(const Element &type, const Numbers &numbers) {
  std::vector<unsigned char> bytes(std::max<std::size_t>(1, numbers.size()) * type.bytes);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto number = float(numbers[i]);
    std::memcpy(&bytes[i * type.bytes],
                type.is_float ? static_cast<const void *>(&number) : &numbers[i], type.bytes);
  }
  return bytes;
}

// Floats that are no integers become a number that no kernel expects.
Numbers unpacked(const Element &type, const std::vector<unsigned char> &bytes, std::size_t count) {
  Numbers numbers(count);
  for (std::size_t i = 0; i < count; ++i) {
    if (type.is_float) {
      float number = 0;
      std::memcpy(&number, &bytes[i * type.bytes], type.bytes);
      numbers[i] = number > -1e9f && number < 1e9f ? int64_t(number) : INT64_MIN;
      if (float(numbers[i]) != number)
        numbers[i] = INT64_MIN;
      continue;
    }
    std::memcpy(&numbers[i], &bytes[i * type.bytes], type.bytes);
    numbers[i] = wrapped(type, numbers[i]);
  }
  return numbers;
}

// Empty if they are equal.
std::string difference(const Argument &argument, Numbers found) {
  Numbers expected = argument.expected;
  if (argument.is_in_any_order) {
    std::sort(found.begin(), found.end());
    std::sort(expected.begin(), expected.end());
  }
  std::size_t many = 0, first = 0;
  for (std::size_t i = expected.size(); i-- > 0;)
    if (found[i] != expected[i]) {
      ++many;
      first = i;
    }
  if (many == 0)
    return "";
  return argument.name + "[" + std::to_string(first) + "] is " + std::to_string(found[first]) +
         ", not " + std::to_string(expected[first]) + "; " + std::to_string(many) + " of " +
         std::to_string(expected.size()) + " differ";
}

class Machine {
public:
  explicit Machine(const std::string &platform)
      : device_(find_device(platform)), context_(device_), queue_(context_, device_) {}

  std::size_t most_items() const { return device_.getInfo<CL_DEVICE_MAX_WORK_GROUP_SIZE>(); }

  // Returns what differs, or nothing.
  std::string run(const Idiom &idiom, const std::string &options, bool gives_local_size) {
    cl::Program program(context_, idiom.source());
    try {
      program.build(device_, options.c_str());
    } catch (const cl::Error &) {
      return "the build failed: " + program.getBuildInfo<CL_PROGRAM_BUILD_LOG>(device_);
    }
    cl::Kernel kernel(program, "tested");
    std::vector<cl::Buffer> buffers(idiom.arguments.size());
    for (cl_uint i = 0; i < idiom.arguments.size(); ++i)
      set(kernel, i, idiom.arguments[i], buffers[i]);
    const auto range = [&](const std::array<std::size_t, 2> &sizes) {
      return idiom.dimensions == 1 ? cl::NDRange(sizes[0]) : cl::NDRange(sizes[0], sizes[1]);
    };
    queue_.enqueueNDRangeKernel(kernel, range(idiom.offset), range(idiom.global),
                                gives_local_size ? range(idiom.local) : cl::NullRange);
    queue_.finish();
    std::string text;
    for (std::size_t i = 0; i < idiom.arguments.size(); ++i) {
      const Argument &argument = idiom.arguments[i];
      if (argument.expected.empty())
        continue;
      std::vector<unsigned char> bytes(argument.numbers.size() * argument.type.bytes);
      queue_.enqueueReadBuffer(buffers[i], CL_TRUE, 0, bytes.size(), bytes.data());
      const std::string found =
          difference(argument, unpacked(argument.type, bytes, argument.numbers.size()));
      text += (text.empty() || found.empty() ? "" : "; ") + found;
    }
    return text;
  }

private:
  void set(cl::Kernel &kernel, cl_uint index, const Argument &argument, cl::Buffer &memory) {
    std::vector<unsigned char> bytes = packed(argument.type, argument.numbers);
    switch (argument.kind) {
    case Argument::Kind::local:
      kernel.setArg(index, std::size_t(argument.local_elements) * argument.type.bytes, nullptr);
      return;
    case Argument::Kind::number:
      kernel.setArg(index, bytes.size(), bytes.data());
      return;
    case Argument::Kind::buffer:
      memory = cl::Buffer(context_, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, bytes.size(),
                          bytes.data());
      kernel.setArg(index, memory);
    }
  }

  cl::Device device_;
  cl::Context context_;
  cl::CommandQueue queue_;
};

// Whether a part of the source depends on the number of work-items in a group.
bool needs_local_size(const Idiom &idiom) {
  const std::string source = idiom.source();
  for (const char *word : {"local", "group"})
    if (source.find(word) != std::string::npos)
      return true;
  return false;
}

int run(const Options &o) {
  Machine machine(o.platform);
  const auto begin = std::chrono::steady_clock::now();
  uint64_t run = 0, failures = 0;
  for (uint64_t seed = o.seed;; ++seed) {
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
    if (o.seconds > 0 ? time.count() > o.seconds : seed - o.seed >= o.count)
      break;
    Speller speller(seed * 0x9e3779b97f4a7c15);
    const NamedMaker &maker = makers()[seed % makers().size()];
    Idiom idiom = maker.make(speller);
    const std::string options = speller.pick({"-cl-std=CL3.0", "-cl-std=CL3.0 -cl-mad-enable",
                                              "-cl-std=CL3.0 -cl-fast-relaxed-math",
                                              "-cl-std=CL3.0 -cl-uniform-work-group-size"});
    const bool gives_local_size = needs_local_size(idiom) || speller.chance(70);
    if ((!o.only.empty() && o.only != maker.name) || (idiom.waits && o.platform != "Lockstep") ||
        idiom.local[0] * idiom.local[1] > machine.most_items())
      continue;
    if (o.shows)
      std::printf("// seed %llu, %s, %s, %zu x %zu in groups of %zu x %zu%s\n%s\n",
                  static_cast<unsigned long long>(seed), maker.name, options.c_str(),
                  idiom.global[0], idiom.global[1], idiom.local[0], idiom.local[1],
                  gives_local_size ? "" : " (not given)", idiom.source().c_str());
    std::fflush(stdout);
    ++run;
    std::string differs;
    try {
      differs = machine.run(idiom, options, gives_local_size);
    } catch (const cl::Error &error) {
      differs = std::string(error.what()) + " returned " + std::to_string(error.err());
    }
    if (differs.empty())
      continue;
    ++failures;
    std::printf("seed %llu (%s): %s\n", static_cast<unsigned long long>(seed), maker.name,
                differs.c_str());
    std::fflush(stdout);
  }
  std::printf("%llu kernels, %llu failures\n", static_cast<unsigned long long>(run),
              static_cast<unsigned long long>(failures));
  return failures ? 1 : 0;
}

} // namespace

} // namespace lockstep::fuzz::idioms

int main(int argc, char **argv) {
  try {
    setenv("LOCKSTEP_CACHE", "0", 0);
    setenv("POCL_KERNEL_CACHE", "0", 0);
    setenv("LOCKSTEP_VERIFY", "1", 0);
    return lockstep::fuzz::idioms::run(lockstep::fuzz::idioms::parse(argc, argv));
  } catch (const std::exception &error) {
    std::fprintf(stderr, "fuzz_idioms: %s\n", error.what());
    return 2;
  }
}
