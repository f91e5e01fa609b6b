; RUN: lockstep-opt -passes=make-coroutine %s | FileCheck %s
; The head of the frame is written by offset; the caller gives the memory.

; CHECK-LABEL: @lockstep.sub_group
; CHECK: %promise = alloca [10 x i64], align 8
; CHECK: %[[ID:.*]] = call token @llvm.coro.id(i32 16, ptr %promise, ptr null, ptr null)
; CHECK: %[[FRAME:.*]] = call ptr @llvm.coro.begin(token %[[ID]], ptr %frame)
; CHECK: %[[SIZE:.*]] = call i64 @llvm.coro.size.i64()
; Private memory may be in the frame.
; CHECK: %in.frame = icmp ult i64 %{{.*}}, %[[SIZE]]
; CHECK: %space = call i32 @lockstep_address_space_of(ptr %pointer)
; CHECK: select i1 %in.frame, i32 0, i32 %space
; The wait record: address, seen value, size.
; CHECK: getelementptr inbounds i8, ptr %[[FRAME]], i64 24
; CHECK: getelementptr inbounds i8, ptr %[[FRAME]], i64 32
; CHECK-NEXT: store i64 %value
; CHECK: getelementptr inbounds i8, ptr %[[FRAME]], i64 40
; CHECK-NEXT: store i32 4
; Whoever listens is told.
; CHECK: getelementptr inbounds i8, ptr %[[FRAME]], i64 56
; CHECK: %[[LISTENER:.*]] = load ptr, ptr
; CHECK: icmp ne ptr %[[LISTENER]], null
; CHECK: call void %[[LISTENER]](ptr %[[FRAME]], ptr %{{.*}}, i64 %value, i32 4)
; What ends the wait.
; CHECK: getelementptr inbounds i8, ptr %[[FRAME]], i64 48
; CHECK-NEXT: store i64 9
; CHECK: getelementptr inbounds i8, ptr %[[FRAME]], i64 40
; CHECK-NEXT: store i32 20
; Step, site, changed.
; CHECK: getelementptr inbounds i8, ptr %[[FRAME]], i64 20
; CHECK-NEXT: store i32 2
; CHECK: getelementptr inbounds i8, ptr %[[FRAME]], i64 16
; CHECK-NEXT: store i32 7
; CHECK: getelementptr inbounds i8, ptr %[[FRAME]], i64 44
; CHECK: %[[HOW:.*]] = call i8 @llvm.coro.suspend(token none, i1 false)
; CHECK: switch i8 %[[HOW]], label %suspended [
; CHECK-NEXT: i8 0, label %resumed
; CHECK-NEXT: i8 1, label %destroyed
; CHECK: resumed:
; CHECK: store i32 0
; CHECK-NEXT: br label %suspended
; CHECK: suspended:
; CHECK-NEXT: call void @llvm.coro.end
; CHECK: attributes #0 = { presplitcoroutine }
define void @lockstep.sub_group(ptr %launch, ptr %group, ptr %frame, i64 %sub.group) {
entry:
  %pointer = load ptr, ptr %launch
  %space = call i32 @lockstep_address_space_of(ptr %pointer)
  %value = zext i32 %space to i64
  %generic = addrspacecast ptr %pointer to ptr addrspace(4)
  call void @__lockstep_seen(ptr addrspace(4) %generic, i64 %value, i32 4)
  call void @__lockstep_ends_with(i64 9, i32 20)
  call void @__lockstep_suspend(i32 2, i32 7, i1 false)
  ret void
}

declare i32 @lockstep_address_space_of(ptr)
declare void @__lockstep_seen(ptr addrspace(4), i64, i32)
declare void @__lockstep_ends_with(i64, i32)
declare void @__lockstep_suspend(i32, i32, i1)
