// What a work-item knows to have happened, of all groups of a launch: for each group the interval up to which all of
// its accesses have, and for single work-items, which released since, how far they were then.
//
// A tree that shares what has not changed (shared_tree.h), since a clock is copied at each release.
//
// Who acquires from one object again and again (a lock, a counter of arrivals) holds a version of the object's clock and
// what it has added itself. The object's clock only grows as long as it keeps its lineage, so the newer version holds
// the older one, and neither has to be walked through.
// And who knows of a release knows all that its work-item knew then: a clock that a release was the last to change, by one who
// knew all of it, is held by whoever knows of that release (Release), so that clocks of different objects, too, are seldom
// walked through.
// What it has added itself stays beside the tree as long as it is little: most clocks live no longer than that. What an
// object has got last stands behind its tree, where whoever has an older version shares it and looks no further than
// that (Line): a lock that is given on copies nothing.
// A clock is a group's or an object's (synchronisation_objects.h), and is changed by whoever has that. What it shares with
// others does not change, but that a Line grows behind what these know of it.
#pragma once

#include "compiler/kernel_ir/limits.h"
#include "runtime/check/fetch_to_write.h"
#include "runtime/check/owners.h"
#include "runtime/check/pooled.h"
#include "runtime/check/shared_tree.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
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
  struct Last {
    static constexpr bool is_number = true;
    Stamp stamp = 0;
    bool holds(const Last &other) const { return stamp >= other.stamp; }
    void join(const Last &other) { stamp = other.stamp > stamp ? other.stamp : stamp; }
  };

public:
  ItemStamps() = default;
  ItemStamps(uint32_t item, Stamp stamp) : item_(item), highest_(stamp) {}
  ItemStamps(const ItemStamps &) = default;
  ItemStamps(ItemStamps &&) = default;
  ItemStamps &operator=(const ItemStamps &other) {
    if (!all_.is_empty() || !other.all_.is_empty()) // most are one
      all_ = other.all_;
    item_ = other.item_;
    highest_ = other.highest_;
    return *this;
  }

  Stamp highest() const { return highest_; } // 0: there are none
  bool is_one() const { return highest_ && all_.is_empty(); }
  uint32_t item() const { return item_; } // if it is one
  bool covers(uint32_t item, Stamp stamp) const;
  bool holds(const ItemStamps &other) const; // may be false though it does
  void raise(uint32_t item, Stamp stamp) {
    if (all_.is_empty())
      return raise_of_one(item, stamp);
    all_.own(item).join({stamp});
    highest_ = stamp > highest_ ? stamp : highest_;
  }
  // Of several, one after the other: `row` is of the last one, and nothing else has changed since.
  using Row = SharedTree<Last, 6>::Row;
  [[gnu::always_inline]] void raise(uint32_t item, Stamp stamp, Row &row) {
    if (all_.is_empty())
      return raise_of_one(item, stamp);
    if (!row.has(item))
      row = all_.own_row(item);
    row[item].join({stamp});
    highest_ = stamp > highest_ ? stamp : highest_;
  }
  void begin(uint32_t item, Stamp stamp) { // where there are none
    item_ = item;
    highest_ = stamp;
  }
  void join(const ItemStamps &other);

