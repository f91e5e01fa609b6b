#include "support/ranks.h"

#include "support/environment.h"

#include <charconv>
#include <cstdint>
#include <cstdio>
#include <string_view>
#include <unistd.h>

namespace lockstep {
namespace {

struct LocalVariables {
  const char *rank, *size;
};
constexpr LocalVariables local_variables[] = {
    {"OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE"}, // Open MPI
    {"MPI_LOCALRANKID", "MPI_LOCALNRANKS"},                       // MPICH, Intel MPI
    {"MV2_COMM_WORLD_LOCAL_RANK", "MV2_COMM_WORLD_LOCAL_SIZE"},   // MVAPICH
    {"PALS_LOCAL_RANKID", "PALS_LOCAL_SIZE"},                     // HPE Cray
    {"PMI_LOCAL_RANK", "PMI_LOCAL_SIZE"},
};
constexpr const char *rank_variables[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK",    "PMIX_RANK",
                                          "MV2_COMM_WORLD_RANK",  "PALS_RANKID", "FLUX_TASK_RANK"};

// Slurm also sets the variables of ranks in batch scripts and interactive steps, whose step numbers
// are these and larger. A program started there is not one of several ranks.
constexpr uint64_t first_special_step = 0xfffffff0;

bool is_in_slurm_step() {
  const auto step = system_number("SLURM_STEP_ID");
  return step && *step < first_special_step;
}

std::optional<LocalRank> valid(std::optional<uint64_t> rank, std::optional<uint64_t> size) {
  constexpr uint64_t most = 1 << 20;
  if (!rank || !size || *rank >= *size || *size > most)
    return std::nullopt;
  return LocalRank{unsigned(*rank), unsigned(*size)};
}

std::array<char, 65> host_name_text() {
  std::array<char, 65> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0 || !name[0])
    std::snprintf(name.data(), name.size(), "unknown");
  return name;
}

} // namespace

std::optional<unsigned> tasks_of_node(const std::string &list, unsigned node) {
  const char *at = list.data(), *const end = at + list.size();
  const auto take = [&](std::string_view text) {
    const bool is_here = std::string_view(at, end).starts_with(text);
    at += is_here ? text.size() : 0;
    return is_here;
  };
  const auto number = [&](unsigned &value) {
    const auto [after, error] = std::from_chars(at, end, value);
    at = after;
    return error == std::errc();
  };
  do {
    unsigned tasks = 0, nodes = 1;
    if (!number(tasks) || (take("(x") && (!number(nodes) || !take(")"))))
      return std::nullopt;
    if (node < nodes)
      return tasks;
    node -= nodes;
  } while (take(","));
  return std::nullopt;
}

std::optional<LocalRank> local_rank_of_process() {
  for (const LocalVariables &names : local_variables)
    if (auto found = valid(system_number(names.rank), system_number(names.size)))
      return found;
  const auto tasks = system_variable("SLURM_STEP_TASKS_PER_NODE");
  const auto node = system_number("SLURM_NODEID");
  if (!is_in_slurm_step() || !tasks || !node)
    return std::nullopt;
  return valid(system_number("SLURM_LOCALID"), tasks_of_node(*tasks, unsigned(*node)));
}

std::optional<unsigned> rank_of_process() {
  for (const char *name : rank_variables)
    if (const auto rank = system_number(name))
      return unsigned(*rank);
  const auto rank = is_in_slurm_step() ? system_number("SLURM_PROCID") : std::nullopt;
  return rank ? std::optional(unsigned(*rank)) : std::nullopt;
}

std::string host_name() {
  return host_name_text().data();
}

MessagePrefix message_prefix() noexcept {
  MessagePrefix prefix;
  if (const auto rank = rank_of_process())
    std::snprintf(prefix.text.data(), prefix.text.size(), "[%s:%u] ", host_name_text().data(),
                  *rank);
  return prefix;
}

} // namespace lockstep
