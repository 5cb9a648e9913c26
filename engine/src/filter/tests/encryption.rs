//! The speed of encryption.

use std::time::Duration;

use super::*;
use crate::platform::thread_time;

#[test]
fn encryption_reaches_1_gb_per_second_with_cpu_support() {
    const CHUNK: usize = 65_536;
    const CHUNKS: usize = 64;
    let key = EncryptionKey::new(&[7; 32]);
    let list = Arc::new(FilterList::default());
    let pipeline = Pipeline::new(list, Datatype::Uint8, key.as_ref()).expect("a key");
    let data: Vec<u8> = (0..CHUNK * CHUNKS).map(|i| (i * 7 % 251) as u8).collect();
    let starts = chunk_starts(&pipeline.list, data.len() as u64, 1).expect("small chunks");
    let (mut stored, mut back) = (ReusableBuffer::new(), vec![0; data.len()]);
    let mut least = [Duration::MAX; 2];
    // Other processes use the machine as well: the fastest of many rounds counts.
    for _ in 0..40 {
        stored.clear();
        let start = thread_time();
        pipeline
            .append_tile(&data, &starts, &mut stored)
            .expect("randomness");
        let between = thread_time();
        pipeline
            .decode_tile(&stored, &mut back)
            .expect("what was written");
        let times = [between - start, thread_time() - between];
        least = [least[0].min(times[0]), least[1].min(times[1])];
    }
    assert!(back == data);
    let [sealed, opened] = least.map(|least| data.len() as f64 / least.as_secs_f64() / 1e9);
    println!("AES-256-GCM: {sealed:.2} GB/s encrypted, {opened:.2} GB/s decrypted, by one thread");
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("aes") && std::arch::is_x86_feature_detected!("avx") {
        assert!(
            sealed > 1.0 && opened > 1.0,
            "{sealed:.2}, {opened:.2} GB/s"
        );
    }
}
