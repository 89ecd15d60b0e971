//! Functions of the shaders that are one instruction or two here, though WGSL has no such operation.

use super::Writer;
use super::value::Value;

impl Writer<'_> {
    /// The result of a function that is known by its name, where instructions compute it; `shaders/shared/fixed.wgsl` says what it is.
    pub(super) fn intrinsic(&mut self, name: Option<&str>, arguments: &[Value]) -> Result<Option<Value>, String> {
        let result = match (name, arguments) {
            (Some("mul_high"), [a, b]) => self.compute("mul.hi.u32", &[a.word()?, b.word()?])?,
            (Some("add_wide"), [a, b]) => self.compute_wide("add.u64", a, b)?,
            (Some("subtract_wide"), [a, b]) => self.compute_wide("sub.u64", a, b)?,
            (Some("less_wide"), [a, b]) => {
                let (a, b, result) = (self.in_one(a)?, self.in_one(b)?, self.predicate());
                self.line(format_args!("setp.lt.u64 {result}, {a}, {b};"));
                Value::Truth(result)
            }
            _ => return Ok(None),
        };
        Ok(Some(result))
    }

    /// An operation of two numbers of 64 bits, each two words, low word first.
    fn compute_wide(&mut self, instruction: &str, a: &Value, b: &Value) -> Result<Value, String> {
        let (a, b, result) = (self.in_one(a)?, self.in_one(b)?, self.wide());
        let [low, high] = [self.register(), self.register()];
        self.line(format_args!("{instruction} {result}, {a}, {b};"));
        self.line(format_args!("mov.b64 {{{low}, {high}}}, {result};"));
        Ok(Value::Parts(vec![Value::Word(low), Value::Word(high)]))
    }

    /// Two words as a 64-bit register.
    fn in_one(&mut self, words: &Value) -> Result<String, String> {
        let Value::Parts(parts) = words else { return Err(format!("{words:?} is no number of two words")) };
        let [low, high] = &parts[..] else { return Err(format!("{words:?} is no number of two words")) };
        let (low, high, result) = (low.word()?.to_owned(), high.word()?.to_owned(), self.wide());
        self.line(format_args!("mov.b64 {result}, {{{low}, {high}}};"));
        Ok(result)
    }
}
