// Device images of the program, and the kernels in them.
//
// A kernel is compiled on its first launch, together with the functions that it calls. So a kernel
// that cannot be compiled fails alone, and a program pays only for the kernels that it runs. Called
// functions may be in other images (SYCL_EXTERNAL). A kernel with specialization constants is
// compiled for each set of values.
#pragma once

#include "api/sycl/device.h"
#include "driver/compile.h"
#include "runtime/device/kernel.h"

#include "sycl/detail/library.hpp"

#include <array>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace lockstep::sycl_api {

// Values of specialization constants, sorted by name.
using Constants = std::vector<compiler::KernelConstant>;

// The position of an accessor in the function object of a kernel
// (tools/lockstep++/accessor_places.h).
struct AccessorPlace {
  enum class Kind { buffer, local, image } kind;
  uint32_t offset;
  bool is_in_union; // the bytes may belong to another union member
};

// A kernel of the program. Lives as long as its image.
struct ImageKernel {
  const sycl::detail::image *image = nullptr;
  std::string name;
  std::vector<sycl::aspect> aspects;         // aspects that it requires of a device
  std::size_t sub_group_size = 0;            // required size; 0: none
  std::array<uint64_t, 3> work_group_size{}; // required size; the contiguous dimension first
  std::vector<std::string> constants; // specialization constants that it uses in its own image
  std::vector<std::string> globals;   // device variables that it uses in its own image
  std::vector<AccessorPlace> accessors;
  std::string function; // the type of its function object, if the program gave the kernel no name
  std::string title;    // for reports; `members` are the captures of its function object
  std::vector<compiler::FunctionMember> members;
  bool is_over_range = false;
  // For a free-function kernel; set on the first query.
  std::once_flag parameters_once;
  std::optional<std::vector<sycl::detail::parameter_place>> parameters;

  struct Compiled {
    std::shared_ptr<const compiler::KernelModule> program;
    std::map<const runtime::Device *, std::shared_ptr<runtime::Kernel>> on;
  };
  std::map<Constants, Compiled> compiled; // guarded by the lock of all images
  // Compiled without constants, for the first root device, which is nearly always the only one.
  std::atomic<runtime::Kernel *> on_first = nullptr;
  std::shared_ptr<void> id; // a KernelId (kernel_bundle.h)
};

void add_image(const sycl::detail::image &added);
void remove_image(const sycl::detail::image &removed);
void keep_initial_contents_of_variables(); // device_variables.h

// Throws if the image has no kernel of this name.
ImageKernel &kernel_in_image(const sycl::detail::kernel_reference &reference);
// Looks in that image, or in all images; null: there is no such kernel.
ImageKernel *find_kernel(const sycl::detail::kernel_reference &reference);
std::vector<ImageKernel *> all_kernels();

// Throws if the image is of another version, the kernel does not compile, or the device lacks a
// required feature.
std::shared_ptr<runtime::Kernel> compiled_kernel(ImageKernel &kernel, const Device &device,
                                                 const Constants &constants);
// The specialization constants that the kernel uses, including those of functions in other images.
std::vector<std::string> constants_of(const ImageKernel &kernel);
// The module that the kernel was compiled from; call after compiled_kernel.
std::shared_ptr<const compiler::KernelModule>
module_of(const ImageKernel &kernel, const Device &device, const Constants &constants);
// Like compiled_kernel, for the common launch without specialization constants.
runtime::Kernel &kernel_of(ImageKernel &kernel, const Device &device);

// True if the device has all features that the kernel requires.
bool is_compatible(const ImageKernel &kernel, const Device &device);

} // namespace lockstep::sycl_api
