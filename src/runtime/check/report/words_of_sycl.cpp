#include "runtime/check/report/words_of_sycl.h"

#include <string_view>
#include <utility>

namespace lockstep::runtime {

namespace {

// The order matters: a pattern may contain a later one.
constexpr std::pair<std::string_view, std::string_view> words[] = {
    {": barrier(CLK_LOCAL_MEM_FENCE) at",
     ": nd_item::barrier(access::fence_space::local_space) at"},
    {": barrier(CLK_GLOBAL_MEM_FENCE) at",
     ": nd_item::barrier(access::fence_space::global_space) at"},
    {"barrier(CLK_LOCAL_MEM_FENCE)", "group_barrier"},
    {"barrier(CLK_GLOBAL_MEM_FENCE)", "group_barrier"},
    {"fence with CLK_LOCAL_MEM_FENCE", "atomic_fence"},
    {"fence with CLK_GLOBAL_MEM_FENCE", "atomic_fence"},
    {"CLK_LOCAL_MEM_FENCE", "access::fence_space::local_space"},
    {"CLK_GLOBAL_MEM_FENCE", "access::fence_space::global_space"},
    {"or fences with both flags would", "or atomic_fence would"},
    {"or fences, would", "or atomic_fence, would"},
    {"no fence that", "no atomic_fence that"},
    {"wait_group_events or async_work_group_copy_fence", "wait_for"},
    {"wait_group_events", "wait_for"},
    {"memory_order_", "memory_order::"},
    {"memory_scope_", "memory_scope::"},
};

} // namespace

std::string in_words_of_sycl(std::string text) {
  for (const auto &[of_opencl, of_sycl] : words)
    for (std::size_t at = text.find(of_opencl); at != text.npos;
         at = text.find(of_opencl, at + of_sycl.size()))
      text.replace(at, of_opencl.size(), of_sycl);
  return text;
}

} // namespace lockstep::runtime
