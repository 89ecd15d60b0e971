//! What an expression becomes, and where variables are.

use naga::proc::IndexableLength;
use naga::{ArraySize, Handle, Scalar, ScalarKind, Type, TypeInner};

use super::Writer;

/// The value of an expression.
#[derive(Clone, Debug)]
pub(super) enum Value {
    /// A 32-bit register or a literal.
    Word(String),
    /// A predicate register.
    Truth(String),
    /// A truth value that lasts, as 0 or 1 in a 32-bit register: predicate registers are few.
    Flag(String),
    /// The parts of a vector, structure or array.
    Parts(Vec<Value>),
    /// A pointer.
    At(Place),
}

/// Where a variable or a part of one is.
#[derive(Clone, Debug)]
pub(super) enum Place {
    /// In registers.
    Registers(Box<Value>),
    /// In memory: `offset` bytes behind an address, which a register holds or a symbol names.
    Memory {
        space: Space,
        base: String,
        offset: u32,
        /// The index of the last element of a buffer.
        last: Option<String>,
        pointee: Pointee,
    },
}

/// A kind of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Space {
    /// The kernel's argument.
    Argument,
    /// A buffer that no invocation of the kernel writes.
    ReadOnly,
    Storage,
    Workgroup,
    /// Of one invocation.
    Own,
}

/// What a pointer points to.
#[derive(Clone, Copy, Debug)]
pub(super) enum Pointee {
    Type(Handle<Type>),
    /// A component of a vector.
    Component(Scalar),
}

impl From<Handle<Type>> for Pointee {
    fn from(ty: Handle<Type>) -> Self {
        Self::Type(ty)
    }
}

impl Place {
    pub(super) fn memory(space: Space, base: String, offset: u32, ty: Handle<Type>) -> Self {
        Self::Memory { space, base, offset, last: None, pointee: ty.into() }
    }
}

impl Value {
    /// A 32-bit number.
    pub(super) fn literal(word: u32) -> Self {
        Self::Word(word.to_string())
    }

    /// The register or literal.
    pub(super) fn word(&self) -> Result<&str, String> {
        match self {
            Self::Word(word) => Ok(word),
            other => Err(format!("a number is needed, not {other:?}")),
        }
    }

    /// The predicate.
    pub(super) fn truth(&self) -> Result<&str, String> {
        match self {
            Self::Truth(predicate) => Ok(predicate),
            other => Err(format!("a truth value is needed, not {other:?}")),
        }
    }

    pub(super) fn part(&self, index: usize) -> Result<&Value, String> {
        match self {
            Self::Parts(parts) => parts.get(index).ok_or_else(|| format!("there is no part {index} in {self:?}")),
            other => Err(format!("{other:?} has no parts")),
        }
    }
}

/// What is done to parts of values that stand side by side.
type Operation<'f, W> = dyn FnMut(&mut W, &[&Value]) -> Result<Value, String> + 'f;

