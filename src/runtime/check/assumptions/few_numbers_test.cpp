// Launches with more work-groups and barriers than the checker has epochs for.
#include "runtime/check/races/launch/test_launch.h"

#include <limits>
#include <memory>
#include <utility>
#include <vector>

namespace lockstep::runtime {
namespace {

using compiler::AccessKind;

// A launch with few epochs left. Records of earlier launches are set aside.
class FewNumbers : public testing::Test {
protected:
  class Launch : public TwoGroups {
  public:
    void access(AccessKind kind) {
      compiler::check_hooks.access(&launch_, &groups_[0], &new_site(kind, sizeof word_), &word_, 0,
                                   1, number_++ % group_size, intervals_[0]);
    }
    void barrier() { TwoGroups::barrier(0); }
    void set_groups(uint64_t count, uint64_t group) {
      launch_.num_groups[0] = count;
      groups_[0].group_id[0] = group;
    }
    const LaunchCheck &check() const { return check_; }
    static uint64_t reported() { return TwoGroups::reported(); }

  private:
    static inline uint32_t word_ = 0;
    uint64_t number_ = 0;
  };

  FewNumbers() {
    for (auto each = LaunchRecords::borrow(); each->groups.count() != 0;
         each = LaunchRecords::borrow())
      others_.push_back(std::move(each));
    EpochOwners::begin_with(Epoch(EpochOwners::blocks - 100));
    launch_ = std::make_unique<Launch>();
    launch_->access(AccessKind::read); // now it has its records
    EpochOwners::begin_with(1);
  }
  ~FewNumbers() override {
    launch_.reset();
    for (auto &each : others_)
      LaunchRecords::give_back(std::move(each));
  }
  std::unique_ptr<Launch> launch_;

private:
  std::vector<std::unique_ptr<LaunchRecords>> others_;
};

TEST_F(FewNumbers, AKernelWithManyBarriersIsCheckedUntilTheyAreUsedUpAndGoesOn) {
  const uint64_t findings = Launch::reported(), notes = Findings::instance().count().notes;
  for (int i = 0; i != 3'000; ++i) {
    launch_->barrier();
    launch_->access(AccessKind::write);
  }
  EXPECT_TRUE(launch_->check().has_given_up());
  EXPECT_TRUE(launch_->check().given_up()); // not an error
  EXPECT_EQ(Launch::reported(), findings);
  EXPECT_EQ(Findings::instance().count().notes, notes + 1);
  EXPECT_TRUE(launch_->check().given_up()); // and reported only once
  EXPECT_EQ(Findings::instance().count().notes, notes + 1);
}

TEST_F(FewNumbers, OneThatIsWrongIsReportedBeforeThat) {
  launch_->access(AccessKind::write);
  const uint64_t findings = Launch::reported();
  launch_->access(AccessKind::write); // by another work-item
  EXPECT_GT(Launch::reported(), findings);
  EXPECT_FALSE(launch_->check().has_given_up());
}

TEST_F(FewNumbers, AGroupBeyondTheLastNumberOfGroupsEndsTheCheck) {
  Launch launch;
  constexpr uint64_t last = std::numeric_limits<uint32_t>::max();
  launch.set_groups(last + 10, last);
  launch.access(AccessKind::read);
  EXPECT_FALSE(launch.check().has_given_up());
  Launch beyond;
  beyond.set_groups(last + 10, last + 1);
  beyond.access(AccessKind::read);
  EXPECT_TRUE(beyond.check().has_given_up());
  EXPECT_TRUE(beyond.check().given_up());
}

} // namespace
} // namespace lockstep::runtime
