#include "runtime/check/races/launch/test_launch.h"
#include "runtime/memory/pipe.h"

namespace lockstep::runtime {
namespace {

using compiler::AccessKind;

// Two groups use a pipe of eight slots; only barriers order their accesses.
class Packets : public testing::TestWithParam<uint32_t>, // bytes per packet
                protected TwoGroups {
protected:
  static constexpr uint64_t slots = 8;

  Packets() {
    pipe_.ring.slots = slots;
    pipe_.ring.first_packet = offsetof(Pipe, packets);
    pipe_.ring.packet_size = GetParam();
  }

  void tell(unsigned group, uint64_t item, AccessKind kind, uint64_t first, uint64_t count) {
    compiler::check_hooks.packets(&launch_, &groups_[group], &new_site(kind, GetParam()), &pipe_,
                                  first, count, item, intervals_[group]);
  }
  void access(unsigned group, uint64_t item, AccessKind kind, uint64_t ticket) {
    compiler::check_hooks.access(&launch_, &groups_[group], &new_site(kind, GetParam()),
                                 &pipe_.packets[ticket % slots * GetParam()], 0, 1, item,
                                 intervals_[group]);
  }
  // One work-item of the group does everything.
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

private:
  struct Pipe {
    PipeRing ring;
    std::array<std::byte, 4096> packets;
  };
  static inline Pipe pipe_{};
};

TEST_P(Packets, GoFromWhoeverCommitsToWhoeverReserves) {
  const uint64_t before = reported();
  for (uint64_t round = 0; round != 5; ++round) { // wraps around the end of the ring
    write(0, 3 * round, 3);
    read(1, 3 * round, 3);
  }
  EXPECT_EQ(reported(), before);
}

TEST_P(Packets, AreNobodyElses) {
  write(0, 0, 3);
  const uint64_t before = reported();
  access(1, 0, AccessKind::read, 2); // not reserved
  EXPECT_GT(reported(), before);
}

TEST_P(Packets, OfOneReservationAreWrittenOnce) {
  tell(0, 0, AccessKind::packets_to_write, 7, 2);
  access(0, 1, AccessKind::write, 7);
  access(0, 2, AccessKind::write, 8);
  const uint64_t before = reported();
  access(0, 3, AccessKind::write, 8);
  EXPECT_GT(reported(), before);
}

TEST_P(Packets, AreCommittedAfterAllHaveUsedThem) {
  for (const bool writes : {true, false})
    for (const bool has_barrier : {true, false}) {
      const uint64_t before = reported();
      tell(0, 0, writes ? AccessKind::packets_to_write : AccessKind::packets_to_read, 6, 4);
      access(0, 5, writes ? AccessKind::write : AccessKind::read, 9);
      if (has_barrier)
        barrier(0);
      tell(0, 0, writes ? AccessKind::packets_written : AccessKind::packets_read, 6, 4);
      EXPECT_EQ(reported() > before, !has_barrier);
    }
}

TEST_P(Packets, AreNotUsedBesideTheCommit) {
  write(0, 0, 2);
  const uint64_t before = reported();
  access(0, 5, AccessKind::write, 1);
  EXPECT_GT(reported(), before);
}

TEST_P(Packets, NeighborsAreNotForgotten) {
  tell(0, 0, AccessKind::packets_to_write, 0, 8);
  access(0, 5, AccessKind::write, 3);
  access(0, 5, AccessKind::write, 5);
  tell(1, 0, AccessKind::packets_to_write, 4, 1);
  const uint64_t before = reported();
  access(0, 6, AccessKind::write, 4);
  EXPECT_EQ(reported(), before);
  for (uint64_t neighbor : {3, 5}) {
    const uint64_t until_now = reported();
    access(0, 6, AccessKind::write, neighbor);
    EXPECT_GT(reported(), until_now);
  }
}

INSTANTIATE_TEST_SUITE_P(BySize, Packets, testing::Values(1, 2, 4, 12, 16));

} // namespace
} // namespace lockstep::runtime
