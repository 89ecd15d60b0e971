//! Short branches, which are written out side by side: a step under a condition costs less than a jump around it.

use naga::{AddressSpace, BinaryOperator, Block, Expression, Handle, Statement};

use super::Writer;
use super::statement::Frame;
use super::value::Place;

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
