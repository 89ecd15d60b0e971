//! Parameters by name: what `--set NAME=VALUE`, settings files and `myrmex parameters` share.

use serde::Serialize;

use crate::algorithm::value::Value;

/// What is known about a parameter beside its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Parameter {
    /// Its name on the command line, in files and in reports.
    pub name: &'static str,
    /// What it is, in a sentence.
    pub summary: &'static str,
    /// The values that it takes.
    pub range: &'static str,
    /// The unit of a number; empty where it has none.
    pub unit: &'static str,
    /// Where it is described.
    pub source: &'static str,
}

/// Parameters that are asked for by name. `None` leaves one to the resolver.
pub(super) trait Named {
    /// Sets the parameter `name`; `None` when there is none of that name.
    fn set(&mut self, name: &str, value: &Value) -> Option<Result<(), String>>;
    /// Those that are given, in the order of their list.
    fn given(&self) -> Vec<(&'static str, Value)>;
}

/// Declares a set of parameters that may be left open, each with its documentation, range, unit and source.
macro_rules! parameters {
    ($(#[$meta:meta])* $name:ident {
        $( $(#[doc = $doc:literal])+ $field:ident: $kind:ty = $range:literal, $unit:literal, $source:literal; )+
    }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, Default, PartialEq)]
        pub struct $name {
            $(
                $(#[doc = $doc])+
                #[doc = concat!("\n\nValues: ", $range, ". `None` leaves it to the resolver. Source: ", $source, ".")]
                pub $field: Option<$kind>,
            )+
        }

        impl $name {
            /// Each parameter with its range, unit and source.
            pub const PARAMETERS: &'static [$crate::settings::Parameter] = &[
                $($crate::settings::Parameter {
                    name: stringify!($field),
                    summary: concat!($($doc),+).trim_ascii_start(),
                    range: $range,
                    unit: $unit,
                    source: $source,
                }),+
            ];
        }

        impl $crate::settings::parameter::Named for $name {
            fn set(&mut self, name: &str, value: &$crate::algorithm::value::Value) -> Option<Result<(), String>> {
                match name {
                    $(stringify!($field) => Some(
                        <$kind as $crate::algorithm::value::Kind>::from_value(value)
                            .map(|value| self.$field = Some(value)),
                    ),)+
                    _ => None,
                }
            }

            fn given(&self) -> Vec<(&'static str, $crate::algorithm::value::Value)> {
                let mut given = Vec::new();
                $(given.extend(self.$field.map(|value| {
                    (stringify!($field), $crate::algorithm::value::Kind::to_value(value))
                }));)+
                given
            }
        }
    };
}
pub(super) use parameters;
