//! Functions and statements.

use std::collections::HashMap;

use naga::valid::FunctionInfo;
use naga::{
    AtomicFunction, Barrier, Block, BuiltIn, CollectiveOperation, EntryPoint, Expression, Function, GatherMode, Handle,
    LocalVariable, ScalarKind, Statement, SwitchValue, TypeInner,
};

use super::Writer;
use super::value::{Place, Value};

/// A function that is being written out.
pub(super) struct Frame<'a> {
    pub(super) function: &'a Function,
    pub(super) info: &'a FunctionInfo,
    pub(super) arguments: Vec<Value>,
    pub(super) values: HashMap<Handle<Expression>, Value>,
    pub(super) locals: HashMap<Handle<LocalVariable>, Place>,
    /// Registers for the result, and where to go on after a return; `None` in the entry point.
    result: Option<Value>,
    end: Option<String>,
    /// Where `break` and `continue` lead, innermost last.
    exits: Vec<(String, String)>,
}

impl<'a> Writer<'a> {
    pub(super) fn entry_function(&mut self, entry: &'a EntryPoint) -> Result<(), String> {
        let mut arguments = Vec::new();
        for argument in &entry.function.arguments {
            let builtin = match argument.binding {
                Some(naga::Binding::BuiltIn(builtin)) => builtin,
                _ => return Err("an argument that is no built-in".into()),
            };
            arguments.push(self.builtin(builtin)?);
        }
        self.function(&entry.function, self.info.get_entry_point(0), arguments, None)?;
        Ok(())
    }

    fn builtin(&mut self, builtin: BuiltIn) -> Result<Value, String> {
        Ok(match builtin {
            BuiltIn::LocalInvocationIndex => self.own_index()?,
            BuiltIn::SubgroupInvocationId => self.compute("mov.u32", &["%laneid"])?,
            BuiltIn::SubgroupSize => Value::literal(32),
            BuiltIn::WorkGroupId => self.triple("%ctaid.x")?,
            BuiltIn::NumWorkGroups => self.triple("%nctaid.x")?,
            BuiltIn::LocalInvocationId => self.triple("%tid.x")?,
            BuiltIn::GlobalInvocationId => {
                let (group, lane) = (self.compute("mov.u32", &["%ctaid.x"])?, self.compute("mov.u32", &["%tid.x"])?);
                let lanes = self.lanes.to_string();
                let index = self.compute("mad.lo.u32", &[group.word()?, &lanes, lane.word()?])?;
                Value::Parts(vec![index, Value::literal(0), Value::literal(0)])
            }
            other => return Err(format!("the built-in {other:?}")),
        })
    }

    /// The invocation's index in its workgroup, by way of an exchange with itself: what the assembler could read from the special
    /// register again it does read again, in every turn of a loop, and waits for it.
    fn own_index(&mut self) -> Result<Value, String> {
        let (index, lane) = (self.compute("mov.u32", &["%tid.x"])?, self.compute("mov.u32", &["%laneid"])?);
        let members = self.members();
        self.compute("shfl.sync.idx.b32", &[index.word()?, lane.word()?, "31", &members])
    }

    fn triple(&mut self, first: &str) -> Result<Value, String> {
        Ok(Value::Parts(vec![self.compute("mov.u32", &[first])?, Value::literal(0), Value::literal(0)]))
    }

    /// Writes a function out; its result.
    fn function(
        &mut self,
        function: &'a Function,
        info: &'a FunctionInfo,
        arguments: Vec<Value>,
        end: Option<String>,
    ) -> Result<Option<Value>, String> {
        let result = match (&function.result, &end) {
            (Some(result), Some(_)) => {
                let shape = self.zero(result.ty)?;
                Some(self.registers_like(&shape))
            }
            _ => None,
        };
        let mut frame = Frame {
            function,
            info,
            arguments,
            values: HashMap::new(),
            locals: HashMap::new(),
            result,
            end,
            exits: Vec::new(),
        };
        for (handle, variable) in function.local_variables.iter() {
            let first = match variable.init {
                Some(init) => self.value(&mut frame, init)?,
                None => self.zero(variable.ty)?,
            };
            // A variable without a name is a step of a condition: its truth value does not last.
            let first = if variable.name.is_some() { self.lasting(&first) } else { first };
            let place = self.variable(variable.ty, is_indexed(function, handle), first)?;
            frame.locals.insert(handle, place);
        }
        self.block(&mut frame, &function.body)?;
        if let Some(end) = &frame.end {
            self.line(format_args!("{end}:"));
        }
        Ok(frame.result)
    }

    pub(super) fn block(&mut self, frame: &mut Frame<'a>, block: &'a Block) -> Result<(), String> {
        block.iter().zip(block.iter().skip(1).map(Some).chain([None])).try_for_each(|(statement, next)| {
            // One barrier orders all memory: of two in a row the second does.
            match (statement, next) {
                (Statement::ControlBarrier(_), Some(Statement::ControlBarrier(_))) => Ok(()),
                _ => self.statement(frame, statement),
            }
        })
    }

