// Tests every error of the context functions (OpenCL 3.0 API section 4.4).
#include "error_fixture.h"

using namespace lockstep::test;

namespace {

class ContextErrors : public ErrorTest {
protected:
  using Properties = std::vector<cl_context_properties>;
  cl_context_properties platform() {
    return reinterpret_cast<cl_context_properties>(find_platform());
  }

  void expect_create(cl_int code, Properties properties) {
    properties.push_back(0);
    expect_null(code, [&](cl_int *status) {
      return clCreateContext(properties.data(), 1, &device_, nullptr, nullptr, status);
    });
    if (properties[0] == CL_CONTEXT_PLATFORM && properties[1] != platform())
      return; // the loader uses this property to find the platform
    expect_null(code, [&](cl_int *status) {
      return clCreateContextFromType(properties.data(), CL_DEVICE_TYPE_CPU, nullptr, nullptr,
                                     status);
    });
  }
};

TEST_F(ContextErrors, Properties) {
  expect_create(CL_INVALID_PLATFORM,
                {CL_CONTEXT_PLATFORM, reinterpret_cast<cl_context_properties>(context_.get())});
  expect_create(CL_INVALID_PROPERTY,
                {CL_CONTEXT_PLATFORM, platform(), CL_CONTEXT_PLATFORM, platform()});
  expect_create(CL_INVALID_PROPERTY, {CL_CONTEXT_PLATFORM, platform(), 0x4321, 1});
  expect_create(CL_INVALID_PROPERTY,
                {CL_CONTEXT_PLATFORM, platform(), CL_CONTEXT_INTEROP_USER_SYNC, 2});
}

TEST_F(ContextErrors, Devices) {
  const cl_device_id wrong[] = {device_, reinterpret_cast<cl_device_id>(context_.get())};
  const cl_device_id with_null[] = {device_, nullptr};
  expect_null(CL_INVALID_VALUE, [&](cl_int *status) {
    return clCreateContext(nullptr, 0, &device_, nullptr, nullptr, status);
  });
  expect_null(CL_INVALID_VALUE, [&](cl_int *status) {
    return clCreateContext(nullptr, 1, nullptr, nullptr, nullptr, status);
  });
  expect_null(CL_INVALID_DEVICE, [&](cl_int *status) {
    return clCreateContext(nullptr, 2, wrong, nullptr, nullptr, status);
  });
  expect_null(CL_INVALID_DEVICE, [&](cl_int *status) {
    return clCreateContext(nullptr, 2, with_null, nullptr, nullptr, status);
  });
}

TEST_F(ContextErrors, Notify) {
  int data = 0;
  expect_null(CL_INVALID_VALUE, [&](cl_int *status) {
    return clCreateContext(nullptr, 1, &device_, nullptr, &data, status);
  });
  const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM, platform(), 0};
  expect_null(CL_INVALID_VALUE, [&](cl_int *status) {
    return clCreateContextFromType(properties, CL_DEVICE_TYPE_CPU, nullptr, &data, status);
  });
}

TEST_F(ContextErrors, DeviceTypes) {
  const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM, platform(), 0};
  auto create = [&](cl_device_type type) {
    return [&properties, type](cl_int *status) {
      return clCreateContextFromType(properties, type, nullptr, nullptr, status);
    };
  };
  expect_null(CL_INVALID_DEVICE_TYPE, create(0));
  expect_null(CL_INVALID_DEVICE_TYPE, create(1 << 20));
  expect_null(CL_DEVICE_NOT_FOUND, create(CL_DEVICE_TYPE_GPU));
}

TEST_F(ContextErrors, RetainReleaseQuery) {
  cl_uint count = 0;
  expect(CL_INVALID_CONTEXT, clRetainContext(no_context()));
  expect(CL_INVALID_CONTEXT, clReleaseContext(no_context()));
  expect(CL_INVALID_CONTEXT,
         clGetContextInfo(no_context(), CL_CONTEXT_NUM_DEVICES, sizeof count, &count, nullptr));
  expect(CL_INVALID_VALUE,
         clGetContextInfo(context_, CL_DEVICE_NAME, sizeof count, &count, nullptr), "param_name");
  expect(CL_INVALID_VALUE, clGetContextInfo(context_, CL_CONTEXT_NUM_DEVICES, 1, &count, nullptr),
         "param_value_size is 1");
}

TEST_F(ContextErrors, StaleHandle) {
  cl_int status = 1;
  cl_context stale = clCreateContext(nullptr, 1, &device_, nullptr, nullptr, &status);
  ASSERT_EQ(status, CL_SUCCESS);
  EXPECT_EQ(clReleaseContext(stale), CL_SUCCESS);
  EXPECT_EQ(clReleaseContext(stale), CL_INVALID_CONTEXT);
  EXPECT_EQ(clRetainContext(stale), CL_INVALID_CONTEXT);
  expect_null(CL_INVALID_CONTEXT, [&](cl_int *code) {
    return clCreateBuffer(stale, CL_MEM_READ_WRITE, 64, nullptr, code);
  });
}

TEST_F(ContextErrors, DestructorCallback) {
  auto callback = [](cl_context, void *) {};
  expect(CL_INVALID_CONTEXT, clSetContextDestructorCallback(no_context(), callback, nullptr));
  expect(CL_INVALID_VALUE, clSetContextDestructorCallback(context_, nullptr, nullptr),
         "pfn_notify is null");
}

} // namespace
