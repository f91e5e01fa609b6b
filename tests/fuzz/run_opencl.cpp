#include "run_opencl.h"

#include "interpret.h"

#define CL_HPP_ENABLE_EXCEPTIONS
#define CL_HPP_TARGET_OPENCL_VERSION 300
#define CL_HPP_MINIMUM_OPENCL_VERSION 200
#include <CL/opencl.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <unistd.h>

namespace lockstep::fuzz {

struct OpenClDevice::Handles {
  cl::Device device;
  cl::Context context;
  cl::CommandQueue queue;
  Capabilities capabilities;
  std::string name;
};

namespace {

template <class T> T query(const cl::Device &device, cl_device_info what) {
  T value{};
  clGetDeviceInfo(device(), what, sizeof value, &value,
                  nullptr); // unknown before OpenCL 3.0: the value stays 0
  return value;
}

cl::Device find_device(const std::string &platform_name, std::string &found) {
  std::vector<cl::Platform> platforms;
  cl::Platform::get(&platforms);
  for (const cl::Platform &platform : platforms) {
    found = platform.getInfo<CL_PLATFORM_NAME>();
    if (found.find(platform_name) == std::string::npos)
      continue;
    std::vector<cl::Device> devices;
    platform.getDevices(CL_DEVICE_TYPE_ALL, &devices);
    return devices.at(0);
  }
  throw std::runtime_error("no OpenCL platform is named '" + platform_name + "'");
}

template <class T> cl::NDRange range(const Launch &launch, const std::array<T, 3> &sizes) {
  switch (launch.dimensions) {
  case 1:
    return cl::NDRange(sizes[0]);
  case 2:
    return cl::NDRange(sizes[0], sizes[1]);
  default:
    return cl::NDRange(sizes[0], sizes[1], sizes[2]);
  }
}

bool compiles(const cl::Context &context, const char *source) {
  cl::Program program(context, source);
  try {
    program.build();
  } catch (const cl::Error &) {
    return false;
  }
  return true;
}

// Captures standard output during its lifetime.
class CapturedOutput {
public:
  CapturedOutput() {
    std::fflush(stdout);
    saved_ = dup(STDOUT_FILENO);
    dup2(fileno(file_), STDOUT_FILENO);
  }
  ~CapturedOutput() {
    std::fflush(stdout);
    dup2(saved_, STDOUT_FILENO);
    close(saved_);
    std::fclose(file_);
  }
  std::vector<std::string> lines() {
    std::fflush(stdout);
    std::string text(size_t(lseek(STDOUT_FILENO, 0, SEEK_END)), '\0');
    if (pread(STDOUT_FILENO, text.data(), text.size(), 0) != ssize_t(text.size()))
      throw std::runtime_error("what was printed cannot be read");
    std::vector<std::string> list;
    for (size_t at = 0, end; at < text.size(); at = end + 1) {
      end = std::min(text.find('\n', at), text.size());
      list.push_back(text.substr(at, end - at));
    }
    return list;
  }

private:
  std::FILE *file_ = std::tmpfile();
  int saved_;
};

// The memory of the kernel's pointer arguments.
class Memory {
public:
  Memory(const cl::Context &context, const cl::CommandQueue &queue, HostMemory kind,
         std::vector<uint8_t> &content)
      : context_(context), queue_(queue), kind_(kind), size_(content.size()) {
    if (kind == HostMemory::buffers) {
      buffer_ =
          cl::Buffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, size_, content.data());
      return;
    }
    const cl_svm_mem_flags fine = CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS;
    shared_ = kind == HostMemory::system
                  ? std::aligned_alloc(128, (size_ + 127) / 128 * 128)
                  : clSVMAlloc(context(), CL_MEM_READ_WRITE | (kind == HostMemory::fine ? fine : 0),
                               size_, 0);
    if (!shared_)
      throw cl::Error(CL_MEM_OBJECT_ALLOCATION_FAILURE, "clSVMAlloc");
    map(CL_MAP_WRITE);
    std::memcpy(shared_, content.data(), size_);
    unmap();
  }
  ~Memory() {
    if (kind_ == HostMemory::system)
      std::free(shared_);
    else if (shared_)
      clSVMFree(context_(), shared_);
  }
  Memory(const Memory &) = delete;

