//! What stands for the window of `--watch` in a program that was built without the feature `window`: there never is one.

use myrmex::{Cancel, Error, Problem, Result, Target};

pub enum View {}

impl View {
    pub fn check(_: &Problem) -> Result<()> {
        Ok(())
    }

    pub fn begin(&self, _: &Problem, _: Target) -> Result<Target> {
        match *self {}
    }

    pub fn is_ready(&self) -> bool {
        match *self {}
    }

    pub fn show(&self, _: &[u32]) {
        match *self {}
    }

    pub fn say(&self, _: String) {
        match *self {}
    }

    pub fn finish(&self, _: bool) {
        match *self {}
    }
}

pub enum Windows {}

impl Windows {
    pub fn new() -> Result<(Self, View)> {
        let remedy = "build it with '--features window', or let --picture draw the tour at the end";
        Err(Error::Config(format!("--watch: this program was built without the window; {remedy}")))
    }

    pub fn run(self, _: &View, _: &Cancel, _: impl FnMut()) -> Result<()> {
        match self {}
    }
}
