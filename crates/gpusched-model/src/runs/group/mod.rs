//! Groups of concurrent kernels that run on disjoint SMs and share one memory. `predict` reads
//! groups.

mod kernel;
mod platform;

pub use kernel::{GroupKernel, ProfileSource};
pub use platform::MemoryPlatform;

use crate::Refusal;
use crate::reader::{Document, Fault, from_json};
use serde::{Deserialize, Serialize};

use crate::MemoryProfile;

/// Maximum number of kernels of one group.
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

/// A group as written in a JSON file.
#[derive(Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, expecting = "a group: an object with a list \"kernels\"")]
#[cfg_attr(feature = "schema", schemars(rename = "Group"))]
struct GroupShape {
    /// Name for display.
    #[serde(default)]
    name: Option<String>,
    /// GPU on which the group runs, with the parameters of its memory.
    #[serde(default)]
    platform: MemoryPlatform,
    /// Kernels of the group. Together, the kernels must not use more SMs than the platform has.
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = MAX_KERNELS)))]
    kernels: Vec<GroupKernel>,
}

impl Group {
    /// Creates a group of `kernels`.
    ///
    /// # Errors
    /// Fails if a parameter of the platform is impossible, or if the number of kernels is outside
    /// 1 to [`MAX_KERNELS`]. Also fails if the kernels use more SMs than the platform has.
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
                    0 => format!(
                        "no further kernel, because the earlier kernels use all {} SMs of the platform",
                        platform.sms
                    ),
                    _ => format!(
                        "1 to {free}, the number of free SMs of the platform with {} SMs",
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

    /// Returns the name of the group, or `None` if the group has no name.
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// Returns the GPU of the group.
    pub fn platform(&self) -> &MemoryPlatform {
        &self.platform
    }

    /// Returns the kernels of the group; at least one.
    pub fn kernels(&self) -> &[GroupKernel] {
        &self.kernels
    }

    /// In each kernel, replaces the name of a memory profile by the profile itself. The arguments of `find` are the
    /// position of the kernel in the group, and the name of a published profile or of a file.
    ///
    /// # Errors
    /// Fails if `find` fails.
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

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Group {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        GroupShape::schema_name()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        GroupShape::json_schema(generator)
    }
}
