// SPDX-License-Identifier: GPL-2.0-or-later
// A few Rust frames: generics, a closure, a trait object and a sort.

use std::io::Write;

trait Work {
    fn run(&self, n: u64) -> u64;
}

struct Sum<F: Fn(u64) -> u64>(F);

impl<F: Fn(u64) -> u64> Work for Sum<F> {
    #[inline(never)]
    fn run(&self, n: u64) -> u64 {
        let mut numbers: Vec<u64> = (0..n).map(|i| (self.0)(i)).collect();
        numbers.sort();
        numbers.iter().fold(0, |a, b| a.wrapping_add(*b))
    }
}

#[inline(never)]
fn busy(work: &dyn Work) -> u64 {
    let mut total = 0u64;
    loop {
        total = total.wrapping_add(work.run(200));
        if total == 1 {
            return total;
        }
    }
}

fn main() {
    println!("ready");
    std::io::stdout().flush().unwrap();
    let work = Sum(|i| i.wrapping_mul(0x9e3779b97f4a7c15) >> 7);
    println!("{}", busy(&work));
}
