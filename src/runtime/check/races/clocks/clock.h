// A vector clock: per work-group the epoch below which all accesses happened before, plus
// epochs of single work-items that have released since.
//
// Requires: one thread changes a clock at a time: the one that runs the group, or that has locked
// the synchronization object (synchronization_objects.h).
//
// Ensures: copies share storage (shared_tree.h), because every release copies a clock. Shared
// storage does not change, except that a Line grows behind the entries that other holders know.
//
// A full join walks through both clocks. Three rules avoid most of these walks:
// - Each object's clock has a lineage, within which it only grows. A work-item that acquires from
//   one object repeatedly (a lock, an arrival counter) holds a version of that clock and its own
//   additions. Of two versions of one lineage, the newer one holds the older one.
// - Happens-before is transitive. Let release R be the last change to a clock, by a work-item that
//   knew all of it. Then every clock that covers R holds that whole clock (Release).
// - Few additions are stored next to the tree, because most clocks are short-lived. The latest
//   entries of an object's clock follow its tree in a Line. Holders of older versions share the
//   Line and read only their prefix, so that handing a lock over copies nothing.
#pragma once

#include "kernel_ir/limits.h"
#include "platform/linux/short_lock.h"
#include "runtime/check/races/clocks/owners.h"
#include "runtime/check/races/clocks/pooled.h"
#include "runtime/check/races/clocks/shared_tree.h"
#include "runtime/check/races/shadow/fetch_to_write.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace lockstep::runtime {

using Epoch = uint32_t; // an epoch of a launch; ascends within each group (launch_check.h)

// An async copy is a work-item of its own, from its call until the group has waited for it. No real
// work-item has a number from `first_copy` on.
inline constexpr uint32_t first_copy = compiler::max_work_group_size;
constexpr bool is_copy(uint32_t item) {
  return item >= first_copy;
}

// Epochs that single work-items have reached: often one, at most all of a group that takes a lock.
class ItemEpochs {
  struct Last {
    static constexpr bool is_number = true;
    Epoch epoch = 0;
    bool holds(const Last &other) const { return epoch >= other.epoch; }
    void join(const Last &other) { epoch = other.epoch > epoch ? other.epoch : epoch; }
  };

public:
  ItemEpochs() = default;
  ItemEpochs(uint32_t item, Epoch epoch) : item_(item), highest_(epoch) {}
  ItemEpochs(const ItemEpochs &) = default;
  ItemEpochs(ItemEpochs &&) = default;
  ItemEpochs &operator=(const ItemEpochs &other) {
    if (!all_.is_empty() || !other.all_.is_empty()) // most have one work-item
      all_ = other.all_;
    item_ = other.item_;
    highest_ = other.highest_;
    return *this;
  }

  Epoch highest() const { return highest_; } // 0: no work-items
  bool is_one() const { return highest_ && all_.is_empty(); }
  uint32_t item() const { return item_; } // requires is_one()
  bool covers(uint32_t item, Epoch epoch) const;
  bool holds(const ItemEpochs &other) const; // may return false although it holds
  void raise(uint32_t item, Epoch epoch) {
    if (all_.is_empty())
      return raise_of_one(item, epoch);
    all_.own(item).join({epoch});
    highest_ = epoch > highest_ ? epoch : highest_;
  }
  // Like raise(), for several work-items in sequence. `row` belongs to the previous one; nothing
  // else has changed since.
  using Row = SharedTree<Last, 6>::Row;
  [[gnu::always_inline]] void raise(uint32_t item, Epoch epoch, Row &row) {
    if (all_.is_empty())
      return raise_of_one(item, epoch);
    if (!row.has(item))
      row = all_.own_row(item);
    row[item].join({epoch});
    highest_ = epoch > highest_ ? epoch : highest_;
  }
  void join(const ItemEpochs &other);

private:
  void raise_of_one(uint32_t item, Epoch epoch);

  SharedTree<Last, 6> all_; // if there is more than one work-item
  uint32_t item_ = 0;       // otherwise
  Epoch highest_ = 0;
};

class Clock {
public:
  struct Entry {
    Epoch before = 0;   // all work-items: accesses with lower epochs
    Epoch copies = 0;   // async copies, which no barrier waits for: lower epochs
    ItemEpochs up_to{}; // single work-items: up to and including this epoch
    bool covers(uint32_t item, Epoch epoch) const;
    bool holds(const Entry &other) const; // may return false although it holds
    void join(const Entry &other);
  };

