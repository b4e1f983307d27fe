//! A set of ports of a crossbar.

/// Numbers from 0 to 127.
#[derive(Debug, Clone, Copy, Default)]
pub struct Ports(u128);

impl Ports {
    /// The ports whose bits are set.
    pub fn of_bits(bits: u128) -> Self {
        Self(bits)
    }

    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// `port` is one of them, or is not.
    pub fn set(&mut self, port: usize, member: bool) {
        self.0 = self.0 & !(1 << port) | u128::from(member) << port;
    }

    /// Those of both sets.
    pub fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The ports, ascending.
    pub fn iter(self) -> impl Iterator<Item = usize> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            let port = rest.trailing_zeros() as usize;
            (rest != 0).then(|| {
                rest &= rest - 1;
                port
            })
        })
    }
}
