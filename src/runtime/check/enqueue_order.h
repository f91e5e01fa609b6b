// Races between a kernel and those that it enqueues (OpenCL C 6.15.17), and among these: for each launch of the host that
// enqueues one object, which all that it enqueues share, and what that enqueues.
//
// A launch is a row of parts, each of which ends where the launch enqueues something, or sets a user event, or a group
// ends that others wait for: who waits for that is ordered after that part, and not after the next one. So what a launch touches is
// taken when a part ends. That is what ran before, whoever it was: a work-item that enqueues orders no more than what
// happened before its own call, but who is later than the call is ordered with the child by nothing, and of the others
// nothing is claimed. As many parts as can be ordered one after the other have numbers of one chain, as commands have
// (command_order.h).
//
// A kernel may wait for what it has enqueued by atomics, and so may others for its sake: two are not compared if one of
// them may have heard of the other in that way.
#pragma once

#include "runtime/check/findings.h"
#include "runtime/check/suppositions.h"
#include "runtime/memory/access.h"

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

class EnqueueOrder {
  using Positions = std::map<uint32_t, uint32_t>; // by chain: up to and with this one
  static bool covers(const Positions &positions, uint32_t chain, uint32_t position);

public:
  enum class Wait : uint8_t { for_nothing, for_kernel, for_group }; // as CLK_ENQUEUE_FLAGS_* count

  // What is before that which waits for an event, or for the end of a group or kernel, when there is nothing more to wait for.
  class Known {
    friend EnqueueOrder;
    uint64_t order_ = 0;
    Positions positions_;
    std::vector<std::shared_ptr<const Known>> before_; // beside these
    bool is_all_ = false;                              // that was so far
  };
  using KnownRef = std::shared_ptr<Known>;

  // What a launch has touched since it was asked the last time, and how much was looked through for that.
  using Source = std::function<std::vector<ReachedBytes>(uint64_t &looked_at)>;

  class Node {
    friend EnqueueOrder;
    uint64_t number_ = 0, parent_ = 0;
    std::string kernel_, parent_kernel_;
    Wait wait_ = Wait::for_nothing;
    Source source_{};
    bool talks_ = false;                            // by atomics
    uint32_t chain_ = 0, first_ = 0, position_ = 0; // 0: it has not begun
    Positions known_;
    std::vector<std::shared_ptr<const Known>> awaited_;
    uint64_t looked_at_ = 0;
  };
  using NodeRef = std::shared_ptr<Node>;

  EnqueueOrder();
  NodeRef add(); // of the host
  // Enqueued now by the other one; and what it waits for besides.
  NodeRef add_child(const NodeRef &parent, Wait wait, std::vector<KnownRef> awaited);
  // What is before those that wait for its event, whether it runs or not.
  KnownRef known_of(const Node &node) const;
  KnownRef known_after(std::vector<KnownRef> awaited) const;
  // Before it runs. Without a source, what it touches is not known; with one, that is asked until the node has ended.
  void set_source(const NodeRef &node, std::string kernel, bool talks, Source source);
  void set_talks(const NodeRef &node); // in another way

  // Those that follow belong to the end of a launch, which has no caller for std::bad_alloc. Without memory the order after that
  // is taken for complete: it is not checked any further.
  // A part ends, which is before those that wait for this.
  void reach(const NodeRef &node, Known &known) noexcept;
  // All of it has run.
  void end(const NodeRef &node) noexcept;
  // With what was before it, a node that has ended is before those that wait for this, which may be null.
  void add_ended(const Node &node, const KnownRef &known) const noexcept;
  void join(Known &to, const KnownRef &known) const noexcept;

  // Of all that have ended. False: nobody knows.
  bool add_touched(std::vector<ReachedBytes> &to) const;

private:
  struct Record { // of bytes
    std::shared_ptr<const Node> node;
    uint32_t position;
    bool writes, is_atomic;
    TouchingPlaces places;
  };
  struct Row {
    uintptr_t end;
    std::vector<Record> records;
  };
  using Rows = std::map<uintptr_t, Row>; // that do not overlap, by their begin

  void begin(Node &node);
  void add_talker(const NodeRef &node);
  void collect(Positions &to, const std::vector<std::shared_ptr<const Known>> &known) const;
  void find_chain(Node &node);
  uint32_t end_part(const NodeRef &node);
  void take(const NodeRef &node);
  void touch(const NodeRef &node, const ReachedBytes &bytes);
  void add(Row &row, uintptr_t begin, const Record &record);
  static bool knows(const Node &node, const Record &record) {
    return covers(node.known_, record.node->chain_, record.position);
  }
  bool may_hear(const Node &node, const Record &record) const;
  void report(const Record &before, const Record &now, uintptr_t begin, uintptr_t end) const;
  std::string text_of(const Record &record, uintptr_t begin, uintptr_t end) const;
  void add_places(const Record &record, uintptr_t begin, uintptr_t end,
                  std::vector<FindingPlace> &to) const;
  const Access *object_at(uintptr_t address) const;

  const uint64_t number_; // of all in this process
  mutable std::mutex mutex_;
  uint64_t launches_ = 0;
  std::vector<uint32_t> tails_; // last position of each chain
  std::vector<bool> is_open_;   // whoever has the last one goes on
  std::vector<std::shared_ptr<const Node>> talkers_;
  std::map<uintptr_t, Access> objects_;
  Rows rows_;
  std::set<std::pair<const Node *, uint32_t>> compared_; // with the part that is taken now
  bool is_partial_ = false;
};

} // namespace lockstep::runtime
