#include "kernel_ir/specialization_attributes.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Function.h"

#include <utility>

namespace lockstep::compiler {

namespace {

// "a,b,c"; zeros if the attribute is absent.
std::array<uint32_t, 3> three_numbers(const llvm::Function &function, const char *attribute) {
  std::array<uint32_t, 3> numbers{};
  llvm::SmallVector<llvm::StringRef, 3> fields;
  function.getFnAttribute(attribute).getValueAsString().split(fields, ',');
  if (fields.size() != 3)
    return numbers;
  for (unsigned dimension = 0; dimension != 3; ++dimension)
    if (fields[dimension].getAsInteger(10, numbers[dimension]))
      return {};
  return numbers;
}

void set_three_numbers(llvm::Function &function, const char *attribute,
                       std::array<uint32_t, 3> numbers) {
  function.addFnAttr(attribute, llvm::utostr(numbers[0]) + "," + llvm::utostr(numbers[1]) + "," +
                                    llvm::utostr(numbers[2]));
}

// "a,b,...", of any length.
llvm::SmallVector<uint32_t> numbers_of(const llvm::Function &function, const char *attribute) {
  llvm::SmallVector<llvm::StringRef> fields;
  function.getFnAttribute(attribute).getValueAsString().split(fields, ',', -1, /*KeepEmpty=*/false);
  llvm::SmallVector<uint32_t> numbers(fields.size());
  for (auto [field, number] : llvm::zip(fields, numbers))
    if (field.getAsInteger(10, number))
      return {};
  return numbers;
}

void set_numbers(llvm::Function &function, const char *attribute,
                 llvm::ArrayRef<uint32_t> numbers) {
  std::string text;
  for (uint32_t number : numbers)
    text += (text.empty() ? "" : ",") + llvm::utostr(number);
  function.addFnAttr(attribute, text);
}

constexpr char coalesced_groups_attribute[] = "lockstep-coalesced-groups";

} // namespace

std::array<uint32_t, 3> specialized_local_size(const llvm::Function &function) {
  return three_numbers(function, "lockstep-local-size");
}

void set_specialized_local_size(llvm::Function &function, std::array<uint32_t, 3> size) {
  set_three_numbers(function, "lockstep-local-size", size);
}

std::array<uint32_t, 3> own_local_size(const llvm::Function &function) {
  auto size = specialized_local_size(function);
  for (const CoalescedGroups &coalesced : coalesced_groups(function))
    size[coalesced.local_dimension] /= coalesced.count;
  return size;
}

std::array<uint32_t, 3> neighbor_groups(const llvm::Function &function) {
  auto most = three_numbers(function, "lockstep-neighbor-groups");
  return most[0] ? most : std::array<uint32_t, 3>{1, 1, 1};
}

void set_neighbor_groups(llvm::Function &function, std::array<uint32_t, 3> most) {
  set_three_numbers(function, "lockstep-neighbor-groups", most);
}

uint32_t lane_dimension(const llvm::Function &function) {
  uint32_t dimension = 0;
  function.getFnAttribute("lockstep-lane-dimension").getValueAsString().getAsInteger(10, dimension);
  return dimension;
}

void set_lane_dimension(llvm::Function &function, uint32_t dimension) {
  function.addFnAttr("lockstep-lane-dimension", llvm::utostr(dimension));
}

static uint32_t renamed(uint32_t dimension, uint32_t other) {
  return dimension == 0 ? other : dimension == other ? 0 : dimension;
}

uint32_t launch_dimension(const llvm::Function &function, uint32_t dimension) {
  return renamed(dimension, lane_dimension(function));
}

void rename_dimensions_of_attributes(llvm::Function &function, uint32_t other) {
  for (const char *name :
       {"lockstep-local-size", "lockstep-neighbor-groups", "lockstep-calls-per-group"})
    if (function.hasFnAttribute(name)) {
      auto numbers = three_numbers(function, name);
      std::swap(numbers[0], numbers[other]);
      set_three_numbers(function, name, numbers);
    }
  const auto coalesced = coalesced_groups(function);
  function.removeFnAttr(coalesced_groups_attribute);
  for (const CoalescedGroups &groups : coalesced)
    add_coalesced_groups(function, {renamed(groups.dimension, other), groups.count,
                                    renamed(groups.local_dimension, other)});
}

uint32_t first_dimension(const llvm::Function &function) {
  uint32_t dimension = 0;
  function.getFnAttribute("lockstep-first-dimension")
      .getValueAsString()
      .getAsInteger(10, dimension);
  return dimension;
}

void set_first_dimension(llvm::Function &function, uint32_t dimension) {
  function.addFnAttr("lockstep-first-dimension", llvm::utostr(dimension));
}

bool suits_squares(const llvm::Function &function) {
  return function.hasFnAttribute("lockstep-suits-squares");
}

void set_suits_squares(llvm::Function &function) {
  function.addFnAttr("lockstep-suits-squares");
}

llvm::SmallVector<uint32_t> image_arguments(const llvm::Function &function) {
  return numbers_of(function, "lockstep-image-arguments");
}

void set_image_arguments(llvm::Function &function, llvm::ArrayRef<uint32_t> arguments) {
  set_numbers(function, "lockstep-image-arguments", arguments);
}

llvm::SmallVector<CoalescedGroups, 2> coalesced_groups(const llvm::Function &function) {
  const auto numbers = numbers_of(function, coalesced_groups_attribute);
  llvm::SmallVector<CoalescedGroups, 2> groups;
  for (size_t i = 0; i + 2 < numbers.size(); i += 3)
    groups.push_back({numbers[i], numbers[i + 1], numbers[i + 2]});
  return groups;
}

void add_coalesced_groups(llvm::Function &function, CoalescedGroups groups) {
  llvm::SmallVector<uint32_t> numbers = numbers_of(function, coalesced_groups_attribute);
  numbers.append({groups.dimension, groups.count, groups.local_dimension});
  set_numbers(function, coalesced_groups_attribute, numbers);
}

std::array<uint32_t, 3> calls_per_group(const llvm::Function &function) {
  const auto calls = three_numbers(function, "lockstep-calls-per-group");
  return calls[0] ? calls : std::array<uint32_t, 3>{1, 1, 1};
}

void set_calls_per_group(llvm::Function &function, std::array<uint32_t, 3> calls) {
  set_three_numbers(function, "lockstep-calls-per-group", calls);
}

RowOfGroups row_of_groups(const llvm::Function &function) {
  llvm::SmallVector<llvm::StringRef> fields;
  function.getFnAttribute("lockstep-row-of-groups")
      .getValueAsString()
      .split(fields, ',', -1, /*KeepEmpty=*/false);
  llvm::SmallVector<uint64_t> numbers(fields.size());
  for (auto [field, number] : llvm::zip(fields, numbers))
    if (field.getAsInteger(10, number))
      return {};
  if (numbers.size() < 5 || numbers.size() % 3 != 2)
    return {};
  RowOfGroups row{.factors = {}, .divisor = numbers[0], .is_exact = numbers[1] != 0};
  for (size_t i = 2; i != numbers.size(); i += 3)
    row.factors.push_back(
        {uint32_t(numbers[i]), uint32_t(numbers[i + 1]), uint32_t(numbers[i + 2])});
  return row;
}

void set_row_of_groups(llvm::Function &function, const RowOfGroups &row) {
  std::string text = llvm::utostr(row.divisor) + (row.is_exact ? ",1" : ",0");
  for (const ArgumentNumber &factor : row.factors)
    text += "," + llvm::utostr(factor.argument) + "," + llvm::utostr(factor.offset) + "," +
            llvm::utostr(factor.size);
  function.addFnAttr("lockstep-row-of-groups", text);
}

uint32_t sub_group_size(const llvm::Function &function) {
  uint32_t size = 1;
  llvm::StringRef text = function.getFnAttribute("lockstep-sub-group-size").getValueAsString();
  return text.empty() || text.getAsInteger(10, size) ? 1 : size;
}

void set_sub_group_size(llvm::Function &function, uint32_t size) {
  function.addFnAttr("lockstep-sub-group-size", llvm::utostr(size));
}

Interleaving interleaving(const llvm::Function &function) {
  const auto numbers = numbers_of(function, "lockstep-interleave");
  return numbers.size() == 2 ? Interleaving{numbers[0], numbers[1]} : Interleaving{};
}

void set_interleaving(llvm::Function &function, Interleaving interleaving) {
  set_numbers(function, "lockstep-interleave", {interleaving.dimension, interleaving.count});
}

} // namespace lockstep::compiler
