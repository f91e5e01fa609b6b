// Races between commands: two that touch the same bytes, one writing, with no path of events, queues, markers, barriers or
// waits between them. That one had ended when the other began is no order: next time it may not have.
//
// Each command has a clock: which commands are before it, as positions in chains, since most commands follow one other.
// The program's threads are one more, which knows what they have waited for. A command is compared when it ends: then all
// that is before it has ended too. Who is ordered after a later access is ordered after what that one was ordered after, so
// few accesses need be kept.
//
// What is mapped is the program's from the map to the unmap: a kernel that uses it comes before the one, or after the
// other (API 5.5.3). So may a command be given its address, as memory of the host, which comes after the one and before the
// other then, and touches the buffer.
#pragma once

#include "runtime/events.h"
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
  void missed_something() noexcept override { has_missed_something_ = true; }

  uint64_t looked_at() { // touches of earlier commands, in all; for tests
    std::lock_guard lock(mutex_);
    return touches_.looked_at();
  }

private:
  using Positions = std::map<uint32_t, uint32_t>; // by chain: up to and with this one
  struct HostKnowledge {
    uint64_t version = 0;
    Positions positions{};
    std::atomic<uint64_t> unended = 0; // commands that were made then
  };
  struct Node {
    uint64_t number = 0;
    const CommandQueue *queue = nullptr;
    std::string kernel, operation;             // its name, or what it is without one
    std::string title;                         // of SYCL: what the program calls either
    std::shared_ptr<HostKnowledge> made;       // when it was made; null: it has ended
    std::shared_ptr<const HostKnowledge> host; // the same, or that of what is before it
    std::vector<std::shared_ptr<const Node>, NodeAllocator<std::shared_ptr<const Node>>>
        before; // until it ends
    bool has_ended = false;
    uint32_t chain = 0, position = 0; // from its end on, if it has an operation
    Positions positions;              // beside what the host knew
    bool knows(const Node &other) const;
    std::string name() const;
  };
  struct Box { // rows of bytes
    std::size_t row_bytes = 0, rows = 1, row_pitch = 0, slices = 1, slice_pitch = 0;
    uintptr_t row(uintptr_t begin, std::size_t number) const;
  };
  struct Touch { // of memory, by a command that has ended
    uintptr_t begin = 0, end = 0;
    std::weak_ptr<Buffer> buffer; // without one, memory of the host
    Box box{};                    // row_bytes 0: all bytes from the first to the last
    bool is_of_host = false, writes = false, is_atomic = false, is_exact = false, is_kernel = false,
         is_of_map = false;
    const char *shown_by =
        nullptr; // what has given the program the address of a buffer that it uses
    uintptr_t object_begin = 0, object_end = 0;
    int32_t argument = -1;
    std::shared_ptr<const Node> node;
  };

  static std::shared_ptr<Node> node_of(const Command &command); // null: nobody has heard of it
  static void end(Node &node);
  // By where they begin, for each power of two that their sizes lie below: so few are looked at for each place. Those that
  // read are apart from those that write, as many commands may read the same bytes and none of these conflict.
  class Touches {
  public:
    // Calls the function with all that have bytes between those of the touch, or lie there; those for which it is true go.
    // With no more of them than `most`.
    template <class Function> void erase_of(const Touch &touch, std::size_t most, Function is_gone);
    // Without those that read, if this one does.
    template <class Function> void for_all_that_may_meet(const Touch &touch, Function function);
    uint64_t looked_at() const { return looked_at_; } // in all; for tests
    template <class Function> void erase_if(Function is_gone);
    void add(Touch touch);
    std::size_t size() const { return size_; }

  private:
    using ByBegin = std::multimap<uintptr_t, Touch>;
    template <class Function>
    void erase_of(ByBegin &all, unsigned number, const Touch &touch, std::size_t &most,
                  Function is_gone);
    static unsigned size_class(const Touch &touch);
    std::array<std::map<unsigned, ByBegin>, 2> by_size_; // of those that read, and that write
    std::size_t size_ = 0;
    uint64_t looked_at_ = 0;
  };

  void place(Node &node, const Command &command);
  void find_chain(Node &node);
  static std::vector<Touch> touches_of(const Command &command); // each without its node
  struct Mapping {
    const void *memory;
    bool is_shared; // MapChange::Region
    Touch touch;    // of the map
    std::shared_ptr<const Node> end;
    bool is_open = false; // to the program
  };
  static Touch touch_of(const MapChange &change);
  void open_mapped();
  void note_mapping(const MapChange &change, const std::shared_ptr<Node> &node);

  static bool may_meet(const Touch &touch, const Touch &other); // whatever their order is
  static bool have_common_bytes(const Touch &touch, const Touch &other);
  static bool do_meet(const Touch &touch, const Touch &other); // as far as is known
  void compare(const std::vector<Touch> &touches);             // with what was before
  void compare_with_mappings(const Touch &touch) const;
  void find_mapped(Touch &touch) const; // of the host's memory
  const Mapping *mapping_at(const Touch &touch, uintptr_t byte, bool for_writing) const;
  bool is_mapped(const Touch &touch, bool for_writing) const;
  void keep(Touch touch);
  void forget();
  void report(const Touch &one, const Touch &other, bool is_certain) const;
  static void report_not_lent(const Touch &touch, bool is_for_reading);
  static void report_mapped(const Mapping &mapping, const Touch &touch, bool is_certain);
  static std::string text_of(const Touch &touch);

  std::atomic<uint64_t> commands_ = 0;
  std::atomic<bool> has_missed_something_ = false; // an edge, perhaps: nothing is reported any more
  std::mutex mutex_;
  std::mutex
      host_lock_; // beside mutex_, for who changes host_; one of them is enough for who reads it
  std::shared_ptr<HostKnowledge> host_ = std::make_shared<HostKnowledge>();
  std::vector<std::shared_ptr<HostKnowledge>> known_{
      host_};                   // all that commands may have which have not ended
  std::vector<uint32_t> tails_; // last position of each chain
  std::set<uint32_t> reusable_; // chains whose last command the program has waited for
  Touches touches_;
  std::vector<Mapping> mappings_; // until their unmap has ended
  std::size_t forget_at_ = 64;
};

} // namespace lockstep::runtime
