//! Arguments that several commands share.

mod global;
mod gpu;
mod memory;
mod names;
pub mod notes;
mod overheads;
mod pairs;
mod request;
pub mod seed;
mod time_sharing;
mod values;

pub use global::{Format, Global, stated};
pub use gpu::{Gpu, NEXT, device, offer, platform};
pub use memory::{Memory, memory_rates};
pub use names::{Either, either, named, one_of, policy};
pub use overheads::{StatedOverheads, overheads};
pub use pairs::{check_as_many, pairs};
pub use request::{Answer, Case, Request, default_interference, naming};
pub use time_sharing::TimeSharing;
pub use values::{number, refused, whole};
