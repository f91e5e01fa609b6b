#include "runtime/check/assumptions/must_accesses.h"

#include "runtime/memory/allocations.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <vector>

namespace lockstep::runtime {

namespace {

using compiler::AccessCondition;
using compiler::FittingSum;
using compiler::LaunchAtom;
using compiler::LaunchNumber;
using compiler::LaunchSum;
using Factors = LaunchNumbers::Factors;

constexpr Wide most_rows = 1 << 16;

bool is_beyond(Wide value) {
  return value > beyond_memory || value < -beyond_memory;
}

Wide floor_of(Wide value, Wide by) {
  return value / by - (value % by != 0 && (value < 0) != (by < 0));
}

// The sum of a local id and its group's share: the global id without its offset.
LaunchAtom whole_id(uint32_t dimension) {
  return {LaunchNumber::group_id, dimension, 1};
}

class Numbers {
public:
  enum class Outcome { always, never, sometimes, unknown };

  Numbers(const compiler::MustAccess &entry, const LaunchNumbers &of_launch)
      : of_launch_(of_launch) {
    const compiler::LaunchInfo &launch = of_launch.launch();
    for (uint32_t d : {0u, 1u, 2u}) {
      const Wide items = launch.local_size[d], groups = launch.num_groups[d];
      is_uniform_ &= launch.global_size[d] == launch.local_size[d] * launch.num_groups[d];
      ids_[d] = {WideRange{0, items - 1}, WideRange{0, groups - 1},
                 WideRange{0, items * groups - 1}};
    }
    counters_.resize(std::min(entry.counters.size(), entry.steps.size()));
    for (std::size_t i = 0; i != counters_.size(); ++i) {
      const auto trip_count =
          entry.counters[i].empty() ? std::nullopt : of_launch.of(entry.counters[i]);
      if (!trip_count || entry.steps[i] < 1)
        continue;
      Wide count = 0;
      for (const auto &[id, factor] : *trip_count)
        if (id)
          count = beyond_memory;
        else
          count += factor;
      if (const Wide all = floor_of(count, entry.steps[i]); all > 0 && all < beyond_memory)
        counters_[i] = {0, all - 1};
    }
    unknown_sweeps_ = entry.sweeps.size();
    for (const compiler::Sweep &each : entry.sweeps)
      add_sweep(each);
  }

  // Whether a loop that all work-items sweep through has no iteration.
  bool has_empty_sweep() const { return has_empty_sweep_; }
  // Whether conditions or other factors depend on ids at which work-items start a sweep.
  bool are_swept(const Factors &factors) const {
    const auto is_swept = [this](const LaunchAtom &id) {
      return id.number <= LaunchNumber::group_id && id.number >= LaunchNumber::local_id &&
             swept_[id.index];
    };
    return has_unknown_sweep_ || std::any_of(limited_.begin(), limited_.end(), is_swept) ||
           std::any_of(factors.begin(), factors.end(),
                       [&](const auto &each) { return each.first && is_swept(*each.first); });
  }
  // Whether all groups have the same number of work-items.
  bool is_uniform() const { return is_uniform_; }

