; RUN: env LOCKSTEP_CPU=x86-64-v4 lockstep-opt -passes='coalesce-indistinct-groups' %s | FileCheck %s
; RUN: sed 's/250,2,1/200,2,1/; s/, 250/, 200/' %s | env LOCKSTEP_CPU=x86-64-v4 lockstep-opt -passes='coalesce-indistinct-groups' | FileCheck --check-prefix=FILLS %s
; RUN: sed 's/250,2,1/50,2,1/; s/, 250/, 50/; s/="1,8,1"/="4,8,1"/' %s | env LOCKSTEP_CPU=x86-64-v4 lockstep-opt -passes='coalesce-indistinct-groups' | FileCheck --check-prefix=SHORT %s
; Groups of 250 columns and 2 rows get 8 rows, although rows have no whole number of sub-groups: few lanes are idle. Rows of 50
; become longer first.

; CHECK: call range(i64 0, 8) i64 @__lockstep_local_id(i32 1)
; CHECK: "lockstep-coalesced-groups"="1,4,1" "lockstep-local-size"="250,8,1"
; FILLS: "lockstep-coalesced-groups"="1,4,1" "lockstep-local-size"="200,8,1"
; SHORT: "lockstep-coalesced-groups"="0,4,0" "lockstep-local-size"="200,2,1"
define void @product(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %c, i64 %n) #0 {
entry:
  %x = call i64 @__lockstep_local_id(i32 0)
  %y = call i64 @__lockstep_local_id(i32 1)
  %group.x = call i64 @__lockstep_group_id(i32 0)
  %group.y = call i64 @__lockstep_group_id(i32 1)
  %left = mul i64 %group.x, 250
  %column = add i64 %left, %x
  %top = mul i64 %group.y, 2
  %row = add i64 %top, %y
  %line = mul i64 %row, %n
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %k.next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %sum.next, %loop ]
  %a.index = add i64 %line, %k
  %a.at = getelementptr float, ptr addrspace(1) %a, i64 %a.index
  %a.value = load float, ptr addrspace(1) %a.at
  %above = mul i64 %k, %n
  %b.index = add i64 %above, %column
  %b.at = getelementptr float, ptr addrspace(1) %b, i64 %b.index
  %b.value = load float, ptr addrspace(1) %b.at
  %sum.next = call float @llvm.fmuladd.f32(float %a.value, float %b.value, float %sum)
  %k.next = add i64 %k, 1
  %more = icmp ult i64 %k.next, %n
  br i1 %more, label %loop, label %end
end:
  %c.index = add i64 %line, %column
  %c.at = getelementptr float, ptr addrspace(1) %c, i64 %c.index
  store float %sum.next, ptr addrspace(1) %c.at
  ret void
}

declare float @llvm.fmuladd.f32(float, float, float)
declare i64 @__lockstep_local_id(i32) nounwind willreturn memory(none)
declare i64 @__lockstep_group_id(i32) nounwind willreturn memory(none)
attributes #0 = { "lockstep-local-size"="250,2,1" "lockstep-neighbor-groups"="1,8,1" }
