//! Shaders as browsers take them. WebGPU refuses a barrier in control flow that it cannot prove to be the same for all lanes of a
//! workgroup (WGSL, "uniformity analysis"). Kernels decide by what lies in workgroup memory and storage, which is the same for all lanes but
//! not provably so. So each condition that a barrier depends on is taken from one lane: the others agree anyhow.
//!
//! Native drivers need none of this, and pay nothing for it.

use std::collections::BTreeSet;
use std::ops::Range;

/// Bytes of workgroup memory that it takes.
pub const WORKGROUP_BYTES: u32 = 16;

const BARRIERS: [&str; 3] = ["workgroupBarrier", "storageBarrier", "workgroupUniformLoad"];
const LANE: &str = "@builtin(local_invocation_index)";
const SAME_FOR_ALL: &str = "
var<private> lane_here: u32;
var<workgroup> said_by_one: u32;

fn same_for_all(holds: bool) -> bool {
    if lane_here == 0u {
        said_by_one = select(0u, 1u, holds);
    }
    return workgroupUniformLoad(&said_by_one) == 1u;
}
";

/// The shader with every condition that a barrier depends on taken from one lane; unchanged where there is none.
pub fn uniform_flow(source: &str) -> String {
    let tokens = tokens(source);
    let functions = functions(&tokens);
    let shader = Shader { barriers: with_barriers(&tokens, &functions), tokens };
    let mut wrapped = Vec::new();
    for (_, body) in functions.iter().filter(|(name, _)| shader.barriers.contains(name)) {
        shader.block(body.clone(), Within { of_loop: false, in_loop: false, end: body.end }, &mut wrapped);
    }
    // Where the entry point takes note of its lane.
    let main = functions.iter().find(|(name, _)| *name == "main");
    let lane = source.find(LANE).and_then(|at| shader.tokens.iter().find(|token| token.at >= at + LANE.len()));
    let (Some((_, body)), Some(lane), false) = (main, lane, wrapped.is_empty()) else { return source.to_owned() };
    let mut edits: Vec<(usize, String)> = Vec::new();
    for range in wrapped {
        let last = &shader.tokens[range.end - 1];
        edits.push((shader.tokens[range.start].at, "same_for_all(".into()));
        edits.push((last.at + last.text.len(), ")".into()));
    }
    edits.push((shader.tokens[body.start].at + 1, format!("\n    lane_here = {};", lane.text)));
    // Of edits at one place those behind come first, so that what they enclose is nested.
    edits.sort_by_key(|(at, _)| *at);
    let mut out = String::with_capacity(source.len() + 4096);
    let mut done = 0;
    for (at, text) in edits {
        out.push_str(&source[done..at]);
        out.push_str(&text);
        done = at;
    }
    out.push_str(&source[done..]);
    out.push_str(SAME_FOR_ALL);
    out
}

/// A word or a sign, and where it lies.
struct Token<'a> {
    text: &'a str,
    at: usize,
}

fn tokens(source: &str) -> Vec<Token<'_>> {
    let bytes = source.as_bytes();
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let rest = &source[at..];
        if rest.starts_with("//") {
            at += rest.find('\n').unwrap_or(rest.len());
            continue;
        }
        let length = if is_word(bytes[at]) {
            rest.bytes().take_while(|byte| is_word(*byte)).count()
        } else if rest.starts_with("&&") || rest.starts_with("||") {
            2
        } else {
            rest.chars().next().map_or(1, char::len_utf8)
        };
        if !bytes[at].is_ascii_whitespace() {
            tokens.push(Token { text: &rest[..length], at });
        }
        at += length;
    }
    tokens
}

/// The token that closes what the one at `open` opens.
fn closing(tokens: &[Token<'_>], open: usize) -> usize {
    let mut depth = 0usize;
    for (at, token) in tokens.iter().enumerate().skip(open) {
        match token.text {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => {
                depth -= 1;
                if depth == 0 {
                    return at;
                }
            }
            _ => {}
        }
    }
    tokens.len() - 1
}

/// Functions with their bodies, braces included.
fn functions<'a>(tokens: &[Token<'a>]) -> Vec<(&'a str, Range<usize>)> {
    let begins = tokens.iter().enumerate().filter(|(_, token)| token.text == "fn").map(|(at, _)| at);
    let body = |at: usize| {
        let parameters = closing(tokens, at + 2);
        let open = (parameters..tokens.len()).find(|&at| tokens[at].text == "{")?;
        Some((tokens[at + 1].text, open..closing(tokens, open) + 1))
    };
    begins.filter_map(body).collect()
}

