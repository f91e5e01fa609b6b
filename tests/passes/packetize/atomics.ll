; RUN: lockstep-opt -passes=packetize %s 2>&1 | FileCheck %s
; Where nobody looks at the result, and where the lanes add to one address, the lanes are reduced first; else each active lane
; gets its turn.

; CHECK: lanes: atomic addition: the lanes' values are added to each other first
; CHECK: lanes: one lane after the other: atomicrmw
; CHECK: lanes: one lane after the other: atomicrmw
; CHECK-LABEL: @kernel
; CHECK: [[SUM:%.*]] = call i32 @llvm.vector.reduce.add.v4i32
; CHECK: atomicrmw add ptr addrspace(1) %p, i32 [[SUM]] monotonic
; A lane's result is the old value and what the active lanes before it add.
; CHECK: [[ADDED:%.*]] = select <4 x i1> %{{.*}}, <4 x i32> splat (i32 1), <4 x i32> zeroinitializer
; CHECK: [[ALL:%.*]] = call i32 @llvm.vector.reduce.add.v4i32(<4 x i32> [[ADDED]])
; CHECK: [[OLD:%.*]] = atomicrmw sub ptr addrspace(1) %q, i32 [[ALL]] monotonic
; CHECK: insertelement <4 x i32> poison, i32 [[OLD]]
; CHECK: sub <4 x i32>
; CHECK: lanes:
; CHECK: %this.lane = call i64 @llvm.cttz.i64
; CHECK: [[BEFORE:%.*]] = atomicrmw xchg ptr addrspace(1) %q, i32 1 monotonic
; CHECK: insertelement <4 x i32> {{.*}}, i32 [[BEFORE]], i64 %this.lane
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
  %old = atomicrmw sub ptr addrspace(1) %q, i32 1 monotonic
  %before = atomicrmw xchg ptr addrspace(1) %q, i32 1 monotonic
  %both = add i32 %old, %before
  br label %end
end:
  store i32 %both, ptr addrspace(1) %place
  ret void
}

; One lane needs no vectors.
; CHECK-LABEL: @leader
; CHECK-NOT: vector.reduce
; CHECK: atomicrmw add ptr addrspace(1) %p, i32 1 monotonic
define void @leader(ptr addrspace(1) %p, ptr addrspace(1) %r) "lockstep-sub-group-size"="4" {
  %lane = call i64 @__lockstep_lane()
  %first = icmp eq i64 %lane, 0
  br label %some
some:
  call void @__lockstep_mask(i1 %first)
  %ticket = atomicrmw add ptr addrspace(1) %p, i32 1 monotonic
  store i32 %ticket, ptr addrspace(1) %r
  br label %end
end:
  ret void
}

declare i64 @__lockstep_lane() nounwind willreturn memory(none)
declare void @__lockstep_mask(i1)
