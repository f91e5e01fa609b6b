; RUN: lockstep-opt -passes=packetize %s | FileCheck %s
; The checker is told once for all lanes: of a distance where there is one, else of each address; atomics lane by lane.

@site = internal global i32 0

; CHECK-LABEL: @accesses
; CHECK: call void @__lockstep_check_access(ptr addrspace(4) %p, i64 0, i64 65535, ptr @site, i64 %{{.*}}, i64 3)
; CHECK: call void @__lockstep_check_access(ptr addrspace(4) %{{.*}}, i64 4, i64 65535, ptr @site, i64 %{{.*}}, i64 3)
; CHECK: store <16 x ptr addrspace(4)> %{{.*}}, ptr %checked.addresses
; CHECK: call void @__lockstep_check_access(ptr addrspace(4) %{{.*}}, i64 -9223372036854775808, i64 65535, ptr @site, i64 %{{.*}}, i64 3)
define void @accesses(ptr addrspace(4) %p, ptr addrspace(1) %indices) #0 {
  %lane = call i64 @__lockstep_lane()
  %first = call i64 @__lockstep_local_id(i32 0)
  %item = add i64 %first, %lane
  call void @__lockstep_check_access(ptr addrspace(4) %p, i64 0, i64 1, ptr @site, i64 %item, i64 3)
  %at = getelementptr i32, ptr addrspace(4) %p, i64 %item
  call void @__lockstep_check_access(ptr addrspace(4) %at, i64 0, i64 1, ptr @site, i64 %item, i64 3)
  %index.at = getelementptr i64, ptr addrspace(1) %indices, i64 %item
  %index = load i64, ptr addrspace(1) %index.at
  %any = getelementptr i32, ptr addrspace(4) %p, i64 %index
  call void @__lockstep_check_access(ptr addrspace(4) %any, i64 0, i64 1, ptr @site, i64 %item, i64 3)
  ret void
}

; CHECK-LABEL: @masked
; CHECK: %[[BITS:.*]] = bitcast <16 x i1> %{{.*}} to i16
; CHECK: %[[ACTIVE:.*]] = zext i16 %[[BITS]] to i64
; CHECK: call i64 @__lockstep_check_load(ptr addrspace(4) %p, i64 %[[ACTIVE]], ptr @site, i64 {{.*}}, i64 0)
; CHECK: call void @__lockstep_check_fence(i64 %{{.*}}, ptr @site, i64 {{.*}}, i64 0)
define void @masked(ptr addrspace(4) %p, i64 %n) #0 {
  %lane = call i64 @__lockstep_lane()
  %wanted = icmp ult i64 %lane, %n
  call void @__lockstep_mask(i1 %wanted)
  %seen = call i64 @__lockstep_check_load(ptr addrspace(4) %p, i64 1, ptr @site, i64 %lane, i64 0)
  call void @__lockstep_check_fence(i64 1, ptr @site, i64 %lane, i64 0)
  ret void
}

; CHECK-LABEL: @packets
; CHECK-COUNT-16: call void @__lockstep_check_packets(ptr addrspace(4) %p, i64 {{.*}}, i64 {{.*}}, ptr @site, i64 {{.*}}, i64 0)
; CHECK-NEXT: ret void
define void @packets(ptr addrspace(4) %p) #0 {
  %lane = call i64 @__lockstep_lane()
  %number = mul i64 %lane, %lane
  call void @__lockstep_check_packets(ptr addrspace(4) %p, i64 %number, i64 %number, ptr @site, i64 %lane, i64 0)
  ret void
}

; CHECK-LABEL: @atomic
; CHECK-COUNT-16: call i64 @__lockstep_check_atomic(ptr addrspace(4) %p, ptr @site, i64 {{.*}}, i64 0, i64 1, i64 0)
; CHECK-NOT: check_atomic
; CHECK: ret void
define void @atomic(ptr addrspace(4) %p) #0 {
  %lane = call i64 @__lockstep_lane()
  %was = call i64 @__lockstep_check_atomic(ptr addrspace(4) %p, ptr @site, i64 %lane, i64 0, i64 1, i64 0)
  ret void
}

declare i64 @__lockstep_lane()
declare i64 @__lockstep_local_id(i32) memory(none)
declare void @__lockstep_mask(i1)
declare void @__lockstep_check_access(ptr addrspace(4), i64, i64, ptr, i64, i64)
declare i64 @__lockstep_check_load(ptr addrspace(4), i64, ptr, i64, i64)
declare void @__lockstep_check_packets(ptr addrspace(4), i64, i64, ptr, i64, i64)
declare i64 @__lockstep_check_atomic(ptr addrspace(4), ptr, i64, i64, i64, i64)
declare void @__lockstep_check_fence(i64, ptr, i64, i64)

attributes #0 = { "lockstep-sub-group-size"="16" }
