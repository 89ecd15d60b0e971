//! What invocations do together: barriers and reductions.

use naga::{Barrier, SubgroupOperation};

use super::Writer;
use super::value::Value;

impl Writer<'_> {
    /// Invocations of a subgroup, a bit each.
    pub(super) fn members(&self) -> String {
        if self.lanes >= 32 { "0xffffffff".into() } else { format!("{:#x}", (1u32 << self.lanes) - 1) }
    }

    pub(super) fn barrier(&mut self, barrier: Barrier) {
        // A workgroup that is one subgroup, or less, needs no more than that to wait.
        if self.lanes <= 32 || barrier == Barrier::SUB_GROUP {
            let members = self.members();
            self.line(format_args!("bar.warp.sync {members};"));
        } else {
            self.line(format_args!("bar.sync 0;"));
        }
    }

    /// A reduction over the subgroup: one instruction where the device has it, else exchanges between halves.
    pub(super) fn reduce(&mut self, op: SubgroupOperation, signed: bool, value: &Value) -> Result<Value, String> {
        let members = self.members();
        if let Value::Truth(predicate) = value {
            let mode = match op {
                SubgroupOperation::All => "all",
                SubgroupOperation::Any => "any",
                other => return Err(format!("{other:?} of truth values")),
            };
            let result = self.predicate();
            self.line(format_args!("vote.sync.{mode}.pred {result}, {predicate}, {members};"));
            return Ok(Value::Truth(result));
        }
        let number = if signed { "s32" } else { "u32" };
        let (operation, ty) = match op {
            SubgroupOperation::Add => ("add", number),
            SubgroupOperation::Min => ("min", number),
            SubgroupOperation::Max => ("max", number),
            SubgroupOperation::And => ("and", "b32"),
            SubgroupOperation::Or => ("or", "b32"),
            SubgroupOperation::Xor => ("xor", "b32"),
            other => return Err(format!("{other:?} in a subgroup")),
        };
        if self.options.capability >= 80 {
            return self.compute(&format!("redux.sync.{operation}.{ty}"), &[value.word()?, &members]);
        }
        let mut sum = value.clone();
        for reach in [16, 8, 4, 2, 1u32] {
            if reach < self.lanes {
                let other = self.compute("shfl.sync.bfly.b32", &[sum.word()?, &reach.to_string(), "31", &members])?;
                sum = self.compute(&format!("{operation}.{ty}"), &[sum.word()?, other.word()?])?;
            }
        }
        Ok(sum)
    }
}
