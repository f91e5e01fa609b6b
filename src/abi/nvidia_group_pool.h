/* A launch on an NVIDIA card whose work-groups may wait for each other (docs/nvidia.md). Plain C:
   the device library and the runtime share it. */
#pragma once

/* Where a suspended group waits: for the first of its work-items that wait. */
struct lockstep_wait {
  unsigned long long address, value; /* address 0: several, or local memory */
  unsigned group, site, item;        /* site: index into PtxCode::wait_sites */
  /* Bytes that must differ from `value` before the group can continue; 0: ask it. */
  unsigned watched;
  unsigned is_suspended; /* or its slot is free, or a block runs the group */
  unsigned padding;
};

/* In memory of the card. */
struct lockstep_group_pool {
  /* From the host. A slot has the frames and the local memory of one group. */
  unsigned groups, slots, blocks, padding;
  unsigned long long slot_bytes;
  unsigned long long waits;  /* lockstep_wait of each slot; 0 at the begin */
  unsigned long long frames; /* the slots */
  unsigned long long mail;   /* lockstep_group_mail */
  /* From the groups; 0 at the begin. next_slot and next_group may exceed slots and groups. */
  unsigned next_group, next_slot, finished, suspended;
};

/* In pinned memory of the host. */
struct lockstep_group_mail {
  unsigned leave; /* from the host: suspend the groups, and end the CUDA launch */
  unsigned padding[31];
  /* For each block: 1 while it has had nothing but groups that wait for the same values for
     LOCKSTEP_STILL_CYCLES. */
  unsigned still[];
};

enum { LOCKSTEP_STILL_CYCLES = 40000000 }; /* of a multiprocessor: about 20 ms */
