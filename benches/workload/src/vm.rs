//! A stack machine that keeps all its state in globals: what an interpreter's executor does.
//!
//! It is written once, over [`Placement`]; one build measures it in static and in cached storage.
//! Each instruction asks for the globals anew, as a function per opcode would; within an
//! instruction the reference is kept, as anybody would write it. The programs are Fibonacci, a
//! sieve and string loops.

pub mod layout;
mod placement;
mod programs;

use std::cell::Cell;

use tsrm::Attached;

pub use placement::{InCached, InStatic, Placement, in_cached, in_static};
pub use programs::{EXPECTED, PROGRAMS};

/// One instruction. Operands are popped from the stack, results are pushed.
#[derive(Clone, Copy, Debug)]
pub enum Instruction {
    /// Pushes a constant.
    Push(i64),
    /// Pushes a local variable of the running function.
    Load(usize),
    /// Pops into a local variable.
    Store(usize),
    /// `a + b`
    Add,
    /// `a - b`
    Subtract,
    /// `a * b`
    Multiply,
    /// `a % b`
    Remainder,
    /// `a < b`, as 1 or 0
    Less,
    /// Goes on elsewhere.
    Jump(usize),
    /// Goes on elsewhere if the operand is 0.
    JumpIfZero(usize),
    /// Calls the function there; the operands become its first locals.
    Call {
        /// Where it begins.
        target: usize,
        /// How many operands it takes.
        arguments: usize,
    },
    /// Ends the running function with the operand as its value.
    Return,
    /// Pushes the cell with this number.
    Fetch,
    /// `number value` to the cell with this number.
    Assign,
    /// Empties the text.
    TextClear,
    /// Appends a byte to the text.
    TextAppend,
    /// Pushes the text's length.
    TextLength,
    /// Pushes the byte at this position.
    TextFetch,
    /// `position byte`
    TextAssign,
    /// Ends the program; the operand is its result.
    Halt,
}

const STACK: usize = 256;
const FRAMES: usize = 32;
/// How many cells the array has.
pub const CELLS: usize = 512;
/// How long the text may become.
pub const TEXT: usize = 512;

/// Where execution stands.
#[derive(Debug)]
pub struct Executor {
    code: Cell<&'static [Instruction]>,
    counter: Cell<usize>,
    /// Where the running function's locals begin.
    base: Cell<usize>,
    top: Cell<usize>,
    depth: Cell<usize>,
    stack: [Cell<i64>; STACK],
    frames: [Frame; FRAMES],
}

/// A function to return to.
#[derive(Debug)]
struct Frame {
    counter: Cell<usize>,
    base: Cell<usize>,
}

impl Executor {
    const fn new() -> Self {
        Self {
            code: Cell::new(&[]),
            counter: Cell::new(0),
            base: Cell::new(0),
            top: Cell::new(0),
            depth: Cell::new(0),
            stack: [const { Cell::new(0) }; STACK],
            frames: [const { Frame { counter: Cell::new(0), base: Cell::new(0) } }; FRAMES],
        }
    }

    fn begin(&self, code: &'static [Instruction]) {
        self.code.set(code);
        self.counter.set(0);
        self.base.set(0);
        self.top.set(0);
        self.depth.set(0);
    }

    #[inline(always)]
    fn next(&self) -> Instruction {
        let counter = self.counter.get();
        self.counter.set(counter + 1);
        self.code.get()[counter]
    }

    #[inline(always)]
    fn push(&self, value: i64) {
        let top = self.top.get();
        self.stack[top].set(value);
        self.top.set(top + 1);
    }

    #[inline(always)]
    fn pop(&self) -> i64 {
        let top = self.top.get() - 1;
        self.top.set(top);
        self.stack[top].get()
    }

    #[inline(always)]
    fn binary(&self, operation: impl FnOnce(i64, i64) -> i64) {
        let right = self.pop();
        let left = self.pop();
        self.push(operation(left, right));
    }

    #[inline(always)]
    fn call(&self, target: usize, arguments: usize) {
        let depth = self.depth.get();
        let frame = &self.frames[depth];
        frame.counter.set(self.counter.get());
        frame.base.set(self.base.get());
        self.depth.set(depth + 1);
        self.base.set(self.top.get() - arguments);
        self.counter.set(target);
    }

