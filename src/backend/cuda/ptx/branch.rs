//! Short branches, which are written out side by side: a step under a condition costs less than a jump around it.

use naga::{AddressSpace, BinaryOperator, Block, Expression, Handle, Statement};

use super::Writer;
use super::statement::Frame;
use super::value::{Place, Value};

/// Steps of arithmetic that cost less than a branch around them.
const SHORT: usize = 12;

impl<'a> Writer<'a> {
    /// Whether a block does no more than a few steps of arithmetic with what is near, so that it costs less than a branch.
    pub(super) fn is_short(&self, frame: &Frame<'_>, block: &Block) -> bool {
        let mut work = 0;
        self.adds_up(frame, block, &mut work) && work <= SHORT
    }

    fn adds_up(&self, frame: &Frame<'_>, block: &Block, work: &mut usize) -> bool {
        block.iter().all(|statement| match statement {
            Statement::Emit(range) => range.clone().all(|handle| {
                *work += 1;
                match frame.function.expressions[handle] {
                    Expression::Load { pointer } => {
                        let space = frame.info[pointer].ty.inner_with(&self.module.types).pointer_space();
                        !matches!(space, Some(AddressSpace::Storage { .. }) | None)
                    }
                    Expression::Binary { op: BinaryOperator::Divide | BinaryOperator::Modulo, .. } => false,
                    _ => true,
                }
            }),
            Statement::Store { pointer, .. } => {
                *work += 1;
                matches!(self.root(frame, *pointer), Some(Place::Registers(_)))
            }
            Statement::Block(block) => self.adds_up(frame, block, work),
            Statement::If { accept, reject, .. } => {
                *work += 1;
                self.adds_up(frame, accept, work) && self.adds_up(frame, reject, work)
            }
            _ => false,
        })
    }

    /// The place of the variable that a pointer leads to.
    fn root<'f>(&'f self, frame: &'f Frame<'_>, mut pointer: Handle<Expression>) -> Option<&'f Place> {
        loop {
            match frame.function.expressions[pointer] {
                Expression::Access { base, .. } | Expression::AccessIndex { base, .. } => pointer = base,
                Expression::LocalVariable(variable) => return frame.locals.get(&variable),
                Expression::GlobalVariable(variable) => return self.globals.get(&variable),
                _ => return None,
            }
        }
    }

    /// Writes `condition && more`, which naga makes a branch of, as one instruction; whether the branch is such.
    pub(super) fn joined(
        &mut self,
        frame: &mut Frame<'a>,
        condition: &str,
        accept: &'a Block,
        reject: &'a Block,
    ) -> Result<bool, String> {
        let (Some((to, more)), Some((other, less))) = (last_store(accept), last_store(reject)) else {
            return Ok(false);
        };
        let expressions = &frame.function.expressions;
        let is_false = matches!(expressions[less], Expression::Literal(naga::Literal::Bool(false)));
        let Some(Place::Registers(place)) = self.root(frame, to).cloned() else { return Ok(false) };
        let same = matches!((&expressions[to], &expressions[other]),
            (Expression::LocalVariable(a), Expression::LocalVariable(b)) if a == b);
        if !is_false || reject.len() > 1 || !same || !matches!(*place, Value::Truth(_)) {
            return Ok(false);
        }
        let outer = self.guard.clone();
        let guard = self.predicate();
        self.line(format_args!("mov.pred {guard}, {condition};"));
        self.guard = Some(guard);
        accept[..accept.len() - 1].iter().try_for_each(|statement| self.statement(frame, statement))?;
        let more = self.value(frame, more)?;
        self.guard = outer;
        let both = self.predicate();
        self.line(format_args!("and.pred {both}, {condition}, {};", more.truth()?));
        self.assign(&place, &Value::Truth(both))?;
        Ok(true)
    }

    /// Both branches one after the other, each changing variables only where its condition holds.
    pub(super) fn side_by_side(
        &mut self,
        frame: &mut Frame<'a>,
        condition: &str,
        accept: &'a Block,
        reject: &'a Block,
    ) -> Result<(), String> {
        let outer = self.guard.clone();
        let (yes, no) = (self.predicate(), self.predicate());
        self.line(format_args!("not.pred {no}, {condition};"));
        match &outer {
            Some(outer) => {
                self.line(format_args!("and.pred {yes}, {condition}, {outer};"));
                self.line(format_args!("and.pred {no}, {no}, {outer};"));
            }
            None => self.line(format_args!("mov.pred {yes}, {condition};")),
        }
        for (guard, block) in [(yes, accept), (no, reject)] {
            self.guard = Some(guard);
            self.block(frame, block)?;
        }
        self.guard = outer;
        Ok(())
    }
}

/// The store with which a block ends: where to, and what.
fn last_store(block: &Block) -> Option<(Handle<Expression>, Handle<Expression>)> {
    match block.last() {
        Some(Statement::Store { pointer, value }) => Some((*pointer, *value)),
        _ => None,
    }
}
