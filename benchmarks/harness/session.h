// An OpenCL device, with helpers for benchmarks.
#pragma once

#include "benchmarks/harness/benchmark.h"

#define CL_HPP_ENABLE_EXCEPTIONS
#define CL_HPP_TARGET_OPENCL_VERSION 300
#define CL_HPP_MINIMUM_OPENCL_VERSION 200
#include <CL/opencl.hpp>

#include <cstring>

namespace lockstep::benchmarks {

class Session {
public:
  // `platform` is a part of the platform's name.
  explicit Session(const std::string &platform);

  cl::Device device;
  cl::Context context;
  cl::CommandQueue queue; // in order

  // Builds "question/file.cl" below benchmarks/. The build time is recorded.
  cl::Program program(const std::string &file, const std::string &options = "");
  cl::Kernel kernel(const std::string &file, const std::string &name,
                    const std::string &options = "") {
    return cl::Kernel(program(file, options), name.c_str());
  }
  double build_milliseconds() const { return build_milliseconds_; }

  // A buffer with a copy of `data`.
  template <class T> cl::Buffer input(const std::vector<T> &data) {
    return keep(cl::Buffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                           data.size() * sizeof(T), const_cast<T *>(data.data())));
  }
  // A buffer that fetch() reads back into `data`; `data` must outlive the session.
  template <class T> cl::Buffer output(std::vector<T> &data) {
    cl::Buffer buffer(context, CL_MEM_READ_WRITE, data.size() * sizeof(T));
    outputs_.push_back({buffer, data.data(), data.size() * sizeof(T)});
    return buffer;
  }
  // The same for images whose rows have no gaps.
  template <class T>
  cl::Image2D input_image(cl::ImageFormat format, size_t width, size_t height,
                          const std::vector<T> &data) {
    kept_images_.emplace_back(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, format, width,
                              height, 0, const_cast<T *>(data.data()));
    return kept_images_.back();
  }
  template <class T>
  cl::Image2D output_image(cl::ImageFormat format, size_t width, size_t height,
                           std::vector<T> &data) {
    cl::Image2D image(context, CL_MEM_READ_WRITE, format, width, height);
    output_images_.push_back({image, data.data(), {width, height, 1}});
    return image;
  }
  cl::Buffer scratch(size_t bytes) { return keep(cl::Buffer(context, CL_MEM_READ_WRITE, bytes)); }

  void clear_outputs(); // fills them with a pattern
  void fetch_outputs();

  template <class... Args> static void arguments(cl::Kernel &kernel, const Args &...args) {
    cl_uint index = 0;
    (kernel.setArg(index++, args), ...);
  }
  void launch(const cl::Kernel &kernel, cl::NDRange global, cl::NDRange local) {
    queue.enqueueNDRangeKernel(kernel, cl::NullRange, global, local);
  }

  // The features ("__opencl_c_...") and extensions ("cl_khr_...") of `needs` that this device
  // lacks.
  std::string missing(const std::vector<std::string> &needs) const;

private:
  struct Output {
    cl::Buffer buffer;
    void *data;
    size_t bytes;
  };
  struct OutputImage {
    cl::Image2D image;
    void *data;
    cl::array<cl::size_type, 3> size;
  };
  // A kernel does not retain its arguments, so the session does.
  cl::Buffer keep(cl::Buffer buffer) {
    kept_.push_back(buffer);
    return buffer;
  }

  std::vector<Output> outputs_;
  std::vector<OutputImage> output_images_;
  std::vector<cl::Buffer> kept_;
  std::vector<cl::Image2D> kept_images_;
  double build_milliseconds_ = 0;
};

} // namespace lockstep::benchmarks
