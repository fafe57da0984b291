// SPDX-License-Identifier: Apache-2.0
//! panic [N]: a panic leaves two frames in every third of N calls and is caught.

use std::io::{BufRead, Write};
use std::panic::catch_unwind;
use std::sync::atomic::{AtomicU64, Ordering};

static DROPPED: AtomicU64 = AtomicU64::new(0);

struct Guard;

impl Drop for Guard {
    fn drop(&mut self) {
        DROPPED.fetch_add(1, Ordering::Relaxed);
    }
}

#[no_mangle]
#[inline(never)]
pub fn panicker(i: u64) -> u64 {
    if i % 3 == 0 {
        panic!("every third");
    }
    std::hint::black_box(i) + 1
}

#[no_mangle]
#[inline(never)]
pub fn middle(i: u64) -> u64 {
    let _guard = Guard;
    std::hint::black_box(panicker(i)) + 1
}

#[no_mangle]
#[inline(never)]
pub fn outer(i: u64) -> bool {
    catch_unwind(|| middle(i)).is_err()
}

fn main() {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.first().map(String::as_str) == Some("--wait") {
        arguments.remove(0);
        println!("pid {}", std::process::id());
        std::io::stdout().flush().unwrap();
        std::io::stdin().lock().read_line(&mut String::new()).unwrap();
    }
    let count: u64 = arguments.first().map_or(100, |text| text.parse().unwrap());
    std::panic::set_hook(Box::new(|_| {}));
    let caught = (0..count).filter(|&i| outer(i)).count();
    println!("caught {} dropped {}", caught, DROPPED.load(Ordering::Relaxed));
}
