#include "runtime/memory/access_history.h"

#include "runtime/events/events.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

namespace lockstep::runtime {
namespace {

using testing::IsEmpty;
using testing::UnorderedElementsAre;

// The commands are user events, which the test settles.
class AccessHistoryTest : public ::testing::Test {
protected:
  // Returns the predecessors of a new command that accesses begin..end-1.
  std::vector<Command *> add(std::size_t begin, std::size_t end, AccessMode mode) {
    made_.push_back(Command::create_user_event());
    return add_more(begin, end, mode);
  }
  // The same command accesses another range.
  std::vector<Command *> add_more(std::size_t begin, std::size_t end, AccessMode mode) {
    std::vector<CommandRef> before;
    history_.add(begin, end, mode, *made_.back(), before);
    std::vector<Command *> result;
    for (const CommandRef &one : before)
      result.push_back(one.get());
    return result;
  }
  Command *command(std::size_t number) { return made_[number].get(); }
  ~AccessHistoryTest() override {
    for (const CommandRef &one : made_)
      one->set_user_status(status::complete);
  }

  std::vector<CommandRef> made_;
  AccessHistory history_;
};

TEST_F(AccessHistoryTest, ReadersComeAfterTheWriterAndNotAfterEachOther) {
  EXPECT_THAT(add(0, 100, AccessMode::write), IsEmpty());
  EXPECT_THAT(add(0, 100, AccessMode::read), UnorderedElementsAre(command(0)));
  EXPECT_THAT(add(50, 60, AccessMode::read), UnorderedElementsAre(command(0)));
}

TEST_F(AccessHistoryTest, AWriterComesAfterReadersAndWriter) {
  (void)add(0, 100, AccessMode::overwrite);
  (void)add(0, 100, AccessMode::read);
  (void)add(0, 50, AccessMode::read);
  EXPECT_THAT(add(40, 60, AccessMode::read_write),
              UnorderedElementsAre(command(0), command(1), command(2)));
  EXPECT_THAT(add(50, 60, AccessMode::read), UnorderedElementsAre(command(3)));
  EXPECT_THAT(add(60, 70, AccessMode::write), UnorderedElementsAre(command(0), command(1)));
}

TEST_F(AccessHistoryTest, RangesThatDoNotOverlapAreIndependent) {
  (void)add(0, 10, AccessMode::write);
  EXPECT_THAT(add(10, 20, AccessMode::write), IsEmpty());
  EXPECT_THAT(add(9, 11, AccessMode::read), UnorderedElementsAre(command(0), command(1)));
  EXPECT_THAT(add(20, 30, AccessMode::read), IsEmpty());
  EXPECT_THAT(add(5, 5, AccessMode::write), IsEmpty()); // empty range
}

TEST_F(AccessHistoryTest, ACommandDoesNotComeAfterItself) {
  (void)add(0, 10, AccessMode::write);
  (void)add(0, 10, AccessMode::read);
  EXPECT_THAT(add_more(5, 15, AccessMode::write), UnorderedElementsAre(command(0)));
  EXPECT_THAT(add(7, 8, AccessMode::read), UnorderedElementsAre(command(1)));
}

TEST_F(AccessHistoryTest, WhatIsSettledIsForgotten) {
  (void)add(0, 10, AccessMode::write);
  (void)add(0, 10, AccessMode::read);
  EXPECT_EQ(history_.unsettled().size(), 2u);
  made_[0]->set_user_status(status::complete);
  EXPECT_THAT(add(0, 4, AccessMode::write), UnorderedElementsAre(command(1)));
  made_[1]->set_user_status(-1); // a failure settles too
  made_[2]->set_user_status(status::complete);
  EXPECT_THAT(history_.unsettled(), IsEmpty());
}

constexpr std::size_t many = 20'000;

TEST_F(AccessHistoryTest, ManyReadersThatAreUnderWayAreLookedAtAFewTimes) {
  for (std::size_t i = 0; i < many; ++i)
    (void)add(0, 10, AccessMode::read);
  EXPECT_EQ(add(0, 10, AccessMode::write).size(), many);
  EXPECT_LE(history_.looked_at(), 8 * many);
}

TEST_F(AccessHistoryTest, ReadersThatAreSettledAreForgottenWhileOthersCome) {
  for (std::size_t i = 0; i < many; ++i) {
    (void)add(0, 10, AccessMode::read);
    made_.back()->set_user_status(status::complete);
    ASSERT_LE(history_.size(), 200u);
  }
  EXPECT_LE(history_.looked_at(), 8 * many);
}

// Collects the predecessors of each command along the reported edges, by the numbers of user
// events.
class AllBefore final : public Listener {
public:
  AllBefore() { add_listener(*this); }
  ~AllBefore() override { remove_listener(*this); }
  void command_made(const Command &command) override {
    before[&command].clear();
    if (command.is_user_event())
      number[&command] = int(number.size());
  }
  void edge_added(const Command &earlier, const Command &later, EdgeKind) override {
    before[&later].insert(before[&earlier].begin(), before[&earlier].end());
    if (const auto known = number.find(&earlier); known != number.end())
      before[&later].insert(known->second);
  }
  std::map<const Command *, std::set<int>> before;
  std::map<const Command *, int> number;
};

TEST_F(AccessHistoryTest, NamesOneThatIsNotSettledUntilThereIsNone) {
  for (const AccessMode mode : {AccessMode::write, AccessMode::read, AccessMode::read})
    (void)add(0, 10, mode);
  std::size_t times = 0;
  for (; const CommandRef one = history_.any_unsettled(); ++times)
    one->set_user_status(status::complete);
  EXPECT_EQ(times, made_.size());
}

TEST_F(AccessHistoryTest, WhileAListenerHearsOfEdgesTheHistoryStaysShortAndTheEdgesAreAllThere) {
  constexpr int readers = 3'000;
  AllBefore all;
  for (int i = 0; i < readers; ++i) {
    (void)add(0, 10, AccessMode::read);
    made_.back()->set_user_status(status::complete);
    ASSERT_LE(history_.size(), 200u);
  }
  std::vector<CommandRef> before;
  const CommandRef writer = Command::create_marker();
  history_.add(0, 10, AccessMode::write, *writer, before);
  for (const CommandRef &one : before)
    writer->depend_on(*one);
  EXPECT_EQ(all.before[writer.get()].size(), std::size_t(readers));
  EXPECT_LE(history_.looked_at(), uint64_t(8 * readers));
  writer->start();
}

} // namespace
} // namespace lockstep::runtime
