#include "runtime/check/races/clocks/clock.h"

#include "platform/linux/leaked.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>

namespace lockstep::runtime {

// ---- one group

bool ItemEpochs::covers(uint32_t item, Epoch epoch) const {
  if (epoch > highest_)
    return false;
  if (all_.is_empty())
    return item == item_;
  const Last *found = all_.find(item);
  return found && epoch <= found->epoch;
}

bool ItemEpochs::holds(const ItemEpochs &other) const {
  if (other.highest_ > highest_)
    return false;
  return other.all_.is_empty() ? other.highest_ == 0 || covers(other.item_, other.highest_)
                               : all_.holds(other.all_);
}

void ItemEpochs::raise_of_one(uint32_t item, Epoch epoch) {
  if (all_.is_empty() && (highest_ == 0 || item_ == item)) {
    item_ = item;
  } else {
    if (all_.is_empty())
      all_.own(item_).epoch = highest_;
    all_.own(item).join({epoch});
  }
  highest_ = std::max(highest_, epoch);
}

void ItemEpochs::join(const ItemEpochs &other) {
  if (other.all_.is_empty()) {
    if (other.highest_)
      raise(other.item_, other.highest_);
    return;
  }
  if (all_.is_empty()) {
    const ItemEpochs mine = std::exchange(*this, other);
    return join(mine);
  }
  all_.join(other.all_);
  highest_ = std::max(highest_, other.highest_);
}

bool Clock::Entry::covers(uint32_t item, Epoch epoch) const {
  if (is_copy(item))
    return epoch < copies;
  return epoch < before || up_to.covers(item, epoch);
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

// ---- additions

void Clock::Additions::drop(Shared *shared) {
  if (shared->owners.drop())
    delete shared;
}

const Clock::Additions::List &Clock::Additions::list() const {
  const List &none = leaked([] { return List(); });
  return shared_ ? shared_->list : none;
}

const Clock::Entry *Clock::Additions::find(uint32_t group) const {
  for (const auto &[known, added] : list())
    if (known == group)
      return &added;
  return nullptr;
}

Clock::Additions::List &Clock::Additions::own() {
  if (!shared_ || !shared_->owners.is_one()) {
    Additions copy;
    copy.shared_ = new Shared{.list = list()};
    *this = std::move(copy);
  }
  return shared_->list;
}

// ---- clocks of objects

static uint64_t new_lineage() {
  constexpr uint64_t many = 256; // numbers per thread
  static constinit std::atomic<uint64_t> all = 0;
  thread_local uint64_t last = 0;
  if (last % many == 0)
    last = all.fetch_add(many, std::memory_order_relaxed);
  return ++last;
}

template <std::size_t most> struct Clock::LineOf final : Line, Pooled<LineOf<most>> {
  std::array<Recent, most> places{};
  LineOf(uint64_t lineage, uint64_t version) : Line(lineage, version) { recent = places; }
};

Clock::Line *Clock::Line::make(uint64_t lineage, uint64_t version, std::size_t most) {
  if (most <= first_recent)
    return new LineOf<first_recent>(lineage, version);
  if (most <= 16)
    return new LineOf<16>(lineage, version);
  return new LineOf<longest_line>(lineage, version);
}

// Adjacent groups, and work-items of one group, are often in sequence: reuses their rows.
void Clock::add_to(SharedTree<Entry> &tree, std::span<const Recent> recent) {
  SharedTree<Entry>::Row row;
  ItemEpochs::Row items;
  Entry *entry = nullptr;
  uint32_t group = 0;
  for (const Recent &each : recent) {
    if (!entry || each.group != group) {
      group = each.group;
      if (!row.has(group))
        row = tree.own_row(group);
      entry = &row[group];
      items = {};
    }
    const ItemEpochs &up_to = each.entry.up_to;
    if (each.entry.before == entry->before && each.entry.copies == entry->copies &&
        up_to.is_one() && up_to.highest() >= entry->before) {
      entry->up_to.raise(up_to.item(), up_to.highest(), items);
    } else {
      entry->join(each.entry);
      items = {};
    }
  }
}

SharedTree<Clock::Entry> Clock::HeldLine::take_tree() {
  const HeldLine held = std::exchange(*this, HeldLine());
  if (!held)
    return {};
  SharedTree<Entry> tree =
      held.line_->owners.is_one() ? held.line_->take_tree() : held.line_->tree();
  add_to(tree, held.recent());
  return tree;
}

void Clock::HeldLine::note_absorbed(const HeldLine &other) {
  if (!line_->absorbed)
    line_->absorbed = std::make_unique<HeldVersions>();
  HeldVersions &all = *line_->absorbed;
  auto place = std::find_if(all.begin(), all.end() - 1, [&other](const Held &each) {
    return each.lineage == 0 || each.lineage == other.lineage();
  });
  *place = {other.lineage(), other.version()};
}

// Returns the tree, or sets `begin` to what it is to be made of.
std::optional<SharedTree<Clock::Entry>> Clock::Line::tree_or(Begin &begin) {
  std::lock_guard guard(lock_);
  if (has_tree_.load(std::memory_order_relaxed))
    return tree_;
  begin = begin_;
  return std::nullopt;
}

void Clock::Line::count(const HeldLine &before) {
  const Line &line = *before.line_;
  const bool has_tree = line.has_tree();
  lines_ = std::max(lines_, has_tree ? 1 : line.lines_ + 1);
  entries_ = std::max(entries_, uint32_t(before.recent().size()) + (has_tree ? 0 : line.entries_));
  is_of_two_ |= !has_tree && line.is_of_two_;
  has_tree_.store(false, std::memory_order_relaxed);
}

void Clock::Line::begin_after(HeldLine before) {
  if (const Line &line = *before.line_; before.recent().empty() && line.has_tree())
    return begin_with(line.tree_);
  count(before);
  begin_.before = std::move(before);
  if (lines_ >= (is_of_two_ ? most_lines_of_two : most_lines) || entries_ >= most_entries)
    make_tree();
}

void Clock::Line::begin_after(HeldLine before, HeldLine beside) {
  is_of_two_ = true;
  count(before);
  count(beside);
  begin_ = {std::move(before), std::move(beside)};
  if (lines_ >= most_lines_of_two)
    make_tree();
}

SharedTree<Clock::Entry> Clock::HeldLine::whole_tree() const {
  SharedTree<Entry> tree = line_->tree();
  add_to(tree, recent());
  return tree;
}

// Other owners of the line may do the same at once. The lines before it that begin with two get
// trees as well, because others may begin with them, too.
void Clock::Line::make_tree() {
  std::vector<HeldLine> lines;
  std::optional<SharedTree<Entry>> tree;
  for (Line *line = this; !tree; line = lines.back().line_) {
    Begin begin;
    tree = line->tree_or(begin);
    if (tree)
      break;
    if (!begin.beside) {
      lines.push_back(std::move(begin.before));
      continue;
    }
    tree = begin.before.whole_tree();
    tree->join(begin.beside.whole_tree());
    if (line != this)
      line->publish(*tree);
    break;
  }
  for (auto each = lines.rbegin(); each != lines.rend(); ++each)
    add_to(*tree, each->recent());
  publish(std::move(*tree));
}

void Clock::Line::publish(SharedTree<Entry> tree) {
  Begin begin; // dropped without the lock
  std::lock_guard guard(lock_);
  if (has_tree_.load(std::memory_order_relaxed))
    return;
  tree_ = std::move(tree);
  begin = std::exchange(begin_, {});
  has_tree_.store(true, std::memory_order_release);
}

// ---- queries

bool Clock::HeldLine::covers_recently(const Release &release) const {
  constexpr std::size_t looked_at = 4;
  const auto all = recent(), newest = all.last(std::min(all.size(), looked_at));
  return std::any_of(newest.rbegin(), newest.rend(), [&release](const Recent &each) {
    return each.group == release.group && each.entry.covers(release.item, release.epoch);
  });
}

bool Clock::HeldLine::covers_nearby(const Release &release, unsigned &lines) const {
  return covers_recently(release) || (lines && (--lines, line_->covers_nearby(release, lines)));
}

// The lock keeps what the line begins with. Lines are locked before those that they begin with.
bool Clock::Line::covers_nearby(const Release &release, unsigned &lines) {
  std::lock_guard guard(lock_);
  if (has_tree_.load(std::memory_order_relaxed)) {
    const Entry *known = tree_.find(release.group);
    return known && known->covers(release.item, release.epoch);
  }
  return (begin_.beside && begin_.beside.covers_nearby(release, lines)) ||
         begin_.before.covers_nearby(release, lines);
}

bool Clock::covers_cheaply(const Release &release) const {
  unsigned lines = looked_at_cheaply;
  const auto recent = line_.recent();
  if (std::any_of(recent.rbegin(), recent.rend(), [&release](const Recent &each) {
        return each.group == release.group && each.entry.covers(release.item, release.epoch);
      }))
    return true;
  const Entry *added = additions_.find(release.group), *known = tree_.find(release.group);
  return (added && added->covers(release.item, release.epoch)) ||
         (known && known->covers(release.item, release.epoch)) ||
         (line_ && line_.covers_nearby(release, lines));
}

bool Clock::covers(uint32_t group, uint32_t item, Epoch epoch) const {
  constexpr std::size_t first_looked_at = 4; // most often the last one covers it
  const auto recent = line_.recent();
  const auto newest = recent.last(std::min(recent.size(), first_looked_at)),
             older = recent.first(recent.size() - newest.size());
  auto is_covered_by = [&](const Recent &each) {
    return each.group == group && each.entry.covers(item, epoch);
  };
  if (std::any_of(newest.rbegin(), newest.rend(), is_covered_by))
    return true;
  if (!newest.empty()) // consecutive groups often release in sequence
    if (const uint32_t before_last = newest.back().group - group;
        before_last < recent.size() && is_covered_by(recent[recent.size() - 1 - before_last]))
      return true;
  if (const Entry *added = additions_.find(group); added && added->covers(item, epoch))
    return true;
  if (unsigned lines = most_looked_at;
      line_ && !line_.has_tree() && line_.covers_nearby({group, item, epoch}, lines))
    return true;
  if (const Entry *known = base_tree().find(group); known && known->covers(item, epoch))
    return true;
  return std::any_of(older.rbegin(), older.rend(), is_covered_by);
}

Epoch Clock::highest(Epoch Entry::*what, uint32_t group) const {
  const Entry *added = additions_.find(group), *known = base_tree().find(group);
  Epoch highest = std::max(added ? added->*what : 0, known ? known->*what : 0);
  for (const Recent &each : line_.recent())
    if (each.group == group)
      highest = std::max(highest, each.entry.*what);
  return highest;
}

Epoch Clock::covers_before(uint32_t group) const {
  return highest(&Entry::before, group);
}

Epoch Clock::copies_of(uint32_t group) const {
  return highest(&Entry::copies, group);
}

bool Clock::knows_of(uint32_t group) const {
  const auto recent = line_.recent();
  return additions_.find(group) || base_tree().find(group) ||
         std::any_of(recent.begin(), recent.end(),
                     [group](const Recent &each) { return each.group == group; });
}

bool Clock::base_holds(uint32_t group, const Entry &entry) const {
  for (const Recent &each : line_.recent())
    if (each.group == group && each.entry.holds(entry))
      return true;
  const Entry *known = base_tree().find(group);
  return known && known->holds(entry);
}

bool Clock::holds_base(const Clock &other) const {
  if (line_.holds(other.line_))
    return true;
  if (const Release release = other.line_.release())
    return covers_cheaply(release);
  if ((line_ && !line_.has_tree()) || (other.line_ && !other.line_.has_tree()))
    return false;
  const auto recent = other.line_.recent();
  return base_tree().holds(other.base_tree()) &&
         std::all_of(recent.begin(), recent.end(),
                     [this](const Recent &each) { return base_holds(each.group, each.entry); });
}

bool Clock::holds(uint32_t group, const Entry &entry) const {
  const Entry *added = additions_.find(group);
  return (added && added->holds(entry)) || base_holds(group, entry);
}

bool Clock::knows(const Clock &object) const {
  if (line_.is_version(object.line_))
    return true;
  const Release release = object.line_.release();
  return release && covers_cheaply(release);
}

bool Clock::is_held_by(const Clock &other) const {
  const auto &mine = additions_.list();
  return other.holds_base(*this) &&
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

void Clock::forget_lineage() {
  if (line_)
    tree_ = line_.take_tree();
  add_to_tree(std::exchange(additions_, {}));
}

void Clock::add(uint32_t group, const Entry &entry) {
  if (holds(group, entry))
    return;
  if (!tree_.is_empty())
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

void Clock::join_base(const Clock &other) {
  if (line_ && other.line_) {
    HeldLine both(Line::make(new_lineage(), 1, 1));
    const HeldVersions held = versions_in(line_, other.line_);
    const auto newest = other.line_.recent().last(other.line_.recent().empty() ? 0 : 1);
    both.begin_joint(held, std::move(line_), other.line_);
    line_ = std::move(both);
    for (const Recent &each : newest) // the next query is mostly for that
      line_.grow(each.group, false, each.entry);
    return;
  }
  forget_lineage();
  tree_.join(other.base_tree());
  for (const Recent &each : other.line_.recent())
    add_to_tree(each.group, each.entry);
}

void Clock::join_any(const Clock &other) {
  if (other.is_empty())
    return;
  if (is_empty()) {
    *this = other;
    return;
  }
  const bool is_of_one_lineage = line_ && line_.lineage() == other.line_.lineage();
  const Additions theirs = other.additions_; // a copy: `other` may be *this
  if (!has_base() || (is_of_one_lineage && other.line_.version() > line_.version())) {
    const Additions mine = std::move(additions_);
    *this = other;
    for (const auto &[group, entry] : mine.list())
      add(group, entry);
    return;
  }
  // A store has dropped what others had added and the storing work-item did not know.
  if (!is_of_one_lineage && tree_.is_empty())
    if (const auto beyond = line_.beyond(other.line_)) {
      const HeldLine mine = line_;
      const Additions added = std::move(additions_);
      *this = other;
      for (const Recent &each : *beyond)
        add(each.group, each.entry);
      for (const auto &[group, entry] : added.list())
        add(group, entry);
      return;
    }
  // The owner of a lock knows what is known about the memory that the lock guards.
  if (!is_of_one_lineage && !holds_base(other)) {
    if (is_held_by(other)) {
      *this = other;
      return;
    }
    if (is_short() && other.line_) { // the last of few groups goes on to a counter of all
      const HeldLine mine = line_;
      const Additions added = std::move(additions_);
      *this = other;
      for (const Recent &each : mine.recent())
        add(each.group, each.entry);
      for (const auto &[group, entry] : added.list())
        add(group, entry);
      return;
    }
    join_base(other);
  }
  for (const auto &[group, entry] : theirs.list())
    add(group, entry);
}

void Clock::join(Clock &&other) {
  if (is_empty())
    *this = std::move(other);
  else
    join(std::as_const(other));
}

// ---- changes to an object's clock

// Collects the object versions that either line contains, newest first. Versions that do not fit
// are merged by traversal instead, which is slower but correct.
Clock::HeldVersions Clock::versions_in(const HeldLine &one, const HeldLine &other, uint64_t but_of,
                                       std::span<const Held> absorbed) {
  HeldVersions held{};
  auto end = held.begin();
  auto add = [&](const Held &each) {
    if (each.lineage == 0 || each.lineage == but_of)
      return;
    const auto same = std::find_if(
        held.begin(), end, [&each](const Held &known) { return known.lineage == each.lineage; });
    if (same != end)
      same->version = std::max(same->version, each.version);
    else if (end != held.end())
      *end++ = each;
  };
  for (const HeldLine *each : {&one, &other})
    add({each->lineage(), each->version()});
  for (const HeldLine *each : {&one, &other})
    for (const Held &known : each->held())
      add(known);
  for (const Held &known : absorbed)
    add(known);
  return held;
}

// Starts a line with everything in this clock except its additions.
void Clock::begin_line(uint64_t lineage, uint64_t version, std::size_t most,
                       const HeldVersions &held) {
  const Release release = line_.release();
  HeldLine line(Line::make(lineage, version, most));
  line.begin(release, held, line_ ? std::move(line_) : HeldLine(), std::exchange(tree_, {}));
  line_ = std::move(line);
}

// Moves the entries to a longer line, so that a short clock stays one without a tree. Holders of
// earlier versions keep the old line.
bool Clock::lengthen_line() {
  if (!line_ || !tree_.is_empty() || additions_ || !line_.is_whole() || !line_.is_first())
    return false;
  const auto recent = line_.recent();
  if (4 * recent.size() > longest_line)
    return false;
  HeldLine longer(Line::make(line_.lineage(), line_.version() - recent.size(), 4 * recent.size()));
  longer.begin_as(line_);
  for (const Recent &each : recent)
    longer.grow(each.group, each.knows_all, each.entry);
  line_ = std::move(longer);
  return true;
}

void Clock::add_to_line(uint32_t group, const Entry &entry, bool knows_all) {
  if (!line_.may_grow() && !lengthen_line()) {
    const std::size_t most = line_ ? 4 * line_.recent().size() : 0;
    const uint64_t lineage = line_ ? line_.lineage() : new_lineage();
    begin_line(lineage, line_.version(), most, versions_in(line_, {}, lineage, line_.absorbed()));
  }
  line_.grow(group, knows_all, entry);
}

void Clock::add_to_line(const Additions &additions) {
  for (const auto &[group, entry] : additions.list())
    add_to_line(group, entry, false);
}

void Clock::absorb_base(const Clock &carried) {
  if (carried.line_.lineage() == line_.lineage() || !carried.has_base())
    return;
  if (has_line_only() && carried.has_few_entries()) {
    if (line_.holds(carried.line_) || line_.has_absorbed(carried.line_))
      return;
    for (const Recent &each : carried.line_.recent())
      add_to_line(each.group, each.entry, false);
    return line_.note_absorbed(carried.line_);
  }
  if (holds_base(carried))
    return;
  const uint64_t lineage = line_.lineage(), version = line_.version();
  const HeldVersions held = versions_in(carried.line_, line_, lineage, line_.absorbed());
  if (carried.holds_base(*this)) {
    line_ = carried.line_;
    tree_ = carried.tree_;
  } else if (line_ && carried.line_) {
    HeldLine both(Line::make(lineage, version + 1, first_recent));
    both.begin_joint(held, std::move(line_), carried.line_);
    line_ = std::move(both);
    return;
  } else {
    forget_lineage();
    join_base(carried);
  }
  begin_line(lineage, version + 1, first_recent, held);
}

void Clock::absorb(const Clock &carried) {
  if (!has_base())
    return replace(carried);
  absorb_base(carried);
  add_to_line(carried.additions_);
}

void Clock::absorb(const Clock &carried, uint32_t group, const Entry &entry) {
  if (!has_base())
    return replace(carried, group, entry);
  const bool knows_all = carried.knows(*this);
  if (!carried.is_empty())
    absorb(carried);
  add_to_line(group, entry, knows_all);
}

void Clock::replace(Clock carried) {
  const bool goes_on = line_ && carried.line_.is_version(line_);
  const Additions added = std::exchange(carried.additions_, {});
  if (!goes_on) {
    // If nothing of the old clock is lost, the result is a later version of its lineage.
    const bool has_all = carried.line_.holds(line_);
    const uint64_t lineage = has_all ? line_.lineage() : new_lineage(),
                   version = has_all ? line_.version() + 1 : 1;
    const HeldVersions held = versions_in(carried.line_, has_all ? line_ : HeldLine(), lineage);
    *this = std::move(carried);
    if (has_base())
      begin_line(lineage, version, first_recent, held);
  }
  add_to_line(added);
}

void Clock::replace_any(const Clock &carried, uint32_t group, const Entry &entry) {
  if (!line_ || !has_all_but_own(carried, group, entry))
    replace(carried);
  else
    add_to_line(carried.additions_);
  add_to_line(group, entry, true);
}

} // namespace lockstep::runtime
