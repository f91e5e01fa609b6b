// An access that the checker makes for a kernel faults while the checker holds a lock.
#include "runtime/check/races/launch/test_launch.h"
#include "runtime/launch/cpu/diagnostics/fault_handling.h"

#include <sys/mman.h>
#include <thread>
#include <unistd.h>

namespace lockstep::runtime {
namespace {

using compiler::AccessKind;
using compiler::CheckOrder;
using compiler::CheckSite;

// Two groups access a read-only word, each on a thread of its own.
class ReadOnlyWord : public testing::Test, protected TwoGroups {
protected:
  void SetUp() override {
#if __has_feature(thread_sanitizer)
    GTEST_SKIP() << "an atomic that faults leaves ThreadSanitizer's own lock taken";
#endif
  }
  ReadOnlyWord() {
    alarm(60); // a lock that is not released would block forever
    install_fault_handlers();
    synchronizes_ = CheckSite::by_atomics;
    word_ = static_cast<uint32_t *>(
        mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  }
  ~ReadOnlyWord() override {
    munmap(word_, 4096);
    alarm(0);
  }
  void set_read_only(bool is_read_only) {
    ASSERT_EQ(mprotect(word_, 4096, is_read_only ? PROT_READ : PROT_READ | PROT_WRITE), 0);
  }
  CheckSite &site(AccessKind kind, CheckOrder order, compiler::AtomicOperation operation) {
    CheckSite &site = new_site(kind, sizeof *word_);
    site.order = order;
    site.operation = operation;
    site.same_value = compiler::SameValue::conflicts_only_with_atomics;
    return site;
  }
  void access(unsigned group, CheckSite &at, uint64_t operand) {
    compiler::check_hooks.atomic(&launch_, &groups_[group], &at, word_, 1, 0, intervals_[group],
                                 operand, 0);
  }
  bool faults(unsigned group, CheckSite &at, uint64_t operand) {
    bool has_faulted = false;
    std::thread([&] {
      prepare_thread_for_faults(0, 0);
      auto run = [&] { access(group, at, operand); };
      has_faulted = catch_faults(run).has_value();
      if (has_faulted)
        check_.faulted(groups_[group]);
    }).join();
    return has_faulted;
  }
  uint32_t *word_ = nullptr;
};

TEST_F(ReadOnlyWord, AnUpdateThatFaultsLeavesNoLock) {
  CheckSite &add =
      site(AccessKind::atomic_update, CheckOrder::acq_rel, compiler::AtomicOperation::add);
  set_read_only(true);
  EXPECT_TRUE(faults(0, add, 1));
  set_read_only(false);
  EXPECT_FALSE(faults(1, add, 1));
  EXPECT_EQ(*word_, 1u);
}

TEST_F(ReadOnlyWord, AStoreAndALoadThatFaultLeaveNoLock) {
  CheckSite &store = site(AccessKind::atomic_write, CheckOrder::release, {});
  CheckSite &load = site(AccessKind::atomic_read, CheckOrder::acquire, {});
  set_read_only(true);
  EXPECT_TRUE(faults(0, store, 1));
  ASSERT_EQ(mprotect(word_, 4096, PROT_NONE), 0);
  EXPECT_TRUE(faults(0, load, 0));
  set_read_only(false);
  EXPECT_FALSE(faults(1, store, 7));
  EXPECT_EQ(*word_, 7u);
}

// After some iterations a lock is handed over by the fast path (hand_over.h).
TEST_F(ReadOnlyWord, ALockThatFaultsWhereItIsHandedOverLeavesNoLock) {
  CheckSite &take =
      site(AccessKind::atomic_update, CheckOrder::acquire, compiler::AtomicOperation::exchange);
  CheckSite &give = site(AccessKind::atomic_write, CheckOrder::release, {});
  for (unsigned turn = 0; turn != 10; ++turn) {
    access(turn % 2, take, 1);
    access(turn % 2, give, 0);
  }
  set_read_only(true);
  EXPECT_TRUE(faults(0, take, 1));
  set_read_only(false);
  EXPECT_FALSE(faults(1, take, 1));
  EXPECT_FALSE(faults(1, give, 0));
  EXPECT_EQ(*word_, 0u);
}

} // namespace
} // namespace lockstep::runtime
