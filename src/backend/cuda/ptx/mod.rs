//! From composed WGSL to PTX, NVIDIA's virtual assembly, by way of naga's intermediate representation.
//!
//! A driver takes PTX as text, so that neither a toolkit nor generated files are needed, and the kernels keep one source.
//! The translation covers the language that the kernels use: 32-bit numbers, vectors, structures, arrays, atomics,
//! barriers, subgroup operations. Functions are written out where they are called; variables that are no arrays live in
//! registers.
//!
//! The only argument of a kernel is a block of bytes: the units of the call (8 bytes), the address of the fault word (8 bytes), the
//! parameter block, and for each storage buffer its address (8 bytes) and the index of its last element (4 bytes, 4 more of padding).

use std::collections::HashMap;
use std::fmt::Write as _;
use std::ops::Range;

use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};
use naga::{AddressSpace, Handle, Module, ShaderStage, StorageAccess};

mod branch;
mod expression;
mod intrinsics;
mod memory;
mod options;
mod statement;
mod subgroup;
mod value;

pub use options::{Indices, Options};
use value::{Place, Space, Value};

/// Bytes of the block that every kernel takes before its parameters: the units of the call and the address of the fault word.
pub const CALL_BYTES: u32 = 16;

/// The constant with which a kernel says how many of its workgroups a processor should hold.
const RESIDENT: &str = "RESIDENT";

/// A kernel in PTX.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ptx {
    /// The text; its entry point has the kernel's name.
    pub text: String,
    /// Invocations of a workgroup.
    pub lanes: u32,
    /// Bytes of workgroup memory, to be given at the launch.
    pub workgroup_bytes: u32,
    /// Bytes of the argument block.
    pub argument_bytes: u32,
    /// Where the parameter block lies in it, where the kernel uses one.
    pub params: Option<Range<u32>>,
    /// The storage buffers that the kernel uses.
    pub buffers: Vec<BoundBuffer>,
}

/// A storage buffer in the argument block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoundBuffer {
    /// Its binding in the shader.
    pub binding: u32,
    /// Where its address lies in the block.
    pub offset: u32,
    /// Bytes of an element.
    pub element_bytes: u32,
}

/// Translates kernel `name`, whose entry point is `main`.
///
/// # Errors
/// What naga says about broken WGSL; the name of a construct that is not translated.
pub fn translate(name: &str, source: &str, constants: &[(&str, u32)], options: Options) -> Result<Ptx, String> {
    let module = naga::front::wgsl::parse_str(source).map_err(|error| error.emit_to_string(source))?;
    let mut validator = Validator::new(ValidationFlags::all(), Capabilities::SUBGROUP);
    validator
        .subgroup_stages(naga::valid::ShaderStages::COMPUTE)
        .subgroup_operations(naga::valid::SubgroupOperationSet::all());
    let info = validator.validate(&module).map_err(|error| format!("{error:?}"))?;
    let resident = constants.iter().find(|(name, _)| *name == RESIDENT).map(|(_, count)| *count);
    let constants = constants.iter().map(|(name, value)| ((*name).to_owned(), f64::from(*value))).collect();
    let entry = Some((ShaderStage::Compute, "main"));
    let (module, info) = naga::back::pipeline_constants::process_overrides(&module, &info, entry, &constants)
        .map_err(|error| error.to_string())?;
    Writer { resident, ..Writer::new(&module, &info, options) }.kernel(name)
}

struct Writer<'a> {
    module: &'a Module,
    info: &'a ModuleInfo,
    options: Options,
    /// Workgroups that a processor should hold, if the kernel says so.
    resident: Option<u32>,
    lanes: u32,
    /// Instructions so far: those before all others, and the rest.
    prologue: String,
    body: String,
    /// Registers that hold words of the argument block, by offset.
    known: HashMap<u32, String>,
    /// The register that holds the begin of workgroup memory.
    workgroup: Option<String>,
    /// The register that holds the address of the fault word.
    fault: Option<String>,
    /// The predicate under which variables change, where branches are written out side by side.
    guard: Option<String>,
    registers: u32,
    wides: u32,
    predicates: u32,
    labels: u32,
    /// Bytes of arrays that belong to one invocation.
    local_bytes: u32,
    globals: HashMap<Handle<naga::GlobalVariable>, Place>,
    params: Option<Range<u32>>,
}

