#include "api/sycl/images.h"

#include "api/sycl/error.h"
#include "compiler/compile.h"

#include <fmt/format.h>
#include <map>
#include <mutex>
#include <string>

namespace lockstep::sycl_api {
namespace {

// A kernel of an image on each device that it was launched on.
struct KnownKernel {
  std::shared_ptr<const compiler::KernelModule> program;
  std::map<const runtime::Device *, std::shared_ptr<runtime::Kernel>> on;
};

// Never destroyed: programs launch kernels in their static destructors.
struct Images {
  std::mutex mutex;
  std::map<const sycl::detail::image *, std::map<std::string, KnownKernel, std::less<>>> all;
};
Images &images() {
  static Images &the_images = *new Images;
  return the_images;
}

void check_version(const sycl::detail::image &image) {
  if (std::string_view(image.version) != LOCKSTEP_VERSION)
    raise(sycl::errc::runtime,
          fmt::format("a device image was compiled by lockstep++ {}, and the library is Lockstep "
                      "{}: compile the program again",
                      image.version, LOCKSTEP_VERSION));
}

Result<std::shared_ptr<const compiler::KernelModule>>
program_of(const sycl::detail::image &image, std::string_view kernel, std::string &log) {
  auto program = compiler::link_kernel({image.bitcode, image.size}, kernel, log);
  LOCKSTEP_TRY(program);
  return std::make_shared<const compiler::KernelModule>(std::move(*program));
}

Result<std::shared_ptr<runtime::Kernel>>
make_kernel(const std::shared_ptr<const compiler::KernelModule> &program,
            const runtime::Device &device) {
  auto code = compiler::ProgramCode::create(program);
  LOCKSTEP_TRY(code);
  const compiler::KernelInfo &info = program->kernels.front();
  return device.make_kernel(std::move(*code), {program, &info},
                            compiler::preferred_work_group_size_multiple(info));
}

// With the lock held.
std::shared_ptr<runtime::Kernel> &known_kernel(const sycl::detail::kernel_reference &reference,
                                               const runtime::Device &device) {
  KnownKernel &known = images().all[reference.from][reference.name];
  std::string log;
  if (!known.program) {
    check_version(*reference.from);
    auto program = program_of(*reference.from, reference.name, log);
    if (!program)
      raise(code_of(program.error().kind),
            log.empty() ? program.error().message : program.error().message + "\n" + log);
    known.program = std::move(*program);
  }
  std::shared_ptr<runtime::Kernel> &kernel = known.on[&device];
  if (!kernel)
    kernel = value_or_raise(make_kernel(known.program, device));
  return kernel;
}

} // namespace

void add_image(const sycl::detail::image &added) {
  std::lock_guard lock(images().mutex);
  images().all[&added];
}

void remove_image(const sycl::detail::image &removed) {
  std::lock_guard lock(images().mutex);
  images().all.erase(&removed);
}

runtime::Kernel &kernel_of(const sycl::detail::kernel_reference &reference, const Device &device) {
  const runtime::Device &root = *device.root();
  // The reference remembers the kernel of the first root device, which nearly always is the only one.
  const bool is_first = &root == root_devices().front()->shared_runtime().get();
  if (is_first)
    if (void *known = __atomic_load_n(&reference.known, __ATOMIC_ACQUIRE))
      return *static_cast<runtime::Kernel *>(known);
  std::lock_guard lock(images().mutex);
  runtime::Kernel &kernel = *known_kernel(reference, root);
  if (is_first)
    __atomic_store_n(&reference.known, static_cast<void *>(&kernel), __ATOMIC_RELEASE);
  return kernel;
}

} // namespace lockstep::sycl_api
