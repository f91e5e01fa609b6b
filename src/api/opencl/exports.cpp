// The three functions that liblockstep.so exports (cl_khr_icd, section "Inferring Vendors from
// Function Call Arguments"). Programs reach all other functions through the dispatch table of the
// handles or by name.
#include "api/opencl/object.h"

#define LOCKSTEP_EXPORT extern "C" [[gnu::visibility("default")]]

using lockstep::opencl::icd_dispatch;

LOCKSTEP_EXPORT void *clGetExtensionFunctionAddress(const char *name) {
  return icd_dispatch.clGetExtensionFunctionAddress(name);
}

LOCKSTEP_EXPORT cl_int clIcdGetPlatformIDsKHR(cl_uint num_entries, cl_platform_id *platforms,
                                              cl_uint *num_platforms) {
  return icd_dispatch.clGetPlatformIDs(num_entries, platforms, num_platforms);
}

LOCKSTEP_EXPORT cl_int clGetPlatformInfo(cl_platform_id platform, cl_platform_info name,
                                         size_t size, void *value, size_t *size_ret) {
  return icd_dispatch.clGetPlatformInfo(platform, name, size, value, size_ret);
}
