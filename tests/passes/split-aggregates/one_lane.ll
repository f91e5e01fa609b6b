; RUN: lockstep-opt -passes=split-aggregates %s | FileCheck %s

; CHECK: load { i8, i32 }
; CHECK: store { i8, i32 }
define void @lockstep.kernel(ptr addrspace(1) %p, ptr addrspace(1) %q) "lockstep-sub-group-size"="1" {
  %whole = load { i8, i32 }, ptr addrspace(1) %p
  store { i8, i32 } %whole, ptr addrspace(1) %q
  ret void
}
