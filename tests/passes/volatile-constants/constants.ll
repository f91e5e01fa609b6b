; RUN: lockstep-opt -passes=volatile-constants %s | FileCheck %s
; volatile int tid = value; ... tid ... tid

; CHECK-LABEL: @kernel
; CHECK: store i32 %value, ptr %tid
; CHECK: %a = load i32, ptr %tid
; CHECK: %b = load i32, ptr %tid
define i32 @kernel(i32 %value, i1 %again) {
  %tid = alloca i32
  call void @llvm.lifetime.start.p0(ptr %tid)
  store volatile i32 %value, ptr %tid
  %a = load volatile i32, ptr %tid
  br i1 %again, label %more, label %done
more:
  %b = load volatile i32, ptr %tid
  br label %done
done:
  %r = phi i32 [ %a, %0 ], [ %b, %more ]
  ret i32 %r
}
