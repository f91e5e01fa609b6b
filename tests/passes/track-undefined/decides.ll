; RUN: lockstep-opt -passes=track-undefined %s | FileCheck %s
; RUN: lockstep-opt -passes='track-undefined,function(sroa,instcombine,simplifycfg),lower-undefined' %s | FileCheck %s --check-prefix=OPT
; Beside a variable stands what of it is undefined; a branch that this decides is told of.

; CHECK-LABEL: define spir_kernel void @branch
; CHECK: %x.undefined = alloca i32
; CHECK: %x.computed = alloca i32
; CHECK: call void @llvm.memset{{.*}}(ptr align 4 %x.undefined, i8 -1, i64 4
; CHECK: call void @llvm.memset{{.*}}(ptr align 4 %x.computed, i8 0, i64 4
; CHECK: store i32 0, ptr %x.undefined
; CHECK: %[[BITS:.*]] = load i32, ptr %x.undefined
; CHECK: or i32 %[[BITS]], 0
; CHECK: call void @__lockstep_check_choice(i64 %{{.*}}, i64 1, ptr @check.site{{.*}}, i64 %item, i64 0) #[[TELLS:[0-9]+]]
; CHECK: br i1 %is

; Once variables are in registers, what is left is the way by which x got no value.
; OPT-LABEL: define spir_kernel void @branch
; OPT: %[[C:.*]] = icmp slt i32 %a, 4
; OPT: call void @__lockstep_check_choice(
define spir_kernel void @branch(i32 %a) {
  %x = alloca i32, align 4
  %c = icmp sgt i32 %a, 3
  br i1 %c, label %set, label %use, !lockstep.user.code !0

set:
  store i32 1, ptr %x, align 4
  br label %use

use:
  %v = load i32, ptr %x, align 4
  %is = icmp ugt i32 %v, 7
  br i1 %is, label %one, label %other, !lockstep.user.code !0

one:
  call void @act()
  ret void

other:
  ret void
}

; What is always written is never told of.
; OPT-LABEL: define spir_kernel void @written
; OPT-NOT: check_choice
; OPT: ret void
define spir_kernel void @written(i32 %a) {
  %x = alloca i32, align 4
  store i32 %a, ptr %x, align 4
  %v = load i32, ptr %x, align 4
  %is = icmp ugt i32 %v, 7
  br i1 %is, label %one, label %other, !lockstep.user.code !0

one:
  call void @act()
  ret void

other:
  ret void
}

; A branch of the device library is not told of: its result is undefined, and that is all.
; OPT-LABEL: define spir_kernel void @of_library
; OPT-NOT: check_choice
; OPT: store i32 0, ptr addrspace(1) %{{.*}}, align 4, !nosanitize
define spir_kernel void @of_library(ptr addrspace(1) %to) {
  %x = alloca i32, align 4
  %v = load i32, ptr %x, align 4
  %is = icmp ugt i32 %v, 7
  br i1 %is, label %one, label %end

one:
  call void @act()
  br label %end

end:
  store i32 %v, ptr addrspace(1) %to, align 4
  ret void
}

; One that is in memory may be written by anybody: nothing is known of it.
; OPT-LABEL: define spir_kernel void @escapes
; OPT-NOT: check_choice
; OPT: ret void
define spir_kernel void @escapes() {
  %x = alloca i32, align 4
  call void @write(ptr %x)
  %v = load i32, ptr %x, align 4
  %is = icmp ugt i32 %v, 7
  br i1 %is, label %one, label %other, !lockstep.user.code !0

one:
  call void @act()
  ret void

other:
  ret void
}

; An index that was never written decides what is accessed.
; OPT-LABEL: define spir_kernel void @address
; OPT: call void @__lockstep_check_choice(i64 -1,
; OPT: load i32, ptr addrspace(1)
define spir_kernel void @address(ptr addrspace(1) %from) {
  %i = alloca i64, align 8
  %v = load i64, ptr %i, align 8
  %p = getelementptr i32, ptr addrspace(1) %from, i64 %v
  %a = load i32, ptr addrspace(1) %p, align 4
  call void @use(i32 %a)
  ret void
}

declare void @act()
declare void @use(i32)
declare void @write(ptr)

!0 = !{}

; Of two that are merged, one call would have a site that differs between lanes.
; CHECK: attributes #[[TELLS]] = {{.*nomerge}}
