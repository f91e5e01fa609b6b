#include "platform/linux/protection_keys.h"

#include <sys/mman.h>

namespace lockstep::runtime {

namespace {

int closed = -1, read_only = -1; // keys; written once, before are_there_

} // namespace

// A thread that existed before a key was allocated has no rights by it. A new thread inherits the
// rights of the thread that created it.
bool ProtectionKeys::start() {
  closed = pkey_alloc(0, PKEY_DISABLE_ACCESS);
  read_only = pkey_alloc(0, PKEY_DISABLE_WRITE);
  if (closed >= 0 && read_only >= 0) {
    are_there_.store(true, std::memory_order_release);
    return true;
  }
  for (const int key : {closed, read_only})
    if (key >= 0)
      pkey_free(key);
  return false;
}

bool ProtectionKeys::give(void *pages, std::size_t size, Rights rights) {
  const int key = rights == Rights::none ? closed : rights == Rights::read ? read_only : 0;
  return pkey_mprotect(pages, size, PROT_READ | PROT_WRITE, key) == 0;
}

void ThreadRights::set(Whose whose) {
  const bool all = whose == Whose::command;
  closed_before_ = pkey_get(closed);
  read_only_before_ = pkey_get(read_only);
  pkey_set(closed, all ? 0 : PKEY_DISABLE_ACCESS);
  pkey_set(read_only, all ? 0 : PKEY_DISABLE_WRITE);
  is_set_ = true;
}

void ThreadRights::restore() const {
  pkey_set(closed, unsigned(closed_before_));
  pkey_set(read_only, unsigned(read_only_before_));
}

} // namespace lockstep::runtime
