; RUN: lockstep-opt -nvidia=sm_90 -passes=note-group-waits %s | FileCheck %s
; Back edges of loops that wait have a mark.
; A loop that ends when another group writes waits, also in a function that the kernel calls. A loop that polls local memory
; waits for the own group only, but a lock of the group needs persistent code if it is taken in each round of a wait. A
; counting loop does not wait.

; CHECK: define void @of_groups({{.*}}) [[WAITS:#[0-9]+]]
; CHECK: br i1 %ends, label %end, label %loop, !lockstep.wait
define void @of_groups(ptr addrspace(1) %flag) {
entry:
  br label %loop
loop:
  %value = load atomic i32, ptr addrspace(1) %flag acquire, align 4
  %ends = icmp ne i32 %value, 0
  br i1 %ends, label %end, label %loop
end:
  ret void
}
; CHECK: define void @lock({{.*}}) [[WAITS]]
define void @lock(ptr addrspace(1) %lock) {
entry:
  br label %loop
loop:
  %old = atomicrmw xchg ptr addrspace(1) %lock, i32 1 acquire, align 4
  %ends = icmp eq i32 %old, 0
  br i1 %ends, label %end, label %loop
end:
  ret void
}
; CHECK: define void @of_items({{.*}}) {
; CHECK: br i1 %ends, label %end, label %loop, !lockstep.wait
define void @of_items(ptr addrspace(3) %flag) {
entry:
  br label %loop
loop:
  %value = load atomic i32, ptr addrspace(3) %flag acquire, align 4
  %ends = icmp ne i32 %value, 0
  br i1 %ends, label %end, label %loop
end:
  ret void
}
; CHECK: define void @counts({{.*}}) {
; CHECK: br i1 %ends, label %end, label %loop{{$}}
define void @counts(ptr addrspace(1) %sum, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %old = atomicrmw add ptr addrspace(1) %sum, i32 1 monotonic, align 4
  %next = add nuw i32 %i, 1
  %ends = icmp uge i32 %next, %n
  br i1 %ends, label %end, label %loop
end:
  ret void
}
; CHECK: define void @in_turn({{.*}}) [[WAITS]]
define void @in_turn(ptr addrspace(3) %turn, ptr addrspace(1) %rounds) {
entry:
  br label %loop
loop:
  %old = atomicrmw add ptr addrspace(1) %rounds, i32 1 monotonic, align 4
  %value = load atomic i32, ptr addrspace(3) %turn acquire, align 4
  %ends = icmp ne i32 %value, 0
  br i1 %ends, label %end, label %loop
end:
  ret void
}
; CHECK: attributes [[WAITS]] = { "lockstep-groups-wait" }
