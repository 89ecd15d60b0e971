//! One invocation of a translated kernel, instruction by instruction: what it computes is known where there is no device.

use std::collections::HashMap;

use super::super::Ptx;

/// Where storage buffers begin in memory.
const BUFFERS: u64 = 1 << 32;
/// Both words of the address of the fault word, which no test reads.
const FAULT: u32 = 1 << 20;
/// The most instructions: a loop without an end is a fault.
const MOST: usize = 100_000;

/// What the only invocation of a workgroup leaves in the last buffer, whose words and those of the others are given in the order of their bindings.
pub(super) fn run(ptx: &Ptx, buffers: &[&[u32]]) -> Vec<u32> {
    let mut machine = Machine::new(ptx, buffers);
    let lines: Vec<&str> = ptx.text.lines().map(str::trim).collect();
    let begin = lines.iter().position(|line| *line == "{").expect("a kernel has a body") + 1;
    let labels: HashMap<&str, usize> =
        lines.iter().enumerate().filter_map(|(at, line)| Some((line.strip_suffix(':')?, at))).collect();
    let mut at = begin;
    for _ in 0..MOST {
        let line = lines[at];
        at += 1;
        if line.ends_with(':') || line.starts_with('.') {
            continue;
        }
        let line = line.strip_suffix(';').unwrap_or_else(|| panic!("no instruction: {line}"));
        let (holds, line) = match line.strip_prefix('@').and_then(|rest| rest.split_once(' ')) {
            Some((guard, rest)) => match guard.strip_prefix('!') {
                Some(predicate) => (machine.value(predicate) == 0, rest),
                None => (machine.value(guard) != 0, rest),
            },
            None => (true, line),
        };
        if !holds {
            continue;
        }
        match line.split_once(' ') {
            None if line == "ret" => return machine.words(buffers.len() - 1, buffers[buffers.len() - 1].len()),
            Some(("bra", label)) => at = labels[label],
            Some((instruction, operands)) => machine.step(instruction, &split(operands)),
            None => panic!("the instruction {line}"),
        }
    }
    panic!("it does not end")
}

/// Operands, a list in braces being one of them.
fn split(operands: &str) -> Vec<&str> {
    let (mut parts, mut depth, mut begin) = (Vec::new(), 0, 0);
    for (at, letter) in operands.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(operands[begin..at].trim());
                begin = at + 1;
            }
            _ => {}
        }
    }
    parts.push(operands[begin..].trim());
    parts
}

struct Machine {
    registers: HashMap<String, u64>,
    /// Words by their addresses; a symbol's space has addresses of its own.
    memory: HashMap<(String, u64), u32>,
}

impl Machine {
    fn new(ptx: &Ptx, buffers: &[&[u32]]) -> Self {
        let mut machine = Self { registers: HashMap::new(), memory: HashMap::new() };
        for at in [8, 12] {
            machine.memory.insert(("param".into(), at), FAULT);
        }
        for (number, (bound, words)) in ptx.buffers.iter().zip(buffers).enumerate() {
            let address = BUFFERS * (number as u64 + 1);
            let last = words.len() as u64 * 4 / u64::from(bound.element_bytes) - 1;
            for (at, word) in [address as u32, (address >> 32) as u32, last as u32].into_iter().enumerate() {
                machine.memory.insert(("param".into(), u64::from(bound.offset) + 4 * at as u64), word);
            }
            for (at, word) in words.iter().enumerate() {
                machine.memory.insert(("global".into(), address + 4 * at as u64), *word);
            }
        }
        machine
    }

    fn words(&self, buffer: usize, count: usize) -> Vec<u32> {
        let address = BUFFERS * (buffer as u64 + 1);
        (0..count as u64).map(|at| self.memory[&("global".into(), address + 4 * at)]).collect()
    }

    fn value(&self, operand: &str) -> u64 {
        match operand {
            // The symbols begin their spaces; the invocation is the first one.
            "workgroup" | "own" | "arguments" | "%tid.x" | "%ctaid.x" | "%laneid" => 0,
            _ if operand.starts_with('%') => self.registers[operand],
            _ if operand.starts_with("0f") => u64::from_str_radix(&operand[2..], 16).expect("a float"),
            _ if operand.starts_with("0x") => u64::from_str_radix(&operand[2..], 16).expect("a number"),
            _ => operand.parse::<i64>().unwrap_or_else(|_| panic!("the operand {operand}")) as u64,
        }
    }

