; RUN: lockstep-opt -passes=packetize %s 2>/dev/null | FileCheck %s
; An update of base[index] in all lanes: each lane loads its index by itself, just before its update,
; and the element is addressed by it. Where memory may have changed since the load, the lanes'
; indices come out of the vector.

; CHECK-LABEL: @loaded
; CHECK: %[[A:.*]] = load i8, ptr addrspace(1) %{{.*}}, align 1
; CHECK-NEXT: %[[INDEX:.*]] = zext i8 %[[A]] to i64
; CHECK-NEXT: %[[FIRST:.*]] = getelementptr i32, ptr addrspace(1) %bins, i64 %[[INDEX]]
; CHECK-NEXT: atomicrmw add ptr addrspace(1) %[[FIRST]], i32 1
; CHECK: load i8
; CHECK-NEXT: zext
; CHECK-NEXT: getelementptr
; CHECK-NEXT: atomicrmw add
; CHECK: load i8
; CHECK: atomicrmw add
; CHECK: load i8
; CHECK: atomicrmw add
; CHECK-NOT: atomicrmw
define void @loaded(ptr addrspace(1) %values, ptr addrspace(1) %bins) #0 {
  %lane = call i64 @__lockstep_lane()
  %at = getelementptr i8, ptr addrspace(1) %values, i64 %lane
  %value = load i8, ptr addrspace(1) %at, align 1
  %index = zext i8 %value to i64
  %bin = getelementptr i32, ptr addrspace(1) %bins, i64 %index
  %old = atomicrmw add ptr addrspace(1) %bin, i32 1 monotonic
  ret void
}

; CHECK-LABEL: @changed_since
; CHECK: load <4 x i8>
; CHECK: store i8 0
; CHECK-NOT: load
; CHECK: extractelement <4 x i8>
; CHECK: atomicrmw add
; CHECK: ret void
define void @changed_since(ptr addrspace(1) %values, ptr addrspace(1) %bins) #0 {
  %lane = call i64 @__lockstep_lane()
  %at = getelementptr i8, ptr addrspace(1) %values, i64 %lane
  %value = load i8, ptr addrspace(1) %at, align 1
  store i8 0, ptr addrspace(1) %values
  %index = zext i8 %value to i64
  %bin = getelementptr i32, ptr addrspace(1) %bins, i64 %index
  %old = atomicrmw add ptr addrspace(1) %bin, i32 1 monotonic
  ret void
}

declare i64 @__lockstep_lane() nounwind willreturn memory(none)

attributes #0 = { "lockstep-sub-group-size"="4" "lockstep-local-size"="4,1,1" }
