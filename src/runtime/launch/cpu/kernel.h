// A kernel as the CPU launch sees it: its machine code for the local sizes it was launched with.
//
// When code is generated: at enqueue, in the caller's thread. So an error of code generation is an
// error of the enqueue call, workers never compile, and launching a kernel with a local size it was
// compiled for before is one look-up in a short list.
#pragma once

#include "compiler/compile.h"
#include "runtime/kernel.h"
#include "support/result.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace lockstep::runtime {

class CpuKernel final : public Kernel {
public:
  CpuKernel(std::shared_ptr<compiler::ProgramCode> program,
            std::shared_ptr<const compiler::KernelInfo> info, uint32_t preferred_multiple);
  Result<std::unique_ptr<Launch>> prepare(const Device &device, const LaunchGeometry &geometry,
                                          LaunchArguments arguments) override;
  std::array<uint64_t, 3> choose_local_size(const Device &device,
                                            const LaunchGeometry &geometry) const override;
  uint64_t largest_group(const Device &device) const override;
  uint32_t preferred_multiple() const override { return preferred_multiple_; }
  Result<uint32_t> sub_group_size(const std::array<uint32_t, 3> &local_size) override;

  struct Variant {
    compiler::Specialisation specialisation; // local size 0,0,0: any
    std::shared_ptr<const compiler::KernelInfo> info;
    std::shared_ptr<const compiler::KernelCode> code;
    std::atomic<uint32_t> picoseconds_per_item{0}; // measured by launches; 0: never ran
    std::atomic<bool> has_told{false};             // why it is not run: tell_once()
  };
  // Compiles on first use; what runs one group at a time whatever neighbours it is offered is
  // compiled once for all offers in the same dimensions. The kernel keeps the `most_variants` that
  // were used last; launches keep theirs.
  static constexpr std::size_t most_variants = 64;
  Result<std::shared_ptr<Variant>> variant(const compiler::Specialisation &wanted);
  void tell_once(Variant &unused, const std::string &remark) const;

private:
  std::shared_ptr<Variant> find(const compiler::Specialisation &wanted);

  const std::shared_ptr<compiler::ProgramCode> program_;
  const uint32_t preferred_multiple_;
  std::mutex compiling_;                           // one compilation at a time
  std::mutex mutex_;                               // the list
  std::vector<std::shared_ptr<Variant>> variants_; // the one that was used last comes first
};

} // namespace lockstep::runtime
