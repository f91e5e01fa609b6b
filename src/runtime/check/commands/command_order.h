// Detects races between commands: two commands access the same bytes, one writes, and no path of
// events, queues, markers, barriers or waits orders them. Completion before the other one's start
// is not an order: it may differ next time.
//
// Each command has a vector clock: positions in chains of commands that precede it. Chains are
// effective because most commands follow one other. The host's threads together have one more
// clock, of what they have waited for.
//
// A command is compared when it ends, because everything before it has ended then. Order is
// transitive, so that a later access replaces earlier ones that precede it, and few accesses are
// stored.
//
// Mapped memory belongs to the program from map to unmap. A kernel that uses it must come before
// the map or after the unmap (API 5.5.3). A command that gets the mapped address as host memory
// must come after the map and before the unmap.
#pragma once

#include "runtime/check/report/call_site.h"
#include "runtime/events/events.h"
#include "runtime/graph/node_memory.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace lockstep::runtime {

class Buffer;
class MapChange;
struct Access;
struct Finding;

class CommandOrder final : public Listener {
public:
  void command_made(const Command &command) override;
  void command_enqueued(const Command &command, const CommandQueue &queue) override;
  void edge_added(const Command &before, const Command &after, EdgeKind) override;
  void command_ended(const Command &command, Status) override;
  void command_gone(const Command &command) override;
  void command_awaited(const Command &command) override;
  void command_polled(const Command &command) override;
  void missed_something() noexcept override { has_missed_something_ = true; }

  uint64_t looked_at() { // of earlier commands, in all; for tests
    std::lock_guard lock(mutex_);
    return accesses_.looked_at();
  }

private:
  using Positions = std::map<uint32_t, uint32_t>; // by chain: up to and including this one
  struct HostKnowledge {
    uint64_t version = 0;
    Positions positions{};
    std::atomic<uint64_t> unended = 0; // commands created in this state
  };
  struct Node {
    uint64_t number = 0;
    const CommandQueue *queue = nullptr;
    std::string kernel, operation;             // kernel name, or description of the operation
    std::string title;                         // for SYCL: its name in the program
    std::unique_ptr<CallSite> enqueued_at;     // for reports
    std::shared_ptr<HostKnowledge> made;       // state at creation; null: it has ended
    std::shared_ptr<const HostKnowledge> host; // state at creation, or that of a later predecessor
    // The predecessors, until it ends.
    std::vector<std::shared_ptr<const Node>, NodeAllocator<std::shared_ptr<const Node>>> before;
    bool has_ended = false, was_polled = false;
    uint32_t chain = 0, position = 0; // set at its end, if it has an operation
    Positions positions;              // in addition to what the host knew
    bool knows(const Node &other) const;
    std::string name() const;
  };
  struct Box { // rows of bytes
    std::size_t row_bytes = 0, rows = 1, row_pitch = 0, slices = 1, slice_pitch = 0;
    uintptr_t row(uintptr_t begin, std::size_t number) const;
  };
  struct RangeAccess { // of memory, by a command that has ended
    uintptr_t begin = 0, end = 0;
    std::weak_ptr<Buffer> buffer; // null: host memory
    Box box{};                    // row_bytes 0: all bytes of the range
    bool is_of_host = false, writes = false, is_atomic = false, is_exact = false, is_kernel = false,
         is_of_map = false;
    // What has given the program the address of a buffer that the command uses.
    const char *shown_by = nullptr;
    uintptr_t object_begin = 0, object_end = 0;
    int32_t argument = -1;
    std::shared_ptr<const Node> node;
  };

  // Null: the command was not observed
  static std::shared_ptr<Node> node_of(const Command &command);
  static void end(Node &node);
  // Accesses by begin address, per power of two of their size, so that each lookup visits few.
  // Reads and writes are separate, because many commands may read the same bytes without a
  // conflict; exact and approximate ones are, because an approximate one replaces no exact one.
  class RangeAccesses {
  public:
    // Calls the function for accesses that begin in the range of `access`, are not much longer, and
    // that it may replace, at most `most` of them. Removes those for which it returns true.
    template <class Function>
    void erase_in(const RangeAccess &access, std::size_t most, Function is_gone);
    // Excludes reads, if `access` reads.
    template <class Function>
    void for_all_that_may_conflict(const RangeAccess &access, Function function);
    uint64_t looked_at() const { return looked_at_; } // in all; for tests
    template <class Function> void erase_if(Function is_gone);
    void add(RangeAccess access);
    std::size_t size() const { return size_; }

  private:
    using ByBegin = std::multimap<uintptr_t, RangeAccess>;
    template <class Function>
    void erase_from(ByBegin &all, uintptr_t first, const RangeAccess &access, std::size_t &most,
                    Function is_gone);
    static unsigned size_class(const RangeAccess &access);
    using BySize = std::map<unsigned, ByBegin>;
    BySize &of(bool writes, bool is_exact) {
      return by_size_[std::size_t(writes) * 2 + std::size_t(is_exact)];
    }
    std::array<BySize, 4> by_size_;
    std::size_t size_ = 0;
    uint64_t looked_at_ = 0;
  };

  void place(Node &node, const Command &command);
  void find_chain(Node &node);
  static std::vector<RangeAccess> accesses_of(const Command &command); // each without its node
  struct Mapping {
    const void *memory;
    bool is_shared;     // see MapChange::Region
    RangeAccess access; // of the map
    std::shared_ptr<const Node> end;
    bool is_open = false; // to the program
  };
  static RangeAccess access_of(const MapChange &change);
  void open_mapped();
  void record_mapping(const MapChange &change, const std::shared_ptr<Node> &node);

  static bool may_conflict(const RangeAccess &access,
                           const RangeAccess &other); // whatever their order
  static bool have_common_bytes(const RangeAccess &access, const RangeAccess &other);
  static bool surely_conflict(const RangeAccess &access,
                              const RangeAccess &other);  // as far as known
  void compare(const std::vector<RangeAccess> &accesses); // with earlier commands
  void compare_with_mappings(const RangeAccess &access) const;
  void find_mapped(RangeAccess &access) const; // in host memory
  const Mapping *mapping_at(const RangeAccess &access, uintptr_t byte, bool for_writing) const;
  bool is_after_all(const Node &node) const; // all commands in accesses_
  bool is_mapped(const RangeAccess &access, bool for_writing) const;
  void keep(RangeAccess access);
  void forget();
  void report(const RangeAccess &one, const RangeAccess &other, bool is_certain) const;
  static void report_not_lent(const RangeAccess &access, bool is_for_reading);
  static void report_mapped(const Mapping &mapping, const RangeAccess &access, bool is_certain);
  static std::string text_of(const RangeAccess &access);

  std::atomic<uint64_t> commands_ = 0;
  // An edge may be missing: nothing more is reported
  std::atomic<bool> has_missed_something_ = false;
  std::mutex mutex_;
  // Writers of host_ hold both mutexes, readers hold one of them.
  std::mutex host_lock_;
  std::shared_ptr<HostKnowledge> host_ = std::make_shared<HostKnowledge>();
  // All states of host knowledge that commands in progress may refer to.
  std::vector<std::shared_ptr<HostKnowledge>> known_{host_};
  std::vector<uint32_t> tails_; // last position of each chain
  std::set<uint32_t> reusable_; // chains whose last command the program has waited for
  RangeAccesses accesses_;
  Positions last_of_accesses_;    // of all commands in accesses_: by chain, the last one
  std::vector<Mapping> mappings_; // until their unmap has ended
  std::size_t forget_at_ = 64;
};

} // namespace lockstep::runtime
