//! What cities are called: names, ids of a table, or numbers from 1.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::instance::Instance;
use crate::error::{Error, Result};
use crate::instance::table::whole;
use crate::text::{clean, quote};

impl Instance {
    /// The same instance with a name for each city, control characters replaced.
    ///
    /// # Errors
    /// [`Error::Instance`] unless there are as many names as cities.
    pub fn with_city_names(mut self, names: impl IntoIterator<Item = impl AsRef<str>>) -> Result<Self> {
        let names: Arc<[String]> = names.into_iter().map(|name| clean(name.as_ref())).collect();
        if names.len() != self.len() {
            return Err(Error::Instance(format!("{} names for {} cities", names.len(), self.len())));
        }
        self.names = Some(names);
        Ok(self)
    }

    /// What the cities are called, where that is known: one name for each.
    pub fn city_names(&self) -> Option<&[String]> {
        self.names.as_deref()
    }

    /// What the file that the cities came from numbers each by: a column of ids in a table, nodes that count from 0 in TSPLIB's format.
    pub fn city_ids(&self) -> Option<&[String]> {
        self.ids.as_deref()
    }

    /// The same instance with what its file numbers each city by, control characters replaced.
    ///
    /// # Errors
    /// [`Error::Instance`] unless there are as many ids as cities.
    pub fn with_city_ids(mut self, ids: impl IntoIterator<Item = impl AsRef<str>>) -> Result<Self> {
        let ids: Arc<[String]> = ids.into_iter().map(|id| clean(id.as_ref())).collect();
        if ids.len() != self.len() {
            return Err(Error::Instance(format!("{} ids for {} cities", ids.len(), self.len())));
        }
        self.ids = Some(ids);
        Ok(self)
    }

    /// The city, counted from 0, that a person calls by this word: its name, its id where the table that it came from has a column of ids, or
    /// else its number as in the file, from 1. Where cities have ids, or numbers for names, a number is no other city's place in the file.
    ///
    /// ```
    /// use myrmex::tsp::{Kind, generate};
    ///
    /// let instance = generate(Kind::Uniform, 3, 1)?.with_city_names(["Berlin", "Paris", "Rome"])?;
    /// assert_eq!((instance.city_called("Paris")?, instance.city_called("3")?), (1, 2));
    /// # Ok::<(), myrmex::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Config`] where no city is called so, or several are.
    pub fn city_called(&self, word: &str) -> Result<u32> {
        Called::of(self).city(word)
    }

    /// What a person calls a city, counted from 0, by: its id, or its number in the file from 1, and its name where it has one.
    pub fn city_label(&self, city: u32) -> String {
        let of = |all: &Option<Arc<[String]>>| all.as_ref().and_then(|all| all.get(city as usize)).cloned();
        let counts = self.counts_cities();
        match (of(&self.ids), of(&self.names).filter(|name| !name.is_empty())) {
            (Some(id), Some(name)) if id != name => format!("{id} ({})", quote(&name)),
            (Some(id), _) => id,
            (None, Some(name)) if counts => format!("{} ({})", city + 1, quote(&name)),
            (None, Some(name)) => quote(&name),
            (None, None) => (u64::from(city) + 1).to_string(),
        }
    }

    /// Whether a number is a city's place in the file.
    fn counts_cities(&self) -> bool {
        let is_number = |name: &String| name.parse::<u64>().is_ok();
        self.ids.is_none() && !self.names.as_ref().is_some_and(|names| names.iter().any(is_number))
    }

    /// What is wrong, with what a city may be called by.
    fn not_one(&self, wrong: String) -> Error {
        let names = if self.names.is_some() { ", or a name" } else { "" };
        Error::Config(match (&self.ids, self.counts_cities()) {
            (Some(_), _) => format!("{wrong}: give an id as in the file{names}"),
            (None, true) => format!("{wrong}: give a number from 1 to {}{names}", self.len()),
            (None, false) => format!("{wrong}: give a name that one city alone has"),
        })
    }
}

/// The cities of an instance by what they are called, for many words.
pub(super) struct Called<'a> {
    instance: &'a Instance,
    names: HashMap<&'a str, Vec<u32>>,
    /// By ids that are no numbers, and by numbers: 7 is 07, too.
    ids: HashMap<&'a str, Vec<u32>>,
    numbers: HashMap<u64, Vec<u32>>,
    /// Whether a number is a city's place in the file.
    counts: bool,
}

impl<'a> Called<'a> {
    pub fn of(instance: &'a Instance) -> Self {
        let (mut names, mut ids, mut numbers) = (HashMap::new(), HashMap::new(), HashMap::new());
        for (city, name) in (0..).zip(instance.names.as_deref().unwrap_or_default()) {
            let cities: &mut Vec<u32> = names.entry(name.as_str()).or_default();
            cities.push(city);
        }
        for (city, id) in (0..).zip(instance.ids.as_deref().unwrap_or_default()) {
            let cities: &mut Vec<u32> = match id.parse() {
                Ok(number) => numbers.entry(number).or_default(),
                Err(_) => ids.entry(id.as_str()).or_default(),
            };
            cities.push(city);
        }
        Self { instance, names, ids, numbers, counts: instance.counts_cities() }
    }

