// Work-groups that may wait for each other in any order: a CUDA block runs one group after the
// other, and suspends a group that waits (make-persistent generates the calls). Linked after the
// optimization. All functions but those on sizes and places are for all work-items of a block.
//
// Each block has a share of the slots. A block whose group waits, or that has none, asks the
// suspended groups of its share whether the value that they wait for has changed, and resumes one of
// these. So none is forgotten: other blocks look at them too when they have nothing else to do.
// A group that waits is suspended if others of the share are, or if a new group can start and either
// nothing moves or the other blocks have started several groups each since it began to wait. In a
// chain in the order of groups, it stays on its block.
#include "abi/nvidia_group_pool.h"
#include "device_lib/nvidia/machine.h"

enum { at_barrier, waiting, done, at_sub_group }; // kinds of rendezvous (make_persistent.cpp)
// Results; also what happened to the last group. undecided: some wait, see
// lockstep_nvidia_meet_in_wait. stay: meet again.
enum { passed, suspended, finished, again, undecided, stay };
enum { no_group, new_group, old_group, no_more }; // what a block does next
enum { none = ~0u };

typedef GLOBAL struct lockstep_group_pool pool;
typedef volatile GLOBAL struct lockstep_group_mail mail; // accesses have system scope

// Of a block. make-persistent defines it. Between the reads of a field by all work-items and its
// next write there is a barrier.
struct control {
  u32 next;        // what the block does next
  u32 slot, group; // of the group that it runs; none: it has no slot
  u32 chosen, first, turn;
  u32 has_resumed;
  u32 started, ended; // of all groups, when the group began to wait or something moved
  u64 address, value; // of the group's first work-item that waits
  u64 unmoved_since;  // by the clock: no group has started or ended
  u64 still_since;    // the same, for this block; 0: not known
  u64 looked;         // at mail::leave
  u32 first_started;  // when the group began to wait
  u32 is_still, leaves;
  u32 together;   // rendezvous since work-items ran one by one
  u32 one_by_one; // 1 + the one that runs; 0: all run
  u32 votes[3];
};
extern LOCAL struct control lockstep_control;

void lockstep_meet(u32 barrier) __asm__("llvm.nvvm.barrier.cta.sync.all");

#define READ(place) __scoped_atomic_load_n(place, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE)
#define ADD(place, value)                                                                          \
  __scoped_atomic_fetch_add(place, value, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE)
INLINE static void fence(void) {
  __scoped_atomic_thread_fence(__ATOMIC_ACQ_REL, __MEMORY_SCOPE_DEVICE);
}
INLINE static u64 clock(void) { // of the multiprocessor; the global timer is slow to read
  return __nvvm_read_ptx_sreg_clock64();
}
INLINE static u32 block(void) {
  return SREG(ctaid_x);
}

// ---- votes

// All work-items of the block call this, and each gets the bits of all. `turn`: of the votes, for
// each work-item; all have had the same number of them. With `barrier.red` in place of this, some
// kernels whose lanes come one by one failed with an illegal instruction, or hung.
CONVERGENT static u32 vote(u32 *turn, u32 bits) {
  LOCAL struct control *c = &lockstep_control;
  const u32 mine = *turn, next = mine == 2 ? 0 : mine + 1;
  *turn = next;
  if (bits)
    __scoped_atomic_fetch_or(&c->votes[mine], bits, __ATOMIC_RELAXED, __MEMORY_SCOPE_WRKGRP);
  if (item() == 0) // all have read it: before they came to the vote before this one
    *(volatile LOCAL u32 *)&c->votes[next] = 0;
  lockstep_meet(0);
  return *(volatile LOCAL u32 *)&c->votes[mine];
}

// ---- standing still; work-item 0 only

__attribute__((noinline)) static void move(pool *p) {
  LOCAL struct control *c = &lockstep_control;
  c->still_since = 0;
  if (!c->is_still)
    return;
  c->is_still = 0;
  ((mail *)p->mail)->still[block()] = 0;
}

// Looks now and then whether the host wants the launch to leave: each block at another time, as this
// crosses the bus.
__attribute__((noinline)) static void look_at_mail(pool *p) {
  LOCAL struct control *c = &lockstep_control;
  const u64 now = clock();
  if ((long long)(now - c->looked) < LOCKSTEP_STILL_CYCLES)
    return;
  c->looked = now;
  c->leaves = ((mail *)p->mail)->leave != 0;
}

