//! Windows over several segments of a job. The full number of systems is a documented command: `gpusched validate --end-to-end
//! --systems 1000000`, also with `--time-sliced`.
//!
//! * `reference`: a slow implementation of the equations, with wrong variants;
//! * `wrong`: runs of random systems above the wrong variants;
//! * `examples`: systems with known bounds.

mod examples;
mod reference;
mod wrong;
