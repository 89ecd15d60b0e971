//! Values of parameters, as words on a command line, settings files and reports give them.

use std::fmt;

use serde::de::{self, Deserialize, Deserializer, Visitor};
use serde::{Serialize, Serializer};

/// The value of a parameter.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A whole number.
    Whole(u64),
    /// A number.
    Real(f64),
    /// A word.
    Word(String),
}

impl Value {
    /// What a text means: a whole number, a number, or a word.
    pub fn from_text(text: &str) -> Self {
        let text = text.trim();
        if let Ok(whole) = text.parse() {
            return Self::Whole(whole);
        }
        match text.parse::<f64>() {
            Ok(real) if real.is_finite() => Self::Real(real),
            _ => Self::Word(text.to_owned()),
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole(whole) => f.pad(&whole.to_string()),
            Self::Real(real) => f.pad(&real.to_string()),
            Self::Word(word) => f.pad(word),
        }
    }
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Whole(whole) => serializer.serialize_u64(*whole),
            Self::Real(real) => serializer.serialize_f64(*real),
            Self::Word(word) => serializer.serialize_str(word),
        }
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any;

        impl Visitor<'_> for Any {
            type Value = Value;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number or a word")
            }

            fn visit_u64<E: de::Error>(self, whole: u64) -> Result<Value, E> {
                Ok(Value::Whole(whole))
            }

            fn visit_i64<E: de::Error>(self, whole: i64) -> Result<Value, E> {
                Ok(u64::try_from(whole).map_or(Value::Real(whole as f64), Value::Whole))
            }

            fn visit_f64<E: de::Error>(self, real: f64) -> Result<Value, E> {
                Ok(Value::Real(real))
            }

            fn visit_str<E: de::Error>(self, word: &str) -> Result<Value, E> {
                Ok(Value::Word(word.to_owned()))
            }
        }

        deserializer.deserialize_any(Any)
    }
}

/// Serializes names and values as an object.
pub(crate) fn as_object<S: Serializer>(values: &[(&'static str, Value)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(values.iter().map(|(name, value)| (name, value)))
}

/// A type that parameters have.
pub(crate) trait Kind: Sized {
    /// Reads a value; the error says what is expected.
    fn from_value(value: &Value) -> Result<Self, String>;
    /// The value that reads as `self`.
    fn to_value(self) -> Value;
}

impl Kind for f64 {
    fn from_value(value: &Value) -> Result<Self, String> {
        match value {
            Value::Whole(whole) => Ok(*whole as Self),
            Value::Real(real) => Ok(*real),
            Value::Word(word) => Err(format!("expected a number, not {}", worded(word))),
        }
    }

    fn to_value(self) -> Value {
        Value::Real(self)
    }
}

/// A word where a number is expected: one that looks like a number came as text, from a program.
fn worded(word: &str) -> String {
    let text = if word.parse::<f64>().is_ok() { "the text " } else { "" };
    format!("{text}'{word}'")
}

impl Kind for u32 {
    fn from_value(value: &Value) -> Result<Self, String> {
        match value {
            Value::Whole(whole) => {
                Self::try_from(*whole).map_err(|_| format!("expected a whole number up to {}, not {whole}", Self::MAX))
            }
            // As JSON and JavaScript have numbers.
            Value::Real(real) if *real >= 0.0 && real.fract() == 0.0 && *real <= f64::from(Self::MAX) => {
                Ok(*real as Self)
            }
            Value::Word(word) => Err(format!("expected a whole number from 0 to {}, not {}", Self::MAX, worded(word))),
            other => Err(format!("expected a whole number from 0 to {}, not '{other}'", Self::MAX)),
        }
    }

    fn to_value(self) -> Value {
        Value::Whole(self.into())
    }
}

impl Kind for usize {
    fn from_value(value: &Value) -> Result<Self, String> {
        u32::from_value(value).map(|whole| whole as Self)
    }

    fn to_value(self) -> Value {
        Value::Whole(self as u64)
    }
}

/// Name and value of fields, or of `name = expression`, for those who list their parameters.
macro_rules! named_values {
    ($($name:ident = $value:expr),+ $(,)?) => {
        vec![$((stringify!($name), $crate::algorithm::value::Kind::to_value($value))),+]
    };
}
pub(crate) use named_values;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_may_be_written_as_real_ones() {
        assert_eq!(u32::from_value(&Value::Real(64.0)), Ok(64));
        assert_eq!(u32::from_value(&Value::from_text("1e3")), Ok(1000));
        for wrong in [
            Value::Real(0.5),
            Value::Real(-1.0),
            Value::Real(f64::NAN),
            Value::Real(4294967296.0),
            Value::Word("64".into()),
        ] {
            assert!(u32::from_value(&wrong).unwrap_err().starts_with("expected a whole number"), "{wrong:?}");
        }
    }

    #[test]
    fn texts_become_the_narrowest_value() {
        assert_eq!(Value::from_text("12"), Value::Whole(12));
        assert_eq!(Value::from_text(" 0.5 "), Value::Real(0.5));
        assert_eq!(Value::from_text("1e3"), Value::Real(1000.0));
        for word in ["nan", "inf", "2opt", ""] {
            assert_eq!(Value::from_text(word), Value::Word(word.into()));
        }
    }

    #[test]
    fn numbers_out_of_their_type_are_told() {
        assert!(u32::from_value(&Value::Whole(1 << 32)).unwrap_err().contains("4294967295"));
        assert!(u32::from_value(&Value::Real(0.5)).unwrap_err().contains("whole number"));
        assert!(f64::from_value(&Value::Word("wide".into())).unwrap_err().contains("'wide'"));
    }
}
