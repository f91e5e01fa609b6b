; The stack of a walk through a tree on which all lanes vote: what is loaded from it decides about the next store.
; RUN: lockstep-opt -passes=share-private-arrays %s | FileCheck %s

; CHECK: %stack = alloca [64 x i32], align 4, !lockstep.sub.group.variable
define void @kernel(ptr addrspace(1) %nodes, ptr addrspace(1) %sums) #0 {
entry:
  %stack = alloca [64 x i32], align 4
  call void @llvm.lifetime.start.p0(ptr %stack)
  %lane = call i64 @__lockstep_lane()
  %mine = trunc i64 %lane to i32
  br label %visit

visit:
  %at = phi i32 [ 0, %entry ], [ %second, %push ], [ %popped, %pop ]
  %count = phi i64 [ 0, %entry ], [ %more, %push ], [ %less, %pop ]
  %sum = phi i32 [ 0, %entry ], [ %sum.next, %push ], [ %sum.next, %pop ]
  %node = getelementptr i32, ptr addrspace(1) %nodes, i32 %at
  %second = load i32, ptr addrspace(1) %node
  %sum.next = add i32 %sum, %mine
  %vote = icmp ult i32 %sum.next, %second
  %votes = call i64 @__lockstep_sub_group_ballot(i1 %vote)
  %any = icmp ne i64 %votes, 0
  br i1 %any, label %push, label %look

push:
  %top = getelementptr [64 x i32], ptr %stack, i64 0, i64 %count
  %first = add i32 %at, 1
  store i32 %first, ptr %top
  %more = add i64 %count, 1
  br label %visit

look:
  %empty = icmp eq i64 %count, 0
  br i1 %empty, label %end, label %pop

pop:
  %less = add i64 %count, -1
  %last = getelementptr [64 x i32], ptr %stack, i64 0, i64 %less
  %popped = load i32, ptr %last
  br label %visit

end:
  %own = getelementptr i32, ptr addrspace(1) %sums, i64 %lane
  store i32 %sum.next, ptr addrspace(1) %own
  ret void
}

; One guard around all accesses.
; CHECK-LABEL: define void @guarded
; CHECK: %array = alloca [4 x i32], align 4, !lockstep.sub.group.variable
define void @guarded(i64 %n, ptr addrspace(1) %to) #0 {
entry:
  %array = alloca [4 x i32], align 4
  %lane = call i64 @__lockstep_lane()
  %is.inside = icmp ult i64 %lane, %n
  br i1 %is.inside, label %inside, label %end

inside:
  store i32 1, ptr %array
  %loaded = load i32, ptr %array
  store i32 %loaded, ptr addrspace(1) %to
  br label %end

end:
  ret void
}

declare i64 @__lockstep_lane() #1
declare i64 @__lockstep_sub_group_ballot(i1) #2
declare void @llvm.lifetime.start.p0(ptr)

attributes #0 = { "lockstep-sub-group-size"="4" }
attributes #1 = { nounwind willreturn memory(none) }
attributes #2 = { convergent nounwind willreturn memory(none) }
