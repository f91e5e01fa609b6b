; RUN: lockstep-opt -passes='canonicalize-flow' %s | FileCheck %s
; RUN: lockstep-opt -passes='canonicalize-flow,linearize' %s | FileCheck %s --check-prefix=LINEAR
; Lanes that do not come to the endless loop go on. So it gets an exit, which it takes when no lane is in it.

; CHECK-LABEL: @kernel
; CHECK: %[[LANE:.*]] = call i64 @__lockstep_lane()
; CHECK: %nobody = icmp eq i64 %[[LANE]], 16
; CHECK: br i1 %nobody, label %left, label %endless
; CHECK: left:
; CHECK-NEXT: br label %end
; LINEAR-LABEL: @kernel
; LINEAR: %any{{.*}} = call i1 @__lockstep_any_lane
; LINEAR: br i1 %any{{.*}}, label %endless, label %endless.exit
define void @kernel(ptr addrspace(1) %p, i32 %bound) "lockstep-sub-group-size"="16" {
entry:
  %lane = call i64 @__lockstep_lane()
  %some = icmp ult i64 %lane, 5
  br i1 %some, label %endless, label %others
endless:
  br label %endless
others:
  %address = getelementptr i32, ptr addrspace(1) %p, i64 %lane
  store i32 1, ptr addrspace(1) %address
  ret void
}

; Work-items that meet at a barrier for ever: all of them are in the loop, or none.
; CHECK-LABEL: @with_barrier
; CHECK-NOT: %nobody
define void @with_barrier(i1 %all) convergent "lockstep-sub-group-size"="16" {
entry:
  br i1 %all, label %endless, label %others
endless:
  call void @__lockstep_barrier(i32 1)
  br label %endless
others:
  ret void
}

declare i64 @__lockstep_lane() nounwind willreturn memory(none)
declare void @__lockstep_barrier(i32) convergent nounwind
