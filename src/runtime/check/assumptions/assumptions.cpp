#include "runtime/check/assumptions/assumptions.h"

#include "abi/assumptions.h"
#include "runtime/check/assumptions/must_accesses.h"
#include "runtime/check/report/argument_memories.h"
#include "runtime/check/report/launch_numbers.h"
#include "runtime/device/kernel.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace lockstep::runtime {

namespace {

using compiler::LaunchAtom;
using compiler::LaunchNumber;

// For the tile of one item: evenly spaced groups of rows are additional digits.
bool add_rows(std::vector<Wide> begins, FactorsOfIds &digits) {
  while (begins.size() > 1) {
    const Wide step = begins[1] - begins[0];
    std::size_t count = 2;
    while (count < begins.size() && begins[count] - begins[count - 1] == step)
      ++count;
    if (begins.size() % count != 0)
      return false;
    std::vector<Wide> next;
    for (std::size_t i = 0; i < begins.size(); i += count) {
      next.push_back(begins[i]);
      for (std::size_t j = 1; j < count; ++j)
        if (begins[i + j] - begins[i + j - 1] != step)
          return false;
    }
    digits.add(step, Wide(count));
    begins = std::move(next);
  }
  return true;
}

bool is_unequal(const compiler::DistinctAddresses &places, const LaunchNumbers &of_launch) {
  const compiler::LaunchInfo &launch = of_launch.launch();
  AddressNumbers numbers(of_launch, places);
  for (const auto &[sum, bits, is_signed] : places.fitting)
    if (!numbers.fits(sum, bits, is_signed))
      return false;
  std::optional<AddressNumbers::Factors> common;
  std::vector<std::pair<Wide, Wide>> begins; // and sizes
  for (const auto &[offset, size] : places.places) {
    auto factors = numbers.independent(offset);
    if (!factors)
      return false;
    const auto rest = factors->extract(std::nullopt);
    begins.push_back({rest.empty() ? 0 : rest.mapped(), size});
    if (common && *common != *factors)
      return false;
    common = std::move(*factors);
  }
  if (!common)
    return false;
  auto distinguishes = [&](LaunchNumber number, uint32_t dimension) {
    const LaunchAtom id{number, dimension, 0};
    return numbers.has(*common, id);
  };
  for (uint32_t d : {0u, 1u, 2u})
    if ((!places.is_of_one_item && launch.local_size[d] > 1 &&
         !distinguishes(LaunchNumber::local_id, d)) ||
        (launch.num_groups[d] > 1 && !distinguishes(LaunchNumber::group_id, d)))
      return false;
  FactorsOfIds digits;
  for (const auto &[id, factor] : *common) {
    const auto range = numbers.range_of(*id);
    digits.add(factor, range ? range->most - range->least + 1 : beyond_memory);
  }
  std::sort(begins.begin(), begins.end());
  begins.erase(std::unique(begins.begin(), begins.end()), begins.end());
  Wide largest = 0, end = 0;
  std::vector<Wide> rows;
  for (const auto &[begin, size] : begins) {
    largest = std::max(largest, size);
    end = std::max(end, begin + size);
    if (rows.empty() || rows.back() != begin)
      rows.push_back(begin);
  }
  FactorsOfIds more = digits;
  if (add_rows(std::move(rows), more) && more.are_unequal(largest))
    return true;
  return digits.are_unequal(end - begins.front().first);
}

bool are_disjoint(const compiler::DisjointRanges &ranges, const LaunchNumbers &of_launch) {
  const compiler::DistinctAddresses none;
  AddressNumbers numbers(of_launch, none);
  for (const auto &[sum, bits, is_signed] : ranges.fitting)
    if (!numbers.fits(sum, bits, is_signed))
      return false;
  const auto distance = numbers.range_of(ranges.distance), first = numbers.range_of(ranges.first),
             second = numbers.range_of(ranges.second);
  return distance && first && second && first->least >= 0 && second->least >= 0 &&
         (distance->least >= first->most || -distance->most >= second->most);
}

// In bytes. Returns nothing if the program gave an address: it may point into the middle of its
// memory, or to released memory.
std::optional<Wide> size_of_memory(const compiler::InBoundsAccess &in_bounds,
                                   const compiler::KernelInfo &kernel,
                                   std::span<const Access> accesses,
                                   std::span<const uint64_t> local_sizes) {
  const int64_t argument = in_bounds.places.argument;
  if (argument < 0)
    return in_bounds.size;
  if (std::size_t(argument) >= kernel.args.size())
    return std::nullopt;
  const compiler::ArgKind kind = kernel.args[std::size_t(argument)].kind;
  if (kind == compiler::ArgKind::local_pointer && std::size_t(argument) < local_sizes.size())
    return local_sizes[std::size_t(argument)];
  if (kind == compiler::ArgKind::global_pointer)
    for (const Access &access : accesses)
      if (access.argument == argument && !access.is_placed)
        return access.memory.size();
  return std::nullopt;
}

bool are_in_bounds(const compiler::InBoundsAccess &in_bounds, const compiler::KernelInfo &kernel,
                   const LaunchNumbers &of_launch, std::span<const Access> accesses,
                   std::span<const uint64_t> local_sizes) {
  const auto size = size_of_memory(in_bounds, kernel, accesses, local_sizes);
  AddressNumbers numbers(of_launch, in_bounds.places, /*exactly=*/true);
  for (const auto &[sum, bits, is_signed] : in_bounds.places.fitting)
    if (!numbers.fits(sum, bits, is_signed))
      return false;
  return size && std::all_of(in_bounds.places.places.begin(), in_bounds.places.places.end(),
                             [&](const compiler::AccessAddress &place) {
                               const auto range = numbers.range_of(place.offset);
                               return range && range->least >= 0 &&
                                      range->most + place.size <= *size;
                             });
}

} // namespace