    /// The address in `[base+offset]`.
    fn address(&self, operand: &str) -> u64 {
        let inner = operand.trim_matches(['[', ']']);
        let (base, offset) = inner.split_once('+').unwrap_or((inner, "0"));
        self.value(base) + self.value(offset)
    }

    fn load(&self, space: &str, address: u64) -> u32 {
        *self.memory.get(&(space.into(), address)).unwrap_or_else(|| panic!("nothing at {address:#x} of {space}"))
    }

    fn step(&mut self, instruction: &str, operands: &[&str]) {
        let parts: Vec<&str> = instruction.split('.').collect();
        let space = parts.iter().find(|part| ["param", "global", "shared", "local"].contains(part));
        match (parts[0], space) {
            ("ld", Some(space)) => {
                let address = self.address(operands[1]);
                if instruction.ends_with("u64") {
                    let word = |at: u64| u64::from(self.load(space, address + at));
                    let wide = word(0) | word(4) << 32;
                    self.registers.insert(operands[0].into(), wide);
                }
                for (at, register) in list(operands[0]).filter(|_| !instruction.ends_with("u64")).enumerate() {
                    let word = self.load(space, address + 4 * at as u64);
                    self.registers.insert(register.into(), word.into());
                }
            }
            ("st", Some(space)) => {
                let address = self.address(operands[0]);
                for (at, register) in list(operands[1]).enumerate() {
                    self.memory.insert(((*space).into(), address + 4 * at as u64), self.value(register) as u32);
                }
            }
            ("atom" | "red", Some(space)) => {
                let (place, values) = if parts[0] == "red" { (0, &operands[1..]) } else { (1, &operands[2..]) };
                let address = self.address(operands[place]);
                let (before, value) = (self.load(space, address), self.value(values[0]) as u32);
                let operation = parts[parts.len() - 2];
                let after = match operation {
                    "exch" => value,
                    "cas" if before == value => self.value(values[1]) as u32,
                    "cas" => before,
                    _ => arithmetic(operation, parts[parts.len() - 1], &[before, value]),
                };
                self.memory.insert(((*space).into(), address), after);
                if parts[0] == "atom" {
                    self.registers.insert(operands[0].into(), before.into());
                }
            }
            ("mov", _) if operands[0].starts_with('{') => {
                let both = self.value(operands[1]);
                for (register, word) in list(operands[0]).zip([both as u32, (both >> 32) as u32]) {
                    self.registers.insert(register.into(), word.into());
                }
            }
            // One invocation waits for none, and has what it hands on.
            ("bar" | "membar", _) => {}
            _ => {
                let values: Vec<u64> =
                    operands[1..].iter().flat_map(|operand| list(operand)).map(|operand| self.value(operand)).collect();
                let result = computed(&parts, &values);
                self.registers.insert(operands[0].into(), result);
            }
        }
    }
}

/// The registers of a list in braces, or the one register.
fn list(operand: &str) -> impl Iterator<Item = &str> {
    operand.trim_matches(['{', '}']).split(',').map(str::trim)
}

fn computed(parts: &[&str], wide: &[u64]) -> u64 {
    let ty = parts[parts.len() - 1];
    let words: Vec<u32> = wide.iter().map(|value| *value as u32).collect();
    let truth = |value: bool| u64::from(value);
    match (parts[0], ty) {
        ("mov", "b64") if wide.len() == 2 => u64::from(words[0]) | u64::from(words[1]) << 32,
        ("mov" | "cvta", _) => wide[0],
        ("add", "u64") => wide[0].wrapping_add(wide[1]),
        ("sub", "u64") => wide[0].wrapping_sub(wide[1]),
        ("setp", "u64") if parts[1] == "lt" => truth(wide[0] < wide[1]),
        ("mul", "u32") if parts[1] == "hi" => (u64::from(words[0]) * u64::from(words[1])) >> 32,
        ("shfl", _) => words[0].into(),
        ("not", "pred") => truth(wide[0] == 0),
        ("and", "pred") => wide[0] & wide[1],
        ("or", "pred") => wide[0] | wide[1],
        ("xor", "pred") => wide[0] ^ wide[1],
        ("selp", _) => if wide[2] != 0 { words[0] } else { words[1] }.into(),
        ("setp", _) => truth(compared(parts[1], ty, words[0], words[1])),
        ("mad", _) if parts[1] == "wide" => wide[0] * wide[1] + wide[2],
        ("mad", _) => words[0].wrapping_mul(words[1]).wrapping_add(words[2]).into(),
        ("cvt", from) => converted(parts[1], parts[parts.len() - 2], from, words[0]).into(),
        ("shf", _) => {
            let (both, shift) = (u64::from(words[0]) | u64::from(words[1]) << 32, words[2] % 32);
            u64::from(if parts[1] == "l" { (both << shift >> 32) as u32 } else { (both >> shift) as u32 })
        }
        ("clz", _) => words[0].leading_zeros().into(),
        ("popc", _) => words[0].count_ones().into(),
        ("brev", _) => words[0].reverse_bits().into(),
        ("bfind", _) => {
            // Of a negative number the highest bit that is not the sign's.
            let bits = if ty == "s32" && (words[0] as i32) < 0 { !words[0] } else { words[0] };
            let found = bits.checked_ilog2();
            let shift = parts[1] == "shiftamt";
            found.map_or(u32::MAX, |bit| if shift { 31 - bit } else { bit }).into()
        }
        (operation, ty) => arithmetic(operation, ty, &words).into(),
    }
}

