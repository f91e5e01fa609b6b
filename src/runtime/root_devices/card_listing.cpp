#include "runtime/root_devices/card_listing.h"

#include "platform/linux/leaked.h"
#include "runtime/launch/nvidia/cuda_driver.h"
#include "support/check_kinds.h"
#include "support/environment.h"
#include "support/message.h"

#include <algorithm>

namespace lockstep::runtime {
namespace {

bool is_debugged() {
  return environment_number("DEBUGGER").value_or(0) != 0;
}

CardListing read_listing() {
  const auto wanted = environment("NVIDIA");
  if (wanted == "0")
    return CardListing::none;
  if (wanted == "1")
    return CardListing::behind_the_cpu;
  if (wanted == "first")
    return CardListing::first;
  if (wanted)
    print_message("LOCKSTEP_NVIDIA is '%s', which is none of 0, 1 and first; it is ignored",
                  wanted->c_str());
  return check_kinds().any() || is_debugged() ? CardListing::none_for_check
                                              : CardListing::behind_the_cpu;
}

const CudaCard *some_usable_card() {
  const auto &driver = CudaDriver::of_process();
  if (!driver)
    return nullptr;
  const auto &cards = (*driver)->cards();
  const auto found =
      std::ranges::find_if(cards, [](const CudaCard &card) { return card.obstacle.empty(); });
  return found == cards.end() ? nullptr : &*found;
}

} // namespace

CardListing card_listing() {
  return leaked([] { return read_listing(); });
}

void report_unchecked_cards(CardListing listing) {
  const bool is_checked = check_kinds().any();
  if (listing == CardListing::none || !(is_checked || is_debugged()))
    return;
  const CudaCard *card = some_usable_card();
  if (!card)
    return;
  const char *who = is_checked ? "LOCKSTEP_CHECK checks" : "LOCKSTEP_DEBUGGER shows";
  if (listing == CardListing::none_for_check)
    print_message("%s kernels on the CPU only, so %s is not listed as a device; LOCKSTEP_NVIDIA=1 "
                  "lists it",
                  who, card->name.c_str());
  else
    print_message("%s kernels on the CPU only, not those that run on %s", who, card->name.c_str());
}

} // namespace lockstep::runtime
