; RUN: lockstep-opt -passes='canonicalize-flow,serialize-loops' %s | FileCheck %s
; RUN: lockstep-opt -passes='canonicalize-flow,serialize-loops,linearize,packetize,inline-serial-loops' %s | FileCheck --check-prefix=LANES %s
; What a lane does in its turn becomes a function, with what leaves it as its result; packetize
; calls it for each active lane. Nothing is left of the marks, also where there is one lane.

; CHECK-LABEL: define void @swap
; CHECK: %[[OLD:.*]] = call i32 @serial.entry.split(ptr addrspace(1) %p, i32 %mine)
; CHECK: store i32 %[[OLD]]
; LANES-LABEL: define void @swap
; LANES: lanes:
; LANES: load i32, ptr addrspace(1) %p
; LANES: cmpxchg
; LANES: br i1 {{.*}}, label %lanes
; LANES-NOT: __lockstep_turn
define void @swap(ptr addrspace(1) %p, ptr addrspace(1) %out) #0 {
entry:
  %lane = call i64 @__lockstep_lane()
  %mine = trunc i64 %lane to i32
  call void @__lockstep_serial_begin()
  %first = load i32, ptr addrspace(1) %p
  br label %loop
loop:
  %old = phi i32 [ %first, %entry ], [ %seen, %loop ]
  %new = mul i32 %old, %mine
  %pair = cmpxchg ptr addrspace(1) %p, i32 %old, i32 %new seq_cst seq_cst
  %seen = extractvalue { i32, i1 } %pair, 0
  %done = icmp eq i32 %seen, %old
  br i1 %done, label %end, label %loop
end:
  call void @__lockstep_serial_end()
  %at = getelementptr i32, ptr addrspace(1) %out, i64 %lane
  store i32 %old, ptr addrspace(1) %at
  ret void
}

; The wait stays in the function of the loop.
; CHECK-LABEL: define void @lock
; CHECK: call void @serial.entry.split.1(ptr addrspace(1) %p)
; CHECK-NEXT: br label
; LANES-LABEL: define void @lock
; LANES: lanes:
; LANES: call void @__lockstep_wait(i32 0, i1 true)
; LANES: store atomic i32 0
; LANES: br i1 {{.*}}, label %lanes
define void @lock(ptr addrspace(1) %p) #0 {
entry:
  call void @__lockstep_serial_begin()
  br label %loop
loop:
  %pair = cmpxchg ptr addrspace(1) %p, i32 0, i32 1 seq_cst seq_cst
  %done = extractvalue { i32, i1 } %pair, 1
  br i1 %done, label %end, label %back
back:
  call void @__lockstep_wait(i32 0, i1 true)
  br label %loop
end:
  store atomic i32 0, ptr addrspace(1) %p release, align 4
  call void @__lockstep_serial_end()
  ret void
}

; CHECK-LABEL: define void @one_lane
; CHECK-NOT: call
; CHECK: cmpxchg
; CHECK-NOT: call
; CHECK: ret void
define void @one_lane(ptr addrspace(1) %p) #1 {
entry:
  call void @__lockstep_serial_begin()
  %pair = cmpxchg ptr addrspace(1) %p, i32 0, i32 1 seq_cst seq_cst
  call void @__lockstep_serial_end()
  ret void
}

declare i64 @__lockstep_lane() nounwind willreturn memory(none)
declare void @__lockstep_serial_begin() convergent nounwind
declare void @__lockstep_serial_end() convergent nounwind
declare void @__lockstep_wait(i32, i1) convergent nounwind

attributes #0 = { "lockstep-sub-group-size"="16" "lockstep-local-size"="16,1,1" }
attributes #1 = { "lockstep-sub-group-size"="1" }
