// A program of C++ work-group functions, for tests and benchmarks of the launch.
#pragma once

#include "driver/compile.h"
#include "runtime/launch/cpu/kernel/kernel.h"

#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace lockstep::runtime {

class TestProgram : public compiler::ProgramCode {
public:
  // The same function serves as every specialization; `compiled` counts the requests.
  explicit TestProgram(compiler::WorkGroupFunction function, uint64_t stack_size = 4096)
      : function_(function), stack_size_(stack_size) {}

  Result<std::shared_ptr<const compiler::KernelCode>>
  kernel(std::string_view name, const compiler::Specialization &specialization) override {
    ++compiled;
    batched += specialization.batched_updates;
    while (specialization.batched_updates && holds_batched)
      std::this_thread::yield();
    if (name == "broken")
      return Error{ErrorKind::out_of_resources, "cannot be compiled"};
    auto code = std::make_shared<compiler::KernelCode>();
    code->function = function_;
    code->kernel_name = std::string(name);
    code->stack_size = stack_size_;
    if (specialization.local_size[0] == 0 && any_size_function)
      code->function = any_size_function;
    if (four_rows_function && specialization.neighbors[1] % 4 == 0) {
      code->function = four_rows_function;
      code->groups_at_once = {1, 4, 1};
    }
    if (side_by_side_function && specialization.neighbors[0] % 4 == 0) {
      code->function = side_by_side_function;
      code->groups_at_once = {4, 1, 1};
    }
    code->first_dimension = first_dimension;
    code->suits_squares = suits_squares;
    code->adds_to_counter = adds_to_counter;
    made.push_back(code);
    return std::shared_ptr<const compiler::KernelCode>(std::move(code));
  }

  compiler::WorkGroupFunction any_size_function = nullptr; // null: uses `function`
  compiler::WorkGroupFunction four_rows_function =
      nullptr; // runs four consecutive groups of dimension 1, if that is offered
  compiler::WorkGroupFunction side_by_side_function = nullptr; // the same in dimension 0
  uint32_t first_dimension = 0;
  bool suits_squares = false, adds_to_counter = false;
  std::atomic<int> compiled = 0, batched = 0; // batched: requests for batched updates
  std::atomic<bool> holds_batched = false;    // these requests do not end
  std::vector<std::weak_ptr<const compiler::KernelCode>> made; // by request

private:
  const compiler::WorkGroupFunction function_;
  const uint64_t stack_size_;
};

inline std::shared_ptr<CpuKernel> make_kernel(std::shared_ptr<TestProgram> program,
                                              compiler::KernelInfo info,
                                              uint32_t preferred_multiple = 1) {
  return std::make_shared<CpuKernel>(std::move(program),
                                     std::make_shared<const compiler::KernelInfo>(std::move(info)),
                                     preferred_multiple);
}

} // namespace lockstep::runtime
