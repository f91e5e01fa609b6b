// A program on a card, its kernels, and the modules that the driver has assembled of their PTX.
#pragma once

#include "abi/image_descriptor.h"
#include "back_ends/nvidia/ptx_code.h"
#include "runtime/device/program.h"
#include "runtime/launch/nvidia/cuda_context.h"
#include "runtime/memory/memory_space.h"

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace lockstep::runtime {

class LaunchShape; // launch_shape.h

// The compiler for PTX. The device has it as a member, so that tests can replace it.
struct PtxCompiler {
  std::function<Result<compiler::PtxCode>(
      const compiler::KernelModule &module, std::string_view kernel,
      const compiler::Specialization &specialization, compiler::PtxVariant variant)>
      kernel;
  std::function<Result<compiler::PtxVariables>(const compiler::KernelModule &module)> variables;
  // X, Y: the arrangement of a warp that the kernel's accesses to memory want. Null: a row.
  std::function<Result<std::array<uint32_t, 2>>(const compiler::KernelModule &module,
                                                std::string_view kernel)>
      warp_shape = nullptr;
};

// Memory on the card, freed by the destructor.
class DeviceBlock {
public:
  static Result<std::shared_ptr<const DeviceBlock>> make(std::shared_ptr<MemorySpace> space,
                                                         std::size_t size);
  ~DeviceBlock() { space_->free(data_, size_); }
  DeviceBlock(const DeviceBlock &) = delete;
  DeviceBlock &operator=(const DeviceBlock &) = delete;

  std::byte *data() const { return data_; }
  uint64_t address() const { return reinterpret_cast<uint64_t>(data_); }

private:
  DeviceBlock(std::shared_ptr<MemorySpace> space, std::byte *data, std::size_t size)
      : space_(std::move(space)), data_(data), size_(size) {}

  const std::shared_ptr<MemorySpace> space_;
  std::byte *const data_;
  const std::size_t size_;
};

// A kernel on the card. Unloaded with the last launch that uses it.
struct LoadedKernel {
  LoadedKernel() = default;
  LoadedKernel(const LoadedKernel &) = delete;
  LoadedKernel &operator=(const LoadedKernel &) = delete;
  ~LoadedKernel();

  std::shared_ptr<CudaContext> context;
  compiler::PtxCode code;                       // its text is empty
  std::shared_ptr<const DeviceBlock> variables; // of the program; null: it has none
  cuda::Module *module = nullptr;
  cuda::Function *function = nullptr;
  uint64_t most_threads = 0; // in a work-group: it depends on the registers that the code needs
};

class NvidiaProgram final : public Program, public std::enable_shared_from_this<NvidiaProgram> {
public:
  NvidiaProgram(std::shared_ptr<CudaContext> context, std::shared_ptr<MemorySpace> space,
                PtxCompiler compiler, std::shared_ptr<const compiler::KernelModule> module)
      : context_(std::move(context)), space_(std::move(space)), compiler_(std::move(compiler)),
        module_(std::move(module)) {}
  std::shared_ptr<Kernel> make_kernel(std::shared_ptr<const compiler::KernelInfo> info) override;

  // Compiles and loads it on first use. ErrorKind::unsupported: the kernel uses a feature that the
  // device lacks.
  Result<std::shared_ptr<const LoadedKernel>> kernel(const compiler::KernelInfo &info,
                                                     const compiler::Specialization &wanted,
                                                     compiler::PtxVariant variant);

  // A copy of an image's descriptors on the card. Launches with equal descriptors share it.
  Result<std::shared_ptr<const DeviceBlock>>
  image_descriptors(std::span<const compiler::ImageDescriptor> levels);

  // PtxCompiler::warp_shape, computed once for each kernel.
  std::array<uint32_t, 2> warp_shape(const compiler::KernelInfo &kernel);

private:
  using Key = std::pair<std::string, std::pair<compiler::Specialization, compiler::PtxVariant>>;
  Result<void> make_variables();
  // The machine code that the driver makes of the text, from the disk cache if it is there.
  Result<std::string> assemble(const std::string &text, std::string_view kernel) const;
  // Loads machine code, or a text, which the driver then assembles as a whole program.
  Result<cuda::Module *> load_module(const std::string &image, std::string_view kernel) const;
  Result<std::shared_ptr<const LoadedKernel>> load(compiler::PtxCode code, std::string_view kernel,
                                                   compiler::PtxVariant variant) const;

  const std::shared_ptr<CudaContext> context_;
  const std::shared_ptr<MemorySpace> space_;
  const PtxCompiler compiler_;
  const std::shared_ptr<const compiler::KernelModule> module_;
  std::mutex mutex_; // also while code is compiled
  std::map<Key, std::shared_ptr<const LoadedKernel>> loaded_;
  std::map<std::string, std::array<uint32_t, 2>> warp_shapes_; // by kernel
  std::shared_ptr<const DeviceBlock> variables_;               // made with the first kernel
  std::mutex descriptors_mutex_;
  std::map<std::string, std::shared_ptr<const DeviceBlock>> descriptors_; // by their bytes
};

class NvidiaKernel final : public Kernel {
public:
  NvidiaKernel(std::shared_ptr<NvidiaProgram> program,
               std::shared_ptr<const compiler::KernelInfo> info)
      : Kernel(std::move(info)), program_(std::move(program)), with_equal_groups_(this->info()) {
    with_equal_groups_.uniform_work_group_size = true;
  }

  Result<std::unique_ptr<Launch>> prepare(const Device &device, const LaunchGeometry &geometry,
                                          LaunchArguments arguments) override;
  std::array<uint64_t, 3> choose_local_size(const Device &device,
                                            const LaunchGeometry &geometry) override;
  uint64_t largest_group(const Device &device) const override;
  uint32_t preferred_multiple() const override { return lanes_of_warp; }
  Result<uint32_t> sub_group_size(const std::array<uint32_t, 3> &) override {
    return lanes_of_warp;
  }
  NvidiaProgram &program() const { return *program_; }
  // NvidiaProgram::kernel, which it calls if the last call had other arguments.
  Result<std::shared_ptr<const LoadedKernel>> code(const compiler::Specialization &wanted,
                                                   compiler::PtxVariant variant);

  // What launches with these parameters have in common.
  Result<std::shared_ptr<const LaunchShape>>
  shape(const Device &device, const LaunchGeometry &geometry, const LaunchArguments &arguments);

  static constexpr uint32_t lanes_of_warp = 32;

private:
  static constexpr std::size_t most_shapes = 4;
  const std::shared_ptr<NvidiaProgram> program_;
  compiler::KernelInfo with_equal_groups_; // for local sizes: code for equal groups is faster
  std::mutex mutex_;
  // The arguments of the last call of code(), and its result; null: there was none.
  compiler::Specialization last_wanted_;
  compiler::PtxVariant last_variant_{};
  std::shared_ptr<const LoadedKernel> last_code_;
  std::array<std::shared_ptr<const LaunchShape>, most_shapes> shapes_; // the latest first
};

} // namespace lockstep::runtime