impl Writer<'_> {
    pub(super) fn inner(&self, ty: Handle<Type>) -> &TypeInner {
        &self.module.types[ty].inner
    }

    /// Elements of an array; `None` for a buffer.
    pub(super) fn count(&self, size: ArraySize) -> Option<u32> {
        match size.resolve(self.module.to_ctx()) {
            Ok(IndexableLength::Known(count)) => Some(count),
            _ => None,
        }
    }

    /// Bytes of a value; of one element where their number is known at run time alone.
    pub(super) fn size(&self, ty: Handle<Type>) -> u32 {
        match *self.inner(ty) {
            TypeInner::Array { size, stride, .. } => self.count(size).unwrap_or(1) * stride,
            ref inner => inner.size(self.module.to_ctx()),
        }
    }

    /// Bytes of an element of a buffer; of the whole where it is no array.
    pub(super) fn element_bytes(&self, ty: Handle<Type>) -> u32 {
        match *self.inner(ty) {
            TypeInner::Array { stride, .. } => stride,
            _ => self.size(ty),
        }
    }

    pub(super) fn holds_array(&self, ty: Handle<Type>) -> bool {
        match self.inner(ty) {
            TypeInner::Array { .. } => true,
            TypeInner::Struct { members, .. } => members.iter().any(|member| self.holds_array(member.ty)),
            _ => false,
        }
    }

    /// The zero value of a type.
    pub(super) fn zero(&mut self, ty: Handle<Type>) -> Result<Value, String> {
        Ok(match self.inner(ty).clone() {
            TypeInner::Scalar(scalar) | TypeInner::Atomic(scalar) => self.zero_of(scalar),
            TypeInner::Vector { size, scalar } => {
                Value::Parts((0..size as u32).map(|_| self.zero_of(scalar)).collect())
            }
            TypeInner::Struct { members, .. } => {
                Value::Parts(members.iter().map(|member| self.zero(member.ty)).collect::<Result<_, _>>()?)
            }
            TypeInner::Array { base, size, .. } => {
                let count = self.count(size).ok_or("a buffer as a value")?;
                Value::Parts((0..count).map(|_| self.zero(base)).collect::<Result<_, _>>()?)
            }
            other => return Err(format!("a zero of {other:?}")),
        })
    }

    fn zero_of(&mut self, scalar: Scalar) -> Value {
        if scalar.kind == ScalarKind::Bool { self.truth_of(false) } else { Value::literal(0) }
    }

    pub(super) fn truth_of(&mut self, holds: bool) -> Value {
        let predicate = self.predicate();
        self.line(format_args!("setp.eq.u32 {predicate}, {}, 0;", u32::from(!holds)));
        Value::Truth(predicate)
    }

    /// A value whose truth values are kept where they can last.
    pub(super) fn lasting(&mut self, value: &Value) -> Value {
        match value {
            Value::Truth(predicate) => {
                let flag = self.register();
                self.line(format_args!("selp.b32 {flag}, 1, 0, {predicate};"));
                Value::Flag(flag)
            }
            Value::Parts(parts) => Value::Parts(parts.iter().map(|part| self.lasting(part)).collect()),
            other => other.clone(),
        }
    }

    /// A value whose truth values can be asked for.
    pub(super) fn asked(&mut self, value: &Value) -> Value {
        match value {
            Value::Flag(flag) => {
                let predicate = self.predicate();
                self.line(format_args!("setp.ne.u32 {predicate}, {flag}, 0;"));
                Value::Truth(predicate)
            }
            Value::Parts(parts) => Value::Parts(parts.iter().map(|part| self.asked(part)).collect()),
            other => other.clone(),
        }
    }

    fn guard(&self) -> String {
        self.guard.as_ref().map_or_else(String::new, |guard| format!("@{guard} "))
    }

    /// Fresh registers of the same shape.
    pub(super) fn registers_like(&mut self, value: &Value) -> Value {
        match value {
            Value::Word(_) => Value::Word(self.register()),
            Value::Truth(_) => Value::Truth(self.predicate()),
            Value::Flag(_) => Value::Flag(self.register()),
            Value::Parts(parts) => Value::Parts(parts.iter().map(|part| self.registers_like(part)).collect()),
            Value::At(place) => Value::At(place.clone()),
        }
    }

    /// Copies a value into registers of the same shape.
    pub(super) fn assign(&mut self, to: &Value, value: &Value) -> Result<(), String> {
        match (to, value) {
            (Value::Word(to), Value::Word(word)) => {
                let guard = self.guard();
                self.line(format_args!("{guard}mov.b32 {to}, {word};"));
            }
            (Value::Truth(to), Value::Truth(predicate)) => {
                let guard = self.guard();
                self.line(format_args!("{guard}mov.pred {to}, {predicate};"));
            }
            (Value::Flag(to), Value::Truth(predicate)) => {
                let guard = self.guard();
                self.line(format_args!("{guard}selp.b32 {to}, 1, 0, {predicate};"));
            }
            (Value::Flag(to), Value::Flag(word)) => {
                let guard = self.guard();
                self.line(format_args!("{guard}mov.b32 {to}, {word};"));
            }
            (Value::Parts(to), Value::Parts(parts)) => {
                for (to, part) in to.iter().zip(parts) {
                    self.assign(to, part)?;
                }
            }
            _ => return Err(format!("{value:?} does not fit {to:?}")),
        }
        Ok(())
    }

    /// The same operation on each part of a value, where it has parts.
    pub(super) fn each(&mut self, values: &[&Value], operation: &mut Operation<'_, Self>) -> Result<Value, String> {
        let count = values.iter().find_map(|value| match value {
            Value::Parts(parts) => Some(parts.len()),
            _ => None,
        });
        let Some(count) = count else { return operation(self, values) };
        let mut parts = Vec::with_capacity(count);
        for index in 0..count {
            // A number beside a vector goes with each of its components.
            let of_part: Vec<&Value> = values
                .iter()
                .map(|value| match value {
                    Value::Parts(_) => value.part(index),
                    _ => Ok(*value),
                })
                .collect::<Result<_, _>>()?;
            parts.push(self.each(&of_part, operation)?);
        }
        Ok(Value::Parts(parts))
    }
}