    pub(super) fn statement(&mut self, frame: &mut Frame<'a>, statement: &'a Statement) -> Result<(), String> {
        match statement {
            Statement::Emit(range) => {
                for handle in range.clone() {
                    self.value(frame, handle)?;
                }
            }
            Statement::Block(block) => self.block(frame, block)?,
            Statement::If { condition, accept, reject }
                if self.is_short(frame, accept) && self.is_short(frame, reject) =>
            {
                let condition = self.value(frame, *condition)?;
                if !self.joined(frame, condition.truth()?, accept, reject)? {
                    self.side_by_side(frame, condition.truth()?, accept, reject)?;
                }
            }
            Statement::If { condition, accept, reject } => {
                let condition = self.value(frame, *condition)?;
                if let ([], Some(exit)) = (&accept[..], leads_out(frame, reject)) {
                    self.line(format_args!("@!{} bra {exit};", condition.truth()?));
                    return Ok(());
                }
                if let (Some(exit), []) = (leads_out(frame, accept), &reject[..]) {
                    self.line(format_args!("@{} bra {exit};", condition.truth()?));
                    return Ok(());
                }
                let (other, end) = (self.label(), self.label());
                let to = if reject.is_empty() { &end } else { &other };
                self.line(format_args!("@!{} bra {to};", condition.truth()?));
                self.block(frame, accept)?;
                if !reject.is_empty() {
                    self.line(format_args!("bra {end};"));
                    self.line(format_args!("{other}:"));
                    self.block(frame, reject)?;
                }
                self.line(format_args!("{end}:"));
            }
            Statement::Switch { selector, cases } => self.switch(frame, *selector, cases)?,
            Statement::Loop { body, continuing, break_if } => {
                let (top, next, end) = (self.label(), self.label(), self.label());
                self.line(format_args!("{top}:"));
                frame.exits.push((end.clone(), next.clone()));
                self.block(frame, body)?;
                self.line(format_args!("{next}:"));
                self.block(frame, continuing)?;
                frame.exits.pop();
                match break_if {
                    Some(condition) => {
                        let condition = self.value(frame, *condition)?;
                        self.line(format_args!("@!{} bra {top};", condition.truth()?));
                    }
                    None => self.line(format_args!("bra {top};")),
                }
                self.line(format_args!("{end}:"));
            }
            Statement::Break => self.exit(frame, |exits| &exits.0)?,
            Statement::Continue => self.exit(frame, |exits| &exits.1)?,
            Statement::Return { value } => {
                if let (Some(value), Some(result)) = (value, frame.result.clone()) {
                    let value = self.value(frame, *value)?;
                    self.assign(&result, &value)?;
                }
                match &frame.end {
                    Some(end) => self.line(format_args!("bra {end};")),
                    None => self.line(format_args!("ret;")),
                }
            }
            Statement::ControlBarrier(barrier) => self.barrier(*barrier),
            Statement::MemoryBarrier(_) => self.line(format_args!("membar.cta;")),
            Statement::Store { pointer, value } => {
                let (place, value) = (self.place(frame, *pointer)?, self.value(frame, *value)?);
                self.store(&place, &value)?;
            }
            Statement::Atomic { pointer, fun, value, result } => {
                let (place, value) = (self.place(frame, *pointer)?, self.word(frame, *value)?);
                let compared = match fun {
                    AtomicFunction::Exchange { compare: Some(compare) } => Some(self.word(frame, *compare)?),
                    _ => None,
                };
                let before = self.atomic(&place, *fun, &value, compared.as_deref(), result.is_some())?;
                if let (Some(result), Some(before)) = (result, before) {
                    frame.values.insert(*result, before);
                }
            }
            Statement::WorkGroupUniformLoad { pointer, result } => {
                let place = self.place(frame, *pointer)?;
                self.barrier(Barrier::WORK_GROUP);
                let value = self.load(&place)?;
                self.barrier(Barrier::WORK_GROUP);
                frame.values.insert(*result, value);
            }
            Statement::Call { function, arguments, result } => {
                let arguments =
                    arguments.iter().map(|&argument| self.value(frame, argument)).collect::<Result<Vec<_>, _>>()?;
                let module = self.module;
                let called = &module.functions[*function];
                let called = match self.intrinsic(called.name.as_deref(), &arguments)? {
                    Some(value) => Some(value),
                    None => {
                        let arguments = arguments.iter().map(|argument| self.lasting(argument)).collect();
                        let end = self.label();
                        self.function(called, &self.info[*function], arguments, Some(end))?
                    }
                };
                if let (Some(result), Some(called)) = (result, called) {
                    frame.values.insert(*result, called);
                }
            }
            Statement::SubgroupCollectiveOperation { op, collective_op, argument, result } => {
                let signed = is_signed(self.module, frame, *argument);
                let argument = self.value(frame, *argument)?;
                if *collective_op != CollectiveOperation::Reduce {
                    return Err(format!("{collective_op:?} in a subgroup"));
                }
                let value = self.each(&[&argument], &mut |writer, values| writer.reduce(*op, signed, values[0]))?;
                frame.values.insert(*result, value);
            }
            Statement::SubgroupGather { mode, argument, result } => {
                let argument = self.value(frame, *argument)?;
                let (mode, from, bounds) = match *mode {
                    GatherMode::BroadcastFirst => ("idx", "0".to_owned(), 31),
                    GatherMode::Broadcast(from) | GatherMode::Shuffle(from) => ("idx", self.word(frame, from)?, 31),
                    GatherMode::ShuffleDown(from) => ("down", self.word(frame, from)?, 31),
                    GatherMode::ShuffleUp(from) => ("up", self.word(frame, from)?, 0),
                    GatherMode::ShuffleXor(from) => ("bfly", self.word(frame, from)?, 31),
                    other => return Err(format!("{other:?} in a subgroup")),
                };
                let value = self.each(&[&argument], &mut |writer, values| {
                    let word = writer.stored(values[0])?;
                    let (result, members) = (writer.register(), writer.members());
                    writer.line(format_args!("shfl.sync.{mode}.b32 {result}, {word}, {from}, {bounds}, {members};"));
                    Ok(Value::Word(result))
                })?;
                frame.values.insert(*result, value);
            }
            Statement::SubgroupBallot { result, predicate } => {
                let predicate = match predicate {
                    Some(predicate) => self.value(frame, *predicate)?,
                    None => self.truth_of(true),
                };
                let (bits, members) = (self.register(), self.members());
                self.line(format_args!("vote.sync.ballot.b32 {bits}, {}, {members};", predicate.truth()?));
                let rest = std::iter::repeat_n(Value::literal(0), 3);
                frame.values.insert(*result, Value::Parts(std::iter::once(Value::Word(bits)).chain(rest).collect()));
            }
            other => return Err(format!("the statement {other:?}")),
        }
        Ok(())
    }