  // Factors of numbers that are independent of each other.
  std::optional<Factors> of(const LaunchSum &sum) const {
    auto factors = of_launch_.of(sum);
    if (!factors)
      return std::nullopt;
    for (uint32_t d : {0u, 1u, 2u}) {
      const LaunchAtom item{LaunchNumber::local_id, d}, group{LaunchNumber::group_id, d};
      const Wide items = of_launch_.launch().local_size[d],
                 groups = of_launch_.launch().num_groups[d];
      const Wide by_item = take(*factors, item), by_group = take(*factors, group);
      if (items == 1 || groups == 1)
        put(*factors, whole_id(d), items == 1 ? by_group : by_item);
      else if (by_group == items * by_item)
        put(*factors, whole_id(d), by_item);
      else {
        put(*factors, item, by_item);
        put(*factors, group, by_group);
      }
    }
    return factors;
  }
  std::optional<WideRange> range_of(const Factors &factors) const {
    WideRange all;
    for (const auto &[id, factor] : factors) {
      const auto range = id ? range_of(*id) : WideRange{1, 1};
      if (!range || is_beyond(factor * range->least) || is_beyond(factor * range->most))
        return std::nullopt;
      all.least += factor * (factor < 0 ? range->most : range->least);
      all.most += factor * (factor < 0 ? range->least : range->most);
    }
    return all;
  }
  // Nothing if a condition has limited this number or one that it consists of.
  std::optional<WideRange> range_of(const LaunchAtom &id) const {
    const WideRange *known = known_range(id);
    return known ? std::optional(*known) : std::nullopt;
  }
  bool fit(const std::vector<FittingSum> &all) const {
    return std::all_of(all.begin(), all.end(), [this](const FittingSum &each) {
      const auto factors = of(each.sum);
      const auto range = factors ? range_of(*factors) : std::nullopt;
      const Wide half = Wide(1) << (each.bits - 1);
      return range && range->least >= (each.is_signed ? -half : 0) &&
             range->most < (each.is_signed ? half : 2 * half);
    });
  }
  Outcome fulfil(const AccessCondition &condition);
  // Whether conditions have limited this number, and other sums contain it partly.
  bool is_limited(const Factors &factors) const;

private:
  static Wide take(Factors &factors, const LaunchAtom &id) {
    const auto found = factors.extract(id);
    return found.empty() ? 0 : found.mapped();
  }
  static void put(Factors &factors, const LaunchAtom &id, Wide factor) {
    if (factor != 0)
      factors[id] = factor;
  }
  const WideRange *known_range(const LaunchAtom &id) const {
    if (id.number == LaunchNumber::counter)
      return id.index < counters_.size() && counters_[id.index] ? &*counters_[id.index] : nullptr;
    const bool is_item = id.number == LaunchNumber::local_id,
               is_group = id.number == LaunchNumber::group_id, is_whole = id == whole_id(id.index);
    if ((!is_item && !is_group) || id.index >= ids_.size() || (id.shift != 0 && !is_whole))
      return nullptr;
    return &ids_[id.index][is_whole ? 2 : is_group];
  }
  Outcome limit(const LaunchAtom &id, WideRange to);
  Outcome leave(const AccessCondition &condition, const LaunchAtom &id, Wide factor, Wide constant);

  // The starts are the integers from `least` on, as many as `contiguous`: each id's factor is at most
  // the number of starts by the ids with smaller factors.
  void add_sweep(const compiler::Sweep &sweep) {
    const auto start = of(sweep.start), step = of_launch_.of(sweep.step),
               bound = of_launch_.of(sweep.bound);
    const auto number_of = [](const std::optional<Factors> &sum) -> std::optional<Wide> {
      if (!sum || sum->size() > 1 || (sum->size() == 1 && sum->begin()->first))
        return std::nullopt;
      return sum->empty() ? 0 : sum->begin()->second;
    };
    const auto by = number_of(step), end = number_of(bound);
    has_unknown_sweep_ = true; // until it is known
    if (!start || !by || !end || *by < 1 || sweep.counter >= counters_.size())
      return;
    Wide least = 0, contiguous = 1;
    std::vector<std::pair<Wide, Wide>> digits;
    for (const auto &[id, factor] : *start) {
      if (!id) {
        least = factor;
        continue;
      }
      const auto range = range_of(*id);
      if (!range || id->number == LaunchNumber::counter || factor < 1 || swept_[id->index])
        return;
      digits.emplace_back(factor, range->most + 1);
    }
    for (const auto &[id, factor] : *start)
      if (id)
        swept_[id->index] = true;
    std::sort(digits.begin(), digits.end());
    for (const auto &[factor, count] : digits) {
      if (factor > contiguous)
        return;
      contiguous += factor * (count - 1);
    }
    if (*by > contiguous || is_beyond(least) || is_beyond(*end))
      return;
    has_empty_sweep_ |= *end <= least;
    counters_[sweep.counter] = {least, std::max(*end, least + 1) - 1};
    has_unknown_sweep_ = --unknown_sweeps_ != 0;
  }

