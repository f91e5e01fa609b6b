// Tests every error of cl_khr_unified_svm.
#include "../programs/unified_svm_functions.h"
#include "error_fixture.h"

using namespace lockstep::test;
namespace svm = lockstep::test::unified_svm;

namespace {

class UnifiedSvmErrors : public ErrorTest {
protected:
  void expect_no(cl_int code, const char *word, const svm::Properties &properties,
                 cl_uint type = 0) {
    expect_null(
        code,
        [&](cl_int *status) { return f.allocate(context_, properties.data(), type, 64, status); },
        word);
    if (type == 0) {
      cl_uint suggested = 0;
      expect(code, f.suggest(context_, 0, 0, properties.data(), 64, &suggested), word);
    }
  }
  svm::Functions f;
};

TEST_F(UnifiedSvmErrors, Allocation) {
  const auto device = reinterpret_cast<cl_properties>(device_);
  expect_null(CL_INVALID_CONTEXT,
              [&](cl_int *status) { return f.allocate(no_context(), nullptr, 0, 64, status); });
  expect_no(CL_INVALID_PROPERTY, "not supported", {1, 1, 0});
  expect_no(CL_INVALID_PROPERTY, "twice", {svm::access_flags, 0, svm::access_flags, 0, 0});
  expect_no(CL_INVALID_PROPERTY, "device",
            {svm::associated_device, reinterpret_cast<cl_properties>(context_.get()), 0});
  expect_no(CL_INVALID_PROPERTY, "bits 0x4", {svm::access_flags, 5, 0});
  expect_no(CL_INVALID_PROPERTY, "CL_SVM_ALLOC_ALIGNMENT_KHR is 24", {svm::alignment, 24, 0});
  expect_no(CL_INVALID_PROPERTY, "CL_SVM_ALLOC_ALIGNMENT_KHR is 256", {svm::alignment, 256, 0});
  expect_no(CL_INVALID_VALUE, "svm_type_index", {svm::associated_device, device, 0}, 1000);
  cl_uint of_device = 0;
  EXPECT_EQ(f.suggest(context_, svm::device_owned, 0, nullptr, 0, &of_device), CL_SUCCESS);
  expect_no(CL_INVALID_PROPERTY, "belongs to a device", {svm::access_flags, 0, 0}, of_device);
  cl_int status = 1;
  EXPECT_EQ(f.allocate(context_, nullptr, 0, ~size_t{0} / 2, &status), nullptr);
  expect(CL_OUT_OF_RESOURCES, status, "section");
}

TEST_F(UnifiedSvmErrors, Freeing) {
  cl_int status = 1;
  auto *memory = static_cast<char *>(f.allocate(context_, nullptr, 0, 64, &status));
  ASSERT_EQ(status, CL_SUCCESS);
  const cl_properties some[] = {1, 1, 0}, none[] = {0};
  expect(CL_INVALID_CONTEXT, f.free(no_context(), nullptr, 0, memory));
  expect(CL_INVALID_PROPERTY, f.free(context_, some, 0, memory), "properties");
  expect(CL_INVALID_VALUE, f.free(context_, nullptr, 1, memory), "flags");
  expect(CL_INVALID_VALUE, f.free(context_, nullptr, 0, memory + 1), "beginning");
  EXPECT_EQ(f.free(other_context_, nullptr, 0, memory), CL_INVALID_VALUE);
  UnifiedMemory usm;
  void *of_intel = usm.host(context_, nullptr, 64, 0, &status);
  expect(CL_INVALID_VALUE, f.free(context_, nullptr, 0, of_intel), "beginning");
  expect(CL_INVALID_VALUE, usm.free(context_, memory), "ptr");
  EXPECT_EQ(usm.free(context_, of_intel), CL_SUCCESS);
  EXPECT_EQ(f.free(context_, none, 0, memory), CL_SUCCESS);
  expect(CL_INVALID_VALUE, f.free(context_, nullptr, 0, memory), "beginning");
}

TEST_F(UnifiedSvmErrors, Queries) {
  int own = 0;
  cl_uint type = 0;
  auto query = [&](cl_context context, cl_device_id device, cl_uint name, size_t size) {
    return f.info(context, device, &own, name, size, &type, nullptr);
  };
  expect(CL_INVALID_CONTEXT, query(no_context(), nullptr, svm::type_index, sizeof type));
  expect(
      CL_INVALID_DEVICE,
      query(context_, reinterpret_cast<cl_device_id>(context_.get()), svm::type_index, sizeof type),
      "device");
  expect(CL_INVALID_VALUE, query(context_, nullptr, 1, sizeof type), "param_name");
  expect(CL_INVALID_VALUE, query(context_, nullptr, svm::type_index, 1), "param_value_size");
  expect(CL_INVALID_CONTEXT, f.suggest(no_context(), 0, 0, nullptr, 0, &type));
  expect(CL_INVALID_VALUE, f.suggest(context_, 0, 0, nullptr, 0, nullptr),
         "suggested_svm_type_index");
}

TEST_F(UnifiedSvmErrors, Commands) {
  const svm::Properties of_device = {svm::associated_device,
                                     reinterpret_cast<cl_properties>(device_), 0};
  cl_uint type = 0;
  EXPECT_EQ(f.suggest(context_, svm::device_owned, 0, nullptr, 0, &type), CL_SUCCESS);
  cl_int status = 1;
  void *memory = f.allocate(context_, of_device.data(), type, 64, &status);
  ASSERT_EQ(status, CL_SUCCESS);
  expect(CL_INVALID_VALUE,
         clEnqueueSVMMap(queue_, CL_TRUE, CL_MAP_READ, memory, 64, 0, nullptr, nullptr),
         "cannot be mapped");
  expect(CL_INVALID_VALUE,
         clEnqueueSVMMemcpy(queue_, CL_TRUE, nullptr, memory, 4, 0, nullptr, nullptr), "dst_ptr");
  Program program = build("kernel void k() {}");
  Kernel kernel = make_kernel(program, "k");
  const cl_bool yes = CL_TRUE;
  expect(CL_INVALID_VALUE, clSetKernelExecInfo(kernel, svm::indirect_access, 1, &yes),
         "param_value_size");
  EXPECT_EQ(f.free(context_, nullptr, 0, memory), CL_SUCCESS);
}

} // namespace
