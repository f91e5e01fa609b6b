; RUN: lockstep-opt -passes=promote-swap-variables %s | FileCheck %s
; A variable that may have no value stays in memory: as a register it would be poison, and the read of it would not be found.

; CHECK-LABEL: @on_one_path
; CHECK: %assumed = alloca i32
; CHECK: load i32, ptr %assumed
define spir_kernel void @on_one_path(ptr addrspace(1) %p, i1 %c) {
entry:
  %assumed = alloca i32
  br i1 %c, label %first, label %loop
first:
  %read = load i32, ptr addrspace(1) %p
  store i32 %read, ptr %assumed
  br label %loop
loop:
  %old = load i32, ptr %assumed
  %new = add i32 %old, 1
  %swap = cmpxchg ptr addrspace(1) %p, i32 %old, i32 %new monotonic monotonic
  %seen = extractvalue { i32, i1 } %swap, 0
  store i32 %seen, ptr %assumed
  %again = icmp ne i32 %seen, %old
  br i1 %again, label %loop, label %end
end:
  ret void
}

; Each iteration of the outer loop has a new variable.
; CHECK-LABEL: @of_another_life
; CHECK: %assumed = alloca i32
; CHECK: load i32, ptr %assumed
define spir_kernel void @of_another_life(ptr addrspace(1) %p, i32 %n) {
entry:
  %assumed = alloca i32
  store i32 0, ptr %assumed
  br label %outer
outer:
  %i = phi i32 [ 0, %entry ], [ %next, %after ]
  br label %loop
loop:
  %old = load i32, ptr %assumed
  %new = add i32 %old, 1
  %swap = cmpxchg ptr addrspace(1) %p, i32 %old, i32 %new monotonic monotonic
  %seen = extractvalue { i32, i1 } %swap, 0
  store i32 %seen, ptr %assumed
  %again = icmp ne i32 %seen, %old
  br i1 %again, label %loop, label %after
after:
  call void @llvm.lifetime.start.p0(ptr %assumed)
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %outer, label %end
end:
  ret void
}

; Other loops keep their variables.
; CHECK-LABEL: @without_swap
; CHECK: %sum = alloca i32
; CHECK: store i32 %more, ptr %sum
define spir_kernel void @without_swap(ptr addrspace(1) %p, i32 %n) {
entry:
  %sum = alloca i32
  store i32 0, ptr %sum
  br label %loop
loop:
  %old = load i32, ptr %sum
  %more = add i32 %old, 1
  store i32 %more, ptr %sum
  %again = icmp ult i32 %more, %n
  br i1 %again, label %loop, label %end
end:
  ret void
}

declare void @llvm.lifetime.start.p0(ptr)
