// Building a value may run a module's `thread_startup`, so it takes a thread that is attached.

use tsrm::private::Declaration;

#[tsrm::module]
mod late {
    #[global]
    pub static VALUE: u32 = std::hint::black_box(7);
}

fn build<D: Declaration>(_: &tsrm::Global<D>) {
    let _ = D::build();
}

fn main() {
    build(&late::VALUE);
}
