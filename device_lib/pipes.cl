// Pipes (OpenCL C 6.15.17, for sub-groups 6.15.19): the functions that clang calls for read_pipe
// and the other pipe functions.
//
// A pipe is a ring of packets without waiting. A reader or writer takes one or more consecutive
// tickets by a compare-and-swap of the next ticket's number, which determines the slot. Each slot
// has a state that only grows: t while it is free for ticket t, t + 1 while it holds that packet, t
// + slots when the packet has been read. A write ticket can be taken when its slot is free, a read
// ticket when its packet is there, so the owner of a ticket can always continue. A reservation that
// is not committed blocks those behind it: their calls return "full" or "empty" and do not hang. A
// commit sets the states.
//
// The number of slots is a power of two, at least two, so that no division is needed. If a pipe
// holds fewer packets than that, write ticket t requires that packet t - max_packets has been read.
// Its slot is then free already: the owner of ticket t - (slots - max_packets) has seen that.
//
// Kernels that run at the same time may read and write one pipe; the specification does not define
// this.
//
// The ring orders packets but no other memory, so the checker ignores its atomics. Instead, the
// checker is informed of the owner of packets: from reservation to commit, the work-items of the
// reservation own them, and can race for them as for other memory.
#include "device_lib/groups/sub_group_primitives.h"

// src/runtime/memory/pipe.h declares the same structure for the host.
struct ring {
  atomic_ulong next_written;                     // tickets; cache lines of their own
  __attribute__((aligned(64))) atomic_ulong next_read;
  // Packets in reservations that are not committed: not yet in the pipe, or not yet removed.
  __attribute__((aligned(64))) atomic_ulong being_written;
  atomic_ulong being_read;
  __attribute__((aligned(64))) struct shape {
    ulong slots;
    ulong first_packet; // offset in bytes from the ring
    uint max_packets, packet_size;
  } shape;
  __attribute__((aligned(64))) atomic_ulong states[]; // of the slots; the packets follow
};
typedef global struct ring *pipe_pointer;

// No kernel writes the shape, so the pointer is constant and its accesses need no order with
// others.
static constant struct shape *shape_of(pipe_pointer p) {
  return (constant struct shape *)(ulong)&p->shape;
}

// Pipes are addresses and reservations are numbers; see lower-image-types. 0 is not a reservation.
PURE pipe_pointer __lockstep_pipe_ro(read_only pipe int p);
PURE pipe_pointer __lockstep_pipe_wo(write_only pipe int p);
PURE ulong __lockstep_reservation_number(reserve_id_t reservation);
PURE reserve_id_t __lockstep_reservation(ulong number);

// Reports to the checker an operation on `packets` consecutive packets, which no other work-item
// may use at that time. `number` is a ticket or a reservation; the function returns it, and the
// packets are located by the result. It is declared pure, so that it costs nothing without a check.
// `what` is AccessKind of src/abi/check_abi.h, from packets_to_write on.
enum { reserved_to_write, reserved_to_read, commits_what_was_written, commits_what_was_read };
PURE ulong __lockstep_record_packets(ulong number, pipe_pointer p, uint packets, uint what);

// The number of a reservation: the number of packets, and the low half of the first ticket, which
// determines the slot.
static ulong reservation_of(ulong ticket, uint packets) {
  return (ulong)packets << 32 | (uint)ticket;
}
static uint packets_of(ulong reservation) {
  return (uint)(reservation >> 32);
}
static ulong slot_of(pipe_pointer p, ulong ticket) {
  return ticket & (shape_of(p)->slots - 1);
}
static global uchar *packet_at(pipe_pointer p, ulong slot) {
  return (global uchar *)p + shape_of(p)->first_packet + slot * shape_of(p)->packet_size;
}

