; RUN: lockstep-opt -passes='block-products' %s | FileCheck %s
; A matrix product with rows of `n` elements, in blocks of 256 products, or of 128 if n * 4 is a multiple of a page. All
; work-items meet between blocks. With 512 products or fewer, the first block has all.

; CHECK: define void @product
; CHECK: %[[BYTES:.*]] = mul i64 %n, 4
; CHECK: %[[IN_PAGE:.*]] = and i64 %[[BYTES]], 4095
; CHECK: %rows.are.pages = icmp eq i64 %[[IN_PAGE]], 0
; CHECK: %[[PRODUCTS:.*]] = select i1 %rows.are.pages, i64 128, i64 256
; CHECK: %is.long = icmp ugt i64 %{{.*}}, 512
; CHECK: %length = select i1 %is.long, i64 %[[PRODUCTS]], i64 -1
; CHECK: loop.block:
; CHECK-DAG: %sum.block = phi float [ 0.000000e+00, %entry ], [ %sum.next, %loop.next ]
; CHECK-DAG: %k.block = phi i64 [ 0, %entry ], [ %k.next, %loop.next ]
; CHECK: %[[LEFT:.*]] = sub i64 %n, %k.block
; CHECK: %[[CUT:.*]] = icmp ugt i64 %[[LEFT]], %length
; CHECK: %[[NEXT:.*]] = add i64 %k.block, %length
; CHECK: %bound = select i1 %[[CUT]], i64 %[[NEXT]], i64 %n
; CHECK: loop:
; CHECK-DAG: phi float [ %sum.block, %loop.block ], [ %sum.next, %loop ]
; CHECK: %stays.in.block = icmp ne i64 %k.next, %bound
; CHECK: br i1 %stays.in.block, label %loop, label %loop.block.end
; CHECK: loop.block.end:
; CHECK: %[[MORE:.*]] = icmp ne i64 %k.next, %n
; CHECK: br i1 %[[MORE]], label %loop.next, label %end
; CHECK: loop.next:
; CHECK: call void @__lockstep_barrier(i32 1)
; CHECK: br label %loop.block
define void @product(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %c, i64 %n) #0 {
entry:
  %x = call i64 @__lockstep_local_id(i32 0)
  %y = call i64 @__lockstep_local_id(i32 1)
  %a.begin = mul i64 %y, %n
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %k.next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %sum.next, %loop ]
  %a.index = add i64 %a.begin, %k
  %a.at = getelementptr float, ptr addrspace(1) %a, i64 %a.index
  %a.value = load float, ptr addrspace(1) %a.at
  %b.begin = mul i64 %k, %n
  %b.index = add i64 %b.begin, %x
  %b.at = getelementptr float, ptr addrspace(1) %b, i64 %b.index
  %b.value = load float, ptr addrspace(1) %b.at
  %sum.next = call float @llvm.fmuladd.f32(float %a.value, float %b.value, float %sum)
  %k.next = add i64 %k, 1
  %more = icmp ne i64 %k.next, %n
  br i1 %more, label %loop, label %end
end:
  %c.index = add i64 %a.begin, %x
  %c.at = getelementptr float, ptr addrspace(1) %c, i64 %c.index
  store float %sum.next, ptr addrspace(1) %c.at
  ret void
}

; The counter is wider than the index, as LLVM makes it.
; CHECK: define void @narrow
; CHECK: zext i32 %n to i64
; CHECK: select i1 %rows.are.pages, i64 128, i64 256
; CHECK: call void @__lockstep_barrier(i32 1)
define void @narrow(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %c, i32 %n) #0 {
entry:
  %x = call i64 @__lockstep_local_id(i32 0)
  %y = call i64 @__lockstep_local_id(i32 1)
  %x.narrow = trunc i64 %x to i32
  %y.narrow = trunc i64 %y to i32
  %a.begin = mul i32 %y.narrow, %n
  %count = zext i32 %n to i64
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %k.next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %sum.next, %loop ]
  %k.narrow = trunc nuw i64 %k to i32
  %a.index = add i32 %a.begin, %k.narrow
  %a.wide = zext i32 %a.index to i64
  %a.at = getelementptr float, ptr addrspace(1) %a, i64 %a.wide
  %a.value = load float, ptr addrspace(1) %a.at
  %b.begin = mul i32 %n, %k.narrow
  %b.index = add i32 %b.begin, %x.narrow
  %b.wide = zext i32 %b.index to i64
  %b.at = getelementptr float, ptr addrspace(1) %b, i64 %b.wide
  %b.value = load float, ptr addrspace(1) %b.at
  %sum.next = call float @llvm.fmuladd.f32(float %a.value, float %b.value, float %sum)
  %k.next = add nuw nsw i64 %k, 1
  %is.end = icmp eq i64 %k.next, %count
  br i1 %is.end, label %end, label %loop
