#include "copying_device.h"

#include <algorithm>
#include <cstring>
#include <sys/mman.h>

namespace lockstep::test {

using namespace lockstep::runtime;

namespace {

constexpr std::size_t page = 4096;

std::size_t whole_pages(std::size_t size) {
  return (size + page - 1) / page * page;
}

// Runs the work-groups one after the other.
class CopyingLaunch final : public Launch {
public:
  static Result<std::unique_ptr<Launch>>
  make(const CopyingDevice &device, const std::shared_ptr<Kernel> &kernel,
       std::shared_ptr<const compiler::KernelCode> code, const LaunchGeometry &geometry,
       const std::array<uint64_t, 3> &local_size, LaunchArguments arguments) {
    std::vector<std::byte> block(arguments.block.begin(), arguments.block.end());
    for (const Access &access : arguments.memories) {
      auto begin = access.memory.buffer()->address_in(device.memory_space());
      if (!begin)
        return begin.take_error();
      const std::byte *address = *begin + access.memory.offset();
      std::memcpy(block.data() + kernel->info().args[access.argument].offset, &address,
                  sizeof address);
    }
    return std::unique_ptr<Launch>(new CopyingLaunch(device, kernel, std::move(code), geometry,
                                                     local_size, std::move(block),
                                                     std::move(arguments.memories)));
  }

  const compiler::KernelInfo &kernel() const override { return kernel_->info(); }
  std::array<uint64_t, 3> local_size() const override { return local_size_; }
  const MemorySpace *memory_space() const override { return memory_.get(); }

  void run() const {
    compiler::LaunchInfo launch{};
    launch.args = block_.data();
    launch.work_dim = geometry_.work_dim;
    compiler::GroupInfo group{};
    for (uint32_t d = 0; d < 3; ++d) {
      launch.global_offset[d] = d < geometry_.work_dim ? geometry_.global_offset[d] : 0;
      launch.global_size[d] = d < geometry_.work_dim ? geometry_.global_size[d] : 1;
      launch.local_size[d] = group.local_size[d] = local_size_[d];
      launch.num_groups[d] = launch.global_size[d] / local_size_[d];
    }
    CopyingMemory::Open open(*memory_);
    auto &id = group.group_id;
    for (id[2] = 0; id[2] < launch.num_groups[2]; ++id[2])
      for (id[1] = 0; id[1] < launch.num_groups[1]; ++id[1])
        for (id[0] = 0; id[0] < launch.num_groups[0]; ++id[0])
          code_->function(&launch, &group);
  }

private:
  CopyingLaunch(const CopyingDevice &device, std::shared_ptr<Kernel> kernel,
                std::shared_ptr<const compiler::KernelCode> code, const LaunchGeometry &geometry,
                const std::array<uint64_t, 3> &local_size, std::vector<std::byte> block,
                Accesses memories)
      : Launch(std::move(memories)), memory_(device.own_memory()), kernel_(std::move(kernel)),
        code_(std::move(code)), geometry_(geometry), local_size_(local_size),
        block_(std::move(block)) {}

  const std::shared_ptr<CopyingMemory> memory_;
  const std::shared_ptr<Kernel> kernel_;
  const std::shared_ptr<const compiler::KernelCode> code_;
  const LaunchGeometry geometry_;
  const std::array<uint64_t, 3> local_size_;
  const std::vector<std::byte> block_;
};

class CopyingKernel final : public Kernel, public std::enable_shared_from_this<CopyingKernel> {
public:
  CopyingKernel(std::shared_ptr<compiler::ProgramCode> program,
                std::shared_ptr<const compiler::KernelInfo> info)
      : Kernel(std::move(info)), program_(std::move(program)) {}

