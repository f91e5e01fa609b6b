// Races between a kernel and the kernels that it enqueues (OpenCL C 6.15.17), and among these.
// There is one object per host launch that enqueues; all launches below it share the object.
//
// A launch is a sequence of parts. A part ends when the launch enqueues, sets a user event, or ends
// a group that others wait for. A waiter is ordered after that part, but not after the next one. So
// the accesses of a part are collected when it ends.
//
// A part contains the accesses of all work-items so far. This is conservative: the enqueuing
// work-item orders only its own accesses before the call. For the other ones no order is claimed,
// but no race is reported.
//
// Parts that can be ordered in sequence share a chain, like commands (command_order.h). A kernel
// may wait by atomics for what it has enqueued, and others may do so for it. Two launches are not
// compared if atomics may order one after the other.
#pragma once

#include "runtime/check/assumptions/assumptions.h"
#include "runtime/check/report/findings.h"
#include "runtime/memory/access.h"
#include "runtime/observers/enqueue_observer.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace lockstep::runtime {

class EnqueueOrder;

// By chain: up to and including this position.
using ChainPositions = std::map<uint32_t, uint32_t>;

// Returns the accesses of a launch since the previous call; adds the number of units examined to
// `looked_at`.
using FootprintSource = std::function<std::vector<ReachedBytes>(uint64_t &looked_at)>;

class EnqueueObserver::Known {
  friend EnqueueOrder;
  uint64_t order_ = 0;
  ChainPositions positions_;
  std::vector<std::shared_ptr<const Known>> before_; // in addition to positions_
  bool is_all_ = false;                              // everything that had ended at that time
};

class EnqueueObserver::Node {
  friend EnqueueOrder;
  uint64_t number_ = 0, parent_ = 0;
  std::string kernel_, parent_kernel_;
  Wait wait_ = Wait::for_nothing;
  FootprintSource source_{};
  bool synchronizes_ = false;                     // by atomics, or by times that a kernel reads
  uint32_t chain_ = 0, first_ = 0, position_ = 0; // 0: not started
  ChainPositions known_;
  std::vector<std::shared_ptr<const Known>> awaited_;
  uint64_t looked_at_ = 0;
};

class EnqueueOrder final : public EnqueueObserver {
  using Positions = ChainPositions;
  static bool covers(const Positions &positions, uint32_t chain, uint32_t position);

public:
  EnqueueOrder();
  NodeRef add() override;
  NodeRef add_child(const NodeRef &parent, Wait wait, std::vector<KnownRef> awaited) override;
  KnownRef known_of(const NodeRef &node) const override;
  KnownRef known_after(std::vector<KnownRef> awaited) const override;
  void set_synchronizes(const NodeRef &node) override;
  // Called before the launch runs. Without a source its accesses are unknown. A source is called
  // until the node has ended.
  void set_source(const NodeRef &node, std::string kernel, bool synchronizes,
                  FootprintSource source);

  // Without memory everything later counts as ordered: it is not checked.
  void reach(const NodeRef &node, const KnownRef &known) noexcept override;
  void end(const NodeRef &node) noexcept override;
  void add_ended(const NodeRef &node, const KnownRef &known) const noexcept override;
  void join(const KnownRef &to, const KnownRef &known) const noexcept override;

  // Adds the accesses of all ended launches. Returns false if they are unknown.
  bool add_footprints(std::vector<ReachedBytes> &to) const;

private:
  struct Record { // of bytes
    std::shared_ptr<const Node> node;
    uint32_t position;
    bool writes, is_atomic;
    AccessingSites places;
  };
  struct Row {
    uintptr_t end;
    std::vector<Record> records;
  };
  using Rows = std::map<uintptr_t, Row>; // disjoint, by begin address

  void begin(Node &node);
  void add_synchronizing(const NodeRef &node);
  void collect(Positions &to, const std::vector<std::shared_ptr<const Known>> &known) const;
  void find_chain(Node &node);
  uint32_t end_part(const NodeRef &node);
  void take(const NodeRef &node);
  void record_access(const NodeRef &node, const ReachedBytes &bytes);
  void add(Row &row, uintptr_t begin, const Record &record);
  static bool knows(const Node &node, const Record &record) {
    return covers(node.known_, record.node->chain_, record.position);
  }
  bool may_hear(const Node &node, const Record &record) const;
  void report(const Record &before, const Record &now, uintptr_t begin, uintptr_t end) const;
  std::string text_of(const Record &record, uintptr_t begin, uintptr_t end) const;
  void add_places(const Record &record, uintptr_t begin, uintptr_t end,
                  std::vector<FindingLocation> &to) const;
  const Access *object_at(uintptr_t address) const;

  const uint64_t number_; // unique in this process
  mutable std::mutex mutex_;
  uint64_t launches_ = 0;
  std::vector<uint32_t> tails_; // last position of each chain
  std::vector<bool> is_open_;   // the owner of the last position continues
  std::vector<std::shared_ptr<const Node>> synchronizing_;
  std::map<uintptr_t, Access> objects_;
  Rows rows_;
  std::set<std::pair<const Node *, uint32_t>> compared_; // with the part that is collected now
  bool is_partial_ = false;
};

} // namespace lockstep::runtime
