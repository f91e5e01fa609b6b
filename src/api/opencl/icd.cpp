// What the ICD loader and programs find by name: the dispatch table, the lookup of entry points,
// and the implementations of the exported functions.
#include "api/opencl/device.h"
#include "api/opencl/entry_points.h"
#include "api/opencl/error.h"
#include "api/opencl/inherited.h"
#include "api/opencl/object.h"
#include "api/opencl/platform.h"
#include "platform/linux/fork.h"
#include "runtime/device/device.h"
#include "support/message.h"

#include <cstdio>
#include <cstring>
#include <cxxabi.h>
#include <exception>
#include <new>
#include <string_view>
#include <tuple>
#include <type_traits>

namespace lockstep::opencl {
namespace {

// Returns an argument that is a handle as a pointer, and null for any other argument.
template <class T> const void *as_pointer(T argument) {
  if constexpr (std::is_pointer_v<T> && std::is_class_v<std::remove_pointer_t<T>>)
    return argument;
  else
    return nullptr;
}

// Wraps an entry point so that no exception reaches the C program.
//
// std::bad_alloc becomes CL_OUT_OF_HOST_MEMORY, so entry points need not catch it. Other exceptions
// come from the C++ library (std::system_error of a lock or thread, std::length_error) or from a
// callback of the program. They become CL_OUT_OF_RESOURCES, the code for "a failure to allocate
// resources required by the OpenCL implementation". The unwinding of pthread_exit in a callback
// passes through.
template <auto function, bool counts_references> struct Guard;

// Returns true for functions that only retain, release or free their argument.
constexpr bool counts_references(std::string_view name) {
  return name.starts_with("clRetain") || name.starts_with("clRelease") || name == "clSVMFree" ||
         name == "clMemFreeINTEL" || name == "clMemBlockingFreeINTEL";
}

template <class R, class... Arguments, R (*function)(Arguments...), bool counts_references>
struct Guard<function, counts_references> {
  static R CL_API_CALL call(Arguments... arguments) {
    try {
      if (fork_generation() != 0) [[unlikely]]
        return call_in_child(arguments...);
      return function(arguments...);
    } catch (const std::bad_alloc &) {
      return failed(CL_OUT_OF_HOST_MEMORY, arguments...);
    } catch (const std::exception &exception) {
      print_message("an OpenCL function fails by an exception: %s", exception.what());
      return failed(CL_OUT_OF_RESOURCES, arguments...);
    } catch (const abi::__forced_unwind &) {
      throw;
    } catch (...) {
      print_message("an OpenCL function fails by an unknown exception");
      return failed(CL_OUT_OF_RESOURCES, arguments...);
    }
  }

  // Objects from before fork() belong to the parent process, which releases them. In the child they
  // are not valid.
  static R call_in_child(Arguments... arguments) {
    runtime::first_root_device(); // initializes the runtime in this process
    const InheritedArgument inherited({as_pointer(arguments)...});
    if constexpr (counts_references)
      if (inherited.is_there())
        return R(); // CL_SUCCESS
    return function(arguments...);
  }

  static R failed(cl_int code, Arguments... arguments) {
    if constexpr (sizeof...(Arguments) > 0) {
      // errcode_ret is always the last parameter.
      auto last = std::get<sizeof...(Arguments) - 1>(std::tuple(arguments...));
      if constexpr (std::is_same_v<decltype(last), cl_int *> && std::is_pointer_v<R>)
        if (last)
          *last = code;
    }
    if constexpr (std::is_same_v<R, cl_int>)
      return code;
    else if constexpr (!std::is_void_v<R>)
      return nullptr;
  }
};

struct NamedFunction {
  const char *name;
  void *function;
};

#define ENTRY_POINT(name)                                                                          \
  {#name, reinterpret_cast<void *>(&Guard<&name, counts_references(#name)>::call)},
#define EXTENSION(name, type)                                                                      \
  {#name, reinterpret_cast<void *>(&Guard<&name, counts_references(#name)>::call)},
#define NO_ENTRY_POINT(name)
const NamedFunction functions[] = {
#include "api/opencl/entry_points.def"
};
#undef ENTRY_POINT
#undef EXTENSION
#undef NO_ENTRY_POINT

void *find_function(const char *name) {
  if (!name)
    return nullptr;
  for (const NamedFunction &candidate : functions)
    if (std::strcmp(candidate.name, name) == 0)
      return candidate.function;
  return nullptr;
}

} // namespace

namespace {

#define ENTRY_POINT(name) .name = &Guard<&name, counts_references(#name)>::call,
#define EXTENSION(name, type)
#define NO_ENTRY_POINT(name) .name = nullptr,
constexpr IcdDispatch functions_by_slot = {{
#include "api/opencl/entry_points.def"
                                           },
                                           &Guard<&clGetKernelSuggestedLocalWorkSize, false>::call};
#undef ENTRY_POINT
#undef EXTENSION
#undef NO_ENTRY_POINT

// Loaders dispatch neither function. In these slots a loader of version 2 finds the mark that the
// second word of each handle is its own (cl_khr_icd 2.0, "Adding a Vendor Library").
IcdDispatch marked(IcdDispatch table) {
  table.clGetPlatformIDs = reinterpret_cast<cl_api_clGetPlatformIDs>(CL_ICD2_TAG_KHR);
  table.clUnloadCompiler = reinterpret_cast<cl_api_clUnloadCompiler>(CL_ICD2_TAG_KHR);
  return table;
}

} // namespace

const IcdDispatch icd_dispatch = marked(functions_by_slot);
constinit std::atomic<void *> icd_dispatch_data{nullptr};

void *clGetExtensionFunctionAddress(const char *name) {
  return find_function(name);
}

void *clGetExtensionFunctionAddressForPlatform(cl_platform_id platform, const char *name) {
  return is_platform(platform) ? find_function(name) : nullptr;
}

cl_int clIcdGetPlatformIDsKHR(cl_uint num_entries, cl_platform_id *platforms,
                              cl_uint *num_platforms) {
  return lockstep::opencl::clGetPlatformIDs(num_entries, platforms, num_platforms);
}

void *clIcdGetFunctionAddressForPlatformKHR(cl_platform_id platform, const char *name) {
  return is_platform(platform) ? find_function(name) : nullptr;
}

cl_int clIcdSetPlatformDispatchDataKHR(cl_platform_id platform, void *dispatch_data) {
  EntryPoint api("clIcdSetPlatformDispatchDataKHR");
  if (!is_platform(platform))
    return api.fail(CL_INVALID_PLATFORM, "platform is not a valid platform (cl_khr_icd 2.0)");
  icd_dispatch_data = dispatch_data;
  the_platform()->dispatch_data = dispatch_data;
  for (cl_device_id device : the_platform()->known_devices()) // later ones take it from there
    device->dispatch_data = dispatch_data;
  return api.success();
}

} // namespace lockstep::opencl
