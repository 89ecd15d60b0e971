//! Rows of numbers in whole vectors, so that loops over them have no remainder.

use bytemuck::{Pod, Zeroable};
use fearless_simd::i32x16;
use fearless_simd::prelude::*;

/// Numbers side by side: a vector of AVX-512, two of AVX2, four of others.
pub const WIDE: usize = 16;

/// Products that are best added together: numbers are read and written once.
pub const FUSED: usize = 4;

/// Numbers side by side.
#[repr(C, align(64))]
#[derive(Clone, Copy, Pod, Zeroable)]
pub struct Block([i32; WIDE]);

impl Block {
    /// A number many times.
    pub const fn filled(value: i32) -> Self {
        Self([value; WIDE])
    }

    /// `below` before place `from`, `beyond` from there on.
    pub const fn stepped(from: usize, below: i32, beyond: i32) -> Self {
        let mut numbers = [below; WIDE];
        let mut place = from;
        while place < WIDE {
            numbers[place] = beyond;
            place += 1;
        }
        Self(numbers)
    }

    /// As a vector.
    #[inline(always)]
    pub fn get<S: Simd>(&self, simd: S) -> i32x16<S> {
        i32x16::from_slice(simd, &self.0)
    }

    /// Takes over a vector's numbers.
    #[inline(always)]
    pub fn set<S: Simd>(&mut self, vector: i32x16<S>) {
        vector.store_slice(&mut self.0);
    }
}

/// The least number of a vector.
#[inline(always)]
pub fn least_of<S: Simd>(vector: i32x16<S>) -> i32 {
    vector.as_slice().iter().fold(i32::MAX, |least, &number| least.min(number))
}

/// As many blocks as hold `length` numbers.
pub fn blocks_of(length: usize) -> usize {
    length.div_ceil(WIDE)
}

/// The numbers of a row.
#[inline(always)]
pub fn numbers(row: &[Block]) -> &[i32] {
    bytemuck::cast_slice(row)
}

/// The numbers of a row.
#[inline(always)]
pub fn numbers_mut(row: &mut [Block]) -> &mut [i32] {
    bytemuck::cast_slice_mut(row)
}

/// The greatest number of a vector.
#[inline(always)]
pub fn greatest_of<S: Simd>(vector: i32x16<S>) -> i32 {
    vector.as_slice().iter().fold(i32::MIN, |greatest, &number| greatest.max(number))
}

/// A row of numbers for each facility; with zeros behind them.
#[derive(Clone)]
pub struct Rows {
    blocks: Vec<Block>,
    across: usize,
}

impl Rows {
    /// Of `n` zeros for each of `n` facilities.
    pub fn new(n: usize) -> Self {
        let across = blocks_of(n);
        Self { blocks: vec![Block::zeroed(); n * across], across }
    }

    /// Of `n` facilities.
    pub fn from_rows<'a>(rows: impl Iterator<Item = &'a [i32]>, n: usize) -> Self {
        let mut square = Self::new(n);
        for (row, numbers) in rows.enumerate() {
            square.row_mut(row)[..n].copy_from_slice(numbers);
        }
        square
    }

    /// A facility's row in blocks.
    #[inline(always)]
    pub fn blocks(&self, facility: usize) -> &[Block] {
        &self.blocks[facility * self.across..][..self.across]
    }

    /// A facility's row.
    #[inline(always)]
    pub fn row(&self, facility: usize) -> &[i32] {
        numbers(self.blocks(facility))
    }

    /// A facility's row.
    #[inline(always)]
    pub fn row_mut(&mut self, facility: usize) -> &mut [i32] {
        numbers_mut(&mut self.blocks[facility * self.across..][..self.across])
    }

    /// The rows.
    #[inline(always)]
    pub fn rows(&self) -> std::slice::ChunksExact<'_, i32> {
        numbers(&self.blocks).chunks_exact(self.across * WIDE)
    }
}

/// A row of numbers for each facility, block by block of all rows.
#[derive(Clone)]
pub struct Stacks {
    blocks: Vec<Block>,
    n: usize,
}

impl Stacks {
    /// Of `n` zeros for each of `n` facilities.
    pub fn new(n: usize) -> Self {
        Self { blocks: vec![Block::zeroed(); n * blocks_of(n)], n }
    }

