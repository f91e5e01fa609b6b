; RUN: not --crash llc -O3 %s -o /dev/null 2>&1 | FileCheck %s
; LLVM makes a table of registers that are longer than it assumes. A failure here means that LLVM no longer needs
; hide-mask-truncations. The text of a report is docs/upstream/llvm-aarch64-sve-mask-table.md.
; CHECK: Cannot select: {{.*}}: v16i8 = bitcast
target triple = "aarch64-linux-gnu"

define <16 x i16> @mask(ptr %p, <16 x i16> %x) vscale_range(4,4) "target-features"="+sve" {
  %all = load <80 x i16>, ptr %p
  %fifth = shufflevector <80 x i16> %all, <80 x i16> poison, <16 x i32> <i32 0, i32 5, i32 10, i32 15, i32 20, i32 25, i32 30, i32 35, i32 40, i32 45, i32 50, i32 55, i32 60, i32 65, i32 70, i32 75>
  %mask = trunc <16 x i16> %fifth to <16 x i1>
  %r = select <16 x i1> %mask, <16 x i16> %x, <16 x i16> zeroinitializer
  ret <16 x i16> %r
}