__attribute__((noinline)) static void stand_still(pool *p) {
  LOCAL struct control *c = &lockstep_control;
  const u64 now = clock();
  if (!c->still_since)
    c->still_since = now;
  if (now - c->still_since < LOCKSTEP_STILL_CYCLES)
    return;
  mail *host = (mail *)p->mail;
  if (!c->is_still) {
    c->is_still = 1;
    host->still[block()] = 1;
  }
}

// ---- suspended groups

INLINE static GLOBAL struct lockstep_wait *wait_of(pool *p, u32 slot) {
  return (GLOBAL struct lockstep_wait *)p->waits + slot;
}
INLINE static u32 used_slots(pool *p) {
  const u32 used = READ(&p->next_slot);
  return used < p->slots ? used : p->slots;
}

INLINE static u64 read_bytes(u64 address, u32 bytes) {
  switch (bytes) {
  case 1:
    return READ((u8 *)address);
  case 2:
    return READ((u16 *)address);
  case 4:
    return READ((u32 *)address);
  default:
    return READ((u64 *)address);
  }
}

// Another block may resume the group and suspend another one in its slot meanwhile. Then this reads
// some place where one of them waits, and at worst a group is resumed that waits on.
INLINE static _Bool can_continue(GLOBAL struct lockstep_wait *wait, _Bool must_have_changed) {
  const u32 watched = READ(&wait->watched);
  const u64 address = READ(&wait->address) / (watched | !watched) * watched;
  return address ? read_bytes(address, watched) != READ(&wait->value) : !must_have_changed;
}

// Whether a group of the block's share is suspended.
CONVERGENT static _Bool share_has_some(pool *p, u32 *turn) {
  const u32 used = used_slots(p), blocks = p->blocks;
  _Bool found = 0;
  for (u32 slot = block() + item() * blocks; slot < used && !found; slot += items() * blocks)
    found = READ(&wait_of(p, slot)->is_suspended);
  return vote(turn, found) != 0;
}

// Takes a suspended group of that share that may be able to continue. `must_have_changed`: only one
// of which the value that it waits for has changed. False: there was none. The shares are searched
// from another place each time.
CONVERGENT static _Bool resume_one(pool *p, u32 share, _Bool must_have_changed) {
  LOCAL struct control *c = &lockstep_control;
  const u32 used = used_slots(p), blocks = p->blocks;
  const u32 count = used > share ? (used - share + blocks - 1) / blocks : 0;
  if (item() == 0) {
    c->chosen = none;
    c->first = count ? c->turn % count : 0;
  }
  lockstep_meet(0);
  const u32 first = c->first;
  u32 slot = none;
  for (u32 i = item(); i < count && slot == none; i += items()) {
    const u32 index = i + first < count ? i + first : i + first - count;
    GLOBAL struct lockstep_wait *wait = wait_of(p, share + index * blocks);
    if (!READ(&wait->is_suspended))
      continue;
    fence();
    if (!can_continue(wait, must_have_changed))
      continue;
    slot = share + index * blocks;
    __scoped_atomic_fetch_min(&c->chosen, i, __ATOMIC_RELAXED, __MEMORY_SCOPE_WRKGRP);
    if (c->chosen < i)
      slot = none; // another work-item has an earlier one
    break;
  }
  lockstep_meet(0);
  const u32 chosen = c->chosen;
  if (chosen == none)
    return 0;
  if (chosen % items() == item()) { // the one that has looked at it
    u32 suspended_state = 1;
    GLOBAL struct lockstep_wait *wait = wait_of(p, slot);
    const _Bool has = __scoped_atomic_compare_exchange_n(&wait->is_suspended, &suspended_state, 0,
                                                         0, __ATOMIC_RELAXED, __ATOMIC_RELAXED,
                                                         __MEMORY_SCOPE_DEVICE);
    c->has_resumed = has;
    if (has) {
      fence();
      c->turn = first + chosen + 1;
      c->slot = slot;
      c->group = wait->group;
      ADD(&p->suspended, ~0u);
      if (wait->watched)
        move(p);
    }
  }
  lockstep_meet(0);
  fence(); // before the frames are read
  return c->has_resumed != 0;
}

// ---- what a block runs next

static u32 start_one(pool *p) {
  LOCAL struct control *c = &lockstep_control;
  if (c->leaves)
    return no_more;
  if (READ(&p->finished) == p->groups) {
    move(p);
    return no_more;
  }
  if (READ(&p->next_group) >= p->groups)
    return no_group;
  if (c->slot == none) {
    if (READ(&p->next_slot) >= p->slots)
      return no_group;
    const u32 slot = ADD(&p->next_slot, 1);
    if (slot >= p->slots)
      return no_group;
    c->slot = slot;
  }
  c->group = ADD(&p->next_group, 1);
  if (c->group >= p->groups)
    return no_group;
  move(p);
  return new_group;
}

