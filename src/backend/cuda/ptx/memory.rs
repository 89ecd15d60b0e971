//! Pointers, loads, stores and atomics.

use naga::{AtomicFunction, Scalar, ScalarKind, TypeInner};

use super::value::{Place, Pointee, Space, Value};
use super::{Indices, Writer};

impl Space {
    fn name(self) -> &'static str {
        match self {
            Self::Argument => "param",
            Self::ReadOnly | Self::Storage => "global",
            Self::Workgroup => "shared",
            Self::Own => "local",
        }
    }

    /// What sees an atomic access.
    fn scope(self) -> &'static str {
        if self == Self::Workgroup { "cta" } else { "gpu" }
    }
}

impl Writer<'_> {
    /// A pointer to a part by its number.
    pub(super) fn part_of(&self, place: &Place, index: u32) -> Result<Place, String> {
        let (space, base, offset, pointee) = match place {
            Place::Registers(value) => return Ok(Place::Registers(value.part(index as usize)?.clone().into())),
            Place::Memory { space, base, offset, pointee, .. } => (*space, base.clone(), *offset, *pointee),
        };
        let Pointee::Type(ty) = pointee else { return Err("a number has no parts".into()) };
        let (begin, pointee) = match self.inner(ty) {
            TypeInner::Struct { members, .. } => {
                let member = members.get(index as usize).ok_or("no such member")?;
                (member.offset, member.ty.into())
            }
            TypeInner::Array { base, stride, .. } => (index * stride, (*base).into()),
            TypeInner::Vector { scalar, .. } => (index * 4, Pointee::Component(*scalar)),
            other => return Err(format!("a part of {other:?}")),
        };
        Ok(Place::Memory { space, base, offset: offset + begin, last: None, pointee })
    }

    /// A pointer to an element by an index that is known at run time.
    pub(super) fn element_of(&mut self, place: &Place, index: &str) -> Result<Place, String> {
        let Place::Memory { space, base, offset, last, pointee: Pointee::Type(ty) } = place else {
            return Err("an index into registers".into());
        };
        let (count, stride, pointee) = match *self.inner(*ty) {
            TypeInner::Array { base, stride, size } => (self.count(size), stride, base.into()),
            TypeInner::Vector { size, scalar } => (Some(size as u32), 4, Pointee::Component(scalar)),
            ref other => return Err(format!("an index into {other:?}")),
        };
        let last = match (count, last) {
            (Some(count), _) => (count - 1).to_string(),
            (None, Some(last)) => last.clone(),
            (None, None) => return Err("an array of unknown length".into()),
        };
        let held = self.held(index, &last);
        let base = match space {
            Space::Workgroup => {
                let start = if base == "workgroup" { self.workgroup() } else { base.clone() };
                let address = self.register();
                self.line(format_args!("mad.lo.u32 {address}, {held}, {stride}, {start};"));
                address
            }
            Space::Own | Space::Argument => {
                let (start, address) = (self.wide(), self.wide());
                self.line(format_args!("mov.u64 {start}, {base};"));
                self.line(format_args!("mad.wide.u32 {address}, {held}, {stride}, {start};"));
                address
            }
            Space::Storage | Space::ReadOnly => {
                let address = self.wide();
                self.line(format_args!("mad.wide.u32 {address}, {held}, {stride}, {base};"));
                address
            }
        };
        Ok(Place::Memory { space: *space, base, offset: *offset, last: None, pointee })
    }

    /// The index, held below the array's length unless indices are trusted. Under a guard it is always held: a load that is never used may have
    /// any index.
    fn held(&mut self, index: &str, last: &str) -> String {
        if self.guard.is_none() && self.options.indices == Indices::Trusted {
            return index.to_owned();
        }
        if self.guard.is_none() {
            let (beyond, fault) = (self.predicate(), self.fault());
            self.line(format_args!("setp.gt.u32 {beyond}, {index}, {last};"));
            self.line(format_args!("@{beyond} st.global.b32 [{fault}], 1;"));
        }
        let held = self.register();
        self.line(format_args!("min.u32 {held}, {index}, {last};"));
        held
    }

    /// The value at a place.
    pub(super) fn load(&mut self, place: &Place) -> Result<Value, String> {
        let (space, base, offset, pointee) = match place {
            Place::Registers(value) => {
                // A copy: the variable may change before the value is used.
                let copy = self.registers_like(value);
                let guard = self.guard.take();
                self.assign(&copy, value)?;
                self.guard = guard;
                return Ok(self.asked(&copy));
            }
            Place::Memory { space, base, offset, pointee, .. } => (*space, base, *offset, *pointee),
        };
        let inner = match pointee {
            Pointee::Component(scalar) => TypeInner::Scalar(scalar),
            Pointee::Type(ty) => self.inner(ty).clone(),
        };
        if let (Space::Argument, "arguments", TypeInner::Scalar(scalar)) = (space, base.as_str(), &inner) {
            let word = self.argument(offset);
            return Ok(self.value_of(word, *scalar));
        }
        let order = if space == Space::ReadOnly { ".nc" } else { "" };
        Ok(match inner {
            TypeInner::Scalar(scalar) => {
                let register = self.register();
                self.line(format_args!("ld.{}{order}.b32 {register}, [{base}+{offset}];", space.name()));
                self.value_of(register, scalar)
            }
            TypeInner::Atomic(_) if space != Space::ReadOnly => {
                let register = self.register();
                let (scope, name) = (space.scope(), space.name());
                self.line(format_args!("ld.relaxed.{scope}.{name}.b32 {register}, [{base}+{offset}];"));
                Value::Word(register)
            }
            TypeInner::Vector { size, scalar }
                if scalar.kind != ScalarKind::Bool && size as u32 != 3 && space != Space::Argument =>
            {
                let registers: Vec<String> = (0..size as u32).map(|_| self.register()).collect();
                let (name, list) = (space.name(), registers.join(", "));
                let count = size as u32;
                self.line(format_args!("ld.{name}{order}.v{count}.b32 {{{list}}}, [{base}+{offset}];"));
                Value::Parts(registers.into_iter().map(Value::Word).collect())
            }
            _ => {
                let count = self.parts(&inner)?;
                let parts = (0..count).map(|index| self.part_of(place, index).and_then(|part| self.load(&part)));
                Value::Parts(parts.collect::<Result<_, _>>()?)
            }
        })
    }

    /// Puts a value to a place.
    pub(super) fn store(&mut self, place: &Place, value: &Value) -> Result<(), String> {
        let (space, base, offset, pointee) = match place {
            Place::Registers(registers) => return self.assign(&registers.clone(), value),
            Place::Memory { space, base, offset, pointee, .. } => (*space, base, *offset, *pointee),
        };
        let inner = match pointee {
            Pointee::Component(scalar) => TypeInner::Scalar(scalar),
            Pointee::Type(ty) => self.inner(ty).clone(),
        };
        let name = space.name();
        match (inner, value) {
            (TypeInner::Scalar(_), _) => {
                let word = self.stored(value)?;
                self.line(format_args!("st.{name}.b32 [{base}+{offset}], {word};"));
            }
            (TypeInner::Atomic(_), _) => {
                let (scope, word) = (space.scope(), self.stored(value)?);
                self.line(format_args!("st.relaxed.{scope}.{name}.b32 [{base}+{offset}], {word};"));
            }
            (TypeInner::Vector { size, .. }, Value::Parts(parts)) if size as u32 != 3 => {
                let words: Vec<String> = parts.iter().map(|part| self.stored(part)).collect::<Result<_, _>>()?;
                let (count, list) = (words.len(), words.join(", "));
                self.line(format_args!("st.{name}.v{count}.b32 [{base}+{offset}], {{{list}}};"));
            }
            (_, Value::Parts(parts)) => {
                for (index, part) in parts.iter().enumerate() {
                    let to = self.part_of(place, index as u32)?;
                    self.store(&to, part)?;
                }
            }
            (inner, value) => return Err(format!("{value:?} stored as {inner:?}")),
        }
        Ok(())
    }

    fn parts(&self, inner: &TypeInner) -> Result<u32, String> {
        match inner {
            TypeInner::Vector { size, .. } => Ok(*size as u32),
            TypeInner::Struct { members, .. } => Ok(members.len() as u32),
            TypeInner::Array { size, .. } => self.count(*size).ok_or_else(|| "a load of a buffer".into()),
            other => Err(format!("a load of {other:?}")),
        }
    }

    /// A word from memory as a value.
    fn value_of(&mut self, register: String, scalar: Scalar) -> Value {
        if scalar.kind != ScalarKind::Bool {
            return Value::Word(register);
        }
        let predicate = self.predicate();
        self.line(format_args!("setp.ne.u32 {predicate}, {register}, 0;"));
        Value::Truth(predicate)
    }

    /// A value as a word for memory.
    pub(super) fn stored(&mut self, value: &Value) -> Result<String, String> {
        match value {
            Value::Word(word) | Value::Flag(word) => Ok(word.clone()),
            Value::Truth(predicate) => {
                let register = self.register();
                self.line(format_args!("selp.b32 {register}, 1, 0, {predicate};"));
                Ok(register)
            }
            other => Err(format!("{other:?} is no number")),
        }
    }

    /// An atomic operation; what was there before, and with `compared` whether it was that.
    pub(super) fn atomic(
        &mut self,
        place: &Place,
        function: AtomicFunction,
        value: &str,
        compared: Option<&str>,
        wanted: bool,
    ) -> Result<Option<Value>, String> {
        let Place::Memory { space, base, offset, pointee, .. } = place else {
            return Err("an atomic in registers".into());
        };
        let kind = match pointee {
            Pointee::Type(ty) => match self.inner(*ty) {
                TypeInner::Atomic(scalar) => scalar.kind,
                other => return Err(format!("an atomic operation on {other:?}")),
            },
            Pointee::Component(_) => return Err("an atomic operation on a component".into()),
        };
        let of_kind = if kind == ScalarKind::Sint { "s32" } else { "u32" };
        let (operation, ty) = match function {
            AtomicFunction::Add | AtomicFunction::Subtract => ("add", "u32"),
            AtomicFunction::And => ("and", "b32"),
            AtomicFunction::ExclusiveOr => ("xor", "b32"),
            AtomicFunction::InclusiveOr => ("or", "b32"),
            AtomicFunction::Min => ("min", of_kind),
            AtomicFunction::Max => ("max", of_kind),
            AtomicFunction::Exchange { compare: None } => ("exch", "b32"),
            AtomicFunction::Exchange { compare: Some(_) } => ("cas", "b32"),
        };
        let mut value = value.to_owned();
        if matches!(function, AtomicFunction::Subtract) {
            let negated = self.register();
            self.line(format_args!("neg.s32 {negated}, {value};"));
            value = negated;
        }
        let at = format!("{}.{}.{operation}.{ty}", space.scope(), space.name());
        if !wanted && !matches!(function, AtomicFunction::Exchange { .. }) {
            self.line(format_args!("red.relaxed.{at} [{base}+{offset}], {value};"));
            return Ok(None);
        }
        let before = self.register();
        let Some(compared) = compared else {
            self.line(format_args!("atom.relaxed.{at} {before}, [{base}+{offset}], {value};"));
            return Ok(Some(Value::Word(before)));
        };
        self.line(format_args!("atom.relaxed.{at} {before}, [{base}+{offset}], {compared}, {value};"));
        let same = self.predicate();
        self.line(format_args!("setp.eq.u32 {same}, {before}, {compared};"));
        Ok(Some(Value::Parts(vec![Value::Word(before), Value::Truth(same)])))
    }
}
