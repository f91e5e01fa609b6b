#include "runtime/check/clock.h"

#include <algorithm>
#include <array>
#include <atomic>

namespace lockstep::runtime {

// ---- of one group

ItemStamps::ItemStamps(std::initializer_list<Pair> pairs) {
  for (const Pair &pair : pairs)
    raise(pair);
}

ItemStamps::ItemStamps(const ItemStamps &other)
    : one_(other.one_), count_(other.count_),
      more_(other.more_ ? std::make_unique<std::vector<Pair>>(*other.more_) : nullptr) {}

ItemStamps &ItemStamps::operator=(ItemStamps other) noexcept {
  one_ = other.one_;
  count_ = other.count_;
  more_ = std::move(other.more_);
  return *this;
}

const ItemStamps::Pair *ItemStamps::find(uint32_t item) const {
  const Pair *found = std::lower_bound(begin(), end(), Pair(item, 0));
  return found != end() && found->first == item ? found : nullptr;
}

bool ItemStamps::raise(const Pair &pair) {
  const std::ptrdiff_t index = std::lower_bound(begin(), end(), Pair(pair.first, 0)) - begin();
  Pair *all = more_ ? more_->data() : &one_;
  if (index != std::ptrdiff_t(count_) && all[index].first == pair.first) {
    const bool is_higher = all[index].second < pair.second;
    all[index].second = std::max(all[index].second, pair.second);
    return is_higher;
  }
  if (count_ == 0 && !more_) {
    one_ = pair;
    count_ = 1;
    return true;
  }
  if (!more_)
    more_ = std::make_unique<std::vector<Pair>>(1, one_);
  more_->insert(more_->begin() + index, pair);
  ++count_; // only now: there may be no memory
  return true;
}

void ItemStamps::erase_before(Stamp stamp) {
  if (more_) {
    std::erase_if(*more_, [stamp](const Pair &pair) { return pair.second < stamp; });
    count_ = uint32_t(more_->size());
  } else if (count_ && one_.second < stamp) {
    count_ = 0;
  }
}

bool Clock::Entry::covers(uint32_t item, Stamp stamp) const {
  if (stamp < before)
    return true;
  const ItemStamps::Pair *found = up_to.find(item);
  return found && stamp <= found->second;
}

bool Clock::Entry::join(const Entry &other) {
  bool has_changed = other.before > before;
  before = std::max(before, other.before);
  for (const ItemStamps::Pair &pair : other.up_to)
    has_changed |= pair.second >= before && up_to.raise(pair);
  if (has_changed)
    up_to.erase_before(before);
  return has_changed;
}

// ---- the tree

namespace {

constexpr unsigned bits = 4, fan = 1u << bits, key_bits = 32, highest = key_bits / bits - 1;

} // namespace

// Of the lowest level, or above it.
struct Clock::Node {
  unsigned owners = 1;
  unsigned height;
  explicit Node(unsigned height) : height(height) {}
};

namespace {

using Node = Clock::Node;

struct Leaf : Node {
  Leaf() : Node(0) {}
  std::array<Clock::Entry, fan> entries{};
};

struct Inner : Node {
  explicit Inner(unsigned height) : Node(height) {}
  std::array<Node *, fan> below{};
};

const Leaf &leaf(const Node *node) {
  return *static_cast<const Leaf *>(node);
}
const Inner &inner(const Node *node) {
  return *static_cast<const Inner *>(node);
}

unsigned digit(uint32_t group, unsigned height) {
  return group >> height * bits & (fan - 1);
}

bool fits(uint32_t group, unsigned height) {
  return height >= highest || group >> (height + 1) * bits == 0;
}

void release(Node *node) {
  if (!node || --node->owners)
    return;
  if (node->height == 0) {
    delete static_cast<Leaf *>(node);
    return;
  }
  auto *above = static_cast<Inner *>(node);
  for (Node *each : above->below)
    release(each);
  delete above;
}

Node *shared(Node *node) {
  if (node)
    ++node->owners;
  return node;
}

// Makes the node its holder's own.
Node *own(Node *&node, unsigned height) {
  if (!node) {
    node = height ? static_cast<Node *>(new Inner(height)) : new Leaf;
  } else if (node->owners > 1) {
    Node *copy = nullptr;
    if (height == 0) {
      copy = new Leaf(leaf(node));
    } else {
      auto *above = new Inner(inner(node));
      for (Node *each : above->below)
        shared(each);
      copy = above;
    }
    copy->owners = 1;
    --node->owners;
    node = copy;
  }
  return node;
}

Leaf &own_leaf(Node *&node) {
  return *static_cast<Leaf *>(own(node, 0));
}
Node *&own_below(Node *&node, unsigned height, unsigned index) {
  return static_cast<Inner *>(own(node, height))->below[index];
}

// Until it is that high; the tree is the first one below.
void raise(Node *&root, unsigned &height, unsigned to) {
  for (; height < to; ++height) {
    auto *above = new Inner(height + 1);
    above->below[0] = root;
    root = above;
  }
}

bool holds(const Clock::Entry &one, const Clock::Entry &other) {
  if (one.before < other.before)
    return false;
  return std::all_of(other.up_to.begin(), other.up_to.end(),
                     [&](const auto &item) { return one.covers(item.first, item.second); });
}

// Does `one` know all that `other` does?
bool holds(const Node *one, const Node *other) {
  if (one == other || !other)
    return true;
  while (one && one->height > other->height)
    one = inner(one).below[0];
  if (!one)
    return false;
  if (one->height < other->height) {
    for (unsigned i = 1; i < fan; ++i)
      if (inner(other).below[i])
        return false;
    return holds(one, inner(other).below[0]);
  }
  for (unsigned i = 0; i < fan; ++i)
    if (one->height == 0 ? !holds(leaf(one).entries[i], leaf(other).entries[i])
                         : !holds(inner(one).below[i], inner(other).below[i]))
      return false;
  return true;
}

// Of one height.
void join(Node *&to, Node *from) {
  if (to == from || !from)
    return;
  if (!to) {
    to = shared(from);
    return;
  }
  for (unsigned i = 0; i < fan; ++i)
    if (to->height == 0) {
      if (!holds(leaf(to).entries[i], leaf(from).entries[i]))
        own_leaf(to).entries[i].join(leaf(from).entries[i]);
    } else if (!holds(inner(to).below[i], inner(from).below[i])) {
      join(own_below(to, to->height, i), inner(from).below[i]);
    }
}

} // namespace

Clock::Clock(const Clock &other)
    : root_(shared(other.root_)), height_(other.height_), lineage_(other.lineage_),
      version_(other.version_), additions_(other.additions_) {}

Clock::Clock(Clock &&other) noexcept
    : root_(std::exchange(other.root_, nullptr)), height_(other.height_),
      lineage_(std::exchange(other.lineage_, 0)), version_(std::exchange(other.version_, 0)),
      additions_(std::move(other.additions_)) {}

Clock &Clock::operator=(Clock other) noexcept {
  std::swap(root_, other.root_);
  std::swap(height_, other.height_);
  std::swap(lineage_, other.lineage_);
  std::swap(version_, other.version_);
  std::swap(additions_, other.additions_);
  return *this;
}

Clock::~Clock() {
  release(root_);
}

// ---- what it knows

const Clock::Entry *Clock::find_in_tree(uint32_t group) const {
  const Node *node = fits(group, height_) ? root_ : nullptr;
  while (node && node->height)
    node = inner(node).below[digit(group, node->height)];
  if (!node)
    return nullptr;
  const Entry &entry = leaf(node).entries[digit(group, 0)];
  return entry.before || entry.up_to.size() ? &entry : nullptr;
}

Clock::Entry *Clock::addition(uint32_t group) {
  for (auto &[known, added] : additions_)
    if (known == group)
      return &added;
  return nullptr;
}

const Clock::Entry *Clock::find(uint32_t group) const {
  for (const auto &[known, added] : additions_)
    if (known == group)
      return &added;
  return find_in_tree(group);
}

void Clock::add_to_tree(uint32_t group, const Entry &entry) {
  if (const Entry *known = find_in_tree(group); known && holds(*known, entry))
    return;
  unsigned needed = root_ ? height_ : 0;
  while (!fits(group, needed))
    ++needed;
  if (!root_)
    height_ = needed;
  else
    raise(root_, height_, needed);
  Node **node = &root_;
  for (unsigned height = height_; height > 0; --height)
    node = &own_below(*node, height, digit(group, height));
  own_leaf(*node).entries[digit(group, 0)].join(entry);
}

void Clock::add_to_tree(const Additions &additions) {
  for (const auto &[group, entry] : additions)
    add_to_tree(group, entry);
}

void Clock::forget_lineage() {
  lineage_ = version_ = 0;
  add_to_tree(std::exchange(additions_, {}));
}

void Clock::add(uint32_t group, const Entry &entry) {
  if (Entry *added = addition(group)) {
    added->join(entry);
    return;
  }
  if (const Entry *known = find_in_tree(group); known && holds(*known, entry))
    return;
  if ((root_ && lineage_ == 0) || additions_.size() == most_additions) {
    forget_lineage();
    add_to_tree(group, entry);
    return;
  }
  additions_.emplace_back(group, entry);
  if (const Entry *known = find_in_tree(group))
    additions_.back().second.join(*known);
}

void Clock::join_tree(Node *other, unsigned height) {
  if (!root_) {
    root_ = shared(other);
    height_ = height;
    return;
  }
  if (height > height_)
    raise(root_, height_, height);
  // The lower one is the first one below of the higher one.
  Node **to = &root_;
  for (unsigned at = height_; at > height; --at) {
    if (holds(*to, other))
      return;
    to = &own_below(*to, at, 0);
  }
  runtime::join(*to, other);
}

bool Clock::is_held_by(const Clock &other) const {
  return holds(other.root_, root_) &&
         std::all_of(additions_.begin(), additions_.end(), [&other](const auto &addition) {
           const Entry *known = other.find(addition.first);
           return known && holds(*known, addition.second);
         });
}

void Clock::join(const Clock &other) {
  if (other.is_empty())
    return;
  if (is_empty()) {
    *this = other;
    return;
  }
  const bool is_of_one_lineage = lineage_ != 0 && lineage_ == other.lineage_;
  const Additions theirs = other.additions_;
  if (!root_ || (is_of_one_lineage && other.version_ > version_)) {
    const Additions mine = std::move(additions_);
    *this = other;
    for (const auto &[group, entry] : mine)
      add(group, entry);
    return;
  }
  if (!is_of_one_lineage && other.root_ && root_ != other.root_) {
    if (is_held_by(other)) {
      *this = other;
      return;
    }
    forget_lineage();
    join_tree(other.root_, other.height_);
  }
  for (const auto &[group, entry] : theirs)
    add(group, entry);
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
  if (carried.lineage_ != lineage_ && carried.root_)
    join_tree(carried.root_, carried.height_);
  add_to_tree(carried.additions_);
}

void Clock::replace(Clock carried) {
  const bool goes_on =
      lineage_ != 0 && carried.lineage_ == lineage_ && carried.version_ == version_;
  const uint64_t lineage = goes_on ? lineage_ : new_lineage(), version = goes_on ? version_ + 1 : 1;
  *this = std::move(carried);
  add_to_tree(std::exchange(additions_, {}));
  lineage_ = root_ ? lineage : 0;
  version_ = root_ ? version : 0;
}

} // namespace lockstep::runtime
