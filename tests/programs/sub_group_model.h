// A host model of sub-group functions: lanes are a vector, and some of them are active.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace lockstep::test {

template <class T> struct Lanes {
  std::vector<T> values;    // one per work-item of the sub-group
  std::vector<bool> active; // the lanes that call the function
  unsigned width = 1;       // get_max_sub_group_size()
};

// Returns one lane's result; no value if OpenCL leaves it undefined.
template <class T> using Meaning = std::function<std::optional<T>(const Lanes<T> &, unsigned lane)>;

template <class T> struct SubGroupFunction {
  std::string expression; // uses x (the value), lane, WIDTH and CLUSTER
  Meaning<T> meaning;
  bool needs_all = false; // all work-items of the sub-group must call it
};

template <class T> struct Operation {
  std::string name;
  T identity;
  T (*combine)(T, T);
  bool small_values = false; // products of 64 large numbers are not exact in floating point
};

// Integers wrap around.
template <class T> T sum(T a, T b) {
  if constexpr (std::is_floating_point_v<T>)
    return a + b;
  else
    return static_cast<T>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}
template <class T> T product(T a, T b) {
  if constexpr (std::is_floating_point_v<T>)
    return a * b;
  else
    return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}

template <class T> std::vector<Operation<T>> operations() {
  using Limits = std::numeric_limits<T>;
  constexpr bool real = std::is_floating_point_v<T>;
  std::vector<Operation<T>> list = {{"add", 0, sum<T>, false},
                                    {"mul", 1, product<T>, real},
                                    {"min", real ? Limits::infinity() : Limits::max(),
                                     [](T a, T b) { return std::min(a, b); }, false},
                                    {"max", real ? -Limits::infinity() : Limits::lowest(),
                                     [](T a, T b) { return std::max(a, b); }, false}};
  if constexpr (!real) {
    list.push_back(
        {"and", static_cast<T>(~T{0}), [](T a, T b) { return static_cast<T>(a & b); }, false});
    list.push_back({"or", 0, [](T a, T b) { return static_cast<T>(a | b); }, false});
    list.push_back({"xor", 0, [](T a, T b) { return static_cast<T>(a ^ b); }, false});
  }
  return list;
}

// Combines the active lanes in [first, last).
template <class T>
T combined(const Operation<T> &operation, const Lanes<T> &lanes, size_t first, size_t last) {
  T result = operation.identity;
  for (size_t lane = first; lane < std::min(last, lanes.values.size()); ++lane)
    if (lanes.active[lane]) {
      T value = lanes.values[lane];
      if (operation.small_values)
        value = value < 0 ? T(2) : T(1);
      result = operation.combine(result, value);
    }
  return result;
}

template <class T> std::optional<T> taken_from(const Lanes<T> &lanes, size_t lane) {
  if (lane >= lanes.values.size() || !lanes.active[lane])
    return std::nullopt;
  return lanes.values[lane];
}

template <class T> unsigned first_active(const Lanes<T> &lanes) {
  return static_cast<unsigned>(std::ranges::find(lanes.active, true) - lanes.active.begin());
}

inline unsigned cluster_of(unsigned width) {
  return std::min(width, 4u);
}

template <class T> std::vector<SubGroupFunction<T>> arithmetic_functions() {
  std::vector<SubGroupFunction<T>> list;
  for (const Operation<T> &operation : operations<T>()) {
    const std::string value = operation.small_values ? "(x < 0 ? 2 : 1)" : "x";
    auto add = [&](const std::string &name, const std::string &arguments, auto first, auto last,
                   bool needs_all = false) {
      list.push_back({name + operation.name + "((TYPE)" + value + arguments + ")",
                      [=](const Lanes<T> &lanes, unsigned lane) {
                        return combined(operation, lanes, first(lane, lanes.width),
                                        last(lane, lanes.width));
                      },
                      needs_all});
    };
    auto none = [](unsigned, unsigned) { return 0u; };
    auto own = [](unsigned lane, unsigned) { return lane; };
    auto beyond = [](unsigned lane, unsigned) { return lane + 1; };
    auto all = [](unsigned, unsigned width) { return width; };
    add("sub_group_non_uniform_reduce_", "", none, all);
    add("sub_group_non_uniform_scan_inclusive_", "", none, beyond);
    add("sub_group_non_uniform_scan_exclusive_", "", none, own);
    add(
        "sub_group_clustered_reduce_", ", CLUSTER",
        [](unsigned lane, unsigned width) { return lane / cluster_of(width) * cluster_of(width); },
        [](unsigned lane, unsigned width) {
          return (lane / cluster_of(width) + 1) * cluster_of(width);
        });
    if (operation.name != "add" && operation.name != "min" && operation.name != "max")
      continue;
    add("sub_group_reduce_", "", none, all, true);
    add("sub_group_scan_inclusive_", "", none, beyond, true);
    add("sub_group_scan_exclusive_", "", none, own, true);
  }
  return list;
}

template <class T> std::vector<SubGroupFunction<T>> moving_functions() {
  auto from = [](auto lane_of) {
    return [=](const Lanes<T> &lanes, unsigned lane) {
      return taken_from(lanes, lane_of(lane, lanes.width));
    };
  };
  using U = unsigned;
  return {
      {"sub_group_shuffle(x, (lane * 5 + 3) % WIDTH)",
       from([](U l, U w) { return (l * 5 + 3) % w; })},
      {"sub_group_shuffle(x, 0u)", from([](U, U) { return 0u; })},
      {"sub_group_shuffle_xor(x, 1u)", from([](U l, U) { return l ^ 1; })},
      {"sub_group_shuffle_xor(x, lane >> 1)", from([](U l, U) { return l ^ (l >> 1); })},
      {"sub_group_shuffle_up(x, 1u)", from([](U l, U w) { return l < 1 ? w : l - 1; })},
      {"sub_group_shuffle_down(x, 2u)", from([](U l, U) { return l + 2; })},
      {"sub_group_rotate(x, 3)", from([](U l, U w) { return (l + 3) % w; })},
      {"sub_group_clustered_rotate(x, -1, CLUSTER)", from([](U l, U w) {
         U cluster = cluster_of(w);
         return l / cluster * cluster + (l + cluster - 1) % cluster;
       })},
      {"sub_group_broadcast_first(x)",
       [](const Lanes<T> &lanes, unsigned) { return taken_from(lanes, first_active(lanes)); }},
      {"sub_group_broadcast(x, 0u)", from([](U, U) { return 0u; }), true},
      {"sub_group_non_uniform_broadcast(x, get_sub_group_size() - 1)",
       [](const Lanes<T> &lanes, unsigned) { return taken_from(lanes, lanes.values.size() - 1); }},
      {"(TYPE)sub_group_non_uniform_all_equal((TYPE)(x < 5))",
       [](const Lanes<T> &lanes, unsigned lane) -> std::optional<T> {
         for (size_t other = 0; other != lanes.values.size(); ++other)
           if (lanes.active[other] && (lanes.values[other] < 5) != (lanes.values[lane] < 5))
             return T(0);
         return T(1);
       }},
      {"(TYPE)sub_group_elect()",
       [](const Lanes<T> &lanes, unsigned lane) -> std::optional<T> {
         return T(lane == first_active(lanes));
       }},
  };
}

// Votes, ballots and logical operations on the predicate x & 1, for 32-bit unsigned numbers.
std::vector<SubGroupFunction<unsigned>> predicate_functions();

} // namespace lockstep::test
