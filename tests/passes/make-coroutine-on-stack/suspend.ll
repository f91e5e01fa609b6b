; RUN: lockstep-opt -passes=make-coroutine-on-stack,finish-coroutine %s | FileCheck %s
; For a debugger: the function is suspended by a call, and its frame has only the head.

; CHECK-LABEL: define internal void @lockstep.sub_group
; CHECK-NOT: llvm.coro
; Step and site.
; CHECK: getelementptr inbounds i8, ptr %frame, i64 20
; CHECK-NEXT: store i32 1
; CHECK: getelementptr inbounds i8, ptr %frame, i64 16
; CHECK-NEXT: store i32 7
; CHECK: call void @lockstep_leave_stack(ptr %frame)
; CHECK: store i32 5, ptr %variable
; CHECK: getelementptr inbounds i8, ptr %frame, i64 20
; CHECK-NEXT: store i32 0
; CHECK-NEXT: ret void

; CHECK-LABEL: define dso_local i32 @lockstep.start(ptr %0, ptr %1, ptr %2, i64 %3)
; CHECK: call void @lockstep_start_on_stack(ptr %0, ptr %1, ptr %2, i64 %3, ptr @lockstep.sub_group, i64 {{[1-9][0-9]*}})
; CHECK: ret i32 %step
; CHECK-LABEL: define dso_local i32 @lockstep.resume(ptr %0)
; CHECK: call void @lockstep_resume_on_stack(ptr %0)
; CHECK: "lockstep-frame"="96,8"
define void @lockstep.sub_group(ptr %launch, ptr %group, ptr %frame, i64 %sub.group) #0 {
entry:
  %variable = alloca i32
  call void @__lockstep_suspend(i32 1, i32 7, i1 false)
  store i32 5, ptr %variable
  ret void
}

declare void @__lockstep_suspend(i32, i32, i1)

attributes #0 = { "lockstep-sub-group-size"="1" }
