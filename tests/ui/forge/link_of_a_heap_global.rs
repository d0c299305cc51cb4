// Only static storage is listed by itself: a number of that list would be a place of another global's.

use tsrm::private::{Declaration, Link};

#[tsrm::module]
mod heap {
    #[global]
    pub static VALUE: String = String::new();
}

fn link<D: Declaration>(_: &tsrm::Global<D>) -> Link {
    Link::of_static::<D>()
}

fn main() {
    link(&heap::VALUE);
}
