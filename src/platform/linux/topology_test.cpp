#include "platform/linux/topology.h"

#include <gtest/gtest.h>

namespace lockstep::runtime {
namespace {

Topology machine_of(unsigned cpus) {
  Topology machine;
  for (unsigned i = 0; i < cpus; ++i)
    machine.cpus.push_back({.os_index = i, .core = i});
  return machine;
}

TEST(SelectCpus, KeepsTheListed) {
  Topology machine = machine_of(8);
  ASSERT_TRUE(select_cpus(machine, "1,4-6"));
  EXPECT_TRUE(machine.is_selected);
  EXPECT_EQ(cpu_list(machine.cpus), "1,4-6");
  ASSERT_TRUE(select_cpus(machine, "5-100"));
  EXPECT_EQ(cpu_list(machine.cpus), "5-6");
}

TEST(SelectCpus, OtherTextsChangeNothing) {
  for (const char *text :
       {"", ",", "1,", "1-", "-1", "3-1", "1;2", "one", "8-9", " 1", "99999999999"}) {
    Topology machine = machine_of(8);
    EXPECT_FALSE(select_cpus(machine, text)) << text;
    EXPECT_FALSE(machine.is_selected);
    EXPECT_EQ(cpu_list(machine.cpus), "0-7");
  }
}

} // namespace
} // namespace lockstep::runtime
