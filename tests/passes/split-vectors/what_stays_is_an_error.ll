; RUN: not lockstep-opt -passes=split-vectors %s 2>&1 | FileCheck %s
; CHECK: split-vectors: cannot split 'llvm.vector.reverse.v4i32'

define i32 @kernel(ptr addrspace(1) %p) "lockstep-sub-group-size"="16" {
  %v = load <4 x i32>, ptr addrspace(1) %p
  %w = call <4 x i32> @llvm.vector.reverse.v4i32(<4 x i32> %v)
  %e = extractelement <4 x i32> %w, i64 0
  ret i32 %e
}
