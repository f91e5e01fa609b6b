; RUN: lockstep-opt -passes=lower-undefined %s | FileCheck %s
; The distance to the shadow of a pointer that phis and selects choose is chosen in the same way. No work-item looks up
; the object.

; CHECK-LABEL: define spir_kernel void @merged
; CHECK-NOT: check_object
; CHECK-DAG: %[[B:.*]] = call i64 @__lockstep_check_extent(i32 2, i32 1)
; CHECK-DAG: %[[A:.*]] = call i64 @__lockstep_check_extent(i32 2, i32 0)
; CHECK: %[[DISTANCE:.*]] = phi i64 [ %[[A]], %first ], [ %[[B]], %second ]
; CHECK: icmp ne i64 %[[DISTANCE]], 0
; CHECK-NOT: check_object
; CHECK: ret void
define spir_kernel void @merged(ptr addrspace(1) %a, ptr addrspace(1) %b, i1 %x, i64 %at) {
entry:
  br i1 %x, label %first, label %second
first:
  br label %joined
second:
  br label %joined
joined:
  %from = phi ptr addrspace(1) [ %a, %first ], [ %b, %second ]
  %place = getelementptr i32, ptr addrspace(1) %from, i64 %at
  %bits = call i32 @__lockstep_undefined_load.i32.p1(ptr addrspace(1) align 4 %place)
  call void @use(i32 %bits)
  ret void
}

; CHECK-LABEL: define spir_kernel void @exchanged
; CHECK-NOT: check_object
; CHECK: phi i64 [ %[[A:.*]], %entry ], [ %[[TO:.*]], %{{.*}} ]
; CHECK-NOT: check_object
; CHECK: ret void
define spir_kernel void @exchanged(ptr addrspace(1) %a, ptr addrspace(1) %b, i1 %x) {
entry:
  br label %loop
loop:
  %from = phi ptr addrspace(1) [ %a, %entry ], [ %to, %loop ]
  %to = phi ptr addrspace(1) [ %b, %entry ], [ %from, %loop ]
  %bits = call i32 @__lockstep_undefined_load.i32.p1(ptr addrspace(1) align 4 %from)
  call void @use(i32 %bits)
  br i1 %x, label %loop, label %end
end:
  ret void
}

; Of these, only the loaded pointer is looked up.
; CHECK-LABEL: define spir_kernel void @selected
; CHECK: %[[LOADED:.*]] = load ptr addrspace(1), ptr addrspace(1) %a
; CHECK: %[[OBJECT:.*]] = call i64 @__lockstep_check_object(i32 2, ptr addrspace(4) %{{.*}})
; CHECK: select i1 %x, i64 %[[OBJECT]], i64 %{{.*}}
; CHECK-NOT: check_object
; CHECK: ret void
define spir_kernel void @selected(ptr addrspace(1) %a, ptr addrspace(1) %b, i1 %x) {
  %loaded = load ptr addrspace(1), ptr addrspace(1) %a, align 8
  %from = select i1 %x, ptr addrspace(1) %loaded, ptr addrspace(1) %b
  %bits = call i32 @__lockstep_undefined_load.i32.p1(ptr addrspace(1) align 4 %from)
  call void @use(i32 %bits)
  ret void
}

; The shadow of a word that all work-items write, or of an atomic's word, is written only if it changes.
; CHECK-LABEL: define spir_kernel void @shared_words
; CHECK: %[[BEFORE:.*]] = load i32, ptr addrspace(1) %{{.*}}, !nosanitize
; CHECK: %[[DIFFERS:.*]] = xor i32 %[[BEFORE]], %
; CHECK: br i1
; CHECK: store i32 %{{.*}}, !nosanitize
; CHECK: load i32, ptr addrspace(1) %{{.*}}, !nosanitize
; CHECK: store i32 %{{.*}}, !nosanitize
; CHECK-NOT: load i32, ptr addrspace(1)
; CHECK: store i32 %{{.*}}, !nosanitize
; CHECK-NOT: load i32, ptr addrspace(1)
; CHECK: ret void
define spir_kernel void @shared_words(ptr addrspace(1) %to, i32 %bits, i64 %at) {
  %second = getelementptr i32, ptr addrspace(1) %to, i64 1
  call void @__lockstep_undefined_store.i32.p1(ptr addrspace(1) align 4 %second, i32 %bits, i1 false, ptr @site)
  %any = getelementptr i32, ptr addrspace(1) %to, i64 %at
  call void @__lockstep_undefined_store.i32.p1(ptr addrspace(1) align 4 %any, i32 %bits, i1 false, ptr @site) "lockstep-shadow-of-atomic"
  call void @__lockstep_undefined_store.i32.p1(ptr addrspace(1) align 4 %any, i32 %bits, i1 false, ptr @site)
  ret void
}

@site = internal global i32 0
declare i32 @__lockstep_undefined_load.i32.p1(ptr addrspace(1))
declare void @__lockstep_undefined_store.i32.p1(ptr addrspace(1), i32, i1, ptr)
declare void @use(i32)
