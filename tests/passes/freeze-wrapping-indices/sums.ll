; RUN: lockstep-opt -passes=freeze-wrapping-indices %s | FileCheck %s
; RUN: lockstep-opt -passes=freeze-wrapping-indices %s | opt -mtriple=nvptx64-nvidia-cuda -passes=slsr -S | FileCheck %s --check-prefix=LLVM

; CHECK-LABEL: @wraps(
; CHECK: %sum = add i16 %s, -9
; CHECK-NEXT: %[[SUM:.*]] = freeze i16 %sum
; CHECK-NEXT: sext i16 %[[SUM]] to i64
; CHECK: %cut = trunc i32 %w to i16
; CHECK-NEXT: %[[CUT:.*]] = freeze i16 %cut
; CHECK-NEXT: sext i16 %[[CUT]] to i64
; LLVM-LABEL: @wraps(
; LLVM: getelementptr inbounds i32, ptr %p, i64 %i1
; LLVM: getelementptr inbounds i32, ptr %p, i64 %i2
define void @wraps(ptr %p, i16 %s, i32 %w) {
  %i0 = sext i16 %s to i64
  %a0 = getelementptr inbounds i32, ptr %p, i64 %i0
  store i32 0, ptr %a0
  %sum = add i16 %s, -9
  %i1 = sext i16 %sum to i64
  %a1 = getelementptr inbounds i32, ptr %p, i64 %i1
  store i32 1, ptr %a1
  %cut = trunc i32 %w to i16
  %i2 = sext i16 %cut to i64
  %a2 = getelementptr inbounds i32, ptr %p, i64 %i2
  store i32 2, ptr %a2
  ret void
}

; CHECK-LABEL: @does_not_wrap(
; CHECK-NOT: freeze
define i64 @does_not_wrap(i32 %s) {
  %sum = add nsw i32 %s, 5
  %i = sext i32 %sum to i64
  ret i64 %i
}
