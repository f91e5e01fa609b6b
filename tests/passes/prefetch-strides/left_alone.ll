; RUN: lockstep-opt -passes=prefetch-strides %s | FileCheck %s --implicit-check-not=llvm.prefetch
; What the processor fetches by itself, and what nobody needs to fetch.

; Neighbors.
; CHECK-LABEL: @linear
define void @linear(ptr %values, i64 %first, i64 %n, i64 %odd, i64 %stride) {
entry:
  br label %loop
loop:
  %i = phi i64 [ %first, %entry ], [ %next, %loop ]
  %sum = phi i64 [ 0, %entry ], [ %sum.next, %loop ]
  %at = getelementptr i8, ptr %values, i64 %i
  %at.16 = getelementptr i8, ptr %at, i64 16
  %value = load i8, ptr %at
  %value.16 = load i8, ptr %at.16
  %both = add i8 %value, %value.16
  %wide = zext i8 %both to i64
  %x0 = mul i64 %wide, %odd
  %x1 = mul i64 %x0, %odd
  %x2 = mul i64 %x1, %odd
  %x3 = mul i64 %x2, %odd
  %x4 = mul i64 %x3, %odd
  %x5 = mul i64 %x4, %odd
  %x6 = mul i64 %x5, %odd
  %x7 = mul i64 %x6, %odd
  %x8 = mul i64 %x7, %odd
  %x9 = mul i64 %x8, %odd
  %x10 = mul i64 %x9, %odd
  %x11 = mul i64 %x10, %odd
  %x12 = mul i64 %x11, %odd
  %x13 = mul i64 %x12, %odd
  %x14 = mul i64 %x13, %odd
  %x15 = mul i64 %x14, %odd
  %x16 = mul i64 %x15, %odd
  %x17 = mul i64 %x16, %odd
  %x18 = mul i64 %x17, %odd
  %x19 = mul i64 %x18, %odd
  %x20 = mul i64 %x19, %odd
  %x21 = mul i64 %x20, %odd
  %x22 = mul i64 %x21, %odd
  %x23 = mul i64 %x22, %odd
  %x24 = mul i64 %x23, %odd
  %x25 = mul i64 %x24, %odd
  %x26 = mul i64 %x25, %odd
  %x27 = mul i64 %x26, %odd
  %x28 = mul i64 %x27, %odd
  %x29 = mul i64 %x28, %odd
  %x30 = mul i64 %x29, %odd
  %x31 = mul i64 %x30, %odd
  %x32 = mul i64 %x31, %odd
  %x33 = mul i64 %x32, %odd
  %x34 = mul i64 %x33, %odd
  %x35 = mul i64 %x34, %odd
  %x36 = mul i64 %x35, %odd
  %x37 = mul i64 %x36, %odd
  %x38 = mul i64 %x37, %odd
  %x39 = mul i64 %x38, %odd
  %x40 = mul i64 %x39, %odd
  %x41 = mul i64 %x40, %odd
  %x42 = mul i64 %x41, %odd
  %x43 = mul i64 %x42, %odd
  %x44 = mul i64 %x43, %odd
  %x45 = mul i64 %x44, %odd
  %x46 = mul i64 %x45, %odd
  %x47 = mul i64 %x46, %odd
  %x48 = mul i64 %x47, %odd
  %x49 = mul i64 %x48, %odd
  %x50 = mul i64 %x49, %odd
  %x51 = mul i64 %x50, %odd
  %x52 = mul i64 %x51, %odd
  %x53 = mul i64 %x52, %odd
  %x54 = mul i64 %x53, %odd
  %x55 = mul i64 %x54, %odd
  %x56 = mul i64 %x55, %odd
  %x57 = mul i64 %x56, %odd
  %x58 = mul i64 %x57, %odd
  %x59 = mul i64 %x58, %odd
  %x60 = mul i64 %x59, %odd
  %x61 = mul i64 %x60, %odd
  %x62 = mul i64 %x61, %odd
  %x63 = mul i64 %x62, %odd
  %x64 = mul i64 %x63, %odd
  %x65 = mul i64 %x64, %odd
  %x66 = mul i64 %x65, %odd
  %x67 = mul i64 %x66, %odd
  %x68 = mul i64 %x67, %odd
  %x69 = mul i64 %x68, %odd
  %sum.next = add i64 %sum, %x69
  %next = add i64 %i, 64
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end
end:
  store i64 %sum.next, ptr %values
  ret void
}

