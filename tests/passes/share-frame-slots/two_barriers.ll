; RUN: lockstep-opt -passes='make-coroutine,function(share-frame-slots)' %s | FileCheck %s
; A vector lives across the first suspension, another one across the second: one variable serves both. The number is
; small and the address is cheap to compute anew: nothing is done about them. In a loop that waits, a value that is
; needed behind the loop stays where it is.

; CHECK-LABEL: define void @lockstep.sub_group
; CHECK: %kept = alloca <16 x i32>, align 64
; CHECK-NOT: %kept{{[0-9]+}} = alloca
; CHECK: %one = load <16 x i32>
; CHECK: store <16 x i32> %one, ptr %kept, align 64
; CHECK-NEXT: call i8 @llvm.coro.suspend
; CHECK: resumed:
; CHECK-NEXT: %again = load <16 x i32>, ptr %kept, align 64
; CHECK: %other = add <16 x i32> %again,
; CHECK: %last = mul <16 x i32> %other, %other
; CHECK: store <16 x i32> %last, ptr %kept, align 64
; CHECK-NEXT: call i8 @llvm.coro.suspend
; CHECK: %[[AGAIN:again[0-9]+]] = load <16 x i32>, ptr %kept, align 64
; CHECK: store <16 x i32> %[[AGAIN]], ptr %place
; CHECK: %flag = load
; CHECK-NOT: store <16 x i32> %value, ptr %kept
; CHECK: end:
; CHECK: store <16 x i32> %value, ptr %place
define void @lockstep.sub_group(ptr %launch, ptr %group, ptr %frame, i64 %sub.group) {
entry:
  %args = load ptr, ptr %launch, !invariant.load !0
  %place = getelementptr i8, ptr %args, i64 %sub.group
  %small = load i32, ptr %args
  %one = load <16 x i32>, ptr %place
  call void @__lockstep_suspend(i32 1, i32 0, i1 false)
  %two = load <16 x i32>, ptr %place
  %other = add <16 x i32> %one, %two
  %last = mul <16 x i32> %other, %other
  call void @__lockstep_suspend(i32 1, i32 1, i1 false)
  store <16 x i32> %last, ptr %place
  store i32 %small, ptr %args
  %value = load <16 x i32>, ptr %place
  br label %loop
loop:
  %flag = load volatile i32, ptr %args
  %set = icmp ne i32 %flag, 0
  br i1 %set, label %end, label %wait
wait:
  call void @__lockstep_suspend(i32 2, i32 2, i1 false)
  br label %loop
end:
  store <16 x i32> %value, ptr %place
  ret void
}

declare void @__lockstep_suspend(i32, i32, i1)

!0 = !{}
