#include "api/sycl/images.h"

#include "api/sycl/device_variables.h"
#include "api/sycl/error.h"
#include "platform/linux/leaked.h"
#include "support/byte_stream.h"

#include <algorithm>
#include <atomic>
#include <deque>
#include <fmt/format.h>
#include <mutex>
#include <set>
#include <sstream>

namespace lockstep::sycl_api {
namespace {

using sycl::detail::image;

// The description of an image that lockstep++ wrote (tools/lockstep++/device_pass.h).
struct Image {
  std::map<std::string, ImageKernel, std::less<>> kernels;
  std::set<std::string, std::less<>> externals; // functions for kernels of other images
  std::vector<std::string> constants;           // specialization constants that the externals use
  std::vector<std::string> needs;               // external functions that the image calls
  std::vector<DeviceVariable> globals;
  // Program binaries of kernels that lockstep++ has compiled (--aot)
  std::map<std::string_view, std::string_view, std::less<>> binaries;
};

struct Images {
  std::mutex mutex;
  std::map<const image *, Image> all;
};
Images &images(); // leaked, since programs launch kernels in static destructors

// An image that the program has registered. The list only grows and needs no lock. A child of
// fork() rebuilds its Images from the list, since the program registers each image once.
struct Announced {
  const image &announced;
  std::atomic<bool> is_removed{false};
  Announced *next = nullptr;
};
constinit std::atomic<Announced *> all_announced{nullptr};

AccessorPlace read_accessor(std::istream &words) {
  std::string kind, maybe;
  AccessorPlace place{};
  words >> kind >> place.offset >> maybe;
  place.kind = kind == "buffer"  ? AccessorPlace::Kind::buffer
               : kind == "local" ? AccessorPlace::Kind::local
                                 : AccessorPlace::Kind::image;
  place.is_in_union = maybe == "maybe";
  return place;
}

compiler::FunctionMember read_member(std::istream &words) {
  compiler::FunctionMember member;
  words >> member.offset >> member.size >> member.element >> member.kind >> member.name;
  return member;
}

compiler::KernelConstant constant_of(const DeviceVariable &variable, const std::byte *address) {
  return {variable.name, std::string(reinterpret_cast<const char *>(&address), sizeof address)};
}

void read_line(Image &to, const image &from, const std::string &line) {
  std::istringstream words(line);
  std::string what, name;
  words >> what >> name;
  if (what == "external")
    to.externals.insert(name);
  else if (what == "needs")
    to.needs.push_back(name);
  else if (what == "constant" && to.externals.contains(name))
    words >> to.constants.emplace_back();
  else if (what == "uses" && to.externals.contains(name))
    return; // kernels of other images get all globals
  else if (what == "global") {
    const void *const host = from.globals[to.globals.size()];
    DeviceVariable variable{name, const_cast<std::byte *>(static_cast<const std::byte *>(host)), 0};
    words >> variable.bytes;
    to.globals.push_back(std::move(variable));
  } else if (what == "kernel" || what == "aspects" || what == "constant" || what == "sub_group" ||
             what == "work_group" || what == "accessor" || what == "uses" || what == "title" ||
             what == "range" || what == "member" || what == "function") {
    ImageKernel &kernel = to.kernels[name];
    kernel.image = &from;
    kernel.name = name;
    if (what == "constant")
      words >> kernel.constants.emplace_back();
    if (what == "uses")
      words >> kernel.globals.emplace_back();
    if (what == "function")
      words >> kernel.function;
    if (what == "title")
      std::getline(words >> std::ws, kernel.title);
    kernel.is_over_range |= what == "range";
    if (what == "member")
      kernel.members.push_back(read_member(words));
    if (what == "accessor")
      kernel.accessors.push_back(read_accessor(words));
    if (what == "sub_group")
      words >> kernel.sub_group_size;
    if (what == "work_group")
      words >> kernel.work_group_size[0] >> kernel.work_group_size[1] >> kernel.work_group_size[2];
    for (int number; what == "aspects" && words >> number;)
      kernel.aspects.push_back(sycl::aspect(number));
  }
}

bool is_of_this_version(const image &one) {
  return std::string_view(one.version) == LOCKSTEP_VERSION LOCKSTEP_SYCL_BORDER_WORDS;
}

void check_version(const image &one) {
  if (!is_of_this_version(one))
    raise(sycl::errc::runtime,
          fmt::format("a device image was compiled by lockstep++ {}, and the library is Lockstep "
                      "{}: compile the program again",
                      one.version, LOCKSTEP_VERSION LOCKSTEP_SYCL_BORDER_WORDS));
}

// Other images with functions that this image needs, transitively. Requires the lock.
std::vector<const image *> images_needed_by(const image &one) {
  std::vector<const image *> found = {&one};
  std::map<const image *, Image> &all = images().all;
  for (std::size_t next = 0; next < found.size(); ++next)
    for (const std::string &function : all[found[next]].needs)
      for (const auto &[other, with] : all)
        if (with.externals.contains(function) && is_of_this_version(*other) &&
            std::find(found.begin(), found.end(), other) == found.end()) {
          found.push_back(other);
          break;
        }
  found.erase(found.begin());
  return found;
}

// Device variables that the kernel, or functions of other images, may use. Requires the lock.
std::vector<const DeviceVariable *> variables_of(const ImageKernel &kernel) {
  std::vector<const DeviceVariable *> found;
  for (const DeviceVariable &global : images().all[kernel.image].globals)
    if (std::ranges::find(kernel.globals, global.name) != kernel.globals.end())
      found.push_back(&global);
  for (const image *other : images_needed_by(*kernel.image))
    for (const DeviceVariable &global : images().all[other].globals)
      found.push_back(&global);
  return found;
}

// The program that lockstep++ has linked and compiled, for a kernel that depends on no other image,
// on no address and on no constant that the program has set. Requires the lock.
std::optional<compiler::KernelModule> finished_program(const ImageKernel &kernel,
                                                       const Constants &constants) {
  const auto &binaries = images().all[kernel.image].binaries;
  const auto found = binaries.find(kernel.name);
  if (found == binaries.end() || !constants.empty() || !kernel.globals.empty() ||
      !images_needed_by(*kernel.image).empty())
    return {};
  auto program = compiler::read_program_binary(found->second);
  return program ? std::optional(std::move(*program)) : std::nullopt;
}

// Variables whose addresses are not among the constants are the host objects.
compiler::KernelModule linked_program(const ImageKernel &kernel, const Constants &constants) {
  if (auto finished = finished_program(kernel, constants))
    return std::move(*finished);
  compiler::KernelSource source{.bitcode = {kernel.image->bitcode, kernel.image->size},
                                .kernel = kernel.name,
                                .constants = constants};
  for (const DeviceVariable *global : variables_of(kernel))
    if (std::ranges::find(constants, global->name, &compiler::KernelConstant::variable) ==
        constants.end())
      source.constants.push_back(constant_of(*global, global->host));
  for (const image *other : images_needed_by(*kernel.image))
    source.libraries.emplace_back(other->bitcode, other->size);
  std::string log;
  auto program = compiler::link_kernel(source, log);
  if (!program)
    raise(code_of(program.error().kind),
          log.empty() ? program.error().message : program.error().message + "\n" + log);
  return std::move(*program);
}

std::shared_ptr<const compiler::KernelModule> program_of(const ImageKernel &kernel,
                                                         const Constants &constants) {
  check_version(*kernel.image);
  compiler::KernelModule program = linked_program(kernel, constants);
  for (compiler::KernelInfo &info : program.kernels) {
    info.title = kernel.title;
    info.members = kernel.members;
    info.is_over_range = kernel.is_over_range;
  }
  return std::make_shared<const compiler::KernelModule>(std::move(program));
}

Result<std::shared_ptr<runtime::Kernel>>
make_kernel(const std::shared_ptr<const compiler::KernelModule> &program,
            const runtime::Device &device) {
  auto made = device.make_program(program);
  LOCKSTEP_TRY(made);
  return (*made)->make_kernel({program, &program->kernels.front()});
}

bool has_sub_group_size(const Device &device, std::size_t size) {
  std::vector<std::size_t> sizes;
  device.get_info(sycl::info::device::sub_group_sizes::number, &sizes);
  return size == 0 || std::find(sizes.begin(), sizes.end(), size) != sizes.end();
}

void check_compatible(const ImageKernel &kernel, const Device &device) {
  for (sycl::aspect one : kernel.aspects)
    if (!device.has(one))
      raise(sycl::errc::kernel_not_supported,
            fmt::format("the kernel {} says with [[sycl::device_has]] that it needs the aspect "
                        "number {}, which the device does not have (SYCL 2020 section 5.8.1)",
                        kernel.name, int(one)));
  if (!has_sub_group_size(device, kernel.sub_group_size))
    raise(sycl::errc::kernel_not_supported,
          fmt::format("the kernel {} requires sub-groups of {} work-items, a size that the device "
                      "does not have (SYCL 2020 section 5.8.1)",
                      kernel.name, kernel.sub_group_size));
}

bool has_groups_of(const Device &device, const std::array<uint64_t, 3> &size) {
  const runtime::DeviceLimits &limits = device.runtime().limits();
  uint64_t items = 1;
  // factors are within limits, so the product is too large before it overflows
  for (int d = 0; d < 3; ++d)
    if (size[d] > limits.max_work_item_sizes[d] || (items *= size[d]) > limits.max_work_group_size)
      return false;
  return true;
}

void check_sizes(const compiler::KernelInfo &info, const Device &device) {
  const auto &group = info.reqd_work_group_size;
  if (!has_groups_of(device, {group[0], group[1], group[2]}))
    raise(sycl::errc::kernel_not_supported,
          fmt::format("the kernel {} requires work-groups of {} x {} x {} work-items, more than "
                      "the device's {} (the dimension that is contiguous first; SYCL 2020 "
                      "section 5.8.1)",
                      info.name, group[0], group[1], group[2],
                      device.runtime().limits().max_work_group_size));
}

// Includes constants of the functions that it may call in other images. Requires the lock.
std::vector<std::string> all_constants_of(const ImageKernel &kernel) {
  std::vector<std::string> all = kernel.constants;
  for (const image *other : images_needed_by(*kernel.image)) {
    const std::vector<std::string> &theirs = images().all[other].constants;
    all.insert(all.end(), theirs.begin(), theirs.end());
  }
  return all;
}

// Drops constants that the kernel does not use, since they make no difference. Requires the lock.
Constants used_constants(const ImageKernel &kernel, const Constants &given) {
  Constants used;
  if (given.empty())
    return used;
  const std::vector<std::string> names = all_constants_of(kernel);
  for (const compiler::KernelConstant &one : given)
    if (std::find(names.begin(), names.end(), one.variable) != names.end())
      used.push_back(one);
  return used;
}

// The constants that the code for the device depends on. Requires the lock.
Constants constants_on(const Device &device, const ImageKernel &kernel, const Constants &given) {
  Constants all = used_constants(kernel, given);
  const runtime::Device &root = *device.root();
  for (const DeviceVariable *variable : variables_of(kernel)) {
    keep_initial_contents(*variable);
    if (root.memory_space())
      all.push_back(constant_of(*variable, address_on(root, *variable)));
  }
  return all;
}

void read_binaries(Image &to, const image &from) {
  compiler::ByteReader reader({from.machine_code, from.machine_code_size});
  for (uint64_t left = from.machine_code_size ? reader.get<uint64_t>() : 0;
       left != 0 && !reader.failed(); --left) {
    const auto name = reader.get<std::string_view>();
    to.binaries[name] = reader.get<std::string_view>();
  }
}

Image image_of(const image &announced) {
  Image described;
  if (is_of_this_version(announced)) {
    std::istringstream lines(announced.description);
    for (std::string line; std::getline(lines, line);)
      read_line(described, announced, line);
    read_binaries(described, announced);
  }
  return described;
}

Images &images() {
  return leaked<AfterFork::make_again>([] {
    auto *made = new Images;
    for (const Announced *node = all_announced.load(); node; node = node->next)
      if (!node->is_removed.load())
        made->all[&node->announced] = image_of(node->announced);
    return made;
  });
}

} // namespace

void add_image(const image &added) {
  auto *node = new Announced{added};
  node->next = all_announced.load();
  while (!all_announced.compare_exchange_weak(node->next, node))
    ;
  Image described = image_of(added);
  std::lock_guard lock(images().mutex);
  images().all[&added] = std::move(described);
}

void remove_image(const image &removed) {
  for (Announced *node = all_announced.load(); node; node = node->next)
    if (&node->announced == &removed)
      node->is_removed.store(true);
  std::lock_guard lock(images().mutex);
  for (const DeviceVariable &variable : images().all[&removed].globals)
    forget(variable);
  images().all.erase(&removed);
}

void keep_initial_contents_of_variables() {
  std::lock_guard lock(images().mutex);
  for (const auto &[image, with] : images().all)
    for (const DeviceVariable &variable : with.globals)
      keep_initial_contents(variable);
}

ImageKernel &kernel_in_image(const sycl::detail::kernel_reference &reference) {
  if (void *known = __atomic_load_n(&reference.known, __ATOMIC_ACQUIRE))
    return *static_cast<ImageKernel *>(known);
  check_version(*reference.from);
  std::lock_guard lock(images().mutex);
  auto &kernels = images().all[reference.from].kernels;
  if (auto found = kernels.find(reference.name); found != kernels.end()) {
    __atomic_store_n(&reference.known, static_cast<void *>(&found->second), __ATOMIC_RELEASE);
    return found->second;
  }
  raise(sycl::errc::invalid,
        fmt::format("the device image has no kernel named {}", reference.name));
}

ImageKernel *find_kernel(const sycl::detail::kernel_reference &reference) {
  std::lock_guard lock(images().mutex);
  // A kernel without a name has the name of its function object's type (SYCL 2020 section 5.2).
  auto look_into = [&](Image &one) -> ImageKernel * {
    auto found = one.kernels.find(reference.name);
    if (found == one.kernels.end())
      found = std::find_if(one.kernels.begin(), one.kernels.end(), [&](const auto &kernel) {
        return kernel.second.function == reference.name;
      });
    return found == one.kernels.end() ? nullptr : &found->second;
  };
  if (auto own = images().all.find(reference.from); own != images().all.end())
    if (ImageKernel *found = look_into(own->second))
      return found;
  for (auto &[other, with] : images().all)
    if (ImageKernel *found = look_into(with))
      return found;
  return nullptr;
}

std::vector<ImageKernel *> all_kernels() {
  std::lock_guard lock(images().mutex);
  std::vector<ImageKernel *> all;
  for (auto &[image, with] : images().all)
    for (auto &[name, kernel] : with.kernels)
      all.push_back(&kernel);
  return all;
}

std::shared_ptr<runtime::Kernel> compiled_kernel(ImageKernel &kernel, const Device &device,
                                                 const Constants &constants) {
  check_compatible(kernel, device);
  std::lock_guard lock(images().mutex);
  const Constants all = constants_on(device, kernel, constants);
  ImageKernel::Compiled &compiled = kernel.compiled[all];
  if (!compiled.program)
    compiled.program = program_of(kernel, all);
  std::shared_ptr<runtime::Kernel> &made = compiled.on[device.root().get()];
  if (!made) {
    check_sizes(compiled.program->kernels.front(), device);
    made = value_or_raise(make_kernel(compiled.program, *device.root()));
  }
  return made;
}

std::vector<std::string> constants_of(const ImageKernel &kernel) {
  std::lock_guard lock(images().mutex);
  return all_constants_of(kernel);
}

std::shared_ptr<const compiler::KernelModule>
module_of(const ImageKernel &kernel, const Device &device, const Constants &constants) {
  std::lock_guard lock(images().mutex);
  return kernel.compiled.at(constants_on(device, kernel, constants)).program;
}

runtime::Kernel &kernel_of(ImageKernel &kernel, const Device &device) {
  const bool is_first = device.root() == first_device()->shared_runtime();
  if (is_first)
    if (runtime::Kernel *known = kernel.on_first.load(std::memory_order_acquire))
      return *known;
  runtime::Kernel &compiled = *compiled_kernel(kernel, device, {});
  if (is_first)
    kernel.on_first.store(&compiled, std::memory_order_release);
  return compiled;
}

bool is_compatible(const ImageKernel &kernel, const Device &device) {
  return has_sub_group_size(device, kernel.sub_group_size) &&
         has_groups_of(device, kernel.work_group_size) &&
         std::all_of(kernel.aspects.begin(), kernel.aspects.end(),
                     [&](sycl::aspect one) { return device.has(one); });
}

} // namespace lockstep::sycl_api
