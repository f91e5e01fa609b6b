; RUN: lockstep-opt -passes='track-undefined,function(sroa,instcombine,simplifycfg<sink-common-insts>)' %s | FileCheck %s
; The same is done in both branches: what is told of it says at which place it stands, and is not put together.

; CHECK-LABEL: define spir_kernel void @stores
; CHECK: call void @__lockstep_undefined_store.i32.p1({{.*}}, ptr nonnull @check.site{{[.0-9]*}})
; CHECK: call void @__lockstep_undefined_store.i32.p1({{.*}}, ptr nonnull @check.site{{[.0-9]*}})
; CHECK: ret void
define spir_kernel void @stores(ptr addrspace(1) %to, i32 %a, i1 %which) {
  %x = alloca i32, align 4
  %v = load i32, ptr %x, align 4
  br i1 %which, label %one, label %other
one:
  %w = add i32 %v, %a
  store i32 %w, ptr addrspace(1) %to, align 4
  br label %end
other:
  %u = sub i32 %v, %a
  store i32 %u, ptr addrspace(1) %to, align 4
  br label %end
end:
  ret void
}

; CHECK-LABEL: define spir_kernel void @updates
; CHECK: call void @__lockstep_undefined_update.i32.p1({{.*}}, ptr nonnull @check.site{{[.0-9]*}})
; CHECK: call void @__lockstep_undefined_update.i32.p1({{.*}}, ptr nonnull @check.site{{[.0-9]*}})
; CHECK: ret void
define spir_kernel void @updates(ptr addrspace(1) %to, i32 %a, i1 %which) {
  br i1 %which, label %one, label %other
one:
  %v = atomicrmw add ptr addrspace(1) %to, i32 %a monotonic
  br label %end
other:
  %w = atomicrmw add ptr addrspace(1) %to, i32 3 monotonic
  br label %end
end:
  ret void
}
