// Tests contexts (OpenCL 3.0 API section 4.4).
#include "opencl_fixture.h"

using namespace lockstep::test;

namespace {

class ContextTest : public DeviceTest {
protected:
  template <class T> std::vector<T> list(cl_context context, cl_context_info name) {
    size_t size = 1;
    EXPECT_EQ(clGetContextInfo(context, name, 0, nullptr, &size), CL_SUCCESS);
    std::vector<T> values(size / sizeof(T));
    EXPECT_EQ(clGetContextInfo(context, name, size, values.data(), nullptr), CL_SUCCESS);
    return values;
  }

  std::vector<cl_device_id> all_devices() {
    cl_uint count = 0;
    EXPECT_EQ(clGetDeviceIDs(find_platform(), CL_DEVICE_TYPE_ALL, 0, nullptr, &count), CL_SUCCESS);
    std::vector<cl_device_id> devices(count);
    EXPECT_EQ(clGetDeviceIDs(find_platform(), CL_DEVICE_TYPE_ALL, count, devices.data(), nullptr),
              CL_SUCCESS);
    return devices;
  }
};

TEST_F(ContextTest, SaysWhatItWasMadeOf) {
  EXPECT_EQ(list<cl_device_id>(context_, CL_CONTEXT_DEVICES), std::vector{device_});
  EXPECT_EQ(list<cl_uint>(context_, CL_CONTEXT_NUM_DEVICES), std::vector{1u});
  EXPECT_TRUE(list<cl_context_properties>(context_, CL_CONTEXT_PROPERTIES).empty());
}

TEST_F(ContextTest, KeepsPropertiesInOrder) {
  const std::vector<cl_context_properties> properties = {
      CL_CONTEXT_INTEROP_USER_SYNC, CL_TRUE, CL_CONTEXT_PLATFORM,
      reinterpret_cast<cl_context_properties>(find_platform()), 0};
  cl_int status = 1;
  Context context(clCreateContext(properties.data(), 1, &device_, nullptr, nullptr, &status));
  EXPECT_EQ(status, CL_SUCCESS);
  EXPECT_EQ(list<cl_context_properties>(context, CL_CONTEXT_PROPERTIES), properties);
  Context by_type(
      clCreateContextFromType(properties.data(), CL_DEVICE_TYPE_ALL, nullptr, nullptr, &status));
  EXPECT_EQ(status, CL_SUCCESS);
  EXPECT_EQ(list<cl_context_properties>(by_type, CL_CONTEXT_PROPERTIES), properties);
  EXPECT_EQ(list<cl_device_id>(by_type, CL_CONTEXT_DEVICES), all_devices());
}

TEST_F(ContextTest, IgnoresRepeatedDevices) {
  const cl_device_id devices[] = {device_, device_, device_};
  cl_int status = 1;
  Context context(clCreateContext(nullptr, 3, devices, nullptr, nullptr, &status));
  EXPECT_EQ(status, CL_SUCCESS);
  EXPECT_EQ(list<cl_device_id>(context, CL_CONTEXT_DEVICES), std::vector{device_});
}

TEST_F(ContextTest, CountsOnlyTheProgramsReferences) {
  Memory buffer = make_buffer(64);
  EXPECT_EQ(list<cl_uint>(context_, CL_CONTEXT_REFERENCE_COUNT), std::vector{1u});
  EXPECT_EQ(clRetainContext(context_), CL_SUCCESS);
  EXPECT_EQ(list<cl_uint>(context_, CL_CONTEXT_REFERENCE_COUNT), std::vector{2u});
  EXPECT_EQ(clReleaseContext(context_), CL_SUCCESS);
}

// "The context is deleted after the reference count becomes zero and all objects attached to it are
// released."
TEST_F(ContextTest, LivesAsLongAsItsObjects) {
  Context context = make_context();
  static int calls;
  calls = 0;
  EXPECT_EQ(clSetContextDestructorCallback(
                context, [](cl_context, void *) { ++calls; }, nullptr),
            CL_SUCCESS);
  cl_int status = 1;
  Memory buffer(clCreateBuffer(context, CL_MEM_READ_WRITE, 64, nullptr, &status));
  EXPECT_EQ(status, CL_SUCCESS);
  context.reset();
  EXPECT_EQ(calls, 0);
  // The object still returns its context.
  cl_context found = memory_info<cl_context>(buffer, CL_MEM_CONTEXT);
  EXPECT_EQ(list<cl_device_id>(found, CL_CONTEXT_DEVICES), std::vector{device_});
  EXPECT_EQ(clRetainContext(found), CL_SUCCESS);
  buffer.reset();
  EXPECT_EQ(calls, 0);
  EXPECT_EQ(clReleaseContext(found), CL_SUCCESS);
  EXPECT_EQ(calls, 1);
}

TEST_F(ContextTest, DestructorCallbacksRunLastFirst) {
  static std::string order;
  order.clear();
  Context context = make_context();
  for (const char *name : {"a", "b", "c"})
    EXPECT_EQ(clSetContextDestructorCallback(
                  context, [](cl_context, void *data) { order += static_cast<const char *>(data); },
                  const_cast<char *>(name)),
              CL_SUCCESS);
  context.reset();
  EXPECT_EQ(order, "cba");
}

TEST_F(ContextTest, NotifyNamesFunctionAndRule) {
  Notifications notifications;
  cl_int status = 1;
  Context context(
      clCreateContext(nullptr, 1, &device_, Notifications::receive, &notifications, &status));
  EXPECT_EQ(clCreateBuffer(context, CL_MEM_READ_WRITE, 0, nullptr, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_BUFFER_SIZE);
  ASSERT_EQ(notifications.sentences.size(), 1u);
  EXPECT_EQ(notifications.sentences[0].rfind("clCreateBuffer: size is 0", 0), 0u)
      << notifications.sentences[0];
}

// Creates thousands of contexts and releases most: handles are reused, and live ones stay valid.
TEST_F(ContextTest, ManyContexts) {
  std::vector<Context> kept;
  for (int i = 0; i < 3000; ++i) {
    Context context = make_context();
    if (i % 7 == 0)
      kept.push_back(std::move(context));
  }
  for (Context &context : kept)
    ASSERT_EQ(list<cl_device_id>(context, CL_CONTEXT_DEVICES), std::vector{device_});
}

} // namespace
