; RUN: lockstep-opt -passes=packetize %s 2>&1 | FileCheck %s
; Where nobody looks at the result, the lanes are reduced first; else each active lane gets its turn.

; CHECK: lanes: one lane after the other: atomicrmw
; CHECK-LABEL: @kernel
; CHECK: [[SUM:%.*]] = call i32 @llvm.vector.reduce.add.v4i32
; CHECK: atomicrmw add ptr addrspace(1) %p, i32 [[SUM]] monotonic
; CHECK: lanes:
; CHECK: %this.lane = call i64 @llvm.cttz.i64
; CHECK: [[OLD:%.*]] = atomicrmw add ptr addrspace(1) %q, i32 1 monotonic
; CHECK: insertelement <4 x i32> {{.*}}, i32 [[OLD]], i64 %this.lane
; CHECK: store <4 x i32>
define void @kernel(ptr addrspace(1) %p, ptr addrspace(1) %q, ptr addrspace(1) %r, i1 %c) "lockstep-sub-group-size"="4" {
  %lane = call i64 @__lockstep_lane()
  %narrow = trunc i64 %lane to i32
  %unused = atomicrmw add ptr addrspace(1) %p, i32 %narrow monotonic
  %place = getelementptr i32, ptr addrspace(1) %r, i64 %lane
  %value = load i32, ptr addrspace(1) %place
  %odd = icmp eq i32 %value, 7
  br label %some
some:
  call void @__lockstep_mask(i1 %odd)
  %old = atomicrmw add ptr addrspace(1) %q, i32 1 monotonic
  br label %end
end:
  store i32 %old, ptr addrspace(1) %place
  ret void
}

declare i64 @__lockstep_lane() nounwind willreturn memory(none)
declare void @__lockstep_mask(i1)