  // A release by a work-item, which began a new epoch at that point.
  struct Release {
    uint32_t group = 0, item = 0;
    Epoch epoch = 0; // 0: no release
    explicit operator bool() const { return epoch; }
  };

  bool is_empty() const { return !line_ && tree_.is_empty() && !additions_; }
  [[gnu::always_inline]] void clear() {
    line_.clear();
    if (!tree_.is_empty() || additions_)
      *this = Clock();
  }
  bool covers(uint32_t group, uint32_t item, Epoch epoch) const;
  bool covers(const Release &release) const {
    return covers(release.group, release.item, release.epoch);
  }
  // covers() for several groups in sequence, of which adjacent ones are close to each other.
  // Requires that the clock does not change.
  class Cursor {
  public:
    explicit Cursor(const Clock &clock) : clock_(clock) {}
    bool covers(uint32_t group, uint32_t item, Epoch epoch) {
      if (!row_.has(group))
        find_row(group);
      return (row_.has(group) && row_[group].covers(item, epoch)) ||
             clock_.covers(group, item, epoch);
    }

  private:
    // Prefetches the next row, which other threads have often written.
    void find_row(uint32_t group) {
      const SharedTree<Entry> &tree = clock_.base_tree();
      row_ = next_.has(group) ? next_ : tree.find_row(group);
      next_ = tree.find_row(group + SharedTree<Entry>::fan);
      next_.fetch();
    }
    const Clock &clock_;
    SharedTree<Entry>::ConstRow row_, next_;
  };
  // The epoch below which accesses of all work-items of the group are covered, without single ones.
  Epoch covers_before(uint32_t group) const;
  Epoch copies_of(uint32_t group) const; // Entry::copies
  bool knows_of(uint32_t group) const;   // whether there is any entry of the group
  // Whether this clock is a version of that object's clock, possibly with additions.
  bool is_version_of(const Clock &object) const {
    return line_ && line_.lineage() == object.line_.lineage();
  }
  bool is_earlier_version_of(const Clock &object) const { // without additions
    return line_ && is_later_version(object);
  }
  // Whether this clock contains that object's clock, as the same or a newer version.
  bool has_version(const Clock &object) const {
    return is_version_of(object) && object.tree_.is_empty() && !object.additions_ &&
           object.line_.version() <= line_.version();
  }
  bool is_same(const Clock &other) const { // an unchanged copy
    return line_.is_of_line(other.line_) && line_.version() == other.line_.version() &&
           tree_.is_same(other.tree_) && additions_.is_same(other.additions_);
  }
  // For an object's clock: whether this work-item released last and knew the whole clock.
  bool is_all_of(uint32_t group, uint32_t item) const {
    const Release release = line_.release();
    return release && release.group == group && release.item == item;
  }
  // The last entry in the part that this clock has from an object.
  [[gnu::always_inline]] Release last_added() const {
    const auto recent = line_.recent();
    return recent.empty() ? Release() : recent.back().of_item();
  }
  // True for most clocks of objects.
  bool has_line_only() const { return line_ && tree_.is_empty() && !additions_; }
  bool may_grow() const { return line_.may_grow(); }
  uint64_t lineage() const { return line_.lineage(); } // 0: this has no line
  // What absorb() appends to a long clock, if these are few entries.
  std::span<const std::byte> few_entries() const {
    return has_few_entries() ? std::as_bytes(line_.recent()) : std::span<const std::byte>();
  }
  void fetch() const { line_.fetch(); } // prefetches an object's clock to append one entry
  void add(uint32_t group, const Entry &entry);
  // A reference to the line that this thread released last. Its groups mostly acquire the same line
  // in sequence: taking the reference over changes no counter, which would take the line from the
  // thread that appends to it.
  class SpareLine;
  void join(const Clock &other, SpareLine &spare);
  void clear(SpareLine &spare);
  void join(const Clock &other) {
    if (!are_lines(other))
      join_any(other);
    else if (!line_.holds(other.line_))
      line_ = other.line_;
  }
  void join(Clock &&other);

