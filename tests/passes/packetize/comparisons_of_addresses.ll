; RUN: lockstep-opt -passes='function(packetize,instcombine),verify' %s | FileCheck %s
; Two addresses of each lane, one of which is stored to as well. Compared as vectors of pointers, InstCombine of LLVM 22
; made the store's base a vector ("Call parameter type does not match function signature").

; CHECK-LABEL: @kernel
; CHECK: ptrtoint ptr addrspace(3)
; CHECK: icmp eq <4 x i64>
; CHECK: store <4 x i32>
define void @kernel(ptr addrspace(3) %p, ptr addrspace(3) %q, ptr addrspace(1) %out, i64 %n) "lockstep-sub-group-size"="4" {
  %lane = call i64 @__lockstep_lane()
  %place = add i64 %lane, %n
  %one = getelementptr i64, ptr addrspace(3) %p, i64 %place
  %other = getelementptr i64, ptr addrspace(3) %q, i64 %lane
  store i64 5, ptr addrspace(3) %one
  store i64 7, ptr addrspace(3) %other
  %same = icmp eq ptr addrspace(3) %one, %other
  %null = icmp ne ptr addrspace(3) %one, null
  %both = select i1 %same, i1 %null, i1 false
  %number = zext i1 %both to i32
  %at = getelementptr i32, ptr addrspace(1) %out, i64 %lane
  store i32 %number, ptr addrspace(1) %at
  ret void
}

; The same where the distances are those of narrow indices, which are vectors.
; CHECK-LABEL: @narrow
; CHECK-NOT: icmp {{.*}} ptr
; CHECK: icmp ult <4 x i64>
; CHECK-NOT: icmp {{.*}} ptr
; CHECK: ret void
define void @narrow(ptr addrspace(3) %p, ptr addrspace(1) %out, i64 %n) "lockstep-sub-group-size"="4" {
  %lane = call i64 @__lockstep_lane()
  %id = add i64 %lane, %n
  %int = trunc i64 %id to i32
  %wide = sext i32 %int to i64
  %row = getelementptr [2 x [200 x i64]], ptr addrspace(3) %p, i64 0, i64 %n
  %one = getelementptr [200 x i64], ptr addrspace(3) %row, i64 0, i64 %wide
  %last = getelementptr [2 x [200 x i64]], ptr addrspace(3) %p, i64 0, i64 1
  %other = getelementptr [200 x i64], ptr addrspace(3) %last, i64 0, i64 %wide
  store i64 5, ptr addrspace(3) %one
  store i64 7, ptr addrspace(3) %other
  %less = icmp ult ptr addrspace(3) %one, %other
  %number = zext i1 %less to i32
  %at = getelementptr i32, ptr addrspace(1) %out, i64 %lane
  store i32 %number, ptr addrspace(1) %at
  ret void
}

declare i64 @__lockstep_lane() nounwind willreturn memory(none)
