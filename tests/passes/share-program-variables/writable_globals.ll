; RUN: lockstep-opt -passes=share-program-variables %s | FileCheck %s
; Writable program-scope variables become references to the program's; constants and local memory stay.

; CHECK-DAG: @lockstep.variable.0 = external addrspace(1) global i32, !lockstep.name ![[COUNTER:[0-9]+]]
; CHECK-DAG: @table = internal addrspace(2) constant [2 x i32] [i32 1, i32 2]
; CHECK-DAG: @lockstep.variable.1 = external addrspace(1) global ptr addrspace(1)
; CHECK-DAG: @memory = internal addrspace(3) global [4 x i32] undef
@counter = addrspace(1) global i32 5
@table = internal addrspace(2) constant [2 x i32] [i32 1, i32 2]
@pointer = internal addrspace(1) global ptr addrspace(1) @counter
@memory = internal addrspace(3) global [4 x i32] undef

; CHECK: store i32 1, ptr addrspace(1) @lockstep.variable.0
define spir_kernel void @kernel() {
  store i32 1, ptr addrspace(1) @counter
  %p = load ptr addrspace(1), ptr addrspace(1) @pointer
  store i32 2, ptr addrspace(1) %p
  ret void
}

; The check names them as the source does.
; CHECK: ![[COUNTER]] = !{!"counter"}
