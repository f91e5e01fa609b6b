// The order that atomics and fences make between work-items (API 3.3.4). Makes the atomic accesses
// of a launch, and maintains the clocks of work-items and of synchronization objects.
//
// Requires: the group's barriers have been passed (LaunchCheck::enter()).
//
// Ensures: an atomic and its effect on the clocks are one step under the object's lock. A work-item
// that acquires from a release covers, in its clock, what the release covers.
//
// Separate from AccessComparer: clocks say what is ordered, the shadow says what was accessed.
#pragma once

#include "abi/check_abi.h"
#include "runtime/check/races/clocks/synchronization.h"
#include "runtime/check/races/clocks/synchronization_objects.h"
#include "runtime/check/races/clocks/update_requests.h"
#include "runtime/check/races/launch/access_comparer.h"
#include "runtime/check/races/launch/launch_state.h"

#include <cstdint>
#include <optional>

namespace lockstep::runtime {

class AtomicOrder {
public:
  AtomicOrder(LaunchState &state, AccessComparer &comparer) : state_(state), comparer_(comparer) {}

  // Throws only before it has made the access.
  uint64_t atomic(const CheckedAccess &access, void *address, uint64_t lanes, uint64_t first_item,
                  uint64_t operand, uint64_t expected);
  // A load that NumberedSites::looks() selects.
  uint64_t look(CheckedGroup &group, const compiler::CheckSite &site, uint16_t place, void *address,
                uint64_t lanes, uint64_t first_item);
  // Fast path for locks (hand_over.h). Returns false if it does not apply.
  template <bool takes>
  bool hand_over(CheckedGroup &group, const compiler::CheckSite &site, uint16_t place,
                 void *address, uint32_t item, uint32_t operand, uint64_t &was);
  void fence(const CheckedAccess &access, uint64_t lanes, uint64_t first_item);
  // At a barrier of a sub-group.
  void share_clocks(CheckedGroup &group, uint64_t lanes, uint64_t first_item);
  // Makes the updates of the object that threads have posted while this one has locked it.
  void make_for_others(const SynchronizationObjects::Locked &locked, void *address);
  SynchronizationObjects &objects() { return state_.known_records().objects; }

private:
  // hand_over.h
  bool take(const CheckedAccess &access, Synchronization &object, uint32_t item);
  bool give(const CheckedAccess &access, Synchronization &object, uint32_t item);
  template <bool takes>
  bool hand_over_at(const CheckedAccess &access, void *address, Synchronization &object,
                    uint32_t item, uint32_t operand, uint64_t &was);
  template <bool takes>
  bool hand_over_among_others(CheckedGroup &group, const compiler::CheckSite &site, uint16_t place,
                              void *address, uint32_t item, uint32_t operand, uint64_t &was);

  // combined_updates.cpp
  bool may_be_combined(const CheckedAccess &access) const;
  UpdateRequest *post(const CheckedAccess &access, void *address, uint32_t item, uint64_t operand,
                      UpdateRequests &requests);
  bool make_for(UpdateRequest &request, Synchronization &object);
  bool goes_on_to(const CheckedAccess &access, compiler::CheckOrder order, uint32_t item,
                  Synchronization &object);
  void learn(const CheckedAccess &access, uint32_t item, UpdateRequest &request);
  std::optional<uint64_t> combined_atomic(const CheckedAccess &access, void *address, uint32_t item,
                                          uint64_t operand, bool &is_locked);

  // checked_atomics.cpp; `is_locked`: this thread has the object's lock already
  uint64_t locked_atomic(const CheckedAccess &access, void *address, uint64_t lanes,
                         uint64_t first_item, uint64_t operand, uint64_t expected, bool is_locked);
  void plain_atomic(const CheckedAccess &access, uintptr_t address, uint32_t item,
                    Synchronization &object, bool has_failed);
  void visit_atomic(const CheckedAccess &access, uintptr_t address, uint64_t lanes,
                    uint64_t first_item, Synchronization &object, bool has_failed);
  void acquire(const CheckedAccess &access, compiler::CheckOrder order, uint64_t lanes,
               uint64_t first_item, const Synchronization::Carried &carried_for_device,
               const Synchronization::Within &within, uintptr_t address);
  static Clock::Entry own_entry(const CheckedGroup &group, unsigned memory, uint32_t item);
  static void leave(const CheckedAccess &access, unsigned memory, uint32_t item, const Clock &known,
                    const Clock::Entry &entry, bool is_now, Clock &clock, bool replaces);
  uint16_t leave_all(const CheckedAccess &access, compiler::CheckOrder order, uint32_t number,
                     const ItemClocks *item, unsigned reach, Synchronization::Carried &carried,
                     bool replaces, bool is_head);
  bool leave_everywhere(const CheckedAccess &access, compiler::CheckOrder order, uint32_t number,
                        Synchronization::Carried &for_device, Synchronization::Within &within,
                        bool replaces, bool is_head, uint16_t &carries);
  uint16_t release_as_head(const CheckedAccess &access, compiler::CheckOrder order, uint32_t item,
                           Synchronization &object, bool replaces);
  uint16_t release_plainly(const CheckedAccess &access, compiler::CheckOrder order, uint32_t item,
                           Synchronization &object, bool replaces);
  uint16_t release(const CheckedAccess &access, compiler::CheckOrder order, uint32_t item,
                   Synchronization &object, bool replaces);
  // Whether there are accesses to that memory that the atomic may order.
  bool orders(const CheckedAccess &access, compiler::CheckOrder order, unsigned memory) const;

  LaunchState &state_;
  AccessComparer &comparer_;
};

} // namespace lockstep::runtime
