; RUN: lockstep-opt -passes=instrument-accesses %s | FileCheck %s
; Edges of a switch that work-items choose differently are reported where they lead to other operations than the rest: together
; if several lead to the same ones.

; CHECK-LABEL: define spir_kernel void @two_ways_each
; CHECK: %[[IS_0:.*]] = icmp eq i32 %way, 0
; CHECK: %[[IS_1:.*]] = icmp eq i32 %way, 1
; CHECK: %[[FIRST:.*]] = or i1 %[[IS_0]], %[[IS_1]]
; CHECK: %[[CHOSEN:.*]] = sext i1 %[[FIRST]] to i64
; CHECK: call void @__lockstep_check_choice(i64 %[[CHOSEN]], i64 1,
; CHECK: %[[IS_2:.*]] = icmp eq i32 %way, 2
; CHECK: %[[IS_3:.*]] = icmp eq i32 %way, 3
; CHECK: %[[SECOND:.*]] = or i1 %[[IS_2]], %[[IS_3]]
; CHECK: %[[CHOSEN:.*]] = sext i1 %[[SECOND]] to i64
; CHECK: call void @__lockstep_check_choice(i64 %[[CHOSEN]], i64 1,
; CHECK-NOT: check_choice
; CHECK: switch i32 %way
define spir_kernel void @two_ways_each(ptr addrspace(1) %p) {
  %id = call i64 @__lockstep_local_id(i32 0)
  %way = trunc i64 %id to i32
  switch i32 %way, label %third [
    i32 0, label %a
    i32 1, label %b
    i32 2, label %c
    i32 3, label %d
  ]
a:
  store i32 1, ptr addrspace(1) %p
  br label %first
b:
  br label %first
first:
  call void @__lockstep_barrier(i32 1)
  ret void
c:
  store i32 2, ptr addrspace(1) %p
  br label %second
d:
  br label %second
second:
  call void @__lockstep_barrier(i32 2)
  ret void
third:
  call void @__lockstep_barrier(i32 3)
  ret void
}

; Branches take the place of the switch, of which one may part the last operation from that and the return.
; CHECK-LABEL: define spir_kernel void @or_return
; CHECK: icmp eq i32 %way, 0
; CHECK: call void @__lockstep_check_choice
; CHECK: icmp eq i32 %way, 1
; CHECK: call void @__lockstep_check_choice
; CHECK: switch i32 %way
define spir_kernel void @or_return(ptr addrspace(1) %p) {
  %id = call i64 @__lockstep_local_id(i32 0)
  %way = trunc i64 %id to i32
  switch i32 %way, label %end [
    i32 0, label %first
    i32 1, label %second
  ]
first:
  call void @__lockstep_barrier(i32 1)
  ret void
second:
  call void @__lockstep_barrier(i32 2)
  ret void
end:
  ret void
}

; The default is one of them: all but the other's.
; CHECK-LABEL: define spir_kernel void @by_default
; CHECK: %[[IS_4:.*]] = icmp eq i32 %way, 4
; CHECK: %[[IS_5:.*]] = icmp eq i32 %way, 5
; CHECK: %[[OTHERS:.*]] = or i1 %[[IS_4]], %[[IS_5]]
; CHECK: %[[CHOSEN:.*]] = xor i1 %[[OTHERS]], true
; CHECK: sext i1 %[[CHOSEN]] to i64
; CHECK: call void @__lockstep_check_choice
; CHECK: icmp eq i32 %way, 4
; CHECK: call void @__lockstep_check_choice
; CHECK: switch i32 %way
define spir_kernel void @by_default(ptr addrspace(1) %p) {
  %id = call i64 @__lockstep_local_id(i32 0)
  %way = trunc i64 %id to i32
  switch i32 %way, label %first [
    i32 4, label %second
    i32 5, label %end
    i32 6, label %first
  ]
first:
  call void @__lockstep_barrier(i32 1)
  ret void
second:
  call void @__lockstep_barrier(i32 2)
  ret void
end:
  ret void
}

; All meet one in the end.
; CHECK-LABEL: define spir_kernel void @to_one
; CHECK-NOT: check_choice
; CHECK: ret void
define spir_kernel void @to_one(ptr addrspace(1) %p) {
  %id = call i64 @__lockstep_local_id(i32 0)
  %way = trunc i64 %id to i32
  switch i32 %way, label %end [
    i32 0, label %some
    i32 1, label %second
  ]
some:
  store i32 1, ptr addrspace(1) %p
  br label %end
second:
  store i32 2, ptr addrspace(1) %p
  br label %end
end:
  call void @__lockstep_barrier(i32 1)
  ret void
}

declare i64 @__lockstep_local_id(i32)
declare void @__lockstep_barrier(i32)