// Takes `count` tickets from `next`. Requires that the slot of each ticket - `back` has reached the
// state of that number + `ahead`. If a state is already past that, another work-item has taken the
// ticket and the exchange fails. The loop reads all slots, so that its trip count does not depend
// on states: otherwise it would be treated as a wait loop.
static bool take_tickets(pipe_pointer p, volatile global atomic_ulong *next, uint count, ulong back,
                         ulong ahead, private ulong *first) {
  ulong ticket = __c11_atomic_load(next, memory_order_relaxed);
  do {
    bool all = true;
    for (uint i = 0; i < count; ++i) {
      const ulong wanted = ticket + i - back;
      const ulong state = __c11_atomic_load(&p->states[slot_of(p, wanted)], memory_order_acquire);
      all = all && (long)(state - (wanted + ahead)) >= 0;
    }
    if (!all)
      return false;
  } while (!__c11_atomic_compare_exchange_strong(next, &ticket, ticket + count,
                                                 memory_order_acq_rel, memory_order_relaxed));
  *first = ticket;
  return true;
}
static bool take_to_write(pipe_pointer p, uint count, private ulong *first) {
  return take_tickets(p, &p->next_written, count, shape_of(p)->max_packets, shape_of(p)->slots, first);
}
static bool take_to_read(pipe_pointer p, uint count, private ulong *first) {
  return take_tickets(p, &p->next_read, count, 0, 1, first);
}

// Advances the state of a slot: by 1 after its packet is written; after it is read, to the next
// ticket for this slot.
static void advance(pipe_pointer p, ulong slot, ulong by) {
  const ulong state = __c11_atomic_load(&p->states[slot], memory_order_relaxed);
  __c11_atomic_store(&p->states[slot], state + by, memory_order_release);
}

// ---- without a reservation ----

int __write_pipe_2(write_only pipe int to, const generic void *packet, uint size, uint alignment) {
  const pipe_pointer p = __lockstep_pipe_wo(to);
  ulong ticket;
  if (!take_to_write(p, 1, &ticket))
    return -1;
  ticket = __lockstep_record_packets(ticket, p, 1, reserved_to_write);
  __builtin_memcpy(packet_at(p, slot_of(p, ticket)), packet, size);
  advance(p, slot_of(p, ticket), 1);
  return 0;
}
int __read_pipe_2(read_only pipe int from, generic void *packet, uint size, uint alignment) {
  const pipe_pointer p = __lockstep_pipe_ro(from);
  ulong ticket;
  if (!take_to_read(p, 1, &ticket))
    return -1;
  ticket = __lockstep_record_packets(ticket, p, 1, reserved_to_read);
  __builtin_memcpy(packet, packet_at(p, slot_of(p, ticket)), size);
  advance(p, slot_of(p, ticket), shape_of(p)->slots - 1);
  return 0;
}

// ---- with a reservation: any work-item of those that made it ----

int __write_pipe_4(write_only pipe int to, reserve_id_t reservation, uint index,
                   const generic void *packet, uint size, uint alignment) {
  const pipe_pointer p = __lockstep_pipe_wo(to);
  const ulong number = __lockstep_reservation_number(reservation);
  if (index >= packets_of(number))
    return -1;
  __builtin_memcpy(packet_at(p, slot_of(p, number + index)), packet, size);
  return 0;
}
int __read_pipe_4(read_only pipe int from, reserve_id_t reservation, uint index,
                  generic void *packet, uint size, uint alignment) {
  const pipe_pointer p = __lockstep_pipe_ro(from);
  const ulong number = __lockstep_reservation_number(reservation);
  if (index >= packets_of(number))
    return -1;
  __builtin_memcpy(packet, packet_at(p, slot_of(p, number + index)), size);
  return 0;
}

BUILTIN bool is_valid_reserve_id(reserve_id_t reservation) {
  return __lockstep_reservation_number(reservation) != 0;
}

// ---- reserve and commit, by a work-item ----

static bool may_have(pipe_pointer p, uint packets) {
  return packets != 0 && packets <= shape_of(p)->max_packets;
}
static ulong reserve_to_write(pipe_pointer p, uint packets) {
  ulong ticket;
  if (!may_have(p, packets) || !take_to_write(p, packets, &ticket))
    return 0;
  ticket = __lockstep_record_packets(ticket, p, packets, reserved_to_write);
  __c11_atomic_fetch_add(&p->being_written, packets, memory_order_relaxed);
  return reservation_of(ticket, packets);
}
static ulong reserve_to_read(pipe_pointer p, uint packets) {
  ulong ticket;
  if (!may_have(p, packets) || !take_to_read(p, packets, &ticket))
    return 0;
  ticket = __lockstep_record_packets(ticket, p, packets, reserved_to_read);
  __c11_atomic_fetch_add(&p->being_read, packets, memory_order_relaxed);
  return reservation_of(ticket, packets);
}
static void commit(pipe_pointer p, volatile global atomic_ulong *being, ulong reservation,
                   ulong by, uint what) {
  const uint packets = packets_of(reservation);
  reservation = __lockstep_record_packets(reservation, p, packets, what);
  for (uint i = 0; i < packets; ++i)
    advance(p, slot_of(p, reservation + i), by);
  __c11_atomic_fetch_sub(being, packets, memory_order_relaxed);
}
static void commit_write(pipe_pointer p, ulong reservation) {
  commit(p, &p->being_written, reservation, 1, commits_what_was_written);
}
static void commit_read(pipe_pointer p, ulong reservation) {
  commit(p, &p->being_read, reservation, shape_of(p)->slots - 1, commits_what_was_read);
}

