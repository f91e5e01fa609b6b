; RUN: lockstep-opt -passes='make-coroutine,coro-early,cgscc(coro-split),coro-cleanup,finish-coroutine' %s 2>&1 | FileCheck %s
; Two functions return the step that stands in the frame; what would destroy the coroutine is gone.

; CHECK: remark: resumable: 120 bytes per sub-group of 1 work-items
; CHECK: define internal void @lockstep.sub_group(
; CHECK-NOT: @lockstep.sub_group.destroy
; CHECK: define internal {{.*}}void @lockstep.sub_group.resume(
; CHECK-NOT: @lockstep.sub_group.cleanup
; CHECK: define dso_local i32 @lockstep.start(ptr %0, ptr %1, ptr %2, i64 %3) [[FACTS:#[0-9]+]]
; CHECK: call void @lockstep.sub_group(ptr %0, ptr %1, ptr %2, i64 %3)
; CHECK-NEXT: %[[PLACE:.*]] = getelementptr inbounds i8, ptr %2, i64 20
; CHECK-NEXT: %step = load i32, ptr %[[PLACE]]
; CHECK-NEXT: ret i32 %step
; CHECK: define dso_local i32 @lockstep.resume(ptr %0)
; CHECK: call {{.*}}void @lockstep.sub_group.resume(ptr %0)
; CHECK: ret i32 %step
; The launch asks the entry point how much local memory a group has: that of a local accessor stands nowhere else.
; CHECK: attributes [[FACTS]] = { {{.*}}"lockstep-frame"="120,8" "lockstep-local-memory"="8"
define void @lockstep.sub_group(ptr %launch, ptr %group, ptr %frame, i64 %sub.group) "lockstep-local-memory"="8" {
entry:
  %place = load ptr, ptr %launch
  %before = load i64, ptr %place
  call void @__lockstep_suspend(i32 1, i32 0, i1 false)
  store i64 %before, ptr %place
  ret void
}

declare void @__lockstep_suspend(i32, i32, i1)
