// A minimal second device: one thread, and memory that only the device may access. It runs the
// CPU's machine code, one work-group after the other.
#pragma once

#include "driver/compile.h"
#include "runtime/device/device.h"

#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

namespace lockstep::test {

// Memory that is protected except while the device accesses it. Any other access by the host
// faults.
class CopyingMemory final : public runtime::MemorySpace {
public:
  ~CopyingMemory() override;
  Result<std::byte *> allocate(std::size_t size) override;
  void free(std::byte *address, std::size_t size) override;
  Result<void> write(std::byte *to, const std::byte *from_host, std::size_t size) override;
  Result<void> read(std::byte *to_host, const std::byte *from, std::size_t size) override;

  // Makes the memory accessible during its lifetime.
  class Open {
  public:
    explicit Open(CopyingMemory &memory);
    ~Open();

  private:
    CopyingMemory &memory_;
  };

  std::atomic<std::size_t> written = 0, read_back = 0; // bytes
  std::size_t allocations() const;
  std::atomic<bool> fails = false; // makes every transfer fail

private:
  void protect(int protection);

  mutable std::mutex mutex_;
  std::set<std::pair<std::byte *, std::size_t>> blocks_; // whole pages
  unsigned open_ = 0;
};

class CopyingDevice final : public runtime::Device {
public:
  CopyingDevice();
  ~CopyingDevice() override;

  unsigned compute_units() const override { return 1; }
  const compiler::CodeOptions &code_options() const override;
  Result<std::shared_ptr<runtime::Program>>
  make_program(std::shared_ptr<const compiler::KernelModule> module) const override;
  void submit(runtime::Command &ready) override;

  const std::shared_ptr<CopyingMemory> &own_memory() const { return own_memory_; }
  std::atomic<unsigned> launches = 0;

private:
  explicit CopyingDevice(std::shared_ptr<CopyingMemory> memory);
  void run();

  const std::shared_ptr<CopyingMemory> own_memory_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<runtime::Command *> ready_;
  bool is_ending_ = false;
  std::thread thread_;
};

} // namespace lockstep::test