  void pass(cl::Kernel &kernel, cl_uint argument) {
    if (!shared_)
      kernel.setArg(argument, buffer_);
    else if (cl_int error = clSetKernelArgSVMPointer(kernel(), argument, shared_))
      throw cl::Error(error, "clSetKernelArgSVMPointer");
  }
  std::vector<uint8_t> content() {
    std::vector<uint8_t> bytes(size_);
    if (!shared_) {
      queue_.enqueueReadBuffer(buffer_, CL_TRUE, 0, size_, bytes.data());
      return bytes;
    }
    map(CL_MAP_READ);
    std::memcpy(bytes.data(), shared_, size_);
    unmap();
    return bytes;
  }

private:
  void map(cl_map_flags how) {
    if (kind_ == HostMemory::coarse &&
        clEnqueueSVMMap(queue_(), CL_TRUE, how, shared_, size_, 0, nullptr, nullptr) != CL_SUCCESS)
      throw cl::Error(CL_MAP_FAILURE, "clEnqueueSVMMap");
  }
  void unmap() {
    if (kind_ == HostMemory::coarse)
      clEnqueueSVMUnmap(queue_(), shared_, 0, nullptr, nullptr);
  }

  cl::Context context_;
  cl::CommandQueue queue_;
  HostMemory kind_;
  size_t size_;
  cl::Buffer buffer_;
  void *shared_ = nullptr;
};

// The pipes of a kernel.
class PipeMemory {
public:
  PipeMemory(const cl::Program &built, const cl::CommandQueue &queue, const Program &program,
             const Array &array)
      : built_(built), queue_(queue), is_read_(array.space == Space::tickets),
        packets_(is_read_ ? program.pipes.packets : element_count(program, array)) {
    const cl::Context context = built.getInfo<CL_PROGRAM_CONTEXT>();
    for (uint32_t slot = 0; slot < (is_read_ ? array.slots : 1); ++slot) {
      pipes_.emplace_back(context, pipe_packet(program.pipes.packet).size, packets_);
      if (is_read_)
        fill(pipes_.back());
    }
  }

  void pass(cl::Kernel &kernel, cl_uint &argument) {
    for (const cl::Pipe &pipe : pipes_)
      kernel.setArg(argument++, pipe);
  }

  // As in the reference: the number of packets read from each pipe, or the numbers written.
  std::vector<uint8_t> content() {
    std::vector<uint32_t> content;
    for (const cl::Pipe &pipe : pipes_) {
      std::vector<uint32_t> left = drain(pipe);
      if (!is_read_) {
        content = left;
        content.resize(packets_, 0xa5a5a5a5);
        continue;
      }
      const uint32_t read = packets_ - uint32_t(left.size());
      for (uint32_t &number : left)
        number -= read + uint32_t(&number - left.data());
      const bool in_order = std::ranges::count(left, 0u) == std::ptrdiff_t(left.size());
      content.push_back(in_order ? read : ~0u);
    }
    std::vector<uint8_t> bytes(4 * content.size());
    std::memcpy(bytes.data(), content.data(), bytes.size());
    if (!is_read_)
      sort_packets(bytes, written_);
    return bytes;
  }

private:
  void fill(const cl::Pipe &pipe) {
    cl::Kernel kernel(built_, "fill_pipe");
    kernel.setArg(0, pipe);
    kernel.setArg(1, packets_);
    queue_.enqueueNDRangeKernel(kernel, {}, {1});
  }
  std::vector<uint32_t> drain(const cl::Pipe &pipe) {
    const cl::Context context = built_.getInfo<CL_PROGRAM_CONTEXT>();
    cl::Buffer numbers(context, CL_MEM_READ_WRITE, 4 * size_t(packets_)),
        count(context, CL_MEM_READ_WRITE, 4);
    cl::Kernel kernel(built_, "drain_pipe");
    kernel.setArg(0, pipe);
    kernel.setArg(1, numbers);
    kernel.setArg(2, count);
    kernel.setArg(3, packets_);
    queue_.enqueueNDRangeKernel(kernel, {}, {1});
    queue_.enqueueReadBuffer(count, CL_TRUE, 0, 4, &written_);
    std::vector<uint32_t> found(std::min(written_, packets_));
    if (!found.empty())
      queue_.enqueueReadBuffer(numbers, CL_TRUE, 0, 4 * found.size(), found.data());
    return found;
  }