/// The functions that wait at a barrier, by themselves or by what they call.
fn with_barriers<'a>(tokens: &[Token<'a>], functions: &[(&'a str, Range<usize>)]) -> BTreeSet<&'a str> {
    let mut found: BTreeSet<&str> = BARRIERS.into();
    loop {
        let known = found.len();
        for (name, body) in functions {
            if tokens[body.clone()].iter().any(|token| found.contains(token.text)) {
                found.insert(name);
            }
        }
        if found.len() == known {
            return found;
        }
    }
}

/// Where a statement is.
#[derive(Clone, Copy)]
struct Within {
    /// Whether the loop around it waits at a barrier, and whether any loop around it does.
    of_loop: bool,
    in_loop: bool,
    /// Where its function ends.
    end: usize,
}

struct Shader<'a> {
    tokens: Vec<Token<'a>>,
    barriers: BTreeSet<&'a str>,
}

impl Shader<'_> {
    fn text(&self, at: usize) -> &str {
        self.tokens.get(at).map_or("", |token| token.text)
    }

    fn waits(&self, range: Range<usize>) -> bool {
        self.tokens[range].iter().any(|token| self.barriers.contains(token.text))
    }

    /// Whether a statement leaves the loop around it, or the function, before the others wait at a barrier there.
    fn leaves(&self, range: Range<usize>, within: Within) -> bool {
        let returns_early = within.in_loop || self.waits(range.end..within.end);
        let mut at = range.start;
        let mut inner_end = 0;
        while at < range.end {
            match self.text(at) {
                "loop" | "while" | "for" => {
                    let open = self.open_brace(at);
                    inner_end = inner_end.max(closing(&self.tokens, open));
                }
                "break" | "continue" if within.of_loop && at > inner_end => return true,
                "return" if returns_early => return true,
                _ => {}
            }
            at += 1;
        }
        false
    }

    /// The brace that opens the body of the statement at `at`.
    fn open_brace(&self, at: usize) -> usize {
        (at..self.tokens.len()).find(|&at| self.text(at) == "{").unwrap_or(at)
    }

    /// The conditions in a block, braces included, that barriers depend on.
    fn block(&self, block: Range<usize>, within: Within, wrapped: &mut Vec<Range<usize>>) {
        let mut at = block.start + 1;
        while at + 1 < block.end {
            match self.text(at) {
                "if" => at = self.choice(at, within, wrapped),
                "while" | "for" | "loop" => {
                    let open = self.open_brace(at);
                    let end = closing(&self.tokens, open) + 1;
                    let waits = self.waits(at..end);
                    let condition = match self.text(at) {
                        "while" => at + 1..open,
                        "for" => self.condition_of_for(at, open),
                        _ => at..at,
                    };
                    if waits {
                        self.wrap(condition, wrapped);
                    }
                    let inner = Within { of_loop: waits, in_loop: within.in_loop || waits, ..within };
                    self.block(open..end, inner, wrapped);
                    at = end;
                }
                "{" => {
                    let end = closing(&self.tokens, at) + 1;
                    self.block(at..end, within, wrapped);
                    at = end;
                }
                _ => at += 1,
            }
        }
    }

    /// The conditions of the `if` at `at` with all that follows by `else`; the token behind it.
    fn choice(&self, at: usize, within: Within, wrapped: &mut Vec<Range<usize>>) -> usize {
        let open = self.open_brace(at);
        let end = closing(&self.tokens, open) + 1;
        let mut behind = end;
        while self.text(behind) == "else" {
            behind = closing(&self.tokens, self.open_brace(behind)) + 1;
        }
        if self.waits(at..behind) || self.leaves(at..behind, within) {
            self.wrap(at + 1..open, wrapped);
        }
        self.block(open..end, within, wrapped);
        match (self.text(end), self.text(end + 1)) {
            ("else", "if") => self.choice(end + 1, within, wrapped),
            ("else", _) => {
                self.block(end + 1..behind, within, wrapped);
                behind
            }
            _ => behind,
        }
    }

    /// What stands between the semicolons of the `for` at `at`.
    fn condition_of_for(&self, at: usize, open: usize) -> Range<usize> {
        let signs: Vec<usize> = (at..open).filter(|&at| self.text(at) == ";").collect();
        match signs[..] {
            [first, second] => first + 1..second,
            _ => at..at,
        }
    }

    /// Wraps a condition, unless parameters and constants alone decide it. Where what stands behind a `&&` or `||` waits at a barrier, what
    /// stands before it is a condition too.
    fn wrap(&self, condition: Range<usize>, wrapped: &mut Vec<Range<usize>>) {
        if condition.is_empty() || self.is_plain(condition.clone()) {
            return;
        }
        let sign = condition.clone().find(|&at| matches!(self.text(at), "&&" | "||"));
        if let Some(sign) = sign.filter(|&sign| self.waits(sign..condition.end)) {
            wrapped.push(condition.start..sign);
        }
        wrapped.push(condition);
    }

    /// Whether it has numbers, constants and parameters alone.
    fn is_plain(&self, condition: Range<usize>) -> bool {
        condition.clone().all(|at| {
            let text = self.text(at);
            let begins = text.as_bytes()[0];
            let is_field = at > condition.start && self.text(at - 1) == ".";
            !begins.is_ascii_lowercase() || text == "params" || is_field
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The conditions that are taken from one lane.
    fn wrapped(source: &str) -> Vec<String> {
        let text = uniform_flow(source);
        let body = text.split("\nvar<private> lane_here").next().unwrap_or_default();
        let found = body.match_indices("same_for_all(").map(|(at, name)| {
            let rest = &body[at + name.len()..];
            let mut depth = 1;
            let end = rest.find(|sign| {
                depth += i32::from(sign == '(') - i32::from(sign == ')');
                depth == 0
            });
            rest[..end.unwrap()].to_owned()
        });
        found.collect()
    }

    fn kernel(body: &str) -> String {
        format!(
            "fn meets(lane: u32) -> bool {{ workgroupBarrier(); return false; }}\n\
             fn alone() -> u32 {{ loop {{ if seen {{ break; }} }} return 1u; }}\n\
             @compute @workgroup_size(LANES)\n\
             fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {{\n{body}\n}}\n"
        )
    }

    #[test]
    fn conditions_that_barriers_depend_on_are_taken_from_one_lane() {
        let cases: [(&str, &[&str]); 10] = [
            ("if waiting == 0u { workgroupBarrier(); }", &["waiting == 0u"]),
            ("if lane == 0u { waiting = 1u; } // if this { workgroupBarrier(); }", &[]),
            ("if a { b = 1u; } else if c { meets(lane); } else { d = 1u; }", &["a", "c"]),
            ("while more { let x = alone(); meets(lane); }", &["more"]),
            ("for (var i = lane; i < n; i += LANES) { alone(); } storageBarrier();", &[]),
            ("for (var i = 0u; i < n; i++) { if full { continue; } meets(lane); }", &["i < n", "full"]),
            // What is behind the last barrier is free, and what is before it is not.
            ("if done { return; } workgroupBarrier(); if lane != 0u { return; } x = 1u;", &["done"]),
            (
                "loop { if over { break; } for (var j = lane; j < n; j++) { if odd { break; } } meets(lane); }",
                &["over"],
            ),
            ("if params.rounds > 2u { workgroupBarrier(); }", &[]),
            (
                "if walked == 0u && !meets(lane) { x = 1u; }",
                &["same_for_all(walked == 0u) && !meets(lane)", "walked == 0u"],
            ),
        ];
        for (body, expected) in cases {
            assert_eq!(wrapped(&kernel(body)), expected, "{body}");
        }
    }

    #[test]
    fn the_lane_is_known_before_it_is_asked_for() {
        let text = uniform_flow(&kernel("if done { return; }\nworkgroupBarrier();"));
        assert!(text.contains("lane: u32) {\n    lane_here = lane;\nif same_for_all(done)"), "{text}");
        let unchanged = kernel("if lane == 0u { x = 1u; }");
        assert_eq!(uniform_flow(&unchanged), unchanged);
    }
}
