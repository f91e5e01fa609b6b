; Rows that each work-item reads as wide vectors: in lanes they would be turned, and sums of sixteen registers each would
; spill. So would vectors of bytes, and rows of fours, of which each lane reads its own somewhere else. Where the same row is
; read by all, vectors are narrow, or the work is in scalars, lanes win; and where what differs is the row of a tile. Where rows
; begin is the same for all and computed once for them, which weighs nothing beside the vectors of a stencil.
; RUN: env LOCKSTEP_CPU=x86-64-v4 lockstep-opt -passes=choose-sub-group-size %s 2>&1 | FileCheck %s
; RUN: env LOCKSTEP_CPU=x86-64-v4 LOCKSTEP_SUB_GROUP_SIZE=8 lockstep-opt -passes=choose-sub-group-size %s | FileCheck %s --check-prefix=ASKED

; CHECK-COUNT-7: remark: {{.*}}one lane: most of the work is in vectors of the kernel's own, which lanes would take apart
; CHECK-NOT: remark
; CHECK: define void @product({{.*}} #[[ONE:[0-9]+]]
; CHECK: define void @scaled({{.*}} #[[ONE]]
; CHECK: define void @rows_of_fours({{.*}} #[[ONE]]
; CHECK: define void @fours_by_element({{.*}} #[[ONE]]
; CHECK: define void @bytes({{.*}} #[[ONE]]
; CHECK: define void @half_registers({{.*}} #[[ONE]]
; CHECK: define void @stencil({{.*}} #[[ONE]]
; CHECK: define void @same_row({{.*}} #[[SIXTEEN:[0-9]+]]
; CHECK: define void @narrow({{.*}} #[[SIXTEEN]]
; CHECK: define void @functions({{.*}} #[[SIXTEEN]]
; CHECK: define void @scalars({{.*}} #[[SIXTEEN]]
; CHECK: define void @tile_of_fours({{.*}} #[[TILE:[0-9]+]]
; CHECK-DAG: attributes #[[ONE]] = { {{.*}}"lockstep-sub-group-size"="1" }
; CHECK-DAG: attributes #[[SIXTEEN]] = { {{.*}}"lockstep-sub-group-size"="16" }
; CHECK-DAG: attributes #[[TILE]] = { {{.*}}"lockstep-sub-group-size"="16" }
; ASKED-NOT: "lockstep-sub-group-size"="1"

define void @product(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %c, i64 %n) {
entry:
  %id = call i64 @__lockstep_local_id(i32 0)
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %next, %loop ]
  %sum = phi <16 x float> [ zeroinitializer, %entry ], [ %more, %loop ]
  %a.at = getelementptr float, ptr addrspace(1) %a, i64 %k
  %one = load float, ptr addrspace(1) %a.at
  %first = insertelement <16 x float> poison, float %one, i64 0
  %all = shufflevector <16 x float> %first, <16 x float> poison, <16 x i32> zeroinitializer
  %row = mul i64 %k, %n
  %place = add i64 %row, %id
  %b.at = getelementptr <16 x float>, ptr addrspace(1) %b, i64 %place
  %wide = load <16 x float>, ptr addrspace(1) %b.at, align 4
  %more = call <16 x float> @llvm.fmuladd.v16f32(<16 x float> %all, <16 x float> %wide, <16 x float> %sum)
  %next = add i64 %k, 1
  %goes.on = icmp ult i64 %next, %n
  br i1 %goes.on, label %loop, label %end
end:
  %c.at = getelementptr <16 x float>, ptr addrspace(1) %c, i64 %id
  store <16 x float> %more, ptr addrspace(1) %c.at, align 4
  ret void
}

define void @scaled(<16 x float> %f, ptr addrspace(1) %p) {
  %id = call i64 @__lockstep_local_id(i32 0)
  %at = getelementptr <16 x float>, ptr addrspace(1) %p, i64 %id
  %old = load <16 x float>, ptr addrspace(1) %at
  %new = fmul <16 x float> %old, %f
  store <16 x float> %new, ptr addrspace(1) %at
  ret void
}

define void @rows_of_fours(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %c, i64 %n) {
entry:
  %id = call i64 @__lockstep_local_id(i32 0)
  %row = mul i64 %id, %n
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %next, %loop ]
  %sum = phi <4 x float> [ zeroinitializer, %entry ], [ %more, %loop ]
  %place = add i64 %row, %k
  %a.at = getelementptr <4 x float>, ptr addrspace(1) %a, i64 %place
  %one = load <4 x float>, ptr addrspace(1) %a.at
  %b.at = getelementptr <4 x float>, ptr addrspace(1) %b, i64 %k
  %other = load <4 x float>, ptr addrspace(1) %b.at
  %more = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %one, <4 x float> %other, <4 x float> %sum)
  %next = add i64 %k, 1
  %goes.on = icmp ult i64 %next, %n
  br i1 %goes.on, label %loop, label %end
end:
  %c.at = getelementptr <4 x float>, ptr addrspace(1) %c, i64 %id
  store <4 x float> %more, ptr addrspace(1) %c.at
  ret void
}

define void @fours_by_element(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %c, i64 %n) {
entry:
  %id = call i64 @__lockstep_local_id(i32 0)
  %row = mul i64 %id, %n
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %more, %loop ]
  %place = add i64 %row, %k
  %a.at = getelementptr <4 x float>, ptr addrspace(1) %a, i64 %place
  %one = load <4 x float>, ptr addrspace(1) %a.at
  %b.at = getelementptr <4 x float>, ptr addrspace(1) %b, i64 %k
  %other = load <4 x float>, ptr addrspace(1) %b.at
  %one.0 = extractelement <4 x float> %one, i64 0
  %one.1 = extractelement <4 x float> %one, i64 1
  %one.2 = extractelement <4 x float> %one, i64 2
  %one.3 = extractelement <4 x float> %one, i64 3
  %other.0 = extractelement <4 x float> %other, i64 0
  %other.1 = extractelement <4 x float> %other, i64 1
  %other.2 = extractelement <4 x float> %other, i64 2
  %other.3 = extractelement <4 x float> %other, i64 3
  %product = fmul float %one.0, %other.0
  %more.1 = call float @llvm.fmuladd.f32(float %one.1, float %other.1, float %product)
  %more.2 = call float @llvm.fmuladd.f32(float %one.2, float %other.2, float %more.1)
  %more.3 = call float @llvm.fmuladd.f32(float %one.3, float %other.3, float %more.2)
  %more = fadd float %more.3, %sum
  %next = add i64 %k, 1
  %goes.on = icmp ult i64 %next, %n
  br i1 %goes.on, label %loop, label %end
end:
  %c.at = getelementptr float, ptr addrspace(1) %c, i64 %id
  store float %more, ptr addrspace(1) %c.at
  ret void
}

define void @bytes(<16 x i8> %f, ptr addrspace(1) %p) {
  %id = call i64 @__lockstep_local_id(i32 0)
  %at = getelementptr <16 x i8>, ptr addrspace(1) %p, i64 %id
  %old = load <16 x i8>, ptr addrspace(1) %at
  %new = add <16 x i8> %old, %f
  store <16 x i8> %new, ptr addrspace(1) %at
  ret void
}

define void @half_registers(<8 x float> %f, ptr addrspace(1) %p) {
  %id = call i64 @__lockstep_local_id(i32 0)
  %at = getelementptr <8 x float>, ptr addrspace(1) %p, i64 %id
  %old = load <8 x float>, ptr addrspace(1) %at
  %new = fmul <8 x float> %old, %f
  store <8 x float> %new, ptr addrspace(1) %at
  ret void
}

define void @stencil(i32 %n, ptr addrspace(1) %a, ptr addrspace(1) %c) {
  %id = call i64 @__lockstep_local_id(i32 0)
  %x = shl i64 %id, 3
  %group = call i64 @__lockstep_group_id(i32 1)
  %above = trunc i64 %group to i32
  %y = add i32 %above, 1
  %below = add i32 %above, 2
  %above.n = mul nsw i32 %above, %n
  %above.row = sext i32 %above.n to i64
  %y.n = mul nsw i32 %y, %n
  %y.row = sext i32 %y.n to i64
  %below.n = mul nsw i32 %below, %n
  %below.row = sext i32 %below.n to i64
  %row = getelementptr float, ptr addrspace(1) %a, i64 %y.row
  %at = getelementptr float, ptr addrspace(1) %row, i64 %x
  %left = getelementptr i8, ptr addrspace(1) %at, i64 -4
  %of.left = load <8 x float>, ptr addrspace(1) %left, align 4
  %right = getelementptr i8, ptr addrspace(1) %at, i64 4
  %of.right = load <8 x float>, ptr addrspace(1) %right, align 4
  %sides = fadd <8 x float> %of.left, %of.right
  %row.above = getelementptr float, ptr addrspace(1) %a, i64 %above.row
  %at.above = getelementptr float, ptr addrspace(1) %row.above, i64 %x
  %of.above = load <8 x float>, ptr addrspace(1) %at.above, align 4
  %three = fadd <8 x float> %sides, %of.above
  %row.below = getelementptr float, ptr addrspace(1) %a, i64 %below.row
  %at.below = getelementptr float, ptr addrspace(1) %row.below, i64 %x
  %of.below = load <8 x float>, ptr addrspace(1) %at.below, align 4
  %four = fadd <8 x float> %three, %of.below
  %mean = fmul <8 x float> %four, splat (float 2.5e-01)
  %to.row = getelementptr float, ptr addrspace(1) %c, i64 %y.row
  %to = getelementptr float, ptr addrspace(1) %to.row, i64 %x
  store <8 x float> %mean, ptr addrspace(1) %to, align 4
  ret void
}

define void @same_row(ptr addrspace(1) %p, ptr addrspace(1) %out, i64 %n) {
entry:
  %id = call i64 @__lockstep_local_id(i32 0)
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %more, %loop ]
  %at = getelementptr <16 x float>, ptr addrspace(1) %p, i64 %k
  %row = load <16 x float>, ptr addrspace(1) %at
  %a = extractelement <16 x float> %row, i64 0
  %b = extractelement <16 x float> %row, i64 1
  %c = fmul float %a, %sum
  %more = fadd float %b, %c
  %next = add i64 %k, 1
  %goes.on = icmp ult i64 %next, %n
  br i1 %goes.on, label %loop, label %end
end:
  %to = getelementptr float, ptr addrspace(1) %out, i64 %id
  store float %more, ptr addrspace(1) %to
  ret void
}

define void @narrow(<4 x float> %f, ptr addrspace(1) %p) {
  %id = call i64 @__lockstep_local_id(i32 0)
  %at = getelementptr <4 x float>, ptr addrspace(1) %p, i64 %id
  %old = load <4 x float>, ptr addrspace(1) %at
  %new = fmul <4 x float> %old, %f
  store <4 x float> %new, ptr addrspace(1) %at
  ret void
}

define void @functions(ptr addrspace(1) %p) {
  %id = call i64 @__lockstep_local_id(i32 0)
  %at = getelementptr <16 x float>, ptr addrspace(1) %p, i64 %id
  %old = load <16 x float>, ptr addrspace(1) %at
  %new = call <16 x float> @llvm.exp.v16f32(<16 x float> %old)
  store <16 x float> %new, ptr addrspace(1) %at
  ret void
}

define void @scalars(ptr addrspace(1) %p, ptr addrspace(1) %q, i32 %n) {
entry:
  %id = call i64 @__lockstep_local_id(i32 0)
  %at = getelementptr <16 x float>, ptr addrspace(1) %p, i64 %id
  %old = load <16 x float>, ptr addrspace(1) %at
  store <16 x float> %old, ptr addrspace(1) %at
  %word = getelementptr i32, ptr addrspace(1) %q, i64 %id
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %next, %loop ]
  %x = phi i32 [ %n, %entry ], [ %y, %loop ]
  %a = shl i32 %x, 7
  %b = xor i32 %a, %x
  %c = mul i32 %b, %k
  %y = add i32 %c, 12345
  %next = add i32 %k, 1
  %goes.on = icmp ult i32 %next, %n
  br i1 %goes.on, label %loop, label %end
end:
  store i32 %y, ptr addrspace(1) %word
  ret void
}

define void @tile_of_fours(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %c, i64 %n) #0 {
entry:
  %x = call i64 @__lockstep_local_id(i32 0)
  %y = call i64 @__lockstep_local_id(i32 1)
  %row = mul i64 %y, %n
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %next, %loop ]
  %sum = phi <4 x float> [ zeroinitializer, %entry ], [ %more, %loop ]
  %a.place = add i64 %row, %k
  %a.at = getelementptr <4 x float>, ptr addrspace(1) %a, i64 %a.place
  %one = load <4 x float>, ptr addrspace(1) %a.at
  %b.row = mul i64 %k, %n
  %b.place = add i64 %b.row, %x
  %b.at = getelementptr <4 x float>, ptr addrspace(1) %b, i64 %b.place
  %other = load <4 x float>, ptr addrspace(1) %b.at
  %more = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %one, <4 x float> %other, <4 x float> %sum)
  %next = add i64 %k, 1
  %goes.on = icmp ult i64 %next, %n
  br i1 %goes.on, label %loop, label %end
end:
  %c.place = add i64 %row, %x
  %c.at = getelementptr <4 x float>, ptr addrspace(1) %c, i64 %c.place
  store <4 x float> %more, ptr addrspace(1) %c.at
  ret void
}

declare i64 @__lockstep_local_id(i32)
declare i64 @__lockstep_group_id(i32)

attributes #0 = { "lockstep-local-size"="16,4,1" }
