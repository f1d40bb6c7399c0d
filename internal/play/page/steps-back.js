// What a scene was set to before: every state that the address has had, for undo and redo.
// @ts-check

const most = 200; // states are a kilobyte each

export class StepsBack {
  /** @param {() => void} changed what can be undone has changed */
  constructor(changed) {
    this.changed = changed;
    /** @type {string[]} states from the oldest to the newest, as addresses */
    this.states = [];
    this.at = -1;
  }

  /** Starts anew: another scene was opened. */
  forget() {
    this.states = [];
    this.at = -1;
    this.changed();
  }

  /** @param {string} state */
  record(state) {
    if (this.states[this.at] === state) return;
    this.states.splice(this.at + 1, Infinity, state);
    if (this.states.length > most) this.states.shift();
    this.at = this.states.length - 1;
    this.changed();
  }

  /** The scene writes the state that was restored in its own way. @param {string} state */
  rewrite(state) {
    if (this.at >= 0) this.states[this.at] = state;
    else this.record(state);
  }

  /** Whether a step in a direction can be taken. @param {-1|1} by */
  can(by) {
    return this.at + by >= 0 && this.at + by < this.states.length;
  }

  /** The state a step back or forth; null for none. @param {-1|1} by @returns {string|null} */
  step(by) {
    if (!this.can(by)) return null;
    this.at += by;
    this.changed();
    return this.states[this.at];
  }
}
