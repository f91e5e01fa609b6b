; RUN: lockstep-opt -passes=isolate-group-operations,work-item-loops --local-size=48,1,1 %s | FileCheck %s
; In the form by groups a sub-group may ask which of its group it is: the loop's counter says so.

; CHECK: %[[ID:.*]] = phi i64
; CHECK-NEXT: %[[INDEX:.*]] = udiv exact i64 %[[ID]], 16
; CHECK-NEXT: %[[NUMBER:.*]] = add nuw nsw i64 %{{.*}}, %[[INDEX]]
; CHECK: call void @use(i64 %[[NUMBER]])
; CHECK-NOT: call i64 @__lockstep_sub_group
define void @kernel() "lockstep-sub-group-size"="16" {
  %number = call i64 @__lockstep_sub_group()
  call void @use(i64 %number)
  ret void
}

declare i64 @__lockstep_sub_group() nounwind memory(none)
declare void @use(i64)
