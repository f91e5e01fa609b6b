// Kernels as objects: identifiers, bundles, and kernels of bundles. Kernels come from this program,
// from OpenCL C source or from SPIR-V.
#pragma once

#include "api/sycl/context.h"
#include "api/sycl/device.h"
#include "api/sycl/images.h"
#include "api/sycl/native_object.h"
#include "api/sycl/of_process.h"
#include "runtime/device/kernel.h"

#include "sycl/detail/library.hpp"

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lockstep::sycl_api {

class KernelId final : public sycl::detail::kernel_id_interface {
public:
  explicit KernelId(ImageKernel &of) : kernel(of) {}
  const char *name() const override { return kernel.name.c_str(); }
  void set_parameters(const std::vector<sycl::detail::parameter_place> &places) override {
    std::call_once(kernel.parameters_once, [&] { kernel.parameters = places; });
  }
  ImageKernel &kernel;
};

// Kernels of OpenCL C or SPIR-V, compiled for the root devices of a context.
struct SourceProgram {
  std::shared_ptr<const compiler::KernelModule> module; // null: not built yet
  // By name and root device.
  std::map<std::pair<std::string, const runtime::Device *>, std::shared_ptr<runtime::Kernel>> codes;
  // Builds the program if it is not built; takes options and a log.
  std::function<std::shared_ptr<const SourceProgram>(const std::string &, std::string &)> build;
  mutable NativeObject native;
};

class KernelObject final : public OfProcess, public sycl::detail::kernel_interface {
public:
  using Bundle = sycl::detail::kernel_bundle_pointer;

  // A kernel of the program, compiled when it is queried for a device.
  KernelObject(Bundle bundle, ImageKernel &kernel, Constants constants)
      : bundle_(std::move(bundle)), kernel_(&kernel), constants_(std::move(constants)) {}
  // A kernel of OpenCL C.
  KernelObject(Bundle bundle, std::string name, std::shared_ptr<const SourceProgram> program)
      : bundle_(std::move(bundle)), name_(std::move(name)), program_(std::move(program)) {}

  sycl::detail::context_pointer context() const override { return bundle_->context(); }
  Bundle bundle() const override { return bundle_; }
  void get_info(int number, void *to) const override;
  void get_info(int number, const sycl::detail::device_pointer &on, void *to) const override;

  bool is_of_source() const { return !kernel_; }
  const ImageKernel *in_image() const { return kernel_; } // null: a kernel of OpenCL C
  // Throws if the kernel was not compiled for the device.
  std::shared_ptr<runtime::Kernel> on(const Device &device) const;
  // The kernel for any of its devices; for properties that do not depend on the device.
  std::shared_ptr<runtime::Kernel> any() const;
  // The program that contains the kernel. For a kernel of this program, a program with only that
  // kernel.
  std::shared_ptr<const SourceProgram> program() const;
  NativeObject &native() const { return native_; }

private:
  const Bundle bundle_;
  ImageKernel *const kernel_ = nullptr;
  const Constants constants_;
  const std::string name_;
  const std::shared_ptr<const SourceProgram> program_;
  mutable NativeObject native_;
};

class KernelBundle final : public OfProcess, public sycl::detail::kernel_bundle_interface {
public:
  struct Entry {
    std::shared_ptr<KernelId> id;
    Constants constants; // values that were set before compilation
  };
  using Devices = std::vector<sycl::detail::device_pointer>;

  KernelBundle(std::shared_ptr<const Context> context, Devices devices)
      : context_(std::move(context)), devices_(std::move(devices)) {}

  sycl::detail::context_pointer context() const override {
    return std::const_pointer_cast<Context>(context_);
  }
  Devices devices() const override { return devices_; }
  std::vector<sycl::detail::kernel_id_pointer> kernel_ids() const override;
  bool has(const sycl::detail::kernel_id_pointer &kernel,
           const sycl::detail::device_pointer &on) const override;
  sycl::detail::kernel_pointer kernel_of(const sycl::detail::kernel_bundle_pointer &self,
                                         const sycl::detail::kernel_id_pointer &id) const override;
  bool has_source_kernels() const override { return !programs_.empty(); }
  bool has_source_kernel(const std::string &name) const override;
  sycl::detail::kernel_pointer source_kernel(const sycl::detail::kernel_bundle_pointer &self,
                                             const std::string &name) const override;
  bool uses_constant(const std::string &name) const override;
  void set_constant(const std::string &name, const void *value, std::size_t bytes) override;
  bool get_constant(const std::string &name, void *to, std::size_t bytes) const override;

  const std::shared_ptr<const Context> &own_context() const { return context_; }
  const Entry *find(const ImageKernel &kernel) const; // null: not in the bundle
  void add(Entry entry);
  void add(std::shared_ptr<const SourceProgram> program) {
    programs_.push_back(std::move(program));
  }
  void add_all_of(const KernelBundle &other);
  void compile(); // throws errc::build
  void compile(const std::string &options, std::string &log);
  const std::vector<std::shared_ptr<const SourceProgram>> &programs() const { return programs_; }
  // The kernels of this program, each as a program of its own.
  const std::vector<std::shared_ptr<const SourceProgram>> &compiled_programs() const;

private:
  const std::shared_ptr<const Context> context_;
  const Devices devices_;
  std::vector<Entry> entries_;
  std::map<std::string, std::string> constants_;
  std::vector<std::shared_ptr<const SourceProgram>> programs_;
  mutable std::once_flag once_;
  mutable std::vector<std::shared_ptr<const SourceProgram>> compiled_;
};

std::shared_ptr<KernelId> id_of(ImageKernel &kernel);
// Throws unless `devices` is non-empty and all are in the context.
void check_devices(const Context &context, const KernelBundle::Devices &devices);
sycl::detail::kernel_bundle_pointer
make_bundle(const sycl::detail::context_pointer &context, const KernelBundle::Devices &devices,
            const std::vector<sycl::detail::kernel_id_pointer> &kernels, bool compile_now);
// Implements join, compile, link and build. `devices` null: the devices of the bundles.
sycl::detail::kernel_bundle_pointer
derive_bundle(const std::vector<sycl::detail::kernel_bundle_pointer> &from,
              const KernelBundle::Devices *devices, bool compile_now);
sycl::detail::kernel_bundle_pointer bundle_of_source(const sycl::detail::context_pointer &context,
                                                     const std::string &source, bool is_spirv);
sycl::detail::kernel_bundle_pointer build_source(const sycl::detail::kernel_bundle_pointer &from,
                                                 const KernelBundle::Devices &devices,
                                                 const std::string &options, std::string *log);

} // namespace lockstep::sycl_api
