//! WCET margin of a plan as text. The margin is the largest common factor by which all WCETs may grow.

use gpusched_model::plan::{LARGEST_SCALING, Margin};

/// Returns a line with the WCET margin of the plan, and with an upper limit on the margin of every plan.
pub(super) fn line(margin: &Margin) -> String {
    let found = times(margin.wcet_scaling_permille);
    let limit = match margin.at_most_permille {
        LARGEST_SCALING.. if margin.is_largest() => String::new(),
        LARGEST_SCALING.. => "; no limit for other plans is proven".to_owned(),
        _ if margin.is_largest() => "; no plan allows a larger factor".to_owned(),
        permille => {
            let gap = margin.gap_thousandths_of_percent();
            format!(
                "; no plan allows more than {}, gap {}.{:03} %",
                times(permille),
                gap / 1000,
                gap % 1000
            )
        }
    };
    format!("\nWCET margin: all WCETs may grow together to {found}{limit}\n")
}

/// Returns a factor in thousandths as text.
pub fn times(permille: u64) -> String {
    match permille {
        LARGEST_SCALING.. => format!("{} times or more", LARGEST_SCALING / 1000),
        _ => format!("{}.{:03} times", permille / 1000, permille % 1000),
    }
}
