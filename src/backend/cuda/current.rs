//! The context that is current on a thread, which may be an application's that uses CUDA itself.

use cudarc::driver::{result, sys};

/// Makes the context current again that was so before, when it is dropped.
#[derive(Debug)]
pub(super) struct Before(usize);

impl Before {
    /// The thread's context as it is now. Nothing is made current again where the driver does not say.
    pub fn now() -> Option<Self> {
        let current = result::ctx::get_current().ok()?;
        Some(Self(current.map_or(0, |context| context as usize)))
    }
}

impl Drop for Before {
    fn drop(&mut self) {
        // SAFETY: it was current on this thread when this was made, within one call of this library's; null means that none was.
        let _ = unsafe { result::ctx::set_current(self.0 as sys::CUcontext) };
    }
}

/// The last field of what holds a context: to let a context go makes it current.
#[derive(Debug, Default)]
pub(super) struct Restored(Option<Before>);

impl Restored {
    /// Called before the other fields are dropped.
    pub fn note(&mut self) {
        self.0 = Before::now();
    }
}

impl Clone for Restored {
    fn clone(&self) -> Self {
        Self::default()
    }
}
