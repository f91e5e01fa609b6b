// What a work-item knows to have happened, of all groups of a launch: for each group the interval up to which all of
// its accesses have, and for single work-items, which released since, how far they were then.
//
// A tree that shares what has not changed (shared_tree.h), since a clock is copied at each release.
//
// Who acquires from one object again and again (a lock, a counter of arrivals) holds a version of the object's clock and
// what it has added itself. The object's clock only grows as long as it keeps its lineage, so the newer version holds
// the older one, and neither has to be walked through.
// What it has added itself stays beside the tree as long as it is little: most clocks live no longer than that. What an
// object has got last stays there too, so that a lock that is given on copies no path of its tree each time.
// All changes and copies of the clocks of a launch are made
// under one lock; whoever holds a clock may read it without.
#pragma once

#include "compiler/kernel_ir/limits.h"
#include "runtime/check/pooled.h"
#include "runtime/check/shared_tree.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace lockstep::runtime {

using Stamp = uint32_t; // of a launch, ascending within each group (launch_check.h)

// An async copy is a work-item of its own, from its call until the group has waited. These numbers are no item's.
inline constexpr uint32_t first_copy = compiler::max_work_group_size;
constexpr bool is_copy(uint32_t item) {
  return item >= first_copy;
}

// How far single work-items were. There is often one, and there may be all of a group that take a lock.
class ItemStamps {
public:
  ItemStamps() = default;
  ItemStamps(uint32_t item, Stamp stamp) : item_(item), highest_(stamp) {}

  Stamp highest() const { return highest_; } // 0: there are none
  bool covers(uint32_t item, Stamp stamp) const;
  bool holds(const ItemStamps &other) const; // may be false though it does
  void raise(uint32_t item, Stamp stamp);
  void join(const ItemStamps &other);

private:
  struct Last {
    Stamp stamp = 0;
    bool holds(const Last &other) const { return stamp >= other.stamp; }
    void join(const Last &other) { stamp = other.stamp > stamp ? other.stamp : stamp; }
  };
  SharedTree<Last> all_; // if there is more than one
  uint32_t item_ = 0;    // else
  Stamp highest_ = 0;
};

class Clock {
public:
  struct Entry {
    Stamp before = 0;   // all work-items, accesses with lower stamps
    Stamp copies = 0;   // async copies, which no barrier waits for
    ItemStamps up_to{}; // an item, up to and with this one
    bool covers(uint32_t item, Stamp stamp) const;
    bool holds(const Entry &other) const; // may be false though it does
    void join(const Entry &other);
  };

  Clock() = default;
  Clock(const Clock &other) = default;
  Clock(Clock &&other) noexcept;
  Clock &operator=(Clock other) noexcept;
  ~Clock() = default;

  bool is_empty() const { return !has_base() && !additions_; }
  void clear() {
    if (!is_empty())
      *this = Clock();
  }
  bool covers(uint32_t group, uint32_t item, Stamp stamp) const;
  Stamp copies_of(uint32_t group) const; // Entry::copies
  void add(uint32_t group, const Entry &entry);
  void join(const Clock &other);

  // Of an object: a read-modify-write adds what its writer carries, a store replaces. The same of a clock and this entry.
  void absorb(const Clock &carried);
  void absorb(const Clock &carried, uint32_t group, const Entry &entry);
  void replace(Clock carried);
  void replace(const Clock &carried, uint32_t group, const Entry &entry);

private:
  // Of groups, few. Copies share them.
  class Additions {
  public:
    using List = std::vector<std::pair<uint32_t, Entry>>;
    Additions() = default;
    Additions(const Additions &other) : shared_(other.shared_) {
      if (shared_)
        ++shared_->owners;
    }
    Additions(Additions &&other) noexcept : shared_(std::exchange(other.shared_, nullptr)) {}
    Additions &operator=(Additions other) noexcept {
      std::swap(shared_, other.shared_);
      return *this;
    }
    ~Additions() {
      if (shared_ && --shared_->owners == 0)
        delete shared_;
    }
    explicit operator bool() const { return shared_; }
    const List &list() const;
    const Entry *find(uint32_t group) const;
    List &own(); // for a change

  private:
    struct Shared : Pooled<Shared> {
      unsigned owners = 1;
      List list;
    };
    Shared *shared_ = nullptr;
  };
  static constexpr std::size_t most_additions = 8;

  // What an object has got last, the last one first. Copies share it, and longer ones too.
  class Recent {
  public:
    struct Each : Pooled<Each> {
      unsigned owners = 1, count = 1; // of this one and those before
      uint32_t group;
      Entry entry;
      Each *before;
      Each(uint32_t group, const Entry &entry, Each *before)
          : count(before ? before->count + 1 : 1), group(group), entry(entry), before(before) {}
    };
    static constexpr unsigned most = 16;
    Recent() = default;
    Recent(const Recent &other) : last_(other.last_) {
      if (last_)
        ++last_->owners;
    }
    Recent(Recent &&other) noexcept : last_(std::exchange(other.last_, nullptr)) {}
    Recent &operator=(Recent other) noexcept {
      std::swap(last_, other.last_);
      return *this;
    }
    ~Recent() {
      while (last_ && --last_->owners == 0)
        delete std::exchange(last_, last_->before);
    }
    const Each *last() const { return last_; }
    bool is_full() const { return last_ && last_->count == most; }
    void add(uint32_t group, const Entry &entry) { last_ = new Each(group, entry, last_); }

  private:
    Each *last_ = nullptr;
  };

  bool has_base() const { return !tree_.is_empty() || recent_.last(); }
  bool base_holds(uint32_t group, const Entry &entry) const;
  bool base_holds(const Clock &other) const; // what that has of objects
  bool holds(uint32_t group, const Entry &entry) const;
  bool is_held_by(const Clock &other) const;
  void forget_lineage();
  void add_to_tree(uint32_t group, const Entry &entry);
  void add_to_tree(const Additions &additions);
  void add_to_tree(const Recent &recent);
  void add_to_recent(uint32_t group, const Entry &entry);
  void add_to_recent(const Additions &additions);

  SharedTree<Entry> tree_;
  Recent recent_;                      // in addition to the tree
  uint64_t lineage_ = 0, version_ = 0; // of both; 0: of no object's clock, and nothing is recent
  Additions additions_;                // to that version, or to nothing
};

} // namespace lockstep::runtime