CONVERGENT void lockstep_nvidia_begin_block(void) {
  LOCAL struct control *c = &lockstep_control;
  if (item() != 0)
    return;
  c->slot = none;
  c->turn = 0;
  c->started = c->ended = c->first_started = 0;
  c->unmoved_since = c->still_since = 0;
  c->looked = clock() + block() * 0x9e3779b1u % LOCKSTEP_STILL_CYCLES; // the first time later
  c->is_still = c->leaves = 0;
  c->together = c->one_by_one = 0;
  c->votes[0] = 0;
}

// `last`: what happened to the group that ran before. Returns new_group, old_group or no_more.
CONVERGENT u32 lockstep_nvidia_next_group(pool *p, u32 last) {
  LOCAL struct control *c = &lockstep_control;
  if (item() == 0 && last == finished) {
    ADD(&p->finished, 1);
    move(p);
  }
  for (u32 tries = 0;; ++tries) {
    if (item() == 0) // those that are suspended first, if there is one more now
      c->next = tries == 0 && last == suspended && !c->leaves ? no_group : start_one(p);
    lockstep_meet(0);
    const u32 next = c->next;
    if (next != no_group)
      return next;
    if (resume_one(p, block(), tries == 0))
      return old_group;
    if (tries % 4 == 3 && resume_one(p, (block() + tries / 4) % p->blocks, 0))
      return old_group;
    if (item() == 0 && tries != 0) {
      stand_still(p);
      look_at_mail(p);
    }
    lockstep_meet(0);
  }
}
INLINE u32 lockstep_nvidia_current_group(void) {
  return lockstep_control.group;
}

// ---- rendezvous

enum { longest_unmoved = 30000, groups_per_block = 3 }; // cycles

// Whether a new group should start while this one waits. Of work-item 0.
static _Bool should_start_another(pool *p, _Bool has_begun) {
  LOCAL struct control *c = &lockstep_control;
  const u32 started = READ(&p->next_group), ended = READ(&p->finished);
  const u64 now = clock();
  if (has_begun)
    c->first_started = started;
  if (has_begun || started != c->started || ended != c->ended) {
    c->started = started;
    c->ended = ended;
    c->unmoved_since = now;
  }
  if (started >= p->groups || READ(&p->next_slot) >= p->slots)
    return 0;
  return now - c->unmoved_since > longest_unmoved ||
         (started - c->first_started) / groups_per_block > p->blocks;
}

// True if all work-items of the sub-group call this with true.
CONVERGENT static _Bool sub_group_is_there(_Bool is_there) {
  const u32 left = items() - item() / 32 * 32, members = left < 32 ? ~0u >> (32 - left) : ~0u;
  return __nvvm_vote_ballot_sync(members, is_there) == members;
}

enum { not_at_barrier = 1, one_waits = 2, has_changed = 4 };

// First, all work-items of the group call this. `changed`: this one has begun to wait, or waits for
// another value, since it met the others. 0: all of them are at a barrier, and go on.
CONVERGENT u32 lockstep_nvidia_meet_first(u32 *turn, u32 kind, _Bool changed) {
  return vote(turn, (kind != at_barrier ? not_at_barrier : 0) | (kind == waiting ? one_waits : 0) |
                        (changed ? has_changed : 0));
}

// Otherwise they meet where they are: at barriers, in waits, at their ends, or in front of an
// operation of their sub-group. `votes`: from lockstep_nvidia_meet_first. Returns `passed`: go on
// behind the barrier or to the operation; `again`: go on waiting or rendezvous. The other results
// are the same for all.
CONVERGENT u32 lockstep_nvidia_meet(u32 *turn, u32 votes, u32 kind, _Bool has_sub_groups) {
  if (has_sub_groups) {
    // The last sub-group may have members that are at their ends from the begin (fit-groups).
    const _Bool goes_on =
        sub_group_is_there(kind == at_sub_group || kind == done) && kind == at_sub_group;
    if (vote(turn, goes_on))
      return goes_on ? passed : again;
  }
  if (votes & one_waits)
    return undecided;
  return vote(turn, kind != done) ? passed : finished;
}

enum { most_together = 8 };

