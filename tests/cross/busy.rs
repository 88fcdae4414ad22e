// SPDX-License-Identifier: GPL-2.0-or-later
// Three functions, and after each round which part of the CPU time each has used so far.
use std::io::Write;

#[repr(C)]
struct Timespec {
    seconds: i64,
    nanoseconds: i64,
}

extern "C" {
    fn clock_gettime(clock: i32, time: *mut Timespec) -> i32;
}

const CLOCK_PROCESS_CPUTIME_ID: i32 = 2;

fn spent() -> f64 {
    let mut time = Timespec { seconds: 0, nanoseconds: 0 };
    unsafe { clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &mut time) };
    time.seconds as f64 + time.nanoseconds as f64 / 1e9
}

#[inline(never)]
fn mix(n: u32) -> u32 {
    (0..n).fold(1, |x, i| (x ^ i).wrapping_mul(1103515245).rotate_left(x & 7))
}

#[inline(never)]
fn fifty() -> u32 {
    mix(2500000) + 1
}

#[inline(never)]
fn thirty() -> u32 {
    let mut all: Vec<u32> = (0..20000).map(|i| i * 7919 % 20000).collect();
    all.sort_by(|a, b| b.cmp(a));
    all[0]
}

#[inline(never)]
fn twenty() -> u32 {
    "word ".repeat(40000).chars().filter(|c| c.is_alphabetic()).map(|c| mix(c as u32 & 31)).max().unwrap()
}

fn main() {
    let functions: [(&str, fn() -> u32); 3] = [("fifty", fifty), ("thirty", thirty), ("twenty", twenty)];
    let mut used = [0.0; 3];
    let mut checksum = 0;
    println!("ready");
    loop {
        for (i, (_, function)) in functions.iter().enumerate() {
            let begin = spent();
            checksum ^= function();
            used[i] += spent() - begin;
        }
        let sum: f64 = used.iter().sum();
        for (i, (name, _)) in functions.iter().enumerate() {
            println!("truth busy::{} {:.2} {}", name, 100.0 * used[i] / sum, checksum);
        }
        std::io::stdout().flush().unwrap();
    }
}