// ---- by a work-group: its first work-item acts, and commits after all have read and written; by a
// sub-group: the same ----

static bool is_first_of_group(void) {
  return (__lockstep_local_id(0) | __lockstep_local_id(1) | __lockstep_local_id(2)) == 0;
}
static SUB_GROUP_FUNCTION uint first_active(void) {
  return (uint)ctz(ballot(true));
}

// The counts are not read at one moment, so concurrent operations may make the difference too small
// or too large.
static uint packets_in(pipe_pointer p) {
  const ulong read = __c11_atomic_load(&p->next_read, memory_order_relaxed) -
                     __c11_atomic_load(&p->being_read, memory_order_relaxed);
  const ulong written = __c11_atomic_load(&p->next_written, memory_order_relaxed) -
                        __c11_atomic_load(&p->being_written, memory_order_relaxed);
  return (uint)clamp((long)(written - read), 0l, (long)shape_of(p)->max_packets);
}

// Both directions have the same functions; clang distinguishes the queries by name.
#define DIRECTION(verb, access, side)                                                              \
  reserve_id_t __reserve_##verb##_pipe(access pipe int p, uint packets, uint size,                 \
                                       uint alignment) {                                           \
    return __lockstep_reservation(reserve_to_##verb(__lockstep_pipe_##side(p), packets));          \
  }                                                                                                \
  void __commit_##verb##_pipe(access pipe int p, reserve_id_t reservation, uint size,              \
                              uint alignment) {                                                    \
    commit_##verb(__lockstep_pipe_##side(p), __lockstep_reservation_number(reservation));          \
  }                                                                                                \
                                                                                                   \
  GROUP_OPERATION reserve_id_t __work_group_reserve_##verb##_pipe(                                 \
      access pipe int p, uint packets, uint size, uint alignment) {                                \
    ulong number = 0;                                                                              \
    if (is_first_of_group())                                                                       \
      number = reserve_to_##verb(__lockstep_pipe_##side(p), packets);                              \
    return __lockstep_reservation(work_group_broadcast(number, 0, 0, 0));                          \
  }                                                                                                \
  GROUP_OPERATION void __work_group_commit_##verb##_pipe(                                          \
      access pipe int p, reserve_id_t reservation, uint size, uint alignment) {                    \
    __lockstep_barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);                                \
    if (is_first_of_group())                                                                       \
      commit_##verb(__lockstep_pipe_##side(p), __lockstep_reservation_number(reservation));        \
  }                                                                                                \
                                                                                                   \
  SUB_GROUP_FUNCTION reserve_id_t __sub_group_reserve_##verb##_pipe(                               \
      access pipe int p, uint packets, uint size, uint alignment) {                                \
    const uint first = first_active();                                                             \
    ulong number = 0;                                                                              \
    if (own_lane() == first)                                                                       \
      number = reserve_to_##verb(__lockstep_pipe_##side(p), packets);                              \
    return __lockstep_reservation(broadcast_lane(number, first));                                  \
  }                                                                                                \
  SUB_GROUP_FUNCTION void __sub_group_commit_##verb##_pipe(                                        \
      access pipe int p, reserve_id_t reservation, uint size, uint alignment) {                    \
    const uint first = first_active();                                                             \
    __lockstep_sub_group_barrier();                                                                \
    if (own_lane() == first)                                                                       \
      commit_##verb(__lockstep_pipe_##side(p), __lockstep_reservation_number(reservation));        \
  }                                                                                                \
                                                                                                   \
  uint __get_pipe_num_packets_##side(access pipe int p, uint size, uint alignment) {               \
    return packets_in(__lockstep_pipe_##side(p));                                                  \
  }                                                                                                \
  uint __get_pipe_max_packets_##side(access pipe int p, uint size, uint alignment) {               \
    return shape_of(__lockstep_pipe_##side(p))->max_packets;                                                 \
  }
DIRECTION(write, write_only, wo)
DIRECTION(read, read_only, ro)
