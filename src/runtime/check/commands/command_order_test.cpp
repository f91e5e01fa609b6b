// The cost of comparing commands.
#include "runtime/check/commands/command_order.h"

#include "runtime/check/report/findings.h"
#include "runtime/graph/command_queue.h"
#include "runtime/graph/test_executor.h"
#include "runtime/memory/access.h"
#include "runtime/memory/buffer.h"

#include <gtest/gtest.h>
#include <memory>
#include <utility>
#include <vector>

namespace lockstep::runtime {
namespace {

class Touching final : public HostOperation {
public:
  Touching(std::shared_ptr<Buffer> buffer, AccessMode mode) : accesses_{{{buffer, 0, 64}, mode}} {}
  std::span<const Access> accesses() const override { return accesses_; }
  uint64_t parts() const override { return 1; }
  bool runs_in_place() const override { return true; }
  Result<void> run(uint64_t, uint64_t) override { return {}; }

private:
  std::vector<Access> accesses_;
};

class ManyReaders : public testing::Test {
protected:
  ManyReaders() { add_listener(order_); }
  ~ManyReaders() override { remove_listener(order_); }
  CommandRef enqueue(AccessMode mode) {
    CommandRef command = Command::create(std::make_unique<Touching>(buffer_, mode));
    queue_.enqueue(*command);
    return command;
  }
  uint64_t findings() const { return Findings::instance().count().findings; }

  CommandOrder order_;
  std::shared_ptr<Buffer> buffer_ = *Buffer::allocate(std::make_shared<MemoryAccount>(1 << 20), 64);
  CommandQueue queue_{std::make_shared<TestExecutor>(1), QueueOrder::out_of_order, false};
};

TEST_F(ManyReaders, ThatNothingOrdersAreNotComparedWithEachOther) {
  constexpr uint64_t many = 4'000;
  for (uint64_t i = 0; i != many; ++i)
    enqueue(AccessMode::read);
  EXPECT_LE(order_.looked_at(), 300 * many); // half of its square would be 2,000 of them
  const uint64_t before = findings();
  enqueue(AccessMode::write); // compared with all
  EXPECT_EQ(findings(), before + 1);
}

} // namespace
} // namespace lockstep::runtime
