set -e
cargo init -q --name healthy; printf 'fn main(){println!("ok");}\n#[test]\nfn t(){assert_eq!(1,1);}\n' > src/main.rs
CARGO_LOG=debug cargo build -vv; cargo test -v; cargo clean
