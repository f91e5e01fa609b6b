// Kernels that enqueue (OpenCL C 6.15.17), in pairs: what is ordered, and what is not. One work-item of the first or of each
// group enqueues; `data` has 256 words.
#define NO_WAIT CLK_ENQUEUE_FLAGS_NO_WAIT
#define WAIT_KERNEL CLK_ENQUEUE_FLAGS_WAIT_KERNEL
#define WAIT_GROUP CLK_ENQUEUE_FLAGS_WAIT_WORK_GROUP
#define FIRST (get_global_id(0) == 0)
#define LAST (get_global_id(0) == get_global_size(0) - 1)

void put(queue_t queue, global int *to, int value) {
  enqueue_kernel(queue, NO_WAIT, ndrange_1D(64), ^{ to[get_global_id(0)] = value; });
}

// ---- two children

kernel void children_apart(global int *data) { // right
  if (!FIRST)
    return;
  put(get_default_queue(), data, 1);
  put(get_default_queue(), data + 64, 2);
}
kernel void children_meet(global int *data) { // wrong
  if (!FIRST)
    return;
  enqueue_kernel(get_default_queue(), NO_WAIT, ndrange_1D(64), ^{ data[get_global_id(0)] = 1; });
  enqueue_kernel(get_default_queue(), NO_WAIT, ndrange_1D(64), ^{ data[get_global_id(0) + 63] = 2; });
}
kernel void children_read(global int *data) { // right
  if (!FIRST)
    return;
  enqueue_kernel(get_default_queue(), NO_WAIT, ndrange_1D(64), ^{ data[get_global_id(0) + 64] = data[0]; });
  enqueue_kernel(get_default_queue(), NO_WAIT, ndrange_1D(64), ^{ data[get_global_id(0) + 128] = data[0]; });
}
kernel void children_by_event(global int *data) { // right
  if (!FIRST)
    return;
  clk_event_t written;
  enqueue_kernel(get_default_queue(), NO_WAIT, ndrange_1D(64), 0, NULL, &written, ^{ data[get_global_id(0)] = 1; });
  enqueue_kernel(get_default_queue(), NO_WAIT, ndrange_1D(64), 1, &written, NULL, ^{ data[get_global_id(0)] += 1; });
  release_event(written);
}
kernel void children_by_another_event(global int *data) { // wrong
  if (!FIRST)
    return;
  clk_event_t written, other;
  enqueue_kernel(get_default_queue(), NO_WAIT, ndrange_1D(64), 0, NULL, &written, ^{ data[get_global_id(0)] = 1; });
  enqueue_kernel(get_default_queue(), NO_WAIT, ndrange_1D(64), 0, NULL, &other, ^{ data[get_global_id(0) + 64] = 1; });
  enqueue_kernel(get_default_queue(), NO_WAIT, ndrange_1D(64), 1, &other, NULL, ^{ data[get_global_id(0)] += 1; });
  release_event(written);
  release_event(other);
}
kernel void children_by_marker(global int *data) { // right
  if (!FIRST)
    return;
  clk_event_t written[2], all;
  enqueue_kernel(get_default_queue(), NO_WAIT, ndrange_1D(64), 0, NULL, &written[0], ^{ data[get_global_id(0)] = 1; });
  enqueue_kernel(get_default_queue(), NO_WAIT, ndrange_1D(64), 0, NULL, &written[1], ^{ data[get_global_id(0) + 64] = 1; });
  enqueue_marker(get_default_queue(), 2, written, &all);
  enqueue_kernel(get_default_queue(), NO_WAIT, ndrange_1D(128), 1, &all, NULL, ^{ data[get_global_id(0)] += 1; });
  release_event(written[0]);
  release_event(written[1]);
  release_event(all);
}
kernel void children_by_half_a_marker(global int *data) { // wrong
  if (!FIRST)
    return;
  clk_event_t written[2], all;
  enqueue_kernel(get_default_queue(), NO_WAIT, ndrange_1D(64), 0, NULL, &written[0], ^{ data[get_global_id(0)] = 1; });
  enqueue_kernel(get_default_queue(), NO_WAIT, ndrange_1D(64), 0, NULL, &written[1], ^{ data[get_global_id(0) + 64] = 1; });
  enqueue_marker(get_default_queue(), 1, written, &all);
  enqueue_kernel(get_default_queue(), NO_WAIT, ndrange_1D(128), 1, &all, NULL, ^{ data[get_global_id(0)] += 1; });
  release_event(written[0]);
  release_event(written[1]);
  release_event(all);
}
// That two wait for one end does not order them.
kernel void children_of_the_end_meet(global int *data) { // wrong
  if (!FIRST)
    return;
  enqueue_kernel(get_default_queue(), WAIT_KERNEL, ndrange_1D(64), ^{ data[get_global_id(0)] = 1; });
  enqueue_kernel(get_default_queue(), WAIT_KERNEL, ndrange_1D(64), ^{ data[get_global_id(0)] += 2; });
}
kernel void children_of_groups_meet(global int *data) { // wrong
  if (get_local_id(0) == 0)
    enqueue_kernel(get_default_queue(), NO_WAIT, ndrange_1D(64), ^{ data[get_global_id(0)] += 1; });
}
kernel void children_of_groups_update(global int *data) { // right
  if (get_local_id(0) == 0)
    enqueue_kernel(get_default_queue(), NO_WAIT, ndrange_1D(64), ^{ atomic_inc(data + get_global_id(0)); });
}

