// Each group of 256 reduces one element for each work-item, and its first work-item synchronizes.
int product_of_group(global const int *values, local int *partial) {
  const uint me = get_local_id(0);
  partial[me] = values[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint step = get_local_size(0) / 2; step > 0; step /= 2) {
    if (me < step)
      partial[me] *= partial[me + step];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  return partial[0];
}

kernel void by_swap(global const int *values, global atomic_int *product) {
  local int partial[256];
  const int mine = product_of_group(values, partial);
  if (get_local_id(0) == 0) {
    int seen = atomic_load_explicit(product, memory_order_relaxed, memory_scope_device);
    while (!atomic_compare_exchange_weak_explicit(product, &seen, seen * mine, memory_order_relaxed,
                                                  memory_order_relaxed, memory_scope_device))
      ;
  }
}

kernel void by_lock(global const int *values, global int *product, global atomic_int *lock) {
  local int partial[256];
  const int mine = product_of_group(values, partial);
  if (get_local_id(0) == 0) {
    while (atomic_exchange_explicit(lock, 1, memory_order_acquire, memory_scope_device) != 0)
      ;
    *product *= mine;
    atomic_store_explicit(lock, 0, memory_order_release, memory_scope_device);
  }
}

// tickets[0] is the next ticket, and tickets[16], in another cache line, the one that is served.
kernel void by_ticket(global const int *values, global int *product, global atomic_uint *tickets) {
  local int partial[256];
  const int mine = product_of_group(values, partial);
  if (get_local_id(0) == 0) {
    const uint ticket =
        atomic_fetch_add_explicit(tickets, 1, memory_order_relaxed, memory_scope_device);
    while (atomic_load_explicit(tickets + 16, memory_order_acquire, memory_scope_device) != ticket)
      ;
    *product *= mine;
    atomic_store_explicit(tickets + 16, ticket + 1, memory_order_release, memory_scope_device);
  }
}

int sum_of_group(int mine, local int *partial) {
  const uint me = get_local_id(0);
  partial[me] = mine;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint step = get_local_size(0) / 2; step > 0; step /= 2) {
    if (me < step)
      partial[me] += partial[me + step];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  return partial[0];
}

// The group that arrives last adds the sums of all.
kernel void by_last(global const int *values, global int *sums, global atomic_uint *arrived,
                    global int *total) {
  local int partial[256];
  local bool is_last;
  const uint me = get_local_id(0);
  const int sum = sum_of_group(values[get_global_id(0)], partial);
  if (me == 0) {
    sums[get_group_id(0)] = sum;
    is_last = atomic_fetch_add_explicit(arrived, 1, memory_order_acq_rel, memory_scope_device) ==
              get_num_groups(0) - 1;
  }
  barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);
  if (is_last) {
    int mine = 0;
    for (uint i = me; i < get_num_groups(0); i += 256)
      mine += sums[i];
    mine = sum_of_group(mine, partial);
    if (me == 0)
      *total = mine;
  }
}

// Each group reserves room for its odd elements.
kernel void append(global const int *values, global int *list, global atomic_uint *count) {
  const uint me = get_local_id(0);
  const int mine = values[get_global_id(0)];
  const uint place = work_group_scan_exclusive_add((uint)(mine & 1));
  local uint first;
  if (me == 255)
    first = atomic_fetch_add_explicit(count, place + (mine & 1), memory_order_relaxed,
                                      memory_scope_device);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (mine & 1)
    list[first + place] = mine;
}

// Each work-item reserves room for its element, if that is odd.
kernel void append_each(global const int *values, global int *list, global atomic_uint *count) {
  const int mine = values[get_global_id(0)];
  if (mine & 1)
    list[atomic_fetch_add_explicit(count, 1, memory_order_relaxed, memory_scope_device)] = mine;
}

kernel void level(global const int *values, global int *sums) {
  local int partial[256];
  const int sum = sum_of_group(values[get_global_id(0)], partial);
  if (get_local_id(0) == 0)
    sums[get_group_id(0)] = sum;
}

// All levels of the tree in one launch: a group waits for the 256 groups that feed it.
kernel void tree(global const int *values, uint n, global int *sums, global atomic_uint *arrived,
                 global int *total, uint reversed) {
  local int partial[256];
  const uint me = get_local_id(0),
             group = reversed ? get_num_groups(0) - 1 - get_group_id(0) : get_group_id(0);
  uint first = 0, count = n / 256, below = 0, level = 0;
  while (group >= first + count) {
    below = first;
    first += count;
    count /= 256;
    ++level;
  }
  const uint place = group - first;
  int mine;
  if (level == 0) {
    mine = values[place * 256 + me];
  } else {
    if (me == 0)
      while (atomic_load_explicit(arrived + group, memory_order_acquire, memory_scope_device) != 256)
        ;
    barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);
    mine = sums[below + place * 256 + me];
  }
  const int sum = sum_of_group(mine, partial);
  if (me == 0) {
    if (count == 1) {
      *total = sum;
    } else {
      sums[group] = sum;
      atomic_fetch_add_explicit(arrived + first + count + place / 256, 1, memory_order_release,
                                memory_scope_device);
    }
  }
}
