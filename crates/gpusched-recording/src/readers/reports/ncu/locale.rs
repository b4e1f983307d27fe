//! Decimal marks of numbers. Nsight Compute formats numbers by the locale of the user.

/// Decimal mark, if the numbers of the file show it.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Locale {
    /// At least one number is valid only with a decimal point, such as `2.33`.
    point: bool,
    /// At least one number is valid only with a decimal comma, such as `2,33`.
    comma: bool,
}

impl Locale {
    /// Learns the decimal mark from a number, if the number shows it.
    pub fn see(&mut self, text: &str) {
        let numeric = text
            .bytes()
            .all(|byte| byte.is_ascii_digit() || b"., '-".contains(&byte) || byte >= 0x80);
        let marks: Vec<(usize, char)> = text
            .char_indices()
            .filter(|(_, c)| matches!(c, '.' | ','))
            .collect();
        let (Some(&(first, mark)), Some(&(last, end))) = (marks.first(), marks.last()) else {
            return;
        };
        if !numeric {
            return;
        }
        // Several equal marks separate thousands. A single mark before three digits is ambiguous: it can be a decimal
        // mark, or separate thousands.
        let digits = text.len() - last - 1;
        let decimal = match (mark == end, marks.len()) {
            (false, _) => Some(end),
            (true, 1) if digits != 3 || first > 3 || text.starts_with('0') => Some(end),
            (true, 1) => None,
            (true, _) => Some(if end == '.' { ',' } else { '.' }),
        };
        match decimal {
            Some('.') => self.point = true,
            Some(_) => self.comma = true,
            None => {}
        }
    }

    /// Converts `text` to a number with a decimal point and without marks between thousands.
    ///
    /// # Errors
    /// Fails with a message if the numbers of the file do not show the decimal mark, or if they show two different
    /// marks.
    pub fn plain(self, text: &str) -> Result<String, &'static str> {
        let digits = |keep: char| -> String {
            let kept = text
                .chars()
                .filter(|&c| c.is_ascii_digit() || c == keep || c == '-');
            kept.map(|c| if c == keep { '.' } else { c }).collect()
        };
        match (self.point, self.comma) {
            _ if !text.contains(['.', ',']) => Ok(digits('.')),
            (true, false) => Ok(digits('.')),
            (false, true) => Ok(digits(',')),
            (true, true) => Err("numbers with one decimal mark in the whole file"),
            (false, false) => {
                Err("a number whose decimal mark is clear, for example with `--print-units base`")
            }
        }
    }
}
