//! ATTACK: the cells of a thread, reached by the declaration.
#![forbid(unsafe_code)]

use tsrm::private::StatisticsDeclaration;

#[tsrm::module]
mod client {
    #[derive(tsrm::Statistics)]
    pub enum Client {
        #[stat(counter)]
        Sent,
    }

    #[statistics]
    pub static CLIENT: Statistics<Client>;
}

type Declared = client::__TsrmMarker_CLIENT;

fn main() {
    let _cells = Declared::slot();
    let _shard = Declared::descriptor().shard();
    let _set = Declared::descriptor().set();
    let _local = tsrm::stats::Local::<'static, Declared> { cells: &[] };
    let _sent = client::Client::Sent;
}
