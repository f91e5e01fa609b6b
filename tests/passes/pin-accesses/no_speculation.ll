; RUN: lockstep-opt -passes='pin-accesses,simplifycfg' %s | FileCheck %s
; RUN: lockstep-opt -passes='simplifycfg<speculate-blocks>' %s | FileCheck --check-prefix=WITHOUT %s
; A guarded load stays behind its guard, in the kernel and in what it calls; functions without a body are left alone.

@tile = internal addrspace(3) global [4 x i32] undef

; CHECK: define spir_kernel void @k({{.*}}) #[[HELD:[0-9]+]]
; WITHOUT-NOT: sanitize_thread
define spir_kernel void @k(ptr addrspace(1) %p, i32 %i) {
  %value = call i32 @guarded(i32 %i)
  store i32 %value, ptr addrspace(1) %p
  ret void
}

; CHECK: define i32 @guarded({{.*}}) #[[HELD]]
; CHECK: br i1
define i32 @guarded(i32 %i) {
entry:
  %inside = icmp ult i32 %i, 4
  br i1 %inside, label %read, label %end
read:
  %value = load i32, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @tile, i64 4)
  br label %end
end:
  %result = phi i32 [ 0, %entry ], [ %value, %read ]
  ret i32 %result
}

; CHECK: declare void @outside(){{$}}
declare void @outside()

; CHECK: attributes #[[HELD]] = { sanitize_thread }
