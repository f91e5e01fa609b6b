// An OpenCL layer that changes two answers about the device, for applications that only know some GPUs.
// ggml refuses a device whose name is not Intel's or Adreno's, and its kernels assume the largest
// work-group of these.
//
// Requires OPENCL_LAYERS=<this library>. LAYER_DEVICE_NAME is the name of each device,
// LAYER_WORK_GROUP_SIZE the size of the largest work-group of each device and kernel. What is not set
// stays as it is.
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl_layer.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace {

cl_icd_dispatch next;
cl_icd_dispatch ours;

void limit(cl_int error, size_t size, void *value) {
  const char *most = std::getenv("LAYER_WORK_GROUP_SIZE");
  size_t reported = 0;
  if (error != CL_SUCCESS || most == nullptr || value == nullptr || size < sizeof reported) {
    return;
  }
  std::memcpy(&reported, value, sizeof reported);
  reported = std::min<size_t>(reported, std::strtoul(most, nullptr, 10));
  std::memcpy(value, &reported, sizeof reported);
}

cl_int CL_API_CALL get_device_info(cl_device_id device, cl_device_info what, size_t size,
                                   void *value, size_t *size_ret) {
  const char *name = std::getenv("LAYER_DEVICE_NAME");
  if (what != CL_DEVICE_NAME || name == nullptr) {
    const cl_int error = next.clGetDeviceInfo(device, what, size, value, size_ret);
    if (what == CL_DEVICE_MAX_WORK_GROUP_SIZE) {
      limit(error, size, value);
    }
    return error;
  }
  const size_t needed = std::strlen(name) + 1;
  if (size_ret != nullptr) {
    *size_ret = needed;
  }
  if (value != nullptr && size < needed) {
    return CL_INVALID_VALUE;
  }
  if (value != nullptr) {
    std::memcpy(value, name, needed);
  }
  return CL_SUCCESS;
}

cl_int CL_API_CALL get_work_group_info(cl_kernel kernel, cl_device_id device,
                                       cl_kernel_work_group_info what, size_t size, void *value,
                                       size_t *size_ret) {
  const cl_int error = next.clGetKernelWorkGroupInfo(kernel, device, what, size, value, size_ret);
  if (what == CL_KERNEL_WORK_GROUP_SIZE) {
    limit(error, size, value);
  }
  return error;
}

} // namespace

extern "C" {

CL_API_ENTRY cl_int CL_API_CALL clGetLayerInfo(cl_layer_info what, size_t size, void *value,
                                               size_t *size_ret) {
  const cl_layer_api_version version = CL_LAYER_API_VERSION_100;
  if (what != CL_LAYER_API_VERSION || (value != nullptr && size < sizeof version)) {
    return CL_INVALID_VALUE;
  }
  if (value != nullptr) {
    std::memcpy(value, &version, sizeof version);
  }
  if (size_ret != nullptr) {
    *size_ret = sizeof version;
  }
  return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clInitLayer(cl_uint count, const cl_icd_dispatch *target,
                                            cl_uint *count_ret, const cl_icd_dispatch **layer) {
  if (count_ret == nullptr || layer == nullptr || count < sizeof next / sizeof(void *)) {
    return CL_INVALID_VALUE;
  }
  next = *target;
  ours = next;
  ours.clGetDeviceInfo = get_device_info;
  ours.clGetKernelWorkGroupInfo = get_work_group_info;
  *layer = &ours;
  *count_ret = sizeof ours / sizeof(void *);
  return CL_SUCCESS;
}

} // extern "C"
