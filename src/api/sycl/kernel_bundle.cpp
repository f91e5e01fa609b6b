#include "api/sycl/kernel_bundle.h"

#include "api/sycl/error.h"
#include "api/sycl/of_process.h"
#include "driver/compile.h"
#include "platform/linux/leaked.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <mutex>

namespace lockstep::sycl_api {
namespace {

KernelId &behind(const sycl::detail::kernel_id_pointer &id) {
  return static_cast<KernelId &>(*id);
}

KernelBundle::Devices without_duplicates(const KernelBundle::Devices &devices) {
  KernelBundle::Devices result;
  for (const auto &one : devices)
    if (std::find(result.begin(), result.end(), one) == result.end())
      result.push_back(one);
  return result;
}

// Constants are sorted by name, so that equal sets compare equal.
void put(Constants &constants, const std::string &name, const std::string &value) {
  auto at =
      std::lower_bound(constants.begin(), constants.end(), name,
                       [](const auto &one, const std::string &n) { return one.variable < n; });
  if (at != constants.end() && at->variable == name)
    at->bytes = value;
  else
    constants.insert(at, {name, value});
}

// The devices of a bundle that is derived from other bundles.
KernelBundle::Devices devices_for(const std::vector<const KernelBundle *> &from,
                                  const KernelBundle::Devices *devices) {
  for (const KernelBundle *one : from)
    if (one->own_context() != from.front()->own_context() ||
        (!devices && one->devices() != from.front()->devices()))
      raise(sycl::errc::invalid, "kernel bundles of different contexts or devices are made one "
                                 "(SYCL 2020 section 4.11.8)");
  if (!devices)
    return from.front()->devices();
  if (devices->empty())
    raise(sycl::errc::invalid, "a kernel bundle is made for no devices (SYCL 2020 section 4.11.9)");
  for (const auto &device : *devices)
    for (const KernelBundle *one : from) {
      const auto known = one->devices();
      if (std::find(known.begin(), known.end(), device) == known.end())
        raise(sycl::errc::invalid, "a kernel bundle is made for a device that the bundle it is "
                                   "made of is not for (SYCL 2020 section 4.11.9)");
    }
  return *devices;
}

} // namespace

std::shared_ptr<KernelId> id_of(ImageKernel &kernel) {
  std::lock_guard lock(leaked<AfterFork::make_again>([] { return new std::mutex; }));
  if (!kernel.id)
    kernel.id = make_of_process<KernelId>(kernel);
  return std::static_pointer_cast<KernelId>(kernel.id);
}

void check_devices(const Context &context, const KernelBundle::Devices &devices) {
  if (devices.empty())
    raise(sycl::errc::invalid,
          "a kernel bundle is asked for no devices (SYCL 2020 section 4.11.6)");
  for (const auto &one : devices)
    if (!context.has(one))
      raise(sycl::errc::invalid, "a kernel bundle is asked for a device that is not in its context "
                                 "(SYCL 2020 section 4.11.6)");
}

// ---- KernelObject

std::shared_ptr<runtime::Kernel> KernelObject::on(const Device &device) const {
  check_process("this kernel");
  if (kernel_)
    return compiled_kernel(*kernel_, device, constants_);
  if (auto code = program_->codes.find({name_, device.root().get()}); code != program_->codes.end())
    return code->second;
  raise(sycl::errc::kernel_not_supported,
        fmt::format("the kernel {} was not compiled for the device of the queue", name_));
}

std::shared_ptr<runtime::Kernel> KernelObject::any() const {
  check_process("this kernel");
  return on(device_behind(bundle_->devices().front()));
}

std::shared_ptr<const SourceProgram> program_of_kernel(ImageKernel &kernel,
                                                       const Constants &constants,
                                                       const KernelBundle::Devices &devices) {
  auto program = make_of_process<SourceProgram>();
  for (const auto &one : devices) {
    const Device &device = device_behind(one);
    if (!is_compatible(kernel, device))
      continue;
    program->codes[{kernel.name, device.root().get()}] = compiled_kernel(kernel, device, constants);
    if (!program->module)
      program->module = module_of(kernel, device, constants);
  }
  return program;
}

std::shared_ptr<const SourceProgram> KernelObject::program() const {
  check_process("this kernel");
  return kernel_ ? program_of_kernel(*kernel_, constants_, bundle_->devices()) : program_;
}

// ---- KernelBundle

std::vector<sycl::detail::kernel_id_pointer> KernelBundle::kernel_ids() const {
  std::vector<sycl::detail::kernel_id_pointer> ids;
  for (const Entry &one : entries_)
    ids.push_back(one.id);
  return ids;
}

const KernelBundle::Entry *KernelBundle::find(const ImageKernel &kernel) const {
  for (const Entry &one : entries_)
    if (&one.id->kernel == &kernel)
      return &one;
  return nullptr;
}

bool KernelBundle::has(const sycl::detail::kernel_id_pointer &kernel,
                       const sycl::detail::device_pointer &on) const {
  if (!find(behind(kernel).kernel))
    return false;
  return !on || (std::find(devices_.begin(), devices_.end(), on) != devices_.end() &&
                 is_compatible(behind(kernel).kernel, device_behind(on)));
}

sycl::detail::kernel_pointer
KernelBundle::kernel_of(const sycl::detail::kernel_bundle_pointer &self,
                        const sycl::detail::kernel_id_pointer &id) const {
  check_process("this bundle");
  const Entry *entry = find(behind(id).kernel);
  if (!entry)
    raise(sycl::errc::invalid,
          fmt::format("the kernel bundle does not have the kernel {} (SYCL 2020 section 4.11.12)",
                      id->name()));
  return make_of_process<KernelObject>(self, entry->id->kernel, entry->constants);
}

bool KernelBundle::has_source_kernel(const std::string &name) const {
  for (const auto &program : programs_)
    if (program->module)
      for (const compiler::KernelInfo &info : program->module->kernels)
        if (info.name == name)
          return true;
  return false;
}

sycl::detail::kernel_pointer
KernelBundle::source_kernel(const sycl::detail::kernel_bundle_pointer &self,
                            const std::string &name) const {
  check_process("this bundle");
  for (const auto &program : programs_)
    for (const auto &[key, code] : program->codes)
      if (key.first == name)
        return make_of_process<KernelObject>(self, name, program);
  raise(sycl::errc::invalid,
        fmt::format("the kernel bundle has no kernel from source with the name {}", name));
}

bool KernelBundle::uses_constant(const std::string &name) const {
  return std::any_of(entries_.begin(), entries_.end(), [&](const Entry &one) {
    const std::vector<std::string> used = constants_of(one.id->kernel);
    return name.empty() ? !used.empty() : std::find(used.begin(), used.end(), name) != used.end();
  });
}

void KernelBundle::set_constant(const std::string &name, const void *value, std::size_t bytes) {
  const std::string text(static_cast<const char *>(value), bytes);
  constants_[name] = text;
  for (Entry &one : entries_)
    put(one.constants, name, text);
}

bool KernelBundle::get_constant(const std::string &name, void *to, std::size_t bytes) const {
  auto found = constants_.find(name);
  if (found == constants_.end() || found->second.size() != bytes)
    return false;
  std::memcpy(to, found->second.data(), bytes);
  return true;
}

void KernelBundle::add(Entry entry) {
  if (!find(entry.id->kernel))
    entries_.push_back(std::move(entry));
}

void KernelBundle::add_all_of(const KernelBundle &other) {
  other.check_process("this bundle");
  for (const Entry &one : other.entries_)
    add(one);
  constants_.insert(other.constants_.begin(), other.constants_.end());
  programs_.insert(programs_.end(), other.programs_.begin(), other.programs_.end());
}

void KernelBundle::compile() {
  check_process("this bundle");
  std::string log;
  compile("", log);
}

void KernelBundle::compile(const std::string &options, std::string &log) {
  check_process("this bundle");
  for (auto &program : programs_)
    if (!program->module)
      program = program->build(options, log);
  for (const Entry &one : entries_)
    for (const auto &device : devices_)
      if (is_compatible(one.id->kernel, device_behind(device)))
        compiled_kernel(one.id->kernel, device_behind(device), one.constants);
}

const std::vector<std::shared_ptr<const SourceProgram>> &KernelBundle::compiled_programs() const {
  std::call_once(once_, [&] {
    for (const Entry &one : entries_)
      compiled_.push_back(program_of_kernel(one.id->kernel, one.constants, devices_));
  });
  return compiled_;
}

// ---- making bundles

sycl::detail::kernel_bundle_pointer
make_bundle(const sycl::detail::context_pointer &context, const KernelBundle::Devices &devices,
            const std::vector<sycl::detail::kernel_id_pointer> &kernels, bool compile_now) {
  auto own = std::static_pointer_cast<const Context>(context);
  check_devices(*own, devices);
  auto bundle = make_of_process<KernelBundle>(own, without_duplicates(devices));
  for (const auto &id : kernels) {
    ImageKernel &kernel = behind(id).kernel;
    if (std::none_of(devices.begin(), devices.end(),
                     [&](const auto &one) { return is_compatible(kernel, device_behind(one)); }))
      raise(sycl::errc::invalid,
            fmt::format("no device of the kernel bundle has what the kernel {} "
                        "needs (SYCL 2020 section 4.11.6)",
                        id->name()));
    bundle->add(KernelBundle::Entry{id_of(kernel), {}});
  }
  if (compile_now)
    bundle->compile();
  return bundle;
}

sycl::detail::kernel_bundle_pointer
derive_bundle(const std::vector<sycl::detail::kernel_bundle_pointer> &from,
              const KernelBundle::Devices *devices, bool compile_now) {
  if (from.empty() && (devices || compile_now))
    raise(sycl::errc::invalid, "no kernel bundles are made one (SYCL 2020 section 4.11.8)");
  if (from.empty()) { // join of no bundles: an empty bundle of the default context
    auto context = std::static_pointer_cast<const Context>(default_context());
    return make_of_process<KernelBundle>(context, context->devices());
  }
  std::vector<const KernelBundle *> own;
  for (const auto &one : from)
    own.push_back(&static_cast<const KernelBundle &>(*one));
  auto bundle = make_of_process<KernelBundle>(own.front()->own_context(),
                                              without_duplicates(devices_for(own, devices)));
  for (const KernelBundle *one : own)
    bundle->add_all_of(*one);
  if (compile_now)
    bundle->compile();
  return bundle;
}

namespace {

struct Source {
  std::string text;
  bool is_spirv;
};

std::shared_ptr<const SourceProgram> built_source(const Context &context, const Source &source,
                                                  const std::string &options, std::string &log) {
  auto built = source.is_spirv ? compiler::build_spirv(source.text, {}, options, log)
                               : compiler::build_opencl_c(source.text, options, log);
  if (!built)
    raise(sycl::errc::build, built.error().message + "\n" + log);
  auto program = make_of_process<SourceProgram>();
  program->module = std::make_shared<const compiler::KernelModule>(std::move(*built));
  for (const auto &pointer : context.devices()) {
    const Device &device = device_behind(pointer);
    auto made = value_or_raise(device.root()->make_program(program->module));
    for (const compiler::KernelInfo &info : program->module->kernels)
      program->codes[{info.name, device.root().get()}] =
          made->make_kernel({program->module, &info});
  }
  return program;
}

} // namespace

sycl::detail::kernel_bundle_pointer bundle_of_source(const sycl::detail::context_pointer &context,
                                                     const std::string &source, bool is_spirv) {
  auto own = std::static_pointer_cast<const Context>(context);
  auto program = make_of_process<SourceProgram>();
  program->build = [own, of = Source{source, is_spirv}](const std::string &options,
                                                        std::string &log) {
    return built_source(*own, of, options, log);
  };
  auto bundle = make_of_process<KernelBundle>(own, own->devices());
  bundle->add(std::move(program));
  return bundle;
}

sycl::detail::kernel_bundle_pointer build_source(const sycl::detail::kernel_bundle_pointer &from,
                                                 const KernelBundle::Devices &devices,
                                                 const std::string &options, std::string *log) {
  auto derived = derive_bundle({from}, &devices, false);
  std::string own_log;
  static_cast<KernelBundle &>(*derived).compile(options, log ? *log : own_log);
  return derived;
}

} // namespace lockstep::sycl_api
