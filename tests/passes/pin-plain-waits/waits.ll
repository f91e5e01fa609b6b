; RUN: lockstep-opt -passes=pin-plain-waits %s | FileCheck %s
; A loop that only somebody else can end looks again in each round; all others are left alone.

; CHECK-LABEL: @waits(
; CHECK: %value = load volatile i32, ptr addrspace(1) %p, align 4, !lockstep.check.plain
define spir_kernel void @waits(ptr addrspace(1) %p) {
entry:
  br label %loop
loop:
  %value = load i32, ptr addrspace(1) %p, align 4
  %goes_on = icmp eq i32 %value, 0
  br i1 %goes_on, label %loop, label %end
end:
  ret void
}

; CHECK-LABEL: @computes_the_place_in_the_loop(
; CHECK: load volatile i32, ptr addrspace(1) %place
define spir_kernel void @computes_the_place_in_the_loop(ptr addrspace(1) %p) {
entry:
  br label %loop
loop:
  %place = getelementptr i32, ptr addrspace(1) %p, i64 1
  %value = load i32, ptr addrspace(1) %place, align 4
  %goes_on = icmp eq i32 %value, 0
  br i1 %goes_on, label %loop, label %end
end:
  ret void
}

; CHECK-LABEL: @in_local_memory_with_a_body(
; CHECK: load volatile i32, ptr addrspace(3)
define spir_kernel void @in_local_memory_with_a_body(ptr addrspace(3) %p) {
entry:
  %own = alloca i32
  br label %loop
loop:
  %value = load i32, ptr addrspace(3) %p, align 4
  %goes_on = icmp eq i32 %value, 0
  br i1 %goes_on, label %body, label %end
body:
  store i32 1, ptr %own
  br label %loop
end:
  ret void
}

; CHECK-LABEL: @counts(
; CHECK-NOT: volatile
; CHECK-LABEL: @walks(
; CHECK-NOT: volatile
; CHECK-LABEL: @writes(
; CHECK-NOT: volatile
; CHECK-LABEL: @meets(
; CHECK-NOT: volatile
; CHECK-LABEL: @polls(
; CHECK: load atomic i32
; CHECK-NOT: volatile
define spir_kernel void @counts(ptr addrspace(1) %p) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %next = add i32 %i, 1
  %value = load i32, ptr addrspace(1) %p, align 4
  %goes_on = icmp ult i32 %next, %value
  br i1 %goes_on, label %loop, label %end
end:
  ret void
}

define spir_kernel void @walks(ptr addrspace(1) %p) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %next = add i64 %i, 1
  %place = getelementptr i32, ptr addrspace(1) %p, i64 %i
  %value = load i32, ptr addrspace(1) %place, align 4
  %goes_on = icmp eq i32 %value, 0
  br i1 %goes_on, label %loop, label %end
end:
  ret void
}

define spir_kernel void @writes(ptr addrspace(1) %p) {
entry:
  br label %loop
loop:
  %value = load i32, ptr addrspace(1) %p, align 4
  %half = lshr i32 %value, 1
  store i32 %half, ptr addrspace(1) %p, align 4
  %goes_on = icmp ne i32 %value, 0
  br i1 %goes_on, label %loop, label %end
end:
  ret void
}

define spir_kernel void @meets(ptr addrspace(3) %p) {
entry:
  br label %loop
loop:
  %value = load i32, ptr addrspace(3) %p, align 4
  call void @__lockstep_barrier(i32 1)
  %goes_on = icmp eq i32 %value, 0
  br i1 %goes_on, label %loop, label %end
end:
  ret void
}
declare void @__lockstep_barrier(i32) convergent

define spir_kernel void @polls(ptr addrspace(1) %p, ptr addrspace(1) %q) {
entry:
  br label %loop
loop:
  %other = load i32, ptr addrspace(1) %q, align 4
  %value = load atomic i32, ptr addrspace(1) %p syncscope("singlethread") acquire, align 4
  %sum = add i32 %value, %other
  %goes_on = icmp eq i32 %sum, 0
  br i1 %goes_on, label %loop, label %end
end:
  ret void
}
