//! The programs that the machine runs, and what they must give.

use super::Instruction::{self, *};
use super::{CELLS, TEXT};

/// The programs: recursion, array and text.
pub const PROGRAMS: [&[Instruction]; 3] = [FIBONACCI, SIEVE, STRINGS];

/// Their results.
pub const EXPECTED: [i64; 3] = [fibonacci(FIBONACCI_OF), sieve(), strings()];

const FIBONACCI_OF: i64 = 14;

/// `fibonacci(n) = n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2)`
const FIBONACCI: &[Instruction] = &[
    Push(FIBONACCI_OF),
    Call { target: 3, arguments: 1 },
    Halt,
    // 3: the function; its argument is local 0.
    Load(0),
    Push(2),
    Less,
    JumpIfZero(9),
    Load(0),
    Return,
    // 9: the recursion.
    Load(0),
    Push(1),
    Subtract,
    Call { target: 3, arguments: 1 },
    Load(0),
    Push(2),
    Subtract,
    Call { target: 3, arguments: 1 },
    Add,
    Return,
];

const fn fibonacci(n: i64) -> i64 {
    if n < 2 { n } else { fibonacci(n - 1) + fibonacci(n - 2) }
}

/// How many primes there are below [`CELLS`]. Locals: 0 number, 1 multiple, 2 count.
const SIEVE: &[Instruction] = &[
    Push(0),
    Push(0),
    Push(0),
    // 3: clear the array.
    Load(0),
    Push(CELLS as i64),
    Less,
    JumpIfZero(15),
    Load(0),
    Push(0),
    Assign,
    Load(0),
    Push(1),
    Add,
    Store(0),
    Jump(3),
    // 15: from 2 on,
    Push(2),
    Store(0),
    // 17: each number
    Load(0),
    Push(CELLS as i64),
    Less,
    JumpIfZero(49),
    Load(0),
    Fetch,
    JumpIfZero(25),
    Jump(44),
    // 25: that is not crossed out is a prime;
    Load(2),
    Push(1),
    Add,
    Store(2),
    Load(0),
    Store(1),
    // 31: its multiples are crossed out.
    Load(1),
    Load(0),
    Add,
    Store(1),
    Load(1),
    Push(CELLS as i64),
    Less,
    JumpIfZero(44),
    Load(1),
    Push(1),
    Assign,
    Jump(31),
    Halt,
    // 44: the next number.
    Load(0),
    Push(1),
    Add,
    Store(0),
    Jump(17),
    // 49: done.
    Load(2),
    Halt,
];

const fn sieve() -> i64 {
    let mut is_crossed_out = [false; CELLS];
    let (mut number, mut count) = (2, 0);
    while number < CELLS {
        if !is_crossed_out[number] {
            count += 1;
            let mut multiple = 2 * number;
            while multiple < CELLS {
                is_crossed_out[multiple] = true;
                multiple += number;
            }
        }
        number += 1;
    }
    count
}

const LETTERS: i64 = TEXT as i64 - 12;
const PRIME: i64 = 1_000_003;

/// Builds a text, turns it round in place and hashes it. Locals: 0 position, 1 other end, 2 a byte
/// or the hash.
const STRINGS: &[Instruction] = &[
    Push(0),
    Push(0),
    Push(0),
    TextClear,
    // 4: append the alphabet, over and over.
    Load(0),
    Push(LETTERS),
    Less,
    JumpIfZero(19),
    Load(0),
    Push(26),
    Remainder,
    Push(b'a' as i64),
    Add,
    TextAppend,
    Load(0),
    Push(1),
    Add,
    Store(0),
    Jump(4),
    // 19: swap from both ends.
    Push(0),
    Store(0),
    TextLength,
    Push(1),
    Subtract,
    Store(1),
    // 25:
    Load(0),
    Load(1),
    Less,
    JumpIfZero(48),
    Load(0),
    TextFetch,
    Store(2),
    Load(0),
    Load(1),
    TextFetch,
    TextAssign,
    Load(1),
    Load(2),
    TextAssign,
    Load(0),
    Push(1),
    Add,
    Store(0),
    Load(1),
    Push(1),
    Subtract,
    Store(1),
    Jump(25),
    // 48: hash.
    Push(0),
    Store(0),
    Push(0),
    Store(2),
    // 52:
    Load(0),
    TextLength,
    Less,
    JumpIfZero(70),
    Load(2),
    Push(31),
    Multiply,
    Load(0),
    TextFetch,
    Add,
    Push(PRIME),
    Remainder,
    Store(2),
    Load(0),
    Push(1),
    Add,
    Store(0),
    Jump(52),
    // 70: done.
    Load(2),
    Halt,
];

const fn strings() -> i64 {
    let (mut hash, mut position) = (0, LETTERS);
    while position > 0 {
        position -= 1;
        let letter = b'a' as i64 + position % 26;
        hash = (hash * 31 + letter) % PRIME;
    }
    hash
}
