//! `#[tsrm::main]`: starts, hands the runtime over, shuts down whatever `main` does.

#[tsrm::module]
mod module {
    #[module_shutdown]
    fn shutdown(phase: &mut tsrm::Shutdown<'_>) {
        assert!(phase.stragglers().is_empty());
        println!("down");
    }
}

#[tsrm::main(module)]
fn main(tsrm: tsrm::Runtime) -> Result<(), String> {
    println!("main");
    // Registered: the shutdown lets go of this thread by itself.
    tsrm.attach(|here| assert_eq!(here.thread().depth(), 1));
    match std::env::args().nth(1).as_deref() {
        Some("panic") => panic!("main panics"),
        Some("error") => Err("main fails".into()),
        _ => Ok(()),
    }
}
