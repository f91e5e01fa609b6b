// Shared by tests/programs and tests/errors: owning handles, and a device found through the ICD
// loader, as any program finds it. The platform is "Lockstep". LOCKSTEP_TEST_PLATFORM selects
// another one, to run a test on a second implementation.
#pragma once

#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_2_0_APIS
#define CL_USE_DEPRECATED_OPENCL_2_1_APIS
#define CL_USE_DEPRECATED_OPENCL_2_2_APIS
#include <CL/cl.h>

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace lockstep::test {

template <class Handle, cl_int(CL_API_CALL *release_handle)(Handle)> class Owned {
public:
  Owned() = default;
  explicit Owned(Handle handle) : handle_(handle) {}
  Owned(Owned &&other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Owned &operator=(Owned &&other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Owned() { reset(); }

  void reset() {
    if (handle_)
      EXPECT_EQ(release_handle(handle_), CL_SUCCESS);
    handle_ = nullptr;
  }
  Handle get() const { return handle_; }
  operator Handle() const { return handle_; }
  Handle *out() { // for functions that return a handle through a pointer
    reset();
    return &handle_;
  }

private:
  Handle handle_ = nullptr;
};

using Context = Owned<cl_context, clReleaseContext>;
using Queue = Owned<cl_command_queue, clReleaseCommandQueue>;
using Memory = Owned<cl_mem, clReleaseMemObject>;
using Event = Owned<cl_event, clReleaseEvent>;
using Program = Owned<cl_program, clReleaseProgram>;
using Kernel = Owned<cl_kernel, clReleaseKernel>;

inline cl_platform_id find_platform() {
  const char *wanted = std::getenv("LOCKSTEP_TEST_PLATFORM");
  cl_uint count = 0;
  clGetPlatformIDs(0, nullptr, &count);
  std::vector<cl_platform_id> platforms(count);
  clGetPlatformIDs(count, platforms.data(), nullptr);
  for (cl_platform_id platform : platforms) {
    char name[256] = "";
    clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof name, name, nullptr);
    if (std::strstr(name, wanted ? wanted : "Lockstep"))
      return platform;
  }
  return nullptr;
}

inline cl_device_id find_device() {
  cl_platform_id platform = find_platform();
  cl_device_id device = nullptr;
  if (platform)
    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr);
  return device;
}

// Collects the messages of the context's notify callback.
struct Notifications {
  std::vector<std::string> sentences;
  static void CL_CALLBACK receive(const char *sentence, const void *, size_t, void *self) {
    static_cast<Notifications *>(self)->sentences.emplace_back(sentence);
  }
};

// A test with a context and an in-order queue.
class DeviceTest : public ::testing::Test {
protected:
  void SetUp() override {
    device_ = find_device();
    ASSERT_NE(device_, nullptr) << "no device of the platform under test; is OCL_ICD_VENDORS set?";
    context_ = make_context();
    queue_ = make_queue(0);
  }

  Context make_context() {
    cl_int status = 1;
    Context context(clCreateContext(nullptr, 1, &device_, nullptr, nullptr, &status));
    EXPECT_EQ(status, CL_SUCCESS);
    return context;
  }

  Queue make_queue(cl_command_queue_properties properties) {
    const cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, properties, 0};
    cl_int status = 1;
    Queue queue(clCreateCommandQueueWithProperties(context_, device_, list, &status));
    EXPECT_EQ(status, CL_SUCCESS);
    return queue;
  }

  Memory make_buffer(size_t size, cl_mem_flags flags = CL_MEM_READ_WRITE, void *host = nullptr) {
    cl_int status = 1;
    Memory buffer(clCreateBuffer(context_, flags, size, host, &status));
    EXPECT_EQ(status, CL_SUCCESS);
    return buffer;
  }

  Memory make_sub_buffer(cl_mem parent, size_t origin, size_t size, cl_mem_flags flags = 0) {
    const cl_buffer_region region{origin, size};
    cl_int status = 1;
    Memory buffer(clCreateSubBuffer(parent, flags, CL_BUFFER_CREATE_TYPE_REGION, &region, &status));
    EXPECT_EQ(status, CL_SUCCESS);
    return buffer;
  }

  Event make_user_event() {
    cl_int status = 1;
    Event event(clCreateUserEvent(context_, &status));
    EXPECT_EQ(status, CL_SUCCESS);
    return event;
  }

  template <class T> std::vector<T> read(cl_mem buffer, size_t count, size_t offset = 0) {
    std::vector<T> data(count);
    EXPECT_EQ(clEnqueueReadBuffer(queue_, buffer, CL_TRUE, offset, count * sizeof(T), data.data(),
                                  0, nullptr, nullptr),
              CL_SUCCESS);
    return data;
  }

  template <class T> void write(cl_mem buffer, const std::vector<T> &data, size_t offset = 0) {
    EXPECT_EQ(clEnqueueWriteBuffer(queue_, buffer, CL_TRUE, offset, data.size() * sizeof(T),
                                   data.data(), 0, nullptr, nullptr),
              CL_SUCCESS);
  }

  Program build(const char *source, const char *options = "") {
    cl_int status = 1;
    Program program(clCreateProgramWithSource(context_, 1, &source, nullptr, &status));
    EXPECT_EQ(status, CL_SUCCESS);
    status = clBuildProgram(program, 1, &device_, options, nullptr, nullptr);
    if (status != CL_SUCCESS) {
      std::string log(1 << 14, '\0');
      clGetProgramBuildInfo(program, device_, CL_PROGRAM_BUILD_LOG, log.size(), log.data(),
                            nullptr);
      ADD_FAILURE() << "build failed with " << status << ": " << log.c_str();
    }
    return program;
  }

  Kernel make_kernel(cl_program program, const char *name) {
    cl_int status = 1;
    Kernel kernel(clCreateKernel(program, name, &status));
    EXPECT_EQ(status, CL_SUCCESS);
    return kernel;
  }

  template <class T> T device_info(cl_device_info name) {
    T value{};
    EXPECT_EQ(clGetDeviceInfo(device_, name, sizeof value, &value, nullptr), CL_SUCCESS);
    return value;
  }

  // Returns the sizes that intel_reqd_sub_group_size may request.
  std::vector<size_t> sub_group_sizes() {
    constexpr cl_device_info sizes_query = 0x4108; // CL_DEVICE_SUB_GROUP_SIZES_INTEL
    size_t bytes = 0;
    EXPECT_EQ(clGetDeviceInfo(device_, sizes_query, 0, nullptr, &bytes), CL_SUCCESS);
    std::vector<size_t> sizes(bytes / sizeof(size_t));
    EXPECT_EQ(clGetDeviceInfo(device_, sizes_query, bytes, sizes.data(), nullptr), CL_SUCCESS);
    return sizes;
  }
  bool has_sub_group_size(size_t size) {
    for (size_t one : sub_group_sizes())
      if (one == size)
        return true;
    return false;
  }

  cl_device_id device_ = nullptr;
  Context context_;
  Queue queue_;
};

template <class T> T event_info(cl_event event, cl_event_info name) {
  T value{};
  EXPECT_EQ(clGetEventInfo(event, name, sizeof value, &value, nullptr), CL_SUCCESS);
  return value;
}

inline cl_int status_of(cl_event event) {
  return event_info<cl_int>(event, CL_EVENT_COMMAND_EXECUTION_STATUS);
}

template <class T> T memory_info(cl_mem memory, cl_mem_info name) {
  T value{};
  EXPECT_EQ(clGetMemObjectInfo(memory, name, sizeof value, &value, nullptr), CL_SUCCESS);
  return value;
}

template <class T> T queue_info(cl_command_queue queue, cl_command_queue_info name) {
  T value{};
  EXPECT_EQ(clGetCommandQueueInfo(queue, name, sizeof value, &value, nullptr), CL_SUCCESS);
  return value;
}

} // namespace lockstep::test
