// Edges of a tour, and cities, which are edges of no length. An instance is an edge.

struct View {
    // From coordinates to pixels, y upwards: `at * scale + origin`.
    scale: vec2<f32>,
    origin: vec2<f32>,
    // Half the window, in pixels.
    half_size: vec2<f32>,
    // Half the width of a line, in pixels.
    half_width: f32,
    colour: vec4<f32>,
}

@group(0) @binding(0) var<uniform> view: View;

fn pixels(at: vec2<f32>) -> vec2<f32> {
    return at * view.scale + view.origin;
}

fn clip(pixel: vec2<f32>) -> vec4<f32> {
    return vec4(pixel / view.half_size - 1.0, 0.0, 1.0);
}

/// The corners of a rectangle, as a strip of triangles; it is longer than the edge by half its width on both sides.
@vertex
fn wide(@location(0) a: vec2<f32>, @location(1) b: vec2<f32>, @builtin(vertex_index) corner: u32) -> @builtin(position) vec4<f32> {
    let edge = pixels(b) - pixels(a);
    let reach = length(edge);
    let along = select(vec2(1.0, 0.0), edge / max(reach, 1e-6), reach > 1e-6) * view.half_width;
    let across = vec2(-along.y, along.x);
    let end = select(pixels(a) - along, pixels(b) + along, corner >= 2u);
    return clip(end + across * select(-1.0, 1.0, (corner & 1u) == 1u));
}

/// The ends of a line.
@vertex
fn thin(@location(0) a: vec2<f32>, @location(1) b: vec2<f32>, @builtin(vertex_index) end: u32) -> @builtin(position) vec4<f32> {
    return clip(pixels(select(a, b, end == 1u)));
}

@fragment
fn fill() -> @location(0) vec4<f32> {
    return view.colour;
}
