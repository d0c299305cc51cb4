//! A main that neither detaches nor shuts down: the exit guard does its part.

#[path = "loud.rs"]
mod loud;

fn main() {
    let tsrm = tsrm::Runtime::start([loud::module::MODULE]).unwrap();
    tsrm.attach(|here| {
        loud::module::CACHED.get(here);
    });
    println!("main ends");
}
