#include "runtime/memory/allocations.h"

#include "runtime/memory/memory_space.h"
#include "runtime/memory/residency.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <random>
#include <thread>
#include <vector>

namespace lockstep::runtime {
namespace {

std::shared_ptr<MemoryAccount> account() {
  static const auto all = std::make_shared<MemoryAccount>(uint64_t{1} << 32);
  return all;
}

Allocations::Known allocate(AllocationKind kind, std::size_t size, std::size_t alignment = 0) {
  auto made = Allocations::instance().allocate(
      {.kind = kind, .size = size, .alignment = alignment, .account = account()});
  EXPECT_TRUE(made);
  return made ? *made : nullptr;
}

TEST(Allocations, AreFoundFromAnyByte) {
  auto &all = Allocations::instance();
  const auto made = allocate(AllocationKind::shared, 100);
  EXPECT_EQ(all.find(made->begin()), made);
  EXPECT_EQ(all.find(made->begin() + 99), made);
  EXPECT_EQ(all.find(made->begin() + 100), nullptr);
  EXPECT_EQ(all.find(made->begin() - 1), nullptr);
  EXPECT_EQ(all.find(nullptr), nullptr);
  int of_the_host = 0;
  EXPECT_EQ(all.find(&of_the_host), nullptr);
  EXPECT_EQ(all.remove(made->begin() + 1), nullptr) << "not where it begins";
  EXPECT_EQ(all.remove(made->begin()), made);
  EXPECT_EQ(all.find(made->begin()), nullptr);
  EXPECT_EQ(all.remove(made->begin()), nullptr);
}

// Memory of a device, of which the host has the address only.
class UnifiedSpace final : public MemorySpace {
public:
  Result<std::byte *> allocate(std::size_t size) override {
    ++blocks;
    return new std::byte[size];
  }
  void free(std::byte *address, std::size_t) override {
    --blocks;
    delete[] address;
  }
  bool has_unified_addresses() const override { return true; }
  Result<std::shared_ptr<std::byte>> allocate_on_host(std::size_t size) override {
    return std::shared_ptr<std::byte>(new std::byte[size], std::default_delete<std::byte[]>());
  }
  Result<std::shared_ptr<const void>> pin(std::byte *begin, std::size_t size,
                                          std::shared_ptr<const void> owner) override {
    if (cannot_pin == size)
      return Error{ErrorKind::out_of_resources, "no memory can be pinned"};
    pinned[begin] += size;
    return std::shared_ptr<const void>(begin,
                                       [this, owner, begin](const void *) { pinned.erase(begin); });
  }
  Result<void> write(std::byte *, const std::byte *, std::size_t) override { return {}; }
  Result<void> read(std::byte *, const std::byte *, std::size_t) override { return {}; }
  int blocks = 0;
  std::map<std::byte *, std::size_t> pinned;
  std::size_t cannot_pin = 0;
};

TEST(Allocations, OfADeviceHaveOnePlace) {
  auto &all = Allocations::instance();
  const auto space = std::make_shared<UnifiedSpace>(), other = std::make_shared<UnifiedSpace>();
  const auto make = [&](AllocationKind kind, std::size_t alignment) {
    return all.allocate(
        {.kind = kind, .size = 100, .alignment = alignment, .account = account(), .space = space});
  };
  EXPECT_EQ(make(AllocationKind::device, 512).error().kind, ErrorKind::unsupported);
  const auto made = *make(AllocationKind::device, 256);
  Buffer &memory = *made->memory;
  EXPECT_EQ(space->blocks, 1);
  EXPECT_EQ(memory.only_place(), space.get());
  EXPECT_EQ(*memory.address_in(space), made->begin());
  EXPECT_EQ(memory.address_in(other).error().kind, ErrorKind::unsupported);
  EXPECT_TRUE(memory.has_address_in(space.get()));
  EXPECT_FALSE(memory.has_address_in(other.get()) || memory.has_address_in(nullptr));
  EXPECT_TRUE(memory.residency()->is_valid(0, 100, space.get()));
  EXPECT_FALSE(memory.residency()->is_valid(0, 100, nullptr));

  const Access accesses[] = {{.memory = view_at(made->begin() + 10, 90)}};
  EXPECT_EQ(accesses[0].memory.data(), made->begin() + 10);
  EXPECT_TRUE(can_access(space.get(), accesses));
  EXPECT_FALSE(can_access(other.get(), accesses) || can_access(nullptr, accesses));
  EXPECT_TRUE(check_range(made->begin() + 10, 90));
  EXPECT_EQ(check_range(made->begin() + 10, 91).error().kind, ErrorKind::invalid_argument);

  const auto pinned = *make(AllocationKind::shared, 0);
  EXPECT_EQ(space->blocks, 1);
  EXPECT_EQ(pinned->memory->only_place(), nullptr);
  EXPECT_TRUE(pinned->memory->has_address_in(space.get()));
  EXPECT_FALSE(pinned->memory->has_address_in(nullptr));
  EXPECT_TRUE(check_range(pinned->begin(), 1000)) << "other memory of the host may follow";
  const Access on_host[] = {{.memory = view_at(pinned->begin(), 100)}};
  EXPECT_TRUE(can_access(space.get(), on_host) && can_access(nullptr, on_host));
  all.remove(pinned->begin());
  all.remove(made->begin());
}

// Host memory that was allocated before the first card starts.
TEST(Allocations, ArePinnedWhenADeviceStarts) {
  Allocations all; // not those of the process, which would stay pinned
  const auto space = std::make_shared<UnifiedSpace>();
  const auto make = [&](std::size_t size, bool is_for_later_devices, std::size_t alignment = 0) {
    return all.allocate({.kind = AllocationKind::shared,
                         .size = size,
                         .alignment = alignment,
                         .account = account(),
                         .is_for_later_devices = is_for_later_devices});
  };
  const auto one = *make(100, true), other = *make(5000, true), of_cpu = *make(200, false);
  const auto part = *Buffer::sub_buffer(one->memory, 10, 20);
  EXPECT_FALSE(one->memory->is_pinned() || part->has_address_in(space.get()));
  std::memset(one->begin(), 3, 100);

  space->cannot_pin = 5000;
  EXPECT_EQ(all.pin_for(space).error().kind, ErrorKind::out_of_resources);
  space->cannot_pin = 0;
  ASSERT_TRUE(all.pin_for(space));
  ASSERT_TRUE(all.pin_for(space)) << "a second device";
  EXPECT_EQ(space->pinned,
            (std::map<std::byte *, std::size_t>{{one->begin(), 100}, {other->begin(), 5000}}));
  EXPECT_TRUE(one->memory->is_pinned() && part->has_address_in(space.get()));
  EXPECT_EQ(*part->address_in(space), one->begin() + 10);
  EXPECT_EQ(one->begin()[99], std::byte{3});
  EXPECT_FALSE(of_cpu->memory->is_pinned());

  const auto later = *make(100, true), aligned = *make(100, true, 1 << 16);
  EXPECT_TRUE(later->memory->is_pinned() && aligned->memory->is_pinned());
  EXPECT_EQ(reinterpret_cast<uintptr_t>(aligned->begin()) % (1 << 16), 0u);
  EXPECT_EQ(space->pinned.count(aligned->begin()), 1u);
  space->cannot_pin = 300;
  EXPECT_FALSE(make(300, true, 1 << 16));
  for (const auto &each : {one, other, of_cpu, later, aligned})
    EXPECT_EQ(all.remove(each->begin()), each);
}

TEST(Allocations, ArePinnedOnceIfADeviceStartsMeanwhile) {
  for (int round = 0; round < 50; ++round) {
    Allocations all;
    const auto space = std::make_shared<UnifiedSpace>();
    std::vector<Allocations::Known> made;
    std::thread allocates([&] {
      for (int i = 0; i < 20; ++i)
        made.push_back(*all.allocate({.kind = AllocationKind::shared,
                                      .size = 100,
                                      .account = account(),
                                      .is_for_later_devices = true}));
    });
    ASSERT_TRUE(all.pin_for(space));
    allocates.join();
    for (const auto &each : made) {
      EXPECT_TRUE(each->memory->is_pinned());
      if (const auto found = space->pinned.find(each->begin()); found != space->pinned.end())
        EXPECT_EQ(found->second, 100u) << "pinned once";
      all.remove(each->begin());
    }
    made.clear();
    EXPECT_TRUE(space->pinned.empty());
  }
}

TEST(Allocations, AreFoundAmongManyAsInAList) {
  auto &all = Allocations::instance();
  std::mt19937 random(1);
  std::vector<Allocations::Known> list;
  for (int i = 0; i < 2000; ++i)
    list.push_back(allocate(AllocationKind::device, 1 + random() % 5000));
  std::shuffle(list.begin(), list.end(), random);
  while (list.size() > 1000) {
    EXPECT_EQ(all.remove(list.back()->begin()), list.back());
    list.pop_back();
  }
  for (const auto &known : list)
    EXPECT_EQ(all.find(known->begin() + random() % known->size()), known);
  for (const auto &known : list)
    all.remove(known->begin());
}

TEST(Allocations, HaveTheAlignmentThatIsAskedFor) {
  for (std::size_t size : {std::size_t{1}, std::size_t{5000}, std::size_t{3} << 20})
    for (std::size_t alignment = 1; alignment <= std::size_t{8} << 20; alignment *= 2) {
      const auto made = allocate(AllocationKind::host, size, alignment);
      EXPECT_EQ(reinterpret_cast<uintptr_t>(made->begin()) % std::max<std::size_t>(alignment, 128),
                0u)
          << size << " " << alignment;
      std::memset(made->begin(), 1, size);
      Allocations::instance().remove(made->begin());
    }
}

TEST(Allocations, RefuseWhatCannotBe) {
  auto &all = Allocations::instance();
  const auto refused = [&](AllocationRequest request) {
    request.account = std::make_shared<MemoryAccount>(1000);
    auto made = all.allocate(request);
    return made ? ErrorKind::internal : made.error().kind;
  };
  EXPECT_EQ(refused({.size = 0}), ErrorKind::invalid_argument);
  EXPECT_EQ(refused({.size = 8, .alignment = 24}), ErrorKind::invalid_argument);
  EXPECT_EQ(refused({.size = 1001}), ErrorKind::out_of_host_memory);
}

TEST(Allocations, MemoryStaysForThoseWhoNameIt) {
  const auto memory = std::make_shared<MemoryAccount>(1000);
  auto made = Allocations::instance().allocate(
      {.kind = AllocationKind::coarse_svm, .size = 600, .account = memory});
  ASSERT_TRUE(made);
  std::byte *const begin = (*made)->begin();
  {
    const MemoryView view = view_at(begin + 8, 16);
    ASSERT_TRUE(view.buffer());
    EXPECT_EQ(view.offset(), 8u);
    *made = nullptr;
    Allocations::instance().remove(begin);
    EXPECT_EQ(memory->used(), 600u);
    std::memset(view.data(), 1, view.size());
  }
  EXPECT_EQ(memory->used(), 0u);
}

TEST(Allocations, BuffersCanBeListedOnce) {
  auto buffer = *Buffer::allocate(account(), 64);
  auto &all = Allocations::instance();
  EXPECT_TRUE(all.add(buffer));
  EXPECT_EQ(buffer->handles(), 1);
  EXPECT_FALSE(all.add(*Buffer::wrap(buffer->data(), 32)));
  EXPECT_EQ(all.find(buffer->data() + 63)->memory, buffer);
  EXPECT_FALSE(buffer->is_host_visible());
  all.remove(buffer->data());
  EXPECT_EQ(buffer->handles(), 0);
}

TEST(Allocations, ViewsThatLeaveThemAreTheHosts) {
  const auto made = allocate(AllocationKind::shared, 64);
  EXPECT_TRUE(view_at(made->begin(), 64).buffer());
  EXPECT_FALSE(view_at(made->begin() + 1, 64).buffer());
  EXPECT_EQ(view_at(made->begin() + 1, 64).data(), made->begin() + 1);
  Allocations::instance().remove(made->begin());
}

TEST(Allocations, WhatTheHostMayWriteAtAnyTime) {
  for (auto [kind, is_hosts] : {std::pair{AllocationKind::coarse_svm, false},
                                {AllocationKind::fine_svm, true},
                                {AllocationKind::device, false},
                                {AllocationKind::host, true},
                                {AllocationKind::shared, true},
                                {AllocationKind::buffer, false}}) {
    const auto made = allocate(kind, 64);
    EXPECT_EQ(made->memory->is_host_visible(), is_hosts) << int(kind);
    EXPECT_EQ(made->memory->handles(), 1) << "that of the list";
    Allocations::instance().remove(made->begin());
  }
}

TEST(Allocations, AreMadeAndFoundByThreadsAtOnce) {
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 4; ++t)
    threads.emplace_back([t] {
      std::mt19937 random(t);
      std::map<std::byte *, Allocations::Known> own;
      for (int i = 0; i < 500; ++i) {
        const auto made = allocate(AllocationKind::shared, 1 + random() % 300);
        own[made->begin()] = made;
        const auto &any = *std::next(own.begin(), long(random() % own.size()));
        EXPECT_EQ(Allocations::instance().find(any.first + random() % any.second->size()),
                  any.second);
        if (random() % 2) {
          EXPECT_EQ(Allocations::instance().remove(made->begin()), made);
          own.erase(made->begin());
        }
      }
      for (const auto &[begin, known] : own)
        Allocations::instance().remove(begin);
    });
  for (auto &thread : threads)
    thread.join();
  EXPECT_FALSE(Allocations::instance().any());
}

TEST(CountsReach, CountsEachKind) {
  EXPECT_EQ(CountsReach::count(AllocationKind::device), 0u);
  {
    const CountsReach one(set_of(AllocationKind::device)), all(all_allocations);
    EXPECT_EQ(CountsReach::count(AllocationKind::device), 2u);
    EXPECT_EQ(CountsReach::count(AllocationKind::host), 1u);
  }
  EXPECT_EQ(CountsReach::count(AllocationKind::host), 0u);
}

} // namespace
} // namespace lockstep::runtime
