; RUN: opt -passes=loop-unroll-full %s -S -o %t
; RUN: not timeout 4 llc -O3 %t -o /dev/null
; RUN: lockstep-opt -passes=break-long-sums %t | timeout 60 llc -O3 -o /dev/null
; Stock LLVM needs half a minute; with the pass, the same takes milliseconds. A failure of the second line means that LLVM
; no longer needs break-long-sums.
;
; For a report upstream: LoopStrengthReduce takes time by the fourth power of the length of a chain of sums, each of which
; is used. GenerateReassociations tries each term of a sum apart from the others, and each other one beside it, so a use
; gets as many formulae as the square of its terms. Its bound on the depth (log2 of the terms, by 4) ends at two levels,
; and terms that are unknown in each round are passed over only if they are a SCEVUnknown: (zext i8 %x) and (-1 * %x) are not.
target triple = "x86_64-unknown-linux-gnu"

define void @sums(ptr %p, ptr %q, i64 %n) {
entry:
  br label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %next, %add.end ]
  br label %add

add:
  %k = phi i64 [ 0, %loop ], [ %k.next, %add ]
  %so.far = phi i64 [ %i, %loop ], [ %sum, %add ]
  %address = getelementptr i8, ptr %p, i64 %k
  %byte = load volatile i8, ptr %address
  %term = zext i8 %byte to i64
  %sum = add i64 %so.far, %term
  store volatile i64 %sum, ptr %q
  %k.next = add nuw nsw i64 %k, 1
  %add.more = icmp ult i64 %k.next, 160
  br i1 %add.more, label %add, label %add.end, !llvm.loop !0

add.end:
  %next = add nuw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end

end:
  ret void
}

!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.unroll.full"}
