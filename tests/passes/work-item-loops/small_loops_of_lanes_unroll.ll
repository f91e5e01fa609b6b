; RUN: lockstep-opt -passes='work-item-loops' %s | FileCheck %s
; Small loops over sub-groups may be unrolled where lanes are vectors already. Others are kept for LLVM's loop vectorizer, and so
; that large bodies do not multiply.

; CHECK-LABEL: define void @lanes(
; CHECK-NOT: !llvm.loop
; CHECK-LABEL: define void @many(
; CHECK: br i1 {{.*}}, !llvm.loop
; CHECK-LABEL: define void @one_lane(
; CHECK: br i1 {{.*}}, !llvm.loop
; CHECK-LABEL: define void @loop_inside(
; CHECK: br i1 {{.*}}, !llvm.loop
; CHECK: llvm.loop.unroll.disable

define void @lanes(ptr addrspace(1) %a) #0 {
  %x = call i64 @__lockstep_local_id(i32 0)
  %at = getelementptr i32, ptr addrspace(1) %a, i64 %x
  store <16 x i32> splat (i32 1), ptr addrspace(1) %at
  ret void
}

define void @many(ptr addrspace(1) %a) #1 {
  %x = call i64 @__lockstep_local_id(i32 0)
  %at = getelementptr i32, ptr addrspace(1) %a, i64 %x
  store <16 x i32> splat (i32 1), ptr addrspace(1) %at
  ret void
}

define void @one_lane(ptr addrspace(1) %a) #2 {
  %x = call i64 @__lockstep_local_id(i32 0)
  %at = getelementptr i32, ptr addrspace(1) %a, i64 %x
  store i32 1, ptr addrspace(1) %at
  ret void
}

define void @loop_inside(ptr addrspace(1) %a, i32 %n) #0 {
entry:
  %x = call i64 @__lockstep_local_id(i32 0)
  %at = getelementptr i32, ptr addrspace(1) %a, i64 %x
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  store volatile <16 x i32> splat (i32 1), ptr addrspace(1) %at
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

declare i64 @__lockstep_local_id(i32)

attributes #0 = { "lockstep-local-size"="64,1,1" "lockstep-sub-group-size"="16" }
attributes #1 = { "lockstep-local-size"="8192,1,1" "lockstep-sub-group-size"="16" }
attributes #2 = { "lockstep-local-size"="64,1,1" "lockstep-sub-group-size"="1" }
