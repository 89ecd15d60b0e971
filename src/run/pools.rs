//! The threads of several devices, and work that these do side by side.

use std::sync::Arc;

use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::error::{Error, Result};

/// The stack of each thread that does the work of a main thread: as much as that one has.
#[doc(hidden)]
pub const STACK_BYTES: usize = 8 << 20;

/// A thread of this name, with such a stack.
#[doc(hidden)]
pub fn thread_named(name: &str) -> std::thread::Builder {
    std::thread::Builder::new().name(name.into()).stack_size(STACK_BYTES)
}

/// The threads of devices, of which these are CPUs: these share the caller's among them, and so do the others for what the host does for
/// them. One device has no threads of its own.
pub(super) fn pools(are_cpus: &[bool]) -> Result<Vec<Option<Arc<ThreadPool>>>> {
    if are_cpus.len() == 1 {
        return Ok(vec![None]);
    }
    let pool = |(index, is_cpu): (usize, &bool)| {
        let sharing = are_cpus.iter().filter(|other| *other == is_cpu).count();
        let built = ThreadPoolBuilder::new()
            .num_threads((rayon::current_num_threads() / sharing).max(1))
            .thread_name(move |thread| format!("myrmex-{index}-{thread}"))
            .stack_size(STACK_BYTES)
            .build();
        let refused = |error| Error::Threads(format!("several devices need threads of their own, {error}"));
        built.map(|pool| Some(Arc::new(pool))).map_err(refused)
    };
    are_cpus.iter().enumerate().map(pool).collect()
}

/// Does something with each of these on threads of its pool, or of the caller's, all at the same time; waits for them.
pub(super) fn side_by_side<T: Send, R: Send>(
    pools: &[Option<&ThreadPool>],
    items: Vec<T>,
    work: impl Fn(T) -> R + Sync,
) -> Vec<R> {
    if let [None] = pools {
        return items.into_iter().map(work).collect();
    }
    let job = |(pool, item): (&Option<_>, T)| (*pool, Some(item), None);
    let mut jobs: Vec<Job<'_, T, R>> = pools.iter().zip(items).map(job).collect();
    begin(&mut jobs, &work);
    jobs.into_iter().filter_map(|(_, _, result)| result).collect()
}

/// Where something is done, what with, and what came out.
type Job<'a, T, R> = (Option<&'a ThreadPool>, Option<T>, Option<R>);

/// Begins the first of these, then the others, and waits for all.
fn begin<T: Send, R: Send>(jobs: &mut [Job<'_, T, R>], work: &(impl Fn(T) -> R + Sync)) {
    let Some(((pool, item, result), others)) = jobs.split_first_mut() else { return };
    match pool {
        Some(pool) => pool.in_place_scope(|scope| {
            scope.spawn(|_| *result = item.take().map(work));
            begin(others, work);
        }),
        None => rayon::in_place_scope(|scope| {
            scope.spawn(|_| *result = item.take().map(work));
            begin(others, work);
        }),
    }
}
