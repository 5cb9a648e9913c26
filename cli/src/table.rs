//! Tables of aligned columns.

/// The longest cell that is printed whole, in characters.
const MAX_WIDTH: usize = 40;

/// Rows below a header.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    header: Vec<String>,
    rows: Vec<Vec<String>>,
    /// Whether a column is aligned to the right, as numbers are.
    right: Vec<bool>,
    /// The least widths of the columns.
    widths: Vec<usize>,
    /// The longest cell that is printed whole.
    longest: usize,
}

impl Table {
    pub(crate) fn new<S: Into<String>>(header: impl IntoIterator<Item = S>) -> Self {
        let header: Vec<String> = header.into_iter().map(Into::into).collect();
        Self {
            right: vec![false; header.len()],
            widths: vec![0; header.len()],
            rows: Vec::new(),
            longest: MAX_WIDTH,
            header,
        }
    }

    /// Prints all cells whole.
    pub(crate) fn whole(mut self) -> Self {
        self.longest = usize::MAX;
        self
    }

    /// Aligns columns to the right.
    pub(crate) fn right(mut self, columns: impl IntoIterator<Item = usize>) -> Self {
        for column in columns {
            if let Some(right) = self.right.get_mut(column) {
                *right = true;
            }
        }
        self
    }

    pub(crate) fn push(&mut self, row: Vec<String>) {
        self.rows.push(row);
    }

    fn measure(&mut self) {
        for row in self.rows.iter().chain([&self.header]) {
            for (width, cell) in self.widths.iter_mut().zip(row) {
                *width = (*width).max(shortened(cell, self.longest).chars().count());
            }
        }
    }

    fn line(&self, row: &[String]) -> String {
        let columns = row.iter().zip(self.widths.iter().zip(&self.right));
        let cells = columns.map(|(cell, (width, right))| {
            let cell = shortened(cell, self.longest);
            if *right {
                format!("{cell:>width$}")
            } else {
                format!("{cell:<width$}")
            }
        });
        let line = cells.collect::<Vec<_>>().join("  ");
        format!("{}\n", line.trim_end())
    }

    /// Returns the header and the rows.
    pub(crate) fn text(mut self) -> String {
        self.measure();
        let header = self.header();
        header + &self.drain()
    }

    fn header(&self) -> String {
        let rules = self.widths.iter().map(|width| "-".repeat(*width));
        let rules: Vec<String> = rules.collect();
        self.line(&self.header) + &self.line(&rules)
    }

    /// Returns the rows that were added since the last call, without the header except in the first
    /// call. Widths grow with later rows.
    pub(crate) fn part(&mut self, first: bool) -> String {
        self.measure();
        let header = if first { self.header() } else { String::new() };
        header + &self.drain()
    }

    fn drain(&mut self) -> String {
        let rows = std::mem::take(&mut self.rows);
        rows.iter().map(|row| self.line(row)).collect()
    }
}

/// Returns a text with spaces for line breaks and tabs, and escapes for other control characters,
/// with which stored texts could change the terminal.
pub(crate) fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\n' | '\r' | '\t' => plain.push(' '),
            character if character.is_control() => plain.extend(character.escape_default()),
            character => plain.push(character),
        }
    }
    plain
}

/// Returns a cell, or its beginning if it has more than `longest` characters.
fn shortened(cell: &str, longest: usize) -> String {
    let plain = plain(cell);
    if plain.chars().count() <= longest {
        return plain;
    }
    let start: String = plain.chars().take(longest - 1).collect();
    format!("{start}…")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let mut table = Table::new(["name", "n"]).right([1]);
        table.push(vec!["a\nb".into(), "1".into()]);
        table.push(vec!["longer".into(), "1000".into()]);
        let text = "name       n\n------  ----\na b        1\nlonger  1000\n";
        assert_eq!(table.text(), text);
    }

    #[test]
    fn long_cells_are_shortened() {
        let text = shortened(&"ä".repeat(50), MAX_WIDTH);
        assert_eq!(text.chars().count(), MAX_WIDTH);
        assert!(text.ends_with('…'));
        assert_eq!(shortened(&text, usize::MAX), text);
    }

    #[test]
    fn control_characters_are_escaped() {
        assert_eq!(plain("a\tb\x1b[31mc\u{9b}"), "a b\\u{1b}[31mc\\u{9b}");
    }
}
