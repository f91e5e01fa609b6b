// Shared by tests that call the checker's hooks like compiled code: a launch of two groups. Only
// barriers order its accesses unless the test sets `synchronizes_`.
#pragma once

#include "driver/compile.h"
#include "runtime/check/races/launch/launch_check.h"
#include "runtime/check/report/findings.h"

#include <array>
#include <deque>
#include <gtest/gtest.h>

namespace lockstep::runtime {

class TwoGroups {
protected:
  static constexpr uint64_t group_size = 64;

  TwoGroups() : check_(kernel_, launch_) {
    LaunchCheck::set_hooks();
    launch_.check = &check_;
    for (uint64_t group : {0, 1})
      groups_[group] = {{group, 0, 0}, {group_size, 1, 1}, nullptr};
  }

  // Each access has a site of its own, so that none continues the record of another one. Sites live
  // as long as code.
  compiler::CheckSite &new_site(compiler::AccessKind kind, uint32_t size) const {
    static std::deque<compiler::CheckSite> all;
    compiler::CheckSite &site = all.emplace_back();
    site.size = size;
    site.kind = kind;
    site.scope = compiler::CheckScope::device;
    site.address_space = 1;
    site.argument = compiler::CheckSite::no_argument;
    site.synchronizes = synchronizes_;
    site.file = site.text = site.object = "";
    return site;
  }
  void pass(unsigned group, uint64_t step) {
    intervals_[group] = compiler::Intervals::after(intervals_[group], step);
  }
  void barrier(unsigned group) { pass(group, compiler::Intervals::global_step); }
  static uint64_t reported() {
    const auto count = Findings::instance().count();
    return count.findings + count.repeated;
  }

  uint32_t synchronizes_ = compiler::CheckSite::by_nothing_else;
  compiler::KernelInfo kernel_;
  compiler::LaunchInfo launch_{.args = nullptr,
                               .global_offset = {},
                               .global_size = {2 * group_size, 1, 1},
                               .local_size = {group_size, 1, 1},
                               .num_groups = {2, 1, 1},
                               .work_dim = 1,
                               .local_argument_bytes = 0,
                               .check = nullptr,
                               .memory_check = nullptr,
                               .enqueues = nullptr};
  LaunchCheck check_;
  std::array<compiler::GroupInfo, 2> groups_{};
  std::array<uint64_t, 2> intervals_{};
};

} // namespace lockstep::runtime
