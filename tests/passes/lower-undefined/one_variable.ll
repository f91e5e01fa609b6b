; RUN: lockstep-opt -passes='lower-undefined,function(gvn,instcombine)' %s | FileCheck %s
; The plane of a variable of one word is not that word: an address in the variable that may be any place of it can only be its
; first byte, says LLVM, and took the 0 that is stored for what the plane has.

@count = internal addrspace(3) global i32 undef
@site = internal global i32 0

; CHECK-LABEL: define spir_kernel void @cleared
; CHECK: store i32 -1, ptr addrspace(3) %[[PLANE:.*]], align 4, !nosanitize
; CHECK: store i32 0, ptr addrspace(3) @count
; CHECK-NOT: call void @use(i32 -1)
; CHECK: call void @use(i32
define spir_kernel void @cleared() {
  call void @__lockstep_undefined_store.i32.p3(ptr addrspace(3) align 4 @count, i32 0, i1 false, ptr @site)
  store i32 0, ptr addrspace(3) @count
  %bits = call i32 @__lockstep_undefined_load.i32.p3(ptr addrspace(3) align 4 @count)
  call void @use(i32 %bits)
  ret void
}

; A generic address may turn out to be a variable's later.
; CHECK-LABEL: define spir_kernel void @found_later
; CHECK: %[[PLACE:.*]] = inttoptr i64 %{{.*}} to ptr addrspace(4)
; CHECK: store i32 -1, ptr addrspace(4) %[[PLACE]], align 4, !nosanitize
define spir_kernel void @found_later(ptr addrspace(1) %from) {
  %address = load ptr addrspace(4), ptr addrspace(1) %from
  call void @__lockstep_undefined_store.i32.p4(ptr addrspace(4) align 4 %address, i32 0, i1 false, ptr @site)
  store i32 1, ptr addrspace(4) %address
  ret void
}

declare void @__lockstep_undefined_store.i32.p4(ptr addrspace(4), i32, i1, ptr)
declare i32 @__lockstep_undefined_load.i32.p3(ptr addrspace(3))
declare void @__lockstep_undefined_store.i32.p3(ptr addrspace(3), i32, i1, ptr)
declare void @use(i32)