; Several rounds are under way at once.
; CHECK-LABEL: @short_rounds
define void @short_rounds(ptr %values, i64 %first, i64 %n, i64 %odd, i64 %stride) {
entry:
  br label %loop
loop:
  %i = phi i64 [ %first, %entry ], [ %next, %loop ]
  %sum = phi i64 [ 0, %entry ], [ %sum.next, %loop ]
  %at = getelementptr i8, ptr %values, i64 %i
  %at.16 = getelementptr i8, ptr %at, i64 16
  %value = load i8, ptr %at
  %value.16 = load i8, ptr %at.16
  %both = add i8 %value, %value.16
  %wide = zext i8 %both to i64
  %x0 = mul i64 %wide, %odd
  %x1 = mul i64 %x0, %odd
  %x2 = mul i64 %x1, %odd
  %x3 = mul i64 %x2, %odd
  %x4 = mul i64 %x3, %odd
  %x5 = mul i64 %x4, %odd
  %x6 = mul i64 %x5, %odd
  %x7 = mul i64 %x6, %odd
  %x8 = mul i64 %x7, %odd
  %x9 = mul i64 %x8, %odd
  %x10 = mul i64 %x9, %odd
  %x11 = mul i64 %x10, %odd
  %x12 = mul i64 %x11, %odd
  %x13 = mul i64 %x12, %odd
  %x14 = mul i64 %x13, %odd
  %x15 = mul i64 %x14, %odd
  %x16 = mul i64 %x15, %odd
  %x17 = mul i64 %x16, %odd
  %x18 = mul i64 %x17, %odd
  %x19 = mul i64 %x18, %odd
  %sum.next = add i64 %sum, %x19
  %next = add i64 %i, %stride
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end
end:
  store i64 %sum.next, ptr %values
  ret void
}

; Private memory is in the nearest cache.
; CHECK-LABEL: @private
define void @private(ptr %values, i64 %first, i64 %n, i64 %odd, i64 %stride) {
entry:
  %own = alloca [4096 x i8]
  br label %loop
loop:
  %i = phi i64 [ %first, %entry ], [ %next, %loop ]
  %sum = phi i64 [ 0, %entry ], [ %sum.next, %loop ]
  %at = getelementptr i8, ptr %own, i64 %i
  %at.16 = getelementptr i8, ptr %at, i64 16
  %value = load i8, ptr %at
  %value.16 = load i8, ptr %at.16
  %both = add i8 %value, %value.16
  %wide = zext i8 %both to i64
  %x0 = mul i64 %wide, %odd
  %x1 = mul i64 %x0, %odd
  %x2 = mul i64 %x1, %odd
  %x3 = mul i64 %x2, %odd
  %x4 = mul i64 %x3, %odd
  %x5 = mul i64 %x4, %odd
  %x6 = mul i64 %x5, %odd
  %x7 = mul i64 %x6, %odd
  %x8 = mul i64 %x7, %odd
  %x9 = mul i64 %x8, %odd
  %x10 = mul i64 %x9, %odd
  %x11 = mul i64 %x10, %odd
  %x12 = mul i64 %x11, %odd
  %x13 = mul i64 %x12, %odd
  %x14 = mul i64 %x13, %odd
  %x15 = mul i64 %x14, %odd
  %x16 = mul i64 %x15, %odd
  %x17 = mul i64 %x16, %odd
  %x18 = mul i64 %x17, %odd
  %x19 = mul i64 %x18, %odd
  %x20 = mul i64 %x19, %odd
  %x21 = mul i64 %x20, %odd
  %x22 = mul i64 %x21, %odd
  %x23 = mul i64 %x22, %odd
  %x24 = mul i64 %x23, %odd
  %x25 = mul i64 %x24, %odd
  %x26 = mul i64 %x25, %odd
  %x27 = mul i64 %x26, %odd
  %x28 = mul i64 %x27, %odd
  %x29 = mul i64 %x28, %odd
  %x30 = mul i64 %x29, %odd
  %x31 = mul i64 %x30, %odd
  %x32 = mul i64 %x31, %odd
  %x33 = mul i64 %x32, %odd
  %x34 = mul i64 %x33, %odd
  %x35 = mul i64 %x34, %odd
  %x36 = mul i64 %x35, %odd
  %x37 = mul i64 %x36, %odd
  %x38 = mul i64 %x37, %odd
  %x39 = mul i64 %x38, %odd
  %x40 = mul i64 %x39, %odd
  %x41 = mul i64 %x40, %odd
  %x42 = mul i64 %x41, %odd
  %x43 = mul i64 %x42, %odd
  %x44 = mul i64 %x43, %odd
  %x45 = mul i64 %x44, %odd
  %x46 = mul i64 %x45, %odd
  %x47 = mul i64 %x46, %odd
  %x48 = mul i64 %x47, %odd
  %x49 = mul i64 %x48, %odd
  %x50 = mul i64 %x49, %odd
  %x51 = mul i64 %x50, %odd
  %x52 = mul i64 %x51, %odd
  %x53 = mul i64 %x52, %odd
  %x54 = mul i64 %x53, %odd
  %x55 = mul i64 %x54, %odd
  %x56 = mul i64 %x55, %odd
  %x57 = mul i64 %x56, %odd
  %x58 = mul i64 %x57, %odd
  %x59 = mul i64 %x58, %odd
  %x60 = mul i64 %x59, %odd
  %x61 = mul i64 %x60, %odd
  %x62 = mul i64 %x61, %odd
  %x63 = mul i64 %x62, %odd
  %x64 = mul i64 %x63, %odd
  %x65 = mul i64 %x64, %odd
  %x66 = mul i64 %x65, %odd
  %x67 = mul i64 %x66, %odd
  %x68 = mul i64 %x67, %odd
  %x69 = mul i64 %x68, %odd
  %sum.next = add i64 %sum, %x69
  %next = add i64 %i, %stride
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end
end:
  store i64 %sum.next, ptr %values
  ret void
}

