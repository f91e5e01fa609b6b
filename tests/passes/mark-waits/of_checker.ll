; RUN: env LOCKSTEP_FORM=auto lockstep-opt -passes=mark-waits %s 2>/dev/null | FileCheck %s
; What lower-undefined puts into a loop that waits is no part of it: the loop waits for the flag alone, and no round changes
; anything.

; CHECK-LABEL: @waits
; CHECK: %[[CHANGED:.*]] = phi i1 [ true, %entry ], [ false, %{{.*}} ]
; CHECK: call void @__lockstep_seen(
; CHECK-NOT: call void @__lockstep_seen
; CHECK: call void @__lockstep_ends_with(i64 0,
; CHECK: call void @__lockstep_wait(i32 0, i1 %[[CHANGED]])
define void @waits(ptr addrspace(1) noalias %flag, ptr addrspace(1) %plane, ptr %site) {
entry:
  br label %loop
loop:
  %bits = load i32, ptr addrspace(1) %plane, align 4, !nosanitize !0
  %any = icmp ne i32 %bits, 0
  br i1 %any, label %tell, label %look
tell:
  call void @__lockstep_check_choice(i64 -1, i64 1, ptr %site, i64 0, i64 0) memory(read), !nosanitize !0
  br label %look
look:
  %value = load atomic i32, ptr addrspace(1) %flag acquire, align 4
  %set = icmp ne i32 %value, 0
  br i1 %set, label %end, label %loop
end:
  ret void
}

; The loop takes a ticket in each round, which its exit reads in local memory. It waits for nobody, although the checker writes
; to an unknown address in local memory what depends on a read of its own.
; CHECK-LABEL: @takes_tickets
; CHECK-NOT: call void @__lockstep_wait(
; CHECK: ret void
@portion = internal addrspace(3) global i32 poison
define void @takes_tickets(ptr addrspace(1) %next, ptr addrspace(1) %plane, i64 %distance, i32 %end, ptr %site) {
entry:
  %id = call i64 @__lockstep_local_id(i32 0)
  %first = icmp eq i64 %id, 0
  br label %loop
loop:
  br i1 %first, label %take, label %meet
take:
  %bits = load i32, ptr addrspace(1) %plane, align 4, !nosanitize !0
  %any = icmp ne i32 %bits, 0
  br i1 %any, label %tell, label %update
tell:
  call void @__lockstep_check_choice(i64 -1, i64 1, ptr %site, i64 0, i64 0) memory(read), !nosanitize !0
  store i32 -1, ptr addrspace(1) %plane, align 4, !nosanitize !0
  br label %update
update:
  %ticket = atomicrmw add ptr addrspace(1) %next, i32 1 monotonic, align 4
  %number = add i64 ptrtoint (ptr addrspace(3) @portion to i64), %distance
  %shadow = inttoptr i64 %number to ptr addrspace(3)
  store i32 -1, ptr addrspace(3) %shadow, align 4, !nosanitize !0
  store i32 %ticket, ptr addrspace(3) @portion, align 4
  br label %meet
meet:
  call void @__lockstep_barrier(i32 1)
  %mine = load i32, ptr addrspace(3) @portion, align 4
  call void @__lockstep_barrier(i32 1)
  %more = icmp ult i32 %mine, %end
  br i1 %more, label %loop, label %done
done:
  ret void
}

declare i64 @__lockstep_local_id(i32) memory(none)
declare void @__lockstep_barrier(i32) convergent
declare void @__lockstep_check_choice(i64, i64, ptr, i64, i64)

!0 = !{}
