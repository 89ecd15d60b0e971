//! Names of a matrix's rows and columns, where a table has them before its entries.

use super::{Row, Table, is_nothing, without_decimal};
use crate::error::Result;
use crate::text::quote;

impl Table<'_> {
    /// The first row that is called otherwise than its column, with what that is called.
    pub fn other_name(&self) -> Option<(&Row, &String)> {
        let mut named = self.rows[1..].iter().zip(&self.rows[0].fields[1..]);
        named.find(|(row, head)| without_decimal(&row.fields[0]) != without_decimal(head))
    }

    /// Whether there is a row for each column, called the same in any order.
    pub fn is_named_square(&self) -> bool {
        let (heads, rows) = (&self.rows[0].fields[1..], &self.rows[1..]);
        if heads.len() != rows.len() {
            return false;
        }
        let mut of_rows: Vec<&str> = rows.iter().map(|row| without_decimal(&row.fields[0])).collect();
        let mut of_columns: Vec<&str> = heads.iter().map(|head| without_decimal(head)).collect();
        of_rows.sort();
        of_columns.sort();
        of_rows == of_columns
    }

    /// Checks that the first row and the first column are names of a matrix, and the same in the same order. Numbers below a corner that says nothing
    /// may be entries: with `entries`, where the diagonal counts, they are names where they grow, or where it says nothing.
    pub fn same_names(&self, entries: bool) -> Result<()> {
        let (heads, rows) = (&self.rows[0].fields[1..], &self.rows[1..]);
        let names: Vec<&str> = heads.iter().chain(rows.iter().map(|row| &row.fields[0])).map(String::as_str).collect();
        let is_word = |name: &&str| !name.is_empty() && self.number(name).is_none();
        let counts =
            |base: usize| rows.iter().enumerate().all(|(index, row)| row.fields[0] == (base + index).to_string());
        if is_nothing(&self.rows[0].fields[0]) && !names.iter().any(is_word) && !counts(0) && !counts(1) {
            let diagonal = || rows.iter().enumerate().map(|(index, row)| &row.fields[1 + index]);
            let says_nothing = |field: &String| is_nothing(field) || self.number(field) == Some(0.0);
            let numbers: Vec<f64> = rows.iter().filter_map(|row| self.number(&row.fields[0])).collect();
            let mut different = names[heads.len()..].to_vec();
            different.sort();
            different.dedup();
            let are_names = numbers.len() == rows.len() && different.len() == rows.len() && self.other_name().is_none();
            let either = "the first line and the first column may be names or weights";
            if diagonal().all(String::is_empty) && !names.contains(&"") {
                let message = format!(
                    "{either}, since the whole diagonal is blank: write 0 there, and in the corner only if they are weights"
                );
                return Err(self.error(self.rows[0].line, message));
            }
            let grow = numbers.is_sorted_by(|a, b| a < b);
            if entries && !(are_names && (grow || diagonal().all(says_nothing))) {
                let message = format!(
                    "{either}: if they are names, write the same ones in both, each once, and a word such as name in the corner; if they are \
                     weights, write 0 in the corner"
                );
                return Err(self.error(self.rows[0].line, message));
            }
        }
        match self.other_name() {
            Some((row, head)) => {
                let [row_is, column_is] = [&row.fields[0], head].map(|name| quote(name));
                let message =
                    format!("the row is called {row_is} and its column {column_is}: name both in the same order");
                Err(self.error(row.line, message))
            }
            None => Ok(()),
        }
    }
}
