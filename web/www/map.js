// Draws places and a tour on a canvas, upwards as on a map.

const MARGIN = 14;

export class Map {
  #canvas;
  #layout = [];
  #tour = [];
  #open = false;
  // The part of the plane that is shown, and where it lies on the canvas.
  #frame = { left: 0, low: 0, width: 1000, height: 1000 };

  constructor(canvas) {
    this.#canvas = canvas;
    new ResizeObserver(() => this.draw()).observe(canvas);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
  }

  // Shows places; with `fixed` the frame stays as it is, so that clicks do not move it.
  places(layout, fixed = false) {
    [this.#layout, this.#tour] = [layout, []];
    if (!fixed) this.#frame = frameOf(layout);
    this.draw();
  }

  tour(tour, open) {
    [this.#tour, this.#open] = [tour, open];
    this.draw();
  }

  #scale() {
    const { clientWidth, clientHeight } = this.#canvas;
    const [width, height] = [clientWidth - 2 * MARGIN, clientHeight - 2 * MARGIN];
    const scale = Math.min(width / this.#frame.width, height / this.#frame.height);
    const left = MARGIN + (width - scale * this.#frame.width) / 2;
    const top = MARGIN + (height - scale * this.#frame.height) / 2;
    return { scale, left, bottom: top + scale * this.#frame.height };
  }

  // The point of the plane under an event.
  at(event) {
    const box = this.#canvas.getBoundingClientRect();
    const { scale, left, bottom } = this.#scale();
    const x = this.#frame.left + (event.clientX - box.left - this.#canvas.clientLeft - left) / scale;
    const y = this.#frame.low + (bottom - (event.clientY - box.top - this.#canvas.clientTop)) / scale;
    return [x, y];
  }

  draw() {
    const { clientWidth, clientHeight } = this.#canvas;
    const dense = window.devicePixelRatio || 1;
    [this.#canvas.width, this.#canvas.height] = [clientWidth * dense, clientHeight * dense];
    const context = this.#canvas.getContext("2d");
    context.scale(dense, dense);
    const style = getComputedStyle(this.#canvas);
    const { scale, left, bottom } = this.#scale();
    const place = ([x, y]) => [left + (x - this.#frame.left) * scale, bottom - (y - this.#frame.low) * scale];
    if (this.#tour.length > 1) {
      context.beginPath();
      for (const city of this.#tour) context.lineTo(...place(this.#layout[city]));
      if (!this.#open) context.closePath();
      context.strokeStyle = style.stroke;
      context.lineWidth = this.#layout.length > 5000 ? 0.7 : 1.4;
      context.lineJoin = "round";
      context.stroke();
    }
    const size = Math.max(0.5, Math.min(3, 40 / Math.sqrt(this.#layout.length + 1)));
    context.fillStyle = style.fill;
    for (const point of this.#layout) {
      const [x, y] = place(point);
      context.fillRect(x - size, y - size, 2 * size, 2 * size);
    }
  }
}

function frameOf(layout) {
  if (layout.length === 0) return { left: 0, low: 0, width: 1000, height: 1000 };
  let [left, right, low, high] = [Infinity, -Infinity, Infinity, -Infinity];
  for (const [x, y] of layout) {
    [left, right] = [Math.min(left, x), Math.max(right, x)];
    [low, high] = [Math.min(low, y), Math.max(high, y)];
  }
  const least = Math.max(right - left, high - low, Number.MIN_VALUE) * 1e-3;
  return { left, low, width: Math.max(right - left, least), height: Math.max(high - low, least) };
}
