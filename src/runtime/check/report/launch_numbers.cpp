#include "runtime/check/report/launch_numbers.h"

#include "abi/image_descriptor.h"

#include <algorithm>
#include <cstring>

namespace lockstep::runtime {

namespace {

using compiler::LaunchAtom;
using compiler::LaunchNumber;
using compiler::LaunchSum;
using Factors = LaunchNumbers::Factors;

bool is_beyond(Wide value) {
  return value > beyond_memory || value < -beyond_memory;
}

// The constant part has no id.
Wide take_constant(Factors &factors) {
  const auto rest = factors.extract(std::nullopt);
  return rest.empty() ? 0 : rest.mapped();
}

bool add(Factors &to, const Factors &more, Wide times) {
  for (const auto &[id, factor] : more)
    if (is_beyond(to[id] += factor * times))
      return false;
  return true;
}

} // namespace

// ---- launch parameters

std::optional<Wide> LaunchNumbers::of(const LaunchAtom &atom) const {
  switch (atom.number) {
  case LaunchNumber::global_size:
    return launch_.global_size[atom.index];
  case LaunchNumber::local_size:
    return launch_.local_size[atom.index];
  case LaunchNumber::num_groups:
    return launch_.num_groups[atom.index];
  case LaunchNumber::global_offset:
    return launch_.global_offset[atom.index];
  case LaunchNumber::argument:
    return of_argument(atom);
  case LaunchNumber::member:
    return of_member(atom);
  case LaunchNumber::image:
    return of_image(atom);
  default:
    return std::nullopt;
  }
}

std::optional<Factors> LaunchNumbers::of(const LaunchSum &sum) const {
  Factors factors;
  for (const auto &[factor, atoms] : sum) {
    Wide product = factor;
    std::optional<LaunchAtom> id;
    for (const LaunchAtom &atom : atoms) {
      if (atom.differs()) {
        if (id) // not a sum of ids
          return std::nullopt;
        id = atom;
        continue;
      }
      const auto value = of(atom);
      if (!value || is_beyond(*value) || is_beyond(product *= *value))
        return std::nullopt;
    }
    if (is_beyond(factors[id] += product))
      return std::nullopt;
  }
  // A quotient stays even with factor 0: its value may be unknown.
  std::erase_if(factors, [](const auto &each) {
    return each.second == 0 && !(each.first && each.first->number == LaunchNumber::quotient);
  });
  return factors;
}

namespace {

// The signedness of the value is unknown: a value for which it matters is rejected.
std::optional<Wide> number_at(const void *block, std::size_t offset, std::size_t size,
                              unsigned shift) {
  if (size == 0 || size > 8)
    return std::nullopt;
  uint64_t value = 0;
  std::memcpy(&value, static_cast<const std::byte *>(block) + offset, size);
  if (value >> (8 * size - 1))
    return std::nullopt;
  return Wide(value >> shift);
}

} // namespace

std::optional<Wide> LaunchNumbers::of_argument(const LaunchAtom &atom) const {
  if (atom.index >= kernel_.args.size())
    return std::nullopt;
  const compiler::KernelArg &arg = kernel_.args[atom.index];
  return arg.kind == compiler::ArgKind::value
             ? number_at(launch_.args, arg.offset, arg.size, atom.shift)
             : std::nullopt;
}

std::optional<Wide> LaunchNumbers::of_member(const LaunchAtom &atom) const {
  if (atom.index >= kernel_.args.size())
    return std::nullopt;
  const compiler::KernelArg &arg = kernel_.args[atom.index];
  return arg.kind == compiler::ArgKind::value && uint64_t(atom.byte) + atom.size <= arg.size
             ? number_at(launch_.args, arg.offset + atom.byte, atom.size, atom.shift)
             : std::nullopt;
}

std::optional<Wide> LaunchNumbers::of_image(const LaunchAtom &atom) const {
  if (atom.index >= kernel_.args.size() ||
      kernel_.args[atom.index].kind != compiler::ArgKind::image)
    return std::nullopt;
  const std::byte *descriptor = nullptr;
  std::memcpy(&descriptor,
              static_cast<const std::byte *>(launch_.args) + kernel_.args[atom.index].offset,
              sizeof descriptor);
  const uint32_t size = compiler::size_of_image_word(atom.shift);
  if (!descriptor || size == 0)
    return std::nullopt;
  uint64_t value = 0;
  std::memcpy(&value, descriptor + atom.shift, size);
  return Wide(value);
}

bool FactorsOfIds::are_unequal(Wide extent) {
  std::sort(each_.begin(), each_.end());
  for (const auto &[factor, count] : each_) {
    if (factor < extent)
      return false;
    extent = count >= beyond_memory || is_beyond(factor * (count - 1))
                 ? 2 * beyond_memory
                 : extent + factor * (count - 1);
  }
  return true;
}

// ---- addresses

namespace {

// Ids for a quotient whose dividend has ids only, and for a digit.
LaunchAtom own_quotient(uint32_t division) {
  return {LaunchNumber::quotient, division, 1};
}

} // namespace

LaunchAtom AddressNumbers::digit(std::size_t number, std::size_t place) {
  return {LaunchNumber::quotient, uint32_t(number), uint32_t(2 + place)};
}

AddressNumbers::AddressNumbers(const LaunchNumbers &numbers,
                               const compiler::DistinctAddresses &places, bool exactly)
    : numbers_(numbers), exactly_(exactly) {
  for (std::size_t i = 0; i != places.counters.size(); ++i) {
    const LaunchSum &counter = places.counters[i];
    const int64_t step = i < places.steps.size() ? places.steps[i] : 1;
    auto factors = numbers.of(counter);
    if (counter.empty() || !factors || step < 1)
      trip_counts_.push_back(beyond_memory);
    else // a loop with no iterations may not be reported as such
      trip_counts_.push_back(std::max<Wide>(1, take_constant(*factors) / step));
  }
  for (uint32_t i = 0; i != places.divisions.size(); ++i)
    add(places.divisions[i], i);
  for (const compiler::Guard &guard : places.guards)
    add(guard);
  Factors used;
  for (const auto &[offset, size] : places.places)
    if (const auto factors = numbers.of(offset))
      for (const auto &[id, factor] : *factors)
        if (const auto equal = id ? equal_.find(*id) : equal_.end(); equal != equal_.end())
          used.insert(equal->second.begin(), equal->second.end());
  for (Digits &each : digits_)
    std::erase_if(each.quotients, [&](auto &quotient) {
      return std::none_of(quotient.second.begin(), quotient.second.end(),
                          [&](const Id &id) { return used.contains(id); });
    });
}

std::optional<WideRange> AddressNumbers::range_of(const LaunchAtom &atom) const {
  const compiler::LaunchInfo &launch = numbers_.launch();
  switch (atom.number) {
  case LaunchNumber::local_id:
    return WideRange{0, Wide(launch.local_size[atom.index]) - 1};
  case LaunchNumber::group_id:
    return WideRange{0, Wide(launch.num_groups[atom.index]) - 1};
  case LaunchNumber::counter:
    if (atom.index >= trip_counts_.size() || trip_counts_[atom.index] >= beyond_memory)
      return std::nullopt;
    return WideRange{0, trip_counts_[atom.index] - 1};
  default:
    break;
  }
  const auto found = ranges_.find(atom);
  return found == ranges_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<WideRange> AddressNumbers::range_of(const Factors &factors) const {
  WideRange all;
  for (const auto &[id, factor] : factors) {
    const auto range = id ? range_of(*id) : WideRange{1, 1};
    if (!range || is_beyond(range->least * factor) || is_beyond(range->most * factor))
      return std::nullopt;
    all.least += factor * (factor < 0 ? range->most : range->least);
    all.most += factor * (factor < 0 ? range->least : range->most);
  }
  return all;
}

std::optional<WideRange> AddressNumbers::range_of(const LaunchSum &sum) {
  if (const auto factors = independent(sum))
    return range_of(*factors);
  const auto factors = numbers_.of(sum);
  return factors ? range_of(*factors) : std::nullopt;
}

bool AddressNumbers::has(const Factors &factors, const LaunchAtom &id) const {
  for (std::size_t i = 0; i != digits_.size(); ++i)
    if (factors.contains(digit(i, 0)) && digits_[i].dividend.contains(id))
      return true;
  return factors.contains(id);
}

// Divisions that cannot be evaluated are omitted: sums with their quotients are unknown then.
void AddressNumbers::add(const compiler::Division &division, uint32_t number) {
  const Id quotient{LaunchNumber::quotient, number, 0}, own = own_quotient(number);
  auto dividend = numbers_.of(division.dividend), divisor = numbers_.of(division.divisor);
  const auto range = range_of(division.dividend);
  if (!dividend || !divisor || !range)
    return;
  Wide by = take_constant(*divisor);
  const bool is_power = (by & (by - 1)) == 0;
  if (!divisor->empty() || by < 1 || (division.is_by_power_of_two && !is_power) ||
      range->least < 0 || range->most >> division.bits != 0)
    return;
  ranges_[quotient] = {range->least / by, range->most / by};
  Factors multiples, rest; // multiples of the divisor: added to the quotient
  for (const auto &[id, factor] : *dividend)
    if (!id || id->number != LaunchNumber::quotient)
      rest[id] += factor;
    else if (const auto equal = equal_.find(*id);
             equal == equal_.end() ||
             !(factor % by == 0 ? runtime::add(multiples, equal->second, factor / by)
                                : runtime::add(rest, equal->second, factor)))
      return;
  Digits *digits = digits_of(std::move(rest), by);
  if (!digits || is_beyond(by))
    return;
  ranges_[own] = {digits->range.least / by, digits->range.most / by};
  digits->quotients[by].push_back(own);
  multiples[own] = 1;
  equal_[quotient] = std::move(multiples);
}

// A guarded sum is a number with digits, too: it has no quotients, or the guard reduces its digits.
void AddressNumbers::add(const compiler::Guard &guard) {
  for (const auto &[sum, bits, is_signed] : guard.fitting)
    if (!fits(sum, bits, is_signed))
      return;
  auto sum = numbers_.of(guard.sum), bound = numbers_.of(guard.bound);
  if (!sum || !bound)
    return;
  const Wide constant = take_constant(*sum), end = take_constant(*bound);
  const auto is_quotient = [](const auto &each) {
    return each.first->number == LaunchNumber::quotient;
  };
  if (!bound->empty() || sum->empty() || std::any_of(sum->begin(), sum->end(), is_quotient) ||
      !fits_or_is_negative(guard.sum, guard.bits, guard.is_signed) ||
      (!guard.is_signed && end <= 0)) // a large number
    return;
  // The limits of the ids, whose factors are made positive.
  const bool is_negated = sum->begin()->second < 0;
  if (is_negated)
    for (auto &[id, factor] : *sum)
      factor = -factor;
  auto digits = std::find_if(digits_.begin(), digits_.end(),
                             [&](const Digits &each) { return each.dividend == *sum; });
  if (digits == digits_.end())
    digits =
        digits_.insert(digits, digits_from(std::move(*sum), is_negated ? -constant : constant));
  digits->is_guarded = true;
  WideRange ids{-2 * beyond_memory, 2 * beyond_memory};
  if (is_negated)
    ids.least = constant - end + 1;
  else
    ids.most = end - 1 - constant;
  if (!guard.is_signed) // negative values are large
    (is_negated ? ids.most : ids.least) = is_negated ? constant : -constant;
  digits->range.least = std::max(digits->range.least, ids.least + digits->constant);
  digits->range.most = std::min(digits->range.most, ids.most + digits->constant);
}

bool AddressNumbers::fits_or_is_negative(const LaunchSum &sum, int64_t bits, bool is_signed) {
  const auto range = range_of(sum);
  return range && range->most < Wide(1) << (bits - is_signed) &&
         range->least >= -(Wide(1) << (bits - 1));
}

bool AddressNumbers::fits(const LaunchSum &sum, int64_t bits, bool is_signed) {
  if (!fits_or_is_negative(sum, bits, is_signed))
    return false;
  return is_signed || !exactly_ || range_of(sum)->least >= 0;
}

// The digits of the dividend. If that is a quotient itself, those of its dividend; `by` becomes the
// product of both divisors.
AddressNumbers::Digits *AddressNumbers::digits_of(Factors dividend, Wide &by) {
  const Wide constant = take_constant(dividend);
  const auto has_quotient = [](const auto &each) {
    return each.first->number == LaunchNumber::quotient;
  };
  if (std::any_of(dividend.begin(), dividend.end(), has_quotient)) {
    if (dividend.size() != 1 || dividend.begin()->second != 1 || constant != 0)
      return nullptr;
    for (Digits &each : digits_)
      for (const auto &[divisor, ids] : each.quotients)
        if (std::find(ids.begin(), ids.end(), *dividend.begin()->first) != ids.end()) {
          by *= divisor;
          return &each;
        }
    return nullptr;
  }
  auto digits = std::find_if(digits_.begin(), digits_.end(), [&](const Digits &each) {
    return each.dividend == dividend && each.constant == constant;
  });
  if (digits == digits_.end())
    digits = digits_.insert(digits, digits_from(std::move(dividend), constant));
  return digits->are_valid ? &*digits : nullptr;
}

// Valid if different ids have different values.
AddressNumbers::Digits AddressNumbers::digits_from(Factors dividend, Wide constant) const {
  FactorsOfIds ids;
  for (const auto &[id, factor] : dividend) {
    const auto own = range_of(*id);
    ids.add(factor, own ? own->most - own->least + 1 : beyond_memory);
  }
  Factors all = dividend;
  all[std::nullopt] = constant;
  const auto range = range_of(all);
  return {.dividend = std::move(dividend),
          .constant = constant,
          .are_valid = range && ids.are_unequal(1),
          .range = range.value_or(WideRange())};
}

// The factor of the number in the sum, if the sum has its ids in the same proportions.
std::optional<Wide> AddressNumbers::times_in(const Factors &factors, const Digits &digits) {
  std::optional<Wide> times;
  for (const auto &[id, factor] : digits.dividend) {
    const auto found = factors.find(id);
    const Wide here = found == factors.end() ? 0 : found->second;
    if (times.value_or(here / factor) * factor != here)
      return std::nullopt;
    times = here / factor;
  }
  return times.value_or(0);
}

// Returns false if the ids must be replaced by digits, but cannot.
bool AddressNumbers::replace(Factors &factors, std::size_t number) {
  const Digits &digits = digits_[number];
  const auto times = times_in(factors, digits);
  if (digits.quotients.empty() &&
      (!digits.is_guarded || !digits.are_valid || !times || *times == 0))
    return true;
  if (!times)
    return false;
  for (const auto &[id, factor] : digits.dividend)
    factors.erase(id);
  factors[std::nullopt] -= *times * digits.constant;
  Wide factor = *times, before = 1;
  std::size_t place = 0;
  auto add_digit = [&](WideRange range) {
    ranges_[digit(number, place)] = range;
    factors[digit(number, place++)] = factor;
  };
  for (const auto &[divisor, ids] : digits.quotients) {
    if (divisor % before != 0 || is_beyond(factor * (divisor / before)))
      return false;
    add_digit({0, std::min(divisor / before - 1, digits.range.most / before)});
    factor *= divisor / before;
    for (const Id &id : ids)
      if (const auto found = factors.find(id); found != factors.end()) {
        factor += found->second;
        factors.erase(found);
      }
    before = divisor;
  }
  add_digit({digits.range.least / before, digits.range.most / before});
  return true;
}

std::optional<Factors> AddressNumbers::independent(const LaunchSum &sum) {
  const auto given = numbers_.of(sum);
  if (!given)
    return std::nullopt;
  Factors factors;
  for (const auto &[id, factor] : *given)
    if (!id || id->number != LaunchNumber::quotient)
      factors[id] += factor;
    else if (const auto equal = equal_.find(*id);
             equal == equal_.end() || !runtime::add(factors, equal->second, factor))
      return std::nullopt;
  for (std::size_t i = 0; i != digits_.size(); ++i)
    if (!replace(factors, i))
      return std::nullopt;
  for (const auto &[id, factor] : factors)
    if (id && id->number == LaunchNumber::quotient && id->shift < 2)
      return std::nullopt;
  return factors;
}

} // namespace lockstep::runtime
