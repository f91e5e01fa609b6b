#include "support/ranks.h"

#include <cstdlib>
#include <gtest/gtest.h>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

namespace lockstep {
namespace {

// Sets variables of a launcher for one test.
class Variables {
public:
  Variables(std::initializer_list<std::pair<const char *, const char *>> values) : values_(values) {
    for (const auto &[name, value] : values_)
      setenv(name, value, 1);
  }
  ~Variables() {
    for (const auto &[name, value] : values_)
      unsetenv(name);
  }

private:
  const std::vector<std::pair<const char *, const char *>> values_;
};

std::string prefix() {
  return message_prefix().text.data();
}

TEST(Ranks, NoLauncher) {
  EXPECT_FALSE(local_rank_of_process());
  EXPECT_FALSE(rank_of_process());
  EXPECT_EQ(prefix(), "");
}

TEST(Ranks, OfOpenMpi) {
  const Variables set{{"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
                      {"OMPI_COMM_WORLD_LOCAL_SIZE", "4"},
                      {"OMPI_COMM_WORLD_RANK", "13"}};
  ASSERT_TRUE(local_rank_of_process());
  EXPECT_EQ(local_rank_of_process()->rank, 1u);
  EXPECT_EQ(local_rank_of_process()->size, 4u);
  EXPECT_EQ(rank_of_process(), 13u);
  EXPECT_EQ(prefix(), "[" + host_name() + ":13] ");
}

TEST(Ranks, OfMpich) {
  const Variables set{{"MPI_LOCALRANKID", "0"}, {"MPI_LOCALNRANKS", "2"}, {"PMI_RANK", "2"}};
  ASSERT_TRUE(local_rank_of_process());
  EXPECT_EQ(local_rank_of_process()->size, 2u);
  EXPECT_EQ(rank_of_process(), 2u);
}

TEST(Ranks, OfAStepOfSlurm) {
  const Variables set{{"SLURM_STEP_ID", "0"},
                      {"SLURM_NODEID", "3"},
                      {"SLURM_LOCALID", "0"},
                      {"SLURM_PROCID", "6"},
                      {"SLURM_STEP_TASKS_PER_NODE", "2(x3),1"}};
  ASSERT_TRUE(local_rank_of_process());
  EXPECT_EQ(local_rank_of_process()->size, 1u);
  EXPECT_EQ(rank_of_process(), 6u);
}

// A batch script has the variables of rank 0 of the whole allocation, but is one process.
TEST(Ranks, NoneInABatchScriptOfSlurm) {
  const Variables set{{"SLURM_STEP_ID", "4294967291"},
                      {"SLURM_NODEID", "0"},
                      {"SLURM_LOCALID", "0"},
                      {"SLURM_PROCID", "0"},
                      {"SLURM_STEP_TASKS_PER_NODE", "8"}};
  EXPECT_FALSE(local_rank_of_process());
  EXPECT_FALSE(rank_of_process());
}

TEST(Ranks, NonsenseIsNoRank) {
  {
    const Variables set{{"OMPI_COMM_WORLD_LOCAL_RANK", "4"}, {"OMPI_COMM_WORLD_LOCAL_SIZE", "4"}};
    EXPECT_FALSE(local_rank_of_process());
  }
  const Variables set{{"OMPI_COMM_WORLD_LOCAL_RANK", "one"},
                      {"OMPI_COMM_WORLD_LOCAL_SIZE", "4"},
                      {"OMPI_COMM_WORLD_RANK", "-1"}};
  EXPECT_FALSE(local_rank_of_process());
  EXPECT_FALSE(rank_of_process());
}

TEST(Ranks, TasksOfANode) {
  EXPECT_EQ(tasks_of_node("4", 0), 4u);
  EXPECT_EQ(tasks_of_node("2(x3),1", 2), 2u);
  EXPECT_EQ(tasks_of_node("2(x3),1", 3), 1u);
  EXPECT_EQ(tasks_of_node("2(x3),1", 4), std::nullopt);
  EXPECT_EQ(tasks_of_node("", 0), std::nullopt);
  EXPECT_EQ(tasks_of_node("2(x", 0), std::nullopt);
  EXPECT_EQ(tasks_of_node("2(x3", 0), std::nullopt);
}

} // namespace
} // namespace lockstep
