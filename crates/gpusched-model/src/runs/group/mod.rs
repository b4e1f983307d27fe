//! Kernels that run side by side, each on SMs of its own, before one memory: what `predict` reads.

mod kernel;
mod platform;

pub use kernel::{GroupKernel, ProfileSource};
pub use platform::MemoryPlatform;

use crate::Refusal;
use crate::reader::{Document, Fault, from_json};
use serde::{Deserialize, Serialize};

use crate::MemoryProfile;

/// The most kernels of one group.
pub const MAX_KERNELS: usize = 1024;

/// Kernels that start together on disjoint sets of SMs.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(try_from = "GroupShape")]
pub struct Group {
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    platform: MemoryPlatform,
    kernels: Vec<GroupKernel>,
}

/// A group in the shape of the file.
#[derive(Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a group: an object with a list \"kernels\"")]
#[schemars(rename = "Group")]
struct GroupShape {
    /// For people.
    #[serde(default)]
    name: Option<String>,
    /// The GPU, as far as its memory goes.
    #[serde(default)]
    platform: MemoryPlatform,
    /// The kernels; their SMs are at most those of the platform, together.
    #[schemars(length(min = 1, max = MAX_KERNELS))]
    kernels: Vec<GroupKernel>,
}

impl Group {
    /// A group of `kernels`.
    ///
    /// # Errors
    /// [`Refusal`] for a platform that cannot be, no kernel or more than [`MAX_KERNELS`], and more SMs than there are.
    pub fn new(
        name: Option<String>,
        platform: MemoryPlatform,
        kernels: Vec<GroupKernel>,
    ) -> Result<Group, Refusal> {
        platform.check()?;
        if !(1..=MAX_KERNELS).contains(&kernels.len()) {
            let found = format!("{} kernels", kernels.len());
            Refusal::refuse("kernels", found, format!("1 to {MAX_KERNELS}"))?;
        }
        let mut free = platform.sms;
        for (index, kernel) in kernels.iter().enumerate() {
            let sms = kernel.sms;
            if sms == 0 || sms > free {
                let expected = match free {
                    0 => format!("none: the {} SMs of the platform are taken", platform.sms),
                    _ => format!(
                        "1 to {free}, those of the platform's {} that are left",
                        platform.sms
                    ),
                };
                Refusal::refuse(format!("kernels[{index}].sms"), sms, expected)?;
            }
            free -= sms;
        }
        Ok(Group {
            name,
            platform,
            kernels,
        })
    }

    /// The name, if it has one.
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// The GPU.
    pub fn platform(&self) -> &MemoryPlatform {
        &self.platform
    }

    /// The kernels; at least one.
    pub fn kernels(&self) -> &[GroupKernel] {
        &self.kernels
    }

    /// The same group with the profiles that `find` has for those given by name, which are published or in files.
    ///
    /// # Errors
    /// Those of `find`, which gets the position of the kernel, too.
    pub fn resolved<E>(
        mut self,
        mut find: impl FnMut(usize, &str) -> Result<MemoryProfile, E>,
    ) -> Result<Group, E> {
        for (index, kernel) in self.kernels.iter_mut().enumerate() {
            if let ProfileSource::Named(name) = &kernel.profile {
                kernel.profile = ProfileSource::Profile(Box::new(find(index, name)?));
            }
        }
        Ok(self)
    }
}

impl TryFrom<GroupShape> for Group {
    type Error = Refusal;

    fn try_from(shape: GroupShape) -> Result<Group, Refusal> {
        Group::new(shape.name, shape.platform, shape.kernels)
    }
}

impl Document for Group {
    const EXPECTED: &str = "a group: an object such as {\"kernels\":[{\"profile\":…,\"sms\":5},…]}";

    fn from_json(text: &str) -> Result<Group, Fault> {
        from_json::<GroupShape, _>(text)
    }
}

impl schemars::JsonSchema for Group {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        GroupShape::schema_name()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        GroupShape::json_schema(generator)
    }
}
