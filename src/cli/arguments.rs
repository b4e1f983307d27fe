//! The arguments that several commands understand.

mod device;
mod global;
mod names;
mod pairs;
mod question;
pub mod seed;
mod values;

pub use device::{device, offer};
pub use global::{Format, Global};
pub use names::{named, one_of, policy};
pub use pairs::{check_as_many, pairs};
pub use question::{Answer, Case, Question, naming, one_gpu, platform};
pub use values::{number, refused, whole};
