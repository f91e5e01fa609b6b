; RUN: lockstep-opt -passes=lower-undefined %s | FileCheck %s
; Of memory that the program writes at any time, which an odd multiple of 128 tells, somebody is asked first whether it has.

@tile = internal addrspace(3) global [64 x i32] undef
@site = internal global i32 0

; CHECK-LABEL: define spir_kernel void @loads
; CHECK: %[[DISTANCE:.*]] = call i64 @__lockstep_check_extent(i32 2, i32 0)
; CHECK: %[[DEFINED:.*]] = load i32, ptr addrspace(1) %{{.*}}, align 4, !nosanitize
; CHECK: %[[ODD:.*]] = and i64 %[[DISTANCE]], 128
; CHECK: %[[HOSTS:.*]] = icmp ne i64 %[[ODD]], 0
; CHECK: %[[OPEN:.*]] = xor i32 %[[DEFINED]], -1
; CHECK: %[[ANY:.*]] = icmp ne i32 %[[OPEN]], 0
; CHECK: %[[ASKS:.*]] = and i1 %[[HOSTS]], %[[ANY]]
; CHECK: br i1 %[[ASKS]], label %[[ASK:.*]], label %[[KNOWN:.*]], !prof
; CHECK: [[ASK]]:
; CHECK: %[[AWAY:.*]] = call i64 @__lockstep_check_written(ptr addrspace(4) %{{.*}}, i64 4) #[[READS:.*]], !nosanitize
; CHECK: %[[PLACE:.*]] = getelementptr i8, ptr addrspace(1) %from, i64 %[[AWAY]]
; CHECK: %[[AGAIN:.*]] = load i32, ptr addrspace(1) %[[PLACE]], align 4, !nosanitize
; CHECK: [[KNOWN]]:
; CHECK: phi i32 [ %[[DEFINED]], %{{.*}} ], [ %[[AGAIN]], %[[ASK]] ]
define spir_kernel void @loads(ptr addrspace(1) %from) {
  %bits = call i32 @__lockstep_undefined_load.i32.p1(ptr addrspace(1) align 4 %from)
  call void @use(i32 %bits)
  ret void
}

; So it is of what an atomic reads that updates it.
; CHECK-LABEL: define spir_kernel void @updates
; CHECK: call i64 @__lockstep_check_written(ptr addrspace(4) %{{.*}}, i64 8)
; CHECK: call void @__lockstep_check_choice
define spir_kernel void @updates(ptr addrspace(1) %to) {
  call void @__lockstep_undefined_update.i64.p1(ptr addrspace(1) %to, i64 1, i64 0, ptr @site)
  ret void
}

; Local memory is nobody else's, and what is written is asked nobody.
; CHECK-LABEL: define spir_kernel void @others
; CHECK-NOT: check_written
; CHECK: ret void
define spir_kernel void @others(ptr addrspace(1) %to) {
  %bits = call i32 @__lockstep_undefined_load.i32.p3(ptr addrspace(3) align 4 @tile)
  call void @use(i32 %bits)
  call void @__lockstep_undefined_store.i32.p1(ptr addrspace(1) align 4 %to, i32 0, i1 false, ptr @site)
  ret void
}

; One work-item asks for all bytes that a copy of the group reads: 64 elements of 4 bytes, each third one.
; CHECK-LABEL: define spir_kernel void @copies
; CHECK: %[[FROM:.*]] = call i64 @__lockstep_check_extent(i32 2, i32 0)
; CHECK: %[[ODD:.*]] = and i64 %[[FROM]], 128
; CHECK: %[[FIRST:.*]] = icmp eq i64 %item, 0
; CHECK: br i1 %{{.*}}, label %[[ASK:.*]], label %[[COPY:.*]], !prof
; CHECK: [[ASK]]:
; CHECK: call i64 @__lockstep_check_written(ptr addrspace(4) %source, i64 760) #[[STAYS:.*]], !nosanitize
; CHECK: [[COPY]]:
; CHECK: call void @__lockstep_group_copy(
define spir_kernel void @copies(ptr addrspace(1) %from) {
  %source = addrspacecast ptr addrspace(1) %from to ptr addrspace(4)
  %to = addrspacecast ptr addrspace(3) @tile to ptr addrspace(4)
  call void @__lockstep_undefined_copy.elements(ptr addrspace(4) %to, ptr addrspace(4) %source, i64 64, i64 1, i64 3, i64 4)
  ret void
}

; Two planes of three lines of 16 bytes.
; CHECK-LABEL: define spir_kernel void @copies_lines
; CHECK: call i64 @__lockstep_check_written(ptr addrspace(4) %source, i64 1144) #[[STAYS]], !nosanitize
; CHECK: call void @__lockstep_group_copy_lines(
define spir_kernel void @copies_lines(ptr addrspace(1) %from) {
  %source = addrspacecast ptr addrspace(1) %from to ptr addrspace(4)
  %to = addrspacecast ptr addrspace(3) @tile to ptr addrspace(4)
  call void @__lockstep_undefined_copy.lines(ptr addrspace(4) %to, ptr addrspace(4) %source, i64 16, i64 3, i64 2, i64 16, i64 48, i64 64, i64 1000)
  ret void
}

; CHECK-DAG: attributes #[[READS]] = { nounwind willreturn memory(read) }
; CHECK-DAG: attributes #[[STAYS]] = { nounwind memory(read) }

declare i32 @__lockstep_undefined_load.i32.p1(ptr addrspace(1))
declare i32 @__lockstep_undefined_load.i32.p3(ptr addrspace(3))
declare void @__lockstep_undefined_store.i32.p1(ptr addrspace(1), i32, i1, ptr)
declare void @__lockstep_undefined_update.i64.p1(ptr addrspace(1), i64, i64, ptr)
declare void @__lockstep_undefined_copy.elements(ptr addrspace(4), ptr addrspace(4), i64, i64, i64, i64)
declare void @__lockstep_undefined_copy.lines(ptr addrspace(4), ptr addrspace(4), i64, i64, i64, i64, i64, i64, i64)
declare void @use(i32)