; How long a call takes is not known.
; CHECK-LABEL: @with_call
define void @with_call(ptr %values, i64 %first, i64 %n, i64 %odd, i64 %stride) {
entry:
  br label %loop
loop:
  %i = phi i64 [ %first, %entry ], [ %next, %loop ]
  %sum = phi i64 [ 0, %entry ], [ %sum.next, %loop ]
  %at = getelementptr i8, ptr %values, i64 %i
  %at.16 = getelementptr i8, ptr %at, i64 16
  call void @callee()
  %value = load i8, ptr %at
  %value.16 = load i8, ptr %at.16
  %both = add i8 %value, %value.16
  %wide = zext i8 %both to i64
  %x0 = mul i64 %wide, %odd
  %x1 = mul i64 %x0, %odd
  %x2 = mul i64 %x1, %odd
  %x3 = mul i64 %x2, %odd
  %x4 = mul i64 %x3, %odd
  %x5 = mul i64 %x4, %odd
  %x6 = mul i64 %x5, %odd
  %x7 = mul i64 %x6, %odd
  %x8 = mul i64 %x7, %odd
  %x9 = mul i64 %x8, %odd
  %x10 = mul i64 %x9, %odd
  %x11 = mul i64 %x10, %odd
  %x12 = mul i64 %x11, %odd
  %x13 = mul i64 %x12, %odd
  %x14 = mul i64 %x13, %odd
  %x15 = mul i64 %x14, %odd
  %x16 = mul i64 %x15, %odd
  %x17 = mul i64 %x16, %odd
  %x18 = mul i64 %x17, %odd
  %x19 = mul i64 %x18, %odd
  %x20 = mul i64 %x19, %odd
  %x21 = mul i64 %x20, %odd
  %x22 = mul i64 %x21, %odd
  %x23 = mul i64 %x22, %odd
  %x24 = mul i64 %x23, %odd
  %x25 = mul i64 %x24, %odd
  %x26 = mul i64 %x25, %odd
  %x27 = mul i64 %x26, %odd
  %x28 = mul i64 %x27, %odd
  %x29 = mul i64 %x28, %odd
  %x30 = mul i64 %x29, %odd
  %x31 = mul i64 %x30, %odd
  %x32 = mul i64 %x31, %odd
  %x33 = mul i64 %x32, %odd
  %x34 = mul i64 %x33, %odd
  %x35 = mul i64 %x34, %odd
  %x36 = mul i64 %x35, %odd
  %x37 = mul i64 %x36, %odd
  %x38 = mul i64 %x37, %odd
  %x39 = mul i64 %x38, %odd
  %x40 = mul i64 %x39, %odd
  %x41 = mul i64 %x40, %odd
  %x42 = mul i64 %x41, %odd
  %x43 = mul i64 %x42, %odd
  %x44 = mul i64 %x43, %odd
  %x45 = mul i64 %x44, %odd
  %x46 = mul i64 %x45, %odd
  %x47 = mul i64 %x46, %odd
  %x48 = mul i64 %x47, %odd
  %x49 = mul i64 %x48, %odd
  %x50 = mul i64 %x49, %odd
  %x51 = mul i64 %x50, %odd
  %x52 = mul i64 %x51, %odd
  %x53 = mul i64 %x52, %odd
  %x54 = mul i64 %x53, %odd
  %x55 = mul i64 %x54, %odd
  %x56 = mul i64 %x55, %odd
  %x57 = mul i64 %x56, %odd
  %x58 = mul i64 %x57, %odd
  %x59 = mul i64 %x58, %odd
  %x60 = mul i64 %x59, %odd
  %x61 = mul i64 %x60, %odd
  %x62 = mul i64 %x61, %odd
  %x63 = mul i64 %x62, %odd
  %x64 = mul i64 %x63, %odd
  %x65 = mul i64 %x64, %odd
  %x66 = mul i64 %x65, %odd
  %x67 = mul i64 %x66, %odd
  %x68 = mul i64 %x67, %odd
  %x69 = mul i64 %x68, %odd
  %sum.next = add i64 %sum, %x69
  %next = add i64 %i, %stride
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end
end:
  store i64 %sum.next, ptr %values
  ret void
}

