; RUN: lockstep-opt -passes=instrument-accesses %s | FileCheck %s
; Both sides of a group copy are told before it: bytes of a row, rows and their distance, planes and theirs. What is
; copied is compared with all accesses, whoever they are of. Of a side that cannot meet others (copies_apart.ll) no bytes are told.

; CHECK-DAG: @[[TO:check.site[.0-9]*]] = internal global {{.*}} { i32 0, i32 0, i32 0, i32 4, i32 8, {{.*}}, i32 3, i32 3,
; CHECK-DAG: @[[FROM:check.site[.0-9]*]] = internal global {{.*}} { i32 0, i32 0, i32 0, i32 4, i32 7, {{.*}}, i32 3, i32 1,

; CHECK-LABEL: define spir_kernel void @plain
; CHECK: %[[BYTES:.*]] = mul i64 %n, 4
; CHECK: call void @__lockstep_check_copy(ptr addrspace(4) %{{.*}}, i64 %[[BYTES]], i64 1, i64 0, i64 1, i64 0, i64 1, ptr @[[TO]], i64 %item, i64 0)
; CHECK: call void @__lockstep_check_copy({{.*}}, ptr @[[FROM]], i64 %item, i64 0)
; CHECK: call void @__lockstep_group_copy
; CHECK: call void @__lockstep_check_access({{.*}}, i64 1099511627776)
define spir_kernel void @plain(ptr addrspace(1) %from, ptr addrspace(3) %to, i64 %n) "lockstep-local-size"="64,1,1" {
  %id = call i64 @__lockstep_local_id(i32 0)
  store i32 1, ptr addrspace(1) %from
  %a = addrspacecast ptr addrspace(3) %to to ptr addrspace(4)
  %b = addrspacecast ptr addrspace(1) %from to ptr addrspace(4)
  call void @__lockstep_group_copy(ptr addrspace(4) %a, ptr addrspace(4) %b, i64 %n, i64 1, i64 1, i64 4)
  %p = getelementptr i32, ptr addrspace(3) %to, i64 %id
  %c = load i32, ptr addrspace(3) %p
  ret void
}

; CHECK-LABEL: define spir_kernel void @strided
; CHECK: call void @__lockstep_check_copy(ptr addrspace(4) %{{.*}}, i64 0, i64 0, i64 0, i64 0, i64 0,
; CHECK: %[[STEP:.*]] = mul i64 %stride, 4
; CHECK: call void @__lockstep_check_copy(ptr addrspace(4) %{{.*}}, i64 4, i64 %n, i64 %[[STEP]], i64 1, i64 0,
define spir_kernel void @strided(ptr addrspace(1) %from, ptr addrspace(3) %to, i64 %n, i64 %stride) {
  store i32 1, ptr addrspace(1) %from
  %a = addrspacecast ptr addrspace(3) %to to ptr addrspace(4)
  %b = addrspacecast ptr addrspace(1) %from to ptr addrspace(4)
  call void @__lockstep_group_copy(ptr addrspace(4) %a, ptr addrspace(4) %b, i64 %n, i64 1, i64 %stride, i64 4)
  ret void
}

; CHECK-LABEL: define spir_kernel void @lines
; CHECK: call void @__lockstep_check_copy(ptr addrspace(4) %{{.*}}, i64 0, i64 0, i64 0, i64 0, i64 0,
; CHECK: call void @__lockstep_check_copy(ptr addrspace(4) %{{.*}}, i64 16, i64 3, i64 128, i64 2, i64 1024,
define spir_kernel void @lines(ptr addrspace(1) %from, ptr addrspace(3) %to) {
  store i32 1, ptr addrspace(1) %from
  %a = addrspacecast ptr addrspace(3) %to to ptr addrspace(4)
  %b = addrspacecast ptr addrspace(1) %from to ptr addrspace(4)
  call void @__lockstep_group_copy_lines(ptr addrspace(4) %a, ptr addrspace(4) %b, i64 16, i64 3, i64 2, i64 64, i64 512, i64 128, i64 1024)
  ret void
}

; What nobody writes need not be told.
; CHECK-LABEL: define spir_kernel void @only_read
; CHECK: call void @__lockstep_check_copy({{.*}}, ptr @[[TO2:check.site[.0-9]*]],
; CHECK-NOT: check_copy
; CHECK: call void @__lockstep_group_copy
define spir_kernel void @only_read(ptr addrspace(1) %from, ptr addrspace(3) %to, i64 %n) {
  %a = addrspacecast ptr addrspace(3) %to to ptr addrspace(4)
  %b = addrspacecast ptr addrspace(1) %from to ptr addrspace(4)
  call void @__lockstep_group_copy(ptr addrspace(4) %a, ptr addrspace(4) %b, i64 %n, i64 1, i64 1, i64 4)
  ret void
}

declare i64 @__lockstep_local_id(i32)
declare void @__lockstep_group_copy(ptr addrspace(4), ptr addrspace(4), i64, i64, i64, i64) convergent nounwind
declare void @__lockstep_group_copy_lines(ptr addrspace(4), ptr addrspace(4), i64, i64, i64, i64, i64, i64, i64) convergent nounwind
