// A kernel on the CPU: its machine code for the local sizes of its launches.
//
// Code is generated at enqueue, in the caller's thread. So an error of code generation is an error
// of the enqueue call, and workers never compile. A launch with a known local size needs one lookup
// in a short list. Code that later launches turn out to be faster with is compiled in the background.
#pragma once

#include "driver/compile.h"
#include "runtime/device/kernel.h"
#include "runtime/launch/cpu/resumable/worker_limit.h"
#include "support/result.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace lockstep::runtime {

class CpuKernel final : public Kernel, public std::enable_shared_from_this<CpuKernel> {
public:
  CpuKernel(std::shared_ptr<compiler::ProgramCode> program,
            std::shared_ptr<const compiler::KernelInfo> info, uint32_t preferred_multiple);
  Result<std::unique_ptr<Launch>> prepare(const Device &device, const LaunchGeometry &geometry,
                                          LaunchArguments arguments) override;
  std::array<uint64_t, 3> choose_local_size(const Device &device,
                                            const LaunchGeometry &geometry) override;
  // The same as far as it is known without a compilation.
  std::array<uint64_t, 3> expected_local_size(const Device &device,
                                              const LaunchGeometry &geometry) const;
  // Whether another one may suit the kernel better, which only its code says.
  bool may_expect_another(const LaunchGeometry &geometry) const {
    return geometry.work_dim > 1 && groups_.load(std::memory_order_relaxed) == Groups::unknown;
  }
  void learn_local_size(const compiler::KernelFacts &facts) {
    groups_ = facts.suits_squares ? Groups::squares : Groups::rows;
  }
  uint64_t largest_group(const Device &device) const override;
  uint32_t preferred_multiple() const override { return preferred_multiple_; }
  Result<uint32_t> sub_group_size(const std::array<uint32_t, 3> &local_size) override;

  struct Variant {
    compiler::Specialization specialization; // local size 0,0,0: code for any size
    std::shared_ptr<const compiler::KernelInfo> info;
    std::shared_ptr<const compiler::KernelCode> code;
    WorkerLimit::Memory worker_limit;              // of launches whose groups wait
    std::atomic<uint32_t> picoseconds_per_item{0}; // measured by launches; 0: not run yet
    std::atomic<bool> has_reported{
        false}; // report_once() has reported why this variant is not used
  };
  // Compiles on first use. Code that runs fewer groups in a call than were offered serves all
  // offers of a multiple. The kernel keeps the `most_variants` most recently used variants; a
  // launch keeps its own alive.
  static constexpr std::size_t most_variants = 64;
  Result<std::shared_ptr<Variant>> variant(const compiler::Specialization &wanted);
  // The same for code that is only faster than other code: no launch waits for it. The first call
  // compiles it in the background. Null: it is not there yet, or cannot be made.
  std::shared_ptr<Variant> variant_if_made(const compiler::Specialization &wanted);
  // Whether code for these numbers was made ahead of time.
  bool has_finished_code(const compiler::Specialization &wanted) const {
    return program_->is_finished(info().name, wanted);
  }
  void report_once(Variant &unused, const std::string &remark) const;

private:
  std::shared_ptr<Variant> find(const compiler::Specialization &wanted);

  const std::shared_ptr<compiler::ProgramCode> program_;
  const std::vector<std::array<uint32_t, 3>> finished_sizes_; // ProgramCode::finished_local_sizes()
  const uint32_t preferred_multiple_;
  enum class Groups : uint8_t { unknown, rows, squares };
  std::atomic<Groups> groups_{Groups::unknown};    // that suit the kernel, once it was compiled
  std::mutex compiling_;                           // one compilation at a time
  std::mutex mutex_;                               // guards the list
  std::vector<std::shared_ptr<Variant>> variants_; // most recently used first
  // What variant_if_made() compiles, has compiled or could not; guarded by mutex_.
  std::vector<compiler::Specialization> in_background_;
};

} // namespace lockstep::runtime
