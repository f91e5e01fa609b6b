; RUN: lockstep-opt -nvidia=sm_90 -passes=meet-in-loops %s | FileCheck %s
; RUN: lockstep-opt -nvidia=sm_90 -local-size=64,1,1 -passes='function(meet-in-loops),bind-launch,lower-gpu-primitives,default<O3>' %s | FileCheck %s --check-prefix=PTX

; Lanes take two paths to the operation and meet there, so it names all of them.
; CHECK-LABEL: @kernel
; CHECK: dispatch:
; CHECK: second:
; CHECK: br i1 %is.last, label %end, label %dispatch
; PTX-LABEL: @kernel
; PTX-NOT: activemask
; PTX: call i32 @llvm.nvvm.redux.sync.add(i32 %{{.*}}, i32 -1)
; PTX-NOT: activemask
declare i32 @__lockstep_sub_group_reduce_i32(i32, i32, i32) convergent
declare i64 @__lockstep_local_id(i32)
define void @kernel(ptr addrspace(1) %out, i32 %n) convergent {
entry:
  %wide = call i64 @__lockstep_local_id(i32 0)
  %id = trunc i64 %wide to i32
  %bit = and i32 %id, 1
  %odd = icmp ne i32 %bit, 0
  br i1 %odd, label %second, label %first
first:
  %r.first = phi i32 [ %id, %entry ], [ %r.after, %turn ]
  %n.first = phi i32 [ %n, %entry ], [ %less, %turn ]
  %thrice = mul i32 %r.first, 3
  br label %second
second:
  %r = phi i32 [ %id, %entry ], [ %thrice, %first ], [ %r.after, %turn ]
  %left = phi i32 [ %n, %entry ], [ %n.first, %first ], [ %less, %turn ]
  %sum = call i32 @__lockstep_sub_group_reduce_i32(i32 0, i32 0, i32 %r)
  %r.after = xor i32 %r, %sum
  %less = add i32 %left, -1
  %is.last = icmp eq i32 %less, 0
  br i1 %is.last, label %end, label %turn
turn:
  %four = and i32 %r.after, 4
  %none = icmp eq i32 %four, 0
  br i1 %none, label %first, label %second
end:
  store i32 %r.after, ptr addrspace(1) %out
  ret void
}
