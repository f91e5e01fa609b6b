; RUN: lockstep-opt -passes=note-wait-sites %s | FileCheck %s
; A loop that waits has a call in front of it, and one on its back edge, behind the test that ends it. The second one names
; the address and the value. It has the size of the value if only this word can end the loop. A third one is behind it.

; CHECK-LABEL: define void @one(
; CHECK: call void @lockstep_nvidia_wait_begins(i32 0)
; CHECK: %seen = load atomic i32
; CHECK: br i1 %free, label %{{.*}}, label %[[EDGE:.*]]
; CHECK: [[EDGE]]:
; CHECK: [[ADDRESS:%.*]] = ptrtoint ptr addrspace(1) %flag to i64
; CHECK: call void @lockstep_nvidia_wait(i32 0, i64 [[ADDRESS]], i64 {{%.*}}, i32 4)
; CHECK: br label {{.*}} !lockstep.wait
; CHECK: call void @lockstep_nvidia_wait_ends(i32 0)
define void @one(ptr addrspace(1) %flag) {
entry:
  br label %loop
loop:
  %seen = load atomic i32, ptr addrspace(1) %flag acquire, align 4
  %free = icmp ne i32 %seen, 0
  br i1 %free, label %end, label %loop
end:
  ret void
}

; Two words: which of them ends the loop is not known.
; CHECK-LABEL: define void @two(
; CHECK: call void @lockstep_nvidia_wait(i32 1, i64 0, i64 0, i32 0)
define void @two(ptr addrspace(1) %flag, ptr addrspace(1) %other) {
entry:
  br label %loop
loop:
  %a = load atomic i32, ptr addrspace(1) %flag acquire, align 4
  %b = load atomic i32, ptr addrspace(1) %other acquire, align 4
  %sum = add i32 %a, %b
  %free = icmp ne i32 %sum, 0
  br i1 %free, label %end, label %loop
end:
  ret void
}

; A counter decides as well, so the word alone does not tell.
; CHECK-LABEL: define void @counts(
; CHECK: call void @lockstep_nvidia_wait(i32 2, i64 {{%.*}}, i64 {{%.*}}, i32 0)
define void @counts(ptr addrspace(1) %flag) {
entry:
  br label %loop
loop:
  %wanted = phi i32 [ 9, %entry ], [ %next, %loop ]
  %seen = load atomic i32, ptr addrspace(1) %flag acquire, align 4
  %next = mul i32 %wanted, 3
  %free = icmp eq i32 %seen, %wanted
  br i1 %free, label %end, label %loop
end:
  ret void
}

; A loop that writes something else makes progress in each iteration, so it is never a deadlock.
; CHECK-LABEL: define void @writes(
; CHECK: call void @lockstep_nvidia_wait(i32 3, i64 {{.*}}, i64 {{.*}}, i32 -1)
define void @writes(ptr addrspace(1) %flag, ptr addrspace(1) %count) {
entry:
  br label %loop
loop:
  %old = atomicrmw add ptr addrspace(1) %count, i32 1 monotonic, align 4
  %seen = load atomic i32, ptr addrspace(1) %flag acquire, align 4
  %free = icmp ne i32 %seen, 0
  br i1 %free, label %end, label %loop
end:
  ret void
}

; What it writes to local memory is compared.
; CHECK-LABEL: define void @writes_local(
; CHECK: call void @lockstep_nvidia_wait(i32 4, i64 {{%.*}}, i64 {{%.*}}, i32 0)
define void @writes_local(ptr addrspace(1) %flag, ptr addrspace(3) %copy) {
entry:
  br label %loop
loop:
  %seen = load atomic i32, ptr addrspace(1) %flag acquire, align 4
  store i32 %seen, ptr addrspace(3) %copy, align 4
  %free = icmp ne i32 %seen, 0
  br i1 %free, label %end, label %loop
end:
  ret void
}

; The scratch memory of collectives needs no comparison.
; CHECK-LABEL: define void @writes_scratch(
; CHECK: call void @lockstep_nvidia_wait(i32 5, i64 {{%.*}}, i64 {{%.*}}, i32 4)
@lockstep.group.scratch = internal addrspace(3) global [33 x i64] poison, align 64
define void @writes_scratch(ptr addrspace(1) %flag) {
entry:
  br label %loop
loop:
  %seen = load atomic i32, ptr addrspace(1) %flag acquire, align 4
  store i32 %seen, ptr addrspace(3) @lockstep.group.scratch, align 4
  %free = icmp ne i32 %seen, 0
  br i1 %free, label %end, label %loop
end:
  ret void
}

; CHECK: !lockstep.waits_write_local = !{}
