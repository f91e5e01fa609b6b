// Of remarks_test.py: reservations in pipes, of as many packets as there are work-items and of any number.
kernel void put(global const uint *values, write_only pipe uint to) {
  reserve_id_t room = sub_group_reserve_write_pipe(to, get_sub_group_size());
  if (is_valid_reserve_id(room)) {
    write_pipe(to, room, get_sub_group_local_id(), &values[get_global_id(0)]);
    sub_group_commit_write_pipe(to, room);
  }
}

kernel void take(read_only pipe uint from, global uint *values, uint count) {
  reserve_id_t some = reserve_read_pipe(from, count);
  if (is_valid_reserve_id(some)) {
    for (uint i = 0; i < count; ++i)
      read_pipe(from, some, i, &values[get_global_id(0) * count + i]);
    commit_read_pipe(from, some);
  }
}
