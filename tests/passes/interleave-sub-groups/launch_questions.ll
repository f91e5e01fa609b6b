; RUN: lockstep-opt -passes='interleave-sub-groups' %s | FileCheck %s
; What the launch is asked for, all of a group have the same of: where a checked kernel looks how large a memory is, or whether there
; is something known of its bits, rows run at once as they do else.

; CHECK-LABEL: @asks
; CHECK: call i64 @__lockstep_check_extent
; CHECK-NOT: call i64 @__lockstep_check_extent
; CHECK: add nuw nsw i64 %row, 1
; CHECK: ret void
define void @asks(ptr addrspace(1) %a, ptr addrspace(1) %b) #0 {
entry:
  %distance = call i64 @__lockstep_check_extent(i32 2, i32 1)
  %row = call i64 @__lockstep_local_id(i32 1)
  br label %loop
loop:
  %sum = phi <16 x float> [ zeroinitializer, %entry ], [ %sum.next, %loop ]
  %k = phi i64 [ 0, %entry ], [ %k.next, %loop ]
  %at = getelementptr [16 x float], ptr addrspace(1) %a, i64 %k
  %value = load <16 x float>, ptr addrspace(1) %at
  %sum.next = fadd <16 x float> %sum, %value
  %k.next = add i64 %k, 1
  %more = icmp ne i64 %k.next, 64
  br i1 %more, label %loop, label %end
end:
  %mine = getelementptr [16 x float], ptr addrspace(1) %b, i64 %row
  %is_known = icmp ne i64 %distance, 0
  br i1 %is_known, label %note, label %last
note:
  %beside = getelementptr i8, ptr addrspace(1) %mine, i64 %distance
  store <16 x i32> zeroinitializer, ptr addrspace(1) %beside
  br label %last
last:
  store <16 x float> %sum.next, ptr addrspace(1) %mine
  ret void
}

declare i64 @__lockstep_check_extent(i32, i32) nounwind willreturn memory(none)
declare i64 @__lockstep_local_id(i32) nounwind willreturn memory(none)

attributes #0 = { "lockstep-local-size"="16,4,1" "lockstep-sub-group-size"="16" "target-cpu"="znver5" }
attributes #1 = { "lockstep-local-size"="16,2,1" "lockstep-sub-group-size"="16" "target-cpu"="znver5" }
