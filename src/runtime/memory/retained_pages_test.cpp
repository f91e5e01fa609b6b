#include "runtime/memory/retained_pages.h"

#include "platform/linux/huge_pages.h"
#include "platform/linux/topology.h"
#include "runtime/memory/buffer.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <sys/mman.h>
#include <vector>

namespace lockstep::runtime {
namespace {

class RetainedPages : public testing::Test {
protected:
  void SetUp() override { unmap_retained_pages(); }
  void TearDown() override { unmap_retained_pages(); }
};

bool is_mapped(std::byte *data) {
  unsigned char resident = 0;
  return mincore(data, 1, &resident) == 0;
}

TEST_F(RetainedPages, GoToTheNextBufferOfTheSize) {
  const PageBlock first = take_pages(2 * huge_page_size);
  ASSERT_TRUE(first.data);
  EXPECT_TRUE(first.is_zero);
  std::memset(first.data, 1, first.size);
  release_pages(first);
  EXPECT_TRUE(is_mapped(first.data));
  const PageBlock second = take_pages(2 * huge_page_size);
  EXPECT_EQ(second.data, first.data);
  EXPECT_FALSE(second.is_zero);
  std::memset(second.data, 2, second.size);
  EXPECT_EQ(second.data[second.size - 1], std::byte{2});
  const PageBlock third = take_pages(2 * huge_page_size); // the second one is in use
  EXPECT_NE(third.data, first.data);
  EXPECT_TRUE(third.is_zero);
  release_pages(second);
  release_pages(third);
}

TEST_F(RetainedPages, AreNotUsedForMuchSmallerBuffers) {
  const PageBlock large = take_pages(10 * huge_page_size);
  release_pages(large);
  const PageBlock small = take_pages(7 * huge_page_size);
  EXPECT_NE(small.data, large.data);
  const PageBlock similar = take_pages(8 * huge_page_size);
  EXPECT_EQ(similar.data, large.data);
  EXPECT_EQ(similar.size, large.size);
  const PageBlock larger = take_pages(11 * huge_page_size);
  EXPECT_NE(larger.data, large.data);
  for (const PageBlock &block : {small, similar, larger})
    release_pages(block);
}

TEST_F(RetainedPages, AreUnmappedBeyondTheLimit) {
  const std::size_t limit = topology().memory_bytes / 16 / huge_page_size * huge_page_size;
  const PageBlock too_large = take_pages(limit + huge_page_size);
  ASSERT_TRUE(too_large.data); // untouched pages need no memory
  release_pages(too_large);
  EXPECT_FALSE(is_mapped(too_large.data));

  const PageBlock oldest = take_pages(limit / 2), newest = take_pages(limit);
  release_pages(oldest);
  EXPECT_TRUE(is_mapped(oldest.data));
  release_pages(newest);
  EXPECT_FALSE(is_mapped(oldest.data));
  EXPECT_TRUE(is_mapped(newest.data));
}

TEST_F(RetainedPages, AreFewBlocks) {
  std::vector<PageBlock> blocks(65);
  for (PageBlock &block : blocks)
    block = take_pages(huge_page_size);
  for (const PageBlock &block : blocks)
    release_pages(block);
  EXPECT_FALSE(is_mapped(blocks[0].data));
  EXPECT_TRUE(is_mapped(blocks[1].data));
}

TEST_F(RetainedPages, ServeBuffers) {
  auto account = std::make_shared<MemoryAccount>(uint64_t{1} << 32);
  constexpr std::size_t size = 2 * huge_page_size + 1000;
  auto page_of = [](const std::byte *data) { return reinterpret_cast<uintptr_t>(data) / 4096; };
  uintptr_t page = 0;
  for (int i = 0; i < 3; ++i) {
    auto buffer = Buffer::allocate(account, size);
    ASSERT_TRUE(buffer);
    if (i == 0)
      page = page_of((*buffer)->data());
    EXPECT_EQ(page_of((*buffer)->data()), page);
    std::memset((*buffer)->data(), i, size);
    EXPECT_EQ(account->used(), size);
    buffer->reset();
    EXPECT_EQ(account->used(), 0u);
  }
}

} // namespace
} // namespace lockstep::runtime
