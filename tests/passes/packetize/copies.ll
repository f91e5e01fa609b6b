; RUN: lockstep-opt -passes=packetize %s | FileCheck %s
; Memory that is copied as a whole. Pieces of the lanes that follow each other are one copy; others are copied one by one,
; in a masked block by the lanes that are active, and what is the same for all is copied once.

; CHECK-LABEL: @kernel
; CHECK: call void @llvm.memcpy.p3.p1.i64(ptr addrspace(3) align 4 {{.*}}, ptr addrspace(1) align 4 {{.*}}, i64 48, i1 false)
; CHECK-COUNT-4: call void @llvm.memcpy.p1.p3.i64({{.*}}, i64 12, i1 false)
; CHECK: call void @llvm.memset.p1.i64(ptr addrspace(1) %q, i8 0, i64 12, i1 false)
; CHECK: masked:
; CHECK: lanes:
; CHECK: call void @llvm.memmove.p1.p1.i64({{.*}}, i64 %n, i1 false)
; CHECK-NOT: llvm.mem
; CHECK: ret void
define void @kernel(ptr addrspace(1) %p, ptr addrspace(1) %q, ptr addrspace(3) %t, i64 %n) "lockstep-sub-group-size"="4" {
  %lane = call i64 @__lockstep_lane()
  %from = getelementptr [12 x i8], ptr addrspace(1) %p, i64 %lane
  %to = getelementptr [12 x i8], ptr addrspace(3) %t, i64 %lane
  call void @llvm.memcpy.p3.p1.i64(ptr addrspace(3) align 4 %to, ptr addrspace(1) align 4 %from, i64 12, i1 false)
  %apart = getelementptr [16 x i8], ptr addrspace(1) %q, i64 %lane
  call void @llvm.memcpy.p1.p3.i64(ptr addrspace(1) align 4 %apart, ptr addrspace(3) align 4 %to, i64 12, i1 false)
  call void @llvm.memset.p1.i64(ptr addrspace(1) %q, i8 0, i64 12, i1 false)
  %value = load i32, ptr addrspace(1) %from
  %some = icmp sgt i32 %value, 0
  br label %masked
masked:
  call void @__lockstep_mask(i1 %some)
  call void @llvm.memmove.p1.p1.i64(ptr addrspace(1) %apart, ptr addrspace(1) %from, i64 %n, i1 false)
  ret void
}

declare i64 @__lockstep_lane() nounwind willreturn memory(none)
declare void @__lockstep_mask(i1)