  // For an object's clock: a read-modify-write adds the writer's clock (absorb), a store replaces
  // the object's clock. With `entry`: adds the writer's own entry for this release as well.
  void absorb(const Clock &carried);
  void absorb(const Clock &carried, uint32_t group, const Entry &entry);
  // Appends `entry` of a work-item that carries nothing else, except for all of this clock if
  // `knows_all`. Requires has_line_only().
  void append(uint32_t group, const Entry &entry, bool knows_all) {
    add_to_line(group, entry, knows_all);
  }
  void replace(Clock carried);
  void replace(const Clock &carried, uint32_t group, const Entry &entry) {
    if (!goes_on_with(carried, group, entry))
      replace_any(carried, group, entry);
  }
  // Appends `entry` if that has the same result as replace(). Returns false and changes nothing
  // otherwise.
  [[gnu::always_inline]] bool goes_on_with(const Clock &carried, uint32_t group,
                                           const Entry &entry) {
    if (!line_.may_grow() || carried.additions_ || !has_all_but_own(carried, group, entry))
      return false;
    line_.grow(group, true, entry);
    return true;
  }

private:
  // Entries of few groups, shared between copies.
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
    List &own(); // makes the list exclusive, for a change

  private:
    struct Shared : Pooled<Shared> {
      Owners owners{};
      List list{};
    };
    static void drop(Shared *shared);
    Shared *shared_ = nullptr;
  };
  static constexpr std::size_t most_additions = 16;

  // One entry of an object's clock that was appended after its tree. A Line grows while others hold
  // it: each holder knows a prefix of the entries.
  struct Recent {
    uint32_t group = 0;
    bool knows_all = false; // the releasing work-item knew everything before this entry
    Entry entry{};
    Release of_item() const {
      return entry.up_to.is_one() ? Release{group, entry.up_to.item(), entry.up_to.highest()}
                                  : Release();
    }
    Release release() const { return knows_all ? of_item() : Release(); }
  };
  // A version of another object's clock that this one contains completely. Example: groups meet by
  // a counter and by a word that the last group stores to. Each of the two clocks contains the
  // other one.
  struct Held {
    uint64_t lineage = 0, version = 0; // 0: none
  };
  using HeldVersions = std::array<Held, 4>;
  struct Line;
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
        : line_(std::exchange(other.line_, nullptr)), known_(std::exchange(other.known_, 0)) {}
    HeldLine &operator=(const HeldLine &other) {
      if (line_ != other.line_)
        *this = HeldLine(other);
      known_ = other.known_;
      return *this;
    }
    HeldLine &operator=(HeldLine &&other) noexcept {
      std::swap(line_, other.line_);
      std::swap(known_, other.known_);
      return *this;
    }
    ~HeldLine() { clear(); }
    [[gnu::always_inline]] void clear() {
      Line *line = std::exchange(line_, nullptr);
      known_ = 0;
      if (line && line->owners.drop())
        delete line;
    }
    bool is_of_line(const HeldLine &other) const { return line_ == other.line_; }
    explicit operator bool() const { return line_; }
    uint64_t lineage() const { return line_ ? line_->lineage : 0; }
    uint64_t version() const { return line_ ? line_->version + known_ : 0; }
    const SharedTree<Entry> &tree() const { return line_->tree(); }
    bool is_first() const { return line_->is_first(); }
    std::span<const Recent> recent() const {
      return line_ ? line_->recent.first(known_) : std::span<const Recent>();
    }
    // Whether this one contains all of `other`. May return false although it does.
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
    // The entries of this one that `other` lacks, if `other` contains a version of this one.
    std::optional<std::span<const Recent>> beyond(const HeldLine &other) const {
      for (const Held &each : other.held())
        if (line_ && each.lineage == line_->lineage && each.version >= line_->version)
          return recent().subspan(std::min<uint64_t>(each.version - line_->version, known_));
      return std::nullopt;
    }
    std::span<const Held> held() const {
      return line_ ? std::span<const Held>(line_->held) : std::span<const Held>();
    }
    // Requires the object's lock, and that this is the object's.
    std::span<const Held> absorbed() const {
      return line_ && line_->absorbed ? std::span<const Held>(*line_->absorbed)
                                      : std::span<const Held>();
    }
    bool is_version(const HeldLine &other) const {
      return lineage() == other.lineage() && version() == other.version();
    }
    Release release() const { // the last release, if its work-item knew everything
      if (!line_)
        return {};
      return known_ ? line_->recent[known_ - 1].release() : line_->release;
    }
    bool may_grow() const { // for an object's clock
      return line_ && known_ == line_->many && known_ != line_->recent.size();
    }
    // Whether an earlier version of that object's clock is in the line.
    bool has_absorbed(const HeldLine &other) const {
      const auto all = absorbed();
      return std::any_of(all.begin(), all.end(), [&other](const Held &each) {
        return each.lineage == other.lineage() && each.version >= other.version();
      });
    }
    void note_absorbed(const HeldLine &other);
    bool is_whole() const { return line_->many == known_ && known_ == line_->recent.size(); }
    void begin_as(const HeldLine &other) { // without entries
      line_->release = other.line_->release;
      line_->held = other.line_->held;
      if (other.line_->absorbed)
        line_->absorbed = std::make_unique<HeldVersions>(*other.line_->absorbed);
    }
    // With all of both.
    void begin_joint(const HeldVersions &held, HeldLine before, HeldLine beside) {
      line_->held = held;
      line_->begin_after(std::move(before), std::move(beside));
    }
    // With all of `before`, or of the tree.
    void begin(const Release &release, const HeldVersions &held, HeldLine before,
               SharedTree<Entry> tree) {
      line_->release = release;
      line_->held = held;
      if (before)
        line_->begin_after(std::move(before));
      else
        line_->begin_with(std::move(tree));
    }
    void grow(uint32_t group, bool knows_all, const Entry &entry) { // requires may_grow()
      Recent &next = line_->recent[known_];
      next.group = group;
      next.knows_all = knows_all;
      next.entry = entry;
      line_->many = ++known_;
    }
    void fetch() const {
      if (!line_)
        return;
      fetch_to_write(line_);
      fetch_to_write(reinterpret_cast<const std::byte *>(line_ + 1) + known_ * sizeof(Recent));
    }
    SharedTree<Entry> take_tree(); // leaves this empty; moves the tree if this is its only owner
    SharedTree<Entry> whole_tree() const;
    bool has_tree() const { return line_->has_tree(); }
    // Whether one of the newest entries covers that, or one of the lines nearby, of which it looks
    // at `lines` at most. May return false although it is covered.
    bool covers_recently(const Release &release) const;
    bool covers_nearby(const Release &release, unsigned &lines) const;

  private:
    friend Line;
    Line *line_ = nullptr;
    uint32_t known_ = 0; // number of recent entries that this holder knows
  };
  // A line begins with all that another one has, or with all that two have: a work-item that knows
  // one acquires the other. Its tree is made of that when it is first needed, mostly of many lines
  // at once: each tree copies paths of the one before. Often no query needs it.
  struct Line {
    Owners owners;
    uint32_t many = 0;
    const uint64_t lineage, version; // the version excludes recent entries: each of them adds one
    Release release{};               // the last release before, if its work-item knew everything
    HeldVersions held{};             // versions that the line had at its begin
    std::unique_ptr<HeldVersions> absorbed; // and since then; for the owner of the object alone
    std::span<Recent> recent;               // the capacity
    Line(uint64_t lineage, uint64_t version) : lineage(lineage), version(version) {}
    virtual ~Line() = default;
    Line(const Line &) = delete;
    Line &operator=(const Line &) = delete;
    static Line *make(uint64_t lineage, uint64_t version, std::size_t most);

    // Called before the line is shared.
    void begin_with(SharedTree<Entry> all) { tree_ = std::move(all); }
    void begin_after(HeldLine before);
    void begin_after(HeldLine before, HeldLine beside);
    bool has_tree() const { return has_tree_.load(std::memory_order_acquire); }
    bool covers_nearby(const Release &release, unsigned &lines);
    const SharedTree<Entry> &tree() {
      if (!has_tree()) [[unlikely]]
        make_tree();
      return tree_;
    }
    SharedTree<Entry> take_tree() { // requires that this is the only owner's
      tree();
      return std::move(tree_);
    }
    bool is_first() const { // without a tree, and without a line before it
      return has_tree() && tree_.is_empty();
    }

  private:
    struct Begin { // `beside` may be null
      HeldLine before{}, beside{};
    };
    void make_tree();
    void publish(SharedTree<Entry> tree);
    std::optional<SharedTree<Entry>> tree_or(Begin &begin);
    void count(const HeldLine &before);

    std::atomic<bool> has_tree_ = true;
    bool is_of_two_ = false;           // or one before it is
    uint32_t lines_ = 0, entries_ = 0; // before this one, that are in no tree: the longest path
    ShortLock lock_;                   // of the following, until there is a tree
    Begin begin_{};
    SharedTree<Entry> tree_{};
  };
  static constexpr std::size_t first_recent = 2, longest_line = 64;
  static constexpr unsigned most_looked_at = 8; // lines, before a tree is made
  static constexpr unsigned looked_at_cheaply = 1;
  // Without a tree. Trees of lines that begin with two are seldom needed, and take longer.
  static constexpr uint32_t most_lines = 64, most_lines_of_two = 128, most_entries = 512;

  Epoch highest(Epoch Entry::*what, uint32_t group) const; // of all entries of that group
  bool has_base() const { return line_ || !tree_.is_empty(); }
  // Whether the part without additions is a line of few entries.
  bool has_few_entries() const { return line_ && tree_.is_empty() && line_.is_first(); }
  // Whether all of it fits into the additions to another clock.
  bool is_short() const {
    return has_few_entries() && line_.recent().size() + additions_.list().size() <= most_additions;
  }
  const SharedTree<Entry> &base_tree() const { return line_ ? line_.tree() : tree_; }
  // covers() without making a tree: may return false although it covers.
  bool covers_cheaply(const Release &release) const;
  bool base_holds(uint32_t group, const Entry &entry) const;
  // Contains what `other` has from objects; may return false although it does.
  bool holds_base(const Clock &other) const;
  bool holds(uint32_t group, const Entry &entry) const;
  bool is_held_by(const Clock &other) const;
  bool knows(const Clock &object) const; // may return false although it does
  // Whether `carried` contains this object's clock, except for the last release, by the same
  // work-item.
  bool has_all_but_own(const Clock &carried, uint32_t group, const Entry &entry) const {
    if (line_.lineage() != carried.line_.lineage())
      return false;
    if (line_.version() == carried.line_.version())
      return true;
    if (line_.version() != carried.line_.version() + 1)
      return false;
    const Release last = last_added();
    return last && last.group == group && last.item == entry.up_to.item() &&
           last.epoch <= entry.up_to.highest();
  }
  // Whether this is an older version of `other` without additions, or empty.
  bool is_later_version(const Clock &other) const {
    return tree_.is_empty() && !additions_ && other.line_ && !other.additions_ &&
           (!line_ || line_.lineage() == other.line_.lineage());
  }
  // The same for versions of any objects, one of which contains the other one.
  bool are_lines(const Clock &other) const {
    return tree_.is_empty() && !additions_ && other.line_ && !other.additions_ &&
           (!line_ || other.line_.holds(line_) || line_.holds(other.line_));
  }
  void join_any(const Clock &other);
  void replace_any(const Clock &carried, uint32_t group, const Entry &entry);
  void forget_lineage();
  static HeldVersions versions_in(const HeldLine &one, const HeldLine &other, uint64_t but_of = 0,
                                  std::span<const Held> absorbed = {});
  void begin_line(uint64_t lineage, uint64_t version, std::size_t most, const HeldVersions &held);
  void add_to_tree(uint32_t group, const Entry &entry);
  void add_to_tree(const Additions &additions);
  static void add_to(SharedTree<Entry> &tree, std::span<const Recent> recent);
  void join_base(const Clock &other);
  void absorb_base(const Clock &carried);
  bool lengthen_line();
  void add_to_line(uint32_t group, const Entry &entry, bool knows_all);
  void add_to_line(const Additions &additions);

  HeldLine line_;          // from an object; null: none
  SharedTree<Entry> tree_; // used if there is no line
  Additions additions_;    // to the line's version, or to nothing
};

class Clock::SpareLine {
public:
  static SpareLine &own() { // of this thread
    thread_local SpareLine spare;
    return spare;
  }
  bool has(const Clock &object) const { return line_ && line_.is_of_line(object.line_); }

private:
  friend Clock;
  HeldLine line_;
};

inline void Clock::join(const Clock &other, SpareLine &spare) {
  if (!is_empty() || !other.has_line_only() || !spare.has(other))
    return join(other);
  line_ = std::move(spare.line_);
  line_ = other.line_; // sets the version only
}

[[gnu::always_inline]] inline void Clock::clear(SpareLine &spare) {
  if (line_ && !spare.line_.is_of_line(line_)) // mostly a later line than the spare one
    std::swap(spare.line_, line_);
  clear();
}

} // namespace lockstep::runtime
