// Where the page tells things: its status, errors, warnings, and what the map is called.

const element = (id) => document.getElementById(id);

export function say(text) {
  element("status").textContent = text;
}

// What the person is to do otherwise; `null` for nothing.
export function showError(message) {
  element("error").textContent = message ?? "";
  element("error").hidden = !message;
}

// What is odd about the problem, or a solution of it.
export function warn(warnings) {
  element("warnings").replaceChildren(...warnings.map((text) => {
    const line = document.createElement("p");
    line.textContent = `${text[0].toUpperCase()}${text.slice(1)}${/[.?]$/.test(text) ? "" : "."}`;
    return line;
  }));
}

// What the map shows, for whoever does not see it.
export function label(text) {
  element("map").setAttribute("aria-label", text);
}