    /// What [`Instance::city_called`] gives.
    pub fn city(&self, word: &str) -> Result<u32> {
        let instance = self.instance;
        let number = word.parse::<u64>().ok();
        let by_name = self.names.get(word).map_or(&[][..], Vec::as_slice);
        let by_id = number.map_or_else(|| self.ids.get(word), |number| self.numbers.get(&number));
        let by_id: Vec<u32> = by_id.into_iter().flatten().copied().filter(|city| !by_name.contains(city)).collect();
        match (by_name, &by_id[..]) {
            ([city], []) | ([], [city]) => return Ok(*city),
            ([], []) if tidy(word) != word => return self.city(&tidy(word)),
            ([], []) if whole(word).is_some() => return self.city(whole(word).unwrap_or(word)),
            ([], []) => {}
            ([_, _, ..], _) => {
                let wrong = format!("{} cities are called {}", by_name.len(), quote(word));
                let differ = |ids: &Arc<[String]>| {
                    let ids: HashSet<&String> = by_name.iter().map(|city| &ids[*city as usize]).collect();
                    ids.len() == by_name.len()
                };
                return Err(match instance.ids.as_ref().map_or(self.counts, differ) {
                    true => instance.not_one(wrong),
                    false => Error::Config(format!("{wrong}: give each a name or an id of its own in the file")),
                });
            }
            ([], _) => {
                let count = by_id.len();
                return Err(Error::Config(format!("{count} cities have the id {}: give each its own", quote(word))));
            }
            _ => {
                let word = quote(word);
                return Err(Error::Config(format!(
                    "{word} is the name of one city and the id of another: change one of them in the file"
                )));
            }
        }
        if let Some(number) = number.filter(|number| self.counts && (1..=instance.len() as u64).contains(number)) {
            return Ok(number as u32 - 1);
        }
        let alike = self.names.keys().chain(self.ids.keys()).filter(|name| name.to_lowercase() == word.to_lowercase());
        let meant = alike.min().map_or_else(String::new, |name| format!("; did you mean {}?", quote(name)));
        Err(instance.not_one(format!("there is no city {}{meant}", quote(word))))
    }
}

/// A name as files are read: without blanks at its ends.
fn tidy(word: &str) -> String {
    clean(word).trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::super::Distances;
    use super::*;

    fn table(text: &str) -> Instance {
        Instance::parse_table(text, "t", Distances::Stated).unwrap()
    }

    fn refusal(instance: &Instance, word: &str) -> String {
        instance.city_called(word).unwrap_err().to_string()
    }

    #[test]
    fn a_number_is_an_id_where_there_are_ids() {
        let ids = table("id,name,x,y\n3,A,0,0\n1,B,0,1\n07,C,1,1\n");
        assert_eq!(["3", "1", "7", "B"].map(|word| ids.city_called(word).unwrap()), [0, 1, 2, 1]);
        assert!(refusal(&ids, "2").ends_with("there is no city '2': give an id as in the file, or a name"));
        assert!(refusal(&ids, "b").contains("there is no city 'b'; did you mean 'B'?"), "{}", refusal(&ids, "b"));
        assert_eq!((ids.city_label(0).as_str(), ids.city_label(2).as_str()), ("3 ('A')", "07 ('C')"));
        // Ids alone are names, too.
        let alone = table("id,x,y\n12,0,0\n2,0,1\n1,1,1\n");
        assert_eq!((alone.city_called("2").unwrap(), alone.city_label(0)), (1, "12".into()));
        assert!(refusal(&alone, "3").contains("no city '3'"));
        // The first column may count from 0.
        let from_zero = table("0 0 0\n1 0 1\n2 1 1\n");
        assert_eq!((from_zero.city_called("1").unwrap(), from_zero.city_label(0)), (1, "0".into()));
    }

    #[test]
    fn without_ids_a_number_is_a_place_in_the_file() {
        let plain = table("x,y\n0,0\n0,1\n1,1\n");
        assert_eq!((plain.city_called("2").unwrap(), plain.city_label(1)), (1, "2".into()));
        assert!(refusal(&plain, "0").ends_with("give a number from 1 to 3"));
        let named = table("name,x,y\nA,0,0\nB,0,1\nC,1,1\n");
        assert_eq!((named.city_called("2").unwrap(), named.city_label(1)), (1, "2 ('B')".into()));
        let numbers = table("name,x,y\n20,0,0\n10,0,1\nC,1,1\n");
        assert_eq!((numbers.city_called("10").unwrap(), numbers.city_label(1)), (1, "'10'".into()));
        assert!(refusal(&numbers, "2").ends_with("give a name that one city alone has"));
    }

    #[test]
    fn what_several_cities_are_called_is_refused() {
        let both = table("id,name,x,y\n1,2,0,0\n2,1,0,1\n3,3,1,1\n");
        assert!(refusal(&both, "2").contains("the name of one city and the id of another"));
        assert_eq!(both.city_called("3").unwrap(), 2);
        let twice = table("id,name,x,y\n1,A,0,0\n1,A,0,1\n3,C,1,1\n");
        assert!(refusal(&twice, "1").contains("2 cities have the id '1'"));
        assert!(
            refusal(&twice, "A").ends_with("2 cities are called 'A': give each a name or an id of its own in the file")
        );
        let alike = table("id,name,x,y\n1,A,0,0\n2,A,0,1\n3,C,1,1\n");
        assert!(refusal(&alike, "A").contains("2 cities are called 'A': give an id"));
        let ids = table("id,x,y\n1,0,0\n1,0,1\n3,1,1\n");
        assert!(refusal(&ids, "1").ends_with("give each a name or an id of its own in the file"));
    }
}
