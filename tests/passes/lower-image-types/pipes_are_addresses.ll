; RUN: lockstep-opt -passes=lower-image-types %s | FileCheck %s
; Pipes become addresses of their rings and reservations numbers: also in structures, arrays and local memory, whose
; other parts stay where they are.

%kept = type { i32, [2 x target("spirv.ReserveId")] }
%other = type { i32, i64 }

; CHECK: @reservations = internal addrspace(3) global [2 x i64] undef, align 8
; CHECK: @other = internal addrspace(3) global %other undef
@reservations = internal addrspace(3) global [2 x target("spirv.ReserveId")] undef, align 8
@other = internal addrspace(3) global %other undef

; CHECK-LABEL: define void @kernel(ptr addrspace(1) %pipe, ptr addrspace(1) %to)
; CHECK: %place = alloca { i32, [2 x i64] }
; CHECK: %id = call i64 @reserve(ptr addrspace(1) %pipe)
; CHECK: %second = getelementptr { i32, [2 x i64] }, ptr %place, i64 0, i32 1, i64 1
; CHECK: store i64 %id, ptr %second
; CHECK: store i64 %id, ptr addrspace(3) getelementptr inbounds ([2 x i64], ptr addrspace(3) @reservations, i64 0, i64 1)
; CHECK: store i64 0, ptr addrspace(3) @reservations
; CHECK: store i64 %id, ptr addrspace(1) %to
define void @kernel(target("spirv.Pipe", 1) %pipe, ptr addrspace(1) %to) {
  %place = alloca %kept
  %id = call target("spirv.ReserveId") @reserve(target("spirv.Pipe", 1) %pipe)
  %second = getelementptr %kept, ptr %place, i64 0, i32 1, i64 1
  store target("spirv.ReserveId") %id, ptr %second
  store target("spirv.ReserveId") %id, ptr addrspace(3) getelementptr inbounds ([2 x target("spirv.ReserveId")], ptr addrspace(3) @reservations, i64 0, i64 1)
  store target("spirv.ReserveId") zeroinitializer, ptr addrspace(3) @reservations
  %number = call i64 @__lockstep_reservation_number(target("spirv.ReserveId") %id)
  store i64 %number, ptr addrspace(1) %to
  ret void
}

; CHECK-LABEL: define internal i64 @reserve(ptr addrspace(1) %pipe)
; CHECK-NEXT: %taken = atomicrmw add ptr addrspace(1) %pipe, i64 1 acq_rel
; CHECK-NEXT: ret i64 %taken
define internal target("spirv.ReserveId") @reserve(target("spirv.Pipe", 1) %pipe) {
  %ring = call ptr addrspace(1) @__lockstep_pipe_wo(target("spirv.Pipe", 1) %pipe)
  %taken = atomicrmw add ptr addrspace(1) %ring, i64 1 acq_rel
  %id = call target("spirv.ReserveId") @__lockstep_reservation(i64 %taken)
  ret target("spirv.ReserveId") %id
}

; CHECK-NOT: __lockstep_
declare ptr addrspace(1) @__lockstep_pipe_wo(target("spirv.Pipe", 1))
declare i64 @__lockstep_reservation_number(target("spirv.ReserveId"))
declare target("spirv.ReserveId") @__lockstep_reservation(i64)
