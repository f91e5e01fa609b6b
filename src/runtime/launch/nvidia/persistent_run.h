// One run of a launch whose work-groups may wait for each other (back_ends/nvidia/passes/
// make_persistent.cpp), and its deadlock.
//
// It has a pool of frames for groups that are suspended. Its blocks tell by
// words in pinned memory that they have only groups that wait for the same values since a while. If
// all of them do, so that all suspended groups were asked, nothing but the host or another command
// can change that (host_threads.h). Then the run tells the blocks to leave, and reports where the
// groups wait. The patience is that of the CPU's launches (waiting_launches.h).
#pragma once

#include "abi/nvidia_group_pool.h"
#include "runtime/launch/nvidia/group_pools.h"
#include "runtime/launch/nvidia/launch_streams.h"
#include "runtime/launch/nvidia/nvidia_program.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace lockstep::runtime {

class NvidiaMemory;

class PersistentRun final {
public:
  struct Size {
    uint32_t groups = 0, blocks = 0;
  };
  // What the report must know about the launch.
  struct Names {
    std::string kernel;
    // "byte 4 of argument 0 'flag'"; empty: not known
    std::function<std::string(uint64_t address)> memory;
  };

  // `slot_bytes`: of one suspended group. `limit`: for all of them, in bytes.
  static Result<std::unique_ptr<PersistentRun>> make(std::shared_ptr<const LoadedKernel> code,
                                                     std::shared_ptr<NvidiaMemory> memory,
                                                     Size size, uint64_t slot_bytes, uint64_t limit,
                                                     Names names);
  ~PersistentRun();

  // Before the CUDA launch, and the address that it gets.
  Result<uint64_t> begin(cuda::Stream *stream);
  Result<void> end(cuda::Stream *stream); // behind it
  // Before a CUDA launch that goes on after the blocks have left.
  uint64_t begin_again();
  // These are StreamWork::Run's.
  void look(Command &command, bool others_run);
  bool stands_still() const { return still_since_ != 0; }
  void leave();
  bool has_left() const;
  Result<void> finish(Command &command);

private:
  PersistentRun(std::shared_ptr<const LoadedKernel> code, std::shared_ptr<NvidiaMemory> memory,
                Size size, Names names)
      : code_(std::move(code)), memory_(std::move(memory)), size_(size), names_(std::move(names)) {}

  struct DeadlockText {
    std::string message, json;
  };

  lockstep_group_pool &header() const;
  lockstep_group_mail &mail() const;
  bool all_are_still() const;
  void judge(Command &command, bool others_run);
  Result<void> read_waits();
  DeadlockText describe() const;

  const std::shared_ptr<const LoadedKernel> code_;
  const std::shared_ptr<NvidiaMemory> memory_;
  const Size size_;
  const Names names_;
  GroupPools::Pool pool_;
  std::atomic<uint64_t> still_since_ = 0; // 0: some block has moved
  std::atomic<bool> is_leaving_ = false;
  bool has_warned_ = false, is_ending_ = false;
  std::vector<lockstep_wait> waits_;
};

} // namespace lockstep::runtime
