#include "runtime/check/launch_check.h"

#include "compiler/compile.h"
#include "runtime/check/findings.h"
#include "runtime/memory/pipe.h"

#include <array>
#include <deque>
#include <gtest/gtest.h>

namespace lockstep::runtime {
namespace {

using compiler::AccessKind;
using compiler::CheckSite;
using compiler::GroupInfo;
using compiler::Intervals;
using compiler::LaunchInfo;

// Two groups of a kernel in which only barriers order use a pipe of eight slots.
class Packets : public testing::TestWithParam<uint32_t> { // bytes of a packet
protected:
  static constexpr uint64_t group_size = 64, slots = 8;

  Packets() : check_(kernel_, launch_) {
    LaunchCheck::set_hooks();
    launch_.check = &check_;
    for (uint64_t group : {0, 1})
      groups_[group] = {{group, 0, 0}, {group_size, 1, 1}, nullptr};
    pipe_.ring.slots = slots;
    pipe_.ring.first_packet = offsetof(Pipe, packets);
    pipe_.ring.packet_size = GetParam();
  }

  void tell(unsigned group, uint64_t item, AccessKind kind, uint64_t first, uint64_t count) {
    compiler::check_hooks.packets(&launch_, &groups_[group], &new_site(kind), &pipe_, first, count,
                                  item, intervals_[group]);
  }
  void access(unsigned group, uint64_t item, AccessKind kind, uint64_t ticket) {
    compiler::check_hooks.access(&launch_, &groups_[group], &new_site(kind),
                                 &pipe_.packets[ticket % slots * GetParam()], 0, 1, item,
                                 intervals_[group]);
  }
  void barrier(unsigned group) { intervals_[group] += Intervals::global_step; }
  // A work-item of the group does all of it.
  void write(unsigned group, uint64_t first, uint64_t count) {
    tell(group, 0, AccessKind::packets_to_write, first, count);
    for (uint64_t i = 0; i != count; ++i)
      access(group, 0, AccessKind::write, first + i);
    tell(group, 0, AccessKind::packets_written, first, count);
  }
  void read(unsigned group, uint64_t first, uint64_t count) {
    tell(group, 0, AccessKind::packets_to_read, first, count);
    for (uint64_t i = 0; i != count; ++i)
      access(group, 0, AccessKind::read, first + i);
    tell(group, 0, AccessKind::packets_read, first, count);
  }
  static uint64_t told() {
    const auto count = Findings::instance().count();
    return count.findings + count.repeated;
  }

private:
  // They are kept as long as code is.
  static CheckSite &new_site(AccessKind kind) {
    static std::deque<CheckSite> all;
    CheckSite &site = all.emplace_back();
    site.size = GetParam();
    site.kind = kind;
    site.scope = compiler::CheckScope::device;
    site.address_space = 1;
    site.argument = CheckSite::no_argument;
    site.synchronises = CheckSite::by_nothing_else;
    site.file = site.text = site.object = "";
    return site;
  }

  struct Pipe {
    PipeRing ring;
    std::array<std::byte, 4096> packets;
  };
  static inline Pipe pipe_{};
  compiler::KernelInfo kernel_;
  LaunchInfo launch_{.args = nullptr,
                     .global_offset = {},
                     .global_size = {2 * group_size, 1, 1},
                     .local_size = {group_size, 1, 1},
                     .num_groups = {2, 1, 1},
                     .work_dim = 1,
                     .reserved = 0,
                     .check = nullptr,
                     .memory_check = nullptr,
                     .enqueues = nullptr};
  LaunchCheck check_;
  std::array<GroupInfo, 2> groups_{};
  std::array<uint64_t, 2> intervals_{};
};

TEST_P(Packets, GoFromWhoeverCommitsToWhoeverReserves) {
  const uint64_t before = told();
  for (uint64_t round = 0; round != 5; ++round) { // round the ring, and over its end
    write(0, 3 * round, 3);
    read(1, 3 * round, 3);
  }
  EXPECT_EQ(told(), before);
}

TEST_P(Packets, AreNobodyElses) {
  write(0, 0, 3);
  const uint64_t before = told();
  access(1, 0, AccessKind::read, 2); // not reserved
  EXPECT_GT(told(), before);
}

TEST_P(Packets, OfOneReservationAreWrittenOnce) {
  tell(0, 0, AccessKind::packets_to_write, 7, 2);
  access(0, 1, AccessKind::write, 7);
  access(0, 2, AccessKind::write, 8);
  const uint64_t before = told();
  access(0, 3, AccessKind::write, 8);
  EXPECT_GT(told(), before);
}

TEST_P(Packets, AreCommittedAfterAllHaveUsedThem) {
  for (const bool writes : {true, false})
    for (const bool has_barrier : {true, false}) {
      const uint64_t before = told();
      tell(0, 0, writes ? AccessKind::packets_to_write : AccessKind::packets_to_read, 6, 4);
      access(0, 5, writes ? AccessKind::write : AccessKind::read, 9);
      if (has_barrier)
        barrier(0);
      tell(0, 0, writes ? AccessKind::packets_written : AccessKind::packets_read, 6, 4);
      EXPECT_EQ(told() > before, !has_barrier);
    }
}

TEST_P(Packets, AreNotUsedBesideTheCommit) {
  write(0, 0, 2);
  const uint64_t before = told();
  access(0, 5, AccessKind::write, 1);
  EXPECT_GT(told(), before);
}

TEST_P(Packets, NeighboursAreNotForgotten) {
  tell(0, 0, AccessKind::packets_to_write, 0, 8);
  access(0, 5, AccessKind::write, 3);
  access(0, 5, AccessKind::write, 5);
  tell(1, 0, AccessKind::packets_to_write, 4, 1);
  const uint64_t before = told();
  access(0, 6, AccessKind::write, 4);
  EXPECT_EQ(told(), before);
  for (uint64_t neighbour : {3, 5}) {
    const uint64_t until_now = told();
    access(0, 6, AccessKind::write, neighbour);
    EXPECT_GT(told(), until_now);
  }
}

INSTANTIATE_TEST_SUITE_P(BySize, Packets, testing::Values(1, 2, 4, 12, 16));

} // namespace
} // namespace lockstep::runtime
