//! From many rounds to one number.
//!
//! On a machine that others use, times move from round to round by more than the differences that
//! are looked for. So two builds are compared within a round, and the median of these comparisons
//! counts.

/// What all rounds say about one row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Spread {
    pub(crate) median: f64,
    pub(crate) min: f64,
    pub(crate) max: f64,
}

impl Spread {
    /// Of at least one value.
    pub(crate) fn of(values: impl IntoIterator<Item = f64>) -> Option<Self> {
        let mut values: Vec<f64> = values.into_iter().collect();
        values.sort_by(f64::total_cmp);
        let (min, max) = (*values.first()?, *values.last()?);
        let middle = values.len() / 2;
        let median = if values.len() % 2 == 1 {
            values[middle]
        } else {
            f64::midpoint(values[middle - 1], values[middle])
        };
        Some(Self { median, min, max })
    }
}

/// The median of what `compare` says of the values that the two rows have in the same round.
pub(crate) fn compared(
    row: &[f64],
    other: &[f64],
    compare: impl Fn(f64, f64) -> f64,
) -> Option<f64> {
    let pairs = row.iter().zip(other);
    Spread::of(pairs.map(|(&row, &other)| compare(row, other))).map(|spread| spread.median)
}

/// Without the digits that only binary fractions have.
pub(crate) fn rounded(value: f64) -> f64 {
    (value * 1e6).round() / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_of_odd_and_even() {
        assert_eq!(Spread::of([3.0, 1.0, 9.0]), Some(Spread { median: 3.0, min: 1.0, max: 9.0 }));
        assert_eq!(Spread::of([4.0, 2.0]), Some(Spread { median: 3.0, min: 2.0, max: 4.0 }));
        assert_eq!(Spread::of([]), None);
    }

    #[test]
    fn a_ratio_is_taken_within_a_round() {
        // The medians are 20 and 10; but in each round but one the rows are alike.
        let ratio = compared(&[5.0, 20.0, 40.0], &[5.0, 10.0, 40.0], |row, other| row / other);
        assert_eq!(ratio, Some(1.0));
    }
}
