//! ATTACK: a reference from before an upgrade, kept beyond it.
#![forbid(unsafe_code)]

use tsrm::sync::SuxLock;

#[tsrm::module]
mod executor {}

#[tsrm::main(executor)]
fn main(tsrm: tsrm::Runtime) {
    let names = SuxLock::new(vec![String::from("a")]);
    tsrm.attach(|here| {
        let looked_at = names.update(here);
        let first = &looked_at[0];
        looked_at.upgrade().clear();
        println!("{first}");

        let mut changed = names.exclusive(here);
        let first = &mut changed[0];
        drop(changed.downgrade());
        first.clear();
    });
}
