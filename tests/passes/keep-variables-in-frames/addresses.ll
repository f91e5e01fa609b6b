; RUN: lockstep-opt -passes='make-coroutine,function(keep-variables-in-frames)' %s | FileCheck %s
; RUN: lockstep-opt -passes='make-coroutine,function(keep-variables-in-frames),coro-early,cgscc(coro-split),coro-cleanup' %s | FileCheck %s --check-prefix=SPLIT
; A variable is kept in the frame if an address within it lives across a suspension, however short the variable itself
; lives, or if all that is done with it stands behind a shuffle that LLVM does not look through. It is not if each function
; can compute the address anew or if the address is computed where it is needed.

; CHECK-LABEL: define void @lockstep.sub_group
; CHECK-NOT: ptrtoint
; CHECK-DAG: ptrtoint ptr %hoisted to i64
; CHECK-DAG: ptrtoint ptr %chosen to i64
; CHECK-DAG: ptrtoint ptr %hidden to i64
; CHECK-NOT: ptrtoint
; CHECK-NOT: lifetime{{.*}}%hoisted
; CHECK-NOT: lifetime{{.*}}%chosen
; CHECK: call void @llvm.lifetime.start.p0(ptr %here)
; CHECK: call void @llvm.lifetime.start.p0(ptr %cheap)

; Types tell the variables apart: those in the frame have no place on the stack.
; SPLIT-LABEL: define internal {{.*}}void @lockstep.sub_group.resume
; SPLIT-NOT: alloca [3 x i32]
; SPLIT-NOT: alloca [4 x i32]
; SPLIT-NOT: alloca [7 x i32]
; SPLIT-DAG: alloca [5 x i32]
; SPLIT-DAG: alloca [6 x i32]
; SPLIT-NOT: alloca [3 x i32]
; SPLIT-NOT: alloca [4 x i32]
; SPLIT-NOT: alloca [7 x i32]
; SPLIT: {{^}}}
define void @lockstep.sub_group(ptr %launch, ptr %group, ptr %frame, i64 %sub.group) {
entry:
  %hoisted = alloca [3 x i32]
  %chosen = alloca [4 x i32]
  %cheap = alloca [5 x i32]
  %here = alloca [6 x i32]
  %hidden = alloca [7 x i32]
  %one = load i64, ptr %group
  %other = load i64, ptr %frame
  %index = add i64 %one, %other
  %hoisted.address = getelementptr i32, ptr %hoisted, i64 %index
  %cheap.address = getelementptr i32, ptr %cheap, i64 %one
  %first = insertelement <2 x ptr> poison, ptr %hidden, i64 0
  %all = shufflevector <2 x ptr> %first, <2 x ptr> poison, <2 x i32> zeroinitializer
  %addresses = getelementptr i32, <2 x ptr> %all, <2 x i64> <i64 1, i64 3>
  call void @llvm.masked.scatter.v2i32.v2p0(<2 x i32> <i32 4, i32 5>, <2 x ptr> align 4 %addresses, <2 x i1> splat (i1 true))
  %flag = load i1, ptr %group
  br i1 %flag, label %choose, label %chose
choose:
  %chosen.second = getelementptr i8, ptr %chosen, i64 4
  br label %chose
chose:
  %chosen.address = phi ptr [ %chosen, %entry ], [ %chosen.second, %choose ]
  br label %loop
loop:
  call void @__lockstep_suspend(i32 2, i32 2, i1 false)
  call void @llvm.lifetime.start.p0(ptr %hoisted)
  call void @llvm.lifetime.start.p0(ptr %chosen)
  call void @llvm.lifetime.start.p0(ptr %here)
  call void @llvm.lifetime.start.p0(ptr %cheap)
  %x = load volatile i32, ptr %group
  store i32 %x, ptr %hoisted
  store i32 %x, ptr %chosen
  store i32 %x, ptr %cheap
  store i32 %x, ptr %here
  %n = load volatile i64, ptr %group
  %m = load volatile i64, ptr %group
  %mn = add i64 %m, %n
  %here.address = getelementptr i32, ptr %here, i64 %mn
  %v1 = load i32, ptr %hoisted.address
  %v2 = load i32, ptr %chosen.address
  %v3 = load i32, ptr %cheap.address
  %v4 = load i32, ptr %here.address
  store volatile i32 %v1, ptr %group
  store volatile i32 %v2, ptr %group
  store volatile i32 %v3, ptr %group
  store volatile i32 %v4, ptr %group
  %gathered = call <2 x i32> @llvm.masked.gather.v2i32.v2p0(<2 x ptr> align 4 %addresses, <2 x i1> splat (i1 true), <2 x i32> poison)
  store volatile <2 x i32> %gathered, ptr %group
  call void @llvm.lifetime.end.p0(ptr %hoisted)
  call void @llvm.lifetime.end.p0(ptr %chosen)
  call void @llvm.lifetime.end.p0(ptr %here)
  call void @llvm.lifetime.end.p0(ptr %cheap)
  %done = load volatile i1, ptr %group
  br i1 %done, label %end, label %loop
end:
  ret void
}

declare void @__lockstep_suspend(i32, i32, i1)
