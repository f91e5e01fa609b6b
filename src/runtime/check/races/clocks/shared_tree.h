// A persistent map of numbers to values: copies share unchanged nodes. A copy is O(1), a change
// copies one path, a join visits only what differs.
//
// Requires: a value has join(other), which makes it hold `other` as well, and holds(other). Each
// thread has its own copy of a tree.
//
// Ensures: a change copies shared nodes and modifies exclusive nodes in place. A node has 1 <<
// `bits` values or children.
#pragma once

#include "runtime/check/races/clocks/owners.h"
#include "runtime/check/races/clocks/pooled.h"
#include "runtime/check/races/shadow/fetch_to_write.h"

#include <array>
#include <cstdint>
#include <span>
#include <utility>

namespace lockstep::runtime {

template <class Value, unsigned bits = 3> class SharedTree {
public:
  static constexpr unsigned fan = 1u << bits; // of each node

  SharedTree() = default;
  SharedTree(const SharedTree &other) : root_(shared(other.root_)) {}
  SharedTree(SharedTree &&other) noexcept : root_(std::exchange(other.root_, nullptr)) {}
  SharedTree &operator=(SharedTree other) noexcept {
    std::swap(root_, other.root_);
    return *this;
  }
  ~SharedTree() {
    if (root_) // most are empty
      release(root_);
  }

  bool is_empty() const { return !root_; }

  const Value *find(uint32_t key) const { // may be a default value
    const Node *node = root_ && fits(key, root_->height) ? root_ : nullptr;
    while (node && node->height)
      node = inner(node).below[digit(key, node->height)];
    return node ? &leaf(node).values[digit(key, 0)] : nullptr;
  }

  // The values of adjacent keys, to find several without a search for each. Valid until the tree
  // changes.
  class ConstRow {
  public:
    ConstRow() = default;
    bool has(uint32_t key) const { return values_ && key >> bits == number_; }
    const Value &operator[](uint32_t key) const { return values_[digit(key, 0)]; }
    void fetch() const { // prefetches it
      if (values_)
        fetch_to_read(std::as_bytes(std::span(values_, fan)));
    }

  private:
    friend SharedTree;
    ConstRow(uint32_t key, const Value *values) : number_(key >> bits), values_(values) {}
    uint32_t number_ = 0;
    const Value *values_ = nullptr;
  };
  ConstRow find_row(uint32_t key) const { // may be empty
    const Value *value = find(key);
    return value ? ConstRow(key, value - digit(key, 0)) : ConstRow();
  }

  // Access for changes. A row has the values of adjacent keys, and is exclusive until the tree is
  // copied.
  class Row {
  public:
    Row() = default;
    bool has(uint32_t key) const { return values_ && key >> bits == number_; }
    Value &operator[](uint32_t key) const { return values_[digit(key, 0)]; }

  private:
    friend SharedTree;
    Row(uint32_t key, Value *values) : number_(key >> bits), values_(values) {}
    uint32_t number_ = 0;
    Value *values_ = nullptr;
  };
  Value &own(uint32_t key) {
    if (root_ && root_->height == 0 && key < fan && root_->owners.is_one())
      return static_cast<Leaf *>(root_)->values[key];
    return own_row(key)[key];
  }
  Row own_row(uint32_t key) {
    unsigned height = root_ ? root_->height : 0;
    while (!fits(key, height))
      ++height;
    raise(height);
    Node **node = &root_;
    for (; height > 0; --height)
      node = &own_inner(*node, height).below[digit(key, height)];
    return {key, own_leaf(*node).values.data()};
  }

  bool holds(const SharedTree &other) const { return holds(root_, other.root_); }

  // If `other` holds a whole subtree of this one, the result shares it: joining it again is then
  // fast.
  void join(const SharedTree &other) {
    if (!other.root_ || root_ == other.root_)
      return;
    if (!root_) {
      root_ = shared(other.root_);
      return;
    }
    // The lower tree corresponds to the first child at its height in the higher one.
    raise(other.root_->height);
    Node **to = &root_;
    for (unsigned height = root_->height; height > other.root_->height; --height)
      to = &own_inner(*to, height).below[0];
    if (!*to)
      *to = shared(other.root_);
    else if (*to != other.root_)
      join(*to, other.root_);
  }
  bool is_same(const SharedTree &other) const { return root_ == other.root_; }

private:
  static constexpr unsigned highest = (32 + bits - 1) / bits - 1;

  struct Node { // a leaf or an inner node
    Owners owners;
    unsigned height;
    explicit Node(unsigned height) : height(height) {}
  };
  struct Leaf : Node, Pooled<Leaf> {
    Leaf() : Node(0) {}
    std::array<Value, fan> values{};
  };
  struct Inner : Node, Pooled<Inner> {
    explicit Inner(unsigned height) : Node(height) {}
    std::array<Node *, fan> below{};
  };

  static const Leaf &leaf(const Node *node) { return *static_cast<const Leaf *>(node); }
  static const Inner &inner(const Node *node) { return *static_cast<const Inner *>(node); }
  static unsigned digit(uint32_t key, unsigned height) { return key >> height * bits & (fan - 1); }
  static bool fits(uint32_t key, unsigned height) {
    return height >= highest || key >> (height + 1) * bits == 0;
  }

  static Node *shared(Node *node) {
    if (node)
      node->owners.add();
    return node;
  }
  static void release(Node *node) {
    if (!node || !node->owners.drop())
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

  // Each of these makes `node` exclusive to its holder.
  static Leaf &own_leaf(Node *&node) {
    if (!node) {
      node = new Leaf;
    } else if (!node->owners.is_one()) {
      auto *copy = new Leaf(leaf(node));
      release(std::exchange(node, copy));
    }
    return *static_cast<Leaf *>(node);
  }
  static Inner &own_inner(Node *&node, unsigned height) {
    if (!node) {
      node = new Inner(height);
    } else if (!node->owners.is_one()) {
      auto *copy = new Inner(inner(node));
      for (Node *each : copy->below)
        shared(each);
      release(std::exchange(node, copy));
    }
    return *static_cast<Inner *>(node);
  }

  void raise(unsigned to) {
    while (root_ && root_->height < to) {
      auto *above = new Inner(root_->height + 1);
      above->below[0] = root_;
      root_ = above;
    }
    if (!root_ && to) // an empty tree has no height yet
      root_ = new Inner(to);
  }

  static bool holds(const Node *one, const Node *other) {
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
    if (one->height == 0)
      return holds(leaf(one), leaf(other));
    for (unsigned i = 0; i < fan; ++i)
      if (!holds(inner(one).below[i], inner(other).below[i]))
        return false;
    return true;
  }
  static bool holds(const Leaf &one, const Leaf &other) {
    if constexpr (requires { Value::is_number; }) {
      bool all = true; // no early exit, so that the loop is vectorized
      for (unsigned i = 0; i < fan; ++i)
        all &= one.values[i].holds(other.values[i]);
      return all;
    }
    for (unsigned i = 0; i < fan; ++i)
      if (!one.values[i].holds(other.values[i]))
        return false;
    return true;
  }

  // Requires two nodes of the same height.
  static void join(Node *&to, Node *from) {
    bool is_held = true;
    if (Node *joined = join(to, /*is_own=*/true, from, is_held))
      release(std::exchange(to, joined));
  }
  // Returns the replacement of `to`; null: `to` itself, which is changed in place if it is
  // exclusive. Clears `is_held` if `from` does not hold all of `to`.
  static Node *join(Node *to, bool is_own, Node *from, bool &is_held) {
    is_own &= to->owners.is_one();
    if (to->height == 0)
      return join_leaf(to, is_own, from, is_held);
    bool is_all_held = true;
    std::array<Node *, fan> changed{};
    bool has_changed = false;
    for (unsigned i = 0; i < fan; ++i) {
      Node *mine = inner(to).below[i], *theirs = inner(from).below[i];
      if (mine == theirs)
        continue;
      if (!theirs)
        is_all_held = false;
      else
        changed[i] = mine ? join(mine, is_own, theirs, is_all_held) : shared(theirs);
      has_changed |= changed[i] != nullptr;
    }
    is_held &= is_all_held;
    if (is_all_held) {
      for (Node *each : changed)
        release(each);
      return shared(from);
    }
    if (!has_changed)
      return nullptr;
    Node *joined = is_own ? to : shared(to);
    Inner &all = own_inner(joined, to->height);
    for (unsigned i = 0; i < fan; ++i)
      if (changed[i])
        release(std::exchange(all.below[i], changed[i]));
    return is_own ? nullptr : joined;
  }
  static Node *join_leaf(Node *to, bool is_own, Node *from, bool &is_held) {
    if (holds(leaf(from), leaf(to)))
      return shared(from);
    is_held = false;
    if (holds(leaf(to), leaf(from)))
      return nullptr;
    Node *joined = is_own ? to : shared(to);
    Leaf &all = own_leaf(joined);
    for (unsigned i = 0; i < fan; ++i)
      if (!all.values[i].holds(leaf(from).values[i]))
        all.values[i].join(leaf(from).values[i]);
    return is_own ? nullptr : joined;
  }

  Node *root_ = nullptr;
};

} // namespace lockstep::runtime
