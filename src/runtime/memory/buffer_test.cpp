#include "runtime/memory/buffer.h"

#include <gtest/gtest.h>

#include <cstring>
#include <thread>

namespace lockstep::runtime {
namespace {

std::shared_ptr<MemoryAccount> account(uint64_t limit = uint64_t{1} << 32) {
  return std::make_shared<MemoryAccount>(limit);
}

bool is_aligned(const void *pointer, std::size_t to) {
  return reinterpret_cast<uintptr_t>(pointer) % to == 0;
}

TEST(Buffer, IsAlignedForItsSize) {
  auto memory = account();
  for (auto [size, alignment] :
       {std::pair<std::size_t, std::size_t>{1, 128}, {1000, 128}, {5000, 4096}, {3 << 20, 128}}) {
    auto buffer = Buffer::allocate(memory, size);
    ASSERT_TRUE(buffer);
    EXPECT_EQ((*buffer)->size(), size);
    EXPECT_TRUE(is_aligned((*buffer)->data(), alignment)) << size;
    std::memset((*buffer)->data(), 1, size);
    EXPECT_EQ(memory->used(), size);
  }
  EXPECT_EQ(memory->used(), 0u);
}

TEST(Buffer, LargeOnesDoNotBeginAlike) {
  auto memory = account();
  auto one = Buffer::allocate(memory, huge_page_size),
       other = Buffer::allocate(memory, huge_page_size);
  ASSERT_TRUE(one && other);
  auto place = [](const Buffer &buffer) {
    return reinterpret_cast<uintptr_t>(buffer.data()) % huge_page_size;
  };
  EXPECT_NE(place(**one), place(**other));
  EXPECT_LT(place(**one), 4096u);
}

TEST(Buffer, BeyondTheLimitIsAnError) {
  auto memory = account(1000);
  auto first = Buffer::allocate(memory, 600);
  ASSERT_TRUE(first);
  auto second = Buffer::allocate(memory, 401);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().kind, ErrorKind::out_of_host_memory);
  EXPECT_EQ(memory->used(), 600u);
  EXPECT_TRUE(Buffer::allocate(memory, 400));
}

TEST(Buffer, MoreThanTheSystemHasIsAnError) {
  auto memory = account(~uint64_t{0});
  auto buffer = Buffer::allocate(memory, std::size_t{1} << 60);
  ASSERT_FALSE(buffer);
  EXPECT_EQ(buffer.error().kind, ErrorKind::out_of_host_memory);
  EXPECT_EQ(memory->used(), 0u);
}

TEST(Buffer, OnAUsersPointerIsThatPointer) {
  int numbers[4] = {1, 2, 3, 4};
  auto buffer = Buffer::wrap(numbers, sizeof numbers);
  ASSERT_TRUE(buffer);
  EXPECT_EQ((*buffer)->data(), reinterpret_cast<std::byte *>(numbers));
  EXPECT_TRUE((*buffer)->uses_host_pointer());
  EXPECT_FALSE(Buffer::wrap(nullptr, 4));
}

TEST(Buffer, SubBufferSharesAndKeepsItsParent) {
  auto parent = *Buffer::allocate(account(), 1024);
  std::weak_ptr<Buffer> watch = parent;
  auto sub = *Buffer::sub_buffer(parent, 256, 512);
  EXPECT_EQ(sub->data(), parent->data() + 256);
  EXPECT_EQ(sub->offset_in_parent(), 256u);
  EXPECT_EQ(sub->parent(), parent);
  parent.reset();
  EXPECT_FALSE(watch.expired());
  std::memset(sub->data(), 7, sub->size());
  sub.reset();
  EXPECT_TRUE(watch.expired());
}

TEST(Buffer, SubBufferMustBeInside) {
  auto parent = *Buffer::allocate(account(), 1024);
  EXPECT_TRUE(Buffer::sub_buffer(parent, 0, 1024));
  EXPECT_FALSE(Buffer::sub_buffer(parent, 0, 0));
  EXPECT_FALSE(Buffer::sub_buffer(parent, 1, 1024));
  EXPECT_FALSE(Buffer::sub_buffer(parent, 2000, 1));
  EXPECT_FALSE(Buffer::sub_buffer(parent, 512, ~std::size_t{0}));
}

TEST(Buffer, DestructorCallbacksRunLastFirst) {
  std::vector<int> calls;
  auto buffer = *Buffer::allocate(account(), 16);
  for (int i = 0; i < 3; ++i)
    buffer->add_destructor_callback([&calls, i] { calls.push_back(i); });
  auto sub = *Buffer::sub_buffer(buffer, 0, 8);
  buffer.reset();
  EXPECT_TRUE(calls.empty());
  sub.reset();
  EXPECT_EQ(calls, std::vector<int>({2, 1, 0}));
}

TEST(MemoryAccount, NeverPassesItsLimit) {
  MemoryAccount memory(1000);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 2000; ++i)
        if (memory.reserve(300)) {
          EXPECT_LE(memory.used(), 1000u);
          memory.release(300);
        }
    });
  for (auto &thread : threads)
    thread.join();
  EXPECT_EQ(memory.used(), 0u);
  EXPECT_FALSE(memory.reserve(~uint64_t{0}));
}

} // namespace
} // namespace lockstep::runtime