// ---- children of children

// An event is that of all that its kernel has enqueued, too.
kernel void grandchild_by_event(global int *data) { // right
  if (!FIRST)
    return;
  clk_event_t written;
  enqueue_kernel(get_default_queue(), NO_WAIT, ndrange_1D(1), 0, NULL, &written, ^{ put(get_default_queue(), data, 1); });
  enqueue_kernel(get_default_queue(), NO_WAIT, ndrange_1D(64), 1, &written, NULL, ^{ data[get_global_id(0)] += 1; });
  release_event(written);
}
kernel void grandchild_meets(global int *data) { // wrong
  if (!FIRST)
    return;
  enqueue_kernel(get_default_queue(), NO_WAIT, ndrange_1D(1), ^{ put(get_default_queue(), data, 1); });
  enqueue_kernel(get_default_queue(), NO_WAIT, ndrange_1D(64), ^{ data[get_global_id(0)] += 1; });
}
void halve(global int *data, int left) {
  data[get_global_id(0)] += left;
  if (FIRST && left)
    enqueue_kernel(get_default_queue(), WAIT_KERNEL, ndrange_1D(64), ^{ halve(data, left / 2); });
}
kernel void one_after_the_other(global int *data) { // right
  if (get_group_id(0) == 0)
    halve(data, 64);
}
void halve_at_once(global int *data, int left) {
  data[get_global_id(0)] += left;
  if (FIRST && left)
    enqueue_kernel(get_default_queue(), NO_WAIT, ndrange_1D(64), ^{ halve_at_once(data, left / 2); });
}
kernel void one_beside_the_other(global int *data) { // wrong
  if (get_group_id(0) == 0)
    halve_at_once(data, 64);
}

// ---- the parent and its child

