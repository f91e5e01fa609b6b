; RUN: not --crash opt -passes=instcombine %s -disable-output 2>&1 | FileCheck %s
; LLVM without the pass: a scalar pointer becomes a vector. A failure here means that LLVM no longer needs compare-addresses.
; Upstream: llvm/llvm-project#186886.

; CHECK: Both operands to ICmp instruction are not of the same type!
define <4 x i1> @compare(i64 %place, ptr addrspace(3) %other, ptr %out) {
  %part = getelementptr i8, ptr addrspace(3) null, i64 %place
  %all = getelementptr i8, ptr addrspace(3) %part, <4 x i64> <i64 0, i64 64, i64 128, i64 192>
  %same = icmp eq <4 x ptr addrspace(3)> %all, getelementptr inbounds nuw (i32, ptr addrspace(3) null, <4 x i64> <i64 0, i64 1, i64 2, i64 3>)
  %first = icmp eq ptr addrspace(3) %part, %other
  store i1 %first, ptr %out
  ret <4 x i1> %same
}