  Result<std::unique_ptr<Launch>> prepare(const Device &device, const LaunchGeometry &geometry,
                                          LaunchArguments arguments) override {
    const auto local =
        geometry.local_size[0] ? geometry.local_size : std::array<uint64_t, 3>{1, 1, 1};
    auto code = program_->kernel(info().name,
                                 {{uint32_t(local[0]), uint32_t(local[1]), uint32_t(local[2])}});
    if (!code)
      return code.take_error();
    return CopyingLaunch::make(static_cast<const CopyingDevice &>(device), shared_from_this(),
                               std::move(*code), geometry, local, std::move(arguments));
  }
  std::array<uint64_t, 3> choose_local_size(const Device &, const LaunchGeometry &) override {
    return {1, 1, 1};
  }
  uint64_t largest_group(const Device &device) const override {
    return device.limits().max_work_group_size;
  }
  uint32_t preferred_multiple() const override { return 1; }
  Result<uint32_t> sub_group_size(const std::array<uint32_t, 3> &) override { return 1u; }

private:
  const std::shared_ptr<compiler::ProgramCode> program_;
};

class CopyingProgram final : public Program {
public:
  explicit CopyingProgram(std::shared_ptr<compiler::ProgramCode> code) : code_(std::move(code)) {}
  std::shared_ptr<Kernel> make_kernel(std::shared_ptr<const compiler::KernelInfo> info) override {
    return std::make_shared<CopyingKernel>(code_, std::move(info));
  }

private:
  const std::shared_ptr<compiler::ProgramCode> code_;
};

DeviceLimits small_limits() {
  DeviceLimits limits;
  limits.max_work_group_size = 64;
  limits.max_work_item_sizes = {64, 64, 64};
  limits.local_memory_bytes = 64 << 10;
  limits.kernel_stack_bytes = 1 << 20;
  limits.global_memory_bytes = 1 << 30;
  limits.max_allocation_bytes = 1 << 28;
  return limits;
}

} // namespace

// ---- memory

CopyingMemory::~CopyingMemory() {
  for (const auto &[address, size] : blocks_)
    munmap(address, size);
}

std::size_t CopyingMemory::allocations() const {
  std::lock_guard lock(mutex_);
  return blocks_.size();
}

Result<std::byte *> CopyingMemory::allocate(std::size_t size) {
  std::lock_guard lock(mutex_);
  size = whole_pages(size);
  void *memory = mmap(nullptr, size, open_ ? PROT_READ | PROT_WRITE : PROT_NONE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    return Error{ErrorKind::out_of_resources, "the device has no more memory"};
  blocks_.emplace(static_cast<std::byte *>(memory), size);
  return static_cast<std::byte *>(memory);
}

void CopyingMemory::free(std::byte *address, std::size_t size) {
  std::lock_guard lock(mutex_);
  size = whole_pages(size);
  blocks_.erase({address, size});
  munmap(address, size);
}

void CopyingMemory::protect(int protection) {
  for (const auto &[address, size] : blocks_)
    mprotect(address, size, protection);
}

CopyingMemory::Open::Open(CopyingMemory &memory) : memory_(memory) {
  std::lock_guard lock(memory_.mutex_);
  if (memory_.open_++ == 0)
    memory_.protect(PROT_READ | PROT_WRITE);
}

CopyingMemory::Open::~Open() {
  std::lock_guard lock(memory_.mutex_);
  if (--memory_.open_ == 0)
    memory_.protect(PROT_NONE);
}

Result<void> CopyingMemory::write(std::byte *to, const std::byte *from_host, std::size_t size) {
  if (fails)
    return Error{ErrorKind::out_of_resources, "the wire is cut"};
  Open open(*this);
  std::memcpy(to, from_host, size);
  written += size;
  return {};
}

Result<void> CopyingMemory::read(std::byte *to_host, const std::byte *from, std::size_t size) {
  if (fails)
    return Error{ErrorKind::out_of_resources, "the wire is cut"};
  Open open(*this);
  std::memcpy(to_host, from, size);
  read_back += size;
  return {};
}

// ---- device

CopyingDevice::CopyingDevice() : CopyingDevice(std::make_shared<CopyingMemory>()) {}

CopyingDevice::CopyingDevice(std::shared_ptr<CopyingMemory> memory)
    : Device({.type = DeviceType::accelerator, .name = "copying device", .vendor = "Lockstep"},
             small_limits(), memory),
      own_memory_(std::move(memory)), thread_([this] { run(); }) {}

CopyingDevice::~CopyingDevice() {
  {
    std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

const compiler::CodeOptions &CopyingDevice::code_options() const {
  return compiler::code_options_of_process();
}

Result<std::shared_ptr<Program>>
CopyingDevice::make_program(std::shared_ptr<const compiler::KernelModule> module) const {
  auto code = compiler::ProgramCode::create(std::move(module), code_options());
  LOCKSTEP_TRY(code);
  return std::shared_ptr<Program>(std::make_shared<CopyingProgram>(std::move(*code)));
}

void CopyingDevice::submit(Command &ready) {
  std::lock_guard lock(mutex_);
  ready_.push_back(&ready);
  changed_.notify_one(); // under the lock: the device may be destroyed afterwards
}

void CopyingDevice::run() {
  for (;;) {
    Command *command;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return is_ending_ || !ready_.empty(); });
      if (ready_.empty())
        return;
      command = ready_.front();
      ready_.pop_front();
    }
    command->set_running();
    if (Launch *launch = command->operation()->launch()) {
      static_cast<CopyingLaunch *>(launch)->run();
      ++launches;
      command->settle({});
    } else {
      HostWork *work = command->operation()->host();
      command->settle(work->run(0, work->parts()));
    }
  }
}

} // namespace lockstep::test