private:
  void raise_of_one(uint32_t item, Stamp stamp);

  SharedTree<Last, 6> all_; // if there is more than one
  uint32_t item_ = 0;       // else
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

  // By a work-item, which went on to another stamp with it.
  struct Release {
    uint32_t group = 0, item = 0;
    Stamp stamp = 0; // 0: there is none
    explicit operator bool() const { return stamp; }
  };

  bool is_empty() const { return !line_ && tree_.is_empty() && !additions_; }
  [[gnu::always_inline]] void clear() {
    line_.clear();
    if (!tree_.is_empty() || additions_)
      *this = Clock();
  }
  bool covers(uint32_t group, uint32_t item, Stamp stamp) const;
  bool covers(const Release &release) const {
    return covers(release.group, release.item, release.stamp);
  }
  // All work-items of that group, accesses with lower stamps; not more.
  Stamp covers_before(uint32_t group) const;
  Stamp copies_of(uint32_t group) const; // Entry::copies
  bool knows_of(uint32_t group) const;   // anything
  // Is it a version of that object's clock, and perhaps more?
  bool is_version_of(const Clock &object) const {
    return line_ && line_.lineage() == object.line_.lineage();
  }
  bool is_earlier_version_of(const Clock &object) const { // and nothing more
    return line_ && is_later_version(object);
  }
  // Is that object's clock an older version of what this one has, or the same?
  bool has_version(const Clock &object) const {
    return is_version_of(object) && object.tree_.is_empty() && !object.additions_ &&
           object.line_.version() <= line_.version();
  }
  bool is_same(const Clock &other) const { // a copy, and neither has changed since
    return line_.is_of_line(other.line_) && line_.version() == other.line_.version() &&
           tree_.is_same(other.tree_) && additions_.is_same(other.additions_);
  }
  // Of an object: has this work-item released last, and did it know all of it?
  bool is_all_of(uint32_t group, uint32_t item) const {
    const Release release = line_.release();
    return release && release.group == group && release.item == item;
  }
  // Of what it has of an object.
  [[gnu::always_inline]] Release last_added() const {
    const auto recent = line_.recent();
    return recent.empty() ? Release() : recent.back().of_item();
  }
  // Of an object, as they mostly are.
  bool has_line_only() const { return line_ && tree_.is_empty() && !additions_; }
  bool may_grow() const { return line_.may_grow(); }
  bool has_recent() const { return !line_.recent().empty(); }
  void settle(); // of no object from now on, so that others have little to do with it
  void fetch() const { line_.fetch(); } // of an object, for one more entry
  void add(uint32_t group, const Entry &entry);
  void join(const Clock &other) {
    if (!are_lines(other))
      join_any(other);
    else if (!line_.holds(other.line_))
      line_ = other.line_;
  }
  void join(Clock &&other);

  // Of an object: a read-modify-write adds what its writer carries, a store replaces. The same of a clock, all that a work-item
  // knows, and this entry of its own, of the release.
  void absorb(const Clock &carried);
  void absorb(const Clock &carried, uint32_t group, const Entry &entry);
  void replace(Clock carried);
  void replace(const Clock &carried, uint32_t group, const Entry &entry) {
    if (!goes_on_with(carried, group, entry))
      replace_any(carried, group, entry);
  }
  // The same, if it returns true.
  [[gnu::always_inline]] bool goes_on_with(const Clock &carried, uint32_t group,
                                           const Entry &entry) {
    if (!line_.may_grow() || carried.additions_ || !has_all_but_own(carried, group, entry))
      return false;
    line_.grow(group, true, entry);
    return true;
  }

  // The same of a work-item's release: goes_on_with() of {before, copies, {item, stamp}}.
  [[gnu::always_inline]] bool goes_on_with_item(const Clock &carried, uint32_t group, Stamp before,
                                                Stamp copies, uint32_t item, Stamp stamp) {
    if (!line_.may_grow() || carried.additions_)
      return false;
    if (!line_.is_same_version(carried.line_) && !has_all_but_own(carried, group, item, stamp))
      return false;
    line_.grow(group, before, copies, item, stamp);
    return true;
  }

