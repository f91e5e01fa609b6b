; RUN: lockstep-opt -passes=split-vectors %s 2>&1 | FileCheck %s
; Vectors in a block that nobody gets to are no reason to refuse a kernel: -cl-opt-disable leaves such blocks.

; CHECK-NOT: cannot split
; CHECK-LABEL: define void @kernel(
; CHECK-NOT: <2 x i8>
; CHECK: ret void
define void @kernel(ptr %p) #0 {
entry:
  store i8 1, ptr %p
  br label %end
never:
  %v = load <2 x i8>, ptr %p
  %m = call <2 x i8> @llvm.smax.v2i8(<2 x i8> %v, <2 x i8> zeroinitializer)
  %w = insertelement <2 x i8> %m, i8 3, i64 0
  store <2 x i8> %w, ptr %p
  br label %end
end:
  ret void
}

declare <2 x i8> @llvm.smax.v2i8(<2 x i8>, <2 x i8>)

attributes #0 = { "lockstep-sub-group-size"="4" }