    /// The stacks one after the other: a block of each facility's row.
    #[inline(always)]
    pub fn stacks(&self) -> std::slice::ChunksExact<'_, Block> {
        self.blocks.chunks_exact(self.n)
    }

    /// The stacks one after the other.
    #[inline(always)]
    pub fn stacks_mut(&mut self) -> std::slice::ChunksExactMut<'_, Block> {
        self.blocks.chunks_exact_mut(self.n)
    }

    /// What the facilities' rows have at `place`.
    #[inline(always)]
    pub fn column(&self, place: usize) -> impl Iterator<Item = i32> {
        self.blocks[place / WIDE * self.n..][..self.n].iter().map(move |block| block.0[place % WIDE])
    }

    /// What the facilities' rows have at `place`.
    #[inline(always)]
    pub fn column_mut(&mut self, place: usize) -> impl Iterator<Item = &mut i32> {
        self.blocks[place / WIDE * self.n..][..self.n].iter_mut().map(move |block| &mut block.0[place % WIDE])
    }

    /// Copies a facility's row.
    #[inline(always)]
    pub fn copy_row(&self, facility: usize, to: &mut [Block]) {
        for (to, stack) in to.iter_mut().zip(self.stacks()) {
            *to = stack[facility];
        }
    }

    /// Sets a facility's row.
    #[inline(always)]
    pub fn set_row(&mut self, facility: usize, row: &[Block]) {
        for (stack, &block) in self.stacks_mut().zip(row) {
            stack[facility] = block;
        }
    }

    /// Adds x(u) y(l) to the number of each facility u at each place l, for all pairs of x and y, as many as are fused at most.
    #[inline(always)]
    pub fn add_products<S: Simd>(&mut self, simd: S, pairs: &[(&[i32], &[Block])], list: &mut Vec<u32>) {
        let n = self.n;
        if let Some(all) = dense(pairs, n) {
            for (block, stack) in self.stacks_mut().enumerate() {
                add_four(simd, all, block, stack);
            }
            return;
        }
        for &(x, y) in pairs {
            list.clear();
            list_not_zero(&x[..n], list);
            for (stack, y) in self.stacks_mut().zip(y) {
                add_one(simd, x, y.get(simd), list, stack);
            }
        }
    }

    /// The same for many pairs. Each stack takes all of them before the next one does, so that it stays in the processor's cache.
    #[inline(always)]
    pub fn add_many_products<S: Simd>(&mut self, simd: S, pairs: &[(&[i32], &[Block])], list: &mut Vec<u32>) {
        let n = self.n;
        list.clear();
        let mut fused = Vec::with_capacity(pairs.len().div_ceil(FUSED));
        let mut ends = Vec::with_capacity(pairs.len());
        for pairs in pairs.chunks(FUSED) {
            let all = dense(pairs, n);
            for (x, _) in pairs {
                if all.is_none() {
                    list_not_zero(&x[..n], list);
                }
                ends.push(list.len());
            }
            fused.push(all);
        }
        for (block, stack) in self.stacks_mut().enumerate() {
            let mut begin = 0;
            for ((pairs, ends), all) in pairs.chunks(FUSED).zip(ends.chunks(FUSED)).zip(&fused) {
                if let Some(all) = all {
                    add_four(simd, all, block, stack);
                    continue;
                }
                for ((x, y), &end) in pairs.iter().zip(ends) {
                    add_one(simd, x, y[block].get(simd), &list[begin..end], stack);
                    begin = end;
                }
            }
        }
    }
}

/// As many pairs as are fused, if most numbers of their x are not 0.
#[inline(always)]
fn dense<'a, 'b>(pairs: &'a [(&'b [i32], &'b [Block])], n: usize) -> Option<&'a [(&'b [i32], &'b [Block]); FUSED]> {
    let zeros = |x: &[i32]| x[..n].iter().filter(|x| **x == 0).count();
    let all = pairs.try_into().ok()?;
    (2 * pairs.iter().map(|(x, _)| zeros(x)).sum::<usize>() < FUSED * n).then_some(all)
}

/// Adds a stack's part of the products of pairs that are fused.
#[inline(always)]
fn add_four<S: Simd>(simd: S, pairs: &[(&[i32], &[Block]); FUSED], block: usize, stack: &mut [Block]) {
    let [one, two, three, four] = pairs;
    let y = |pair: &(&[i32], &[Block])| pair.1[block].get(simd);
    let [y_one, y_two, y_three, y_four] = [y(one), y(two), y(three), y(four)];
    let x = one.0.iter().zip(two.0).zip(three.0.iter().zip(four.0));
    for (sum, ((&x_one, &x_two), (&x_three, &x_four))) in stack.iter_mut().zip(x) {
        let of = |x: i32, y: i32x16<S>| i32x16::splat(simd, x) * y;
        let first = sum.get(simd) + of(x_one, y_one) + of(x_two, y_two);
        sum.set(first + of(x_three, y_three) + of(x_four, y_four));
    }
}

/// Adds a stack's part of the products of one pair; `list` tells where x is not 0.
#[inline(always)]
fn add_one<S: Simd>(simd: S, x: &[i32], y: i32x16<S>, list: &[u32], stack: &mut [Block]) {
    for &u in list {
        let sum = &mut stack[u as usize];
        sum.set(sum.get(simd) + i32x16::splat(simd, x[u as usize]) * y);
    }
}

/// Adds to a list which of `numbers` are not 0.
#[inline(always)]
fn list_not_zero(numbers: &[i32], list: &mut Vec<u32>) {
    list.extend((0u32..).zip(numbers).filter(|(_, number)| **number != 0).map(|(place, _)| place));
}
