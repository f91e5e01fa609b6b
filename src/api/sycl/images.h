// Device images of the program, and the kernels in them.
//
// A kernel is compiled alone, with what it calls, when it is first launched: one that cannot be compiled fails alone, and
// a program pays for what it runs. What it calls may be in other images (SYCL_EXTERNAL). A kernel with specialization
// constants is compiled for each set of their values.
#pragma once

#include "api/sycl/device.h"
#include "compiler/compile.h"
#include "runtime/kernel.h"

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

// Values of specialization constants, in the order of their names.
using Constants = std::vector<compiler::KernelConstant>;

// Where an accessor lies in the function object of a kernel (tools/lockstep++/accessor_places.h).
struct AccessorPlace {
  enum class Kind { buffer, local, image } kind;
  uint32_t offset;
  bool is_in_union; // something else may stand there
};

// A kernel of the program. Lives as long as its image.
struct ImageKernel {
  const sycl::detail::image *image = nullptr;
  std::string name;
  std::vector<sycl::aspect> aspects;         // that it says a device must have
  std::size_t sub_group_size = 0;            // that it requires; 0: none
  std::array<uint64_t, 3> work_group_size{}; // the same; the contiguous dimension first
  std::vector<std::string> constants;        // specialization constants that it uses in its image
  std::vector<std::string> globals;          // variables of the device, the same
  std::vector<AccessorPlace> accessors;
  std::string title; // for reports, as what its function object has captured
  std::vector<compiler::FunctionMember> members;
  bool is_over_range = false;
  // Of a kernel that is a function, once somebody has asked for it.
  std::once_flag parameters_once;
  std::optional<std::vector<sycl::detail::parameter_place>> parameters;

  struct Compiled {
    std::shared_ptr<const compiler::KernelModule> program;
    std::map<const runtime::Device *, std::shared_ptr<runtime::Kernel>> on;
  };
  std::map<Constants, Compiled> compiled; // guarded by the lock of all images
  // Compiled without constants, on the first root device, which nearly always is the only one.
  std::atomic<runtime::Kernel *> on_first = nullptr;
  std::shared_ptr<void> id; // kernel_bundle.h
};

void add_image(const sycl::detail::image &added);
void remove_image(const sycl::detail::image &removed);

// Throws if the image has none of this name.
ImageKernel &kernel_in_image(const sycl::detail::kernel_reference &reference);
// Of that image, or else of any; null: there is none.
ImageKernel *find_kernel(const sycl::detail::kernel_reference &reference);
std::vector<ImageKernel *> all_kernels();

// Throws: the image is of another version, the kernel does not compile, or the device lacks what it needs.
std::shared_ptr<runtime::Kernel> compiled_kernel(ImageKernel &kernel, const Device &device,
                                                 const Constants &constants);
// The specialization constants that it and the functions in other images that it may call use.
std::vector<std::string> constants_of(const ImageKernel &kernel);
// What it was compiled of; after compiled_kernel.
std::shared_ptr<const compiler::KernelModule> module_of(const ImageKernel &kernel,
                                                        const Constants &constants);
// The same for a launch without specialization constants, which nearly all are.
runtime::Kernel &kernel_of(ImageKernel &kernel, const Device &device);

// Has the device what the kernel says it needs?
bool is_compatible(const ImageKernel &kernel, const Device &device);

} // namespace lockstep::sycl_api
