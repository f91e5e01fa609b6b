; RUN: lockstep-opt -passes='packetize' %s | FileCheck %s
; table[table[index[i]] + i]: whether index[i] are neighbors is looked at; what was gathered there are none.

; CHECK-LABEL: @kernel
; CHECK: br i1 %neighbors, label %neighbors{{.*}}, label %anywhere
; CHECK: phi <16 x i32>
; CHECK-NOT: br i1
; CHECK: call <16 x i32> @llvm.masked.gather
; CHECK-NOT: br i1
; CHECK: ret void
define void @kernel(ptr addrspace(1) %table, ptr addrspace(1) %indices, ptr addrspace(1) %to) #0 {
entry:
  %lane = call i64 @__lockstep_lane()
  %index.at = getelementptr i32, ptr addrspace(1) %indices, i64 %lane
  %index = load i32, ptr addrspace(1) %index.at
  %wide = sext i32 %index to i64
  %at = getelementptr i32, ptr addrspace(1) %table, i64 %wide
  %first = load i32, ptr addrspace(1) %at
  %wide.first = sext i32 %first to i64
  %sum = add i64 %wide.first, %lane
  %second.at = getelementptr i32, ptr addrspace(1) %table, i64 %sum
  %second = load i32, ptr addrspace(1) %second.at
  %to.at = getelementptr i32, ptr addrspace(1) %to, i64 %lane
  store i32 %second, ptr addrspace(1) %to.at
  ret void
}

declare i64 @__lockstep_lane() nounwind willreturn memory(none)

attributes #0 = { "lockstep-sub-group-size"="16" "target-cpu"="znver5" }