declare void @callee()

; Not in each round.
; CHECK-LABEL: @now_and_then
define void @now_and_then(ptr %values, i64 %first, i64 %n, i64 %odd, i64 %stride) {
entry:
  br label %loop
loop:
  %i = phi i64 [ %first, %entry ], [ %next, %latch ]
  %x0 = mul i64 %i, %odd
  %x1 = mul i64 %x0, %odd
  %x2 = mul i64 %x1, %odd
  %x3 = mul i64 %x2, %odd
  %x4 = mul i64 %x3, %odd
  %x5 = mul i64 %x4, %odd
  %x6 = mul i64 %x5, %odd
  %x7 = mul i64 %x6, %odd
  %x8 = mul i64 %x7, %odd
  %x9 = mul i64 %x8, %odd
  %x10 = mul i64 %x9, %odd
  %x11 = mul i64 %x10, %odd
  %x12 = mul i64 %x11, %odd
  %x13 = mul i64 %x12, %odd
  %x14 = mul i64 %x13, %odd
  %x15 = mul i64 %x14, %odd
  %x16 = mul i64 %x15, %odd
  %x17 = mul i64 %x16, %odd
  %x18 = mul i64 %x17, %odd
  %x19 = mul i64 %x18, %odd
  %x20 = mul i64 %x19, %odd
  %x21 = mul i64 %x20, %odd
  %x22 = mul i64 %x21, %odd
  %x23 = mul i64 %x22, %odd
  %x24 = mul i64 %x23, %odd
  %x25 = mul i64 %x24, %odd
  %x26 = mul i64 %x25, %odd
  %x27 = mul i64 %x26, %odd
  %x28 = mul i64 %x27, %odd
  %x29 = mul i64 %x28, %odd
  %x30 = mul i64 %x29, %odd
  %x31 = mul i64 %x30, %odd
  %x32 = mul i64 %x31, %odd
  %x33 = mul i64 %x32, %odd
  %x34 = mul i64 %x33, %odd
  %x35 = mul i64 %x34, %odd
  %x36 = mul i64 %x35, %odd
  %x37 = mul i64 %x36, %odd
  %x38 = mul i64 %x37, %odd
  %x39 = mul i64 %x38, %odd
  %x40 = mul i64 %x39, %odd
  %x41 = mul i64 %x40, %odd
  %x42 = mul i64 %x41, %odd
  %x43 = mul i64 %x42, %odd
  %x44 = mul i64 %x43, %odd
  %x45 = mul i64 %x44, %odd
  %x46 = mul i64 %x45, %odd
  %x47 = mul i64 %x46, %odd
  %x48 = mul i64 %x47, %odd
  %x49 = mul i64 %x48, %odd
  %x50 = mul i64 %x49, %odd
  %x51 = mul i64 %x50, %odd
  %x52 = mul i64 %x51, %odd
  %x53 = mul i64 %x52, %odd
  %x54 = mul i64 %x53, %odd
  %x55 = mul i64 %x54, %odd
  %x56 = mul i64 %x55, %odd
  %x57 = mul i64 %x56, %odd
  %x58 = mul i64 %x57, %odd
  %x59 = mul i64 %x58, %odd
  %x60 = mul i64 %x59, %odd
  %x61 = mul i64 %x60, %odd
  %x62 = mul i64 %x61, %odd
  %x63 = mul i64 %x62, %odd
  %x64 = mul i64 %x63, %odd
  %x65 = mul i64 %x64, %odd
  %x66 = mul i64 %x65, %odd
  %x67 = mul i64 %x66, %odd
  %x68 = mul i64 %x67, %odd
  %x69 = mul i64 %x68, %odd
  %is.odd = trunc i64 %x69 to i1
  br i1 %is.odd, label %then, label %latch
then:
  %at = getelementptr i8, ptr %values, i64 %i
  %value = load i8, ptr %at
  store i8 %value, ptr %values
  br label %latch
latch:
  %next = add i64 %i, %stride
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}