private:
  // Of groups, few. Copies share them.
  class Additions {
  public:
    using List = std::vector<std::pair<uint32_t, Entry>>;
    Additions() = default;
    Additions(const Additions &other) : shared_(other.shared_) {
      if (shared_)
        shared_->owners.add();
    }
    Additions(Additions &&other) noexcept : shared_(std::exchange(other.shared_, nullptr)) {}
    Additions &operator=(Additions other) noexcept {
      std::swap(shared_, other.shared_);
      return *this;
    }
    ~Additions() {
      if (shared_) [[unlikely]]
        drop(shared_);
    }
    explicit operator bool() const { return shared_; }
    bool is_same(const Additions &other) const { return shared_ == other.shared_; }
    const List &list() const;
    const Entry *find(uint32_t group) const;
    List &own(); // for a change

  private:
    struct Shared : Pooled<Shared> {
      Owners owners{};
      List list{};
    };
    static void drop(Shared *shared);
    Shared *shared_ = nullptr;
  };
  static constexpr std::size_t most_additions = 8;

  // An object's clock, as far as it has only got more entries: a tree, and then one after the other. It grows while others hold
  // it, who have the first so many entries.
  struct Recent {
    uint32_t group = 0;
    bool knows_all = false; // whoever released that knew what stands before
    Entry entry{};
    Release of_item() const {
      return entry.up_to.is_one() ? Release{group, entry.up_to.item(), entry.up_to.highest()}
                                  : Release();
    }
    Release release() const { return knows_all ? of_item() : Release(); }
  };
  // A version of another object's clock, all of which is in this one: as where groups meet by a counter and by a word that the last
  // one stores to, each of the two has what the other had.
  struct Held {
    uint64_t lineage = 0, version = 0; // 0: none
  };
  using HeldVersions = std::array<Held, 4>;
  struct Line {
    Owners owners;
    uint32_t many = 0;
    const uint64_t lineage, version; // without recent ones; each makes a new one
    Release release{};               // of who knew all of the tree
    HeldVersions held{};             // in the tree
    SharedTree<Entry> tree{};
    std::span<Recent> recent; // as many as there may be
    Line(uint64_t lineage, uint64_t version) : lineage(lineage), version(version) {}
    virtual ~Line() = default;
    Line(const Line &) = delete;
    Line &operator=(const Line &) = delete;
    static Line *make(uint64_t lineage, uint64_t version, std::size_t most);
  };
  template <std::size_t most> struct LineOf;
  class HeldLine {
  public:
    HeldLine() = default;
    explicit HeldLine(Line *made) : line_(made) {}
    HeldLine(const HeldLine &other) : line_(other.line_), known_(other.known_) {
      if (line_)
        line_->owners.add();
    }
    HeldLine(HeldLine &&other) noexcept
        : line_(std::exchange(other.line_, nullptr)), known_(std::exchange(other.known_, 0)),
          is_borrowed_(std::exchange(other.is_borrowed_, false)) {}
    HeldLine &operator=(const HeldLine &other) {
      if (line_ != other.line_)
        *this = HeldLine(other);
      known_ = other.known_;
      return *this;
    }
    HeldLine &operator=(HeldLine &&other) noexcept {
      std::swap(line_, other.line_);
      std::swap(known_, other.known_);
      std::swap(is_borrowed_, other.is_borrowed_);
      return *this;
    }
    ~HeldLine() { clear(); }
    [[gnu::always_inline]] void clear() {
      Line *line = std::exchange(line_, nullptr);
      known_ = 0;
      if (line && !std::exchange(is_borrowed_, false) && line->owners.drop())
        delete line;
    }
    void clear_alone() {
      if (Line *line = std::exchange(line_, nullptr); line && line->owners.drop_alone())
        delete line;
    }
    void copy_alone(const HeldLine &other) { // into one that holds nothing
      line_ = other.line_;
      known_ = other.known_;
      line_->owners.add_alone();
    }
    // As a copy of it, as long as somebody else is its owner; and so that nobody need be.
    void borrow(const HeldLine &other) {
      if (line_ != other.line_) {
        clear();
        line_ = other.line_;
        is_borrowed_ = true;
      }
      known_ = other.known_;
    }
    void begin_borrowed(const HeldLine &other) { // by one that holds nothing
      line_ = other.line_;
      known_ = other.known_;
      is_borrowed_ = true;
    }
    void own() {
      if (std::exchange(is_borrowed_, false) && line_)
        line_->owners.add();
    }
    void take_over(HeldLine &owner) { // of the same
      owner.line_ = nullptr;
      is_borrowed_ = false;
    }
    bool is_borrowed() const { return is_borrowed_; }
    bool is_of_line(const HeldLine &other) const { return line_ == other.line_; }
    explicit operator bool() const { return line_; }
    uint64_t lineage() const { return line_ ? line_->lineage : 0; }
    uint64_t version() const { return line_ ? line_->version + known_ : 0; }
    const SharedTree<Entry> &tree() const { return line_->tree; }
    std::span<const Recent> recent() const {
      return line_ ? line_->recent.first(known_) : std::span<const Recent>();
    }
    // Has it all of that one? May be false though it has.
    bool holds(const HeldLine &other) const {
      return line_ && other.line_ && holds({other.lineage(), other.version()});
    }
    bool holds(const Held &other) const {
      if (other.lineage == line_->lineage)
        return other.version <= version();
      for (const Held &each : line_->held)
        if (each.lineage == other.lineage)
          return other.version <= each.version;
      return false;
    }
    // What it has that is not in another object's, if that has a version of this one: the last entries.
    std::optional<std::span<const Recent>> beyond(const HeldLine &other) const {
      for (const Held &each : other.held())
        if (line_ && each.lineage == line_->lineage && each.version >= line_->version)
          return recent().subspan(std::min<uint64_t>(each.version - line_->version, known_));
      return std::nullopt;
    }
    std::span<const Held> held() const {
      return line_ ? std::span<const Held>(line_->held) : std::span<const Held>();
    }
    bool is_version(const HeldLine &other) const {
      return lineage() == other.lineage() && version() == other.version();
    }
    Release release() const { // of who knew all of it
      if (!line_)
        return {};
      return known_ ? line_->recent[known_ - 1].release() : line_->release;
    }
    bool may_grow() const { // of an object's
      return line_ && known_ == line_->many && known_ != line_->recent.size();
    }
    void grow(uint32_t group, bool knows_all, const Entry &entry) { // if it may
      Recent &next = line_->recent[known_];
      next.group = group;
      next.knows_all = knows_all;
      next.entry = entry;
      line_->many = ++known_;
    }
    // The same, known to all that stands before, of one work-item.
    void grow(uint32_t group, Stamp before, Stamp copies, uint32_t item, Stamp stamp) {
      Recent &next = line_->recent[known_];
      next.group = group;
      next.knows_all = true;
      next.entry.before = before;
      next.entry.copies = copies;
      next.entry.up_to.begin(item, stamp);
      line_->many = ++known_;
    }
    bool is_same_version(const HeldLine &other) const {
      return line_ == other.line_ && known_ == other.known_;
    }
    void fetch() const {
      if (!line_)
        return;
      fetch_to_write(line_);
      fetch_to_write(reinterpret_cast<const std::byte *>(line_ + 1) + known_ * sizeof(Recent));
    }
    SharedTree<Entry> take_tree(); // the holder's own; afterwards it holds nothing

  private:
    Line *line_ = nullptr;
    uint32_t known_ = 0; // of recent ones
    bool is_borrowed_ = false;
  };
  static constexpr std::size_t first_recent = 4;