kernel void written_before(global int *data) { // right
  if (!FIRST)
    return;
  data[0] = 7;
  enqueue_kernel(get_default_queue(), NO_WAIT, ndrange_1D(1), ^{ data[64] = data[0]; });
}
kernel void written_after(global int *data) { // wrong
  if (!FIRST)
    return;
  enqueue_kernel(get_default_queue(), NO_WAIT, ndrange_1D(1), ^{ data[64] = data[0]; });
  data[0] = 7;
}
kernel void read_after(global int *data) { // wrong
  if (!FIRST)
    return;
  data[0] = 7;
  enqueue_kernel(get_default_queue(), NO_WAIT, ndrange_1D(1), ^{ data[0] += 1; });
  data[64] = data[0];
}
kernel void read_by_both(global int *data) { // right
  if (!FIRST)
    return;
  data[0] = 7;
  enqueue_kernel(get_default_queue(), NO_WAIT, ndrange_1D(1), ^{ data[64] = data[0]; });
  data[65] = data[0];
}
kernel void written_after_in_rounds(global int *data) { // wrong
  if (FIRST)
    for (int i = 0; i < 2; ++i) {
      data[i] = i;
      enqueue_kernel(get_default_queue(), NO_WAIT, ndrange_1D(2), ^{ data[64 * i + 64 + get_global_id(0)] = data[get_global_id(0)]; });
    }
}
kernel void written_before_in_rounds(global int *data) { // right
  if (FIRST)
    for (int i = 0; i < 2; ++i) {
      data[i] = i;
      enqueue_kernel(get_default_queue(), NO_WAIT, ndrange_1D(1), ^{ data[64 * i + 64] = data[i]; });
    }
}
kernel void group_has_written(global int *data) { // right
  data[get_global_id(0)] = 7;
  barrier(CLK_GLOBAL_MEM_FENCE);
  if (get_local_id(0) == 0) {
    global int *mine = data + get_global_id(0);
    enqueue_kernel(get_default_queue(), NO_WAIT, ndrange_1D(64), ^{ mine[get_global_id(0)] += 1; });
  }
}
kernel void group_goes_on(global int *data) { // wrong
  data[get_global_id(0)] = 7;
  barrier(CLK_GLOBAL_MEM_FENCE);
  if (get_local_id(0) == 0) {
    global int *mine = data + get_global_id(0);
    enqueue_kernel(get_default_queue(), NO_WAIT, ndrange_1D(64), ^{ mine[get_global_id(0)] += 1; });
  }
  barrier(CLK_GLOBAL_MEM_FENCE);
  data[get_global_id(0)] += 1;
}
kernel void group_is_waited_for(global int *data) { // right
  if (get_local_id(0) == 0) {
    global int *mine = data + get_global_id(0);
    enqueue_kernel(get_default_queue(), WAIT_GROUP, ndrange_1D(64), ^{ mine[get_global_id(0)] += 1; });
  }
  barrier(CLK_GLOBAL_MEM_FENCE);
  data[get_global_id(0)] = 7;
}
// Of the groups that run later at least.
kernel void group_is_waited_for_alone(global int *data) { // wrong
  if (FIRST)
    enqueue_kernel(get_default_queue(), WAIT_GROUP, ndrange_1D(256), ^{ data[get_global_id(0)] += 1; });
  data[get_global_id(0)] = 7;
}
kernel void kernel_is_waited_for(global int *data) { // right
  if (FIRST)
    enqueue_kernel(get_default_queue(), WAIT_KERNEL, ndrange_1D(256), ^{ data[get_global_id(0)] += 1; });
  data[get_global_id(0)] = 7;
}
kernel void user_event_is_set_after(global int *data) { // right
  if (!FIRST)
    return;
  clk_event_t go = create_user_event();
  enqueue_kernel(get_default_queue(), NO_WAIT, ndrange_1D(1), 1, &go, NULL, ^{ data[64] = data[0]; });
  data[0] = 7;
  set_user_event_status(go, CL_COMPLETE);
  release_event(go);
}
kernel void user_event_is_set_before(global int *data) { // wrong
  if (!FIRST)
    return;
  clk_event_t go = create_user_event();
  enqueue_kernel(get_default_queue(), NO_WAIT, ndrange_1D(1), 1, &go, NULL, ^{ data[64] = data[0]; });
  set_user_event_status(go, CL_COMPLETE);
  data[0] = 7;
  release_event(go);
}
// It is told by its child, or by another one that waits for that.
kernel void waits_for_its_child(global int *data) { // right
  if (!FIRST)
    return;
  global atomic_int *done = (global atomic_int *)data + 128;
  enqueue_kernel(get_default_queue(), NO_WAIT, ndrange_1D(1), ^{
    data[0] = 7;
    atomic_store_explicit(done, 1, memory_order_release, memory_scope_device);
  });
  while (atomic_load_explicit(done, memory_order_acquire, memory_scope_device) == 0)
    ;
  data[64] = data[0];
}
kernel void waits_for_another_child(global int *data) { // right
  if (!FIRST)
    return;
  global atomic_int *done = (global atomic_int *)data + 128;
  clk_event_t written;
  enqueue_kernel(get_default_queue(), NO_WAIT, ndrange_1D(1), 0, NULL, &written, ^{ data[0] = 7; });
  enqueue_kernel(get_default_queue(), NO_WAIT, ndrange_1D(1), 1, &written, NULL,
                 ^{ atomic_store_explicit(done, 1, memory_order_release, memory_scope_device); });
  release_event(written);
  while (atomic_load_explicit(done, memory_order_acquire, memory_scope_device) == 0)
    ;
  data[64] = data[0];
  put(get_default_queue(), data, 9);
}
