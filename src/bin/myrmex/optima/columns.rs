//! The columns of a table of optima: those of names and of costs.

use csv::ReaderBuilder;

/// Titles of columns of names, as [`plain`] gives them.
const NAMES: [&str; 4] = ["name", "instance", "problem", "file"];
/// Titles of columns of optima. Each of the first ones goes before the others.
const OPTIMA: [&str; 3] = ["optimum", "optimal", "opt"];
const COSTS: [&str; 7] = ["best", "bestknown", "bks", "cost", "length", "value", "objective"];

/// What to do where several columns may have the optima.
const REMEDY: &str = "title the column of optima 'optimum'";

/// Where a line has the name of an instance and its optimum.
pub struct Columns {
    name: usize,
    cost: usize,
    /// How many columns have titles; 0 without titles.
    titles: usize,
}

impl Default for Columns {
    fn default() -> Self {
        Self { name: 0, cost: 1, titles: 0 }
    }
}

impl Columns {
    /// The columns as the first line of a table titles them, or else the first two.
    ///
    /// # Errors
    /// What to do where titles do not say which column has the optima.
    pub fn of(first: &str, below: &[&str]) -> Result<Self, String> {
        let titles: Vec<String> = cells(first).iter().map(|title| plain(title)).collect();
        let is_known = |title: &String| [&NAMES[..], &OPTIMA, &COSTS].iter().any(|all| all.contains(&title.as_str()));
        if titles.len() < 2 || !titles.iter().any(is_known) || cells(first).iter().any(|cell| number(cell).is_some()) {
            return Ok(Self::default());
        }
        let titled = |known: &[&str]| {
            let is_one = |&at: &usize| known.contains(&titles[at].as_str());
            (0..titles.len()).filter(is_one).collect::<Vec<_>>()
        };
        let named = titled(&NAMES).first().copied();
        let others = || (0..titles.len()).filter(|&at| at != named.unwrap_or(0));
        let has_numbers = |&at: &usize| {
            let all =
                || below.iter().map(|line| cells(line)).filter(|cells| cells.get(at).is_some_and(|it| !it.is_empty()));
            all().next().is_some() && all().all(|cells| number(&cells[at]).is_some())
        };
        let found = match (titled(&OPTIMA), titled(&COSTS)) {
            (best, _) if !best.is_empty() => best,
            (_, costs) if !costs.is_empty() => costs,
            _ if titles.len() == 2 => others().collect(),
            _ => others().filter(has_numbers).collect(),
        };
        match found[..] {
            // Where no title says which one has the names it is the first of the others.
            [cost] => Ok(Self { name: named.unwrap_or(usize::from(cost == 0)), cost, titles: titles.len() }),
            [] => Err(format!("no column is known to have the optima: {REMEDY}")),
            [one, other, ..] => {
                let shown = cells(first);
                Err(format!("columns '{}' and '{}' may both have the optima: {REMEDY}", shown[one], shown[other]))
            }
        }
    }

    /// Whether the first line has titles.
    pub fn has_titles(&self) -> bool {
        self.titles > 0
    }

    /// The name and the optimum in a line.
    ///
    /// # Errors
    /// What is wrong with the line.
    pub fn entry(&self, line: &str) -> Result<(String, f64), String> {
        let mut cells = cells(line);
        if !self.has_titles() {
            // Tabs that align columns make empty ones.
            cells.retain(|cell| !cell.is_empty());
        }
        let expected = "expected the name of an instance and its optimum, as 'berlin52,7542'";
        let (Some(name), Some(cost)) = (cells.get(self.name).filter(|name| !name.is_empty()), cells.get(self.cost))
        else {
            return Err(expected.into());
        };
        if let Some(number) = self.grouped(line, cost) {
            return Err(format!("'{number}' has commas between its digits: leave them out"));
        }
        match number(cost) {
            Some(number) => Ok((name.clone(), number)),
            None if cost.is_empty() => Err(format!("{name} has no optimum: fill it in, or leave the line out")),
            None => {
                let blanks = delimiter(line).is_none() && cells.iter().skip(2).any(|cell| number(cell).is_some());
                let hint = if blanks { "; put a comma behind a name with blanks" } else { "" };
                Err(format!("'{cost}' is no optimum of {name}: expected a number{hint}"))
            }
        }
    }

