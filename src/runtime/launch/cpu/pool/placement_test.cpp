#include "runtime/launch/cpu/pool/placement.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace lockstep::runtime {
namespace {

// NUMA nodes with one last-level cache each, all CPUs in one row.
Topology machine_of(unsigned nodes, unsigned cores, unsigned threads = 1) {
  Topology machine;
  for (unsigned i = 0; i < nodes * cores * threads; ++i)
    machine.cpus.push_back({.os_index = i,
                            .core = i / threads,
                            .numa_node = i / threads / cores,
                            .l3 = i / threads / cores});
  machine.machine_cpus = machine.cpu_limit = unsigned(machine.cpus.size());
  return machine;
}

std::string cpus_of(const Placement &placement) {
  return cpu_list(placement.cpus);
}

std::vector<unsigned> cores_of(const Placement &placement) {
  std::vector<unsigned> cores;
  for (const Cpu &cpu : placement.cpus)
    cores.push_back(cpu.core);
  return cores;
}

TEST(Placement, OnePerCoreFirst) {
  const Topology machine = machine_of(1, 4, 2);
  const auto cores = [&](unsigned count) {
    return cores_of(place_workers(machine, count, std::nullopt));
  };
  EXPECT_EQ(cores(4), std::vector<unsigned>({0, 1, 2, 3}));
  EXPECT_EQ(cores(6), std::vector<unsigned>({0, 1, 2, 3, 0, 1}));
  EXPECT_EQ(cores(8), std::vector<unsigned>({0, 0, 1, 1, 2, 2, 3, 3}));
  EXPECT_EQ(cores(10).size(), 10u);
}

// Several processes of one host with the same LOCKSTEP_THREADS must not be bound to the same node.
TEST(Placement, FewerThreadsThanCpusAreNotBound) {
  const Topology machine = machine_of(4, 8);
  const Placement placement = place_workers(machine, 8, std::nullopt);
  EXPECT_EQ(placement.cpus.size(), 8u);
  EXPECT_FALSE(placement.is_bound);
  EXPECT_TRUE(place_workers(machine, 32, std::nullopt).is_bound);
  EXPECT_TRUE(place_workers(machine, std::nullopt, std::nullopt).is_bound);
  EXPECT_TRUE(place_workers(machine_of(1, 8), 4, std::nullopt).is_bound); // there is one node
}

TEST(Placement, AQuotaDoesNotBindEither) {
  Topology machine = machine_of(4, 8);
  machine.cpu_limit = 8;
  const Placement placement = place_workers(machine, std::nullopt, std::nullopt);
  EXPECT_EQ(placement.cpus.size(), 8u);
  EXPECT_FALSE(placement.is_bound);
}

TEST(Placement, CpusOfTheUserAreBound) {
  Topology machine = machine_of(4, 8);
  ASSERT_TRUE(select_cpus(machine, "4-31"));
  machine.cpu_limit = unsigned(machine.cpus.size());
  const Placement all = place_workers(machine, std::nullopt, LocalRank{1, 4});
  EXPECT_EQ(cpus_of(all), "4-31"); // the user's list is not divided
  EXPECT_TRUE(all.is_bound);
  EXPECT_TRUE(place_workers(machine, 7, std::nullopt).is_bound);
  EXPECT_EQ(cpus_of(place_workers(machine, 7, LocalRank{1, 4})), "11-17");
}

TEST(Placement, RanksDivideTheMachine) {
  const Topology machine = machine_of(4, 8);
  for (unsigned rank = 0; rank < 4; ++rank) {
    const Placement placement = place_workers(machine, std::nullopt, LocalRank{rank, 4});
    EXPECT_EQ(placement.cpus.size(), 8u);
    EXPECT_TRUE(placement.is_bound);
    EXPECT_TRUE(
        std::ranges::all_of(placement.cpus, [&](const Cpu &cpu) { return cpu.numa_node == rank; }));
  }
}

TEST(Placement, AllCpusAreUsedByExactlyOneRank) {
  for (unsigned threads : {1u, 2u})
    for (unsigned ranks : {2u, 3u, 5u, 8u, 11u, 16u}) {
      const Topology machine = machine_of(2, 8, threads);
      std::vector<unsigned> users(machine.cpus.size());
      for (unsigned rank = 0; rank < ranks; ++rank)
        for (const Cpu &cpu : place_workers(machine, std::nullopt, LocalRank{rank, ranks}).cpus)
          ++users[cpu.os_index];
      EXPECT_EQ(users, std::vector<unsigned>(users.size(), 1)) << threads << " " << ranks;
    }
}

TEST(Placement, MoreRanksThanCpusHaveOneThreadEach) {
  const Topology machine = machine_of(1, 2);
  std::vector<unsigned> users(2);
  for (unsigned rank = 0; rank < 8; ++rank) {
    const Placement placement = place_workers(machine, std::nullopt, LocalRank{rank, 8});
    ASSERT_EQ(placement.cpus.size(), 1u);
    ++users[placement.cpus[0].os_index];
  }
  EXPECT_EQ(users, std::vector<unsigned>({4, 4}));
}

TEST(Placement, RequestedThreadsOfRanks) {
  const Topology machine = machine_of(4, 8);
  EXPECT_EQ(cpus_of(place_workers(machine, 4, LocalRank{2, 4})), "16-19"); // of its part
  // More than its part: the ranks take turns around the machine.
  EXPECT_EQ(cpus_of(place_workers(machine, 12, LocalRank{1, 4})), "12-23");
  EXPECT_EQ(cpus_of(place_workers(machine, 12, LocalRank{2, 4})), "0-3,24-31");
  EXPECT_EQ(place_workers(machine, 64, LocalRank{2, 4}).cpus.size(), 64u);
}

TEST(Placement, AQuotaIsDividedAmongRanks) {
  Topology machine = machine_of(4, 8);
  machine.cpu_limit = 8;
  EXPECT_EQ(place_workers(machine, std::nullopt, LocalRank{3, 4}).cpus.size(), 2u);
  machine.cpu_limit = 2;
  EXPECT_EQ(place_workers(machine, std::nullopt, LocalRank{3, 4}).cpus.size(), 1u);
}

Topology masked(unsigned first, unsigned count) {
  Topology machine = machine_of(2, 16);
  machine.cpus = {machine.cpus.begin() + first, machine.cpus.begin() + first + count};
  machine.cpu_limit = count;
  machine.is_restricted = true;
  return machine;
}

TEST(Placement, ALauncherThatBindsIsFollowed) {
  EXPECT_EQ(cpus_of(place_workers(masked(8, 8), std::nullopt, LocalRank{1, 4})), "8-15");
  EXPECT_EQ(cpus_of(place_workers(masked(1, 1), std::nullopt, LocalRank{1, 2})), "1");
  EXPECT_EQ(cpus_of(place_workers(masked(11, 11), std::nullopt, LocalRank{1, 3})), "11-21");
  EXPECT_TRUE(place_workers(masked(8, 8), 4, LocalRank{1, 4}).is_bound);
}

// Open MPI binds each of 8 ranks to one of two nodes.
TEST(Placement, RanksWithTheSameMaskDivideIt) {
  const Placement placement = place_workers(masked(16, 16), std::nullopt, LocalRank{5, 8});
  EXPECT_EQ(placement.cpus.size(), 4u);
  EXPECT_FALSE(placement.is_bound); // which of them are free, the system knows
}

} // namespace
} // namespace lockstep::runtime