public:
  // Of a group: what its work-items have in common. They are many that take a lock in turn, and each is an owner of what it knows.
  class Lines {
  public:
    bool is_full() const { return lines_.size() == most; }
    void clear() {
      if (is_alone_)
        for (HeldLine &each : lines_)
          each.clear_alone();
      lines_.clear();
    }
    void set_alone(bool is_alone) { is_alone_ = is_alone; } // as Owners have it
    void fetch() const { fetch_to_write(lines_.data()); }

  private:
    friend Clock;
    static constexpr std::size_t most = 32;
    [[gnu::always_inline]] void have(const HeldLine &line) {
      if (lines_.empty() || !lines_.back().is_of_line(line)) [[unlikely]]
        add(line);
    }
    void add(const HeldLine &line) {
      if (is_alone_)
        lines_.emplace_back().copy_alone(line);
      else
        lines_.push_back(line);
    }
    std::vector<HeldLine> lines_;
    bool is_alone_ = false;
  };
  // The same as join(), if it returns true; then until these lines are cleared, or it is an owner itself.
  [[gnu::always_inline]] bool join_with(const Clock &other, Lines &lines) {
    if (!are_lines(other))
      return false;
    if (!line_.holds(other.line_)) {
      lines.have(other.line_);
      line_.borrow(other.line_);
    }
    return true;
  }
  // The same where it is empty, and that one has_line_only().
  [[gnu::always_inline]] void begin_with(const Clock &other, Lines &lines) {
    lines.have(other.line_);
    line_.begin_borrowed(other.line_);
  }
  void own() { line_.own(); }
  // From then on these have what it had, and it has borrowed that; and the same as own(), where nobody else needs them.
  void lend(Lines &lines) {
    if (!line_ || line_.is_borrowed())
      return;
    HeldLine &owner = lines.lines_.emplace_back();
    owner = std::move(line_);
    line_.borrow(owner);
  }
  void own_from(Lines &lines) {
    if (!line_.is_borrowed())
      return;
    for (HeldLine &each : lines.lines_)
      if (each.is_of_line(line_))
        return line_.take_over(each);
    line_.own();
  }
  // A copy, as long as the other one is as it is.
  void share(const Clock &other) {
    if (other.tree_.is_empty() && !other.additions_ && tree_.is_empty() && !additions_)
      line_.borrow(other.line_);
    else
      *this = other;
  }
  // A copy, as long as whose lines the other has borrowed, if it has.
  void borrow(const Clock &other) {
    if (!other.line_.is_borrowed() || !tree_.is_empty() || additions_ || other.additions_)
      *this = other;
    else
      line_.borrow(other.line_);
  }

