// The position of this process among the processes that a launcher (mpirun, srun, ...) has started,
// from the launcher's environment variables. docs/cluster.md lists them.
#pragma once

#include <array>
#include <optional>
#include <string>

namespace lockstep {

// Position among the processes of the same job on this host.
struct LocalRank {
  unsigned rank = 0, size = 1;
};

// Unset if there is no launcher, or if it does not say how many processes this host has.
std::optional<LocalRank> local_rank_of_process();

// Position among all processes of the job.
std::optional<unsigned> rank_of_process();

std::string host_name();

// What messages begin with: "[host:rank] " if there is a launcher, else nothing. Neither allocates
// memory nor throws.
struct MessagePrefix {
  std::array<char, 96> text{};
};
MessagePrefix message_prefix() noexcept;

// The tasks of node `node` in Slurm's list of tasks by node: "2(x3),1" means 2, 2, 2, 1. Unset if
// the list has no such node or is not such a list.
std::optional<unsigned> tasks_of_node(const std::string &list, unsigned node);

} // namespace lockstep