uint64_t failed_assumptions(const compiler::Assumptions &all, const compiler::KernelInfo &kernel,
                            const compiler::LaunchInfo &launch, std::span<const Access> accesses,
                            std::span<const uint64_t> local_sizes) {
  const LaunchNumbers numbers(kernel, launch);
  uint64_t failed = 0;
  if (all.are_disjoint)
    failed = ArgumentMemories(all.arguments, kernel, numbers, accesses).overlapping();
  for (const compiler::DistinctAddresses &places : all.unequal)
    if (!is_unequal(places, numbers))
      failed |= uint64_t(1) << places.number;
  for (const compiler::DisjointRanges &ranges : all.ranges)
    if (!are_disjoint(ranges, numbers))
      failed |= uint64_t(1) << ranges.number;
  for (const compiler::MustAccess &entry : all.must_accesses)
    if (!(failed >> entry.number & 1) && !must_access_rows(entry, kernel, numbers, accesses))
      failed |= uint64_t(1) << entry.number;
  for (const compiler::InBoundsAccess &each : all.in_bounds)
    if (!are_in_bounds(each, kernel, numbers, accesses, local_sizes))
      failed |= uint64_t(1) << each.places.number;
  return failed;
}

// ---- accessed bytes

namespace {

// A launch may access a part of each row of an image.
bool is_image(const compiler::KernelInfo &kernel, int64_t argument) {
  return std::size_t(argument) < kernel.args.size() &&
         kernel.args[std::size_t(argument)].kind == compiler::ArgKind::image;
}

// Whether the addresses, which all differ, cover every byte from the first to the last one.
bool are_all(const compiler::DistinctAddresses &places, AddressNumbers &numbers, Wide begin,
             Wide end) {
  Wide all = 0;
  for (const auto &[offset, size] : places.places) {
    const auto factors = numbers.independent(offset);
    if (!factors)
      return false;
    Wide bytes = size;
    for (const auto &[id, factor] : *factors)
      if (const auto range = id ? numbers.range_of(*id) : WideRange(); !range || bytes > end)
        return false;
      else
        bytes *= range->most - range->least + 1;
    all += bytes;
  }
  return all >= end - begin;
}

const compiler::ArgumentUse *use_of(const Access &access, const compiler::Assumptions &all) {
  for (const compiler::ArgumentUse &each : all.arguments)
    if (access.argument >= 0 && each.byte < 0 && each.argument == access.argument)
      return &each;
  return nullptr;
}

} // namespace

std::vector<ReachedBytes> reached_bytes(const compiler::Assumptions *all,
                                        const compiler::KernelInfo &kernel,
                                        const compiler::LaunchInfo &launch,
                                        std::span<const Access> accesses) {
  const bool is_known = all && !all->uses_others;
  const LaunchNumbers numbers(kernel, launch);
  std::vector<ReachedBytes> reached;
  for (const Access &access : accesses) {
    const compiler::ArgumentUse *use = is_known ? use_of(access, *all) : nullptr;
    if (is_known && !use)
      continue; // the kernel does not use it
    ReachedBytes bytes{&access, 0, access.memory.size(), writes(access.mode), false, false};
    if (is_known) {
      bytes.writes = use->writes;
      bytes.is_atomic = use->is_atomic || all->synchronizes;
      for (const compiler::DistinctAddresses &places : all->unequal) {
        if (places.argument != access.argument || is_image(kernel, access.argument))
          continue;
        AddressNumbers of_places(numbers, places);
        Wide begin = beyond_memory, end = 0;
        for (const auto &[offset, size] : places.places)
          if (const auto range = of_places.range_of(offset)) {
            begin = std::min(begin, range->least);
            end = std::max(end, range->most + size);
          } else {
            begin = 0;
            end = beyond_memory;
          }
        bytes.begin = std::size_t(std::clamp<Wide>(begin, 0, Wide(access.memory.size())));
        bytes.end = std::size_t(std::clamp<Wide>(end, 0, Wide(access.memory.size())));
        bytes.is_exact = !places.are_bounds && end <= Wide(access.memory.size()) &&
                         are_all(places, of_places, begin, end);
      }
    }
    reached.push_back(bytes);
  }
  return reached;
}

std::vector<ReachedBytes> reached_by(const Launch &launch) {
  std::vector<ReachedBytes> all;
  if (!launch.observer().reached(all))
    for (const Access &access : launch.accesses())
      all.push_back({&access, 0, access.memory.size(), writes(access.mode), false, false});
  return all;
}

} // namespace lockstep::runtime
