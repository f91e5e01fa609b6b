; RUN: opt -passes=slsr %s -S | FileCheck %s
; LLVM without the pass: the sum may wrap, and the second address is 36 bytes before the first all the same. A failure here
; means that LLVM no longer needs freeze-wrapping-indices.

; CHECK: getelementptr inbounds i8, ptr %a0, i64 -36
target triple = "nvptx64-nvidia-cuda"
define void @wraps(ptr %p, i16 %s) {
  %i0 = sext i16 %s to i64
  %a0 = getelementptr inbounds i32, ptr %p, i64 %i0
  store i32 0, ptr %a0
  %sum = add i16 %s, -9
  %i1 = sext i16 %sum to i64
  %a1 = getelementptr inbounds i32, ptr %p, i64 %i1
  store i32 1, ptr %a1
  ret void
}
