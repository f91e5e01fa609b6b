#include "runtime/check/clock.h"

#include <algorithm>
#include <atomic>

namespace lockstep::runtime {

// ---- of one group

bool ItemStamps::covers(uint32_t item, Stamp stamp) const {
  if (stamp > highest_)
    return false;
  if (all_.is_empty())
    return item == item_;
  const Last *found = all_.find(item);
  return found && stamp <= found->stamp;
}

bool ItemStamps::holds(const ItemStamps &other) const {
  if (other.highest_ > highest_)
    return false;
  return other.all_.is_empty() ? other.highest_ == 0 || covers(other.item_, other.highest_)
                               : all_.holds(other.all_);
}

void ItemStamps::raise(uint32_t item, Stamp stamp) {
  if (all_.is_empty() && (highest_ == 0 || item_ == item)) {
    item_ = item;
  } else {
    if (all_.is_empty())
      all_.own(item_).stamp = highest_;
    all_.own(item).join({stamp});
  }
  highest_ = std::max(highest_, stamp);
}

void ItemStamps::join(const ItemStamps &other) {
  if (other.all_.is_empty()) {
    if (other.highest_)
      raise(other.item_, other.highest_);
    return;
  }
  if (all_.is_empty()) {
    const ItemStamps mine = std::exchange(*this, other);
    return join(mine);
  }
  all_.join(other.all_);
  highest_ = std::max(highest_, other.highest_);
}

bool Clock::Entry::covers(uint32_t item, Stamp stamp) const {
  if (is_copy(item))
    return stamp < copies;
  return stamp < before || up_to.covers(item, stamp);
}

bool Clock::Entry::holds(const Entry &other) const {
  return before >= other.before && copies >= other.copies &&
         (before > other.up_to.highest() || up_to.holds(other.up_to));
}

void Clock::Entry::join(const Entry &other) {
  before = std::max(before, other.before);
  copies = std::max(copies, other.copies);
  if (other.up_to.highest() >= before)
    up_to.join(other.up_to);
  if (up_to.highest() < before)
    up_to = {};
}

// ---- what it has added itself

const Clock::Additions::List &Clock::Additions::list() const {
  static const List none;
  return shared_ ? shared_->list : none;
}

const Clock::Entry *Clock::Additions::find(uint32_t group) const {
  for (const auto &[known, added] : list())
    if (known == group)
      return &added;
  return nullptr;
}

Clock::Additions::List &Clock::Additions::own() {
  if (!shared_ || shared_->owners > 1) {
    Additions copy;
    copy.shared_ = new Shared{.list = list()};
    *this = std::move(copy);
  }
  return shared_->list;
}

// ---- what it knows

Clock::Clock(Clock &&other) noexcept
    : tree_(std::move(other.tree_)), recent_(std::move(other.recent_)),
      lineage_(std::exchange(other.lineage_, 0)), version_(std::exchange(other.version_, 0)),
      additions_(std::move(other.additions_)) {}

Clock &Clock::operator=(Clock other) noexcept {
  std::swap(tree_, other.tree_);
  std::swap(recent_, other.recent_);
  std::swap(lineage_, other.lineage_);
  std::swap(version_, other.version_);
  std::swap(additions_, other.additions_);
  return *this;
}

bool Clock::covers(uint32_t group, uint32_t item, Stamp stamp) const {
  if (const Entry *added = additions_.find(group); added && added->covers(item, stamp))
    return true;
  for (const auto *each = recent_.last(); each; each = each->before)
    if (each->group == group && each->entry.covers(item, stamp))
      return true;
  const Entry *known = tree_.find(group);
  return known && known->covers(item, stamp);
}

Stamp Clock::copies_of(uint32_t group) const {
  const Entry *added = additions_.find(group), *known = tree_.find(group);
  Stamp copies = std::max(added ? added->copies : 0, known ? known->copies : 0);
  for (const auto *each = recent_.last(); each; each = each->before)
    if (each->group == group)
      copies = std::max(copies, each->entry.copies);
  return copies;
}

bool Clock::base_holds(uint32_t group, const Entry &entry) const {
  for (const auto *each = recent_.last(); each; each = each->before)
    if (each->group == group && each->entry.holds(entry))
      return true;
  const Entry *known = tree_.find(group);
  return known && known->holds(entry);
}

bool Clock::base_holds(const Clock &other) const {
  if (!tree_.holds(other.tree_))
    return false;
  for (const auto *each = other.recent_.last(); each; each = each->before)
    if (!base_holds(each->group, each->entry))
      return false;
  return true;
}

bool Clock::holds(uint32_t group, const Entry &entry) const {
  const Entry *added = additions_.find(group);
  return (added && added->holds(entry)) || base_holds(group, entry);
}

bool Clock::is_held_by(const Clock &other) const {
  const auto &mine = additions_.list();
  return other.base_holds(*this) &&
         std::all_of(mine.begin(), mine.end(), [&other](const auto &addition) {
           return other.holds(addition.first, addition.second);
         });
}

void Clock::add_to_tree(uint32_t group, const Entry &entry) {
  if (const Entry *known = tree_.find(group); !known || !known->holds(entry))
    tree_.own(group).join(entry);
}

void Clock::add_to_tree(const Additions &additions) {
  for (const auto &[group, entry] : additions.list())
    add_to_tree(group, entry);
}

void Clock::add_to_tree(const Recent &recent) {
  for (const auto *each = recent.last(); each; each = each->before)
    add_to_tree(each->group, each->entry);
}

void Clock::forget_lineage() {
  lineage_ = version_ = 0;
  add_to_tree(std::exchange(recent_, {}));
  add_to_tree(std::exchange(additions_, {}));
}

void Clock::add(uint32_t group, const Entry &entry) {
  if (holds(group, entry))
    return;
  if (has_base() && lineage_ == 0)
    return add_to_tree(group, entry);
  if (!additions_.find(group) && additions_.list().size() == most_additions) {
    forget_lineage();
    return add_to_tree(group, entry);
  }
  auto &own = additions_.own();
  const auto found =
      std::find_if(own.begin(), own.end(), [&](const auto &each) { return each.first == group; });
  if (found != own.end())
    found->second.join(entry);
  else
    own.emplace_back(group, entry);
}

void Clock::join(const Clock &other) {
  if (other.is_empty())
    return;
  if (is_empty()) {
    *this = other;
    return;
  }
  const bool is_of_one_lineage = lineage_ != 0 && lineage_ == other.lineage_;
  const Additions theirs = other.additions_; // it may be this one
  if (!has_base() || (is_of_one_lineage && other.version_ > version_)) {
    const Additions mine = std::move(additions_);
    *this = other;
    for (const auto &[group, entry] : mine.list())
      add(group, entry);
    return;
  }
  // Who holds a lock knows what is known of the memory that the lock is for.
  if (!is_of_one_lineage && !base_holds(other)) {
    if (is_held_by(other)) {
      *this = other;
      return;
    }
    forget_lineage();
    tree_.join(other.tree_);
    add_to_tree(other.recent_);
  }
  for (const auto &[group, entry] : theirs.list())
    add(group, entry);
}

// ---- of an object

namespace {

uint64_t new_lineage() {
  static std::atomic<uint64_t> last = 0;
  return ++last;
}

} // namespace

void Clock::add_to_recent(uint32_t group, const Entry &entry) {
  if (recent_.is_full())
    add_to_tree(std::exchange(recent_, {}));
  recent_.add(group, entry);
}

void Clock::add_to_recent(const Additions &additions) {
  for (const auto &[group, entry] : additions.list())
    add_to_recent(group, entry);
}

void Clock::absorb(const Clock &carried) {
  if (!has_base())
    return replace(carried);
  ++version_;
  if (carried.lineage_ == lineage_)
    return add_to_recent(carried.additions_);
  tree_.join(carried.tree_);
  add_to_tree(carried.recent_);
  add_to_tree(carried.additions_);
}

void Clock::absorb(const Clock &carried, uint32_t group, const Entry &entry) {
  if (!has_base())
    return replace(carried, group, entry);
  if (!carried.is_empty())
    absorb(carried);
  ++version_;
  if (carried.lineage_ == lineage_)
    add_to_recent(group, entry);
  else
    add_to_tree(group, entry);
}

void Clock::replace(Clock carried) {
  const bool goes_on =
      lineage_ != 0 && carried.lineage_ == lineage_ && carried.version_ == version_;
  const uint64_t lineage = goes_on ? lineage_ : new_lineage(), version = goes_on ? version_ + 1 : 1;
  *this = std::move(carried);
  lineage_ = has_base() || additions_ ? lineage : 0;
  version_ = lineage_ ? version : 0;
  add_to_recent(std::exchange(additions_, {}));
}

void Clock::replace(const Clock &carried, uint32_t group, const Entry &entry) {
  const bool goes_on =
      lineage_ != 0 && carried.lineage_ == lineage_ && carried.version_ == version_;
  if (!goes_on)
    replace(carried);
  else
    add_to_recent(carried.additions_);
  lineage_ = goes_on || has_base() ? lineage_ : new_lineage();
  ++version_;
  add_to_recent(group, entry);
}

} // namespace lockstep::runtime