  cl::Program built_;
  cl::CommandQueue queue_;
  bool is_read_;
  uint32_t packets_, written_ = 0;
  std::vector<cl::Pipe> pipes_;
};

// A by-value argument in the kernel's layout: a vector of three takes the room of four.
std::vector<uint8_t> argument_bytes(const Value &value) {
  std::vector<uint8_t> bytes(size_of(value.type));
  store(value, bytes.data());
  return bytes;
}

} // namespace

std::vector<std::vector<uint8_t>> argument_list(const Program &program) {
  std::vector<std::vector<uint8_t>> list;
  std::vector<uint8_t> all(4 * program.padding);
  size_t largest = 4;
  for (const Value &argument : program.arguments) {
    list.push_back(argument_bytes(argument));
    const std::vector<uint8_t> &bytes = list.back();
    all.resize((all.size() + bytes.size() - 1) / bytes.size() * bytes.size());
    all.insert(all.end(), bytes.begin(), bytes.end());
    largest = std::max(largest, bytes.size());
  }
  all.resize((all.size() + largest - 1) / largest * largest);
  if (program.struct_argument)
    list = {all};
  list.insert(list.end(), program.objects.begin(), program.objects.end());
  return list;
}

OpenClDevice::OpenClDevice(const std::string &platform_name)
    : handles_(std::make_unique<Handles>()) {
  Handles &h = *handles_;
  h.device = find_device(platform_name, h.name);
  h.context = cl::Context(h.device);
  h.queue = cl::CommandQueue(h.context, h.device);
  h.capabilities.non_uniform_groups =
      query<cl_bool>(h.device, CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT);
  h.capabilities.fp64 = query<cl_device_fp_config>(h.device, CL_DEVICE_DOUBLE_FP_CONFIG) != 0;
  h.capabilities.c11_atomics =
      query<cl_device_atomic_capabilities>(h.device, CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES) &
      CL_DEVICE_ATOMIC_SCOPE_DEVICE;
  h.capabilities.exact_division = query<cl_device_fp_config>(h.device, CL_DEVICE_SINGLE_FP_CONFIG) &
                                  CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT;
  const cl_device_atomic_capabilities all = CL_DEVICE_ATOMIC_ORDER_ACQ_REL |
                                            CL_DEVICE_ATOMIC_ORDER_SEQ_CST |
                                            CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES;
  h.capabilities.all_orders =
      (query<cl_device_atomic_capabilities>(h.device, CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES) &
       all) == all;
  const std::string extensions = " " + h.device.getInfo<CL_DEVICE_EXTENSIONS>() + " ";
  std::vector<size_t> sizes(16, 0);
  clGetDeviceInfo(h.device(), 0x4108 /* CL_DEVICE_SUB_GROUP_SIZES_INTEL */,
                  sizes.size() * sizeof(size_t), sizes.data(), nullptr);
  h.capabilities.sub_groups = std::ranges::find(sizes, size_t(64)) != sizes.end();
  for (const char *name :
       {"ballot", "clustered_reduce", "non_uniform_arithmetic", "non_uniform_vote", "shuffle"})
    h.capabilities.sub_groups &=
        extensions.find(" cl_khr_subgroup_" + std::string(name) + " ") != std::string::npos;
  h.capabilities.sub_groups &=
      extensions.find(" cl_khr_work_group_uniform_arithmetic ") != std::string::npos;
  h.capabilities.fp16 = extensions.find(" cl_khr_fp16 ") != std::string::npos;
  const cl_device_svm_capabilities shared = CL_DEVICE_SVM_COARSE_GRAIN_BUFFER |
                                            CL_DEVICE_SVM_FINE_GRAIN_BUFFER |
                                            CL_DEVICE_SVM_FINE_GRAIN_SYSTEM | CL_DEVICE_SVM_ATOMICS;
  h.capabilities.shared_memory =
      query<cl_device_svm_capabilities>(h.device, CL_DEVICE_SVM_CAPABILITIES) == shared;
  h.capabilities.bit_operations = extensions.find(" cl_khr_extended_bit_ops ") != std::string::npos;
  h.capabilities.dot_products =
      extensions.find(" cl_khr_integer_dot_product ") != std::string::npos;
  const std::vector<cl_name_version> features = h.device.getInfo<CL_DEVICE_OPENCL_C_FEATURES>();
  auto has = [&](const char *feature) {
    return std::ranges::any_of(features, [&](auto &f) { return !std::strcmp(f.name, feature); });
  };
  h.capabilities.generic_pointers = has("__opencl_c_generic_address_space");
  h.capabilities.pipes = has("__opencl_c_pipes");
  h.capabilities.program_scope_variables = has("__opencl_c_program_scope_global_variables");
  h.capabilities.bit_fields = compiles(h.context, R"(
    #pragma OPENCL EXTENSION __cl_clang_bitfields : enable
    struct S { int a : 3; };
  )");
  h.capabilities.max_group_size =
      uint32_t(std::min<size_t>(1024, query<size_t>(h.device, CL_DEVICE_MAX_WORK_GROUP_SIZE)));
}