impl<'a> Writer<'a> {
    fn new(module: &'a Module, info: &'a ModuleInfo, options: Options) -> Self {
        Self {
            module,
            info,
            options,
            resident: None,
            lanes: 1,
            prologue: String::new(),
            body: String::new(),
            known: HashMap::new(),
            workgroup: None,
            fault: None,
            guard: None,
            registers: 0,
            wides: 0,
            predicates: 0,
            labels: 0,
            local_bytes: 0,
            globals: HashMap::new(),
            params: None,
        }
    }

    fn kernel(mut self, name: &str) -> Result<Ptx, String> {
        let entry = self.module.entry_points.first().ok_or("there is no entry point")?;
        self.lanes = entry.workgroup_size.iter().product();
        let (argument_bytes, buffers) = self.storage()?;
        let workgroup_bytes = self.workgroup_memory();
        self.private_variables()?;
        self.entry_function(entry)?;

        let mut text = String::new();
        let target = if self.options.capability >= 80 { 80 } else { 70 };
        let _ = write!(
            text,
            ".version 7.0\n.target sm_{target}\n.address_size 64\n\n.extern .shared .align 16 .b8 workgroup[];\n\n\
             .visible .entry {name}(.param .align 16 .b8 arguments[{argument_bytes}])\n.maxntid {}, 1, 1\n",
            self.lanes
        );
        if let Some(count) = self.options.workgroups(self.lanes, workgroup_bytes, self.resident) {
            let _ = writeln!(text, ".minnctapersm {count}");
        }
        text.push_str("{\n");
        if self.local_bytes > 0 {
            let _ = writeln!(text, ".local .align 16 .b8 own[{}];", self.local_bytes);
        }
        for (kind, prefix, count) in
            [("b32", "%r", self.registers), ("b64", "%w", self.wides), ("pred", "%p", self.predicates)]
        {
            let _ = writeln!(text, ".reg .{kind} {prefix}<{}>;", count + 1);
        }
        text.push_str(&self.prologue);
        text.push_str(&self.body);
        text.push_str("ret;\n}\n");
        Ok(Ptx { text, lanes: self.lanes, workgroup_bytes, argument_bytes, params: self.params, buffers })
    }

    /// Gives places to uniform blocks and storage buffers. Bytes of the argument block, and the buffers in it.
    fn storage(&mut self) -> Result<(u32, Vec<BoundBuffer>), String> {
        let mut bound: Vec<_> = self.module.global_variables.iter().collect();
        bound.retain(|(_, variable)| variable.binding.is_some());
        bound.sort_by_key(|(_, variable)| variable.binding.map(|binding| binding.binding));
        let mut end = CALL_BYTES;
        let mut buffers = Vec::new();
        for (handle, variable) in bound {
            let binding = variable.binding.map_or(0, |binding| binding.binding);
            let ty = variable.ty;
            let place = match (variable.space, binding) {
                (AddressSpace::Uniform, 1) => Place::memory(Space::Argument, "arguments".into(), 0, ty),
                (AddressSpace::Uniform, _) => {
                    let at = end;
                    end += self.size(ty).next_multiple_of(16);
                    self.params = Some(at..end);
                    Place::memory(Space::Argument, "arguments".into(), at, ty)
                }
                (AddressSpace::Storage { access }, _) => {
                    let at = end;
                    end += 16;
                    let address = self.wide();
                    self.line(format_args!("ld.param.u64 {address}, [arguments+{at}];"));
                    self.line(format_args!("cvta.to.global.u64 {address}, {address};"));
                    let last = self.register();
                    self.line(format_args!("ld.param.u32 {last}, [arguments+{}];", at + 8));
                    buffers.push(BoundBuffer { binding, offset: at, element_bytes: self.element_bytes(ty) });
                    let writes = access.contains(StorageAccess::STORE);
                    let space = if writes { Space::Storage } else { Space::ReadOnly };
                    Place::Memory { space, base: address, offset: 0, last: Some(last), pointee: ty.into() }
                }
                (space, _) => return Err(format!("a binding in {space:?}")),
            };
            self.globals.insert(handle, place);
        }
        Ok((end, buffers))
    }

