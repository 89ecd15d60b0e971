//! Expressions.

use naga::{
    BinaryOperator, Expression, Handle, Literal, MathFunction, RelationalFunction, ScalarKind, TypeInner, UnaryOperator,
};

use super::Writer;
use super::statement::Frame;
use super::value::{Place, Value};

impl Writer<'_> {
    /// The value of an expression of a function, worked out now unless it has been.
    pub(super) fn value(&mut self, frame: &mut Frame<'_>, handle: Handle<Expression>) -> Result<Value, String> {
        if let Some(value) = frame.values.get(&handle) {
            return Ok(value.clone());
        }
        let value = self.work_out(frame, handle)?;
        // Constants have no place in the text where they are made: each use makes its own.
        let constant = matches!(
            frame.function.expressions[handle],
            Expression::Literal(_)
                | Expression::Constant(_)
                | Expression::ZeroValue(_)
                | Expression::FunctionArgument(_)
        );
        if !constant {
            frame.values.insert(handle, value.clone());
        }
        Ok(value)
    }

    /// The register or literal of a number.
    pub(super) fn word(&mut self, frame: &mut Frame<'_>, handle: Handle<Expression>) -> Result<String, String> {
        Ok(self.value(frame, handle)?.word()?.to_owned())
    }

    /// The place that a pointer points to.
    pub(super) fn place(&mut self, frame: &mut Frame<'_>, handle: Handle<Expression>) -> Result<Place, String> {
        match self.value(frame, handle)? {
            Value::At(place) => Ok(place),
            other => Err(format!("{other:?} is no pointer")),
        }
    }

    fn work_out(&mut self, frame: &mut Frame<'_>, handle: Handle<Expression>) -> Result<Value, String> {
        Ok(match frame.function.expressions[handle] {
            Expression::Literal(literal) => self.literal(literal)?,
            Expression::Constant(constant) => self.constant(self.module.constants[constant].init)?,
            Expression::ZeroValue(ty) => self.zero(ty)?,
            Expression::Compose { ref components, ty } => {
                let parts = components.iter().map(|&part| self.value(frame, part)).collect::<Result<Vec<_>, _>>()?;
                self.composed(ty, parts)
            }
            Expression::Splat { size, value } => Value::Parts(vec![self.value(frame, value)?; size as usize]),
            Expression::Swizzle { size, vector, pattern } => {
                let vector = self.value(frame, vector)?;
                let parts = pattern[..size as usize].iter().map(|&component| vector.part(component as usize).cloned());
                Value::Parts(parts.collect::<Result<_, _>>()?)
            }
            Expression::FunctionArgument(index) => {
                let argument = frame.arguments[index as usize].clone();
                self.asked(&argument)
            }
            Expression::GlobalVariable(variable) => {
                Value::At(self.globals.get(&variable).cloned().ok_or("a variable without a place")?)
            }
            Expression::LocalVariable(variable) => {
                Value::At(frame.locals.get(&variable).cloned().ok_or("a variable without a place")?)
            }
            Expression::AccessIndex { base, index } => match self.value(frame, base)? {
                Value::At(place) => Value::At(self.part_of(&place, index)?),
                value => value.part(index as usize)?.clone(),
            },
            Expression::Access { base, index } => {
                let index = self.word(frame, index)?;
                match self.value(frame, base)? {
                    Value::At(place) => Value::At(self.element_of(&place, &index)?),
                    value => self.picked(&value, &index)?,
                }
            }
            Expression::Load { pointer } => {
                let place = self.place(frame, pointer)?;
                self.load(&place)?
            }
            Expression::Unary { op, expr } => {
                let kind = self.kind(frame, expr)?;
                let value = self.value(frame, expr)?;
                self.each(&[&value], &mut |writer, values| writer.unary(op, kind, values[0]))?
            }
            Expression::Binary { op, left, right } => {
                let kind = self.kind(frame, left)?;
                let (left, right) = (self.value(frame, left)?, self.value(frame, right)?);
                self.each(&[&left, &right], &mut |writer, values| writer.binary(op, kind, values[0], values[1]))?
            }
            Expression::Select { condition, accept, reject } => {
                let condition = self.value(frame, condition)?;
                let (accept, reject) = (self.value(frame, accept)?, self.value(frame, reject)?);
                self.each(&[&condition, &accept, &reject], &mut |writer, values| {
                    writer.select(values[0], values[1], values[2])
                })?
            }
            Expression::Relational { fun, argument } => {
                let (first, all) = match fun {
                    RelationalFunction::All => (true, "and"),
                    RelationalFunction::Any => (false, "or"),
                    other => return Err(format!("{other:?}")),
                };
                let Value::Parts(parts) = self.value(frame, argument)? else { return Err("all of one".into()) };
                let sum = self.truth_of(first);
                for part in &parts {
                    self.line(format_args!("{all}.pred {0}, {0}, {1};", sum.truth()?, part.truth()?));
                }
                sum
            }
            Expression::Math { fun, arg, arg1, arg2, .. } => {
                let kind = self.kind(frame, arg)?;
                let mut values = vec![self.value(frame, arg)?];
                for other in [arg1, arg2].into_iter().flatten() {
                    values.push(self.value(frame, other)?);
                }
                if fun == MathFunction::Dot {
                    return self.dot(kind, &values[0], &values[1]);
                }
                let values: Vec<&Value> = values.iter().collect();
                self.each(&values, &mut |writer, values| writer.math(fun, kind, values))?
            }
            Expression::As { expr, kind, convert } => {
                let from = self.kind(frame, expr)?;
                let value = self.value(frame, expr)?;
                if convert.is_none() {
                    return Ok(value);
                }
                self.each(&[&value], &mut |writer, values| writer.converted(from, kind, values[0]))?
            }
            Expression::ArrayLength(pointer) => match self.place(frame, pointer)? {
                Place::Memory { last: Some(last), .. } => {
                    let length = self.register();
                    self.line(format_args!("add.u32 {length}, {last}, 1;"));
                    Value::Word(length)
                }
                _ => return Err("the length of no buffer".into()),
            },
            ref other => return Err(format!("the expression {other:?}")),
        })
    }

    /// The value of a constant expression of the module.
    pub(super) fn constant(&mut self, handle: Handle<Expression>) -> Result<Value, String> {
        let module = self.module;
        Ok(match module.global_expressions[handle] {
            Expression::Literal(literal) => self.literal(literal)?,
            Expression::Constant(constant) => self.constant(module.constants[constant].init)?,
            Expression::ZeroValue(ty) => self.zero(ty)?,
            Expression::Compose { ref components, ty } => {
                let parts = components.iter().map(|&part| self.constant(part)).collect::<Result<Vec<_>, _>>()?;
                self.composed(ty, parts)
            }
            Expression::Splat { size, value } => Value::Parts(vec![self.constant(value)?; size as usize]),
            ref other => return Err(format!("the constant {other:?}")),
        })
    }

    /// A vector may be made of shorter ones.
    fn composed(&self, ty: Handle<naga::Type>, parts: Vec<Value>) -> Value {
        if !matches!(self.inner(ty), TypeInner::Vector { .. }) {
            return Value::Parts(parts);
        }
        let flat = parts.into_iter().flat_map(|part| match part {
            Value::Parts(parts) => parts,
            other => vec![other],
        });
        Value::Parts(flat.collect())
    }

    fn literal(&mut self, literal: Literal) -> Result<Value, String> {
        Ok(match literal {
            Literal::U32(number) => Value::literal(number),
            Literal::I32(number) => Value::literal(number as u32),
            Literal::F32(number) => Value::Word(format!("0f{:08X}", number.to_bits())),
            Literal::Bool(holds) => self.truth_of(holds),
            other => return Err(format!("the literal {other:?}")),
        })
    }

    /// The kind of number that an expression, or each component of it, is.
    fn kind(&self, frame: &Frame<'_>, handle: Handle<Expression>) -> Result<ScalarKind, String> {
        match frame.info[handle].ty.inner_with(&self.module.types) {
            TypeInner::Scalar(scalar) | TypeInner::Vector { scalar, .. } | TypeInner::Atomic(scalar) => Ok(scalar.kind),
            other => Err(format!("arithmetic with {other:?}")),
        }
    }

    /// The part of a value whose number is known at run time.
    fn picked(&mut self, value: &Value, index: &str) -> Result<Value, String> {
        let mut found = value.part(0)?.clone();
        let Value::Parts(parts) = value else { return Err("an index into a number".into()) };
        for (number, part) in parts.iter().enumerate().skip(1) {
            let here = self.predicate();
            // The last one for every index beyond.
            let relation = if number + 1 == parts.len() { "ge" } else { "eq" };
            self.line(format_args!("setp.{relation}.u32 {here}, {index}, {number};"));
            let here = Value::Truth(here);
            found = self.each(&[&here, part, &found], &mut |writer, v| writer.select(v[0], v[1], v[2]))?;
        }
        Ok(found)
    }

    fn unary(&mut self, op: UnaryOperator, kind: ScalarKind, value: &Value) -> Result<Value, String> {
        if op == UnaryOperator::LogicalNot {
            let result = self.predicate();
            self.line(format_args!("not.pred {result}, {};", value.truth()?));
            return Ok(Value::Truth(result));
        }
        let instruction = match (op, kind) {
            (UnaryOperator::BitwiseNot, _) => "not.b32",
            (_, ScalarKind::Float) => "neg.f32",
            _ => "neg.s32",
        };
        self.compute(instruction, &[value.word()?])
    }

    fn binary(&mut self, op: BinaryOperator, kind: ScalarKind, left: &Value, right: &Value) -> Result<Value, String> {
        use BinaryOperator as Op;
        let (signed, float) = (kind == ScalarKind::Sint, kind == ScalarKind::Float);
        let ty = if float {
            "f32"
        } else if signed {
            "s32"
        } else {
            "u32"
        };
        if kind == ScalarKind::Bool {
            let instruction = match op {
                Op::And | Op::LogicalAnd => "and.pred",
                Op::InclusiveOr | Op::LogicalOr => "or.pred",
                Op::ExclusiveOr | Op::NotEqual | Op::Equal => "xor.pred",
                other => return Err(format!("{other:?} of truth values")),
            };
            let result = self.predicate();
            self.line(format_args!("{instruction} {result}, {}, {};", left.truth()?, right.truth()?));
            if op == Op::Equal {
                self.line(format_args!("not.pred {result}, {result};"));
            }
            return Ok(Value::Truth(result));
        }
        let (left, right) = (left.word()?, right.word()?);
        let relation = match op {
            Op::Equal => Some("eq"),
            Op::NotEqual => Some(if float { "neu" } else { "ne" }),
            Op::Less => Some("lt"),
            Op::LessEqual => Some("le"),
            Op::Greater => Some("gt"),
            Op::GreaterEqual => Some("ge"),
            _ => None,
        };
        if let Some(relation) = relation {
            let result = self.predicate();
            self.line(format_args!("setp.{relation}.{ty} {result}, {left}, {right};"));
            return Ok(Value::Truth(result));
        }
        // The assembler divides by powers of two in full.
        if let (ScalarKind::Uint, Ok(power)) = (kind, right.parse::<u32>())
            && power.is_power_of_two()
        {
            match op {
                Op::Divide => return self.compute("shr.u32", &[left, &power.trailing_zeros().to_string()]),
                Op::Modulo => return self.compute("and.b32", &[left, &(power - 1).to_string()]),
                _ => {}
            }
        }
        let instruction = match op {
            Op::Add if float => "add.rn.f32",
            Op::Subtract if float => "sub.rn.f32",
            Op::Multiply if float => "mul.rn.f32",
            Op::Divide if float => "div.approx.ftz.f32",
            Op::Add => "add.u32",
            Op::Subtract => "sub.u32",
            Op::Multiply => "mul.lo.u32",
            Op::Divide if signed => "div.s32",
            Op::Divide => "div.u32",
            Op::Modulo if signed => "rem.s32",
            Op::Modulo if !float => "rem.u32",
            Op::And => "and.b32",
            Op::InclusiveOr => "or.b32",
            Op::ExclusiveOr => "xor.b32",
            Op::ShiftLeft | Op::ShiftRight if right.parse::<u32>().is_ok_and(|bits| bits < 32) => {
                let shift = if op == Op::ShiftLeft { "shl.b32" } else { &format!("shr.{ty}") };
                return self.compute(shift, &[left, right]);
            }
            // WGSL counts shifts modulo 32.
            Op::ShiftLeft => return self.compute("shf.l.wrap.b32", &["0", left, right]),
            Op::ShiftRight if !signed => return self.compute("shf.r.wrap.b32", &[left, "0", right]),
            Op::ShiftRight => {
                let held = self.compute("and.b32", &[right, "31"])?;
                return self.compute("shr.s32", &[left, held.word()?]);
            }
            other => return Err(format!("{other:?} of {kind:?}")),
        };
        self.compute(instruction, &[left, right])
    }

    fn select(&mut self, condition: &Value, accept: &Value, reject: &Value) -> Result<Value, String> {
        let condition = condition.truth()?;
        if let (Value::Truth(accept), Value::Truth(reject)) = (accept, reject) {
            let (result, other) = (self.predicate(), self.predicate());
            self.line(format_args!("and.pred {result}, {condition}, {accept};"));
            self.line(format_args!("not.pred {other}, {condition};"));
            self.line(format_args!("and.pred {other}, {other}, {reject};"));
            self.line(format_args!("or.pred {result}, {result}, {other};"));
            return Ok(Value::Truth(result));
        }
        self.compute("selp.b32", &[accept.word()?, reject.word()?, condition])
    }

    fn math(&mut self, fun: MathFunction, kind: ScalarKind, values: &[&Value]) -> Result<Value, String> {
        let ty = match kind {
            ScalarKind::Float => "f32",
            ScalarKind::Sint => "s32",
            _ => "u32",
        };
        let words: Vec<&str> = values.iter().map(|value| value.word()).collect::<Result<_, _>>()?;
        match fun {
            MathFunction::Min => self.compute(&format!("min.{ty}"), &words),
            MathFunction::Max => self.compute(&format!("max.{ty}"), &words),
            MathFunction::Clamp => {
                let low = self.compute(&format!("max.{ty}"), &words[..2])?;
                self.compute(&format!("min.{ty}"), &[low.word()?, words[2]])
            }
            MathFunction::Abs if kind == ScalarKind::Uint => Ok(values[0].clone()),
            MathFunction::Abs => self.compute(&format!("abs.{ty}"), &words),
            MathFunction::Sqrt => self.compute("sqrt.approx.ftz.f32", &words),
            MathFunction::Round => self.compute("cvt.rni.f32.f32", &words),
            MathFunction::Floor => self.compute("cvt.rmi.f32.f32", &words),
            MathFunction::Ceil => self.compute("cvt.rpi.f32.f32", &words),
            MathFunction::CountLeadingZeros => self.compute("clz.b32", &words),
            MathFunction::CountOneBits => self.compute("popc.b32", &words),
            MathFunction::ReverseBits => self.compute("brev.b32", &words),
            MathFunction::FirstLeadingBit => self.compute(&format!("bfind.{ty}"), &words),
            MathFunction::CountTrailingZeros => {
                let turned = self.compute("brev.b32", &words)?;
                self.compute("clz.b32", &[turned.word()?])
            }
            MathFunction::FirstTrailingBit => {
                let turned = self.compute("brev.b32", &words)?;
                self.compute("bfind.shiftamt.u32", &[turned.word()?])
            }
            other => Err(format!("the function {other:?}")),
        }
    }

    fn dot(&mut self, kind: ScalarKind, left: &Value, right: &Value) -> Result<Value, String> {
        let Value::Parts(parts) = left else { return Err("a product of no vectors".into()) };
        let mut sum: Option<Value> = None;
        for (index, part) in parts.iter().enumerate() {
            let product = self.binary(BinaryOperator::Multiply, kind, part, right.part(index)?)?;
            sum = Some(match sum {
                Some(sum) => self.binary(BinaryOperator::Add, kind, &sum, &product)?,
                None => product,
            });
        }
        sum.ok_or_else(|| "an empty vector".into())
    }

    fn converted(&mut self, from: ScalarKind, to: ScalarKind, value: &Value) -> Result<Value, String> {
        use ScalarKind::{Bool, Float, Sint, Uint};
        if from == Bool && to != Bool {
            let one = if to == Float { "0f3F800000".to_owned() } else { "1".to_owned() };
            return self.compute("selp.b32", &[&one, "0", value.truth()?]);
        }
        match (from, to) {
            (Uint | Sint, Bool) => self.binary(BinaryOperator::NotEqual, Uint, value, &Value::literal(0)),
            (Float, Bool) => self.binary(BinaryOperator::NotEqual, Float, value, &Value::literal(0)),
            (Uint, Float) => self.compute("cvt.rn.f32.u32", &[value.word()?]),
            (Sint, Float) => self.compute("cvt.rn.f32.s32", &[value.word()?]),
            (Float, Uint) => self.compute("cvt.rzi.u32.f32", &[value.word()?]),
            (Float, Sint) => self.compute("cvt.rzi.s32.f32", &[value.word()?]),
            _ => Ok(value.clone()),
        }
    }

    /// An instruction with a result.
    pub(super) fn compute(&mut self, instruction: &str, operands: &[&str]) -> Result<Value, String> {
        let result = self.register();
        self.line(format_args!("{instruction} {result}, {};", operands.join(", ")));
        Ok(Value::Word(result))
    }
}
