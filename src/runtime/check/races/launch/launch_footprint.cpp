#include "runtime/check/races/launch/launch_footprint.h"

#include "abi/assumptions.h"
#include "driver/compile.h"
#include "runtime/check/assumptions/must_accesses.h"
#include "runtime/check/options/check_options.h"

#include <cstddef>
#include <cstring>

namespace lockstep::runtime {

LaunchFootprint::LaunchFootprint(const LaunchState &state) : state_(state) {
  if (check_options().commands)
    accessed_ = std::make_unique<AccessedMemory>(state.accesses, state.kernel.args.size());
}

uint64_t LaunchFootprint::map_of_argument(const void *arguments, uint32_t number,
                                          compiler::FootprintKind kind, uint32_t unit,
                                          const void *origin) {
  if (!accessed_)
    return 0;
  // A worker has private copies of some memory, and arguments that point to them
  // (runtime/launch/cpu/kernel/privatized_reductions.h).
  const uint32_t argument = compiler::FootprintMapNumber::argument_of(number);
  const auto &args = state_.kernel.args;
  if (arguments != state_.launch.args && argument < args.size()) {
    auto pointer_in = [&](const void *block) {
      const std::byte *pointer = nullptr;
      std::memcpy(&pointer, static_cast<const std::byte *>(block) + args[argument].offset,
                  sizeof pointer);
      return pointer;
    };
    if (origin == pointer_in(arguments))
      origin = pointer_in(state_.launch.args);
  }
  return accessed_->map(number, kind, unit, origin);
}

void LaunchFootprint::record_must_accesses(const compiler::Assumptions &assumptions) {
  if (!accessed_ || assumptions.must_accesses.empty())
    return;
  const LaunchNumbers numbers(state_.kernel, state_.launch);
  for (const compiler::MustAccess &record : assumptions.must_accesses)
    if (const auto rows = must_access_rows(record, state_.kernel, numbers, state_.accesses))
      accessed_->record(compiler::FootprintKind{record.kind}, *rows);
}

} // namespace lockstep::runtime
