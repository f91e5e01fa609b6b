#include "together.h"

#include "operations.h"

#include <algorithm>

namespace lockstep::fuzz {

namespace {

constexpr const char *operation_names[together_operations] = {"add", "mul", "min", "max",
                                                              "and", "or",  "xor"};

uint64_t combine(uint8_t operation, Elem elem, uint64_t a, uint64_t b) {
  static constexpr AtomicOp same[] = {AtomicOp::add,    AtomicOp::add,     AtomicOp::min,
                                      AtomicOp::max,    AtomicOp::bit_and, AtomicOp::bit_or,
                                      AtomicOp::bit_xor};
  return operation == 1 ? wrap(elem, a * b) : apply(same[operation], elem, a, b);
}

uint64_t identity(uint8_t operation, Elem elem) {
  const uint64_t sign = uint64_t(1) << (bits(elem) - 1), ones = wrap(elem, ~uint64_t(0));
  const uint64_t largest = is_signed(elem) ? sign - 1 : ones, least = is_signed(elem) ? sign : 0;
  const uint64_t identities[together_operations] = {0, 1, largest, least, ones, 0, 0};
  return identities[operation];
}

uint32_t cluster_size(uint32_t width) {
  return std::min<uint32_t>(width, 4);
}

class Computation {
public:
  Computation(const Together &what, Type result, const std::vector<std::optional<Offer>> &offers,
              uint32_t width)
      : what_(what), result_(result), offers_(offers), width_(width) {}

  uint64_t of(size_t lane) const {
    const uint32_t cluster = cluster_size(width_);
    switch (what_.kind) {
    case TogetherKind::reduce:
      return over(0, offers_.size());
    case TogetherKind::inclusive:
      return over(0, lane + 1);
    case TogetherKind::exclusive:
      return over(0, lane);
    case TogetherKind::cluster:
      return over(lane / cluster * cluster, (lane / cluster + 1) * cluster);
    case TogetherKind::any:
      return votes() != 0;
    case TogetherKind::all:
      return votes() == taking_part();
    case TogetherKind::count:
      return votes();
    case TogetherKind::elect:
      return lane == first();
    case TogetherKind::first:
      return what_.of_group ? offered(offers_[lane]->number % offers_.size()) : offered(first());
    case TogetherKind::shuffle:
      return offered(offers_[lane]->number % width_);
    }
    return 0;
  }

private:
  uint64_t over(size_t begin, size_t end) const {
    uint64_t sum = identity(what_.operation, result_.elem);
    for (size_t lane = begin; lane < std::min(end, offers_.size()); ++lane)
      if (offers_[lane])
        sum = combine(what_.operation, result_.elem, sum, offers_[lane]->value.lane[0]);
    return sum;
  }
  size_t first() const {
    return size_t(std::ranges::find_if(offers_, [](auto &o) { return o.has_value(); }) -
                  offers_.begin());
  }
  size_t taking_part() const {
    return size_t(std::ranges::count_if(offers_, [](auto &o) { return o.has_value(); }));
  }
  size_t votes() const {
    return size_t(std::ranges::count_if(offers_, [](auto &o) { return o && o->value.lane[0]; }));
  }
  uint64_t offered(size_t lane) const {
    return lane < offers_.size() && offers_[lane] ? offers_[lane]->value.lane[0] : 0;
  }

  const Together &what_;
  Type result_;
  const std::vector<std::optional<Offer>> &offers_;
  uint32_t width_;
};

} // namespace

std::vector<Value> compute(const Together &what, Type result,
                           const std::vector<std::optional<Offer>> &offers, uint32_t width) {
  const Computation computation(what, result, offers, width);
  std::vector<Value> results;
  for (size_t lane = 0; lane < offers.size(); ++lane)
    results.emplace_back(result, offers[lane] ? computation.of(lane) : 0);
  return results;
}

std::string print(const Together &what, Type type, const std::string &target,
                  const std::string &value, const std::string &number, uint32_t width) {
  const std::string prefix = what.of_group ? "work_group_" : "sub_group_non_uniform_";
  const std::string operation = operation_names[what.operation];
  const std::string typed = "((" + name(type) + ")(" + value + "))", yes = "((" + value + ") != 0)";
  const std::string cast = "(" + name(type) + ")";
  switch (what.kind) {
  case TogetherKind::reduce:
    return target + " = " + prefix + "reduce_" + operation + typed + ";";
  case TogetherKind::inclusive:
    return target + " = " + prefix + "scan_inclusive_" + operation + typed + ";";
  case TogetherKind::exclusive:
    return target + " = " + prefix + "scan_exclusive_" + operation + typed + ";";
  case TogetherKind::any:
    return target + " = " + prefix + "any" + yes + " != 0;";
  case TogetherKind::all:
    return target + " = " + prefix + "all" + yes + " != 0;";
  case TogetherKind::elect:
    return target + " = sub_group_elect() != 0;";
  case TogetherKind::count:
    return target + " = sub_group_ballot_bit_count(sub_group_ballot" + yes + ");";
  case TogetherKind::cluster:
    return target + " = sub_group_clustered_reduce_" + operation + "(" + cast + "(" + value +
           "), " + std::to_string(cluster_size(width)) + "u);";
  case TogetherKind::shuffle:
    return "{ uint at = (" + number + ") % " + std::to_string(width) + "u; " + name(type) +
           " moved = sub_group_shuffle(" + cast + "(" + value +
           "), at); uint4 there = sub_group_ballot(1); " + target +
           " = sub_group_ballot_bit_extract(there, at) ? moved : " + cast + "0; }";
  case TogetherKind::first:
    if (!what.of_group)
      return target + " = sub_group_broadcast_first" + typed + ";";
    return "{ uint at = (" + number +
           ") % local_count(); uint row = at / (uint)get_local_size(0); " + target +
           " = work_group_broadcast(" + cast + "(" + value +
           "), at % get_local_size(0), row % get_local_size(1), row / get_local_size(1)); }";
  }
  return "";
}

} // namespace lockstep::fuzz
