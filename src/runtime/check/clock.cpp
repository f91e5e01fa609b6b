#include "runtime/check/clock.h"

#include <algorithm>
#include <array>
#include <atomic>

namespace lockstep::runtime {

namespace {

constexpr unsigned bits = 4, fan = 1u << bits, key_bits = 32;

} // namespace

// Of eight levels; the lowest ones have entries.
struct Clock::Node {
  unsigned owners = 1;
  Entry entry{};
  std::array<Node *, fan> below{};
};

namespace {

using Node = Clock::Node;

void release(Node *node) {
  if (!node || --node->owners)
    return;
  for (Node *each : node->below)
    release(each);
  delete node;
}

Node *shared(Node *node) {
  if (node)
    ++node->owners;
  return node;
}

// Makes the node its holder's own.
Node &own(Node *&node) {
  if (!node) {
    node = new Node;
  } else if (node->owners > 1) {
    auto *copy = new Node{1, node->entry, node->below};
    for (Node *each : copy->below)
      shared(each);
    --node->owners;
    node = copy;
  }
  return *node;
}

bool holds(const Clock::Entry &one, const Clock::Entry &other) {
  if (one.before < other.before)
    return false;
  return std::all_of(other.up_to.begin(), other.up_to.end(),
                     [&](const auto &item) { return one.covers(item.first, item.second); });
}

// Does `one` know all that `other` does?
bool holds(const Node *one, const Node *other, unsigned level) {
  if (one == other || !other)
    return true;
  if (!one)
    return false;
  if (level == 0)
    return holds(one->entry, other->entry);
  for (unsigned i = 0; i < fan; ++i)
    if (!holds(one->below[i], other->below[i], level - 1))
      return false;
  return true;
}

constexpr unsigned levels = key_bits / bits;

void join(Node *&to, Node *from, unsigned level) {
  if (to == from || !from)
    return;
  if (!to) {
    to = shared(from);
    return;
  }
  if (level == 0) {
    if (!holds(to->entry, from->entry))
      own(to).entry.join(from->entry);
    return;
  }
  for (unsigned i = 0; i < fan; ++i) {
    if (to->below[i] == from->below[i] || !from->below[i] ||
        holds(to->below[i], from->below[i], level - 1))
      continue;
    join(own(to).below[i], from->below[i], level - 1);
  }
}

} // namespace

bool Clock::Entry::covers(uint32_t item, Stamp stamp) const {
  if (stamp < before)
    return true;
  auto found = std::lower_bound(up_to.begin(), up_to.end(), std::pair(item, Stamp(0)));
  return found != up_to.end() && found->first == item && stamp <= found->second;
}

bool Clock::Entry::join(const Entry &other) {
  bool has_changed = other.before > before;
  before = std::max(before, other.before);
  for (const auto &[item, stamp] : other.up_to) {
    auto found = std::lower_bound(up_to.begin(), up_to.end(), std::pair(item, Stamp(0)));
    if (found == up_to.end() || found->first != item) {
      up_to.insert(found, {item, stamp});
      has_changed = true;
    } else if (found->second < stamp) {
      found->second = stamp;
      has_changed = true;
    }
  }
  if (has_changed)
    std::erase_if(up_to, [this](const auto &item) { return item.second < before; });
  return has_changed;
}

Clock::Clock(const Clock &other)
    : root_(shared(other.root_)), lineage_(other.lineage_), version_(other.version_),
      additions_(other.additions_) {}

Clock::Clock(Clock &&other) noexcept
    : root_(std::exchange(other.root_, nullptr)), lineage_(std::exchange(other.lineage_, 0)),
      version_(std::exchange(other.version_, 0)), additions_(std::move(other.additions_)) {}

Clock &Clock::operator=(Clock other) noexcept {
  std::swap(root_, other.root_);
  std::swap(lineage_, other.lineage_);
  std::swap(version_, other.version_);
  std::swap(additions_, other.additions_);
  return *this;
}

Clock::~Clock() {
  release(root_);
}

const Clock::Entry *Clock::find(uint32_t group) const {
  const Node *node = root_;
  for (unsigned level = levels; node && level > 0; --level)
    node = node->below[group >> (level - 1) * bits & (fan - 1)];
  return node ? &node->entry : nullptr;
}

void Clock::add_to_tree(uint32_t group, const Entry &entry) {
  if (const Entry *known = find(group); known && holds(*known, entry))
    return;
  Node **node = &root_;
  for (unsigned level = levels; level > 0; --level)
    node = &own(*node).below[group >> (level - 1) * bits & (fan - 1)];
  own(*node).entry.join(entry);
}

void Clock::forget_lineage() {
  lineage_ = version_ = 0;
  additions_.clear();
}

void Clock::add(uint32_t group, const Entry &entry) {
  add_to_tree(group, entry);
  if (lineage_ == 0)
    return;
  for (auto &[known, added] : additions_)
    if (known == group) {
      added.join(entry);
      return;
    }
  if (additions_.size() == most_additions)
    return forget_lineage();
  additions_.emplace_back(group, entry);
}

void Clock::join(const Clock &other) {
  if (!other.root_ || root_ == other.root_)
    return;
  if (!root_) {
    *this = other;
    return;
  }
  if (lineage_ != 0 && lineage_ == other.lineage_) {
    if (other.version_ > version_) {
      const Additions own = std::move(additions_);
      *this = other;
      for (const auto &[group, entry] : own)
        add(group, entry);
    } else {
      const Additions theirs = other.additions_;
      for (const auto &[group, entry] : theirs)
        add(group, entry);
    }
    return;
  }
  if (holds(other.root_, root_, levels)) {
    *this = other;
    return;
  }
  runtime::join(root_, other.root_, levels);
  forget_lineage();
}

// ---- of an object

namespace {

uint64_t new_lineage() {
  static std::atomic<uint64_t> last = 0;
  return ++last;
}

} // namespace

void Clock::absorb(const Clock &carried) {
  if (!root_)
    return replace(carried);
  ++version_;
  if (carried.lineage_ != lineage_) {
    runtime::join(root_, carried.root_, levels);
    return;
  }
  for (const auto &[group, entry] : carried.additions_)
    add_to_tree(group, entry);
}

void Clock::replace(Clock carried) {
  const bool goes_on =
      lineage_ != 0 && carried.lineage_ == lineage_ && carried.version_ == version_;
  const uint64_t lineage = goes_on ? lineage_ : new_lineage(), version = goes_on ? version_ + 1 : 1;
  *this = std::move(carried);
  additions_.clear();
  lineage_ = root_ ? lineage : 0;
  version_ = root_ ? version : 0;
}

} // namespace lockstep::runtime
