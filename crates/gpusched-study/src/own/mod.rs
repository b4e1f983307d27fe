//! Algorithms, generators and metrics of the user, outside gpusched.
//!
//! An [`OwnAlgorithm`] is a Rust type or closure that answers a [`Question`] about one task set. It may state only whether the
//! task set is schedulable, or state partitions, which gpusched tests ([`Answer`]). A [`Registry`] adds such algorithms to a
//! study ([`Spec::read_with`](crate::Spec::read_with)), and [`plan`] returns the plan of one task set.
//!
//! A program in another language is a command: it reads a line of JSON per task set and answers with a line. Questions,
//! answers and tests are the same. In this folder, `question` and `answer` define the data, `registry` the algorithms in
//! Rust, `child` one process, and `command` the processes of a program.

mod answer;
mod child;
mod command;
mod question;
mod registry;

pub use answer::{Answer, Fault, Judged, OwnAlgorithm, plan, takes_panic};
pub(crate) use answer::{asked, judged, refused, rejection};
pub(crate) use command::{Command, Questions, Session};
pub(crate) use question::Outcome;
pub use question::{Origin, Question};
pub use registry::Registry;
