; RUN: lockstep-opt -passes=expose-scopes %s | FileCheck %s
; What is no constant yet becomes a way for each scope, and for what of the flags differs.

; CHECK-LABEL: define i32 @add_in(
; CHECK: switch i32 %scope, label %[[DEVICE:.*]] [
; CHECK-NEXT: i32 0, label %[[ITEM:.*]]
; CHECK-NEXT: i32 1, label %[[GROUP:.*]]
; CHECK-NEXT: i32 4, label %[[SUB_GROUP:.*]]
; CHECK: [[DEVICE]]:
; CHECK-NEXT: %[[D:.*]] = call spir_func i32 @_Z25atomic_fetch_add_explicit{{.*}}(ptr addrspace(1) %p, i32 1, i32 %order, i32 2), !dbg ![[PLACE:[0-9]+]]
; CHECK: [[ITEM]]:
; CHECK-NEXT: %[[I:.*]] = call {{.*}}i32 %order, i32 0), !dbg ![[PLACE]]
; CHECK: [[GROUP]]:
; CHECK-NEXT: %[[G:.*]] = call {{.*}}i32 %order, i32 1), !dbg ![[PLACE]]
; CHECK: [[SUB_GROUP]]:
; CHECK-NEXT: %[[S:.*]] = call {{.*}}i32 %order, i32 4), !dbg ![[PLACE]]
; CHECK: %[[R:.*]] = phi i32 [ %[[D]], %[[DEVICE]] ], [ %[[I]], %[[ITEM]] ], [ %[[G]], %[[GROUP]] ], [ %[[S]], %[[SUB_GROUP]] ]
; CHECK-NEXT: ret i32 %[[R]]
define i32 @add_in(ptr addrspace(1) %p, i32 %order, i32 %scope) !dbg !3 {
  %r = call spir_func i32 @_Z25atomic_fetch_add_explicitPU3AS1VU7_Atomicjj12memory_order12memory_scope(ptr addrspace(1) %p, i32 1, i32 %order, i32 %scope), !dbg !5
  ret i32 %r
}

; The flag of images is for global memory.
; CHECK-LABEL: define void @fence_of(
; CHECK: %[[OF_GLOBAL:.*]] = and i32 %flags, 6
; CHECK: %[[IS_GLOBAL:.*]] = icmp ne i32 %[[OF_GLOBAL]], 0
; CHECK: %[[LOCAL:.*]] = and i32 %flags, 1
; CHECK: %[[GLOBAL:.*]] = select i1 %[[IS_GLOBAL]], i32 2, i32 0
; CHECK: %[[BOTH:.*]] = or i32 %[[LOCAL]], %[[GLOBAL]]
; CHECK: switch i32 %[[BOTH]], label %[[ALL:.*]] [
; CHECK-NEXT: i32 0, label %[[NONE:.*]]
; CHECK-NEXT: i32 1, label %[[L:.*]]
; CHECK-NEXT: i32 2, label %[[G:.*]]
; CHECK: [[ALL]]:
; CHECK-NEXT: call spir_func void @_Z9mem_fencej(i32 3)
; CHECK: [[NONE]]:
; CHECK-NEXT: call spir_func void @_Z9mem_fencej(i32 0)
; CHECK: [[L]]:
; CHECK-NEXT: call spir_func void @_Z9mem_fencej(i32 1)
; CHECK: [[G]]:
; CHECK-NEXT: call spir_func void @_Z9mem_fencej(i32 2)
define void @fence_of(i32 %flags) !dbg !6 {
  call spir_func void @_Z9mem_fencej(i32 %flags), !dbg !7
  ret void
}

; CHECK-LABEL: define void @fence_of_and_in(
; CHECK-COUNT-16: call spir_func void @_Z22atomic_work_item_fencej12memory_order12memory_scope(i32 {{[0-3]}}, i32 3, i32 {{[0124]}})
; CHECK-NOT: call
; CHECK: ret void
define void @fence_of_and_in(i32 %flags, i32 %scope) !dbg !8 {
  call spir_func void @_Z22atomic_work_item_fencej12memory_order12memory_scope(i32 %flags, i32 3, i32 %scope), !dbg !9
  ret void
}

; A barrier stays one.
; CHECK-LABEL: define void @barrier_in(
; CHECK: br i1 %[[IS_WIDE:[^,]*]], label
; CHECK: call spir_func void @_Z22atomic_work_item_fencej12memory_order12memory_scope(i32 2, i32 4, i32 2), !dbg
; CHECK: call spir_func void @_Z18work_group_barrierj12memory_scope(i32 2, i32 1)
; CHECK: br i1 %[[IS_WIDE]], label
; CHECK: call spir_func void @_Z22atomic_work_item_fencej12memory_order12memory_scope(i32 2, i32 4, i32 2), !dbg
; CHECK-NOT: call
; CHECK: ret void
define void @barrier_in(i32 %scope) !dbg !10 {
  call spir_func void @_Z18work_group_barrierj12memory_scope(i32 2, i32 %scope), !dbg !11
  ret void
}

declare spir_func i32 @_Z25atomic_fetch_add_explicitPU3AS1VU7_Atomicjj12memory_order12memory_scope(ptr addrspace(1), i32, i32, i32)
declare spir_func void @_Z22atomic_work_item_fencej12memory_order12memory_scope(i32, i32, i32)
declare spir_func void @_Z18work_group_barrierj12memory_scope(i32, i32)
declare spir_func void @_Z9mem_fencej(i32)

!llvm.module.flags = !{!0}
!llvm.dbg.cu = !{!1}
!0 = !{i32 2, !"Debug Info Version", i32 3}
!1 = distinct !DICompileUnit(language: DW_LANG_C99, file: !2, emissionKind: NoDebug)
!2 = !DIFile(filename: "a.cl", directory: "/")
!3 = distinct !DISubprogram(name: "add_in", file: !2, line: 1, type: !4, unit: !1, spFlags: DISPFlagDefinition)
!4 = !DISubroutineType(types: !{})
!5 = !DILocation(line: 1, column: 7, scope: !3)
!6 = distinct !DISubprogram(name: "fence_of", file: !2, line: 2, type: !4, unit: !1, spFlags: DISPFlagDefinition)
!7 = !DILocation(line: 2, column: 7, scope: !6)
!8 = distinct !DISubprogram(name: "fence_of_and_in", file: !2, line: 3, type: !4, unit: !1, spFlags: DISPFlagDefinition)
!9 = !DILocation(line: 3, column: 7, scope: !8)
!10 = distinct !DISubprogram(name: "barrier_in", file: !2, line: 4, type: !4, unit: !1, spFlags: DISPFlagDefinition)
!11 = !DILocation(line: 4, column: 7, scope: !10)