    /// Gives places to workgroup variables; their bytes.
    fn workgroup_memory(&mut self) -> u32 {
        let mut end = 0;
        for (handle, variable) in self.module.global_variables.iter() {
            if variable.space == AddressSpace::WorkGroup {
                self.globals.insert(handle, Place::memory(Space::Workgroup, "workgroup".into(), end, variable.ty));
                end += self.size(variable.ty).next_multiple_of(16);
            }
        }
        end
    }

    fn private_variables(&mut self) -> Result<(), String> {
        for (handle, variable) in self.module.global_variables.iter() {
            if variable.space == AddressSpace::Private {
                let first = match variable.init {
                    Some(init) => self.constant(init)?,
                    None => self.zero(variable.ty)?,
                };
                let place = self.variable(variable.ty, false, first)?;
                self.globals.insert(handle, place);
            }
        }
        Ok(())
    }

    /// A variable of one invocation with its first value: in registers, unless it is `indexed` or holds an array.
    fn variable(&mut self, ty: Handle<naga::Type>, indexed: bool, first: Value) -> Result<Place, String> {
        if !indexed && !self.holds_array(ty) {
            let registers = self.registers_like(&first);
            self.assign(&registers, &first)?;
            return Ok(Place::Registers(registers.into()));
        }
        let at = self.local_bytes;
        self.local_bytes += self.size(ty).next_multiple_of(16);
        let place = Place::memory(Space::Own, "own".into(), at, ty);
        self.store(&place, &first)?;
        Ok(place)
    }

    /// The word of the argument block at an offset, loaded once.
    fn argument(&mut self, offset: u32) -> String {
        if let Some(register) = self.known.get(&offset) {
            return register.clone();
        }
        let register = self.register();
        let _ = writeln!(self.prologue, "ld.param.b32 {register}, [arguments+{offset}];");
        self.known.insert(offset, register.clone());
        register
    }

    /// The address of the fault word.
    fn fault(&mut self) -> String {
        if self.fault.is_none() {
            let register = self.wide();
            let _ = writeln!(self.prologue, "ld.param.u64 {register}, [arguments+8];");
            let _ = writeln!(self.prologue, "cvta.to.global.u64 {register}, {register};");
            self.fault = Some(register);
        }
        self.fault.clone().unwrap_or_default()
    }

    /// The begin of workgroup memory.
    fn workgroup(&mut self) -> String {
        if self.workgroup.is_none() {
            let register = self.register();
            let _ = writeln!(self.prologue, "mov.u32 {register}, workgroup;");
            self.workgroup = Some(register);
        }
        self.workgroup.clone().unwrap_or_default()
    }

    fn line(&mut self, line: std::fmt::Arguments<'_>) {
        let _ = writeln!(self.body, "{line}");
    }

    /// A fresh 32-bit register.
    fn register(&mut self) -> String {
        self.registers += 1;
        format!("%r{}", self.registers)
    }

    /// A fresh 64-bit register.
    fn wide(&mut self) -> String {
        self.wides += 1;
        format!("%w{}", self.wides)
    }

    /// A fresh predicate register.
    fn predicate(&mut self) -> String {
        self.predicates += 1;
        format!("%p{}", self.predicates)
    }

    fn label(&mut self) -> String {
        self.labels += 1;
        format!("$L{}", self.labels)
    }
}

#[cfg(test)]
mod tests;