    fn exit(&mut self, frame: &Frame<'_>, which: impl Fn(&(String, String)) -> &String) -> Result<(), String> {
        let exits = frame.exits.last().ok_or("a way out of no loop")?;
        self.line(format_args!("bra {};", which(exits)));
        Ok(())
    }

    fn switch(
        &mut self,
        frame: &mut Frame<'a>,
        selector: Handle<Expression>,
        cases: &'a [naga::SwitchCase],
    ) -> Result<(), String> {
        let selector = self.word(frame, selector)?;
        let labels: Vec<String> = cases.iter().map(|_| self.label()).collect();
        let end = self.label();
        let mut other = &end;
        for (case, label) in cases.iter().zip(&labels) {
            let number = match case.value {
                SwitchValue::U32(number) => number,
                SwitchValue::I32(number) => number as u32,
                SwitchValue::Default => {
                    other = label;
                    continue;
                }
            };
            let here = self.predicate();
            self.line(format_args!("setp.eq.u32 {here}, {selector}, {number};"));
            self.line(format_args!("@{here} bra {label};"));
        }
        self.line(format_args!("bra {other};"));
        // `continue` still leads out to the loop.
        let next = frame.exits.last().map_or_else(String::new, |exits| exits.1.clone());
        frame.exits.push((end.clone(), next));
        for (case, label) in cases.iter().zip(&labels) {
            self.line(format_args!("{label}:"));
            self.block(frame, &case.body)?;
            if !case.fall_through {
                self.line(format_args!("bra {end};"));
            }
        }
        frame.exits.pop();
        self.line(format_args!("{end}:"));
        Ok(())
    }
}

/// Where a block leads that is nothing but a way out of a loop.
fn leads_out<'f>(frame: &'f Frame<'_>, block: &Block) -> Option<&'f str> {
    let exits = frame.exits.last()?;
    match &block[..] {
        [Statement::Break] => Some(&exits.0),
        [Statement::Continue] => Some(&exits.1),
        _ => None,
    }
}

fn is_signed(module: &naga::Module, frame: &Frame<'_>, handle: Handle<Expression>) -> bool {
    match frame.info[handle].ty.inner_with(&module.types) {
        TypeInner::Scalar(scalar) | TypeInner::Vector { scalar, .. } => scalar.kind == ScalarKind::Sint,
        _ => false,
    }
}

/// Whether a part of the variable is asked for by an index that is known at run time.
fn is_indexed(function: &Function, variable: Handle<LocalVariable>) -> bool {
    let leads_there = |mut handle: Handle<Expression>| loop {
        match function.expressions[handle] {
            Expression::LocalVariable(found) => return found == variable,
            Expression::Access { base, .. } | Expression::AccessIndex { base, .. } => handle = base,
            _ => return false,
        }
    };
    function.expressions.iter().any(|(_, expression)| match *expression {
        Expression::Access { base, .. } => leads_there(base),
        _ => false,
    })
}
