// Pairs of a wrong and a right use of a pipe. Each takes one end of a pipe of 1,024 packets and a buffer of words, all 0; local
// size 64 of 256. Who reads finds 512 packets.
#define WRITES write_only pipe uint to, global uint *data
#define READS read_only pipe uint from, global uint *data
#define ITEM get_local_id(0)
#define BOTH (CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)

// ---- each its own

kernel void packets(WRITES) {
  uint packet = get_global_id(0);
  write_pipe(to, &packet);
}
kernel void packets_read(READS) {
  uint packet = 0;
  read_pipe(from, &packet);
  data[get_global_id(0)] = packet;
}
kernel void packets_of_work_items(WRITES) {
  reserve_id_t room = reserve_write_pipe(to, 3);
  for (uint i = 0; i < 3; ++i) {
    uint packet = get_global_id(0);
    write_pipe(to, room, i, &packet);
  }
  commit_write_pipe(to, room);
}
kernel void packets_of_work_items_read(READS) {
  reserve_id_t some = reserve_read_pipe(from, 2);
  uint sum = 0;
  for (uint i = 0; i < 2; ++i) {
    uint packet;
    read_pipe(from, some, i, &packet);
    sum += packet;
  }
  commit_read_pipe(from, some);
  data[get_global_id(0)] = sum;
}

// ---- together: of each, one packet by its number in the sub-group or group

#define OF_SUB_GROUP(write)                                                                                            \
  uint packet = get_global_id(0), lane = get_sub_group_local_id();                                                     \
  reserve_id_t room = sub_group_reserve_write_pipe(to, get_sub_group_size());                                          \
  write;                                                                                                               \
  sub_group_commit_write_pipe(to, room);
kernel void packets_of_sub_groups(WRITES) { OF_SUB_GROUP(write_pipe(to, room, lane, &packet)) }
kernel void two_of_a_sub_group_write_one_packet(WRITES) {
  OF_SUB_GROUP(write_pipe(to, room, lane, &packet); if (lane < 2) write_pipe(to, room, 0, &packet))
}
kernel void two_of_a_sub_group_write_one_packet_in_turn(WRITES) {
  OF_SUB_GROUP(write_pipe(to, room, lane, &packet); sub_group_barrier(CLK_GLOBAL_MEM_FENCE);
               if (lane == 1) write_pipe(to, room, 0, &packet))
}
kernel void packets_of_sub_groups_read(READS) {
  uint packet = 0;
  reserve_id_t some = sub_group_reserve_read_pipe(from, get_sub_group_size());
  read_pipe(from, some, get_sub_group_local_id(), &packet);
  sub_group_commit_read_pipe(from, some);
  data[get_global_id(0)] = packet;
}
kernel void packets_of_groups(WRITES) {
  uint packet = get_global_id(0);
  reserve_id_t room = work_group_reserve_write_pipe(to, get_local_size(0));
  write_pipe(to, room, ITEM, &packet);
  work_group_commit_write_pipe(to, room);
}
kernel void two_of_a_group_write_one_packet(WRITES) {
  uint packet = get_global_id(0);
  reserve_id_t room = work_group_reserve_write_pipe(to, get_local_size(0));
  write_pipe(to, room, ITEM / 2, &packet);
  work_group_commit_write_pipe(to, room);
}
kernel void packets_of_groups_read(READS) {
  uint packet;
  reserve_id_t some = work_group_reserve_read_pipe(from, get_local_size(0));
  read_pipe(from, some, ITEM, &packet);
  work_group_commit_read_pipe(from, some);
  data[get_global_id(0)] = packet;
}

// ---- reserved by one for others, who have to be done when it commits

#define BY_THE_FIRST(reserve, use, before_commit, commit)                                                              \
  local reserve_id_t reserved;                                                                                         \
  if (ITEM == 0)                                                                                                       \
    reserved = reserve;                                                                                                \
  barrier(CLK_LOCAL_MEM_FENCE);                                                                                        \
  uint packet = get_global_id(0);                                                                                      \
  use;                                                                                                                 \
  before_commit;                                                                                                       \
  if (ITEM == 0)                                                                                                       \
    commit;
#define WRITTEN_BY_ALL(before_commit)                                                                                  \
  BY_THE_FIRST(reserve_write_pipe(to, 64), write_pipe(to, reserved, ITEM, &packet), before_commit,                     \
               commit_write_pipe(to, reserved))
#define READ_BY_ALL(before_commit)                                                                                     \
  BY_THE_FIRST(reserve_read_pipe(from, 64), read_pipe(from, reserved, ITEM, &packet), before_commit,                   \
               commit_read_pipe(from, reserved))                                                                       \
  data[get_global_id(0)] = packet;
kernel void written_by_all(WRITES) { WRITTEN_BY_ALL(barrier(BOTH)) }
kernel void written_by_all_committed_too_early(WRITES) { WRITTEN_BY_ALL() }
kernel void written_by_all_committed_behind_local_barrier(WRITES) { WRITTEN_BY_ALL(barrier(CLK_LOCAL_MEM_FENCE)) }
kernel void read_by_all_read(READS) { READ_BY_ALL(barrier(BOTH)) }
kernel void read_by_all_committed_too_early_read(READS) { READ_BY_ALL() }

// ---- packets order no other memory

// One work-item of each group. The first group's writes a word before it writes a packet, the others read that after theirs.
#define HAND_OVER(access)                                                                                              \
  if (ITEM != 0)                                                                                                       \
    return;                                                                                                            \
  if (get_group_id(0) == 0)                                                                                            \
    data[get_num_groups(0)] = 7;                                                                                       \
  uint packet = get_global_id(0);                                                                                      \
  access;                                                                                                              \
  data[get_group_id(0)] = packet + data[get_num_groups(0)];
kernel void hand_over_by_packets(WRITES) { HAND_OVER(write_pipe(to, &packet)) }
kernel void hand_over_by_packets_read(READS) { HAND_OVER(read_pipe(from, &packet)) }
kernel void hand_over_by_reservations(WRITES) {
  HAND_OVER(reserve_id_t room = reserve_write_pipe(to, 1); write_pipe(to, room, 0, &packet); commit_write_pipe(to, room))
}
