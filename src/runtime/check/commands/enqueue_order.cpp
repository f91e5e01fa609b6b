#include "runtime/check/commands/enqueue_order.h"

#include "runtime/check/races/shadow/report_sites.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <new>
#include <set>
#include <utility>

namespace lockstep::runtime {

namespace {

constinit std::atomic<uint64_t> all_orders = 0;

// For memory that is accessed in small patches: each row takes some hundred bytes here.
constexpr std::size_t most_rows = 1 << 19;
// Per launch; beyond this its parts are no longer separated, except for its end. Otherwise, a
// launch that enqueues thousands of kernels would spend its time here.
constexpr uint64_t most_looked_at = uint64_t(1) << 31;
// Each may_hear() query visits all of them.
constexpr std::size_t most_synchronizing = 4096;

void raise(std::map<uint32_t, uint32_t> &to, uint32_t chain, uint32_t position) {
  uint32_t &mine = to[chain];
  mine = std::max(mine, position);
}

} // namespace

EnqueueOrder::EnqueueOrder() : number_(++all_orders) {}

bool EnqueueOrder::covers(const Positions &positions, uint32_t chain, uint32_t position) {
  const auto found = positions.find(chain);
  return found != positions.end() && found->second >= position;
}

// ---- launches

EnqueueOrder::NodeRef EnqueueOrder::add() {
  std::lock_guard lock(mutex_);
  auto node = std::make_shared<Node>();
  node->number_ = ++launches_;
  return node;
}

EnqueueOrder::NodeRef EnqueueOrder::add_child(const NodeRef &parent, Wait wait,
                                              std::vector<KnownRef> awaited) {
  std::lock_guard lock(mutex_);
  auto node = std::make_shared<Node>();
  node->number_ = ++launches_;
  node->parent_ = parent->number_;
  node->parent_kernel_ = parent->kernel_;
  node->wait_ = wait;
  const uint32_t reached = end_part(parent);
  node->known_ = parent->known_;
  raise(node->known_, parent->chain_, reached);
  node->awaited_.assign(awaited.begin(), awaited.end());
  return node;
}

EnqueueOrder::KnownRef EnqueueOrder::known_of(const NodeRef &node) const {
  std::lock_guard lock(mutex_);
  auto known = std::make_shared<Known>();
  known->order_ = number_;
  known->positions_ = node->known_;
  known->before_ = node->awaited_;
  return known;
}

EnqueueOrder::KnownRef EnqueueOrder::known_after(std::vector<KnownRef> awaited) const {
  auto known = std::make_shared<Known>();
  known->order_ = number_;
  known->before_.assign(awaited.begin(), awaited.end());
  return known;
}

void EnqueueOrder::set_source(const NodeRef &node, std::string kernel, bool synchronizes,
                              FootprintSource source) {
  std::lock_guard lock(mutex_);
  node->kernel_ = std::move(kernel);
  node->source_ = std::move(source);
  if (synchronizes)
    add_synchronizing(node);
}

void EnqueueOrder::set_synchronizes(const NodeRef &node) {
  std::lock_guard lock(mutex_);
  add_synchronizing(node);
}

void EnqueueOrder::add_synchronizing(const NodeRef &node) {
  if (!std::exchange(node->synchronizes_, true))
    synchronizing_.push_back(node);
}

// The node runs, so that everything it waited for has ended.
void EnqueueOrder::begin(Node &node) {
  if (node.position_)
    return;
  collect(node.known_, std::exchange(node.awaited_, {}));
  find_chain(node);
  node.first_ = node.position_;
}

// The predecessors of events of other host launches are unknown here; assume everything.
void EnqueueOrder::collect(Positions &to,
                           const std::vector<std::shared_ptr<const Known>> &known) const {
  std::vector<const Known *> left;
  std::set<const Known *> seen;
  const auto add = [&](const std::vector<std::shared_ptr<const Known>> &all) {
    for (const auto &each : all)
      if (each && seen.insert(each.get()).second)
        left.push_back(each.get());
  };
  add(known);
  while (!left.empty()) {
    const Known &each = *left.back();
    left.pop_back();
    if (each.order_ != number_ || each.is_all_) {
      for (uint32_t chain = 0; chain != tails_.size(); ++chain)
        raise(to, chain, tails_[chain]);
      return;
    }
    for (const auto &[chain, position] : each.positions_)
      raise(to, chain, position);
    add(each.before_);
  }
}

void EnqueueOrder::find_chain(Node &node) {
  for (const auto &[chain, position] : node.known_)
    if (!is_open_[chain] && tails_[chain] == position) {
      node.chain_ = chain;
      node.position_ = ++tails_[chain];
      is_open_[chain] = true;
      return;
    }
  tails_.reserve(tails_.size() + 1);
  is_open_.push_back(true);
  tails_.push_back(1);
  node.chain_ = uint32_t(tails_.size() - 1);
  node.position_ = 1;
}

// Returns the position of the ended part.
uint32_t EnqueueOrder::end_part(const NodeRef &node) {
  begin(*node);
  if (!node->source_ || node->looked_at_ > most_looked_at)
    return node->position_; // the part continues
  take(node);
  const uint32_t ended = node->position_;
  node->position_ = ++tails_[node->chain_];
  return ended;
}

void EnqueueOrder::reach(const NodeRef &node, const KnownRef &known) noexcept {
  std::lock_guard lock(mutex_);
  if (known->order_ != number_) {
    known->is_all_ = true;
    return;
  }
  try {
    const uint32_t reached = end_part(node);
    for (const auto &[chain, position] : node->known_)
      raise(known->positions_, chain, position);
    raise(known->positions_, node->chain_, reached);
  } catch (const std::bad_alloc &) {
    known->is_all_ = is_partial_ = true;
  }
}

void EnqueueOrder::end(const NodeRef &node) noexcept {
  std::lock_guard lock(mutex_);
  try {
    begin(*node);
    if (node->source_)
      take(node);
    else
      is_partial_ = true;
  } catch (const std::bad_alloc &) {
    is_partial_ = true;
  }
  node->source_ = {};
  if (node->position_)
    is_open_[node->chain_] = false;
}

void EnqueueOrder::add_ended(const NodeRef &node, const KnownRef &known) const noexcept {
  if (!known)
    return;
  std::lock_guard lock(mutex_);
  try {
    for (const auto &[chain, position] : node->known_)
      raise(known->positions_, chain, position);
    raise(known->positions_, node->chain_, node->position_);
  } catch (const std::bad_alloc &) {
    known->is_all_ = true;
  }
}

void EnqueueOrder::join(const KnownRef &to, const KnownRef &known) const noexcept {
  std::lock_guard lock(mutex_);
  try {
    collect(to->positions_, {known});
  } catch (const std::bad_alloc &) {
    to->is_all_ = true;
  }
}

// ---- memory

void EnqueueOrder::take(const NodeRef &node) {
  compared_.clear();
  for (const ReachedBytes &bytes : node->source_(node->looked_at_))
    record_access(node, bytes);
}

void EnqueueOrder::record_access(const NodeRef &node, const ReachedBytes &bytes) {
  if (rows_.size() >= most_rows) {
    is_partial_ = true;
    return;
  }
  const auto object = reinterpret_cast<uintptr_t>(bytes.access->memory.data());
  const auto known = objects_.try_emplace(object, *bytes.access).first;
  if (known->second.memory.size() < bytes.access->memory.size() || known->second.argument < 0)
    known->second = *bytes.access;
  const Record record{node, node->position_, bytes.writes, bytes.is_atomic, bytes.places};
  const uintptr_t end = object + bytes.end;
  uintptr_t begin = object + bytes.begin;
  const auto split = [this](Rows::iterator row, uintptr_t at) { // returns the rear part
    Row behind = row->second;
    row->second.end = at;
    return rows_.emplace_hint(std::next(row), at, std::move(behind));
  };
  auto next = rows_.upper_bound(begin);
  if (next != rows_.begin())
    if (const auto before = std::prev(next); before->second.end > begin)
      next = before->first == begin ? before : split(before, begin);
  while (begin < end) {
    if (next == rows_.end() || next->first > begin) {
      const uintptr_t until = next == rows_.end() ? end : std::min(end, next->first);
      rows_.emplace_hint(next, begin, Row{until, {record}});
      begin = until;
      continue;
    }
    if (next->second.end > end)
      split(next, end);
    add(next->second, begin, record);
    begin = next->second.end;
    ++next;
  }
}

// Order is transitive, so that `record` replaces earlier records that precede it.
void EnqueueOrder::add(Row &row, uintptr_t begin, const Record &record) {
  for (const Record &before : row.records)
    if ((before.writes || record.writes) && !(before.is_atomic && record.is_atomic) &&
        before.node != record.node && !knows(*record.node, before) &&
        compared_.emplace(before.node.get(), before.position).second &&
        !may_hear(*record.node, before) && !may_hear(*before.node, record))
      report(before, record, begin, row.end);
  std::erase_if(row.records, [&](const Record &before) {
    return (before.node == record.node || knows(*record.node, before)) &&
           (record.writes || !before.writes) && (!record.is_atomic || before.is_atomic);
  });
  row.records.push_back(record);
}

// Whether atomics could order `node` after the access `record`: a launch ordered after the access
// may have released to `node` or to one of its predecessors.
bool EnqueueOrder::may_hear(const Node &node, const Record &record) const {
  if (synchronizing_.size() > most_synchronizing)
    return true;
  const Node *releases = nullptr, *hears = nullptr;
  bool are_several = false; // several candidates: then not just one launch that does both
  for (const auto &each : synchronizing_) {
    Positions known = each->known_;
    if (!each->position_) // it may be running already
      collect(known, each->awaited_);
    const bool may_release =
        each == record.node || covers(known, record.node->chain_, record.position);
    const bool may_be_heard =
        each.get() == &node || (each->position_ && covers(node.known_, each->chain_, each->first_));
    are_several |= (may_release && releases) || (may_be_heard && hears);
    releases = may_release ? each.get() : releases;
    hears = may_be_heard ? each.get() : hears;
  }
  return releases && hears && (releases != hears || are_several);
}

// ---- reports

const Access *EnqueueOrder::object_at(uintptr_t address) const {
  for (auto next = objects_.upper_bound(address); next != objects_.begin();) {
    --next;
    if (address - next->first < next->second.memory.size())
      return &next->second;
  }
  return nullptr;
}

std::string EnqueueOrder::text_of(const Record &record, uintptr_t begin, uintptr_t end) const {
  const Node &node = *record.node;
  std::string text = fmt::format("kernel '{}'", node.kernel_);
  if (node.parent_)
    text += fmt::format(", enqueued by '{}',", node.parent_kernel_);
  text += record.writes ? " writes" : " reads";
  const Access *object = object_at(begin);
  if (!object)
    return text;
  const uintptr_t first = reinterpret_cast<uintptr_t>(object->memory.data());
  return text + fmt::format(" bytes {} to {} of {} {} bytes", begin - first, end - first,
                            object->memory.buffer() ? "a buffer of" : "memory of",
                            object->memory.size());
}

// Adds the places that may have accessed these bytes.
void EnqueueOrder::add_places(const Record &record, uintptr_t begin, uintptr_t end,
                              std::vector<FindingLocation> &to) const {
  constexpr std::size_t most = 3;
  const Access *object = object_at(begin);
  if (!record.places || !object)
    return;
  const auto first = reinterpret_cast<uintptr_t>(object->memory.data());
  std::vector<FindingLocation> found;
  for (const AccessingSite &each : *record.places) {
    const NumberedSite &place = NumberedSites::of(each.number);
    if (first + each.begin < end && first + each.end > begin && place.site.line)
      found.push_back({.what = record.is_atomic ? record.writes ? "atomic update" : "atomic read"
                               : record.writes  ? "write"
                                                : "read",
                       .file = place.file,
                       .line = place.site.line,
                       .column = place.site.column,
                       .text = place.text,
                       .who = fmt::format("kernel '{}'", record.node->kernel_),
                       .directory = place.directory});
  }
  if (found.size() > 1)
    for (FindingLocation &each : found)
      each.who += ", here or at another of its places";
  found.resize(std::min(found.size(), most));
  to.insert(to.end(), found.begin(), found.end());
}

void EnqueueOrder::report(const Record &before, const Record &now, uintptr_t begin,
                          uintptr_t end) const {
  const bool in_order = before.node->number_ < now.node->number_;
  const Record &one = in_order ? before : now, &other = in_order ? now : before;
  const Node &first = *one.node, &second = *other.node;
  const bool is_parent = second.parent_ == first.number_;
  const std::hash<std::string> hash;
  if (!Findings::instance().is_first("commands", hash(first.kernel_) * 31 + is_parent,
                                     hash(second.kernel_) * 31 + 7))
    return;
  Finding finding;
  finding.kind = "commands";
  finding.kernel = second.kernel_;
  finding.headline =
      fmt::format("nothing orders it with {}{}, and both use the same memory",
                  second.kernel_ == first.kernel_ ? "another launch of it"
                                                  : fmt::format("kernel '{}'", first.kernel_),
                  is_parent ? ", which has enqueued it" : "");
  add_places(one, begin, end, finding.places);
  add_places(other, begin, end, finding.places);
  finding.explanation = {text_of(one, begin, end), text_of(other, begin, end)};
  if (!first.parent_ && !is_parent)
    finding.explanation.push_back("CLK_ENQUEUE_FLAGS_WAIT_KERNEL lets what a kernel enqueues wait "
                                  "for that kernel");
  else if (!is_parent)
    finding.explanation.push_back("the event that enqueue_kernel gives for the first belongs into "
                                  "the wait list of the second");
  else if (second.wait_ == Wait::for_group)
    finding.explanation.push_back(
        "CLK_ENQUEUE_FLAGS_WAIT_WORK_GROUP lets it wait for the one work-group that has enqueued "
        "it: with CLK_ENQUEUE_FLAGS_WAIT_KERNEL it waits for all");
  else
    finding.explanation.push_back("CLK_ENQUEUE_FLAGS_NO_WAIT lets it begin at once: with "
                                  "CLK_ENQUEUE_FLAGS_WAIT_KERNEL it waits for the whole kernel");
  Findings::instance().report(finding);
}

// Like AccessedMemory::reached(): of many rows only some exactly, plus the range of the others. If
// one launch synchronizes by atomics, any row may be atomic.
bool EnqueueOrder::add_footprints(std::vector<ReachedBytes> &to) const {
  std::lock_guard lock(mutex_);
  if (is_partial_)
    return false;
  constexpr std::size_t most = 64;
  struct Found {
    std::size_t rows = 0, last = 0; // index + 1 of the last one in `to`
  };
  std::map<std::pair<const Access *, int>, Found> found;
  for (const auto &[begin, row] : rows_) {
    const Access *object = object_at(begin);
    const auto first = reinterpret_cast<uintptr_t>(object->memory.data());
    for (const int kind : {0, 1, 2, 3}) {
      const bool writes = kind & 1, is_atomic = kind & 2;
      if (std::ranges::none_of(row.records, [&](const Record &each) {
            return each.writes == writes && each.is_atomic == is_atomic;
          }))
        continue;
      Found &known = found[{object, kind}];
      const std::size_t from = begin - first, until = row.end - first;
      if (known.rows && (to[known.last].end == from || known.rows > most)) {
        to[known.last].end = until;
        continue;
      }
      known.last = to.size();
      to.push_back({object, from, until, writes, is_atomic || !synchronizing_.empty(),
                    ++known.rows <= most});
    }
  }
  return true;
}

} // namespace lockstep::runtime
