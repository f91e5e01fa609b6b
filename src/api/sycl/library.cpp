#include "api/sycl/library.h"

#include "api/sycl/buffer.h"
#include "api/sycl/command_graph.h"
#include "api/sycl/context.h"
#include "api/sycl/device.h"
#include "api/sycl/error.h"
#include "api/sycl/event.h"
#include "api/sycl/image_object.h"
#include "api/sycl/images.h"
#include "api/sycl/kernel_bundle.h"
#include "api/sycl/of_process.h"
#include "api/sycl/opencl_interop.h"
#include "api/sycl/platform.h"
#include "api/sycl/queue.h"
#include "api/sycl/usm.h"

#include <string_view>

namespace lockstep::sycl_api {
namespace {

using sycl::detail::buffer_origin;
using sycl::detail::buffer_pointer;
using sycl::detail::context_pointer;
using sycl::detail::device_pointer;
using sycl::detail::event_pointer;
using sycl::detail::handler_of_errors;
using sycl::detail::image;
using sycl::detail::image_origin;
using sycl::detail::image_pointer;
using sycl::detail::kernel_bundle_pointer;
using sycl::detail::kernel_id_pointer;
using sycl::detail::kernel_reference;
using sycl::detail::library;
using sycl::detail::platform_pointer;
using sycl::detail::queue_options;
using sycl::detail::queue_pointer;

class Library final : public library {
public:
  const std::error_category &error_category() const override { return sycl_api::error_category(); }
  [[noreturn]] void raise(sycl::errc code, const std::string &what) const override {
    sycl_api::raise(code, what);
  }
  std::vector<platform_pointer> platforms() const override { return {the_platform()}; }
  context_pointer make_context(const std::vector<device_pointer> &devices,
                               handler_of_errors handler) const override {
    if (devices.empty())
      sycl_api::raise(sycl::errc::invalid,
                      "a context is made of no devices (SYCL 2020 section 4.6.3)");
    return make_of_process<Context>(devices, std::move(handler));
  }
  device_pointer default_device() const override { return sycl_api::default_device(); }
  context_pointer default_context(const platform_pointer &) const override {
    return sycl_api::default_context();
  }
  queue_pointer make_queue(const context_pointer &context, const device_pointer &device,
                           handler_of_errors handler, const queue_options &options) const override {
    return sycl_api::make_queue(context, device, std::move(handler), options);
  }
  event_pointer make_event() const override { return make_of_process<Event>(); }
  buffer_pointer make_buffer(const buffer_origin &origin) const override {
    return sycl_api::make_buffer(origin);
  }
  image_pointer make_image(const image_origin &origin) const override {
    return sycl_api::make_image(origin);
  }
  const sycl::detail::image_functions &images() const override { return image_functions(); }
  void *allocate(std::size_t bytes, std::size_t alignment, const context_pointer &context,
                 const device_pointer &device, sycl::usm::alloc kind) const override {
    return allocate_usm(bytes, alignment, context, device, kind);
  }
  void free(void *memory, const context_pointer &context) const override {
    free_usm(memory, context);
  }
  sycl::usm::alloc kind_of(const void *memory, const context_pointer &context) const override {
    return kind_of_usm(memory, context);
  }
  device_pointer device_of(const void *memory, const context_pointer &context) const override {
    return device_of_usm(memory, context);
  }
  kernel_id_pointer find_kernel(const kernel_reference &reference) const override {
    if (ImageKernel *found = sycl_api::find_kernel(reference))
      return id_of(*found);
    sycl_api::raise(sycl::errc::invalid,
                    std::string("the program has no kernel named ") + reference.name);
  }
  std::vector<kernel_id_pointer> all_kernels() const override {
    std::vector<kernel_id_pointer> ids;
    for (ImageKernel *one : sycl_api::all_kernels())
      ids.push_back(id_of(*one));
    return ids;
  }
  bool is_compatible(const kernel_id_pointer &kernel, const device_pointer &on) const override {
    return sycl_api::is_compatible(static_cast<KernelId &>(*kernel).kernel, device_behind(on));
  }
  void check_devices(const context_pointer &context,
                     const std::vector<device_pointer> &devices) const override {
    sycl_api::check_devices(static_cast<const Context &>(*context), devices);
  }
  kernel_bundle_pointer make_bundle(const context_pointer &context,
                                    const std::vector<device_pointer> &devices,
                                    const std::vector<kernel_id_pointer> &kernels,
                                    bool compile_now) const override {
    return sycl_api::make_bundle(context, devices, kernels, compile_now);
  }
  kernel_bundle_pointer derive_bundle(const std::vector<kernel_bundle_pointer> &from,
                                      const std::vector<device_pointer> &devices, bool has_devices,
                                      bool compile_now) const override {
    return sycl_api::derive_bundle(from, has_devices ? &devices : nullptr, compile_now);
  }
  kernel_bundle_pointer bundle_of_source(const context_pointer &context, const std::string &source,
                                         bool is_spirv) const override {
    return sycl_api::bundle_of_source(context, source, is_spirv);
  }
  kernel_bundle_pointer build_source(const kernel_bundle_pointer &from,
                                     const std::vector<device_pointer> &devices,
                                     const std::string &options, std::string *log) const override {
    return sycl_api::build_source(from, devices, options, log);
  }
  const sycl::detail::opencl_interop &opencl() const override { return opencl_interop(); }
  const sycl::detail::graph_functions &graphs() const override { return graph_functions(); }
  void add_image(const image *added) const override { sycl_api::add_image(*added); }
  void remove_image(const image *removed) const override { sycl_api::remove_image(*removed); }
};

const Library the_library;

} // namespace
} // namespace lockstep::sycl_api

const sycl::detail::library *lockstep_sycl_of_version(const char *version) {
  return std::string_view(version) == LOCKSTEP_VERSION LOCKSTEP_SYCL_BORDER_WORDS
             ? &lockstep::sycl_api::the_library
             : nullptr;
}

// The headers call this function; inside the library it is defined here.
const sycl::detail::library &lockstep_sycl_library_of(unsigned) {
  return lockstep::sycl_api::the_library;
}
