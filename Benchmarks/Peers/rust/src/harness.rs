//! A harness of a Rust library that has signatures alone; its protocol is in Benchmarks/Peers/README.md.
use std::{collections::HashMap, env, fs, io::BufRead, time::Instant};

pub fn read(name: &str) -> Vec<u8> {
    fs::read(format!("{}/{}", env::args().nth(1).expect("no folder of fixtures"), name)).expect(name)
}

pub fn text(name: &str) -> String { String::from_utf8(read(name)).expect(name).trim_end().to_string() }

/// Whether the token holds with its claims.
pub type Verify = Box<dyn Fn(&str) -> bool>;
pub type Sign = Box<dyn Fn() -> String>;
type Run = Box<dyn Fn() -> bool>;

pub trait Library {
    fn verifier(&self, alg: &str) -> Result<Verify, String>;
    fn signer(&self, alg: &str) -> Result<Sign, String>;
}

struct Operation {
    run: Run,
    step: u64,
}

enum Outcome {
    Can(Run, String),
    Accepts(String),
}

fn prepare(library: &dyn Library, name: &str) -> Result<Outcome, String> {
    let (group, alg) = name.split_once('/').ok_or("no such operation")?;
    match group {
        "verify" => {
            let (verify, token) = (library.verifier(alg)?, text(&format!("{name}.token")));
            if !verify(&token) {
                return Err("the good token is refused".into());
            }
            for line in text(&format!("{name}.refused")).lines() {
                let fields: Vec<&str> = line.split('\t').collect();
                if verify(fields[2]) {
                    return Ok(Outcome::Accepts(fields[1].into()));
                }
            }
            Ok(Outcome::Can(Box::new(move || verify(&token)), "-".into()))
        }
        "sign" => {
            let sign = library.signer(alg)?;
            let made = sign();
            Ok(Outcome::Can(Box::new(move || !sign().is_empty()), made))
        }
        _ => Err("no such operation".into()),
    }
}

/// Nanoseconds that all threads have had.
fn processor_time() -> i64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut time) };
    time.tv_sec * 1_000_000_000 + time.tv_nsec
}

impl Operation {
    fn measure(&mut self, seconds: f64) -> (u64, i64) {
        let (begun, start, mut count) = (processor_time(), Instant::now(), 0);
        loop {
            let since = Instant::now();
            for _ in 0..self.step {
                assert!((self.run)());
            }
            count += self.step;
            if start.elapsed().as_secs_f64() >= seconds {
                return (count, processor_time() - begun);
            }
            if since.elapsed().as_micros() < 200 {
                self.step *= 2;
            }
        }
    }
}

pub fn serve(library: &dyn Library) {
    let mut ready = HashMap::new();
    for name in text("operations").lines() {
        match prepare(library, name) {
            Ok(Outcome::Can(run, made)) => {
                println!("can\t{name}\t{made}");
                ready.insert(name.to_string(), Operation { run, step: 1 });
            }
            Ok(Outcome::Accepts(reason)) => println!("accepts\t{name}\t{reason}"),
            Err(fault) => println!("cannot\t{name}\t{fault}"),
        }
    }
    println!("ready");
    for line in std::io::stdin().lock().lines() {
        let line = line.expect("no line");
        let (name, seconds) = line.split_once(' ').expect("not a request");
        let (count, taken) = ready.get_mut(name).expect(name).measure(seconds.parse().expect("not a time"));
        println!("{name}\t{count}\t{taken}");
    }
}
