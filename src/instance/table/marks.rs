//! Marks of decimals and of thousands.

/// How the numbers read so far are written.
#[derive(Default)]
pub(super) struct Marks {
    /// One whose decimals come after a comma, and one whose decimals come after a point.
    pub decimals: [Option<String>; 2],
    /// Those that may have thousands: one to three digits, a mark, three digits. One of them, and how many.
    pub groups: Option<(String, usize)>,
    pub grouped: usize,
    /// One below 1,000 without a mark.
    pub small: Option<String>,
    /// Whether there is one that cannot have thousands: other decimals, or a greater one without a mark.
    pub others: bool,
}

impl Marks {
    /// Looks at one more number.
    pub fn note(&mut self, field: &str, line: usize) {
        let digits = field.trim_start_matches(['+', '-']);
        let is_whole = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        match digits.split_once([',', '.']) {
            // 0 is written so either way.
            None if digits == "0" => {}
            None if is_whole(digits) && digits.len() < 4 => _ = self.small.get_or_insert_with(|| field.to_owned()),
            Some((before, behind))
                if is_whole(before)
                    && is_whole(behind)
                    && (1..4).contains(&before.len())
                    && !before.starts_with('0')
                    && behind.len() == 3 =>
            {
                self.groups.get_or_insert_with(|| (field.to_owned(), line));
                self.grouped += 1;
            }
            _ => self.others = true,
        }
    }
}