private:
  Stamp highest(Stamp Entry::*what, uint32_t group) const; // of all that it has of that group
  bool has_base() const { return line_ || !tree_.is_empty(); }
  const SharedTree<Entry> &base_tree() const { return line_ ? line_.tree() : tree_; }
  bool base_holds(uint32_t group, const Entry &entry) const;
  bool holds_base(const Clock &other) const; // what that has of objects
  bool holds(uint32_t group, const Entry &entry) const;
  bool is_held_by(const Clock &other) const;
  bool knows(const Clock &object) const; // may be false though it does
  // Has that clock all that this object's has, but for what its own work-item has released there last?
  bool has_all_but_own(const Clock &carried, uint32_t group, const Entry &entry) const {
    return has_all_but_own(carried, group, entry.up_to.item(), entry.up_to.highest());
  }
  [[gnu::always_inline]] bool has_all_but_own(const Clock &carried, uint32_t group, uint32_t item,
                                              Stamp stamp) const {
    if (line_.lineage() != carried.line_.lineage())
      return false;
    if (line_.version() == carried.line_.version())
      return true;
    if (line_.version() != carried.line_.version() + 1)
      return false;
    const Release last = last_added();
    return last && last.group == group && last.item == item && last.stamp <= stamp;
  }
  // Is it nothing but an older version of what `other` is, or nothing at all?
  bool is_later_version(const Clock &other) const {
    return tree_.is_empty() && !additions_ && other.line_ && !other.additions_ &&
           (!line_ || line_.lineage() == other.line_.lineage());
  }
  // The same of versions of any objects, of which one has all that the other has?
  bool are_lines(const Clock &other) const {
    return tree_.is_empty() && !additions_ && other.line_ && !other.additions_ &&
           (!line_ || other.line_.holds(line_) || line_.holds(other.line_));
  }
  void join_any(const Clock &other);
  void replace_any(const Clock &carried, uint32_t group, const Entry &entry);
  void forget_lineage();
  static HeldVersions versions_in(const HeldLine &one, const HeldLine &other, uint64_t but_of = 0);
  void begin_line(uint64_t lineage, uint64_t version, std::size_t most, const HeldVersions &held);
  void add_to_tree(uint32_t group, const Entry &entry);
  void add_to_tree(const Additions &additions);
  void join_base(const Clock &other); // to a tree
  void absorb_base(const Clock &carried);
  void add_to_line(uint32_t group, const Entry &entry, bool knows_all);
  void add_to_line(const Additions &additions);

  HeldLine line_;          // of an object; null: of none
  SharedTree<Entry> tree_; // else
  Additions additions_;    // to that version, or to nothing
};

} // namespace lockstep::runtime
