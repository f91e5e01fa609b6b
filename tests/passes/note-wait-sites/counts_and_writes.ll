; RUN: lockstep-opt -nvidia=sm_90 -passes=note-wait-sites %s | FileCheck %s
; A wait that writes local memory after many rounds is alive: each iteration counts as a change (-1). One that writes without
; a count is not: its local memory is compared.

declare void @__lockstep_barrier(i32)

; CHECK-LABEL: define void @counts(
; CHECK: call void @lockstep_nvidia_wait(i32 0, i64 {{.*}}, i64 {{.*}}, i32 -1)
define void @counts(ptr addrspace(1) %flag, ptr addrspace(3) %go) {
entry:
  br label %loop
loop:
  %rounds = phi i32 [ 0, %entry ], [ %next, %latch ]
  %value = load atomic i32, ptr addrspace(1) %flag acquire, align 4
  %ends = icmp ne i32 %value, 0
  br i1 %ends, label %end, label %body
body:
  %next = add i32 %rounds, 1
  %many = icmp eq i32 %next, 3000000
  br i1 %many, label %release, label %latch
release:
  store atomic i32 1, ptr addrspace(3) %go release, align 4
  br label %latch
latch:
  br label %loop
end:
  ret void
}

; CHECK-LABEL: define void @repeats(
; CHECK: call void @lockstep_nvidia_wait(i32 1, i64 {{.*}}, i64 {{.*}}, i32 0)
define void @repeats(ptr addrspace(1) %flag, ptr addrspace(3) %go) {
entry:
  br label %loop
loop:
  %before = phi i32 [ 0, %entry ], [ %value, %latch ]
  %value = load atomic i32, ptr addrspace(1) %flag acquire, align 4
  %ends = icmp ne i32 %value, 0
  br i1 %ends, label %end, label %latch
latch:
  store atomic i32 %before, ptr addrspace(3) %go release, align 4
  br label %loop
end:
  ret void
}
