; RUN: lockstep-opt -passes=volatile-constants %s | FileCheck %s

; A loop that shall take its time.
; CHECK-LABEL: @counter
; CHECK: store volatile i32 0, ptr %i
; CHECK: load volatile i32, ptr %i
; CHECK: store volatile i32 %next, ptr %i
define void @counter() {
  %i = alloca i32
  store volatile i32 0, ptr %i
  br label %loop
loop:
  %now = load volatile i32, ptr %i
  %next = add i32 %now, 1
  store volatile i32 %next, ptr %i
  %more = icmp ult i32 %next, 1000
  br i1 %more, label %loop, label %done
done:
  ret void
}

; It may be read before it is written.
; CHECK-LABEL: @late
; CHECK: %early = load volatile i32, ptr %v
; CHECK: store volatile i32 5, ptr %v
define i32 @late() {
  %v = alloca i32
  %early = load volatile i32, ptr %v
  store volatile i32 5, ptr %v
  ret i32 %early
}

; Its address goes elsewhere, and memory that is not the work-item's own.
; CHECK-LABEL: @known
; CHECK: store volatile i32 5, ptr %v
; CHECK: store volatile i32 7, ptr addrspace(1) %global
declare void @elsewhere(ptr)
define void @known(ptr addrspace(1) %global) {
  %v = alloca i32
  store volatile i32 5, ptr %v
  call void @elsewhere(ptr %v)
  store volatile i32 7, ptr addrspace(1) %global
  ret void
}
