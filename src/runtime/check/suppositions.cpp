#include "runtime/check/suppositions.h"

#include "compiler/suppositions.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <optional>
#include <utility>

namespace lockstep::runtime {

namespace {

using compiler::LaunchAtom;
using compiler::LaunchNumber;
using compiler::LaunchSum;
using Wide = __int128;

constexpr Wide beyond_memory = Wide(1) << 62;

bool is_beyond(Wide value) {
  return value > beyond_memory || value < -beyond_memory;
}

// What comes from a launch in numbers: nothing where one is too large.
class Numbers {
public:
  Numbers(const compiler::KernelInfo &kernel, const compiler::LaunchInfo &launch)
      : kernel_(kernel), launch_(launch) {}

  // How many values an id has: 0 to one less.
  uint64_t count_of(const LaunchAtom &id) const {
    return id.number == LaunchNumber::local_id ? launch_.local_size[id.index]
                                               : launch_.num_groups[id.index];
  }

  std::optional<Wide> of(const LaunchAtom &atom) const {
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
    default:
      return std::nullopt;
    }
  }

  // The sum as a factor for each id, and the rest under no id.
  using Factors = std::map<std::optional<LaunchAtom>, Wide>;
  std::optional<Factors> of(const LaunchSum &sum) const {
    Factors factors;
    for (const auto &[factor, atoms] : sum) {
      Wide product = factor;
      std::optional<LaunchAtom> id;
      for (const LaunchAtom &atom : atoms) {
        if (atom.differs()) {
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
    return factors;
  }

  std::optional<std::pair<Wide, Wide>> range_of(const LaunchSum &sum,
                                                std::span<const Wide> rounds) const {
    const auto factors = of(sum);
    if (!factors)
      return std::nullopt;
    Wide least = 0, most = 0;
    for (const auto &[id, factor] : *factors) {
      if (!id) {
        least += factor;
        most += factor;
        continue;
      }
      const Wide last = id->number == LaunchNumber::counter
                            ? (id->index < rounds.size() ? rounds[id->index] - 1 : beyond_memory)
                            : Wide(count_of(*id)) - 1;
      if (factor != 0 && (last >= beyond_memory || is_beyond(last * factor)))
        return std::nullopt;
      (factor < 0 ? least : most) += factor * last;
    }
    return std::pair(least, most);
  }

private:
  // Of an argument of type int or uint, nobody knows which; one that would tell is refused.
  std::optional<Wide> of_argument(const LaunchAtom &atom) const {
    if (atom.index >= kernel_.args.size())
      return std::nullopt;
    const compiler::KernelArg &arg = kernel_.args[atom.index];
    if (arg.kind != compiler::ArgKind::value || arg.size > 8)
      return std::nullopt;
    uint64_t value = 0;
    std::memcpy(&value, static_cast<const std::byte *>(launch_.args) + arg.offset, arg.size);
    if (value >> (8 * arg.size - 1))
      return std::nullopt;
    return Wide(value >> atom.shift);
  }

  const compiler::KernelInfo &kernel_;
  const compiler::LaunchInfo &launch_;
};

// Places c + f1 * a1 + f2 * a2 ... differ in one of the a at least, if each f is larger than all that those before it can
// make: digits of a number.
class Digits {
public:
  void add(Wide factor, Wide count) {
    if (count > 1)
      digits_.push_back({factor < 0 ? -factor : factor, count});
  }
  bool are_unequal(Wide extent) {
    std::sort(digits_.begin(), digits_.end());
    for (const auto &[factor, count] : digits_) {
      if (factor < extent)
        return false;
      extent = count >= beyond_memory || is_beyond(factor * (count - 1))
                   ? 2 * beyond_memory
                   : extent + factor * (count - 1);
    }
    return true;
  }

private:
  std::vector<std::pair<Wide, Wide>> digits_;
};

std::vector<Wide> rounds_of(const compiler::UnequalPlaces &places, const Numbers &numbers) {
  std::vector<Wide> rounds;
  for (const LaunchSum &counter : places.counters) {
    const auto factors = numbers.of(counter);
    if (counter.empty() || !factors)
      rounds.push_back(beyond_memory);
    else // those of 0 is not always told
      rounds.push_back(std::max<Wide>(1, factors->contains({}) ? factors->at({}) : 0));
  }
  return rounds;
}

bool is_unequal(const compiler::UnequalPlaces &places, const Numbers &numbers,
                const compiler::LaunchInfo &launch) {
  const std::vector<Wide> rounds = rounds_of(places, numbers);
  for (const auto &[sum, bits, is_signed] : places.fitting) {
    const auto range = numbers.range_of(sum, rounds);
    if (!range || range->second >= Wide(1) << (bits - is_signed) ||
        range->first < -(Wide(1) << (bits - 1)))
      return false;
  }
  std::optional<Numbers::Factors> common;
  std::vector<std::pair<Wide, Wide>> begins; // and sizes
  for (const auto &[offset, size] : places.places) {
    auto factors = numbers.of(offset);
    if (!factors)
      return false;
    const auto rest = factors->extract(std::nullopt);
    begins.push_back({rest.empty() ? 0 : rest.mapped(), size});
    std::erase_if(*factors, [](const auto &each) { return each.second == 0; });
    if (common && *common != *factors)
      return false;
    common = std::move(*factors);
  }
  if (!common)
    return false;
  Digits digits;
  for (uint32_t d : {0u, 1u, 2u}) {
    const LaunchAtom local{LaunchNumber::local_id, d, 0}, group{LaunchNumber::group_id, d, 0};
    if ((!places.is_of_one_item && launch.local_size[d] > 1 && !common->contains(local)) ||
        (launch.num_groups[d] > 1 && !common->contains(group)))
      return false;
  }
  for (const auto &[id, factor] : *common)
    digits.add(factor, id->number == LaunchNumber::counter
                           ? (id->index < rounds.size() ? rounds[id->index] : beyond_memory)
                           : Wide(numbers.count_of(*id)));
  std::sort(begins.begin(), begins.end());
  begins.erase(std::unique(begins.begin(), begins.end()), begins.end());
  Wide largest = 0, end = 0;
  bool is_even = begins.size() > 1;
  for (std::size_t i = 0; i < begins.size(); ++i) {
    largest = std::max(largest, begins[i].second);
    end = std::max(end, begins[i].first + begins[i].second);
    is_even &= i == 0 || begins[i].first - begins[i - 1].first == begins[1].first - begins[0].first;
  }
  if (is_even && begins[1].first - begins[0].first >= largest) { // rows of a tile: a digit more
    Digits more = digits;
    more.add(begins[1].first - begins[0].first, Wide(begins.size()));
    if (more.are_unequal(largest))
      return true;
  }
  return digits.are_unequal(end - begins.front().first);
}

// An argument's bytes; none: not known, or nothing.
bool overlap(std::span<const compiler::ArgumentUse> uses, const compiler::KernelInfo &kernel,
             const compiler::LaunchInfo &launch, std::span<const Access> accesses) {
  struct Range {
    const std::byte *begin, *end;
    bool writes;
  };
  std::vector<Range> ranges;
  for (const auto &[argument, writes, is_atomic] : uses) {
    const auto found = std::find_if(accesses.begin(), accesses.end(),
                                    [&](const Access &each) { return each.argument == argument; });
    if (found != accesses.end()) {
      ranges.push_back({found->memory.data(), found->memory.data() + found->memory.size(), writes});
      continue;
    }
    const void *address = nullptr;
    if (std::size_t(argument) >= kernel.args.size())
      return true;
    std::memcpy(&address,
                static_cast<const std::byte *>(launch.args) +
                    kernel.args[std::size_t(argument)].offset,
                sizeof address);
    if (address)
      return true;
  }
  for (std::size_t i = 0; i < ranges.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if ((ranges[i].writes || ranges[j].writes) && ranges[i].begin < ranges[j].end &&
          ranges[j].begin < ranges[i].end)
        return true;
  return false;
}

} // namespace

uint64_t refused_suppositions(std::span<const int64_t> words, const compiler::KernelInfo &kernel,
                              const compiler::LaunchInfo &launch,
                              std::span<const Access> accesses) {
  if (words.empty())
    return 0;
  const compiler::Suppositions all = compiler::suppositions_of(words);
  if (all.are_apart && overlap(all.arguments, kernel, launch, accesses))
    return compiler::all_suppositions;
  const Numbers numbers(kernel, launch);
  uint64_t refused = 0;
  for (const compiler::UnequalPlaces &places : all.unequal)
    if (!is_unequal(places, numbers, launch))
      refused |= uint64_t(1) << places.number;
  return refused;
}

// ---- which bytes

std::vector<ReachedBytes> reached_bytes(std::span<const int64_t> words,
                                        const compiler::KernelInfo &kernel,
                                        const compiler::LaunchInfo &launch,
                                        std::span<const Access> accesses) {
  const compiler::Suppositions all = compiler::suppositions_of(words);
  const bool is_known = !words.empty() && !all.uses_others;
  const Numbers numbers(kernel, launch);
  std::vector<ReachedBytes> reached;
  for (const Access &access : accesses) {
    const auto use =
        std::find_if(all.arguments.begin(), all.arguments.end(), [&](const auto &each) {
          return access.argument >= 0 && each.argument == access.argument;
        });
    if (is_known && use == all.arguments.end())
      continue; // the kernel does nothing with it
    ReachedBytes bytes{&access, 0, access.memory.size(), writes(access.mode), false, false};
    if (is_known) {
      bytes.writes = use->writes;
      bytes.is_atomic = use->is_atomic || all.synchronises;
      for (const compiler::UnequalPlaces &places : all.unequal) {
        if (places.argument != access.argument)
          continue;
        const std::vector<Wide> rounds = rounds_of(places, numbers);
        Wide begin = beyond_memory, end = 0;
        for (const auto &[offset, size] : places.places)
          if (const auto range = numbers.range_of(offset, rounds)) {
            begin = std::min(begin, range->first);
            end = std::max(end, range->second + size);
          } else {
            begin = 0;
            end = beyond_memory;
          }
        bytes.begin = std::size_t(std::clamp<Wide>(begin, 0, Wide(access.memory.size())));
        bytes.end = std::size_t(std::clamp<Wide>(end, 0, Wide(access.memory.size())));
        bytes.is_exact = end <= Wide(access.memory.size());
      }
    }
    reached.push_back(bytes);
  }
  return reached;
}

} // namespace lockstep::runtime
