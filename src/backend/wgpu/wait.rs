//! Waiting for a device. A thread of a program blocks. A browser's device answers by callbacks from the event loop, which runs when wasm is
//! suspended: by JavaScript Promise Integration (JSPI) the code below a call stays as it is and goes on later.

#[cfg(not(target_family = "wasm"))]
pub(super) use pollster::block_on;

#[cfg(target_family = "wasm")]
pub use browser::Suspension;
#[cfg(target_family = "wasm")]
pub(super) use browser::{block_on, done};

#[cfg(target_family = "wasm")]
mod browser {
    use std::pin::pin;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::sync::{Arc, Mutex, OnceLock, PoisonError};
    use std::task::{Context, Poll, Wake, Waker};

    /// How wasm waits for a browser's device, from who has built the module: a device needs one before it is opened.
    #[derive(Clone, Copy, Debug)]
    pub struct Suspension {
        /// Suspends wasm until `resume` is called: an import that is a `WebAssembly.Suspending`, below an export that is
        /// `WebAssembly.promising`.
        pub suspend: fn(),
        /// Lets `suspend` return; nothing where nobody waits.
        pub resume: fn(),
    }

    static SUSPENSION: OnceLock<Suspension> = OnceLock::new();

    impl Suspension {
        /// Waits so from now on; the first one counts.
        pub fn install(self) {
            let _ = SUSPENSION.set(self);
        }

        /// The one that was installed.
        pub(crate) fn installed() -> Option<Self> {
            SUSPENSION.get().copied()
        }
    }

    /// Set when a future may have got on.
    #[derive(Default)]
    struct Woken(AtomicBool);

    impl Wake for Woken {
        fn wake(self: Arc<Self>) {
            self.0.store(true, Ordering::Relaxed);
            if let Some(Suspension { resume, .. }) = Suspension::installed() {
                resume();
            }
        }
    }

    /// A future that ends when `start`'s callback is called.
    pub(in super::super) fn done(start: impl FnOnce(Box<dyn FnOnce() + Send>)) -> impl Future<Output = ()> {
        let ended = Arc::new((AtomicBool::new(false), Mutex::new(None::<Waker>)));
        let other = Arc::clone(&ended);
        start(Box::new(move || {
            other.0.store(true, Ordering::Relaxed);
            if let Some(waker) = other.1.lock().unwrap_or_else(PoisonError::into_inner).take() {
                waker.wake();
            }
        }));
        std::future::poll_fn(move |context| match ended.0.load(Ordering::Relaxed) {
            true => Poll::Ready(()),
            false => {
                *ended.1.lock().unwrap_or_else(PoisonError::into_inner) = Some(context.waker().clone());
                Poll::Pending
            }
        })
    }

    /// The output of a future; wasm is suspended until then.
    pub(in super::super) fn block_on<F: Future>(future: F) -> F::Output {
        let mut future = pin!(future);
        let woken = Arc::new(Woken::default());
        let waker = Waker::from(Arc::clone(&woken));
        loop {
            if let Poll::Ready(output) = future.as_mut().poll(&mut Context::from_waker(&waker)) {
                return output;
            }
            while !woken.0.swap(false, Ordering::Relaxed) {
                let suspension = Suspension::installed().expect("without one no device is opened");
                (suspension.suspend)();
            }
        }
    }
}
