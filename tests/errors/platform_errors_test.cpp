// Tests every error of the platform functions (OpenCL 3.0 API section 4.1), and the look-up of
// functions by name.
#include "error_fixture.h"

#include <CL/cl_ext.h>

using namespace lockstep::test;

namespace {

class PlatformErrors : public ErrorTest {
protected:
  void SetUp() override {
    ErrorTest::SetUp();
    platform_ = find_platform();
  }
  // Returns a handle of another kind, which is not a platform.
  cl_platform_id no_platform() { return reinterpret_cast<cl_platform_id>(context_.get()); }
  cl_platform_id platform_ = nullptr;
};

TEST_F(PlatformErrors, GetPlatformIDs) {
  using Function = cl_int(CL_API_CALL *)(cl_uint, cl_platform_id *, cl_uint *);
  // The loader answers clGetPlatformIDs itself; this is the library's own function.
  auto get = reinterpret_cast<Function>(
      clGetExtensionFunctionAddressForPlatform(platform_, "clIcdGetPlatformIDsKHR"));
  ASSERT_NE(get, nullptr);
  cl_platform_id found = nullptr;
  EXPECT_EQ(get(0, &found, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(get(0, nullptr, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(get(1, nullptr, nullptr), CL_INVALID_VALUE);
  cl_uint count = 0;
  EXPECT_EQ(get(1, &found, &count), CL_SUCCESS);
  EXPECT_EQ(found, platform_);
  EXPECT_EQ(count, 1u);
}

TEST_F(PlatformErrors, GetPlatformInfo) {
  char text[256];
  EXPECT_EQ(clGetPlatformInfo(no_platform(), CL_PLATFORM_NAME, sizeof text, text, nullptr),
            CL_INVALID_PLATFORM);
  EXPECT_EQ(clGetPlatformInfo(platform_, CL_DEVICE_NAME, sizeof text, text, nullptr),
            CL_INVALID_VALUE);
  EXPECT_EQ(clGetPlatformInfo(platform_, CL_PLATFORM_NAME, sizeof "Lockstep" - 1, text, nullptr),
            CL_INVALID_VALUE);
  EXPECT_EQ(clGetPlatformInfo(platform_, CL_PLATFORM_NAME, 0, text, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(clGetPlatformInfo(platform_, CL_PLATFORM_NAME, sizeof "Lockstep", text, nullptr),
            CL_SUCCESS);
  EXPECT_STREQ(text, "Lockstep");
  EXPECT_EQ(clGetPlatformInfo(platform_, CL_PLATFORM_NAME, 0, nullptr, nullptr), CL_SUCCESS);
}

TEST_F(PlatformErrors, UnloadPlatformCompiler) {
  EXPECT_EQ(clUnloadPlatformCompiler(no_platform()), CL_INVALID_PLATFORM);
  EXPECT_EQ(clUnloadPlatformCompiler(platform_), CL_SUCCESS);
}

TEST_F(PlatformErrors, FunctionAddress) {
  EXPECT_EQ(clGetExtensionFunctionAddressForPlatform(platform_, "clNoSuchFunction"), nullptr);
  EXPECT_EQ(clGetExtensionFunctionAddressForPlatform(platform_, ""), nullptr);
  // The library returns no function of an extension that it does not report.
  EXPECT_EQ(clGetExtensionFunctionAddressForPlatform(platform_, "clTerminateContextKHR"), nullptr);
  EXPECT_EQ(clGetExtensionFunctionAddressForPlatform(platform_, "clCreateAcceleratorINTEL"),
            nullptr);
  EXPECT_EQ(clGetExtensionFunctionAddressForPlatform(no_platform(),
                                                     "clGetKernelSuggestedLocalWorkSizeKHR"),
            nullptr);
}

} // namespace
