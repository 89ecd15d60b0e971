// Draws places and a tour on a canvas, upwards as on a map.

const MARGIN = 14;

// The frame of points that are clicked.
export const CLICKS = { left: 0, low: 0, width: 1000, height: 1000 };

export class Map {
  #canvas;
  #layout = [];
  #tour = [];
  #open = false;
  // The part of the plane that is shown, and where it lies on the canvas.
  #frame = CLICKS;

  constructor(canvas) {
    this.#canvas = canvas;
    new ResizeObserver(() => this.draw()).observe(canvas);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
  }

  // Shows places, in a frame of their own or in the given one.
  places(layout, frame = frameOf(layout)) {
    [this.#layout, this.#tour, this.#frame] = [layout, [], frame];
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
    if (this.#layout.length === 0) {
      context.fillStyle = style.color;
      context.font = `16px ${style.fontFamily}`;
      context.textAlign = "center";
      context.fillText("Click here to place points", clientWidth / 2, clientHeight / 2);
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
  if (layout.length === 0) return CLICKS;
  let [left, right, low, high] = [Infinity, -Infinity, Infinity, -Infinity];
  for (const [x, y] of layout) {
    [left, right] = [Math.min(left, x), Math.max(right, x)];
    [low, high] = [Math.min(low, y), Math.max(high, y)];
  }
  if (left === right && low === high) return { left: left - 0.5, low: low - 0.5, width: 1, height: 1 };
  const least = Math.max(right - left, high - low) * 1e-3;
  return { left, low, width: Math.max(right - left, least), height: Math.max(high - low, least) };
}
