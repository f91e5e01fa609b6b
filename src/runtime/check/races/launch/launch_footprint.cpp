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
    touched_ = std::make_unique<TouchedMemory>(state.accesses, state.kernel.args.size());
}

uint64_t LaunchFootprint::touch_plane(const void *arguments, uint32_t number,
                                      compiler::TouchWay way, uint32_t unit, const void *origin) {
  if (!touched_)
    return 0;
  // A worker has private copies of some memory, and arguments that point to them
  // (runtime/launch/cpu/kernel/privatized_reductions.h).
  const uint32_t argument = compiler::TouchPlaneNumber::argument_of(number);
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
  return touched_->plane(number, way, unit, origin);
}

void LaunchFootprint::touch_what_is_certain(const compiler::Assumptions &assumptions) {
  if (!touched_ || assumptions.touches.empty())
    return;
  const LaunchNumbers numbers(state_.kernel, state_.launch);
  for (const compiler::CertainTouch &touch : assumptions.touches)
    if (const auto rows = certain_rows(touch, state_.kernel, numbers, state_.accesses))
      touched_->touch(compiler::TouchWay{touch.way}, *rows);
}

} // namespace lockstep::runtime
