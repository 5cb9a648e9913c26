// Requests to the tool, with the token of the address and the limits that it reports.

const address = new URLSearchParams(location.hash.slice(1));
const key = "tiledb-rs-token";
if (address.has("token")) {
  // The token is kept for this tab only, and does not stay in the address.
  sessionStorage.setItem(key, address.get("token"));
  address.delete("token");
  history.replaceState(null, "", "#" + address);
}
const token = sessionStorage.getItem(key) ?? "";

export const link = (state) => {
  const parameters = new URLSearchParams(state);
  parameters.set("token", token);
  return `${location.origin}/#${parameters}`;
};

export class Failure extends Error {
  constructor(sentence, hint) {
    super(sentence);
    this.hint = hint;
  }
}

// Returns the query of a request: arrays repeat their name, and what is empty is left out.
function queryOf(parameters) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    for (const item of Array.isArray(value) ? value : [value]) {
      if (item !== undefined && item !== null && item !== "") query.append(name, item);
    }
  }
  return query;
}

async function send(path, parameters, options = {}) {
  const headers = { authorization: `Bearer ${token}` };
  let response;
  try {
    response = await fetch(`${path}?${queryOf(parameters)}`, { ...options, headers });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Failure("The tool does not respond.", "Start tiledb-rs view again.");
  }
  if (response.ok) return response;
  let message = {};
  try {
    message = await response.json();
  } catch {
    // The status is all there is.
  }
  throw new Failure(message.error ?? `status ${response.status}`, message.hint);
}

export const json = async (path, parameters, options) =>
  (await send(path, parameters, options)).json();

// Changes an array; the tool refuses this unless it was started with `--write`.
export const change = async (parameters, body, options) =>
  (await send("/api/change", parameters, { ...options, method: "POST", body })).json();

export const blob = async (path, parameters, options) =>
  (await send(path, parameters, options)).blob();

// Returns a picture: its properties and its numbers by row.
export async function picture(parameters, options) {
  const bytes = await (await send("/api/picture", parameters, options)).arrayBuffer();
  const length = new DataView(bytes).getUint32(0, true);
  const text = new TextDecoder().decode(new Uint8Array(bytes, 4, length));
  const start = Math.ceil((4 + length) / 8) * 8;
  return { ...JSON.parse(text), numbers: new Float64Array(bytes.slice(start)) };
}

// Keeps a connection open, by which the tool knows that the page is open.
export async function stay(onEnd) {
  try {
    const reader = (await send("/api/open", {})).body.getReader();
    while (!(await reader.read()).done);
  } catch {
    // Reported below.
  }
  onEnd();
}

// Runs the requests of a view. A new one cancels those before it.
export class Loader {
  #controller = new AbortController();

  // `progress` returns how far the requests are, if they may take long.
  constructor(status, progress) {
    this.status = status;
    this.progress = progress;
  }

  stop() {
    this.#controller.abort();
  }

  // Calls `work` with the options for requests; returns what it returns, or `undefined` if a later
  // call has cancelled it.
  async run(waits, work) {
    this.stop();
    const controller = (this.#controller = new AbortController());
    const begin = performance.now();
    let [waiting, far, timer, poll] = [waits, ""];
    const report = () => this.status(`Waiting for ${waiting}${far}`, true);
    const wait = (text) => {
      [waiting, far] = [text, ""];
      report();
    };
    const stop = () => {
      clearTimeout(timer);
      clearInterval(poll);
    };
    const isOver = () => controller.signal.aborted || timer === undefined;
    timer = setTimeout(report, 120);
    if (this.progress) {
      poll = setInterval(async () => {
        try {
          const text = await this.progress();
          if (isOver()) return;
          far = text;
          report();
        } catch {
          // The request itself reports that the tool has ended.
        }
      }, 250);
    }
    controller.signal.addEventListener("abort", stop);
    try {
      const result = await work({ signal: controller.signal }, wait);
      if (controller.signal.aborted) return undefined;
      stop();
      timer = undefined;
      const time = Math.round(performance.now() - begin);
      this.status(`${time} ms`, false);
      return result;
    } catch (error) {
      stop();
      timer = undefined;
      if (controller.signal.aborted || error.name === "AbortError") return undefined;
      this.status("", false);
      throw error;
    }
  }
}
