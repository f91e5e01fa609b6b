// The functions that liblockstep.so exports (cl_khr_icd, section "Inferring Vendors from
// Function Call Arguments"). Programs reach all other functions through the dispatch table of the
// handles or by name.
#include "api/opencl/extension_types.h"
#include "api/opencl/object.h"

#define LOCKSTEP_EXPORT extern "C" [[gnu::visibility("default")]]

using lockstep::opencl::icd_dispatch;

namespace {
template <class Function> Function named(const char *name) {
  return reinterpret_cast<Function>(icd_dispatch.clGetExtensionFunctionAddress(name));
}
} // namespace

LOCKSTEP_EXPORT void *clGetExtensionFunctionAddress(const char *name) {
  return icd_dispatch.clGetExtensionFunctionAddress(name);
}

LOCKSTEP_EXPORT cl_int clIcdGetPlatformIDsKHR(cl_uint num_entries, cl_platform_id *platforms,
                                              cl_uint *num_platforms) {
  return named<clIcdGetPlatformIDsKHR_fn>("clIcdGetPlatformIDsKHR")(num_entries, platforms,
                                                                    num_platforms);
}

LOCKSTEP_EXPORT void *clIcdGetFunctionAddressForPlatformKHR(cl_platform_id platform,
                                                            const char *name) {
  return named<clIcdGetFunctionAddressForPlatformKHR_fn>("clIcdGetFunctionAddressForPlatformKHR")(
      platform, name);
}

LOCKSTEP_EXPORT cl_int clIcdSetPlatformDispatchDataKHR(cl_platform_id platform,
                                                       void *dispatch_data) {
  return named<clIcdSetPlatformDispatchDataKHR_fn>("clIcdSetPlatformDispatchDataKHR")(
      platform, dispatch_data);
}

LOCKSTEP_EXPORT cl_int clGetPlatformInfo(cl_platform_id platform, cl_platform_info name,
                                         size_t size, void *value, size_t *size_ret) {
  return icd_dispatch.clGetPlatformInfo(platform, name, size, value, size_ret);
}
