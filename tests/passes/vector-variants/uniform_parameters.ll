; A kept function gets a copy for a sub-group: the active lanes come first, what all calls agree on is a scalar, all else
; a vector, also through a function in between. What one lane has of a vector, and the vector of what lanes return, are
; picked by the lane.
; RUN: lockstep-opt -passes=vector-variants %s | FileCheck %s

; CHECK-LABEL: define void @kernel
; CHECK: call float @outer(ptr addrspace(1) %p, i64 %n, float %x, i32 %lane32)
; CHECK: call float @outer(ptr addrspace(1) %p, i64 %lane, float %x, i32 %lane32)
define void @kernel(ptr addrspace(1) %p, float %x, i64 %n) #0 {
  %lane = call i64 @__lockstep_lane()
  %lane32 = trunc i64 %lane to i32
  %a = call float @outer(ptr addrspace(1) %p, i64 %n, float %x, i32 %lane32)
  %b = call float @outer(ptr addrspace(1) %p, i64 %lane, float %x, i32 %lane32)
  ret void
}

define internal float @outer(ptr addrspace(1) noalias %p, i64 %index, float %x, i32 %number) #1 {
entry:
  %r = call { float, i32 } @inner(float %x, i32 %number)
  %s = extractvalue { float, i32 } %r, 0
  %c = icmp eq i32 %number, 0
  br i1 %c, label %first, label %others
first:
  ret float %s
others:
  %at = getelementptr float, ptr addrspace(1) %p, i64 %index
  store float %s, ptr addrspace(1) %at
  ret float %x
}

define internal { float, i32 } @inner(float %x, i32 %y) #2 {
  %v = insertelement <2 x float> zeroinitializer, float %x, i32 0
  %z = fadd <2 x float> %v, %v
  %e = extractelement <2 x float> %z, i32 0
  %sum = fadd float %e, %x
  %q = insertvalue { float, i32 } poison, float %sum, 0
  %r = insertvalue { float, i32 } %q, i32 %y, 1
  ret { float, i32 } %r
}

; Nobody comes back from it, so it has no lanes; no lane comes to the other.
define internal void @never(i32 %x) #1 {
entry:
  br label %loop
loop:
  br label %loop
}

; CHECK-LABEL: define internal <4 x float> @outer.lanes(
; CHECK-SAME: i4 %active.bits, ptr addrspace(1) noalias %p, <4 x i64> %index, float %x, <4 x i32> %number)
; CHECK: %[[LANE:.*]] = call i64 @__lockstep_lane()
; CHECK: %index.of.lane = extractelement <4 x i64> %index, i64 %[[LANE]]
; CHECK: %number.of.lane = extractelement <4 x i32> %number, i64 %[[LANE]]
; CHECK: call { float, i32 } @inner(float %x, i32 %number.of.lane)
; CHECK: return:
; CHECK: %result = phi float [ %s, %first ], [ %x, %others ]
; CHECK: %[[ALL:.*]] = insertelement <4 x float> poison, float %result, i64
; CHECK: ret <4 x float> %[[ALL]]

; CHECK-LABEL: define internal { <4 x float>, <4 x i32> } @inner.lanes(
; CHECK-SAME: i4 %active.bits, float %x, <4 x i32> %y)
; CHECK-NOT: fadd <2 x float>
; CHECK: ret { <4 x float>, <4 x i32> }
; CHECK-NOT: define

declare i64 @__lockstep_lane() nounwind willreturn memory(none)
attributes #0 = { "lockstep-sub-group-size"="4" }
attributes #1 = { "lockstep-out-of-line" }
attributes #2 = { "lockstep-out-of-line" memory(argmem: read) }