// Some work-items wait, and may hold a lock in each round. Which of them gets it, the hardware
// decides, perhaps for the same ones again and again. So now and then each runs alone for a while.
__attribute__((noinline)) static void take_turns(void) {
  LOCAL struct control *c = &lockstep_control;
  if (c->one_by_one) {
    --c->one_by_one;
  } else if (++c->together == most_together) {
    c->together = 0;
    c->one_by_one = items();
  }
}

// `has_written`: this work-item's part of local memory differs from the last time. `is_fair`: some
// wait of the kernel also writes. Returns `again`, `stay` or `suspended`.
CONVERGENT u32 lockstep_nvidia_meet_in_wait(pool *p, u32 *turn, u32 votes, _Bool has_written,
                                            _Bool is_fair) {
  LOCAL struct control *c = &lockstep_control;
  enum { others = 1, written = 2 };
  const u32 more = vote(turn, (item() == 0 && READ(&p->suspended) != 0 ? others : 0) |
                                  (has_written ? written : 0));
  const _Bool others_are_here = (more & others) && share_has_some(p, turn);
  if (item() == 0) {
    const _Bool changed = (votes & has_changed) || (more & written);
    if (changed)
      move(p);
    look_at_mail(p);
    c->next = c->leaves || others_are_here || should_start_another(p, changed) ? suspended : again;
    if (c->next == again)
      stand_still(p);
    if (is_fair)
      take_turns();
  }
  lockstep_meet(0);
  const u32 runs = is_fair ? c->one_by_one : 0;
  return c->next == again && runs && runs != item() + 1 ? stay : c->next;
}

// Behind a wait. `has_met`: the work-item has met others in it.
INLINE void lockstep_nvidia_wait_ended(pool *p, _Bool has_met) {
  if (has_met && lockstep_control.still_since)
    move(p);
}

// The group's frames have been written. What it waits for: of this work-item, if `is_waiting`.
CONVERGENT void lockstep_nvidia_suspend(pool *p, _Bool is_waiting, u64 address, u64 value,
                                        u32 bytes, u32 site) {
  LOCAL struct control *c = &lockstep_control;
  fence();
  if (item() == 0)
    c->chosen = none;
  lockstep_meet(0);
  if (is_waiting)
    __scoped_atomic_fetch_min(&c->chosen, item(), __ATOMIC_RELAXED, __MEMORY_SCOPE_WRKGRP);
  lockstep_meet(0);
  GLOBAL struct lockstep_wait *wait = wait_of(p, c->slot);
  if (item() == c->chosen) {
    c->address = address;
    c->value = value;
    wait->address = address;
    wait->value = value;
    wait->group = c->group;
    wait->site = site;
    wait->item = item();
    wait->watched = bytes;
  }
  lockstep_meet(0);
  if (is_waiting && (address != c->address || value != c->value || bytes == 0))
    wait->watched = 0;
  fence();
  lockstep_meet(0);
  if (item() == 0) {
    fence();
    ADD(&p->suspended, 1);
    __scoped_atomic_store_n(&wait->is_suspended, 1, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
    c->slot = none;
  }
}

// ---- frames

INLINE GLOBAL char *lockstep_nvidia_slot(pool *p) {
  return (GLOBAL char *)p->frames + lockstep_control.slot * p->slot_bytes;
}
INLINE u64 lockstep_nvidia_item(void) {
  return item();
}
INLINE u64 lockstep_nvidia_items(void) {
  return items();
}
INLINE void lockstep_nvidia_save_local(GLOBAL char *to, LOCAL const char *from, u32 bytes) {
  for (u32 i = item(); i < bytes; i += items())
    to[i] = from[i];
}
INLINE void lockstep_nvidia_restore_local(LOCAL char *to, GLOBAL const char *from, u32 bytes) {
  for (u32 i = item(); i < bytes; i += items())
    to[i] = from[i];
}
INLINE u32 lockstep_nvidia_sum_local(u32 sum, LOCAL const char *from, u32 bytes, u32 offset) {
  for (u32 i = item(); i < bytes; i += items())
    sum = (sum ^ (u8)from[i]) * 0x9e3779b1u + offset + i;
  return sum;
}
INLINE u32 lockstep_nvidia_dynamic_bytes(void) {
  u32 bytes;
  __asm__("mov.u32 %0, %%dynamic_smem_size;" : "=r"(bytes));
  return bytes;
}

// If all groups have begun, they meet only so that a deadlock is seen.
INLINE u32 lockstep_nvidia_most_rounds(pool *p, _Bool is_fair) {
  return p->groups <= p->blocks && !is_fair ? 1 << 16 : 256;
}