OpenClDevice::~OpenClDevice() = default;
const Capabilities &OpenClDevice::capabilities() const {
  return handles_->capabilities;
}
const std::string &OpenClDevice::name() const {
  return handles_->name;
}

DeviceOutcome OpenClDevice::run(const Program &program, const std::string &source,
                                const std::function<void()> &launched) {
  Handles &h = *handles_;
  DeviceOutcome outcome;
  try {
    cl::Program built(h.context, source);
    built.build(h.device, build_options(program).c_str());
    cl::Kernel kernel(built, program.kernel().name.c_str());
    cl_uint next = 0;
    std::vector<std::unique_ptr<Memory>> memory(program.arrays.size());
    std::vector<std::unique_ptr<PipeMemory>> pipes(program.arrays.size());
    for (size_t i = 0; i < program.arrays.size(); ++i) {
      const Array &array = program.arrays[i];
      if (is_program_scope(array.space) || (is_local(array.space) && !array.argument))
        continue;
      if (is_pipe(program, array)) {
        pipes[i] = std::make_unique<PipeMemory>(built, h.queue, program, array);
        pipes[i]->pass(kernel, next);
        continue;
      }
      if (is_local(array.space)) {
        kernel.setArg(next++,
                      cl::Local(element_count(program, array) * element_size(program, array)));
        continue;
      }
      std::vector<uint8_t> content = initial_memory(program, array);
      memory[i] = std::make_unique<Memory>(h.context, h.queue, program.memory, content);
      memory[i]->pass(kernel, next++);
    }
    for (const std::vector<uint8_t> &bytes : argument_list(program))
      kernel.setArg(next++, bytes.size(), const_cast<uint8_t *>(bytes.data()));
    const Launch &launch = program.launch;
    const cl::NDRange local =
        launch.local_given ? range(launch, launch.local) : cl::NDRange(); // chosen by the platform
    std::optional<CapturedOutput> output;
    if (program.prints)
      output.emplace();
    h.queue.enqueueNDRangeKernel(kernel, range(launch, launch.offset), range(launch, launch.global),
                                 local);
    launched();
    h.queue.finish();
    if (output)
      outcome.lines = output->lines();
    outcome.memory.resize(program.arrays.size());
    for (size_t i = 0; i < program.arrays.size(); ++i)
      if (memory[i])
        outcome.memory[i] = memory[i]->content();
      else if (pipes[i])
        outcome.memory[i] = pipes[i]->content();
  } catch (const cl::BuildError &error) {
    outcome.problem = std::string(error.what()) + " failed with " + std::to_string(error.err());
    for (const auto &[device, log] : error.getBuildLog())
      outcome.problem += "\n" + log;
  } catch (const cl::Error &error) {
    outcome.problem = std::string(error.what()) + " failed with " + std::to_string(error.err());
  }
  return outcome;
}

} // namespace lockstep::fuzz