fn compared(relation: &str, ty: &str, left: u32, right: u32) -> bool {
    let order = match ty {
        "f32" => f32::from_bits(left).partial_cmp(&f32::from_bits(right)),
        "s32" => Some((left as i32).cmp(&(right as i32))),
        _ => Some(left.cmp(&right)),
    };
    match relation {
        "eq" => order.is_some_and(|order| order.is_eq()),
        "ne" => order.is_some_and(|order| order.is_ne()),
        // Also where either is no number.
        "neu" => order.is_none_or(|order| order.is_ne()),
        "lt" => order.is_some_and(|order| order.is_lt()),
        "le" => order.is_some_and(|order| order.is_le()),
        "gt" => order.is_some_and(|order| order.is_gt()),
        "ge" => order.is_some_and(|order| order.is_ge()),
        other => panic!("the relation {other}"),
    }
}

fn converted(mode: &str, to: &str, from: &str, word: u32) -> u32 {
    let float = f32::from_bits(word);
    match (to, from, mode) {
        ("f32", "f32", "rni") => float.round_ties_even().to_bits(),
        ("f32", "f32", "rmi") => float.floor().to_bits(),
        ("f32", "f32", "rpi") => float.ceil().to_bits(),
        ("f32", "u32", "rn") => (word as f32).to_bits(),
        ("f32", "s32", "rn") => (word as i32 as f32).to_bits(),
        ("u32", "f32", "rzi") => float as u32,
        ("s32", "f32", "rzi") => float as i32 as u32,
        other => panic!("the conversion {other:?}"),
    }
}

fn arithmetic(operation: &str, ty: &str, words: &[u32]) -> u32 {
    let [a, b] = [words[0], words.get(1).copied().unwrap_or_default()];
    if ty == "f32" {
        let [a, b] = [a, b].map(f32::from_bits);
        let result = match operation {
            "add" => a + b,
            "sub" => a - b,
            "mul" => a * b,
            "div" => a / b,
            "min" => a.min(b),
            "max" => a.max(b),
            "neg" => -a,
            "abs" => a.abs(),
            "sqrt" => a.sqrt(),
            other => panic!("{other} of floats"),
        };
        return result.to_bits();
    }
    let [signed, other] = [a as i32, b as i32];
    let is_signed = ty == "s32";
    match operation {
        "add" => a.wrapping_add(b),
        "sub" => a.wrapping_sub(b),
        "mul" => a.wrapping_mul(b),
        "div" if is_signed => signed.wrapping_div(other) as u32,
        "div" => a / b,
        "rem" if is_signed => signed.wrapping_rem(other) as u32,
        "rem" => a % b,
        "min" if is_signed => signed.min(other) as u32,
        "min" => a.min(b),
        "max" if is_signed => signed.max(other) as u32,
        "max" => a.max(b),
        "neg" => a.wrapping_neg(),
        "abs" => signed.unsigned_abs(),
        "not" => !a,
        "and" => a & b,
        "or" => a | b,
        "xor" => a ^ b,
        // Shifts by 32 and more leave nothing but the sign.
        "shl" => a.checked_shl(b).unwrap_or_default(),
        "shr" if is_signed => (signed >> b.min(31)) as u32,
        "shr" => a.checked_shr(b).unwrap_or_default(),
        other => panic!("the operation {other} of {ty}"),
    }
}
