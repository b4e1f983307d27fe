//! Modifiers of PTX instructions: known modifiers, and refused modifiers.

use gpusched::gpu::import::ptx::{Instruction, PtxError, check_modifiers};

/// Opcodes from the examples of the PTX ISA.
const KNOWN: &str = "add.cc.u32 add.sat.s32 add.rn.f16x2 atom.add.noftz.bf16x2 atom.global.acquire.sys.inc.u32 \
    atom.global.add.L2::cache_hint.s32 atom.global.b128.exch atom.global.v4.b16x2.min.noftz atom.shared::cta.max.u32 \
    bar.cta.red.popc.u32 bra.uni cvt.rs.satfinite.e2m1x4.f32 cvt.rn.relu.satfinite.bf16x2.f32 cvt.rzi.s32.f32 \
    cvta.to.global.u64 ex2.approx.ftz.f32 fence.acq_rel.gpu fma.rn.relu.f16 ld.global.nc.L1::no_allocate.L2::256B.v4.f32 \
    ld.relaxed.gpu.global.u32 lop3.or.b32 mad.lo.cc.u32 madc.hi.u32 match.any.sync.b32 membar.gl min.NaN.xorsign.abs.f32 \
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 mul.wide.u32 redux.sync.add.s32 setp.lt.and.f32 \
    shf.l.wrap.b32 shfl.sync.bfly.b32 st.release.sys.global.u32 testp.infinite.f32 vote.sync.ballot.b32 \
    wmma.load.a.sync.aligned.m16n16k16.row.f16";

fn told(opcode: &str) -> Result<(), PtxError> {
    check_modifiers(&Instruction {
        line: 1,
        guard: None,
        opcode: opcode.split('.').map(str::to_owned).collect(),
        operands: Vec::new(),
    })
}

#[test]
fn modifiers_of_the_manual_are_known_and_others_are_not() {
    for opcode in KNOWN.split_whitespace() {
        told(opcode).unwrap_or_else(|error| panic!("{opcode}: {error}"));
        let wrong = format!("{opcode}.foo");
        let refused = told(&wrong).is_err_and(|error| error.unknown_modifier);
        assert_eq!(refused, !opcode.starts_with("wmma.load"), "{wrong}");
    }
}