  const LaunchNumbers &of_launch_;
  bool is_uniform_ = true;
  std::array<bool, 3> swept_{}; // by dimension: ids at which work-items start
  bool has_empty_sweep_ = false, has_unknown_sweep_ = false;
  std::size_t unknown_sweeps_ = 0;
  std::array<std::array<WideRange, 3>, 3> ids_{}; // per dimension: items, groups, both together
  std::vector<std::optional<WideRange>> counters_;
  std::vector<LaunchAtom> limited_;
};

Numbers::Outcome Numbers::fulfil(const AccessCondition &condition) {
  const auto factors = of(condition.sum);
  const auto range = factors ? range_of(*factors) : std::nullopt;
  if (!range || !fit(condition.fitting))
    return Outcome::unknown;
  const bool may_be_zero = range->least <= 0 && range->most >= 0,
             is_zero = range->least == 0 && range->most == 0;
  switch (condition.kind) {
  case AccessCondition::is_positive:
    if (range->least > 0 || range->most <= 0)
      return range->least > 0 ? Outcome::always : Outcome::never;
    break;
  case AccessCondition::is_zero:
    if (is_zero || !may_be_zero)
      return is_zero ? Outcome::always : Outcome::never;
    break;
  case AccessCondition::is_not_zero:
    if (is_zero || !may_be_zero)
      return is_zero ? Outcome::never : Outcome::always;
    break;
  }
  Wide constant = 0;
  std::optional<std::pair<LaunchAtom, Wide>> only;
  for (const auto &[id, factor] : *factors)
    if (!id)
      constant = factor;
    else if (only)
      return Outcome::unknown;
    else
      only = {*id, factor};
  return only ? leave(condition, only->first, only->second, constant) : Outcome::unknown;
}

// For the condition on `constant + factor * id`.
Numbers::Outcome Numbers::leave(const AccessCondition &condition, const LaunchAtom &id, Wide factor,
                                Wide constant) {
  const WideRange all = *range_of(id);
  if (condition.kind == AccessCondition::is_positive) {
    // The last value that is not positive, or the last but one that is.
    const Wide bound = floor_of(-constant, factor);
    return factor > 0 ? limit(id, {bound + 1, all.most})
                      : limit(id, {all.least, -constant % factor == 0 ? bound - 1 : bound});
  }
  if (-constant % factor != 0)
    return condition.kind == AccessCondition::is_zero ? Outcome::never : Outcome::always;
  const Wide value = -constant / factor;
  if (condition.kind == AccessCondition::is_zero)
    return limit(id, {value, value});
  if (value == all.least)
    return limit(id, {value + 1, all.most});
  return value == all.most ? limit(id, {all.least, value - 1}) : Outcome::unknown;
}

Numbers::Outcome Numbers::limit(const LaunchAtom &id, WideRange to) {
  auto &range = const_cast<WideRange &>(*known_range(id));
  range = {std::max(range.least, to.least), std::min(range.most, to.most)};
  limited_.push_back(id);
  return range.least > range.most ? Outcome::never : Outcome::sometimes;
}

bool Numbers::is_limited(const Factors &factors) const {
  const auto is_id = [](const LaunchAtom &id) { return id.number <= LaunchNumber::group_id; };
  const auto is_whole = [](const LaunchAtom &id) { return id.shift == 1; };
  auto part = [&](const LaunchAtom &one, const LaunchAtom &other) {
    return is_id(one) && is_id(other) && one.index == other.index &&
           is_whole(one) != is_whole(other);
  };
  return std::any_of(limited_.begin(), limited_.end(), [&](const LaunchAtom &one) {
    return std::any_of(factors.begin(), factors.end(),
                       [&](const auto &each) { return each.first && part(one, *each.first); }) ||
           std::any_of(limited_.begin(), limited_.end(),
                       [&](const LaunchAtom &other) { return part(one, other); });
  });
}

// From the first byte to the end of the last one.
struct Extent {
  Wide begin, end;
};

Extent add_rows(const Numbers &numbers, const Factors &factors, Wide size, AccessedRows &rows) {
  Wide begin = 0;
  std::vector<std::pair<Wide, Wide>> digits; // factor, count
  for (const auto &[id, factor] : factors) {
    if (!id) {
      begin += factor;
      continue;
    }
    const WideRange range = *numbers.range_of(*id);
    begin += factor * (factor < 0 ? range.most : range.least);
    if (range.most != range.least)
      digits.emplace_back(factor < 0 ? -factor : factor, range.most - range.least + 1);
  }
  std::sort(digits.begin(), digits.end());
  Wide end = begin + size, row = size;
  for (const auto &[factor, count] : digits) {
    end += factor * (count - 1);
    if (factor <= row && rows.steps.empty())
      row += factor * (count - 1);
    else
      rows.steps.push_back({std::size_t(factor), std::size_t(count)});
  }
  rows.size = std::size_t(row);
  return {begin, end};
}

const std::byte *pointer_of(const compiler::MustAccess &entry, const compiler::KernelInfo &kernel,
                            const compiler::LaunchInfo &launch) {
  const std::byte *pointer = nullptr;
  if (std::size_t(entry.argument) >= kernel.args.size())
    return pointer;
  const compiler::KernelArg &arg = kernel.args[std::size_t(entry.argument)];
  const auto place = std::size_t(std::max<int64_t>(entry.byte, 0));
  if (place + sizeof pointer <= arg.size)
    std::memcpy(&pointer, static_cast<const std::byte *>(launch.args) + arg.offset + place,
                sizeof pointer);
  return pointer;
}

bool are_in_one_memory(const std::byte *begin, Wide size, std::span<const Access> accesses) {
  auto holds = [&](const std::byte *from, std::size_t bytes) {
    const auto place = uintptr_t(begin) - uintptr_t(from);
    return uintptr_t(begin) >= uintptr_t(from) && place < bytes && size <= Wide(bytes - place);
  };
  for (const Access &access : accesses)
    if (const auto place = uintptr_t(begin) - uintptr_t(access.memory.data());
        place < access.memory.size())
      return holds(access.memory.data(), access.memory.size());
  const auto known = Allocations::instance().any() ? Allocations::instance().find(begin) : nullptr;
  return known && holds(known->begin(), known->size());
}

} // namespace

std::optional<AccessedRows> must_access_rows(const compiler::MustAccess &entry,
                                             const compiler::KernelInfo &kernel,
                                             const LaunchNumbers &of_launch,
                                             std::span<const Access> accesses) {
  const compiler::LaunchInfo &launch = of_launch.launch();
  Numbers numbers(entry, of_launch);
  // A launch that enqueues others makes some accesses before that, and others later.
  if (!numbers.is_uniform() || launch.enqueues)
    return std::nullopt;
  bool is_known = true;
  for (const AccessCondition &each : entry.conditions) {
    const auto outcome = numbers.fulfil(each);
    if (outcome == Numbers::Outcome::never)
      return AccessedRows();
    is_known &= outcome != Numbers::Outcome::unknown;
  }
  if (!is_known)
    return std::nullopt;
  const auto factors = numbers.of(entry.place.offset);
  const auto range = factors ? numbers.range_of(*factors) : std::nullopt;
  if (!range || range->most > beyond_memory || range->least < -beyond_memory ||
      entry.place.size < 1 || numbers.is_limited(*factors) || !numbers.fit(entry.of_iterations) ||
      !numbers.fit(entry.fitting))
    return std::nullopt;
  if (numbers.are_swept(*factors))
    return std::nullopt;
  if (numbers.has_empty_sweep())
    return AccessedRows();
  const std::byte *pointer = pointer_of(entry, kernel, launch);
  AccessedRows rows;
  const Extent extent = add_rows(numbers, *factors, entry.place.size, rows);
  Wide all = 1;
  for (const AccessedRows::Step &each : rows.steps)
    if ((all *= Wide(each.count)) > most_rows)
      return std::nullopt;
  if (!pointer)
    return std::nullopt;
  rows.begin = pointer + std::ptrdiff_t(extent.begin);
  if (!are_in_one_memory(rows.begin, extent.end - extent.begin, accesses))
    return std::nullopt;
  return rows;
}

} // namespace lockstep::runtime
