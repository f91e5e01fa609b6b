#include "benchmarks/harness/session.h"

#include <chrono>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace lockstep::benchmarks {

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
  throw std::runtime_error("no OpenCL platform is named '" + name + "'");
}

std::string read_file(const std::string &name) {
  std::ifstream stream(std::string(BENCHMARK_SOURCE_DIR) + "/" + name);
  if (!stream)
    throw std::runtime_error("cannot read " + name);
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

} // namespace

Session::Session(const std::string &platform)
    : device(find_device(platform)), context(device), queue(context, device) {}

cl::Program Session::program(const std::string &file, const std::string &options) {
  const std::string source = read_file(file);
  const auto start = std::chrono::steady_clock::now();
  cl::Program program(context, source);
  program.build(device, options.c_str());
  build_milliseconds_ +=
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  return program;
}

void Session::clear_outputs() {
  for (const Output &output : outputs_)
    queue.enqueueFillBuffer(output.buffer, cl_uchar(0xcc), 0, output.bytes);
  for (const OutputImage &output : output_images_) // of integers or normalized numbers
    queue.enqueueFillImage(output.image, cl_uint4{{0xcc, 0xcc, 0xcc, 0xcc}}, {0, 0, 0},
                           output.size);
  queue.finish();
}

void Session::fetch_outputs() {
  for (const Output &output : outputs_)
    queue.enqueueReadBuffer(output.buffer, CL_TRUE, 0, output.bytes, output.data);
  for (const OutputImage &output : output_images_)
    queue.enqueueReadImage(output.image, CL_TRUE, {0, 0, 0}, output.size, 0, 0, output.data);
}

std::string Session::missing(const std::vector<std::string> &needs) const {
  const std::string extensions = " " + device.getInfo<CL_DEVICE_EXTENSIONS>() + " ";
  std::vector<cl_name_version> features;
  size_t bytes = 0;
  if (clGetDeviceInfo(device(), CL_DEVICE_OPENCL_C_FEATURES, 0, nullptr, &bytes) == CL_SUCCESS) {
    features.resize(bytes / sizeof(cl_name_version));
    clGetDeviceInfo(device(), CL_DEVICE_OPENCL_C_FEATURES, bytes, features.data(), nullptr);
  }
  std::string list;
  for (const std::string &need : needs) {
    bool found = extensions.find(" " + need + " ") != std::string::npos;
    for (const cl_name_version &feature : features)
      found = found || need == feature.name;
    if (!found)
      list += (list.empty() ? "" : ", ") + need;
  }
  return list;
}

} // namespace lockstep::benchmarks
