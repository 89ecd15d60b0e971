//! What a device's queue is given, and how it is waited for.

#[cfg(not(target_family = "wasm"))]
use std::panic::{AssertUnwindSafe, catch_unwind};
#[cfg(not(target_family = "wasm"))]
use std::time::Duration;

use super::Device;
use super::device::LOST;
#[cfg(target_family = "wasm")]
use super::wait;
use crate::error::Result;

/// How long a submission may take before the device counts as hung.
#[cfg(not(target_family = "wasm"))]
pub(super) const HANG: Duration = Duration::from_secs(120);

/// Bytes that are uploaded at a time: the driver has a copy of them in the host's memory until they are on the device, and where there is no room for that
/// the device is lost.
const UPLOAD: usize = 32 << 20;

impl Device {
    /// Waits for a submission and all before it, and for the buffers that were to be mapped before. One call waits until it is done: where a call's
    /// time is up while other threads find submissions finished, wgpu 30 may panic (<https://github.com/gfx-rs/wgpu/pull/9958>).
    #[cfg(not(target_family = "wasm"))]
    pub(super) fn wait(&self, submission: &wgpu::SubmissionIndex) -> Result<()> {
        self.check_lost()?;
        let poll = wgpu::PollType::Wait { submission_index: Some(submission.clone()), timeout: Some(HANG) };
        // `poll` panics once the driver has declared the device lost.
        match catch_unwind(AssertUnwindSafe(|| self.device().poll(poll))) {
            Ok(Ok(_)) => self.check_lost(),
            Ok(Err(error)) => {
                // Whoever lets the last handle of a queue go waits for what it has been given, here for ever: so none is the last.
                std::mem::forget((self.device().clone(), self.queue().clone()));
                Err(if self.is_gone() { self.error(LOST) } else { self.error(format!("does not answer: {error}")) })
            }
            Err(_) => Err(self.error(LOST)),
        }
    }

    /// The same in a browser, where a device that is lost answers, too.
    #[cfg(target_family = "wasm")]
    pub(super) fn wait(&self, _: &wgpu::SubmissionIndex) -> Result<()> {
        self.check_lost()?;
        // Buffers that were to be mapped before are mapped by then (WebGPU, "promise ordering").
        wait::block_on(wait::done(|done| self.queue().on_submitted_work_done(done)));
        self.check_lost()
    }

    /// Writes the contents, of which there are a multiple of four, into a buffer: much of them in parts, each of which is on the device before the next.
    pub(super) fn upload(&self, buffer: &wgpu::Buffer, contents: &[u8]) -> Result<()> {
        let last = contents.len().div_ceil(UPLOAD).saturating_sub(1);
        for (part, bytes) in contents.chunks(UPLOAD).enumerate() {
            self.queue().write_buffer(buffer, (part * UPLOAD) as u64, bytes);
            if part < last {
                self.wait(&self.queue().submit([]))?;
            }
        }
        Ok(())
    }
}
