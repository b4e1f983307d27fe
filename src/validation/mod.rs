//! Analysis against simulation: the only module that knows both.
//!
//! * [`system`]: what an analysis looked at, as the simulator runs it.

pub mod system;
