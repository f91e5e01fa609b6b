; RUN: lockstep-opt -passes=drop-noalias %s | FileCheck %s
; RUN: lockstep-opt -passes='drop-noalias,early-cse<memssa>,gvn' %s | FileCheck %s --check-prefix=LOADS

; A work-item reads after a barrier what another one wrote: the load stays on its side, and is not what was stored.
; CHECK-LABEL: @exchange(ptr addrspace(3) %buffer, ptr addrspace(1) noalias %in, ptr addrspace(1) %out)
; LOADS-LABEL: @exchange
; LOADS: store
; LOADS: call void @__lockstep_barrier
; LOADS: load i32, ptr addrspace(3)
define void @exchange(ptr addrspace(3) noalias %buffer, ptr addrspace(1) noalias %in, ptr addrspace(1) noalias %out) {
  %value = load i32, ptr addrspace(1) %in
  store i32 %value, ptr addrspace(3) %buffer
  call void @__lockstep_barrier(i32 1) #0
  %back = load i32, ptr addrspace(3) %buffer
  store i32 %back, ptr addrspace(1) %out
  ret void
}

; Written through what is made of the pointer, by an atomic operation, by a copy, by somebody else.
; CHECK-LABEL: @ways(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %c, ptr addrspace(1) %d, ptr addrspace(1) %e)
define void @ways(ptr addrspace(1) noalias %a, ptr addrspace(1) noalias %b, ptr addrspace(1) noalias %c,
                  ptr addrspace(1) noalias %d, ptr addrspace(1) noalias %e) {
entry:
  br label %loop
loop:
  %walk = phi ptr addrspace(1) [ %a, %entry ], [ %next, %loop ]
  %next = getelementptr i32, ptr addrspace(1) %walk, i64 1
  %more = icmp ne ptr addrspace(1) %next, null
  %either = select i1 %more, ptr addrspace(1) %next, ptr addrspace(1) null
  store i32 0, ptr addrspace(1) %either
  br i1 %more, label %loop, label %done
done:
  %old = atomicrmw add ptr addrspace(1) %b, i32 1 monotonic
  call void @llvm.memcpy.p1.p1.i64(ptr addrspace(1) %c, ptr addrspace(1) null, i64 4, i1 false)
  call void @somebody(ptr addrspace(1) %d)
  %generic = addrspacecast ptr addrspace(1) %e to ptr addrspace(4)
  %place = alloca ptr addrspace(4)
  store ptr addrspace(4) %generic, ptr %place
  call void @__lockstep_sub_group_barrier() #0
  ret void
}

; What is only read nobody may write.
; CHECK-LABEL: @read(ptr addrspace(1) noalias %a, ptr addrspace(1) noalias %b, ptr addrspace(1) %c)
define void @read(ptr addrspace(1) noalias %a, ptr addrspace(1) noalias %b, ptr addrspace(1) noalias %c) {
  %next = getelementptr i32, ptr addrspace(1) %a, i64 1
  %value = load i32, ptr addrspace(1) %next
  %null = icmp eq ptr addrspace(1) %a, null
  call void @llvm.memcpy.p1.p1.i64(ptr addrspace(1) %c, ptr addrspace(1) %b, i64 4, i1 false)
  call void @__lockstep_barrier(i32 1) #0
  ret void
}

declare void @somebody(ptr addrspace(1))
declare void @__lockstep_barrier(i32) #0
declare void @__lockstep_sub_group_barrier() #0
declare void @llvm.memcpy.p1.p1.i64(ptr addrspace(1), ptr addrspace(1), i64, i1)
attributes #0 = { convergent nounwind }
