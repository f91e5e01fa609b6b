#include "example.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace example {

namespace {

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
  throw std::runtime_error("no OpenCL platform is named '" + name +
                           "'; OCL_ICD_VENDORS tells the loader where to look");
}

std::string build_log(const cl::BuildError &error) {
  std::string text;
  for (const auto &[device, log] : error.getBuildLog())
    text += log;
  return text;
}

// Prints a result row for run_demo.py: one line, fields separated by tabs.
void print_fields(const std::vector<std::string> &fields) {
  std::string line = "ROW";
  for (std::string field : fields) {
    std::replace_if(field.begin(), field.end(), [](char c) { return c == '\t' || c == '\n'; }, ' ');
    line += '\t' + field;
  }
  std::puts(line.c_str());
  std::fflush(stdout); // keeps the row even if the program crashes later
}

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

int list_platforms() {
  std::vector<cl::Platform> platforms;
  try {
    cl::Platform::get(&platforms);
  } catch (const cl::Error &error) {
    if (error.err() != -1001) // CL_PLATFORM_NOT_FOUND_KHR: the list is empty
      throw;
  }
  for (const cl::Platform &platform : platforms)
    std::puts(platform.getInfo<CL_PLATFORM_NAME>().c_str());
  return 0;
}

} // namespace

Example::Example(const std::string &platform, bool small)
    : device(find_device(platform)), context(device), queue(context, device),
      platform_(cl::Platform(device.getInfo<CL_DEVICE_PLATFORM>()).getInfo<CL_PLATFORM_NAME>()),
      small_(small) {}

cl::Program Example::build(const std::string &file, const std::string &options) const {
  std::ifstream stream(std::string(EXAMPLE_SOURCE_DIR) + "/" + file);
  if (!stream)
    throw std::runtime_error("cannot read " + file);
  std::stringstream text;
  text << stream.rdbuf();
  cl::Program program(context, text.str());
  program.build(device, options.c_str());
  return program;
}

bool Example::has_features(const std::vector<std::string> &features) const {
  // The query for names of optional features exists since OpenCL 3.0.
  std::vector<cl_name_version> present;
  size_t bytes = 0;
  if (clGetDeviceInfo(device(), CL_DEVICE_OPENCL_C_FEATURES, 0, nullptr, &bytes) != CL_SUCCESS)
    return false;
  present.resize(bytes / sizeof(cl_name_version));
  clGetDeviceInfo(device(), CL_DEVICE_OPENCL_C_FEATURES, bytes, present.data(), nullptr);
  return std::all_of(features.begin(), features.end(), [&](const std::string &feature) {
    return std::any_of(present.begin(), present.end(),
                       [&](const cl_name_version &entry) { return feature == entry.name; });
  });
}

double Example::seconds(const std::function<void()> &enqueue, int runs) {
  std::vector<double> times;
  for (int i = 0; i <= runs; ++i) {
    auto start = std::chrono::steady_clock::now();
    enqueue();
    queue.finish();
    times.push_back(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  times.erase(times.begin()); // not counted: compiles for this local size, first touch of memory
  std::nth_element(times.begin(), times.begin() + times.size() / 2, times.end());
  return times[times.size() / 2];
}

void Example::row(const std::string &what, bool verified, double seconds, double amount,
                  const std::string &unit, const std::string &note) {
  all_verified_ = all_verified_ && verified;
  print_fields({what, platform_, verified ? "yes" : "NO", number(seconds), number(amount / seconds),
                unit, note});
}

void Example::skip(const std::string &what, const std::string &why) {
  print_fields({what, platform_, "skipped", "", "", "", why});
}

bool may_wait(Example &e, const std::string &what) {
  cl_bool is_independent = CL_FALSE;
  const bool has_query =
      clGetDeviceInfo(e.device(), CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS,
                      sizeof is_independent, &is_independent, nullptr) == CL_SUCCESS;
  if (has_query && is_independent)
    return true;
  e.skip(what, "the device does not promise that work-groups which wait let others run");
  return false;
}

int run(int argc, char **argv, const std::function<void(Example &)> &body) {
  const char *from_environment = std::getenv("LOCKSTEP_EXAMPLE_PLATFORM");
  std::string platform = from_environment ? from_environment : "Lockstep";
  bool small = false;
  try {
    for (int i = 1; i < argc; ++i) {
      if (!std::strcmp(argv[i], "--list-platforms"))
        return list_platforms();
      if (!std::strcmp(argv[i], "--small"))
        small = true;
      else if (!std::strcmp(argv[i], "--platform") && i + 1 < argc)
        platform = argv[++i];
      else
        throw std::runtime_error(std::string("usage: ") + argv[0] +
                                 " [--platform NAME] [--small] [--list-platforms]");
    }
    Example e(platform, small);
    body(e);
    return e.all_verified() ? 0 : 1;
  } catch (const cl::BuildError &error) {
    std::fprintf(stderr, "%s: %s (%d)\n%s\n", argv[0], error.what(), error.err(),
                 build_log(error).c_str());
  } catch (const cl::Error &error) {
    std::fprintf(stderr, "%s: %s failed with %d\n", argv[0], error.what(), error.err());
  } catch (const std::exception &error) {
    std::fprintf(stderr, "%s: %s\n", argv[0], error.what());
  }
  return 2;
}

} // namespace example
