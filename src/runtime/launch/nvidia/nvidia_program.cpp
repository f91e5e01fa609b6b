#include "runtime/launch/nvidia/nvidia_program.h"

#include "process/disk_cache.h"
#include "runtime/launch/cpu/kernel/local_size.h"
#include "runtime/launch/nvidia/nvidia_launch.h"
#include "runtime/launch/nvidia/warp_local_size.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <fmt/format.h>

namespace lockstep::runtime {

// Descriptors of images that a program keeps on the card, besides those of launches in progress.
constexpr std::size_t most_descriptors = 64;

LoadedKernel::~LoadedKernel() {
  if (!module || !context->cuda().check_process())
    return;
  context->free_without_waiting_kernels(
      [cuda = &context->cuda(), module = module] { cuda->unload_module(module); });
}

Result<std::shared_ptr<const DeviceBlock>> DeviceBlock::make(std::shared_ptr<MemorySpace> space,
                                                             std::size_t size) {
  auto data = space->allocate(size);
  LOCKSTEP_TRY(data);
  return std::shared_ptr<const DeviceBlock>(new DeviceBlock(std::move(space), *data, size));
}

// ---- program

// A variable may have the address of another one, which is known only now.
Result<void> NvidiaProgram::make_variables() {
  if (variables_ || module_->global_variable_size == 0)
    return {};
  auto initial = compiler_.variables(*module_);
  LOCKSTEP_TRY(initial);
  if (initial->bytes.empty())
    return {};
  auto block = DeviceBlock::make(space_, initial->bytes.size());
  LOCKSTEP_TRY(block);
  for (uint64_t place : initial->addresses) {
    uint64_t word = 0;
    std::memcpy(&word, initial->bytes.data() + place, sizeof word);
    word += (*block)->address();
    std::memcpy(initial->bytes.data() + place, &word, sizeof word);
  }
  LOCKSTEP_TRY(space_->write((*block)->data(),
                             reinterpret_cast<const std::byte *>(initial->bytes.data()),
                             initial->bytes.size()));
  variables_ = std::move(*block);
  return {};
}

std::shared_ptr<Kernel>
NvidiaProgram::make_kernel(std::shared_ptr<const compiler::KernelInfo> info) {
  return std::make_shared<NvidiaKernel>(shared_from_this(), std::move(info));
}

Result<std::string> NvidiaProgram::assemble(const std::string &text,
                                            std::string_view kernel) const {
  const CudaDriver &cuda = context_->cuda();
  const compiler::CacheKey key = compiler::CacheKeyBuilder()
                                     .add("cubin")
                                     .add(text)
                                     .add(uint64_t(cuda.version()))
                                     .add(context_->card().name)
                                     .add(uint64_t(context_->card().capability))
                                     .key();
  compiler::DiskCache &cache = compiler::DiskCache::of_process();
  if (auto stored = cache.get("cubin", key))
    return std::move(*stored);
  std::array<char, 4096> log{};
  std::array<int, 2> options = {cuda::error_log_buffer, cuda::error_log_buffer_bytes};
  std::array<void *, 2> values = {log.data(), reinterpret_cast<void *>(log.size())};
  const std::string what = fmt::format("assembling the PTX of kernel '{}'", kernel);
  cuda::Link *link = nullptr;
  LOCKSTEP_TRY(context_->checked(
      cuda.begin_link(unsigned(options.size()), options.data(), values.data(), &link), what));
  void *image = nullptr; // of `link`
  std::size_t bytes = 0;
  auto made =
      context_->checked(cuda.add_to_link(link, cuda::ptx_input, const_cast<char *>(text.c_str()),
                                         text.size() + 1, "kernel", 0, nullptr, nullptr),
                        what);
  if (made)
    made = context_->checked(cuda.complete_link(link, &image, &bytes), what);
  std::string code(static_cast<const char *>(image), bytes);
  cuda.end_link(link);
  if (made) {
    cache.put("cubin", key, code);
    return code;
  }
  Error error = made.take_error();
  if (log[0])
    error.message += fmt::format("; the driver says: {}", log.data());
  return error;
}

Result<cuda::Module *> NvidiaProgram::load_module(const std::string &image,
                                                  std::string_view kernel) const {
  std::array<char, 4096> log{};
  std::array<int, 2> options = {cuda::error_log_buffer, cuda::error_log_buffer_bytes};
  std::array<void *, 2> values = {log.data(), reinterpret_cast<void *>(log.size())};
  cuda::Module *module = nullptr;
  auto loaded = context_->checked(context_->cuda().load_module(&module, image.c_str(),
                                                               unsigned(options.size()),
                                                               options.data(), values.data()),
                                  fmt::format("loading the code of kernel '{}'", kernel));
  if (loaded)
    return module;
  Error error = loaded.take_error();
  if (log[0])
    error.message += fmt::format("; the driver says: {}", log.data());
  return error;
}

// The driver's linker assembles a text as a part of a program. Then it takes registers without
// regard to how many groups fit on a multiprocessor, which groups need that wait at barriers. On an
// H200, the tiles of a matrix product took 363 us with 119 registers, and 276 us with the 32 that the
// text got when it was loaded. n_body, without barriers, took 790 us and 1298 us.
static bool needs_other_groups(const std::string &text, compiler::PtxVariant variant) {
  return variant == compiler::PtxVariant::plain && text.find("\tbar.sync") != std::string::npos;
}

Result<std::shared_ptr<const LoadedKernel>>
NvidiaProgram::load(compiler::PtxCode code, std::string_view kernel,
                    compiler::PtxVariant variant) const {
  LOCKSTEP_TRY(context_->start());
  const CudaContext::Use use(*context_);
  const CudaDriver &cuda = context_->cuda();
  auto loaded = std::make_shared<LoadedKernel>();
  loaded->context = context_;
  loaded->variables = variables_;
  const std::string text = std::exchange(code.text, {});
  auto image =
      needs_other_groups(text, variant) ? Result<std::string>(text) : assemble(text, kernel);
  LOCKSTEP_TRY(image);
  const CudaContext::WithoutWaitingKernels alone(*context_);
  auto module = load_module(*image, kernel);
  LOCKSTEP_TRY(module);
  loaded->module = *module;
  LOCKSTEP_TRY(
      context_->checked(cuda.find_function(&loaded->function, loaded->module, code.entry.c_str()),
                        fmt::format("finding the function {} in its PTX", code.entry)));
  int threads = 0;
  LOCKSTEP_TRY(context_->checked(
      cuda.function_attribute(&threads, cuda::function_max_threads_per_block, loaded->function),
      "cuFuncGetAttribute"));
  loaded->most_threads = uint64_t(threads);
  loaded->code = std::move(code);
  return std::shared_ptr<const LoadedKernel>(std::move(loaded));
}

Result<std::shared_ptr<const LoadedKernel>>
NvidiaProgram::kernel(const compiler::KernelInfo &info, const compiler::Specialization &wanted,
                      compiler::PtxVariant variant) {
  const std::lock_guard lock(mutex_);
  const Key key{info.name, {wanted, variant}};
  if (auto known = loaded_.find(key); known != loaded_.end())
    return known->second;
  auto code = compiler_.kernel(*module_, info.name, wanted, variant);
  if (!code) {
    Error error = code.take_error();
    if (error.kind == ErrorKind::build_failure) // the program is built; the device lacks something
      error.kind = ErrorKind::unsupported;
    return error;
  }
  LOCKSTEP_TRY(make_variables());
  auto loaded = load(std::move(*code), info.name, variant);
  LOCKSTEP_TRY(loaded);
  loaded_.emplace(key, *loaded);
  return loaded;
}

Result<std::shared_ptr<const DeviceBlock>>
NvidiaProgram::image_descriptors(std::span<const compiler::ImageDescriptor> levels) {
  const std::string bytes(reinterpret_cast<const char *>(levels.data()), levels.size_bytes());
  const std::lock_guard lock(descriptors_mutex_);
  if (auto known = descriptors_.find(bytes); known != descriptors_.end())
    return known->second;
  if (descriptors_.size() >= most_descriptors)
    std::erase_if(descriptors_, [](const auto &entry) { return entry.second.use_count() == 1; });
  auto block = DeviceBlock::make(space_, bytes.size());
  LOCKSTEP_TRY(block);
  LOCKSTEP_TRY(space_->write((*block)->data(), reinterpret_cast<const std::byte *>(bytes.data()),
                             bytes.size()));
  descriptors_.emplace(bytes, *block);
  return block;
}

std::array<uint32_t, 2> NvidiaProgram::warp_shape(const compiler::KernelInfo &kernel) {
  const std::lock_guard lock(mutex_);
  const auto [place, is_new] = warp_shapes_.try_emplace(kernel.name, row_of_warp);
  // The compiler estimates accesses to buffers; images are read and written in rows.
  if (is_new && compiler_.warp_shape &&
      std::ranges::find(kernel.args, compiler::ArgKind::image, &compiler::KernelArg::kind) ==
          kernel.args.end())
    if (auto shape = compiler_.warp_shape(*module_, kernel.name)) // an error will end the launch
      place->second = *shape;
  return place->second;
}

// ---- kernel

Result<std::unique_ptr<Launch>> NvidiaKernel::prepare(const Device &device,
                                                      const LaunchGeometry &geometry,
                                                      LaunchArguments arguments) {
  auto launch = NvidiaLaunch::make(device, *this, geometry, std::move(arguments));
  LOCKSTEP_TRY(launch);
  return std::unique_ptr<Launch>(std::move(*launch));
}

// Groups of 1000 work-items leave less room for others on a multiprocessor than groups of 250. On an
// H200, resize_buffer of benchmarks/ took 58 us in the former (a launch in a row, host time), and
// 51 us in the latter (device time).
std::array<uint64_t, 3> NvidiaKernel::choose_local_size(const Device &device,
                                                        const LaunchGeometry &geometry) {
  constexpr uint64_t many_items = 256;
  if (geometry.work_dim > 1 && info().reqd_work_group_size[0] == 0 &&
      info().work_group_size_hint[0] == 0)
    if (const auto size = local_size_for_warps(program_->warp_shape(info()), geometry))
      return *size;
  return runtime::choose_local_size(with_equal_groups_, geometry,
                                    {.max_group_size = device.limits().max_work_group_size,
                                     .max_item_sizes = device.limits().max_work_item_sizes,
                                     .workers = device.compute_units(),
                                     .sub_group_size = lanes_of_warp,
                                     .many_items = many_items});
}

Result<std::shared_ptr<const LoadedKernel>>
NvidiaKernel::code(const compiler::Specialization &wanted, compiler::PtxVariant variant) {
  {
    const std::lock_guard lock(mutex_);
    if (last_code_ && last_variant_ == variant && last_wanted_ == wanted)
      return last_code_;
  }
  auto code = program_->kernel(info(), wanted, variant);
  LOCKSTEP_TRY(code);
  const std::lock_guard lock(mutex_);
  last_wanted_ = wanted;
  last_variant_ = variant;
  last_code_ = *code;
  return code;
}

Result<std::shared_ptr<const LaunchShape>> NvidiaKernel::shape(const Device &device,
                                                               const LaunchGeometry &geometry,
                                                               const LaunchArguments &arguments) {
  {
    const std::lock_guard lock(mutex_);
    for (auto shape = shapes_.begin(); shape != shapes_.end() && *shape; ++shape)
      if ((*shape)->serves(geometry, arguments)) {
        std::rotate(shapes_.begin(), shape, shape + 1);
        return shapes_.front();
      }
  }
  auto shape = LaunchShape::make(device, *this, geometry, arguments);
  LOCKSTEP_TRY(shape);
  const std::lock_guard lock(mutex_);
  std::shift_right(shapes_.begin(), shapes_.end(), 1);
  shapes_.front() = *shape;
  return shape;
}

uint64_t NvidiaKernel::largest_group(const Device &device) const {
  return device.limits().max_work_group_size;
}

} // namespace lockstep::runtime