    /// A number of the line whose digits commas group, where it is the cost or a comma has parted it.
    fn grouped(&self, line: &str, cost: &str) -> Option<String> {
        if is_grouped(cost) {
            return Some(cost.to_owned());
        }
        let cells = if delimiter(line) == Some(b',') { separated(line, b',') } else { return None };
        if self.has_titles() && cells.len() <= self.titles {
            return None;
        }
        let begins_with_blank = |cell: &str| cell.starts_with(char::is_whitespace);
        let joined = |at: usize| {
            let [before, behind] = [cells.get(at)?, cells.get(at + 1)?];
            let number = format!("{},{}", before.split_whitespace().next_back()?, behind.split_whitespace().next()?);
            // Within a cell, or behind the blank that follows a comma.
            let begins = match at == self.cost {
                true => self.has_titles() || begins_with_blank(before),
                false => before.trim().contains(char::is_whitespace),
            };
            (begins && !begins_with_blank(behind) && is_grouped(&number)).then_some(number)
        };
        joined(self.cost).or_else(|| joined(self.cost.checked_sub(1)?))
    }
}

/// A title in small letters without what parts its words.
fn plain(title: &str) -> String {
    title.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// The number that a cell is.
fn number(cell: &str) -> Option<f64> {
    cell.parse().ok().filter(|number: &f64| number.is_finite())
}

/// What stands between the cells of a line: of commas, semicolons and tabs the one that comes first outside of quotes.
fn delimiter(line: &str) -> Option<u8> {
    let mut quoted = false;
    line.bytes().find(|byte| {
        quoted ^= *byte == b'"';
        !quoted && matches!(byte, b',' | b';' | b'\t')
    })
}

/// The cells of a line as they stand there.
fn separated(line: &str, delimiter: u8) -> Vec<String> {
    let mut reader = ReaderBuilder::new().has_headers(false).delimiter(delimiter).from_reader(line.as_bytes());
    let first = reader.records().next().and_then(Result::ok).unwrap_or_default();
    first.iter().map(str::to_owned).collect()
}

/// The cells of a line, between delimiters, behind a name with a colon, or between blanks.
fn cells(line: &str) -> Vec<String> {
    let words = |text: &str| text.split_whitespace().map(|word| word.trim_matches('"').to_owned()).collect::<Vec<_>>();
    // A number behind a colon ends at a blank.
    let behind_colon = line.split_once(':').and_then(|(name, rest)| {
        let mut rest = words(rest);
        let first = rest.first_mut()?;
        *first = first.trim_end_matches([',', ';']).to_owned();
        let is_number = first.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c));
        let is_name = delimiter(name).is_none() && !name.trim().is_empty();
        (is_name && (is_number || delimiter(line).is_none()))
            .then(|| std::iter::once(name.trim().trim_matches('"').to_owned()).chain(rest).collect())
    });
    if let Some(cells) = behind_colon {
        return cells;
    }
    match delimiter(line) {
        Some(delimiter) => separated(line, delimiter).iter().map(|cell| cell.trim().to_owned()).collect(),
        None => words(line),
    }
}

/// Whether it is a number whose digits commas group by three.
fn is_grouped(text: &str) -> bool {
    let mut groups = text.trim_start_matches(['+', '-']).split(',');
    let are_digits = |group: &str| !group.is_empty() && group.bytes().all(|byte| byte.is_ascii_digit());
    let first = groups.next().is_some_and(|group| are_digits(group) && group.len() <= 3);
    first && text.contains(',') && groups.all(|group| are_digits(group) && group.len() == 3)
}
