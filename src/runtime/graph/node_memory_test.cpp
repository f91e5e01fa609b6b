#include "runtime/graph/node_memory.h"

#include <gtest/gtest.h>

#include <malloc.h>
#include <thread>
#include <vector>

namespace lockstep::runtime {
namespace {

#if !__has_feature(address_sanitizer) &&                                                           \
    !__has_feature(thread_sanitizer) // free nodes are not cached there

constexpr std::size_t node_size = 2000; // of a size class that nothing else here uses

// A thread that only allocates nodes (it enqueues, others complete) returns the nodes that it
// fetched and did not need.
TEST(NodeMemory, OfAThreadThatOnlyAllocatesComesBack) {
  std::vector<void *> nodes;
  for (int i = 0; i < 64; ++i)
    nodes.push_back(NodeMemory::allocate(node_size));
  for (void *node : nodes)
    NodeMemory::free(node, node_size); // the first batch is shared now
  void *taken = nullptr;
  const std::size_t before = mallinfo2().uordblks;
  std::thread([&] { taken = NodeMemory::allocate(node_size); }).join();
  const std::size_t after = mallinfo2().uordblks;
  EXPECT_LT(after + 25 * node_size, before);
  NodeMemory::free(taken, node_size);
}

#endif

// One thread makes and another frees vectors that grow beyond every size class.
TEST(NodeMemory, HoldsVectorsThatGoToAnotherThread) {
  using Numbers = std::vector<int, NodeAllocator<int>>;
  for (int size = 1; size < 3000; size = 2 * size + 1) {
    Numbers numbers;
    for (int i = 0; i < size; ++i)
      numbers.push_back(i);
    std::thread([moved = std::move(numbers), size] {
      ASSERT_EQ(moved.size(), std::size_t(size));
      for (int i = 0; i < size; ++i)
        ASSERT_EQ(moved[std::size_t(i)], i);
    }).join();
  }
}

} // namespace
} // namespace lockstep::runtime
