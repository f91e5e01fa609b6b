// Callbacks that receive the IR after each stage, for tools and tests.
#pragma once

#include <functional>
#include <string_view>

namespace lockstep::compiler {

struct StageListener {
  // `after_stage` is called after each stage with its name. `ir` is LLVM IR text if want_ir(stage)
  // returns true, else empty.
  std::function<bool(std::string_view stage)> want_ir;
  std::function<void(std::string_view stage, std::string_view ir, bool changed,
                     double milliseconds)>
      after_stage;
  // Called before each pass that runs, with its name; also before those of LLVM and those that
  // contain others.
  std::function<void(std::string_view pass)> before_pass;
};

} // namespace lockstep::compiler