    #[inline(always)]
    fn return_from(&self) {
        let value = self.pop();
        self.top.set(self.base.get());
        let depth = self.depth.get() - 1;
        self.depth.set(depth);
        let frame = &self.frames[depth];
        self.counter.set(frame.counter.get());
        self.base.set(frame.base.get());
        self.push(value);
    }
}

/// The program's array.
#[derive(Debug)]
pub struct Memory {
    cells: [Cell<i64>; CELLS],
}

impl Memory {
    const fn new() -> Self {
        Self { cells: [const { Cell::new(0) }; CELLS] }
    }
}

/// The text that a program builds.
#[derive(Debug)]
pub struct Text {
    length: Cell<usize>,
    bytes: [Cell<u8>; TEXT],
}

impl Text {
    const fn new() -> Self {
        Self { length: Cell::new(0), bytes: [const { Cell::new(0) }; TEXT] }
    }

    #[inline(always)]
    fn append(&self, byte: u8) {
        let length = self.length.get();
        self.bytes[length].set(byte);
        self.length.set(length + 1);
    }
}

/// Runs a program to its end. `SHIFT` moves the code: see [`layout`].
///
/// # Panics
/// The program reaches beyond its memory.
#[inline(never)]
pub fn run<P: Placement, const SHIFT: usize>(
    here: Attached<'_>,
    code: &'static [Instruction],
) -> i64 {
    layout::shift::<SHIFT>();
    P::executor(here).begin(code);
    loop {
        let executor = P::executor(here);
        match executor.next() {
            Instruction::Push(value) => executor.push(value),
            Instruction::Load(local) => {
                executor.push(executor.stack[executor.base.get() + local].get());
            }
            Instruction::Store(local) => {
                let value = executor.pop();
                executor.stack[executor.base.get() + local].set(value);
            }
            Instruction::Add => executor.binary(i64::wrapping_add),
            Instruction::Subtract => executor.binary(i64::wrapping_sub),
            Instruction::Multiply => executor.binary(i64::wrapping_mul),
            Instruction::Remainder => executor.binary(i64::wrapping_rem),
            Instruction::Less => executor.binary(|left, right| i64::from(left < right)),
            Instruction::Jump(target) => executor.counter.set(target),
            Instruction::JumpIfZero(target) => {
                if executor.pop() == 0 {
                    executor.counter.set(target);
                }
            }
            Instruction::Call { target, arguments } => executor.call(target, arguments),
            Instruction::Return => executor.return_from(),
            Instruction::Fetch => {
                let number = executor.pop() as usize;
                executor.push(P::memory(here).cells[number].get());
            }
            Instruction::Assign => {
                let value = executor.pop();
                let number = executor.pop() as usize;
                P::memory(here).cells[number].set(value);
            }
            Instruction::TextClear => P::text(here).length.set(0),
            Instruction::TextAppend => P::text(here).append(executor.pop() as u8),
            Instruction::TextLength => executor.push(P::text(here).length.get() as i64),
            Instruction::TextFetch => {
                let position = executor.pop() as usize;
                executor.push(i64::from(P::text(here).bytes[position].get()));
            }
            Instruction::TextAssign => {
                let byte = executor.pop() as u8;
                let position = executor.pop() as usize;
                P::text(here).bytes[position].set(byte);
            }
            Instruction::Halt => return executor.pop(),
        }
    }
}

/// Runs all programs once and compares their results.
///
/// # Panics
/// A result is wrong.
#[inline(always)]
pub fn run_all<P: Placement, const SHIFT: usize>(here: Attached<'_>) {
    for (code, expected) in PROGRAMS.into_iter().zip(EXPECTED) {
        assert_eq!(run::<P, SHIFT>(here, code), expected, "the machine is broken");
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn both_placements_give_the_same_results_run_after_run() {
        assert_eq!(EXPECTED[..2], [377, 97]);
        let tsrm = crate::start().expect("the only test that starts a runtime");
        tsrm.attach(|here| {
            for _ in 0..3 {
                run_all::<InStatic, 0>(here);
                run_all::<InCached, 8>(here);
            }
        });
        assert!(tsrm.shutdown(Duration::from_secs(1)).is_ok_and(|report| report.is_clean()));
    }
}
