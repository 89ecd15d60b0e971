//! How many processors a GPU has. wgpu does not tell; some Vulkan drivers do (NVIDIA's and AMD's).
#![allow(unsafe_code, reason = "Vulkan is asked through ash")]

/// The processors (streaming multiprocessors, compute units) of the GPU behind `device`; `None` where it is not known.
#[cfg(not(any(target_vendor = "apple", target_family = "wasm")))]
pub(super) fn count(device: &wgpu::Device) -> Option<u32> {
    use ash::vk;
    use wgpu::hal::api::Vulkan;

    let mut nvidia = vk::PhysicalDeviceShaderSMBuiltinsPropertiesNV::default();
    let mut amd = vk::PhysicalDeviceShaderCorePropertiesAMD::default();
    // SAFETY: the device is borrowed while its handles are in use, and nothing is changed or destroyed through them. Drivers pass over
    // structures of extensions that they do not have, which stay as they are.
    unsafe {
        let device = device.as_hal::<Vulkan>()?;
        let instance = device.shared_instance();
        if instance.instance_api_version() < vk::API_VERSION_1_1 {
            return None;
        }
        let mut properties = vk::PhysicalDeviceProperties2::default().push_next(&mut nvidia).push_next(&mut amd);
        instance.raw_instance().get_physical_device_properties2(device.raw_physical_device(), &mut properties);
    }
    let arrays = amd.shader_engine_count.saturating_mul(amd.shader_arrays_per_engine_count);
    let units = arrays.saturating_mul(amd.compute_units_per_shader_array);
    Some(nvidia.shader_sm_count.max(units)).filter(|count| *count > 0)
}

/// Metal and WebGPU do not tell.
#[cfg(any(target_vendor = "apple", target_family = "wasm"))]
pub(super) fn count(_device: &wgpu::Device) -> Option<u32> {
    None
}
