//! Devices that are opened once.
#![allow(unsafe_code, reason = "a text of the caller is read, and a linker sees the names")]

use std::ffi::c_char;
use std::mem::MaybeUninit;

use myrmex::Target;

use crate::border::{self, freed, making};
use crate::status::{MyrmexError, MyrmexStatus};

/// A device, or several, that runs share.
pub struct MyrmexDevice(Target);

impl MyrmexDevice {
    /// The same device for a run.
    pub(crate) fn target(&self) -> Target {
        self.0.clone()
    }
}

/// Opens a device, in the words of the option `device`, for the runs of options that are given it (myrmex_options_set_device): to open a
/// GPU takes longer than to solve a small problem, and what is compiled for it is kept. `auto` opens the most capable GPU, or the CPU where
/// there is none.
///
/// A device that has failed stays so. After MYRMEX_STATUS_DEVICE open it again and give the new one to the options; also where
/// `on_device_lost` is `cpu` and a report has `device_lost`.
///
/// # Safety
/// `words` is NULL or ends with a zero byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn myrmex_device_open(
    words: *const c_char,
    device: Option<&mut MaybeUninit<Option<Box<MyrmexDevice>>>>,
    error: Option<&mut MaybeUninit<Option<Box<MyrmexError>>>>,
) -> MyrmexStatus {
    making(device, error, || {
        // SAFETY: the caller keeps to it.
        let words = unsafe { border::text(words, "words") }?;
        Ok(MyrmexDevice(words.trim().parse::<Target>()?.opened()?))
    })
}

/// Frees a device; it stays open for the options and runs that have it.
#[unsafe(no_mangle)]
pub extern "C" fn myrmex_device_free(device: Option<Box<MyrmexDevice>>) {
    freed(device);
}
