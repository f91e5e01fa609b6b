// What is supposed of a launch in numbers: sums of ids, of which the launch knows how many there are.
//
// Who makes accesses may have a number below a bound only; then it is as good as an id that counts so far.
// Quotients and remainders of one number are its digits: if i counts to 1000, `i % 8` counts to 8 and `i / 8` to 125, each
// pair of them is of one i, and a sum of both with any factors is as good as one of ids. So a number that is divided is
// put into its digits first.
#pragma once

#include "compiler/kernel_ir/kernel_info.h"
#include "compiler/launch_abi.h"
#include "compiler/suppositions.h"

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
  // A factor for each number that differs between work-items, and the rest under none. Nothing where one is too large.
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

// Those of the places of one memory.
class PlaceNumbers {
public:
  using Factors = LaunchNumbers::Factors;
  // `exactly`: a number without a sign is not negative where it fits. Else it may be, and is another one for each of the others
  // still.
  PlaceNumbers(const LaunchNumbers &numbers, const compiler::UnequalPlaces &places,
               bool exactly = false);

  std::optional<WideRange> range_of(const compiler::LaunchSum &sum);
  std::optional<WideRange> range_of(const compiler::LaunchAtom &atom) const;
  // By ids and digits that are independent of each other. Nothing if there are none.
  std::optional<Factors> independent(const compiler::LaunchSum &sum);
  bool fits(const compiler::LaunchSum &sum, int64_t bits, bool is_signed);
  // The id itself, or the digits of a number that it is in.
  bool has(const Factors &factors, const compiler::LaunchAtom &id) const;

private:
  using Id = compiler::LaunchAtom;
  struct Digits { // of the dividend, a sum of ids, and this
    Factors dividend;
    Wide constant = 0;
    std::map<Wide, std::vector<Id>> quotients{}; // by divisor
    bool is_guarded = false;
    bool are_valid = true; // it is another number for each of the ids
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
  std::vector<Wide> rounds_;       // of each loop that is counted
  std::map<Id, Factors> equal_;    // what a quotient is, without quotients of quotients
  std::map<Id, WideRange> ranges_; // of quotients and digits
  std::vector<Digits> digits_;
};

// Places c + f1 * a1 + f2 * a2 ... differ in one of the a at least, if each f is larger than all that those before it can
// make: digits of a number.
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