end:
  %c.index = add i32 %a.begin, %x.narrow
  %c.wide = zext i32 %c.index to i64
  %c.at = getelementptr float, ptr addrspace(1) %c, i64 %c.wide
  store float %sum.next, ptr addrspace(1) %c.at
  ret void
}

; Squares of differences, two products in each iteration, and a comparison with signs: the loop runs at least once, so the block
; is cut only if the comparison holds.
; CHECK: define void @distances
; CHECK: select i1 %rows.are.pages, i32 128, i32 256
; CHECK: icmp ugt i32 %{{.*}}, 512
; CHECK: loop.block:
; CHECK: %[[CUT:.*]] = icmp ugt i32 %{{.*}}, %length
; CHECK: %[[LESS:.*]] = icmp slt i32 %k.block, %n
; CHECK: %[[BOTH:.*]] = and i1 %[[CUT]], %[[LESS]]
; CHECK: %bound = select i1 %[[BOTH]]
; CHECK: %stays.in.block = icmp slt i32 %k.next, %bound
; CHECK: call void @__lockstep_barrier(i32 1)
define void @distances(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %c, i32 %n) #0 {
entry:
  %x = call i64 @__lockstep_local_id(i32 0)
  %y = call i64 @__lockstep_local_id(i32 1)
  %x.narrow = trunc i64 %x to i32
  %y.narrow = trunc i64 %y to i32
  %a.begin = mul i32 %y.narrow, %n
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %k.next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %sum.next, %loop ]
  %a.index = add nsw i32 %a.begin, %k
  %a.wide = sext i32 %a.index to i64
  %a.at = getelementptr float, ptr addrspace(1) %a, i64 %a.wide
  %a.value = load float, ptr addrspace(1) %a.at
  %b.begin = mul nsw i32 %k, %n
  %b.index = add nsw i32 %b.begin, %x.narrow
  %b.wide = sext i32 %b.index to i64
  %b.at = getelementptr float, ptr addrspace(1) %b, i64 %b.wide
  %b.value = load float, ptr addrspace(1) %b.at
  %difference = fsub float %a.value, %b.value
  %sum.0 = call float @llvm.fmuladd.f32(float %difference, float %difference, float %sum)
  %a.1 = getelementptr float, ptr addrspace(1) %a.at, i64 1
  %a.value.1 = load float, ptr addrspace(1) %a.1
  %b.index.1 = add nsw i32 %b.index, %n
  %b.wide.1 = sext i32 %b.index.1 to i64
  %b.at.1 = getelementptr float, ptr addrspace(1) %b, i64 %b.wide.1
  %b.value.1 = load float, ptr addrspace(1) %b.at.1
  %difference.1 = fsub float %a.value.1, %b.value.1
  %sum.next = call float @llvm.fmuladd.f32(float %difference.1, float %difference.1, float %sum.0)
  %k.next = add nsw i32 %k, 2
  %more = icmp slt i32 %k.next, %n
  br i1 %more, label %loop, label %end
end:
  %c.index = add i32 %a.begin, %x.narrow
  %c.wide = sext i32 %c.index to i64
  %c.at = getelementptr float, ptr addrspace(1) %c, i64 %c.wide
  store float %sum.next, ptr addrspace(1) %c.at
  ret void
}

declare i64 @__lockstep_local_id(i32) nounwind willreturn memory(none)

attributes #0 = { "lockstep-local-size"="32,16,1" "lockstep-sub-group-size"="32" }
