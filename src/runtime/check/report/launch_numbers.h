// Evaluates symbolic expressions of launch parameters: sums of ids and iteration numbers whose
// ranges the launch knows.
//
// A guard may limit an expression; then it counts like an id with that range. Quotients and
// remainders of one number are its digits: for i below 1000, `i % 8` is below 8 and `i / 8` below
// 125. Each pair of digits has one i, so that sums of digits count like sums of ids. So a divided
// number is split into its digits first.
#pragma once

#include "abi/assumptions.h"
#include "abi/launch_abi.h"
#include "kernel_ir/kernel_info.h"

#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace lockstep::runtime {

using Wide = __int128;
inline constexpr Wide beyond_memory = Wide(1) << 62;

struct WideRange {
  Wide least = 0, most = 0;
};

class LaunchNumbers {
public:
  LaunchNumbers(const compiler::KernelInfo &kernel, const compiler::LaunchInfo &launch)
      : kernel_(kernel), launch_(launch) {}

  const compiler::LaunchInfo &launch() const { return launch_; }
  // A factor per number that differs between work-items; the constant part has no key. Nothing if a
  // value is too large.
  using Factors = std::map<std::optional<compiler::LaunchAtom>, Wide>;
  std::optional<Factors> of(const compiler::LaunchSum &sum) const;

private:
  std::optional<Wide> of(const compiler::LaunchAtom &atom) const;
  std::optional<Wide> of_argument(const compiler::LaunchAtom &atom) const;
  std::optional<Wide> of_member(const compiler::LaunchAtom &atom) const;
  std::optional<Wide> of_image(const compiler::LaunchAtom &atom) const;

  const compiler::KernelInfo &kernel_;
  const compiler::LaunchInfo &launch_;
};

// The numbers of one memory's addresses.
class AddressNumbers {
public:
  using Factors = LaunchNumbers::Factors;
  // `exactly`: an unsigned number that fits is not negative. Otherwise a negative value is
  // possible, but different ids still have different values.
  AddressNumbers(const LaunchNumbers &numbers, const compiler::DistinctAddresses &places,
                 bool exactly = false);

  std::optional<WideRange> range_of(const compiler::LaunchSum &sum);
  std::optional<WideRange> range_of(const compiler::LaunchAtom &atom) const;
  // In terms of ids and digits that are independent of each other. Nothing if there are none.
  std::optional<Factors> independent(const compiler::LaunchSum &sum);
  bool fits(const compiler::LaunchSum &sum, int64_t bits, bool is_signed);
  // Whether the factors contain the id, or digits of a number that contains it.
  bool has(const Factors &factors, const compiler::LaunchAtom &id) const;

private:
  using Id = compiler::LaunchAtom;
  struct Digits { // of a dividend: the sum of `dividend` and `constant`
    Factors dividend;
    Wide constant = 0;
    std::map<Wide, std::vector<Id>> quotients{}; // by divisor
    bool is_guarded = false;
    bool are_valid = true; // different ids have different values
    WideRange range{};
  };

  bool fits_or_is_negative(const compiler::LaunchSum &sum, int64_t bits, bool is_signed);
  void add(const compiler::Division &division, uint32_t number);
  void add(const compiler::Guard &guard);
  Digits *digits_of(Factors dividend, Wide &by);
  Digits digits_from(Factors dividend, Wide constant) const;
  std::optional<WideRange> range_of(const Factors &factors) const;
  static Id digit(std::size_t number, std::size_t place);
  static std::optional<Wide> times_in(const Factors &factors, const Digits &digits);
  bool replace(Factors &factors, std::size_t number);

  const LaunchNumbers &numbers_;
  const bool exactly_;
  std::vector<Wide> trip_counts_;  // of each counted loop
  std::map<Id, Factors> equal_;    // the value of a quotient, without nested quotients
  std::map<Id, WideRange> ranges_; // of quotients and digits
  std::vector<Digits> digits_;
};

// Values c + f1 * a1 + f2 * a2 ... are all different if each f is larger than the sum that smaller
// factors can reach, like digits of a number.
class FactorsOfIds {
public:
  void add(Wide factor, Wide count) {
    if (count > 1)
      each_.push_back({factor < 0 ? -factor : factor, count});
  }
  bool are_unequal(Wide extent);

private:
  std::vector<std::pair<Wide, Wide>> each_;
};

} // namespace lockstep::runtime
