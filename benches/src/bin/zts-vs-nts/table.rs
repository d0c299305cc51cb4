//! Tables for people: the first column to the left, numbers to the right.

use std::fmt;

/// A table that grows row by row.
#[derive(Debug)]
pub(crate) struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    pub(crate) fn new<const N: usize>(head: [&str; N]) -> Self {
        Self { rows: vec![head.map(str::to_owned).to_vec()] }
    }

    pub(crate) fn row<const N: usize>(&mut self, cells: [String; N]) {
        self.rows.push(cells.to_vec());
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let width = |column: usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(column));
            cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..columns).map(width).collect();
        for (number, row) in self.rows.iter().enumerate() {
            for (column, (cell, &width)) in row.iter().zip(&widths).enumerate() {
                match column {
                    0 => write!(f, "{cell:<width$}")?,
                    _ => write!(f, "  {cell:>width$}")?,
                }
            }
            writeln!(f)?;
            if number == 0 {
                let line = widths.iter().sum::<usize>() + 2 * widths.len().saturating_sub(1);
                writeln!(f, "{}", "─".repeat(line))?;
            }
        }
        Ok(())
    }
}

/// A number with about three digits that say something; nothing for nothing.
pub(crate) fn number(value: Option<f64>) -> String {
    match value {
        None => "–".to_owned(),
        // Not "-0.00".
        Some(value) if value.abs() < 0.005 => "0.00".to_owned(),
        Some(value) if value.abs() < 100.0 => format!("{value:.2}"),
        Some(value) => format!("{value:.0}"),
    }
}

/// Instructions are whole, but for what a thread does once: that varies with its neighbours.
pub(crate) fn count(instructions: Option<f64>) -> String {
    instructions.map_or_else(|| number(None), |instructions| format!("{instructions:.0}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned() {
        let mut table = Table::new(["row", "ns"]);
        table.row(["zts-static".into(), number(Some(1.366))]);
        table.row(["vm".into(), number(Some(130_000.4))]);
        table.row(["less".into(), number(Some(-0.004))]);
        table.row(["–".into(), number(None)]);
        let expected = "\
row             ns
──────────────────
zts-static    1.37
vm          130000
less          0.00
–                –
";
        assert_eq!(table.to_string(), expected);
    }
}
