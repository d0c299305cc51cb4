//! The cases of a single-threaded build are built single-threaded.

fn main() {
    assert_eq!(tsrm::MODE, "NTS");
}
