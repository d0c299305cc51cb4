//! Every way to hold a lock against every other one, two threads each.

use super::*;

type Case = (&'static str, fn(&Sux) -> u32);

const ALL: [Case; 11] = [
    ("S", s),
    ("try S", tries_s),
    ("U", u),
    ("X", x),
    ("try X", tries_x),
    ("U to X", u_to_x),
    ("U, try X", u_tries_x),
    ("X to U", x_to_u),
    ("X to S", x_to_s),
    ("U to S", u_to_s),
    ("S, try U, X, S", s_tries_u),
];

fn check_against_all(name: &'static str) {
    let (_, first) = ALL.into_iter().find(|&(other, _)| other == name).unwrap();
    for (other, second) in ALL {
        print!("{other} against ");
        check(name, 3, [first, second]);
    }
}

macro_rules! against_all {
    ($($test:ident: $name:literal)*) => {
        $(#[test]
        fn $test() {
            check_against_all($name);
        })*
    };
}

against_all! {
    shared: "S"
    try_shared: "try S"
    update: "U"
    exclusive: "X"
    try_exclusive: "try X"
    upgrade: "U to X"
    try_upgrade: "U, try X"
    exclusive_to_update: "X to U"
    exclusive_to_shared: "X to S"
    update_to_shared: "U to S"
    try_shared_to_update: "S, try U, X, S"
}
