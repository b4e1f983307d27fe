//! Ports of TPCs and GPCs: assumptions, rates of devices, delays and placements.

mod assumptions;
mod delay;
mod devices;
mod gpcs;
mod mutations;
mod placement;

/// Two vector additions of one SM each. On the simulated TITAN V, one of them takes 5,654 ns beside the other on SMs 0 and
/// 1, which exceeds its deadline. On SMs 0 and 2, it takes 3,652 ns.
const VECTORS: &str = r#"{"name":"two vector adds, one SM each","tasks":[
    {"name":"v","period":"8us","deadline":"5500ns","wcet":{"table":{"isolated":[[1,"4321ns"]]}},"kind":"memory",
     "traffic":98304,"bandwidth":"23GB/s","sectors":{"reads":2048,"writes":1024}},
    {"name":"o","period":"8us","deadline":"8us","wcet":{"table":{"isolated":[[1,"4321ns"]]}},"kind":"memory",
     "traffic":98304,"bandwidth":"23GB/s","sectors":{"reads":2048,"writes":1024}}]}"#;
