; RUN: env LOCKSTEP_FORM=auto lockstep-opt -passes=mark-waits %s 2>/dev/null | FileCheck %s

; One work-item looks and tells the others: by an exchange, a copy, a collective, or through one of
; several variables.
@flag = internal addrspace(3) global i32 undef
@other = internal addrspace(3) global i32 undef
@scratch = internal addrspace(3) global [4 x i64] undef

; CHECK-LABEL: @by_exchange
; CHECK: load atomic i32
; CHECK: call void @__lockstep_wait
define void @by_exchange(ptr addrspace(1) %p) convergent {
entry:
  %id = call i64 @__lockstep_local_id(i32 0)
  %first = icmp eq i64 %id, 0
  br label %loop
loop:
  br i1 %first, label %poll, label %join
poll:
  %value = load atomic i32, ptr addrspace(1) %p acquire, align 4
  %old = atomicrmw xchg ptr addrspace(3) @flag, i32 %value monotonic
  br label %join
join:
  call void @__lockstep_barrier(i32 1)
  %seen = load i32, ptr addrspace(3) @flag
  call void @__lockstep_barrier(i32 1)
  %set = icmp ne i32 %seen, 0
  br i1 %set, label %end, label %loop
end:
  ret void
}

; CHECK-LABEL: @by_one_of_two
; CHECK: load atomic i32
; CHECK: call void @__lockstep_wait
define void @by_one_of_two(ptr addrspace(1) %p, i1 %which) convergent {
entry:
  %id = call i64 @__lockstep_local_id(i32 0)
  %first = icmp eq i64 %id, 0
  %place = select i1 %which, ptr addrspace(3) @flag, ptr addrspace(3) @other
  br label %loop
loop:
  br i1 %first, label %poll, label %join
poll:
  %value = load atomic i32, ptr addrspace(1) %p acquire, align 4
  store i32 %value, ptr addrspace(3) %place
  br label %join
join:
  call void @__lockstep_barrier(i32 1)
  %seen = load i32, ptr addrspace(3) @other
  call void @__lockstep_barrier(i32 1)
  %set = icmp ne i32 %seen, 0
  br i1 %set, label %end, label %loop
end:
  ret void
}

; What the lanes of a sub-group agree on goes through the scratch memory of the group, which holds
; nothing from one round to the next.
; CHECK-LABEL: @by_collective
; CHECK: load atomic i32
; CHECK: call void @__lockstep_group_combine_i32
; CHECK: call void @__lockstep_wait(i32 {{[0-9]+}}, i1 %changed.0)
define void @by_collective(ptr addrspace(1) %p) convergent {
entry:
  %id = call i64 @__lockstep_local_id(i32 0)
  %first = icmp eq i64 %id, 0
  br label %loop
loop:
  br i1 %first, label %poll, label %join
poll:
  %value = load atomic i32, ptr addrspace(1) %p acquire, align 4
  br label %join
join:
  %mine = phi i32 [ 0, %loop ], [ %value, %poll ]
  %most = call i32 @__lockstep_sub_group_reduce_i32(i32 3, i32 0, i32 %mine)
  %slot = getelementptr i64, ptr addrspace(3) @scratch, i64 1
  store i32 %most, ptr addrspace(3) %slot
  call void @__lockstep_group_combine_i32(i32 3, i32 0, ptr addrspace(3) @scratch, i64 1)
  %seen = load i32, ptr addrspace(3) @scratch
  %set = icmp ne i32 %seen, 0
  br i1 %set, label %end, label %loop
end:
  ret void
}

; A copy that copies the same again is no change.
; CHECK-LABEL: @by_copy
; CHECK: call void @__lockstep_group_copy
; CHECK: call void @__lockstep_wait(i32 {{[0-9]+}}, i1 %changed.0)
define void @by_copy(ptr addrspace(1) %p) convergent {
entry:
  %from = addrspacecast ptr addrspace(1) %p to ptr addrspace(4)
  br label %loop
loop:
  %ready = load atomic i32, ptr addrspace(1) %p acquire, align 4
  %odd = trunc i32 %ready to i1
  call void @__lockstep_group_copy(ptr addrspace(4) addrspacecast (ptr addrspace(3) @flag to ptr addrspace(4)), ptr addrspace(4) %from, i64 1, i64 1, i64 1, i64 4)
  %seen = load i32, ptr addrspace(3) @flag
  call void @__lockstep_barrier(i32 1)
  %large = icmp ugt i32 %seen, 7
  %set = and i1 %large, %odd
  br i1 %set, label %end, label %loop
end:
  ret void
}

; What printf prints is nobody's to wait for.
; CHECK-LABEL: @prints
; CHECK: call void @__lockstep_wait(i32 {{[0-9]+}}, i1 %changed.0)
define void @prints(ptr addrspace(1) %p) {
entry:
  br label %loop
loop:
  %value = load atomic i32, ptr addrspace(1) %p acquire, align 4
  %length = call i32 @__lockstep_printf(ptr addrspace(2) null, ptr null, i32 0)
  %set = icmp ne i32 %value, 0
  br i1 %set, label %end, label %loop
end:
  ret void
}

declare i32 @__lockstep_printf(ptr addrspace(2), ptr, i32)
declare i64 @__lockstep_local_id(i32) nounwind willreturn memory(none)
declare void @__lockstep_barrier(i32) convergent nounwind
declare i32 @__lockstep_sub_group_reduce_i32(i32, i32, i32) convergent nounwind
declare void @__lockstep_group_combine_i32(i32, i32, ptr addrspace(3), i64) convergent nounwind
declare void @__lockstep_group_copy(ptr addrspace(4), ptr addrspace(4), i64, i64, i64, i64) convergent nounwind

; All but the last are not pure: not every sub-group looks in each round, or not at one value.
; CHECK: !{i32 1, !"", i32 0, i32 0, i32 0}
; CHECK-NOT: !{i32 1, !"", i32 0, i32 0, i32 1}
; CHECK: !{i32 1, !"", i32 0, i32 0, i32 0}
; CHECK: !{i32 1, !"", i32 0, i32 0, i32 0}
; CHECK: !{i32 1, !"", i32 0, i32 0, i32 0}
; CHECK: !{i32 1, !"", i32 0, i32 0, i32 1}
