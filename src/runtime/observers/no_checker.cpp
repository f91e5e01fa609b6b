// Replaces check/check.cpp in a build without the checker (LOCKSTEP_WITHOUT_CHECKER).
#include "runtime/observers/observer.h"
#include "support/check_kinds.h"
#include "support/message.h"

#include <cstdio>

namespace lockstep::runtime {

Observer *make_checker() {
  if (check_kinds().any())
    print_message("LOCKSTEP_CHECK has no effect: this build of Lockstep has no checker");
  return nullptr;
}

void start_checker(const std::shared_ptr<MemoryAccount> & /*device_memory*/) {
  observer(); // reports an option that has no effect
}

} // namespace lockstep::runtime
